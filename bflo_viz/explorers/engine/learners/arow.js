// AROW, adaptive regularisation of weights (Crammer, Kulesza and Dredze, 2009), with the logistic model.
import { DiagonalBelief, FullBelief } from "../beliefs.js";
import { identity } from "../matrices.js";
import { Logistic } from "../models.js";
import { checkFinite, Learner } from "./base.js";

const NARROWEST = Math.log(2 ** -52); // a log factor below this leaves nothing of a width but rounding
const TINIEST = 2.2250738585072014e-308;

/**
 * A margin of the mean below 1 moves it: with v = xᵀΣx, β = 1/(v + r), hinge loss h, mean + h β y Σx and Σ − β Σx xᵀΣ.
 * A full covariance is kept as a factor S, and S′ = S − c (S q) qᵀ with q = Sᵀx; a diagonal one as variances.
 */
export class AROW extends Learner {
  constructor(features, { r = 10, std = 1, covariance = "full", predicting = "mean" } = {}) {
    super(new Logistic(), features, 1);
    Object.assign(this, { r, std, covariance, predicting });
    this.mean = new Float64Array(this.dim);
    for (const name of ["_z", "_q", "_column"]) this[name] = new Float64Array(this.dim);
    this.reset();
  }

  reset() {
    const full = this.covariance === "full";
    this.spread = full ? identity(this.dim).map((x) => this.std * x) : this.mean.map(() => this.std ** 2);
    this.mean.fill(0);
    this._logDet = this.dim * Math.log(this.std);
    this.rounds = 0;
  }

  /** The Gaussian over the weights. */
  get belief() {
    if (this.covariance === "full") return new FullBelief(this.mean, this.spread);
    return new DiagonalBelief(this.mean, this.spread.map((variance) => Math.sqrt(Math.max(variance, TINIEST))));
  }

  entropy() {
    if (this.covariance === "full") return 0.5 * this.dim * Math.log(2 * Math.PI * Math.E) + this._logDet;
    return 0.5 * this.spread.reduce((sum, variance) => sum + Math.log(2 * Math.PI * Math.E * variance), 0);
  }

  /** The mean, or a sample. */
  weightsForPrediction(rng = null) {
    if (rng === null) return this.mean;
    for (let i = 0; i < this.dim; i++) this._z[i] = rng.standardNormal();
    return this._at(new Float64Array(this.dim));
  }

  _at(out) {
    const { mean, spread, dim, _z: z } = this;
    for (let i = 0; i < dim; i++) {
      let offset = 0;
      if (this.covariance === "full") for (let j = 0; j < dim; j++) offset += spread[i * dim + j] * z[j];
      else offset = Math.sqrt(spread[i]) * z[i];
      out[i] = mean[i] + offset;
    }
    return out;
  }

  _round(x, y, rng) {
    const { mean, round, dim, _z: z } = this;
    const full = this.covariance === "full";
    if (this.predicting === "sample") {
      for (let i = 0; i < dim; i++) z[i] = full || x[i] !== 0 ? rng.standardNormal() : 0;
      this._at(round.weights);
    } else {
      for (let i = 0; i < dim; i++) round.weights[i] = mean[i];
    }
    this.model.forward(round.weights, x);
    this._predicted(y);
    let margin = 0;
    for (let i = 0; i < dim; i++) margin += mean[i] * x[i];
    const side = 2 * y - 1;
    const hinge = 1 - margin * side;
    const variance = this._variance(x);
    if (hinge > 0 && variance > 0) {
      if (full) this._moveFull(side * hinge, variance);
      else this._moveDiagonal(x, side * hinge, variance);
    }
    for (let i = 0; i < dim; i++) round.moved[i] = mean[i];
    checkFinite("mean", mean);
  }

  /** v = xᵀΣx, by way of q = Sᵀx. */
  _variance(x) {
    const { spread, dim, _q: q } = this;
    let variance = 0;
    for (let i = 0; i < dim; i++) {
      q[i] = 0;
      if (this.covariance === "full") for (let j = 0; j < dim; j++) q[i] += spread[j * dim + i] * x[j];
      else q[i] = Math.sqrt(spread[i]) * x[i];
      variance += q[i] * q[i];
    }
    return variance;
  }

  _moveFull(pull, variance) {
    const { mean, spread, dim, r, _q: q, _column: column } = this;
    const total = variance + r;
    const shrink = (1 - Math.sqrt(r / total)) / variance; // I − β q qᵀ = (I − c q qᵀ)²
    const narrowing = -0.5 * Math.log1p(variance / r);
    if (!(narrowing > NARROWEST)) {
      throw new RangeError("features must not narrow the belief by 1e15 in one round, but one did: scale them.");
    }
    for (let i = 0; i < dim; i++) {
      column[i] = 0;
      for (let j = 0; j < dim; j++) column[i] += spread[i * dim + j] * q[j];
      mean[i] += pull * (1 / total) * column[i];
    }
    for (let i = 0, k = 0; i < dim; i++) {
      for (let j = 0; j < dim; j++, k++) spread[k] -= shrink * column[i] * q[j];
    }
    this._logDet += narrowing;
  }

  _moveDiagonal(x, pull, variance) {
    const { mean, spread, dim, r } = this;
    for (let i = 0; i < dim; i++) {
      mean[i] += pull * (1 / (variance + r)) * spread[i] * x[i];
      // spread − (spread x)²/(v + r), without cancelling
      const rest = Math.max(variance - spread[i] * (x[i] * x[i]), 0);
      spread[i] = (spread[i] * (r + rest)) / (variance + r);
    }
  }
}
