// A run of the demonstration, as in bflo_viz.figures.online: a stream, and learners that all see it, round by round.
import { FullBelief, KINDS } from "../engine/beliefs.js";
import { BeliefFlow, Kalman, SGD } from "../engine/learners.js";
import { Logistic, sigmoid } from "../engine/models.js";
import { RandomState, seedsOf } from "../engine/random.js";

/** A learner that has done no round, by its name. */
function learnerOf(name, { eta, std, non_expansive: nonExpansive }) {
  if (name === "SGD") return new SGD(2, new Logistic(), { eta, std });
  if (name === "Kalman") return new Kalman(new FullBelief([0, 0], std));
  return new BeliefFlow(new KINDS[name]([0, 0], std), new Logistic(), { eta, nonExpansive });
}

/** Length of the weight with the least expected loss where a share of the labels is wrong, as best_length in Python. */
export function bestLength(flip, [steps, far]) {
  if (!(flip > 0 && flip < 0.5)) return flip > 0 ? 0 : Infinity;
  const roots = Array.from({ length: steps + 1 }, (_, i) => (i * far) / steps);
  const slope = (length, t) => (sigmoid(-length * t) - flip) * t * Math.exp(-0.5 * t * t);
  const isShort = (length) => roots.reduce((sum, root) => sum + root * slope(length, root * root), 0) > 0;
  let [low, high] = [0, 1];
  while (isShort(high)) high *= 2;
  for (let i = 0, middle = 0.5; i < 52; i++) {
    middle = (low + high) / 2;
    if (isShort(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * A learner on the stream. Before the first round and after each: mean (pair after pair), lower factor (three numbers),
 * entropy, distance of the best weight in standard deviations, and mistakes so far, by sample and by mean.
 */
class Track {
  mean = []; factor = []; entropy = []; distance = []; sample = [0]; byMean = [0];

  constructor(name, scene) {
    this.scene = scene;
    this.learner = /** @type {any} */ (learnerOf(name, scene.settings));
    this.rng = new RandomState(scene.own);
    this.learner.begin(this.rng);
    this.keep(0);
  }

  extend(to) {
    const { learner, scene, mean, sample, byMean, rng } = this;
    const x = new Float64Array(2);
    for (let n = sample.length - 1; n < to; n++) {
      [x[0], x[1]] = [scene.x[2 * n], scene.x[2 * n + 1]];
      const ofMean = mean[2 * n] * x[0] + mean[2 * n + 1] * x[1] > 0 ? 1 : 0;
      const { label } = learner.step(x, scene.seen[n], rng);
      sample.push(sample[n] + Number(label !== scene.truth[n]));
      byMean.push(byMean[n] + Number(ofMean !== scene.truth[n]));
      this.keep(n + 1);
    }
  }

  keep(n) {
    const { belief, weights } = this.learner;
    const [x, y] = weights ?? belief.mean;
    this.mean.push(x, y);
    if (!belief) return;
    const [a, b, c, d] = belief.factor;
    const corner = Math.hypot(a, b);
    // A diagonal belief can be 0 wide, and then nothing may be divided by that.
    const lower = b === 0 && c === 0 ? [a, 0, d] : [corner, (a * c + b * d) / corner, Math.abs(a * d - b * c) / corner];
    const [across, along, up] = lower;
    this.factor.push(...lower);
    this.entropy.push(belief.entropy());
    const { best, angle } = this.scene;
    const first = (best * Math.cos(angle(n)) - x) / across;
    const far = Math.hypot(first, (best * Math.sin(angle(n)) - y - along * first) / up);
    this.distance.push(Number.isNaN(far) ? Infinity : far);
  }
}

/** A run: `extend` computes on, `tracks` has each learner by its name; x are inputs, pair by pair, seen the labels. */
export class OnlineScene {
  x = []; truth = []; seen = []; tracks = /** @type {Record<string, Track>} */ ({});

  constructor(settings, { samples, integral }) {
    const [inputs, flips, fan, own] = seedsOf(settings.seed, 4);
    this.settings = settings;
    this.own = own; // the seed of every learner, so that like is compared with like
    this.inputs = new RandomState(inputs);
    this.flips = new RandomState(flips);
    this.best = bestLength(settings.flip, integral);
    const draw = new RandomState(fan); // samples of each belief are drawn as faint lines
    this.samples = Array.from({ length: samples }, () => [draw.standardNormal(), draw.standardNormal()]);
  }

  /** Direction of the true weight before the example after a round, in radians. */
  angle = (round) => {
    const { drift, turns } = this.settings;
    const byHand = turns.reduce((sum, [start, degrees]) => sum + (round >= start ? degrees : 0), 0);
    return Math.PI / 4 + (Math.PI / 180) * ((drift * round) / 100 + byHand);
  };

  /** Number of rounds that all of these learners have done. */
  done(names) {
    return Math.min(...names.map((name) => (this.tracks[name]?.sample.length ?? 0) - 1));
  }

  /** Let these learners do all rounds before this one that they have not done yet. */
  extend(names, to) {
    for (let n = this.truth.length; n < to; n++) {
      const [x, y, angle] = [this.inputs.standardNormal(), this.inputs.standardNormal(), this.angle(n)];
      const truth = x * Math.cos(angle) + y * Math.sin(angle) > 0 ? 1 : 0;
      this.x.push(x, y);
      this.truth.push(truth);
      this.seen.push(this.flips.random() < this.settings.flip ? 1 - truth : truth);
    }
    for (const name of names) (this.tracks[name] ??= new Track(name, this)).extend(to);
  }
}
