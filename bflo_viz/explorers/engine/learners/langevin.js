// Stochastic gradient Langevin dynamics (Welling and Teh): half a gradient step, and noise.
import { PointLearner } from "./sgd.js";

/**
 * As published, for dataSize = n examples: w − (eta/2)(gradient + w / (n priorStd²)) + √(eta/n) z. With noise in place of
 * dataSize: w − (eta/2)(gradient + w / priorStd²) + noise z, and with noise 0 nothing is drawn.
 */
export class Langevin extends PointLearner {
  constructor(features, model, { dataSize = null, noise = null, priorStd = null, ...options } = {}) {
    super(features, model, options);
    if ((dataSize === null) === (noise === null)) throw new RangeError("Langevin must be given dataSize or noise, and not both.");
    this.noise = noise ?? Math.sqrt(this.eta / dataSize);
    this._z = new Float64Array(this.dim);
    this._priorPrecision = priorStd === null ? 0 : priorStd ** -2 / (dataSize ?? 1);
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
