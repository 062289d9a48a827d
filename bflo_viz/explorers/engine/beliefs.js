// Gaussian beliefs over weights, as in bflo_viz.beliefs, but changed in place: copy a belief to keep it.
import { copyOf } from "./copies.js";
import { carry, norm, stretch, widthKl } from "./flows.js";
import { decomposed, identity, inverted, product } from "./matrices.js";

const HALF_LOG_2PIE = 0.5 * Math.log(2 * Math.PI * Math.E);
const WIDEST_PRECISION = 1e300; // of an inverse factor: beyond, its numbers are no numbers

/** What the three beliefs share. Each also has factor, weight, flow, entropy and kl. */
class Belief {
  constructor(mean) {
    this.mean = Float64Array.from(mean);
    this.dim = this.mean.length;
    this.stretch = 1; // of the last flow along its direction (spherical and full)
  }

  copy() {
    return copyOf(this);
  }

  /** The angle by which the last flow turned whitened offsets, in two dimensions; a diagonal flow never turns them. */
  turn() {
    const [[a, b], [c, d]] = [this._before ?? [0, 0], this._after ?? [0, 0]];
    const [across, along] = [a * d - b * c, a * c + b * d];
    return across === 0 && along === 0 ? 0 : Math.atan2(across, along); // of a weight on the mean there is none
  }
}

/** Independent weights, each with its own standard deviation; one number stands for all. */
export class DiagonalBelief extends Belief {
  constructor(mean, std) {
    super(mean);
    this.std = typeof std === "number" ? new Float64Array(this.dim).fill(std) : Float64Array.from(std);
  }

  /** Factor of the covariance, row after row. */
  get factor() {
    return identity(this.dim).map((x, k) => x && this.std[k % this.dim]);
  }

  /** Weight vector that dim standard normal numbers stand for. */
  weight(z, out = new Float64Array(this.dim)) {
    for (let i = 0; i < this.dim; i++) out[i] = this.mean[i] + this.std[i] * z[i];
    return out;
  }

  entropy() {
    return this.dim * HALF_LOG_2PIE + this.std.reduce((sum, width) => sum + Math.log(width), 0);
  }

  /** KL(this ‖ prior) in nats. */
  kl(prior) {
    let sum = 0;
    for (let i = 0; i < this.dim; i++) sum += klOfWidths(this.std[i], prior.std[i], this.mean[i] - prior.mean[i], 1);
    return sum;
  }

  /**
   * Become the posterior of the flow that stretches each coordinate by itself and carries w to wNew. z are the normal
   * numbers that w was made of, null if they are not known; minStd is a floor for each new standard deviation.
   */
  flow(w, wNew, z = null, { nonExpansive = false, branch = 1, minStd = 0 } = {}) {
    const { mean, std, dim } = this;
    let sum = 0;
    for (let i = 0; i < dim; i++) {
      const white = z === null ? this._white(w[i], i) : z[i];
      carry(mean, std, i, white, wNew[i] - w[i], branch, nonExpansive);
      if (std[i] < minStd) std[i] = minStd;
      sum += mean[i] + std[i];
    }
    if (!Number.isFinite(sum)) finite(mean, std);
    return this;
  }

  _white(w, i) {
    if (this.std[i] === 0 && w === this.mean[i]) return 0; // it underflowed: all it can sample is its mean
    const white = (w - this.mean[i]) / this.std[i];
    return Number.isFinite(white) ? white : tooFar(this.std[i]);
  }
}

/** One standard deviation for all directions. */
export class SphericalBelief extends Belief {
  constructor(mean, std) {
    super(mean);
    this.std = std;
    this._before = new Float64Array(this.dim);
    this._after = new Float64Array(this.dim);
  }

  get factor() {
    return identity(this.dim).map((x) => x && this.std);
  }

  weight(z, out = new Float64Array(this.dim)) {
    for (let i = 0; i < this.dim; i++) out[i] = this.mean[i] + this.std * z[i];
    return out;
  }

  entropy() {
    return this.dim * (HALF_LOG_2PIE + Math.log(this.std));
  }

  kl(prior) {
    const shift = norm(this.mean.map((x, i) => x - prior.mean[i]));
    return Math.max(0, klOfWidths(this.std, prior.std, shift, this.dim));
  }

