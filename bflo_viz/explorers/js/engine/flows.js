// One flow along one direction, as in bflo_viz.flows; u and v are distances from the mean in standard deviations.

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

/** The two prices of a stretch in nats, [of the mean, of the width]; their sum is the KL. @returns {number[]} */
export function klParts(a, u, v) {
  return [0.5 * (v - a * u) ** 2, 0.5 * (a - 1) * (a + 1) - Math.log(Math.abs(a))];
}
