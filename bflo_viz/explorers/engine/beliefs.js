// Gaussian beliefs over weights, as in bflo_viz.beliefs, but changed in place: copy a belief to keep it.
import { copyOf } from "./copies.js";
import { carry, norm, stretch, widthKl } from "./flows.js";
import { decomposed, identity, product } from "./matrices.js";

const HALF_LOG_2PIE = 0.5 * Math.log(2 * Math.PI * Math.E);
const WIDEST_PRECISION = 1e300; // of an inverse factor: beyond, its numbers are no numbers

/** What the three beliefs share. Each also has factor (row after row), weight, entropy and kl. */
class Belief {
  constructor(mean) {
    this.mean = Float64Array.from(mean);
    this.dim = this.mean.length;
    this._before = new Float64Array(this.dim); // whitened offsets from the mean in the last flow
    this._after = new Float64Array(this.dim);
  }

  /**
   * Become the posterior of the least-KL flow that carries w to wNew: it turns the whitened offset of one onto that of the
   * other and stretches that direction. z are the normal numbers that w was made of, null if they are not known; minStd
   * is a floor for every width; rule "exact" is for spherical beliefs, whose flow stretches all directions.
   */
  flow(w, wNew, z = null, { nonExpansive = false, branch = 1, minStd = 0, rule = "printed" } = {}) {
    const { mean, dim, _before: before, _after: after } = this;
    this._whiten(w, wNew, z);
    const [u, v] = [norm(before), norm(after)];
    if (branch < 0 || !same(w, wNew)) {
      const free = stretch(u, v, branch, rule === "exact" && this instanceof SphericalBelief ? dim : 1);
      const a = nonExpansive && free > 1 ? 1 : free;
      const direction = v > 0 ? after : before; // wNew is the mean: the belief contracts along w
      for (let i = 0; i < dim; i++) direction[i] /= v || u || 1;
      const along = this.stretchAlong(direction, a);
      let sum = 0;
      for (let i = 0; i < dim; i++) sum += mean[i] = wNew[i] - a * u * along[i];
      if (!Number.isFinite(sum)) refuseInfinite(mean, along);
    }
    this._floor(minStd);
    return this;
  }

  copy() {
    return copyOf(this);
  }

