// Stochastic gradient Langevin dynamics (Welling and Teh): half a gradient step, and noise.
import { PointLearner } from "./sgd.js";

/** w − (eta/2)(gradient + w / priorStd²) + noise z; noise is sqrt(eta) unless given, and with 0 nothing is drawn. */
export class Langevin extends PointLearner {
  constructor(features, model, { noise = null, priorStd = null, ...options } = {}) {
    super(features, model, options);
    this.noise = noise ?? Math.sqrt(this.eta);
    this._priorPrecision = priorStd === null ? 0 : priorStd ** -2;
  }

  _move(rng) {
    const { weights, noise, _priorPrecision: precision, _gradient: gradient, dim } = this;
    const half = 0.5 * this.eta;
    for (let i = 0; i < dim; i++) {
      weights[i] -= half * (gradient[i] + precision * weights[i]);
      if (noise) weights[i] += noise * rng.standardNormal();
    }
  }
}
