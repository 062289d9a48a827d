// One step of two weights by three flows. The full flow is the large picture: it can turn the belief with the weight.
import { DiagonalBelief, FullBelief, SphericalBelief, product } from "../engine/beliefs.js";
import { RandomState } from "../engine/random.js";
import { explorer } from "../kit.js";
import { curve, dots, ellipse, format, handle, lines, mix, say, text, unit } from "../marks.js";

const NAMES = ["full", "diagonal", "spherical"];
const SPANS = [2.9, 4.4, 6.3]; // weights that are in sight: the plane grows in steps, never under a hand
const random = new RandomState(5);
const CLOUD = Array.from({ length: 46 }, () => [random.standardNormal(), random.standardNormal()]); // whitened
const HERE = { mean: [0, 0], angle: 0 };
const CHIPS = {
  "a quarter turn": { ...HERE, w: [1.5, 0], w_new: [0, 1.5], axes: [1, 1] },
  "straight in": { ...HERE, w: [1.8, 0.9], w_new: [0.8, 0.4], axes: [1, 1] },
  "across a tilted ellipse": { ...HERE, w: [1, 1.4], w_new: [-1, 0.8], axes: [2, 0.5], angle: 35 },
};

export default explorer("flow", (ui) => {
  const panels = NAMES.map((name) => ui.panel(name, { wash: true, isSquare: true, xticks: null, yticks: null }));
  const margin = { left: 76, right: 12, top: 6, bottom: 22 };
  const price = ui.panel("price", { y: [0, 3], yticks: null, margin });
  ui.layout('"full diagonal spherical" 266px "full price price" 1fr / 1.04fr 0.5fr 0.5fr');
  ui.state.t = 1; // how far the beliefs have flowed
  const flow = () => ui.glide({ t: 1 }, 1100);
  ui.go("Let it flow", () => (ui.set({ t: 0 }), flow()));
  ui.controls(["non_expansive", "rule"], ["angle"]);
  ui.presets(CHIPS, { before: { t: 0 }, after: flow });

  /** Each flow from the belief of its type that is nearest to the ellipse, and the matrix that moves any offset. */
  function flowsOf({ mean, axes, angle, w, w_new: wNew, rule, non_expansive: nonExpansive }) {
    const [c, s] = unit((angle * Math.PI) / 180);
    const full = new FullBelief(mean, [axes[0] * c, -axes[1] * s, axes[0] * s, axes[1] * c]);
    const round = Math.hypot(...full.std) / Math.SQRT2;
    const priors = [full, new DiagonalBelief(mean, full.std), new SphericalBelief(mean, round)];
    return priors.map((prior) => {
      const posterior = prior.copy().flow(w, wNew, null, { nonExpansive, rule });
      const turn = prior.turn(w, wNew);
      const rotation = [Math.cos(turn), -Math.sin(turn), Math.sin(turn), Math.cos(turn)]; // of whitened offsets, which
      const matrix = product(posterior.factor, product(rotation, prior.inverse)); // the new factor colours again
      const forMean = 0.5 * Math.hypot(...prior.whitened(mean.map((x, i) => posterior.mean[i] - x))) ** 2;
      return { prior, posterior, matrix, turn: turnOf(matrix), kl: posterior.kl(prior), forMean };
    });
  }
  /** Degrees by which a matrix turns the plane: those of the rotation nearest to it. */
  function turnOf(/** @type {number[]} */ [a, b, c, d]) {
    const across = Math.abs(c - b) > 1e-12 * Math.hypot(a, b, c, d) ? c - b : 0; // else only rounding is left
    return (Math.atan2(across, a + d) * 180) / Math.PI;
  }

  /** Handles in the large picture, for both weights and the ellipse. */
  function handles(s) {
    const { mean, axes, angle } = s;
    const at = (label, color, name, look) => {
      return handle(s[name], { label, color, shape: look, step: 0.05, set: (to) => ui.set({ [name]: to, t: 1 }) });
    };
    const axis = (long, i) => {
      const [c, s] = unit((angle * Math.PI) / 180 + (i * Math.PI) / 2);
      const set = ([x, y]) => {
        const degrees = (Math.atan2(y - mean[1], x - mean[0]) * 180) / Math.PI - 90 * i;
        const longer = axes.with(i, Math.hypot(x - mean[0], y - mean[1]));
        ui.set({ axes: longer, angle: degrees - 180 * Math.round(degrees / 180), t: 1 });
      };
      const look = { label: `Axis ${i + 1} of the prior`, color: "prior", shape: "small", says: `σ ${format(long)}` };
      return handle([mean[0] + long * c, mean[1] + long * s], { ...look, step: 0.05, set });
    };
    return [
      at("Mean of the prior", "prior", "mean", "small"), ...axes.map(axis),
      at("Weight before its step", "weight", "w", "ring"), at("Weight after its step", "weight", "w_new", "disc"),
    ];
  }

  function drawFlow(p, s, { prior, posterior, matrix, turn }) {
    const isMain = p === panels[0];
    const linear = (start, m, x, y) => [start[0] + m[0] * x + m[1] * y, start[1] + m[2] * x + m[3] * y];
    const colored = (z) => linear(prior.mean, prior.factor, z[0], z[1]);
    const moved = (at) => linear(posterior.mean, matrix, at[0] - prior.mean[0], at[1] - prior.mean[1]);
    const way = (at) => mix(at, moved(at), s.t);
    // On its way a belief is that of the points that are on theirs.
    const mean = way([...prior.mean]);
    const [[a, c], [b, d]] = [[1, 0], [0, 1]].map((one) => way(colored(one)).map((x, i) => x - mean[i]));
    const carried = CLOUD.map(colored).map((at) => [at, way(at)]);
    p.set({ x: [-s.span, s.span], y: [-s.span, s.span] });
    p.draw(
      [2, 1].map((k) => ellipse(mean, [a, b, c, d], k, "posterior", { fill: 0.14, width: 1.5 })),
      [2, 1].map((k) => ellipse(prior.mean, prior.factor, k, "prior", { width: 1.25 })),
      lines(carried.map(([from, to]) => [mix(from, to, 0.45), to]), "posterior", { opacity: 0.4 }),
      dots(carried.map(([, to]) => to), "posterior", { r: isMain ? 2.5 : 1.75, fill: 1 }),
      curve([s.w, s.w_new], "weight", { width: isMain ? 2.5 : 2 }),
      isMain
        ? [text(s.w, "w", "weight", { dx: 17, dy: 5 }), text(s.w_new, "w′", "weight", { dx: 19, dy: 5 }), handles(s)]
        : [dots([s.w], "weight", { r: 4.5, hollow: true, width: 2 }), dots([s.w_new], "weight", { r: 4.5, fill: 1 })],
    );
    const name = p.name[0].toUpperCase() + p.name.slice(1);
    p.title(`${name} flow: ${Math.abs(turn) > 0.5 ? `turns ${format(Math.abs(turn), 0)}°` : "no turn"}`);
  }

  function drawPrice(flows) {
    price.set({ x: [0, Math.max(0.3, ...flows.map(({ kl }) => 1.35 * kl))] });
    price.draw(flows.flatMap(({ kl, forMean }, i) => [
      curve([[0, 2.5 - i], [Math.min(forMean, kl), 2.5 - i]], "for-mean", { width: 20 }),
      curve([[Math.min(forMean, kl), 2.5 - i], [kl, 2.5 - i]], "for-width", { width: 20 }),
      text([kl, 2.5 - i], format(kl), "ink", { anchor: "start", dx: 6 }),
      text([0, 2.5 - i], NAMES[i], "ink", { anchor: "end", dx: -10, bold: false, inside: false }),
    ]));
    price.title(say`Price in nats: ${["mean", "for-mean"]} + ${["width", "for-width"]}`);
  }

  return (s) => {
    const flows = flowsOf(s);
    const edges = flows[0].prior.std.map((std, i) => Math.abs(s.mean[i]) + 2 * std);
    const far = Math.max(...edges, ...[s.w, s.w_new, s.mean].flat().map(Math.abs));
    s.span = SPANS.find((span) => far <= 0.98 * span) ?? SPANS[2];
    panels.forEach((p, i) => drawFlow(p, s, flows[i]));
    drawPrice(flows);
    const [full, diagonal, spherical] = flows.map(({ kl }) => [format(kl), "ink"]);
    const going = say`Following the ${["weight", "weight"]} costs a full ${["belief", "posterior"]} ${full} nats`;
    return say`${going}, a diagonal one ${diagonal} and a spherical one ${spherical}.`;
  };
});
