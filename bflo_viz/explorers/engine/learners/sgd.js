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
    rng.fillNormals(this.weights);
    for (let i = 0; i < this.dim; i++) this.weights[i] *= this.std;
    this._drawn = true;
  }

  /** Predict, and step as often as there are updates. */
  _round(x, y, rng) {
    const { weights, round, model, _gradient: gradient } = this;
    round.weights.set(weights);
    let sum = 0;
    for (let update = 0; update < this.updates; update++) {
      model.forward(weights, x);
      if (update === 0) this._predicted(y);
      model.gradient(y, gradient);
      sum = this._move(rng);
    }
    this._check(weights, sum);
  }
}

/** Stochastic gradient descent with a fixed rate. */
export class SGD extends PointLearner {
  /** Move the weights, write down where they are, and return their sum. */
  _move() {
    const { weights, eta, _gradient: gradient } = this;
    const { moved } = this.round;
    let sum = 0;
    for (let i = 0; i < weights.length; i++) sum += moved[i] = weights[i] -= eta * gradient[i];
    return sum;
  }
}