  /** Flow A = a U, where U turns one direction onto the other; rule "exact" is the least KL in dim dimensions. */
  flow(w, wNew, z = null, { nonExpansive = false, branch = 1, minStd = 0, rule = "printed" } = {}) {
    const { mean, std, dim, _before: before, _after: after } = this;
    for (let i = 0; i < dim; i++) {
      before[i] = z === null ? w[i] - mean[i] : std * z[i];
      after[i] = z === null ? wNew[i] - mean[i] : before[i] + (wNew[i] - w[i]);
    }
    const u = norm(before);
    const v = norm(after);
    const a = this._stretch(u, v, branch, rule === "exact" ? dim : 1);
    const still = branch > 0 && same(w, wNew);
    this.stretch = still ? 1 : clipped(a, nonExpansive);
    this.std = Math.max(Math.abs(this.stretch) * std, minStd);
    if (still) return this;
    const turns = u > 0 && v > 0; // no turn where one of the two is the mean itself
    let sum = this.std;
    for (let i = 0; i < dim; i++) {
      mean[i] = wNew[i] - (turns ? this.stretch * u * (after[i] / v) : this.stretch * before[i]);
      sum += mean[i];
    }
    if (!Number.isFinite(sum)) finite(mean, [this.std]);
    return this;
  }

  _stretch(u, v, branch, dim) {
    const { std } = this;
    if (std === 0) return u > 0 ? tooFar(std) : branch; // it underflowed: all it can sample is its mean
    if (!Number.isFinite(u / std) || !Number.isFinite(v / std)) tooFar(std);
    return stretch(u / std, v / std, branch, dim);
  }
}

/**
 * Any covariance S Sᵀ, kept as the factor S and its inverse, row after row; Theorem 1 changes both by a matrix of rank
 * one. One number as a factor stands for that times the identity.
 */
export class FullBelief extends Belief {
  constructor(mean, factor) {
    super(mean);
    this.factor = typeof factor === "number" ? identity(this.dim).map((x) => factor * x) : Float64Array.from(factor);
    const { inverse, logDet } = inverted(this.factor, this.dim);
    this.inverse = inverse;
    this._logDet = logDet;
    this._leastStd = 1 / norm(inverse); // no direction is narrower: a bound that spares decompositions
    for (const name of ["_before", "_after", "_row", "_column"]) this[name] = new Float64Array(this.dim);
  }

  /** Standard deviation of each weight by itself. */
  get std() {
    return this.mean.map((_, i) => norm(this.factor.subarray(i * this.dim, (i + 1) * this.dim)));
  }

  weight(z, out = new Float64Array(this.dim)) {
    for (let i = 0; i < this.dim; i++) out[i] = this.mean[i] + rowTimes(this.factor, i, z);
    return out;
  }

  entropy() {
    return this.dim * HALF_LOG_2PIE + this._logDet;
  }

  kl(prior) {
    const { dim } = this;
    const shift = this.mean.map((x, i) => x - prior.mean[i]);
    const whitened = norm(shift.map((_, i) => rowTimes(prior.inverse, i, shift)));
    const ratios = norm(product(prior.inverse, this.factor, dim));
    const kl = 0.5 * whitened ** 2 + 0.5 * (ratios ** 2 - dim) - (this._logDet - prior._logDet);
    return Number.isNaN(kl) ? Infinity : Math.max(0, kl);
  }

  /** Least-KL linear flow that carries w to wNew; minStd is a floor for the width along every direction. */
  flow(w, wNew, z = null, { nonExpansive = false, branch = 1, minStd = 0 } = {}) {
    const { mean, factor, dim, _column: column } = this;
    const u = this._whiten(w, wNew, z);
    const v = norm(this._after);
    if (!Number.isFinite(u) || !Number.isFinite(v)) tooFar(this._leastStd);
    const a = clipped(stretch(u, v, branch), nonExpansive);
    if ((u === 0 && v === 0) || (branch > 0 && same(w, wNew))) {
      this.stretch = 1;
    } else {
      this.stretch = a;
      const target = this._direction(u, v);
      for (let i = 0; i < dim; i++) column[i] = rowTimes(factor, i, target);
      if (a !== 1) this._stretchAlong(target, a);
      let sum = 0;
      for (let i = 0; i < dim; i++) {
        mean[i] = wNew[i] - a * u * column[i];
        sum += mean[i];
      }
      if (!Number.isFinite(sum)) finite(mean, column);
    }
    if (minStd > this._leastStd) this._floor(minStd);
    return this;
  }

