// One flow along one direction, as in bflo_viz.flows: how far it stretches a belief, and what that costs.
// u and v are distances from the mean in standard deviations, before and after the step.

/** Stretch of the least-KL flow that carries u to v; branch is the paper's δ, dim is 1 in the paper. */
export function stretch(u, v, branch = 1, dim = 1) {
  const target = branch < 0 ? -v : v; // the lower root of (u, v) is minus the upper root of (u, −v)
  if (u === target) return branch;
  const size = Math.hypot(u, Math.sqrt(dim));
  const p = 0.5 * target * (u / size);
  const larger = Math.abs(p) + Math.hypot(p, Math.sqrt(dim));
  // One root, two algebraic forms; each is used on the side where it does not cancel.
  return (branch * (p >= 0 ? larger : dim / larger)) / size;
}

/** The two prices of a stretch in nats, [of the mean, of the width]; their sum is KL(posterior ‖ prior). @returns {number[]} */
export function klParts(a, u, v, dim = 1) {
  return [0.5 * (v - a * u) ** 2, dim * (0.5 * (a - 1) * (a + 1) - Math.log(Math.abs(a)))];
}

/**
 * Carry independent Gaussians along as each weight mean + z std moves by wNew − w, without dividing by std. It changes
 * mean and std in place; a weight that did not move leaves both as they were, to the bit. Returns the sum of all that it
 * wrote, which is finite only if all of it is.
 */
export function carry(mean, std, z, w, wNew, nonExpansive) {
  let sum = 0;
  for (let i = 0; i < mean.length; i++) {
    const move = wNew[i] - w[i];
    if (move === 0) continue;
    // The stretch times the width is the root s of (1 + z²) s² − z Δ′ s − std² = 0.
    const width = std[i];
    const target = z[i] * width + move;
    const p = 0.5 * z[i] * target;
    const q = 1 + z[i] * z[i];
    const root = Math.sqrt(q * width * width + p * p) + Math.abs(p);
    let newWidth = p < 0 ? (width * width) / root : root / q; // there p + root would cancel
    if (nonExpansive && newWidth > width) newWidth = width;
    mean[i] += target - z[i] * newWidth;
    std[i] = newWidth;
    sum += mean[i] + newWidth;
  }
  return sum;
}

/** Euclidean length of a vector. */
export function norm(x) {
  let squares = 0;
  for (let i = 0; i < x.length; i++) squares += x[i] * x[i];
  return Math.sqrt(squares);
}
