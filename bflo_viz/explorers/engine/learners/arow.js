// AROW, adaptive regularisation of weights (Crammer, Kulesza and Dredze, 2009), with the logistic model.
import { identity } from "../matrices.js";
import { Logistic } from "../models.js";
import { checkFinite, Learner } from "./base.js";

const NARROWEST = Math.log(2 ** -52); // a log factor below this leaves nothing of a width but rounding

/**
 * A margin of the mean below 1 moves it: with v = xᵀΣx, β = 1/(v + r), hinge loss h, mean + h β y Σx and Σ − β Σx xᵀΣ.
 * The covariance is kept as a factor S, and S′ = S − c (S q) qᵀ with q = Sᵀx. A sample or the mean predicts.
 */
export class AROW extends Learner {
  constructor(features, { r = 10, std = 1, predicting = "mean" } = {}) {
    super(new Logistic(), features, 1);
    Object.assign(this, { r, predicting });
    this.mean = new Float64Array(this.dim);
    this.factor = identity(this.dim).map((x) => std * x);
    this._logDet = this.dim * Math.log(std);
    for (const name of ["_z", "_q", "_column"]) this[name] = new Float64Array(this.dim);
  }

  entropy() {
    return 0.5 * this.dim * Math.log(2 * Math.PI * Math.E) + this._logDet;
  }

  _round(x, y, rng) {
    const { mean, factor, round, dim, _z: z, _q: q } = this;
    round.weights.set(mean);
    if (this.predicting === "sample") {
      for (let i = 0; i < dim; i++) z[i] = rng.standardNormal();
      for (let i = 0, k = 0; i < dim; i++) for (let j = 0; j < dim; j++, k++) round.weights[i] += factor[k] * z[j];
    }
    this.model.forward(round.weights, x);
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
    if (hinge > 0 && variance > 0) this._move(side * hinge, variance);
    round.moved.set(mean);
    checkFinite("mean", mean);
  }

  _move(pull, variance) {
    const { mean, factor, dim, r, _q: q, _column: column } = this;
    const total = variance + r;
    const shrink = (1 - Math.sqrt(r / total)) / variance; // I − β q qᵀ = (I − c q qᵀ)²
    const narrowing = -0.5 * Math.log1p(variance / r);
    if (!(narrowing > NARROWEST)) {
      throw new RangeError("features must not narrow the belief by 1e15 in one round, but one did: scale them.");
    }
    for (let i = 0; i < dim; i++) {
      column[i] = 0;
      for (let j = 0; j < dim; j++) column[i] += factor[i * dim + j] * q[j];
      mean[i] += pull * (1 / total) * column[i];
    }
    for (let i = 0, k = 0; i < dim; i++) for (let j = 0; j < dim; j++, k++) factor[k] -= shrink * column[i] * q[j];
    this._logDet += narrowing;
  }
}
