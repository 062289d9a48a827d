// The demonstration of the paper, as in bflo_viz.scenes.online: one stream, learners that all see it, every round kept.
import { DiagonalBelief, FullBelief, SphericalBelief } from "../engine/beliefs.js";
import { AROW } from "../engine/learners/arow.js";
import { BeliefFlow } from "../engine/learners/belief_flow.js";
import { Langevin } from "../engine/learners/langevin.js";
import { SGD } from "../engine/learners/sgd.js";
import { Logistic } from "../engine/models.js";
import { RandomState } from "../engine/random.js";

const [NODES, FAR] = [1000, 3]; // of an integral over a half normal: steps, and the root of how far it goes
const FLOWS = { full: FullBelief, diagonal: DiagonalBelief, spherical: SphericalBelief };

/** Length of the weight with the least expected loss where a share of the labels is wrong; infinite without. */
export function bestLength(flip) {
  if (!(flip > 0)) return Infinity;
  const t = Float64Array.from({ length: NODES + 1 }, (_, i) => ((i * FAR) / NODES) ** 2);
  const weight = t.map((x, i) => {
    const simpson = ((i === 0 || i === NODES ? 1 : i % 2 ? 4 : 2) * FAR) / NODES / 3;
    return simpson * 2 * Math.sqrt(x) * x * Math.exp(-0.5 * x * x);
  });
  const total = weight.reduce((sum, part) => sum + part, 0);
  let length = 0;
  for (let k = 0; k < 60; k += 1) {
    // Of a falling convex function, from its left: Newton's steps do not overshoot.
    let [value, slope] = [-flip * total, 0];
    for (let i = 0; i <= NODES; i += 1) {
      const small = Math.exp(-length * t[i]);
      const share = small / (1 + small);
      value += weight[i] * share;
      slope += weight[i] * t[i] * share * (1 - share);
    }
    length += value / slope;
    if (Math.abs(value / slope) <= 1e-12 * length + 1e-15) break;
  }
  return Math.max(length, 0);
}

/** An array of numbers that has room for more. */
function longer(array, size) {
  if (array.length >= size) return array;
  const grown = new array.constructor(Math.max(size, 2 * array.length));
  grown.set(array);
  return grown;
}

/** Inputs and labels, as many as are asked for; angle is where the true weight points, in radians. */
class Stream {
  constructor({ seeds, flip, drift }) {
    Object.assign(this, { flip, drift, rounds: 0, x: new Float64Array(0), truth: new Uint8Array(0), seen: new Uint8Array(0) });
    this._inputs = new RandomState(seeds[0]);
    this._flips = new RandomState(seeds[1]);
    this.length = bestLength(flip);
  }

  angle(round) {
    return Math.PI / 4 + (((this.drift * Math.PI) / 180) * round) / 100;
  }

  extend(to) {
    this.x = longer(this.x, 2 * to);
    this.truth = longer(this.truth, to);
    this.seen = longer(this.seen, to);
    for (; this.rounds < to; this.rounds += 1) {
      const [n, angle] = [this.rounds, this.angle(this.rounds)];
      const first = (this.x[2 * n] = this._inputs.standardNormal());
      const second = (this.x[2 * n + 1] = this._inputs.standardNormal());
      this.truth[n] = first * Math.cos(angle) + second * Math.sin(angle) > 0 ? 1 : 0;
      this.seen[n] = this._flips.random() < this.flip ? 1 - this.truth[n] : this.truth[n];
    }
  }
}

