// The Bayesian reading of a flow, as in bflo_viz.pseudo: the observation that would have moved the belief alike.
import { FullBelief, SphericalBelief } from "./beliefs.js";

/**
 * What a flow of two weights adds to the precision, and the point that says the same: { precision, x }, diagonal with
 * a number for each weight; full { x, R, direction }, a scalar observation of direction · w, null where there is none.
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

/** Whitened by the prior, the precision changes along the direction that the flow has stretched, and nowhere else. */
function ofFull(prior, posterior) {
  const { e, a } = posterior.flowed;
  const gain = (1 / a - 1) * (1 / a + 1);
  if (gain === 0) return { x: NaN, R: NaN, direction: null };
  const along = (/** @type {ArrayLike<number>} */ x) => e[0] * x[0] + e[1] * x[1];
  const shift = along(prior.whitened(posterior.mean.map((mean, i) => mean - prior.mean[i])));
  const [p, q, r, s] = prior.inverse;
  const direction = [p * e[0] + r * e[1], q * e[0] + s * e[1]];
  return { x: along(prior.whitened(prior.mean)) + shift + shift / gain, R: 1 / gain, direction };
}
