// One step of two weights by three flows. The full flow is the large picture: it can turn the belief with the weight.
import { DiagonalBelief, FullBelief, SphericalBelief, product } from "../engine/beliefs.js";
import { RandomState } from "../engine/random.js";
import { explorer } from "../kit.js";
import { bar, clamp, contours, curve, dots, ellipse, format, grid, handle, lines, mix, say, smooth, text } from "../marks.js";

const NAMES = ["full", "diagonal", "spherical"];
const SPAN = 2.9; // weights that are in sight at first
const random = new RandomState(5);
const CLOUD = Array.from({ length: 46 }, () => [random.standardNormal(), random.standardNormal()]); // an ensemble, whitened
const HERE = { mean: [0, 0], gradient_step: false };
const CHIPS = {
  "a quarter turn": { ...HERE, w: [1.5, 0], w_new: [0, 1.5], axes: [1, 1], angle: 0 },
  "straight in": { ...HERE, w: [1.8, 0.9], w_new: [0.8, 0.4], axes: [1, 1], angle: 0 },
  "across a tilted ellipse": { ...HERE, w: [1, 1.4], w_new: [-1, 0.8], axes: [2, 0.5], angle: 35 },
  "down a valley": { mean: [0, 0], gradient_step: true, loss: "valley", w: [1.6, 1.4], optimum: [-1.5, -0.2], eta: 1, axes: [1.4, 0.7], angle: -20 },
};
const title = (name) => name[0].toUpperCase() + name.slice(1);

