// Three ways to learn from one stream, and what the belief stands for: bflo_viz.scenes.three_ways in a page, round by
// round as far as one plays. Numbers that Python has, too, are given as `common`.
import { DiagonalBelief, FullBelief, SphericalBelief } from "../engine/beliefs.js";
import { copyOf } from "../engine/copies.js";
import { BeliefFlow } from "../engine/learners/belief_flow.js";
import { decomposed } from "../engine/matrices.js";
import { Logistic } from "../engine/models.js";
import { RandomState } from "../engine/random.js";
import { erf, surfaceOf } from "./surfaces.js";

const EVERY = 250; // rounds between two states that are kept, to come back to
const BELIEFS = { full: FullBelief, diagonal: DiagonalBelief, spherical: SphericalBelief };
const INPUT = [1, 1]; // the surface tells each sampled weight where to go: the model is not asked

/** A run that any of its rounds can be asked for. Settings: surface, seed, eta (null: the surface's), std, flow, truth. */
export class Run {
  constructor(common, settings) {
    Object.assign(this, { common, settings });
    const { std, flow, truth, seed } = settings;
    const rng = new RandomState(seed);
    const own = new RandomState(Math.floor(2 ** 32 * rng.random()));
    const draw = (count) => Float64Array.from({ length: 2 * count }, () => std * rng.standardNormal());
    const [optimum, start, cloud] = [draw(1), draw(1), draw(common.ensemble)];
    const surface = surfaceOf(common.surfaces[settings.surface], common);
    if (truth === "drawn") surface.moveOptimum(...optimum);
    surface.eta = settings.eta ?? surface.eta;
    this.surface = surface;
    this.standard = standardised(cloud);
    const localFlow = (w, _, moved) => {
      moved.set(w);
      surface.step(moved, this.state.example);
    };
    this.state = {
      n: 0,
      rng,
      own,
      learner: new BeliefFlow(new BELIEFS[flow]([0, 0], std), new Logistic(), { localFlow }),
      turn: 0, // of the cloud that the flow carries, in whitened coordinates
      point: start,
      members: this.standard.map((x) => std * x),
      sums: [], // of what Bayes' rule keeps of the examples
      example: [],
    };
    this.kept = [copyOf(this.state)];
    this.ways = { point: [], bayes: [], flow: [] }; // of the point and the means, pair after pair
    this._note();
  }

  /** What there is to see after a round. */
  at(round) {
    const place = Math.min(Math.floor(round / EVERY), this.kept.length - 1);
    if (round < this.state.n || place * EVERY > this.state.n) this.state = copyOf(this.kept[place]);
    while (this.state.n < round) this._advance();
    return this._frame();
  }

  _advance() {
    const { state, surface } = this;
    const { rng, learner } = state;
    state.example = surface.example([rng.standardNormal(), rng.standardNormal(), rng.standardNormal()]);
    learner.step(INPUT, 1, state.own);
    state.turn += learner.belief.turn();
    surface.step(state.point, state.example);
    surface.step(state.members, state.example);
    state.sums = surface.summed(state.example).map((x, i) => x + (state.sums[i] ?? 0));
    state.n += 1;
    if (state.n === this.kept.length * EVERY) this.kept.push(copyOf(state));
    this._note();
  }

  /** Note where points and means are; a round that is done again finds its place taken. */
  _note() {
    const { state, ways, surface, settings } = this;
    if (ways.point.length > 2 * state.n) return;
    ways.point.push(...state.point);
    ways.bayes.push(...surface.mean(state, settings.std));
    ways.flow.push(...state.learner.belief.mean);
  }