  /** The angle by which the last flow turned whitened offsets, in two dimensions; a diagonal flow never turns them. */
  turn() {
    const [[a, b], [c, d]] = [this._before, this._after];
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

  get factor() {
    return identity(this.dim).map((x, k) => x && this.std[k % this.dim]);
  }

  /** Weight vector that dim standard normal numbers stand for. */
  weight(z, out = new Float64Array(this.dim)) {
    const { mean, std } = this;
    for (let i = 0; i < mean.length; i++) out[i] = mean[i] + std[i] * z[i];
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
   * Become the posterior of the flow that stretches each coordinate by itself and carries w to wNew; minStd is a floor
   * for each new standard deviation.
   */
  flow(w, wNew, z = null, { nonExpansive = false, branch = 1, minStd = 0 } = {}) {
    const { mean, std } = this;
    const white = z ?? mean.map((_, i) => whitened(w[i] - mean[i], std[i]));
    const sum = carry(mean, std, white, w, wNew, branch, nonExpansive);
    if (minStd > 0) for (let i = 0; i < std.length; i++) std[i] = Math.max(std[i], minStd);
    if (!Number.isFinite(sum)) refuseInfinite(mean, std);
    return this;
  }
}

/** One standard deviation for all directions. */
export class SphericalBelief extends Belief {
  constructor(mean, std) {
    super(mean);
    this.std = std;
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

  _whiten(w, wNew, z) {
    const { mean, std, dim, _before: before, _after: after } = this;
    for (let i = 0; i < dim; i++) {
      // One that underflowed can only sample its mean, and is shifted.
      before[i] = std > 0 && z !== null ? z[i] : whitened(w[i] - mean[i], std);
      after[i] = std > 0 ? whitened(z === null ? wNew[i] - mean[i] : std * z[i] + (wNew[i] - w[i]), std) : 0;
    }
  }

  stretchAlong(e, a) {
    const { std } = this;
    this.std = Math.abs(a) * std;
    return e.map((part) => std * part);
  }

  _floor(floor) {
    this.std = Math.max(this.std, floor);
  }
}

/**
 * Any covariance S Sᵀ, kept as the factor S and its inverse, row after row; Theorem 1 changes both by a matrix of rank
 * one. One number as a factor stands for that times the identity.
 */
export class FullBelief extends Belief {
  constructor(mean, factor) {
    super(mean);
    const { dim } = this;
    this.factor = typeof factor === "number" ? identity(dim).map((x) => factor * x) : Float64Array.from(factor);
    this.inverse = new Float64Array(dim * dim);
    this._row = new Float64Array(dim);
    this._column = new Float64Array(dim);
    this._compose(decomposed(this.factor, dim), 0);
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
    const white = norm(shift.map((_, i) => rowTimes(prior.inverse, i, shift)));
    const ratios = norm(product(prior.inverse, this.factor, dim));
    const kl = 0.5 * white ** 2 + 0.5 * (ratios ** 2 - dim) - (this._logDet - prior._logDet);
    return Number.isNaN(kl) ? Infinity : Math.max(0, kl);
  }

  /** Whiten both offsets from the mean. */
  _whiten(w, wNew, z) {
    const { mean, inverse, dim, _before: before, _after: after, _column: offset } = this;
    for (let i = 0; i < dim; i++) offset[i] = w[i] - mean[i];
    for (let i = 0; i < dim; i++) before[i] = z === null ? rowTimes(inverse, i, offset) : z[i];
    for (let i = 0; i < dim; i++) offset[i] = wNew[i] - mean[i];
    for (let i = 0; i < dim; i++) after[i] = rowTimes(inverse, i, offset);
  }

  /** Stretch the whitened unit vector e by a, S′ = S + (a − 1)(S e) eᵀ, and the inverse alike. Returns S e. */
  stretchAlong(e, a) {
    const { factor, inverse, dim, _row: row, _column: column } = this;
    row.fill(0);
    for (let i = 0, k = 0; i < dim; i++) {
      column[i] = rowTimes(factor, i, e);
      for (let j = 0; j < dim; j++, k++) row[j] += e[i] * inverse[k];
    }
    if (a === 1) return column;
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
    this._leastStd *= Math.min(Math.abs(a), 1); // no direction is narrower: a bound that spares decompositions
    return column;
  }

  /** Raise every standard deviation, along any direction, to at least floor. */
  _floor(floor) {
    if (floor <= this._leastStd) return;
    const parts = decomposed(this.factor, this.dim);
    this._leastStd = Math.min(...parts.values);
    if (this._leastStd <= floor) this._compose(parts, floor);
  }

  /** Put factor and inverse together of their singular values, none of them below a floor. */
  _compose({ columns, values, turns }, floor) {
    const { factor, inverse, dim } = this;
    const widths = values.map((value) => Math.max(value, floor));
    this._leastStd = Math.min(...widths);
    this._logDet = widths.reduce((sum, width) => sum + Math.log(width), 0);
    factor.fill(0);
    inverse.fill(0);
    for (let k = 0; k < dim; k++) {
      for (let i = 0; i < dim; i++) {
        for (let j = 0; j < dim; j++) {
          const [left, right] = [columns[i * dim + k] / values[k], turns[j * dim + k]];
          factor[i * dim + j] += left * widths[k] * right;
          inverse[j * dim + i] += (right / widths[k]) * left;
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

/** KL in nats of Gaussians with dim directions of one width whose means lie shift apart. */
function klOfWidths(std, priorStd, shift, dim) {
  if (std === priorStd && shift === 0) return 0; // a width of zero is at no distance from itself
  const kl = 0.5 * (shift / priorStd) ** 2 + dim * widthKl(std / priorStd);
  return Number.isNaN(kl) ? Infinity : kl;
}

/** An offset in standard deviations; a width that underflowed can only sample its mean. */
function whitened(offset, std) {
  return std === 0 && offset === 0 ? 0 : offset / std;
}

function refuseInfinite(mean, std) {
  if (mean.every(Number.isFinite) && std.every(Number.isFinite)) return;
  throw new RangeError("the belief must stay finite, but it overflowed or was too narrow: take smaller steps or scale the features.");
}
