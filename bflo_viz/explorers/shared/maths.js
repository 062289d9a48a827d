// What explorers draw of flows on the line and in the plane, by the beliefs of engine/, and the geometry of ellipses.
// Held to the Python by tests/explorers/test_parity.py. Points are [x, y]; matrices are [[a, b], [c, d]].
import { DiagonalBelief, FullBelief, SphericalBelief } from "../engine/beliefs.js";
import { carry, widthKl } from "../engine/flows.js";
import { inverted } from "../engine/matrices.js";

const [MEAN, STD] = [new Float64Array(1), new Float64Array(1)]; // a map asks for ten thousands of flows at a time

/**
 * Flow of one Gaussian whose weight w moved to wNew: { mean, std, stretch, kl, entropyChange, move }.
 * The stretch is negative on the reflected branch; move(x) is where the flow takes a point.
 */
export function flow1d(mean, std, w, wNew, { branch = 1, nonExpansive = false } = {}) {
  [MEAN[0], STD[0]] = [0, std]; // from the mean on, so that its shift loses no digits
  carry(MEAN, STD, 0, (w - mean) / std, wNew - w, branch, nonExpansive);
  const [shift, newStd] = [MEAN[0], STD[0]];
  const ratio = newStd / std;
  return finite({
    mean: mean + shift,
    std: newStd,
    stretch: branch * ratio,
    kl: 0.5 * (shift / std) ** 2 + widthKl(ratio),
    entropyChange: Math.log(ratio),
    move: (x) => mean + shift + branch * ratio * (x - mean),
  });
}

/**
 * Flow of independent weights, std = [s, t]. All flows of the plane give { mean, std or factor, covariance, matrix, kl,
 * entropyChange, move }: the posterior, the linear part of the flow, and where it takes a point.
 */
export function diagonalFlow(mean, std, w, wNew, options = {}) {
  const prior = new DiagonalBelief(mean, std);
  const posterior = prior.copy().flow(w, wNew, null, options);
  const [first, second] = [...posterior.std].map((width, i) => ((options.branch ?? 1) * width) / std[i]);
  const [x, y] = posterior.std;
  const fields = { std: [x, y], covariance: [[x * x, 0], [0, y * y]] };
  return planeFlow(prior, posterior, (offset) => [first * offset[0], second * offset[1]], fields);
}

/** Flow of a belief with one width for both directions; rule "exact" is the least KL of the plane. */
export function sphericalFlow(mean, std, w, wNew, options = {}) {
  const prior = new SphericalBelief(mean, std);
  const posterior = prior.copy().flow(w, wNew, null, options);
  const [before, after, a] = [minus(w, mean), minus(wNew, mean), posterior.stretch];
  const turns = !isStill(w, wNew, options) && length(before) > 0 && length(after) > 0;
  const push = (offset) => times(a, turns ? turned(offset, unit(before), unit(after)) : offset);
  const variance = posterior.std ** 2;
  return planeFlow(prior, posterior, push, { std: posterior.std, covariance: [[variance, 0], [0, variance]] });
}

/** Flow of a belief with covariance S Sᵀ, S = factor: Theorem 1 as a rank-one update. rotation is the paper's δ₂. */
export function fullFlow(mean, factor, w, wNew, options = {}) {
  const prior = new FullBelief(mean, factor);
  const posterior = prior.copy().flow(w, wNew, null, options);
  const [whiten, a] = [rows(prior.inverse), posterior.stretch];
  const [before, after] = [apply(whiten, minus(w, mean)), apply(whiten, minus(wNew, mean))];
  const [u, v] = [length(before), length(after)];
  const push = (offset) => {
    if (isStill(w, wNew, options) || (u === 0 && v === 0)) return offset;
    const [source, target] = [unit(u > 0 ? before : after), unit(v > 0 ? after : before)];
    const white = apply(whiten, offset);
    const rotated = turned(white, source, target, options.rotation);
    return apply(factor, plus(rotated, times((a - 1) * dot(white, source), target)));
  };
  const newFactor = rows(posterior.factor);
  return planeFlow(prior, posterior, push, { factor: newFactor, covariance: covarianceOf(newFactor) });
}