export default explorer("flow", (ui) => {
  const { reach, losses } = ui.constants;
  const panels = NAMES.map((name) => ui.panel(name, { wash: true, isSquare: true, xticks: null, yticks: null }));
  const margin = { left: 76, right: 12, top: 6, bottom: 22 };
  const price = ui.panel("price", { caption: "What each flow costs (nats)", y: [0, 3], yticks: null, margin });
  const [main] = panels;
  ui.layout('"full diagonal spherical" 266px "full price price" 1fr / 1.04fr 0.5fr 0.5fr');
  ui.state.t = 1; // how far the beliefs have flowed
  const flow = () => ui.glide({ t: 1 }, 1100);
  ui.go("Let it flow", () => (ui.set({ t: 0 }), flow()));
  ui.controls(["gradient_step", "non_expansive"], ["loss", "eta", "angle", "rule"]);
  ui.presets(CHIPS, { before: { t: 0 }, after: flow });

  /** Where a gradient step takes w; it ends where it would leave the square of all weights. */
  function stepped({ w, optimum, eta, loss }) {
    const away = w.map((x, i) => x - optimum[i]);
    const step = losses[loss].map(([a, b]) => -eta * (a * away[0] + b * away[1]));
    const share = clamp(Math.min(1, ...step.map((d, i) => (d === 0 ? 1 : (reach - Math.sign(d) * w[i]) / Math.abs(d)))), 0, 1);
    return step.map((d, i) => clamp(w[i] + share * d, -reach, reach));
  }
  /** Each flow from the belief of its type that is nearest to the ellipse, and where it takes any point. */
  function flowsOf({ mean, axes, angle, w, rule, non_expansive: nonExpansive }, wNew) {
    const [c, s] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
    const full = new FullBelief(mean, [axes[0] * c, -axes[1] * s, axes[0] * s, axes[1] * c]);
    const [x, y] = full.std;
    const priors = [full, new DiagonalBelief(mean, [x, y]), new SphericalBelief(mean, Math.hypot(x, y) / Math.SQRT2)];
    return priors.map((prior) => {
      const posterior = prior.copy().flow(w, wNew, null, { nonExpansive, rule });
      const offset = (at) => prior.whitened([at[0] - mean[0], at[1] - mean[1]]);
      const turn = prior instanceof DiagonalBelief ? 0 : between(offset(w), offset(wNew));
      const whitened = [Math.cos(turn), -Math.sin(turn), Math.sin(turn), Math.cos(turn)]; // it turns whitened offsets,
      const matrix = product(posterior.factor, product(whitened, prior.inverse)); // and the new factor colours them again
      const shift = prior.whitened([posterior.mean[0] - mean[0], posterior.mean[1] - mean[1]]);
      return { prior, posterior, matrix, turn: turnOf(matrix), kl: posterior.kl(prior), forMean: 0.5 * (shift[0] ** 2 + shift[1] ** 2) };
    });
  }
  /** The angle from one offset to another; from or to the mean there is none. */
  function between(/** @type {number[]} */ [a, b], /** @type {number[]} */ [c, d]) {
    const [across, along] = [a * d - b * c, a * c + b * d];
    return Math.hypot(a, b) < 1e-12 || Math.hypot(c, d) < 1e-12 ? 0 : Math.atan2(across, along);
  }
  /** Degrees by which a matrix turns the plane: those of the rotation nearest to it. */
  function turnOf(/** @type {number[]} */ [a, b, c, d]) {
    const across = Math.abs(c - b) > 1e-12 * Math.hypot(a, b, c, d) ? c - b : 0; // of a symmetric matrix only rounding is left
    return (Math.atan2(across, a + d) * 180) / Math.PI;
  }

  const bowl = ui.memo(["gradient_step", "loss", "optimum", "span"], ({ gradient_step: isOn, loss, optimum, span }) => isOn &&
    grid(61, [-span, span], [-span, span], (x, y) => {
      const [u, v] = [x - optimum[0], y - optimum[1]];
      const [[a, b], [c, d]] = losses[loss];
      return Math.sqrt(0.5 * (u * (a * u + b * v) + v * (c * u + d * v)));
    }));

  function drawFlow(p, s, { prior, posterior, matrix, turn }, wNew) {
    const isMain = p === main;
    const part = smooth(s.t);
    const linear = (start, m, x, y) => [start[0] + m[0] * x + m[1] * y, start[1] + m[2] * x + m[3] * y];
    const move = (at) => linear(posterior.mean, matrix, at[0] - prior.mean[0], at[1] - prior.mean[1]);
    const colored = (z) => linear(prior.mean, prior.factor, z[0], z[1]);
    // On its way a belief is that of the points that are on theirs.
    const way = (at) => mix(at, move(at), part);
    const mean = way([...prior.mean]);
    const [first, second] = [[1, 0], [0, 1]].map((one) => way(colored(one)));
    const factor = [first[0] - mean[0], second[0] - mean[0], first[1] - mean[1], second[1] - mean[1]];
    const carried = CLOUD.map(colored).map((at) => [at, way(at)]);
    const shown = s.gradient_step && isMain;
    p.set({ x: [-s.span, s.span], y: [-s.span, s.span] });
    const radians = (s.angle * Math.PI) / 180;
    const axis = (i) => [0, 1].map((k) => s.mean[k] + s.axes[i] * (k ? Math.sin : Math.cos)(radians + (i * Math.PI) / 2));
    const at = (label, color, name, look) => {
      return handle(s[name], { label, color, shape: look, step: 0.05, set: (to) => ui.set({ [name]: to, t: 1 }) });
    };
    p.draw(
      shown && contours(bowl(s), [0.2, 0.5, 0.9, 1.4, 2, 2.8], "quiet", { opacity: 0.5 }),
      [2, 1].map((k) => ellipse(mean, factor, k, "posterior", { fill: 0.14, width: 1.5 })),
      [2, 1].map((k) => ellipse(prior.mean, prior.factor, k, "prior", { width: 1.25 })),
      lines(carried.map(([from, to]) => [mix(from, to, 0.45), to]), "posterior", { opacity: 0.4 }),
      dots(carried.map(([, to]) => to), "posterior", { r: isMain ? 2.5 : 1.75, fill: 1 }),
      curve([s.w, wNew], "weight", { width: isMain ? 2.5 : 2 }),
      !isMain && dots([s.w], "weight", { r: 4.5, hollow: true, width: 2 }), !isMain && dots([wNew], "weight", { r: 4.5, fill: 1 }),
      isMain && text(s.w, "w", "weight", { dx: 17, dy: 5 }), isMain && text(wNew, "w′", "weight", { dx: 19, dy: 5 }),
      shown && text(s.optimum, "lowest", "ink", { dx: 14, anchor: "start", bold: false }),
      isMain && [
        at("Mean of the prior", "prior", "mean", "small"),
        ...[0, 1].map((i) => handle(axis(i), {
          label: `Axis ${i + 1} of the prior`, color: "prior", shape: "small", step: 0.05, says: `σ ${format(s.axes[i])}`,
          set: ([x, y]) => {
            const [dx, dy] = [x - s.mean[0], y - s.mean[1]];
            const degrees = (Math.atan2(dy, dx) * 180) / Math.PI - 90 * i;
            const axes = s.axes.map((old, k) => (k === i ? Math.hypot(dx, dy) : old));
            ui.set({ axes, angle: degrees - 180 * Math.round(degrees / 180), t: 1 });
          },
        })),
        shown && at("Lowest point of the loss", "ink", "optimum", "target"),
        at("Weight before its step", "weight", "w", "ring"),
        !s.gradient_step && at("Weight after its step", "weight", "w_new", "disc"),
      ].filter(Boolean),
      shown && dots([wNew], "weight", { r: 7, fill: 1 }),
    );
    p.title(`${title(p.name)} flow: ${Math.abs(turn) > 0.5 ? `turns ${format(Math.abs(turn), 0)}°` : "no turn"}`);
  }

  function drawPrice(flows) {
    const verdicts = [Math.abs(flows[0].turn) > 0.5 ? "turns with the weight" : "need not turn", "cannot turn", "turns, but stays round"];
    price.set({ x: [0, Math.max(0.3, ...flows.map(({ kl }) => 1.35 * kl))] });
    price.draw(flows.flatMap(({ kl, forMean }, i) => [
      bar(0, Math.min(forMean, kl), 2.5 - i, "for-mean", { dy: -4, height: 18 }),
      bar(Math.min(forMean, kl), kl, 2.5 - i, "for-width", { dy: -4, height: 18 }),
      text([kl, 2.5 - i], format(kl), "ink", { anchor: "start", dx: 6, dy: 0 }),
      text([0, 2.5 - i], verdicts[i], "quiet", { anchor: "start", dy: 20 }),
      text([0, 2.5 - i], NAMES[i], "ink", { anchor: "end", dx: -10, dy: 0, bold: false, inside: false }),
    ]));
  }

  return (s) => {
    const wNew = s.gradient_step ? stepped(s) : s.w_new;
    const flows = flowsOf(s, wNew);
    // What is far out stays in sight: the plane grows in steps, so that nothing slips away under a hand.
    const far = Math.max(...[s.w, wNew, s.mean].flat().map(Math.abs), ...flows[0].prior.std.map((std, i) => Math.abs(s.mean[i]) + std));
    s.span = far > 4.3 ? 6.3 : far > 2.85 ? 4.4 : SPAN;
    panels.forEach((p, i) => drawFlow(p, s, flows[i], wNew));
    drawPrice(flows);
    const [full, diagonal, spherical] = flows.map(({ kl }) => [format(kl), "ink"]);
    const going = say`To go with the ${["weight", "weight"]} costs the ${["belief", "posterior"]}`;
    return say`${going} ${full} nats by the full flow, ${diagonal} by the diagonal, ${spherical} by the spherical.`;
  };
});
