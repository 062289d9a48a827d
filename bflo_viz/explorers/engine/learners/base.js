// What all learners share, as in bflo_viz.learners.base: one example a round.
import { lossOf } from "../models.js";

/**
 * What happened in a round. weights made the prediction; moved is where the sample of a belief flow went with its first
 * step, and for other learners where their weights (or mean) are after the round.
 */
class Round {
  constructor(dim, outputs) {
    this.weights = new Float64Array(dim);
    this.moved = new Float64Array(dim);
    this.logits = new Float64Array(outputs);
    this.label = 0; // that was predicted
    this.target = 0; // that came
  }

  /** Loss of the prediction, computed when somebody asks. */
  get loss() {
    return lossOf(this.logits, this.target);
  }
}

/** An online learner. It changes in place, and after an overflow it cannot go on. */
export class Learner {
  constructor(model, features, updates = 1) {
    Object.assign(this, { model, updates, dim: model.size(features), rounds: 0 });
    this.belief = null; // of those that have one
    this.round = new Round(this.dim, model.outputs); // the last one
  }

  /** Do one round: predict, look at the label, update. The next round overwrites what is returned. */
  step(x, y, rng) {
    this.begin(rng);
    this._round(x, y, rng);
    this.rounds += 1;
    return this.round;
  }

  /** Draw initial weights, if they are still to be drawn. */
  begin() {}

  /** Write down the prediction that the model has just made. */
  _predicted(y) {
    const { round, model } = this;
    round.label = model.label();
    round.target = y;
    for (let k = 0; k < model.outputs; k++) round.logits[k] = model.logits[k];
  }

  /** Refuse weights that are not finite, given their sum: if that is finite, so are they. */
  _check(weights, sum) {
    if (Number.isFinite(sum) || weights.every(Number.isFinite)) return;
    throw new RangeError("weights must be finite, but overflowed: take smaller steps or scale the features.");
  }
}
