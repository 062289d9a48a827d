// Stochastic gradient Langevin dynamics (Welling and Teh): half a gradient step, and noise.
import { PointLearner } from "./sgd.js";

/** w − (eta/2)(gradient + w / priorStd²) + noise z; noise is sqrt(eta) unless given, and with 0 nothing is drawn. */
export class Langevin extends PointLearner {
  constructor(features, model, { noise = null, priorStd = null, ...options } = {}) {
    super(features, model, options);
    this.noise = noise ?? Math.sqrt(this.eta);
    this._z = new Float64Array(this.dim);
    this._priorPrecision = priorStd === null ? 0 : priorStd ** -2;
  }

  _move(rng) {
    const { weights, noise, _priorPrecision: precision, _gradient: gradient, _z: z } = this;
    const { moved } = this.round;
    const half = 0.5 * this.eta;
    if (noise) rng.fillNormals(z);
    let sum = 0;
    for (let i = 0; i < weights.length; i++) {
      const drifted = weights[i] - half * (gradient[i] + precision * weights[i]);
      sum += moved[i] = weights[i] = drifted + noise * z[i];
    }
    return sum;
  }
}
