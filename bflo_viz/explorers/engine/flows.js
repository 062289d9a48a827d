// One flow along one direction, as in bflo_viz.flows: how far it stretches a belief, what that costs, which regime it
// is in. u and v are distances from the mean in standard deviations, before and after the step.

const [TINY, HUGE] = [1e-280, 1e300]; // a sum of squares in between lost nothing to underflow or overflow

/** Stretch of the least-KL flow that carries u to v; branch is the paper's δ, dim is 1 in the paper. */
export function stretch(u, v, branch = 1, dim = 1) {
  const target = branch < 0 ? -v : v; // the lower root of (u, v) is minus the upper root of (u, -v)
  if (u === target) return branch;
  const size = Math.hypot(u, Math.sqrt(dim));
  const p = 0.5 * target * (u / size);
  const larger = Math.abs(p) + Math.hypot(p, Math.sqrt(dim));
  // One root, two algebraic forms; each is used on the side where it does not cancel.
  return (branch * (p >= 0 ? larger : dim / larger)) / size;
}

/** KL in nats between Gaussians of one mean, by the ratio of their widths. */
export function widthKl(ratio) {
  return 0.5 * (ratio - 1) * (ratio + 1) - Math.log(Math.abs(ratio));
}

/** KL(posterior ‖ prior) in nats of the flow that stretches by a and carries u to v: the landscape of a. */
export function stretchKl(a, u, v, dim = 1) {
  return 0.5 * (v - a * u) ** 2 + dim * widthKl(a);
}

/** Name of the regime: where the weight was, once the belief is turned over on the reflected branch, and where it is now. */
export function regime(delta, deltaNew, branch = 1) {
  const before = branch < 0 ? -delta : delta;
  if (before === deltaNew || before === 0) return "unchanged";
  if (Math.sign(before) * Math.sign(deltaNew) < 0) return "crossing";
  return Math.abs(deltaNew) < Math.abs(before) ? "contracting" : "expanding";
}

/**
 * Carry independent Gaussians along as each weight mean + z std moves by wNew − w, without dividing by std. It changes
 * mean and std; on the identity branch a weight that did not move leaves both as they were. Returns the sum of all that
 * it wrote, which is finite only if all of it is.
 */
export function carry(mean, std, z, w, wNew, branch, nonExpansive) {
  const isReflected = branch < 0;
  let sum = 0;
  for (let i = 0; i < mean.length; i++) {
    const width = std[i];
    const offset = z[i] * width;
    const step = wNew[i] - w[i];
    // On the reflected branch: reflect the target, flow on the identity branch, reflect back.
    const move = isReflected ? -2 * offset - step : step;
    if (move === 0) continue;
    const target = offset + move;
    // The stretch times the width: root s of (1 + z²) s² − z D′ s − std² = 0, with D′ = target.
    const variance = width * width;
    const q = z[i] * z[i] + 1;
    const p = z[i] * target * 0.5;
    const square = q * variance + p * p;
    let newWidth;
    if (variance >= TINY && square < HUGE) {
      const root = Math.sqrt(square) + Math.abs(p);
      newWidth = p < 0 ? variance / root : root / q; // there p + root would cancel
    } else newWidth = carriedStd(width, z[i], target);
    if (nonExpansive && newWidth > width) newWidth = width;
    const shift = target - z[i] * newWidth;
    const newMean = isReflected ? mean[i] - shift : mean[i] + shift;
    mean[i] = newMean;
    std[i] = newWidth;
    sum += newMean + newWidth;
  }
  return sum;
}

/** The same root for numbers so small or large that their squares are not numbers. */
function carriedStd(std, z, target) {
  const size = Math.hypot(z, 1);
  const p = 0.5 * target * (z / size);
  const larger = Math.abs(p) + Math.hypot(p, std);
  if (p >= 0) return larger / size;
  return (std * (std / larger)) / size;
}

/** Euclidean length of a vector, right for the smallest and the largest numbers too. */
export function norm(x) {
  let squares = 0;
  for (let i = 0; i < x.length; i++) squares += x[i] * x[i];
  if (squares > TINY && squares < HUGE) return Math.sqrt(squares);
  let largest = 0;
  for (let i = 0; i < x.length; i++) largest = Math.max(largest, Math.abs(x[i]));
  if (largest === 0 || !Number.isFinite(largest)) return largest;
  squares = 0;
  for (let i = 0; i < x.length; i++) squares += (x[i] / largest) ** 2;
  return largest * Math.sqrt(squares);
}