  _frame() {
    const { state, surface, settings, common } = this;
    const { n, learner, point, members } = state;
    const frame = {
      now: n,
      point: [...point],
      bayes: surface.posterior(state, settings.std),
      belief: { mean: [...learner.belief.mean], factor: [...learner.belief.factor] },
      sampled: [...learner.round.weights],
      moved: [...learner.round.moved],
      cloud: this._carried(),
      members: [...members],
      fitting: n > 0 ? surface.fitting(state.example) : [],
    };
    frame.facts = factsOf(surface, frame, common.tiny);
    frame.runsAway = Math.max(...[...point, ...members].map(Math.abs)) >= common.reach;
    return frame;
  }

  /** The ensemble that the flow carries: its flows turn it in whitened coordinates, and the belief colours it. */
  _carried() {
    const { belief } = this.state.learner;
    const [c, s] = [Math.cos(this.state.turn), Math.sin(this.state.turn)];
    return pairs(this.standard).flatMap(([x, y]) => [...belief.weight([c * x - s * y, s * x + c * y])]);
  }
}

/** What there is to say of each learner, in numbers: see DynamicsScene.facts in Python. */
function factsOf(surface, { point, bayes, belief, members }, tiny) {
  const [center, weights] = [meanOf(members), pairs(members)];
  const mean = (value) => weights.reduce((sum, w) => sum + value(w), 0) / weights.length;
  const spread = ([p, q]) => Math.sqrt(mean(([x, y]) => (p * (x - center[0]) + q * (y - center[1])) ** 2));
  const gaussian = ({ mean: at, factor }) => {
    const [a, b, c, d] = factor;
    const { first, below, size } = lowerOf(factor, tiny);
    const deviations = surface.optima.map(([x, y]) => {
      const along = (x - at[0]) / first;
      return Math.hypot(along, (y - at[1] - below * along) / size);
    });
    return {
      away: surface.away(...at),
      std: [...decomposed(factor, 2).values].sort((x, y) => x - y),
      far: Math.min(...deviations),
      right: 0.5 + 0.5 * erf(at[0] / (Math.SQRT2 * first)),
      wide: surface.axes.map(([p, q]) => Math.hypot(p * a + q * c, p * b + q * d)),
    };
  };
  const sides = bayes.hill && { away: surface.away(...bayes.hill), std: [...bayes.hillStd].sort((x, y) => x - y) };
  return {
    sgd: { away: surface.away(...point) },
    bayes: { ...gaussian(bayes), ...sides },
    flow: gaussian(belief),
    ensemble: {
      away: mean((w) => surface.away(...w)),
      wide: surface.axes.map(spread),
      right: weights.filter(([x]) => x >= 0).length,
    },
  };
}

/** A factor turned into a lower triangle; a diagonal flow can be narrower for a moment than numbers can be divided by. */
function lowerOf([a, b, c, d], tiny) {
  const first = Math.max(tiny, Math.hypot(a, b));
  return { first, below: (a * c + b * d) / first, size: Math.max(tiny, Math.abs(a * d - b * c) / first) };
}

/** Points moved and stretched so that their mean is exactly 0 and their covariance (over n) exactly I. */
function standardised(points) {
  const center = meanOf(points);
  const centred = points.map((value, i) => value - center[i % 2]);
  const [xx, xy, yy] = [[0, 0], [0, 1], [1, 1]].map(([i, j]) => {
    const products = pairs(centred).map((pair) => pair[i] * pair[j]);
    return (2 * products.reduce((sum, x) => sum + x, 0)) / points.length;
  });
  const first = Math.sqrt(xx); // a Cholesky factor, and both equations solved
  const below = xy / first;
  const second = Math.sqrt(yy - below ** 2);
  return centred.map((value, i) => (i % 2 ? (value - (below * centred[i - 1]) / first) / second : value / first));
}

export function meanOf(points) {
  const sums = [0, 0];
  points.forEach((x, i) => (sums[i % 2] += x));
  return sums.map((sum) => (2 * sum) / points.length);
}

/** Points out of numbers that lie one after the other. */
export function pairs(numbers) {
  return Array.from({ length: numbers.length / 2 }, (_, i) => [numbers[2 * i], numbers[2 * i + 1]]);
}
