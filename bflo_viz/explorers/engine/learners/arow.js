// AROW, adaptive regularisation of weights (Crammer, Kulesza and Dredze, 2009), with the logistic model.
import { FullBelief } from "../beliefs.js";
import { Logistic } from "../models.js";
import { Learner } from "./base.js";

/**
 * A margin of the mean below 1 moves it: with v = xᵀΣx, β = 1/(v + r), hinge loss h, mean + h β y Σx and Σ − β Σx xᵀΣ.
 * For Σ = S Sᵀ that stretches S by √(r β) along q = Sᵀx. A sample or the mean predicts.
 */
export class AROW extends Learner {
  constructor(features, { r = 10, std = 1, predicting = "mean" } = {}) {
    super(new Logistic(), features);
    Object.assign(this, { r, predicting });
    this.belief = new FullBelief(new Float64Array(features), std);
    this._z = new Float64Array(features);
    this._q = new Float64Array(features);
  }

  _round(x, y, rng) {
    const { belief, round, dim, r, _z: z, _q: q } = this;
    const { mean, factor } = belief;
    if (this.predicting === "sample") rng.fillNormals(z);
    this.model.forward(belief.weight(z, round.weights), x);
    this._predicted(y);
    let [margin, variance] = [0, 0]; // of the mean, and v = xᵀΣx
    for (let i = 0; i < dim; i++) {
      margin += mean[i] * x[i];
      q[i] = 0;
      for (let j = 0; j < dim; j++) q[i] += factor[j * dim + i] * x[j];
      variance += q[i] * q[i];
    }
    const side = 2 * y - 1;
    const hinge = 1 - margin * side;
    if (hinge > 0 && variance > 0) {
      const size = Math.sqrt(variance);
      const along = belief.stretchAlong(q.map((part) => part / size), Math.sqrt(r / (variance + r)));
      for (let i = 0; i < dim; i++) mean[i] += ((side * hinge) / (variance + r)) * size * along[i];
    }
    round.moved.set(mean);
    this._check(mean, mean.reduce((sum, x) => sum + x, 0));
  }
}
