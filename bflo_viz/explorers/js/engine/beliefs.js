// Gaussian beliefs over weights, as in bflo_viz.beliefs, but changed in place: copy a belief to keep it.
import { stretch } from "./flows.js";

const HALF_LOG_2PIE = 0.5 * Math.log(2 * Math.PI * Math.E);

/** A copy that shares nothing which can change: numbers, arrays, and objects of any class with all that they hold. */
export function copyOf(value) {
  if (ArrayBuffer.isView(value)) return /** @type {Float64Array} */ (value).slice();
  if (Array.isArray(value)) return value.map(copyOf);
  if (value === null || typeof value !== "object") return value;
  const copy = Object.create(Object.getPrototypeOf(value));
  for (const name of Object.keys(value)) copy[name] = copyOf(value[name]);
  return copy;
}

/** The shared part of all beliefs. Each also has weight, flow and logDet, and in the plane factor, inverse and turn. */
class Belief {
  constructor(mean) {
    this.mean = Float64Array.from(mean);
    this.dim = this.mean.length;
  }

  copy() {
    return copyOf(this);
  }

  entropy() {
    return this.dim * HALF_LOG_2PIE + /** @type {any} */ (this).logDet;
  }

  /** KL(this ‖ prior) in nats, of beliefs in the plane. */
  kl(prior) {
    const { factor, logDet, mean } = /** @type {any} */ (this);
    const shift = Math.hypot(...prior.whitened(mean.map((x, i) => x - prior.mean[i])));
    const ratios = Math.hypot(...product(prior.inverse, factor));
    return Math.max(0, 0.5 * shift ** 2 + 0.5 * (ratios ** 2 - 2) - (logDet - prior.logDet));
  }

  /** Whiten an offset by the inverse factor of a belief in the plane. @param {ArrayLike<number>} x */
  whitened(x) {
    const { inverse } = /** @type {any} */ (this);
    return [inverse[0] * x[0] + inverse[1] * x[1], inverse[2] * x[0] + inverse[3] * x[1]];
  }
}

/** Independent weights, each with its own standard deviation; one number stands for all. */
export class DiagonalBelief extends Belief {
  constructor(mean, std) {
    super(mean);
    this.std = typeof std === "number" ? new Float64Array(this.dim).fill(std) : Float64Array.from(std);
  }

  turn() {
    return 0;
  }

  get factor() {
    return [this.std[0], 0, 0, this.std[1]];
  }

  get inverse() {
    return [1 / this.std[0], 0, 0, 1 / this.std[1]];
  }

  get logDet() {
    return this.std.reduce((sum, width) => sum + Math.log(width), 0);
  }

  /** The weight vector that dim standard normal numbers stand for. */
  weight(z, out = new Float64Array(this.dim)) {
    const { mean, std } = this;
    for (let i = 0; i < mean.length; i++) out[i] = mean[i] + std[i] * z[i];
    return out;
  }

  /**
   * Become the posterior of the flow that stretches each coordinate by itself and carries w to wNew. z are the normal
   * numbers that w was made of, if they are known. A weight that did not move leaves its belief as it was, to the bit.
   */
  flow(w, wNew, z = null, { nonExpansive = false, minStd = 0 } = {}) {
    const { mean, std } = this;
    let sum = 0;
    for (let i = 0; i < mean.length; i++) {
      const width = std[i];
      const move = wNew[i] - w[i];
      if (move !== 0) {
        // The stretch times the width is the root s of (1 + u²) s² − u Δ′ s − std² = 0.
        const u = z ? z[i] : (w[i] - mean[i]) / width;
        const target = u * width + move;
        const p = 0.5 * u * target;
        const q = 1 + u * u;
        const root = Math.sqrt(q * width * width + p * p) + Math.abs(p);
        let newWidth = p < 0 ? (width * width) / root : root / q; // there p + root would cancel
        if (nonExpansive && newWidth > width) newWidth = width;
        mean[i] += target - u * newWidth;
        std[i] = newWidth;
        sum += mean[i] + newWidth;
      }
      if (std[i] < minStd) std[i] = minStd;
    }
    refuseInfinite(sum);
    return this;
  }
}

