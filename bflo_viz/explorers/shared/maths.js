// The closed forms of bflo_viz.flows and bflo_viz.beliefs, in one and in two dimensions, for what is drawn in the
// browser. Held to the Python by tests/explorers/test_parity.py. Points are [x, y]; matrices are [[a, b], [c, d]].

/** Stretch of the least-KL flow that carries u to v, both in standard deviations from the mean; see flows.stretch. */
export function stretch(u, v, branch = 1, dim = 1) {
  const target = branch < 0 ? -v : v; // the lower root of (u, v) is minus the upper root of (u, -v)
  if (u === target) return branch;
  const norm = Math.hypot(u, Math.sqrt(dim));
  const p = 0.5 * target * (u / norm);
  const larger = Math.abs(p) + Math.hypot(p, Math.sqrt(dim));
  // One root, two algebraic forms; each is used on the side where it does not cancel.
  return (branch * (p >= 0 ? larger : dim / larger)) / norm;
}

/** KL in nats between Gaussians of one mean, by the ratio of their widths. */
export function widthKl(ratio) {
  return 0.5 * (ratio - 1) * (ratio + 1) - Math.log(Math.abs(ratio));
}

/** KL(posterior ‖ prior) in nats of the flow that stretches by a and carries u to v: the landscape of a. */
export function stretchKl(a, u, v, dim = 1) {
  return 0.5 * (v - a * u) ** 2 + dim * widthKl(a);
}

/** Name of the regime: where the weight was, and is now, relative to the mean (identity branch). */
export function regime(delta, deltaNew) {
  if (delta === deltaNew || delta === 0) return "unchanged";
  if (Math.sign(delta) * Math.sign(deltaNew) < 0) return "crossing";
  return Math.abs(deltaNew) < Math.abs(delta) ? "contracting" : "expanding";
}

/**
 * Flow of one Gaussian whose weight w moved to wNew: { mean, std, stretch, kl, entropyChange, move }.
 * The stretch is negative on the reflected branch; move(x) is where the flow takes a point.
 */
export function flow1d(mean, std, w, wNew, { branch = 1, nonExpansive = false } = {}) {
  const z = (w - mean) / std;
  const offset = z * std;
  // On the reflected branch: reflect the target, flow on the identity branch, reflect back.
  const step = branch < 0 ? -2 * offset - (wNew - w) : wNew - w;
  const target = offset + step;
  let newStd = std;
  let shift = 0;
  if (step !== 0) {
    newStd = carriedStd(std, z, target);
    if (nonExpansive) newStd = Math.min(newStd, std);
    shift = target - z * newStd;
  }
  const ratio = newStd / std;
  return finite({
    mean: mean + branch * shift,
    std: newStd,
    stretch: branch * ratio,
    kl: 0.5 * (shift / std) ** 2 + widthKl(ratio),
    entropyChange: Math.log(ratio),
    move: (x) => mean + branch * shift + branch * ratio * (x - mean),
  });
}

/** The stretch times the width, without dividing by the width: root s of (1 + z²) s² − z D′ s − std² = 0. */
function carriedStd(std, z, target) {
  const norm = Math.hypot(z, 1);
  const p = 0.5 * target * (z / norm);
  const larger = Math.abs(p) + Math.hypot(p, std);
  return (p >= 0 ? larger : std * (std / larger)) / norm;
}

/**
 * Flow of independent weights, std = [s, t]. All flows of the plane give { mean, std or factor, covariance, matrix, kl,
 * entropyChange, move }: the posterior, the linear part of the flow, and where it takes a point.
 */
export function diagonalFlow(mean, std, w, wNew, options = {}) {
  const [x, y] = [0, 1].map((i) => flow1d(mean[i], std[i], w[i], wNew[i], options));
  return finite({
    mean: [x.mean, y.mean],
    std: [x.std, y.std],
    covariance: [[x.std * x.std, 0], [0, y.std * y.std]],
    matrix: [[x.stretch, 0], [0, y.stretch]],
    kl: x.kl + y.kl,
    entropyChange: x.entropyChange + y.entropyChange,
    move: (point) => [x.move(point[0]), y.move(point[1])],
  });
}

