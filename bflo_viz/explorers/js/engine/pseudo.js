// The Bayesian reading of a flow, as in bflo_viz.pseudo: the observation that would have moved the belief alike.
import { FullBelief, SphericalBelief, product } from "./beliefs.js";
import { norm } from "./flows.js";

/**
 * What a flow of two weights adds to the precision, and the point that says the same. Spherical: { precision, x }, x a
 * point of weight space; diagonal: the same, one number a weight; full: one scalar observation of direction · w, so
 * { x, R, direction }, direction null where there is none.
 */
export function pseudoObservation(prior, posterior) {
  const isRound = prior instanceof SphericalBelief;
  if (prior instanceof FullBelief && !isRound) return ofFull(prior, posterior);
  const width = (belief, i) => (isRound ? belief.std : belief.std[i]);
  const gains = [0, 1].map((i) => {
    const [s, t] = [width(prior, i), width(posterior, i)];
    return (((((s - t) / s) * (s + t)) / s) / t) / t; // 1/t² − 1/s², without cancelling
  });
  const x = gains.map((gain, i) => {
    const shift = posterior.mean[i] - prior.mean[i];
    return gain === 0 ? NaN : posterior.mean[i] + shift / width(prior, i) ** 2 / gain;
  });
  return { precision: isRound ? gains[0] : gains, x };
}

/** Whitened by the prior, the change of precision acts along one axis: the eigenvector of a symmetric 2 × 2 matrix. */
function ofFull(prior, posterior) {
  const ratio = product(posterior.inverse, prior.factor);
  const [a, b, c, d] = ratio;
  const [first, between, second] = [a * a + c * c - 1, a * b + c * d, b * b + d * d - 1];
  const angle = 0.5 * Math.atan2(2 * between, first - second);
  const value = (e) => first * e[0] * e[0] + 2 * between * e[0] * e[1] + second * e[1] * e[1];
  const axes = [[Math.cos(angle), Math.sin(angle)], [-Math.sin(angle), Math.cos(angle)]];
  const axis = Math.abs(value(axes[0])) > Math.abs(value(axes[1])) ? axes[0] : axes[1];
  // Rounding of `ratio`, by its terms before they cancel, times its size: what the change cannot resolve.
  const noise = 128 * Number.EPSILON * norm(product(posterior.inverse.map(Math.abs), prior.factor.map(Math.abs))) * norm(ratio);
  if (!(Math.abs(value(axis)) > noise)) return { x: NaN, R: NaN, direction: null };
  const shift = prior.whitened(posterior.mean.map((mean, i) => mean - prior.mean[i]));
  const along = axis[0] * shift[0] + axis[1] * shift[1];
  const place = prior.whitened(prior.mean);
  const [p, q, r, s] = prior.inverse;
  const direction = [p * axis[0] + r * axis[1], q * axis[0] + s * axis[1]];
  const gain = value(axis);
  return { x: axis[0] * place[0] + axis[1] * place[1] + along + along / gain, R: 1 / gain, direction };
}