/** Any covariance S Sᵀ of two weights, kept as S and its inverse; Theorem 1 changes both by a matrix of rank one. */
export class FullBelief extends Belief {
  /** One number for a factor stands for that times the identity. @param {number | ArrayLike<number>} factor */
  constructor(mean, factor) {
    super(mean);
    const [a, b, c, d] = typeof factor === "number" ? [factor, 0, 0, factor] : Array.from(factor);
    const det = a * d - b * c;
    this.factor = Float64Array.of(a, b, c, d);
    this.inverse = Float64Array.of(d / det, -b / det, -c / det, a / det);
    this.logDet = Math.log(Math.abs(det));
    this.flowed = { e: [1, 0], a: 1 }; // the whitened direction that was stretched last, and how far
  }

  /** Standard deviation of each weight by itself. @returns {any} */
  get std() {
    return [0, 2].map((i) => Math.hypot(this.factor[i], this.factor[i + 1]));
  }

  weight(z, out = new Float64Array(2)) {
    const { mean, factor } = this;
    out[0] = mean[0] + factor[0] * z[0] + factor[1] * z[1];
    out[1] = mean[1] + factor[2] * z[0] + factor[3] * z[1];
    return out;
  }

  /** The angle by which the flow that carries w to wNew turns whitened offsets; from or to the mean there is none. */
  turn(w, wNew) {
    const [[a, b], [c, d]] = [w, wNew].map((at) => this.whitened(at.map((x, i) => x - this.mean[i])));
    return Math.min(Math.hypot(a, b), Math.hypot(c, d)) < 1e-12 ? 0 : Math.atan2(a * d - b * c, a * c + b * d);
  }

  /** Turn the whitened offset of w onto that of wNew and stretch that direction, as Theorem 1 says. */
  flow(w, wNew, z = null, { nonExpansive = false, rule = "printed" } = {}) {
    const { mean } = this;
    this.flowed = { e: [1, 0], a: 1 };
    if (w[0] === wNew[0] && w[1] === wNew[1]) return this;
    const before = z ? Array.from(z) : this.whitened([w[0] - mean[0], w[1] - mean[1]]);
    const step = this.whitened([wNew[0] - w[0], wNew[1] - w[1]]);
    const after = before.map((x, i) => x + step[i]);
    const [u, v] = [Math.hypot(...before), Math.hypot(...after)];
    const free = stretch(u, v, 1, rule === "exact" && this instanceof SphericalBelief ? 2 : 1);
    const a = nonExpansive ? Math.min(1, free) : free;
    const direction = v > 0 ? after : before; // wNew is the mean: the belief contracts along w
    const e = direction.map((x) => x / (v || u || 1));
    const along = this.stretchAlong(e, a);
    for (let i = 0; i < 2; i++) mean[i] = wNew[i] - a * u * along[i];
    refuseInfinite(mean[0] + mean[1]);
    this.flowed = { e, a };
    return this;
  }

  /** Stretch the whitened unit vector e by a: S′ = S + (a − 1)(S e) eᵀ, and the inverse alike. Returns S e. */
  stretchAlong(e, a) {
    const { factor, inverse } = this;
    const along = [factor[0] * e[0] + factor[1] * e[1], factor[2] * e[0] + factor[3] * e[1]];
    if (a === 1) return along;
    const row = [e[0] * inverse[0] + e[1] * inverse[2], e[0] * inverse[1] + e[1] * inverse[3]];
    for (let k = 0; k < 4; k++) {
      factor[k] += along[k >> 1] * ((a - 1) * e[k & 1]);
      inverse[k] += (1 / a - 1) * e[k >> 1] * row[k & 1];
    }
    this.logDet += Math.log(a);
    refuseInfinite(Math.hypot(...inverse));
    return along;
  }
}

/** One standard deviation for both directions; rule "exact" is the least KL in the plane, "printed" the paper's. */
export class SphericalBelief extends FullBelief {
  get std() {
    return this.factor[0];
  }

  /** Stretch every direction by a. Returns S e. */
  stretchAlong(e, a) {
    const { std } = this;
    for (const i of [0, 3]) {
      this.factor[i] = a * std;
      this.inverse[i] = 1 / this.factor[i];
    }
    this.logDet = 2 * Math.log(a * std);
    return e.map((x) => std * x);
  }
}

export const KINDS = { full: FullBelief, diagonal: DiagonalBelief, spherical: SphericalBelief };

/** Product of matrices [a, b, c, d]. @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export function product(a, b) {
  return [a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]];
}

/** Throw unless a sum is finite, and with it all of its terms. */
export function refuseInfinite(sum) {
  if (Number.isFinite(sum)) return;
  throw new RangeError("the belief must stay finite, but it overflowed or was too narrow: take smaller steps.");
}