  /** Whiten both offsets from the mean; returns the length of the first. */
  _whiten(w, wNew, z) {
    const { mean, inverse, dim, _before: before, _after: after, _column: offset } = this;
    if (z === null) {
      for (let i = 0; i < dim; i++) offset[i] = w[i] - mean[i];
      for (let i = 0; i < dim; i++) before[i] = rowTimes(inverse, i, offset);
    } else {
      for (let i = 0; i < dim; i++) before[i] = z[i];
    }
    for (let i = 0; i < dim; i++) offset[i] = wNew[i] - mean[i];
    for (let i = 0; i < dim; i++) after[i] = rowTimes(inverse, i, offset);
    return norm(before);
  }

  /** Unit vector that is stretched, and into _row its product with the inverse factor. */
  _direction(u, v) {
    const { inverse, dim, _row: row } = this;
    const target = v > 0 ? this._after : this._before; // wNew is the mean: the belief contracts along w
    row.fill(0);
    for (let i = 0; i < dim; i++) {
      target[i] /= v > 0 ? v : u;
      for (let j = 0; j < dim; j++) row[j] += target[i] * inverse[i * dim + j];
    }
    return target;
  }

  /** Both factors with the whitened direction e stretched by a: S′ = S + (a − 1)(S e) eᵀ. */
  _stretchAlong(e, a) {
    const { factor, inverse, dim, _row: row, _column: column } = this;
    if (!(norm(row) < WIDEST_PRECISION * Math.abs(a))) {
      throw new RangeError("the belief must stay wider than about 1e-300 in every direction: set minStd.");
    }
    for (let i = 0, k = 0; i < dim; i++) {
      const loss = (1 / a - 1) * e[i];
      for (let j = 0; j < dim; j++, k++) {
        factor[k] += column[i] * ((a - 1) * e[j]);
        inverse[k] += loss * row[j];
      }
    }
    this._logDet += Math.log(Math.abs(a));
    this._leastStd *= Math.min(Math.abs(a), 1);
  }

  /** Raise every standard deviation, along any direction, to at least floor. */
  _floor(floor) {
    const { dim } = this;
    const { columns, values, turns } = decomposed(this.factor, dim);
    this._leastStd = Math.max(Math.min(...values), floor);
    if (this._leastStd > floor) return;
    this._logDet = 0;
    this.factor.fill(0);
    this.inverse.fill(0);
    for (let k = 0; k < dim; k++) {
      const width = Math.max(values[k], floor);
      this._logDet += Math.log(width);
      for (let i = 0; i < dim; i++) {
        for (let j = 0; j < dim; j++) {
          const [left, right] = [columns[i * dim + k] / values[k], turns[j * dim + k]];
          this.factor[i * dim + j] += left * width * right;
          this.inverse[j * dim + i] += (right / width) * left;
        }
      }
    }
  }
}

/** Entry i of a matrix times a vector. */
function rowTimes(matrix, i, x) {
  const n = x.length;
  let sum = 0;
  for (let j = 0, k = i * n; j < n; j++, k++) sum += matrix[k] * x[j];
  return sum;
}

function same(w, wNew) {
  for (let i = 0; i < w.length; i++) if (w[i] !== wNew[i]) return false;
  return true;
}

function clipped(a, nonExpansive) {
  return nonExpansive && a > 1 ? 1 : a;
}

/** KL in nats of Gaussians with dim directions of one width whose means lie shift apart. */
function klOfWidths(std, priorStd, shift, dim) {
  if (std === priorStd && shift === 0) return 0; // a width of zero is at no distance from itself
  const kl = 0.5 * (shift / priorStd) ** 2 + dim * widthKl(std / priorStd);
  return Number.isNaN(kl) ? Infinity : kl;
}

function finite(mean, std) {
  if (mean.every(Number.isFinite) && std.every(Number.isFinite)) return;
  throw new RangeError("the belief must stay finite, but it overflowed: take smaller steps or scale the features.");
}

function tooFar(std) {
  throw new RangeError(
    `the weight must lie within 1e308 standard deviations of the mean, but the belief is too narrow there (std ${std}).`,
  );
}
