// Dropout (Hinton and others, 2012): steps of a network with units left out, prediction by the mean network.
import { MLP } from "../models.js";
import { PointLearner } from "./sgd.js";

/** Gradient descent with dropout; biases are never left out. The mean network predicts. */
export class Dropout extends PointLearner {
  constructor(features, model = null, { hiddenRate = 0.5, inputRate = 0.2, ...options } = {}) {
    super(features, model?.layers ? model : new MLP([features, 1], { bias: false }), options);
    this._rates = this.model.layers.map((_, l) => (l > 0 ? hiddenRate : inputRate)); // of the units that a layer starts from
    this._keep = new Float64Array(this.dim).fill(1); // 1 for each weight out of a unit that is not left out
    this._masked = new Float64Array(this.dim);
  }

  _round(x, y, rng) {
    const { weights, round, model, _keep: keep, _masked: masked, _gradient: gradient, eta } = this;
    model.forward(this._mean(round.weights), x);
    this._predicted(y);
    let sum = 0;
    for (let update = 0; update < this.updates; update++) {
      this._mask(x, rng);
      for (let i = 0; i < weights.length; i++) masked[i] = weights[i] * keep[i];
      model.forward(masked, x);
      model.gradient(y, gradient);
      sum = 0;
      for (let i = 0; i < weights.length; i++) sum += round.moved[i] = weights[i] -= eta * (keep[i] * gradient[i]);
    }
    this._check(weights, sum);
  }

  /** The weights of the mean network, into out: those out of inputs and hidden units scaled by what is kept of them. */
  _mean(out) {
    out.set(this.weights);
    for (const [l, { inputs, units, start }] of this.model.layers.entries()) {
      for (let i = start; i < start + inputs * units; i++) out[i] *= 1 - this._rates[l];
    }
    return out;
  }

  /** Leave units out: a uniform number for each input that is not zero and for each hidden unit decides. */
  _mask(x, rng) {
    const { _keep: keep } = this;
    for (const [l, { inputs, units, start }] of this.model.layers.entries()) {
      const rate = this._rates[l];
      for (let j = 0, row = start; j < inputs; j++, row += units) {
        const isDrawn = rate > 0 && (l > 0 || x[j] !== 0);
        const kept = isDrawn && rng.random() < rate ? 0 : 1;
        for (let k = 0; k < units; k++) keep[row + k] = kept;
      }
    }
  }
}
