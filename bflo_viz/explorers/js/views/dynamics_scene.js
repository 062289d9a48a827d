// Three ways to learn from one stream, and what the belief stands for, as in bflo_viz.figures.three_ways, which gives
// the numbers of both loss surfaces.
import { KINDS } from "../engine/beliefs.js";
import { RandomState } from "../engine/random.js";
import { clamp, unit } from "../marks.js";

/** The loss of linear regression, ½ (w · x − y)² of each example (x₁, x₂, y). */
class Surface {
  constructor({ optimum, noise, factor: [[a], [b, c]] }, moved) {
    this.optimum = moved ?? optimum;
    this.noise = noise;
    this.factor = [a, b, c]; // a lower triangle
  }

  example(/** @type {number[]} */ [first, second, noise]) {
    const { factor: [a, b, c], optimum: [w1, w2] } = this;
    const [x1, x2] = [a * first, b * first + c * second];
    return [x1, x2, x1 * w1 + x2 * w2 + this.noise * noise];
  }

  gradient(/** @type {number[]} */ [w1, w2], /** @type {number[]} */ [x1, x2, y]) {
    const wrong = w1 * x1 + w2 * x2 - y;
    return [wrong * x1, wrong * x2];
  }

  /** The distance in which the expected loss is ½ distance², up to the noise. */
  distance(w1, w2) {
    const { factor: [a, b, c], optimum } = this;
    const [x, y] = [w1 - optimum[0], w2 - optimum[1]];
    return Math.hypot(a * x + b * y, c * y);
  }

  /** The posterior, to which every example adds its precision: its mean, and a factor of its covariance. */
  posterior(/** @type {number[]} */ [xx, xy, yy, x, y], std) {
    const noise = this.noise ** 2;
    const [a, b, c] = [1 / std ** 2 + xx / noise, xy / noise, 1 / std ** 2 + yy / noise];
    const det = a * c - b * b;
    const first = Math.sqrt(c / det);
    const mean = [(c * x - b * y) / det / noise, (a * y - b * x) / det / noise];
    return { mean, factor: [first, 0, -b / det / first, 1 / Math.sqrt(c)] };
  }
}

/** A run with the traits of the explorer: `rounds` has what there is to see before the first round and after each. */
export class Run {
  rounds = /** @type {any[]} */ ([]);

  constructor({ std, flow, truth, seed, optimum, surface, eta }, constants) {
    const numbers = constants.surfaces[surface];
    this.rng = new RandomState(seed);
    this.own = new RandomState(Math.floor(2 ** 32 * this.rng.random()));
    const draw = () => [std * this.rng.standardNormal(), std * this.rng.standardNormal()];
    const [drawn, point] = [draw(), draw()];
    this.surface = new Surface(numbers, optimum ?? (truth === "drawn" ? drawn : null));
    this.std = std;
    this.eta = eta ?? numbers.eta;
    this.reach = constants.reach;
    this.belief = new KINDS[flow]([0, 0], std);
    this.standard = standardised(Array.from({ length: constants.ensemble }, draw));
    const members = this.standard.map((one) => one.map((x) => std * x));
    this.keep({ point, members, sums: [0, 0, 0, 0, 0], turn: 0, moves: null });
  }

  /** The state after a round. */
  at(round) {
    while (this.rounds.length <= round) this.advance();
    return this.rounds[round];
  }

  /** A gradient step on the loss of one example. */
  step(w, example) {
    const { eta, reach, surface } = this;
    const slope = surface.gradient(w, example);
    return w.map((x, i) => clamp(x - eta * slope[i], -reach, reach));
  }

  advance() {
    const { rng, own, belief, surface } = this;
    const last = this.rounds[this.rounds.length - 1];
    const example = surface.example([rng.standardNormal(), rng.standardNormal(), rng.standardNormal()]);
    const z = [own.standardNormal(), own.standardNormal()];
    const w = [...belief.weight(z)];
    const moves = [w, this.step(w, example)];
    belief.flow(moves[0], moves[1], z);
    const members = last.members.map((one) => this.step(one, example));
    const [x1, x2, y] = example; // Bayes' rule needs no more than these sums
    const sums = [x1 * x1, x1 * x2, x2 * x2, x1 * y, x2 * y].map((x, i) => last.sums[i] + x);
    const turn = last.turn + last.belief.turn(...moves);
    this.keep({ point: this.step(last.point, example), members, sums, turn, moves });
  }

  keep(state) {
    const { optimum } = this.surface;
    const belief = this.belief.copy();
    const bayes = this.surface.posterior(state.sums, this.std);
    const away = (/** @type {any} */ { 0: x, 1: y }) => Math.hypot(x - optimum[0], y - optimum[1]);
    const far = Math.hypot(...belief.whitened(optimum.map((x, i) => x - belief.mean[i])));
    const ensemble = state.members.reduce((sum, one) => sum + away(one), 0) / state.members.length;
    const all = { flow: away(belief.mean), sgd: away(state.point), bayes: away(bayes.mean), ensemble };
    this.rounds.push({ ...state, belief, bayes, far, away: all });
  }

  /** The ensemble that the flow carries: its flows turn it in whitened coordinates, and the belief colours it. */
  carried({ belief, turn }) {
    const [c, s] = unit(turn);
    return this.standard.map(([x, y]) => [...belief.weight([c * x - s * y, s * x + c * y])]);
  }
}

/** Points moved and stretched so that their mean is exactly 0 and their covariance (over n) exactly I. */
function standardised(points) {
  const mean = (of) => points.reduce((sum, [x, y]) => sum + of(x, y), 0) / points.length;
  const [a, b] = [mean((x) => x), mean((_, y) => y)];
  const first = Math.sqrt(mean((x) => (x - a) ** 2)); // a Cholesky factor, and both equations solved
  const below = mean((x, y) => (x - a) * (y - b)) / first;
  const second = Math.sqrt(mean((_, y) => (y - b) ** 2) - below ** 2);
  return points.map(([x, y]) => [(x - a) / first, (y - b - (below * (x - a)) / first) / second]);
}