/** Degrees by which a matrix turns the plane: those of the rotation nearest to it. */
export function turnOf(matrix) {
  const [[a, b], [c, d]] = matrix;
  // What is left of a symmetric matrix is rounding; such a matrix turns by half or not at all.
  const across = Math.abs(c - b) > 1e-12 * Math.hypot(a, b, c, d) ? c - b : 0;
  return (Math.atan2(across, a + d) * 180) / Math.PI;
}

/** Factor S of the covariance whose ellipse has these half axes (standard deviations), turned by so many degrees. */
export function factorOf([long, short], degrees) {
  const angle = (degrees * Math.PI) / 180;
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return [[long * c, -short * s], [long * s, short * c]];
}

/** Covariance S Sᵀ of a factor. */
export function covarianceOf(factor) {
  const across = dot(factor[0], factor[1]);
  return [[dot(factor[0], factor[0]), across], [across, dot(factor[1], factor[1])]];
}

/** Widths of the diagonal belief nearest to a full one, by KL(full ‖ diagonal): those of each weight by itself. */
export function diagonalOf(factor) {
  return factor.map(length);
}

/** Width of the spherical belief nearest to a full one, by KL(full ‖ spherical): the mean of the variances. */
export function sphericalOf(factor) {
  return Math.hypot(length(factor[0]), length(factor[1])) / Math.SQRT2;
}

/** Second derivatives of the quadratic losses ½ (w − optimum)ᵀ H (w − optimum). */
export const HESSIANS = {
  round: [[1, 0], [0, 1]],
  valley: [[0.2, 0], [0, 1]],
  tilted: [[0.6, -0.4], [-0.4, 0.6]],
};

/** Where a gradient step of a quadratic loss takes w; it ends where it would leave the square −reach … reach. */
export function gradientStep(w, optimum, hessian, eta, reach = Infinity) {
  const step = times(-eta, apply(hessian, minus(w, optimum)));
  const room = step.map((d, i) => (d === 0 ? 1 : (reach - Math.sign(d) * w[i]) / Math.abs(d)));
  const share = Math.max(0, Math.min(1, ...room));
  return step.map((d, i) => Math.max(-reach, Math.min(reach, w[i] + share * d)));
}

/** Inverse of a 2 × 2 matrix. */
export function inverse(matrix) {
  return rows(inverted(matrix.flat(), 2).inverse);
}

function planeFlow(prior, posterior, push, fields) {
  const [first, second] = [push([1, 0]), push([0, 1])];
  const mean = [...posterior.mean];
  return finite({
    mean,
    matrix: [[first[0], second[0]], [first[1], second[1]]],
    kl: posterior.kl(prior),
    entropyChange: posterior.entropy() - prior.entropy(),
    move: (point) => plus(mean, push(minus(point, prior.mean))),
    ...fields,
  });
}

/** A flow, if its numbers are numbers: as in Python, a weight too far away is refused. */
function finite(flow) {
  if ([flow.mean].flat().every(Number.isFinite) && !Number.isNaN(flow.kl)) return flow;
  throw new RangeError("the weight must lie nearer to the mean, but so far away its posterior is no number.");
}

/** Whether a flow is the identity since the weight did not move. */
function isStill(w, wNew, { branch = 1 }) {
  return branch > 0 && w[0] === wNew[0] && w[1] === wNew[1];
}

/** Turn a point so that the unit vector source falls on target; rotation = -1 also mirrors it across target. */
function turned(point, source, target, rotation = 1) {
  const along = dot(point, source);
  const aside = rotation * (point[1] * source[0] - point[0] * source[1]);
  return [along * target[0] - aside * target[1], along * target[1] + aside * target[0]];
}

const length = ([x, y]) => Math.hypot(x, y);
const unit = (point) => times(1 / length(point), point);
const dot = ([a, b], [c, d]) => a * c + b * d;
const plus = ([a, b], [c, d]) => [a + c, b + d];
const minus = ([a, b], [c, d]) => [a - c, b - d];
const times = (k, [x, y]) => [k * x, k * y];
const apply = ([first, second], point) => [dot(first, point), dot(second, point)];
const rows = ([a, b, c, d]) => [[a, b], [c, d]];
