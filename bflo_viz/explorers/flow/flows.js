// One step in the plane by each of the three flows, as in bflo_viz.scenes.two_dimensions: beliefs, fields and costs.
import { DiagonalBelief, FullBelief, SphericalBelief } from "../engine/beliefs.js";
import { product } from "../engine/matrices.js";

export const NAMES = ["full", "diagonal", "spherical"];

/** The three flows of a state, each from the belief of its type that is nearest to the ellipse by KL(ellipse ‖ belief). */
export function flowsOf({ mean, axes, angle, w, w_new: wNew, rule, non_expansive: nonExpansive }) {
  const full = new FullBelief(mean, factorOf(axes, angle));
  const [x, y] = full.std;
  const priors = [full, new DiagonalBelief(mean, [x, y]), new SphericalBelief(mean, Math.hypot(x, y) / Math.SQRT2)];
  return priors.map((prior, i) => ({ name: NAMES[i], ...flowOf(prior, w, wNew, { rule, nonExpansive }) }));
}

/** What a flow makes of a belief as w moves to wNew: { prior, posterior, matrix, move, turn, kl, entropyChange }. */
export function flowOf(prior, w, wNew, options) {
  const posterior = prior.copy().flow(w, wNew, null, options);
  const [cos, sin] = [Math.cos(posterior.turn()), Math.sin(posterior.turn())];
  // A flow turns whitened offsets, and the new factor colours them again.
  const turned = product([cos, -sin, sin, cos], new FullBelief(prior.mean, prior.factor).inverse, 2);
  const [a, b, c, d] = product(posterior.factor, turned, 2);
  const move = ([x, y]) => {
    const [dx, dy] = [x - prior.mean[0], y - prior.mean[1]];
    return [posterior.mean[0] + a * dx + b * dy, posterior.mean[1] + c * dx + d * dy];
  };
  const kl = posterior.kl(prior);
  return { prior, posterior, matrix: [a, b, c, d], move, turn: turnOf([a, b, c, d]), kl, entropyChange: posterior.entropy() - prior.entropy() };
}

/** Degrees by which a matrix turns the plane: those of the rotation nearest to it. */
function turnOf([a, b, c, d]) {
  // What is left of a symmetric matrix is rounding; such a matrix turns by half or not at all.
  const across = Math.abs(c - b) > 1e-12 * Math.hypot(a, b, c, d) ? c - b : 0;
  return (Math.atan2(across, a + d) * 180) / Math.PI;
}

/** Factor of the covariance whose ellipse has these half axes (standard deviations), turned by so many degrees. */
export function factorOf([long, short], degrees) {
  const angle = (degrees * Math.PI) / 180;
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return [long * c, -short * s, long * s, short * c];
}

/** Where a gradient step of a quadratic loss takes w; it ends where it would leave the square −reach … reach. */
export function gradientStep(w, optimum, hessian, eta, reach = Infinity) {
  const [x, y] = [w[0] - optimum[0], w[1] - optimum[1]];
  const step = hessian.map(([a, b]) => -eta * (a * x + b * y));
  const room = step.map((d, i) => (d === 0 ? 1 : (reach - Math.sign(d) * w[i]) / Math.abs(d)));
  const share = Math.max(0, Math.min(1, ...room));
  return step.map((d, i) => Math.max(-reach, Math.min(reach, w[i] + share * d)));
}
