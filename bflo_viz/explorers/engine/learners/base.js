// What all learners share, as in bflo_viz.learners.base: one example a round.

/** An online learner. It changes in place, and after an overflow it cannot go on. */
export class Learner {
  constructor(model, features, updates = 1) {
    Object.assign(this, { model, updates, dim: model.size(features), rounds: 0 });
    this.belief = null; // of those that have one
    /**
     * What happened in the last round. weights made the prediction; moved is where the sample of a belief flow went
     * with its first step, and for other learners where their weights (or mean) are after the round.
     */
    this.round = { weights: new Float64Array(this.dim), moved: new Float64Array(this.dim), label: 0, loss: 0 };
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
    this.round.label = this.model.label();
    this.round.loss = this.model.loss(y);
  }

  /** Write down where the weights are, and refuse numbers that are not finite. */
  _moved(weights) {
    let sum = 0; // a finite sum proves every term finite
    for (let i = 0; i < this.dim; i++) sum += this.round.moved[i] = weights[i];
    if (Number.isFinite(sum) || weights.every(Number.isFinite)) return;
    throw new RangeError("weights must be finite, but overflowed: take smaller steps or scale the features.");
  }
}
