// The Bayesian reading of a flow, as in bflo_viz.pseudo: the observation that would have moved the belief alike.
import { FullBelief, SphericalBelief } from "./beliefs.js";
import { norm } from "./flows.js";
import { decomposed, product } from "./matrices.js";

/**
 * What a flow adds to the precision, and the point that says the same. Spherical: { precision, x, R }, x a point of
 * weight space; diagonal: the same, one number a weight; full: one flow is one scalar observation of direction · w, so
 * { x, R, direction }, direction null where there is none.
 */
export function pseudoObservation(prior, posterior) {
  return prior instanceof FullBelief ? ofFull(prior, posterior) : ofWidths(prior, posterior);
}

function ofWidths(prior, posterior) {
  const spherical = prior instanceof SphericalBelief;
  const widths = (belief, i) => (spherical ? belief.std : belief.std[i]);
  const gain = (i) => {
    const [s, t] = [widths(prior, i), widths(posterior, i)];
    return (((((s - t) / s) * (s + t)) / s) / t) / t; // 1/t² − 1/s², without cancelling
  };
  const precision = spherical ? gain(0) : prior.mean.map((_, i) => gain(i));
  const R = prior.mean.map((_, i) => (gain(i) !== 0 ? 1 / gain(i) : NaN));
  const x = prior.mean.map((mean, i) => {
    const s = widths(prior, i);
    return R[i] * (gain(i) * posterior.mean[i] + (posterior.mean[i] - mean) / s / s);
  });
  return { precision, x, R: spherical ? R[0] : R };
}

function ofFull(prior, posterior) {
  const n = prior.dim;
  // Whitened by the prior, the change of precision is symmetric with one eigenvalue for each direction it acts on.
  const ratio = product(posterior.inverse, prior.factor, n);
  const change = product(transposed(ratio, n), ratio, n).map((value, k) => value - (k % (n + 1) === 0 ? 1 : 0));
  // Rounding of `ratio`, by its terms before they cancel, times its size: what `change` cannot resolve.
  const terms = product(posterior.inverse.map(Math.abs), prior.factor.map(Math.abs), n);
  const noise = 64 * n * Number.EPSILON * norm(terms) * norm(ratio);
  const { columns, turns } = decomposed(change, n);
  const column = (matrix, k) => Float64Array.from({ length: n }, (_, i) => matrix[i * n + k]);
  const acting = Array.from({ length: n }, (_, k) => [dot(column(columns, k), column(turns, k)), column(turns, k)]).filter(
    ([value]) => Math.abs(value) > noise,
  );
  const shift = times(prior.inverse, posterior.mean.map((mean, i) => mean - prior.mean[i]), n);
  if (acting.length !== 1) return { x: NaN, R: NaN, direction: null };
  const [[value, axis]] = acting;
  const along = dot(axis, shift);
  if (!(norm(shift.map((part, i) => part - axis[i] * along)) <= 1e-6 * norm(shift) + noise)) return { x: NaN, R: NaN, direction: null };
  const direction = times(transposed(prior.inverse, n), axis, n);
  return { x: dot(axis, times(prior.inverse, prior.mean, n)) + along + along / value, R: 1 / value, direction };
}

const transposed = (matrix, n) => matrix.map((_, k) => matrix[(k % n) * n + Math.floor(k / n)]);
const dot = (x, y) => x.reduce((sum, part, i) => sum + part * y[i], 0);
const times = (matrix, x, n) => x.map((_, i) => dot(matrix.subarray(i * n, (i + 1) * n), x));
