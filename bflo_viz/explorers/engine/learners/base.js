// What all learners share, as in bflo_viz.learners.base: one example a round, or a run of many.
import { copyOf } from "../copies.js";

/** An online learner. It changes in place, and after an overflow it cannot go on. */
export class Learner {
  constructor(model, features, updates) {
    this.model = model;
    this.features = features;
    this.dim = model.size(features);
    this.updates = updates;
    this.rounds = 0;
    this._x = new Float64Array(features);
    /**
     * What happened in the last round. weights made the prediction; moved is where the sample of a belief flow went
     * with its first step, and for other learners where their weights (or mean) are after the round.
     */
    this.round = {
      index: 0,
      weights: new Float64Array(this.dim),
      moved: new Float64Array(this.dim),
      probability: new Float64Array(model.outputs),
      label: 0,
      target: 0,
      loss: 0,
    };
  }

  /** Do one round: predict, look at the label, update. The next round overwrites what is returned. */
  step(x, y, rng) {
    if (x.length !== this.features) {
      throw new RangeError(`x must have ${this.features} features, as this learner has, but it has ${x.length}.`);
    }
    for (let i = 0; i < x.length; i++) this._x[i] = x[i];
    return this._next(y, rng);
  }

  /**
   * Do one round for each label of y. X is an array of rows, or all rows one after the other in one array. Returns sums
   * over blocks of rounds: { rounds, mistakes, loss, entropy }, the last one at the end of each block.
   */
  run(X, y, rng, { truth = y, blocks = 100, callback = null } = {}) {
    const { features } = this;
    const rows = ArrayBuffer.isView(X) ? X : Float64Array.from(X.flat());
    if (rows.length !== y.length * features) {
      throw new RangeError(`X must have ${features} numbers for each label, but it has ${rows.length} for ${y.length}.`);
    }
    const size = Math.max(1, Math.ceil(y.length / blocks));
    const record = { rounds: [], mistakes: [], loss: [], entropy: [] };
    for (let start = 0; start < y.length; start += size) {
      const stop = Math.min(start + size, y.length);
      let mistakes = 0;
      let loss = 0;
      for (let n = start, at = start * features; n < stop; n++) {
        for (let i = 0; i < features; i++) this._x[i] = rows[at++];
        const round = this._next(y[n], rng);
        if (round.label !== truth[n]) mistakes += 1;
        loss += round.loss;
        if (callback !== null) callback(round);
      }
      record.rounds.push(stop - start);
      record.mistakes.push(mistakes);
      record.loss.push(loss);
      record.entropy.push(this.entropy());
    }
    return record;
  }

  /** Differential entropy of the belief in nats; NaN for a learner without one. */
  entropy() {
    return NaN;
  }

  /** An independent copy, state included: what to keep in order to come back. */
  copy() {
    return copyOf(this);
  }

  _next(y, rng) {
    if (!(Number.isInteger(y) && y >= 0 && y < Math.max(2, this.model.outputs))) {
      throw new RangeError(`y must be a class from 0 to ${Math.max(2, this.model.outputs) - 1}, but it was ${y}.`);
    }
    this._begin(rng);
    this.round.index = this.rounds;
    this._round(this._x, y, rng);
    this.rounds += 1;
    return this.round;
  }

  /** Draw initial weights, if they are still to be drawn. */
  _begin() {}

  /** Write down the prediction that the model has just made. */
  _predicted(y) {
    const { model, round } = this;
    for (let k = 0; k < model.outputs; k++) round.probability[k] = model.probability[k];
    round.label = model.label();
    round.target = y;
    round.loss = model.loss(y);
  }
}

/** Refuse numbers that are not finite. */
export function checkFinite(name, values) {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  if (Number.isFinite(sum) || values.every(Number.isFinite)) return;
  throw new RangeError(`${name} must be finite, but overflowed: take smaller steps or scale the features.`);
}
