// The demonstration of the paper, as in bflo_viz.scenes.online: one stream, learners that all see it, every round kept.
import { DiagonalBelief, FullBelief, SphericalBelief } from "../engine/beliefs.js";
import { AROW } from "../engine/learners/arow.js";
import { BeliefFlow } from "../engine/learners/belief_flow.js";
import { Langevin } from "../engine/learners/langevin.js";
import { SGD } from "../engine/learners/sgd.js";
import { Logistic, sigmoid } from "../engine/models.js";
import { RandomState } from "../engine/random.js";

const FLOWS = { full: FullBelief, diagonal: DiagonalBelief, spherical: SphericalBelief };

/**
 * Length of the weight with the least expected loss where a share of the labels is wrong; infinite without. It solves an
 * integral over a half normal by so many steps, up to the square of `far`.
 */
export function bestLength(flip, [steps, far]) {
  if (!(flip > 0)) return Infinity;
  const t = Float64Array.from({ length: steps + 1 }, (_, i) => ((i * far) / steps) ** 2);
  const weight = t.map((x, i) => {
    const simpson = ((i === 0 || i === steps ? 1 : i % 2 ? 4 : 2) * far) / steps / 3;
    return simpson * 2 * Math.sqrt(x) * x * Math.exp(-0.5 * x * x);
  });
  const total = weight.reduce((sum, part) => sum + part, 0);
  let length = 0;
  for (let k = 0; k < 60; k += 1) {
    // Of a falling convex function, from its left: Newton's steps do not overshoot.
    let [value, slope] = [-flip * total, 0];
    for (let i = 0; i <= steps; i += 1) {
      const share = sigmoid(-length * t[i]);
      value += weight[i] * share;
      slope += weight[i] * t[i] * share * (1 - share);
    }
    length += value / slope;
    if (Math.abs(value / slope) <= 1e-12 * length + 1e-15) break;
  }
  return Math.max(length, 0);
}

/** Inputs (pair after pair) and labels, as many as are asked for; angle is where the true weight points, in radians. */
class Stream {
  constructor({ seeds, flip, drift, integral }) {
    Object.assign(this, { flip, drift, x: [], truth: [], seen: [], length: bestLength(flip, integral) });
    [this._inputs, this._flips] = seeds.map((seed) => new RandomState(seed));
  }

  angle(round) {
    return Math.PI / 4 + (((this.drift * Math.PI) / 180) * round) / 100;
  }

  extend(to) {
    for (let n = this.truth.length; n < to; n += 1) {
      const [x, y, angle] = [this._inputs.standardNormal(), this._inputs.standardNormal(), this.angle(n)];
      const truth = x * Math.cos(angle) + y * Math.sin(angle) > 0 ? 1 : 0;
      this.x.push(x, y);
      this.truth.push(truth);
      this.seen.push(this._flips.random() < this.flip ? 1 - truth : truth);
    }
  }
}

/**
 * A learner on the stream. Before the first round and after each: mean (pair after pair), lower factor (three numbers),
 * entropy, distance, and mistakes so far, by sample and by mean.
 */
class Track {
  constructor(name, stream, { eta, std, non_expansive: nonExpansive, seed }) {
    const makers = {
      SGD: () => new SGD(2, new Logistic(), { eta, std }),
      AROW: () => new AROW(2, { std, predicting: "sample" }),
      Langevin: () => new Langevin(2, new Logistic(), { eta, std, priorStd: std }),
    };
    this.hasDistance = name in FLOWS; // AROW's loss is another one, and so is its best weight
    this.learner = makers[name]?.() ?? new BeliefFlow(new FLOWS[name]([0, 0], std), new Logistic(), { eta, nonExpansive });
    this.hasBelief = this.learner.belief !== null;
    Object.assign(this, { stream, mean: [], factor: [], entropy: [], distance: [], bySample: [0], byMean: [0] });
    this._rng = new RandomState(seed);
    this.learner.begin(this._rng);
    this._keep(0);
  }

  get rounds() {
    return this.bySample.length - 1;
  }

  extend(to) {
    const { learner, stream, mean, bySample, byMean } = this;
    const x = new Float64Array(2);
    for (let n = this.rounds; n < to; n += 1) {
      [x[0], x[1]] = [stream.x[2 * n], stream.x[2 * n + 1]];
      const ofMean = mean[2 * n] * x[0] + mean[2 * n + 1] * x[1] > 0 ? 1 : 0;
      const { label } = learner.step(x, stream.seen[n], this._rng);
      bySample.push(bySample[n] + (label !== stream.truth[n] ? 1 : 0));
      byMean.push(byMean[n] + (ofMean !== stream.truth[n] ? 1 : 0));
      this._keep(n + 1);
    }
  }

  _keep(n) {
    const { belief, weights } = this.learner;
    const [x, y] = weights ?? belief.mean;
    this.mean.push(x, y);
    if (!belief) return;
    const [a, b, c, d] = belief.factor;
    const corner = Math.hypot(a, b);
    const isDiagonal = b === 0 && c === 0; // it can be 0 wide, and then nothing may be divided by that
    const lower = isDiagonal ? [a, 0, d] : [corner, (a * c + b * d) / corner, Math.abs(a * d - b * c) / corner];
    this.factor.push(...lower);
    this.entropy.push(belief.entropy());
    if (this.hasDistance) this.distance.push(this._away(n, x, y, lower));
  }

  /** By how many standard deviations of the belief its mean is away from the best weight. */
  _away(n, x, y, [across, along, up]) {
    const { length } = this.stream;
    const angle = this.stream.angle(n);
    const first = (length * Math.cos(angle) - x) / across;
    const far = Math.hypot(first, (length * Math.sin(angle) - y - along * first) / up);
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
  const half = Float64Array.from(distance.slice(Math.floor((round + 1) / 2), round + 1)).sort();
  return half[Math.floor((half.length - 1) / 2)];
}
