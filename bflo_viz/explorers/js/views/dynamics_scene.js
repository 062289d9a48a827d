// Three ways to learn from one stream, and what the belief stands for, as in bflo_viz.figures.three_ways and surfaces,
// which give the numbers of the three loss surfaces.
import { DiagonalBelief, KINDS } from "../engine/beliefs.js";
import { RandomState } from "../engine/random.js";
import { clamp, unit } from "../marks.js";

/** Linear regression: an example is (x₁, x₂, y); its loss ½ (w · x − y)². */
class Regression {
  constructor({ optima, noise, factor }, moved, _) {
    this.optima = moved ? [moved] : optima;
    this.noise = noise;
    this.factor = factor;
  }

  example(/** @type {number[]} */ [first, second, noise]) {
    const [[a], [b, c]] = this.factor;
    const [x1, x2] = [a * first, b * first + c * second];
    return [x1, x2, x1 * this.optima[0][0] + x2 * this.optima[0][1] + this.noise * noise];
  }

  gradient(/** @type {number[]} */ [w1, w2], /** @type {number[]} */ [x1, x2, y]) {
    const wrong = w1 * x1 + w2 * x2 - y;
    return [wrong * x1, wrong * x2];
  }

  /** Distance from the lowest point by which the loss is ½ distance². */
  distance(w1, w2) {
    const [[a], [b, c]] = this.factor;
    const [x, y] = [w1 - this.optima[0][0], w2 - this.optima[0][1]];
    return Math.hypot(a * x + b * y, c * y);
  }

  /** All that Bayes' rule keeps of examples is the sum of this. */
  summed(/** @type {number[]} */ [x1, x2, y]) {
    return [x1 * x1, x1 * x2, x2 * x2, x1 * y, x2 * y];
  }

  /** The posterior is a Gaussian: every example adds its precision. `mean` is its middle. */
  posterior(_, /** @type {number[]} */ [xx = 0, xy = 0, yy = 0, x = 0, y = 0], std) {
    const noise = this.noise ** 2;
    const [a, b, c] = [1 / std ** 2 + xx / noise, xy / noise, 1 / std ** 2 + yy / noise];
    const det = a * c - b * b;
    const first = Math.sqrt(c / det);
    const mean = [(c * x - b * y) / det / noise, (a * y - b * x) / det / noise];
    const [d, e] = [-b / det / first, 1 / Math.sqrt(c)];
    const outline = () => [circle(2).map(([p, q]) => [mean[0] + first * p, mean[1] + d * p + e * q])];
    return { mean, middle: mean, outline };
  }
}

/** A sign that nothing tells: an example is (w₁²/4, w₂) of an optimum and noise; its loss ½ |(w₁²/4, w₂) − y|². */
class DoubleWell {
  constructor({ optima, noise }, moved, { nodes, wide }) {
    this.optima = moved ? [1, -1].map((side) => [side * Math.abs(moved[0]), moved[1]]) : optima;
    this.noise = noise;
    this.nodes = nodes;
    this.wide = wide;
  }

  example(/** @type {number[]} */ [first, second]) {
    const [x, y] = this.optima[0];
    return [(x * x) / 4 + this.noise * first, y + this.noise * second];
  }

  gradient(/** @type {number[]} */ [w1, w2], /** @type {number[]} */ [y1, y2]) {
    return [(((w1 * w1) / 4 - y1) * w1) / 2, w2 - y2];
  }

  distance(w1, w2) {
    const [x, y] = this.optima[0];
    return Math.hypot((w1 * w1 - x * x) / 4, w2 - y);
  }

  summed(example) {
    return example;
  }

  /**
   * A normal curve of q = w₁²/4 times a Gaussian of the second weight: lines of equal density are ellipses in (q, w₂).
   * `mean` is that of both sides, `middle` that of the right one; `outline()` is where two standard deviations are.
   */
  posterior(n, /** @type {number[]} */ [sum1 = 0, sum2 = 0], std) {
    const [variance, noise] = [std ** 2, this.noise ** 2];
    const second = (sum2 * variance) / (n * variance + noise);
    if (!n) return { mean: [0, 0], middle: [std * Math.sqrt(2 / Math.PI), 0], outline: () => [circle(2 * std)] };
    const [center, width] = [sum1 / n - (2 * noise) / (n * variance), this.noise / Math.sqrt(n)];
    const radius = Math.hypot(2, Math.max(0, -center / width));
    const high = Math.sqrt((noise * variance) / (n * variance + noise));
    const outline = () => unfolded([center, second], [radius * width, radius * high]);
    return { mean: [0, second], middle: [this.side(center, width), second], outline };
  }

