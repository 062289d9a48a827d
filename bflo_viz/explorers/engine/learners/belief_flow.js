// Belief flows: Algorithm 1 of the paper.
import { DiagonalBelief } from "../beliefs.js";
import { Logistic } from "../models.js";
import { Learner } from "./base.js";

/**
 * A Gaussian belief over the weights, moved by the gradient step of one sampled weight. The belief is copied.
 * Options: eta, nonExpansive, branch, minStd, rule (of spherical beliefs), and updates, each with a fresh sample.
 * localFlow(w, gradient, wNew), if given, writes into wNew where a weight goes; eta is then not used.
 */
export class BeliefFlow extends Learner {
  constructor(belief, model = new Logistic(), { eta = 1e-3, updates = 1, localFlow = null, ...options } = {}) {
    super(model, belief.dim, updates);
    Object.assign(this, { eta, localFlow, options: { branch: 1, ...options }, belief: belief.copy() });
    for (const name of ["_z", "_w", "_wNew", "_gradient"]) this[name] = new Float64Array(this.dim);
  }

  /** Algorithm 1: sample a weight, predict with it, let it step, and let the belief flow along. */
  _round(x, y, rng) {
    const { belief, model, round, eta, localFlow, dim, _z: z, _gradient: gradient } = this;
    for (let update = 0; update < this.updates; update++) {
      const w = update === 0 ? round.weights : this._w;
      const wNew = update === 0 ? round.moved : this._wNew;
      this._draw(x, rng);
      belief.weight(z, w);
      model.forward(w, x);
      if (update === 0) this._predicted(y);
      model.gradient(y, gradient);
      if (localFlow !== null) localFlow(w, gradient, wNew);
      else for (let i = 0; i < dim; i++) wNew[i] = w[i] - eta * gradient[i];
      belief.flow(w, wNew, z, this.options);
    }
  }

  /** A normal number for each weight that a round can move, in index order, and 0 for the others. */
  _draw(x, rng) {
    const { model, dim, _z: z } = this;
    const all = this.options.branch < 0 || this.localFlow !== null || !(this.belief instanceof DiagonalBelief);
    let from = 0;
    for (let j = 0; j < x.length && !all; j++) {
      if (x[j] !== 0) continue;
      rng.fillNormals(z, from, j * model.fan);
      from = (j + 1) * model.fan;
      z.fill(0, j * model.fan, from);
    }
    rng.fillNormals(z, from, dim);
  }
}