/** A learner on the stream. Before the first round and after each: mean, lower factor, entropy, distance, mistakes. */
class Track {
  constructor(name, stream, { eta, std, non_expansive: nonExpansive, seed }) {
    const flow = (kind) => new BeliefFlow(new kind([0, 0], std), new Logistic(), { eta, nonExpansive });
    const makers = {
      SGD: () => new SGD(2, new Logistic(), { eta, std }),
      AROW: () => new AROW(2, { std, predicting: "sample" }),
      Langevin: () => new Langevin(2, new Logistic(), { eta, std, priorStd: std }),
    };
    this.hasDistance = name in FLOWS; // AROW's loss is another one, and so is its best weight
    this.learner = this.hasDistance ? flow(FLOWS[name]) : makers[name]();
    this.hasBelief = this.learner.belief !== null;
    this.stream = stream;
    this.rounds = 0;
    this._rng = new RandomState(seed);
    this.learner.begin(this._rng);
    // How many numbers each keeps of a round; mistakes are those so far.
    this._sizes = { mean: 2, factor: 3, entropy: 1, distance: 1, bySample: 1, byMean: 1 };
    for (const part of Object.keys(this._sizes)) this[part] = new Float64Array(0);
    this._room(1);
    this._keep(0);
  }

  extend(to) {
    const { learner, stream, _rng: rng } = this;
    this._room(to + 1);
    const x = new Float64Array(2);
    for (; this.rounds < to; ) {
      const n = this.rounds;
      [x[0], x[1]] = [stream.x[2 * n], stream.x[2 * n + 1]];
      const byMean = this.mean[2 * n] * x[0] + this.mean[2 * n + 1] * x[1] > 0 ? 1 : 0;
      const { label } = learner.step(x, stream.seen[n], rng);
      this.rounds += 1;
      this.bySample[n + 1] = this.bySample[n] + (label !== stream.truth[n] ? 1 : 0);
      this.byMean[n + 1] = this.byMean[n] + (byMean !== stream.truth[n] ? 1 : 0);
      this._keep(n + 1);
    }
  }

  _room(states) {
    for (const [part, size] of Object.entries(this._sizes)) this[part] = longer(this[part], size * states);
  }

  _keep(n) {
    const { mean, factor } = this;
    const { belief, weights } = this.learner;
    mean.set(weights ?? belief.mean, 2 * n);
    if (!this.hasBelief) return;
    const [a, b, c, d] = belief.factor;
    const corner = Math.hypot(a, b);
    const isDiagonal = b === 0 && c === 0; // it can be 0 wide, and then nothing may be divided by that
    factor.set(isDiagonal ? [a, 0, d] : [corner, (a * c + b * d) / corner, Math.abs(a * d - b * c) / corner], 3 * n);
    this.entropy[n] = belief.entropy();
    if (this.hasDistance) this.distance[n] = this._away(n);
  }

  /** By how many standard deviations of the belief its mean is away from the best weight. */
  _away(n) {
    const { stream, mean, factor } = this;
    const angle = stream.angle(n);
    const first = (stream.length * Math.cos(angle) - mean[2 * n]) / factor[3 * n];
    const second = (stream.length * Math.sin(angle) - mean[2 * n + 1] - factor[3 * n + 1] * first) / factor[3 * n + 2];
    const far = Math.hypot(first, second);
    return Number.isNaN(far) ? Infinity : far;
  }
}

/** One run of the demonstration: `extend` computes on, and `tracks` has each learner by its name. */
export class OnlineScene {
  constructor({ seed, samples, ...settings }) {
    const rng = new RandomState(seed);
    const seeds = Array.from({ length: 4 }, () => Math.floor(2 ** 32 * rng.random()));
    const fan = new RandomState(seeds[2]);
    this.samples = Float64Array.from({ length: 2 * samples }, () => fan.standardNormal());
    this.stream = new Stream({ seeds, ...settings });
    this.tracks = {};
    this._settings = { ...settings, seed: seeds[3] };
  }

  /** How many rounds all of these learners have done. */
  done(names) {
    return Math.min(...names.map((name) => this.tracks[name]?.rounds ?? -1));
  }

  /** Let these learners do all rounds before this one that they have not done yet. */
  extend(names, to) {
    this.stream.extend(to);
    for (const name of names) (this.tracks[name] ??= new Track(name, this.stream, this._settings)).extend(to);
  }
}

/** Median of the distances in the second half of the rounds so far. */
export function calibration({ distance }, round) {
  const half = distance.slice(Math.floor((round + 1) / 2), round + 1).sort();
  return half[Math.floor((half.length - 1) / 2)];
}