/** Flow of a belief with one width for both directions; rule "exact" is the least KL of the plane. */
export function sphericalFlow(mean, std, w, wNew, { rule = "printed", branch = 1, nonExpansive = false } = {}) {
  const before = minus(w, mean);
  const after = minus(wNew, mean);
  const [u, v] = [length(before), length(after)];
  const still = branch > 0 && w[0] === wNew[0] && w[1] === wNew[1];
  const dim = rule === "exact" ? 2 : 1;
  const a = still ? 1 : clipped(stretch(u / std, v / std, branch, dim), nonExpansive);
  const turns = !still && u > 0 && v > 0; // no turn where one of the two is the mean itself
  const [source, target] = [times(1 / u, before), times(1 / v, after)];
  const newMean = still ? mean : minus(wNew, turns ? times(a * u, target) : times(a, before));
  const push = (offset) => times(a, turns ? turned(offset, source, target) : offset);
  return planeFlow(mean, newMean, push, {
    std: Math.abs(a) * std,
    covariance: [[(a * std) ** 2, 0], [0, (a * std) ** 2]],
    kl: stretchKl(a, u / std, v / std, 2),
    entropyChange: 2 * Math.log(Math.abs(a)),
  });
}

/** Flow of a belief with covariance S Sᵀ, S = factor: Theorem 1 as a rank-one update. rotation is the paper's δ₂. */
export function fullFlow(mean, factor, w, wNew, { branch = 1, nonExpansive = false, rotation = 1 } = {}) {
  const whiten = inverse(factor);
  const before = apply(whiten, minus(w, mean));
  const after = apply(whiten, minus(wNew, mean));
  const [u, v] = [length(before), length(after)];
  const still = (branch > 0 && w[0] === wNew[0] && w[1] === wNew[1]) || (u === 0 && v === 0);
  if (still) {
    const same = { factor, covariance: covarianceOf(factor), kl: 0, entropyChange: 0 };
    return planeFlow(mean, mean, (offset) => offset, same);
  }
  const a = clipped(stretch(u, v, branch), nonExpansive);
  const [towards, away] = [times(1 / v, after), times(1 / u, before)];
  const target = v > 0 ? towards : away; // wNew is the mean: the belief contracts along w
  const source = u > 0 ? away : towards;
  const column = apply(factor, target);
  const gain = times(a - 1, target);
  const newFactor = factor.map((row, i) => row.map((entry, j) => entry + column[i] * gain[j]));
  const push = (offset) => {
    const white = apply(whiten, offset);
    const moved = plus(turned(white, source, target, rotation), times((a - 1) * dot(white, source), target));
    return apply(factor, moved);
  };
  return planeFlow(mean, minus(wNew, times(a * u, column)), push, {
    factor: newFactor,
    covariance: covarianceOf(newFactor),
    kl: stretchKl(a, u, v),
    entropyChange: Math.log(Math.abs(a)),
  });
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

/** Inverse of a 2 × 2 matrix, by elimination: a determinant could overflow. */
export function inverse([first, second]) {
  const swap = Math.abs(second[0]) > Math.abs(first[0]);
  const [[a, b], [c, d]] = swap ? [second, first] : [first, second];
  const ratio = c / a;
  const rest = d - ratio * b;
  const solve = (x, y) => [(x - b * (y / rest)) / a, y / rest];
  const [one, other] = swap ? [solve(0, 1), solve(1, -ratio)] : [solve(1, -ratio), solve(0, 1)];
  return [[one[0], other[0]], [one[1], other[1]]];
}

function planeFlow(mean, newMean, push, fields) {
  const [first, second] = [push([1, 0]), push([0, 1])];
  const matrix = [[first[0], second[0]], [first[1], second[1]]];
  return finite({ mean: newMean, matrix, move: (point) => plus(newMean, push(minus(point, mean))), ...fields });
}

/** A flow, if its numbers are numbers: as in Python, a weight too far away is refused. */
function finite(flow) {
  if ([flow.mean].flat().every(Number.isFinite) && !Number.isNaN(flow.kl)) return flow;
  throw new RangeError("the weight must lie nearer to the mean, but so far away its posterior is no number.");
}

/** Turn a point so that the unit vector source falls on target; rotation = -1 also mirrors it across target. */
function turned(point, source, target, rotation = 1) {
  const along = dot(point, source);
  const aside = rotation * (point[1] * source[0] - point[0] * source[1]);
  return [along * target[0] - aside * target[1], along * target[1] + aside * target[0]];
}

function clipped(a, nonExpansive) {
  return nonExpansive ? Math.min(1, a) : a;
}

const length = ([x, y]) => Math.hypot(x, y);
const dot = ([a, b], [c, d]) => a * c + b * d;
const plus = ([a, b], [c, d]) => [a + c, b + d];
const minus = ([a, b], [c, d]) => [a - c, b - d];
const times = (k, [x, y]) => [k * x, k * y];
const apply = ([first, second], point) => [dot(first, point), dot(second, point)];