  /** Mean of w ≥ 0 where q = w²/4 has a normal curve of this centre and width, by the trapezoid rule. */
  side(center, width) {
    const { nodes, wide } = this;
    const low = 2 * Math.sqrt(Math.max(0, center - wide * width));
    const high = 2 * Math.sqrt(center + Math.hypot(Math.min(center, 0), wide * width));
    const away = (w) => (((w * w) / 4 - center) / width) ** 2;
    const nearest = center > 0 ? 0 : away(0);
    let [total, moment] = [0, 0];
    for (let i = 0; i < nodes; i++) {
      const w = low + (i / (nodes - 1)) * (high - low);
      const share = Math.exp((nearest - away(w)) / 2) / (i % (nodes - 1) ? 1 : 2);
      total += share;
      moment += share * w;
    }
    return moment / total;
  }
}

/** The weights that fold onto an ellipse in (w₁²/4, w₂): one loop around both wells, or one around each. */
function unfolded(/** @type {number[]} */ [q, y], /** @type {number[]} */ [across, up]) {
  const end = Math.acos(Math.max(-1, -q / across)); // beyond it w₁² would be negative
  const right = circle(1, end).map(([c, s]) => [2 * Math.sqrt(Math.max(0, q + across * c)), y + up * s]);
  const left = right.map(([x, height]) => [-x, height]).reverse();
  return q >= across ? [right, left] : [[...right, ...left, right[0]]];
}
/** Points around 0 from one angle to the opposite one: by default once around, the first one twice. */
function circle(radius, end = Math.PI) {
  return Array.from({ length: 97 }, (_, i) => unit(end * (i / 48 - 1)).map((x) => radius * x));
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
    const moved = optimum ?? (truth === "drawn" ? drawn : null);
    this.surface = new (numbers.factor ? Regression : DoubleWell)(numbers, moved, constants);
    this.std = std;
    this.eta = eta ?? numbers.eta;
    this.reach = constants.reach;
    this.belief = new KINDS[flow]([0, 0], std);
    this.standard = standardised(Array.from({ length: constants.ensemble }, draw));
    const members = this.standard.map((one) => one.map((x) => std * x));
    this.keep({ point, members, sums: [], turn: 0, moves: null });
  }

  /** What there is to see after a round. */
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
    const sums = surface.summed(example).map((x, i) => x + (last.sums[i] ?? 0));
    const turn = last.turn + turned(last.belief, moves);
    this.keep({ point: this.step(last.point, example), members, sums, turn, moves });
  }

  keep(state) {
    const { surface: { optima }, rounds } = this;
    const belief = this.belief.copy();
    const bayes = this.surface.posterior(rounds.length, state.sums, this.std);
    const away = (/** @type {any} */ { 0: x, 1: y }) => Math.min(...optima.map(([a, b]) => Math.hypot(x - a, y - b)));
    const far = Math.min(...optima.map((one) => Math.hypot(...belief.whitened(one.map((x, i) => x - belief.mean[i])))));
    const ensemble = state.members.reduce((sum, one) => sum + away(one), 0) / state.members.length;
    const all = { flow: away(belief.mean), sgd: away(state.point), bayes: away(bayes.middle), ensemble };
    rounds.push({ ...state, belief, bayes, far, away: all });
  }

  /** The ensemble that the flow carries: its flows turn it in whitened coordinates, and the belief colours it. */
  carried({ belief, turn }) {
    const [c, s] = unit(turn);
    return this.standard.map(([x, y]) => [...belief.weight([c * x - s * y, s * x + c * y])]);
  }
}

/** By which angle a flow turns an ensemble in whitened coordinates. */
function turned(belief, moves) {
  if (belief instanceof DiagonalBelief) return 0;
  const [[a, b], [c, d]] = moves.map((w) => belief.whitened(w.map((x, i) => x - belief.mean[i])));
  return Math.atan2(a * d - b * c, a * c + b * d);
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
