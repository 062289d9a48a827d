// Stochastic gradient descent: one weight vector, one step.
import { Logistic } from "../models.js";
import { Learner } from "./base.js";

/** A learner whose state is one weight vector, which starts at zero or is drawn from N(0, std²) in the first round. */
export class PointLearner extends Learner {
  constructor(features, model = new Logistic(), { eta = 1e-3, std = 0, updates = 1 } = {}) {
    super(model, features, updates);
    Object.assign(this, { eta, std, weights: new Float64Array(this.dim), _drawn: std === 0 });
    this._gradient = new Float64Array(this.dim);
  }

  begin(rng) {
    if (this._drawn) return;
    for (let i = 0; i < this.dim; i++) this.weights[i] = this.std * rng.standardNormal();
    this._drawn = true;
  }

  /** Predict, step as often as there are updates, and write down where the weights are. */
  _round(x, y, rng) {
    this.round.weights.set(this.weights);
    for (let update = 0; update < this.updates; update++) {
      this.model.forward(this.weights, x);
      if (update === 0) this._predicted(y);
      this.model.gradient(y, this._gradient);
      this._move(rng);
    }
    this._moved(this.weights);
  }
}

/** Stochastic gradient descent with a fixed rate. */
export class SGD extends PointLearner {
  _move() {
    const { weights, eta, _gradient: gradient, dim } = this;
    for (let i = 0; i < dim; i++) weights[i] -= eta * gradient[i];
  }
}
