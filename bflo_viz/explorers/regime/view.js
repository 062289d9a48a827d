// The regimes of one update: a point on two maps, the belief it makes, and the landscape whose lowest point it takes.
import { carry, regime, stretch, stretchKl, widthKl } from "../engine/flows.js";
import { button, controls, fill, format, group, mount, remembered, tag, write } from "../shared/kit.js";
import { colour, contour, fillCanvas, handle, line, plot, put, svg } from "../shared/plot.js";

const GRID = 81; // of the contours
const WIDTHS = [0.25, 0.5, 0.8, 1 - 1e-9, 1.25, 1.6]; // just below 1: found even where a map is 1 all over
const LABELLED = [[0.25, 2.9], [0.5, 1.6], [0.8, 3.4], [1.25, 1.2], [1.6, 1.2]]; // and where, clear of the names below
const PLACES = { contracting: [0.68, 0.22], crossing: [0.55, -0.55], expanding: [0.34, 0.84] };

const [MEAN, STD] = [new Float64Array(1), new Float64Array(1)]; // a map asks for ten thousands of updates at a time

/** The update of N(0, std²) whose weight moves from delta to delta_new; the stretch is negative on the reflected branch. */
function updated({ delta, delta_new: deltaNew, std, branch, non_expansive: nonExpansive }) {
  [MEAN[0], STD[0]] = [0, std];
  carry(MEAN, STD, 0, delta / std, deltaNew - delta, branch, nonExpansive);
  const ratio = STD[0] / std;
  return { mean: MEAN[0], std: STD[0], stretch: branch * ratio, kl: 0.5 * (MEAN[0] / std) ** 2 + widthKl(ratio) };
}

/** The regime: on the reflected branch that of the mirrored weight, since the belief is turned over first. */
const regimeOf = ({ delta, delta_new: deltaNew, branch }) => regime(branch * delta, deltaNew);

/** Why the width changed, in one sentence (two where the belief is turned over first). */
function why(now) {
  const { delta, delta_new: deltaNew, std, branch, non_expansive: clipped } = now;
  const name = regimeOf(now);
  const free = Math.abs(stretch(delta / std, deltaNew / std, branch));
  const turned = branch < 0 ? `Reflected: the belief is turned over at its mean, which takes the weight to ${format(-delta)}. From there: ` : "";
  if (clipped && free > 1 + 1e-12) {
    const far = free < 1.005 ? "a little" : `to ${format(100 * free, 0)} %`;
    return `${turned}The flow would have widened the belief ${far}; non-expansive, it keeps its width, and its mean goes further instead.`;
  }
  const reason = {
    unchanged:
      branch * delta === deltaNew
        ? "The weight is already where it went, so nothing else changes."
        : "The weight was the mean itself: carrying it along is a shift, and a shift needs no change of width.",
    contracting: "The weight moved towards the mean: drawing the belief together takes it there at less cost than moving all of it.",
    expanding: "The weight moved away from the mean: stretching the belief takes it part of the way, and the mean goes the rest.",
    crossing: "The weight moved past the mean: the whole belief must be shifted across, and the narrower it is, the less far it has to go.",
  }[name];
  return turned + reason;
}

/** One of the two maps, with its contours, its lines and the names of the regimes. */
function drawMap(ui, name) {
  const span = ui.about("delta").high;
  const p = plot(ui, name, { x: [-span, span], y: [-span, span], ticks: [-4, -2, 0, 2, 4], canvas: true });
  const ink = (look) => p.path({ stroke: "#222222", ...look });
  const low = ink({ "stroke-width": 0.7, "stroke-dasharray": "4 3" });
  const high = ink({ "stroke-width": 0.7 });
  const same = ink({ "stroke-width": 1.8 });
  ink({ "stroke-dasharray": "1 3", d: line([[-span, -span], [span, span]], p) + line([[0, -span], [0, span]], p) });
  const names = svg(p.over, "g", { class: "bflo-on-map", "text-anchor": "middle", "pointer-events": "none" });
  const nameRegimes = (branch) => {
    names.replaceChildren();
    for (const [name, [x, y]] of Object.entries(PLACES)) {
      for (const side of [1, -1]) {
        svg(names, "text", { x: p.X(side * x * span), y: p.Y(branch * side * y * span) + 4, "font-weight": 600 }, name);
      }
    }
  };
  const levels = svg(p.over, "g", { class: "bflo-on-map", "text-anchor": "middle", "font-size": 10, "pointer-events": "none" });
  return { p, low, high, same, levels, nameRegimes };
}

/** Write a level on its contour, where that crosses one of two columns of the map. */
function nameLevel({ p, levels }, values, level, places) {
  const span = p.x[1];
  const at = (x) => Math.round(((x / span + 1) / 2) * (GRID - 1));
  for (const x of places) {
    const column = Array.from({ length: GRID }, (_, j) => values[j * GRID + at(x)] - level);
    const j = column.findIndex((value, i) => i > 0 && value < 0 !== column[i - 1] < 0);
    const y = -span + ((j - 0.5) * 2 * span) / (GRID - 1);
    if (j > 0 && Math.abs(y) < 0.93 * span) svg(levels, "text", { x: p.X(x), y: p.Y(y) + 3.5 }, String(level).replace("-", "−"));
  }
}

export default {
  render(view) {
    const ui = mount(view, "regime");
    const { model } = ui;
    const span = ui.about("delta").high;
    controls(ui, ["delta", "delta_new", "std", "branch", "non_expansive"]);
    const presets = group(ui, "Figure 2c: one σ from the mean, moved by");
    for (const by of [-4, -2, 2, 4]) {
      button(ui, {
        name: `preset${by}`,
        label: `${by < 0 ? "−" : "+"}${Math.abs(by)} σ`,
        action: () => ui.set({ std: 0.75, delta: 0.75, delta_new: 0.75 * (1 + by), branch: 1, non_expansive: false }),
        parent: presets,
      });
    }

    const [means, widths] = ["means", "widths"].map((name) => drawMap(ui, name));
    const beliefs = plot(ui, "beliefs", { x: [-6, 6], y: [0, 1] });
    const landscape = plot(ui, "landscape", { x: [-2.5, 2.5], y: [0, 7] });

    const before = beliefs.path({ stroke: "var(--prior)", "stroke-width": 2 });
    const after = beliefs.path({ fill: "var(--posterior)", "fill-opacity": 0.25, stroke: "var(--posterior)", "stroke-width": 2 });
    const weights = ["var(--paper)", "var(--weight)"].map((fill) => ({
      stem: svg(beliefs.layer, "line", { stroke: "var(--weight)", "stroke-width": 1.5, "stroke-dasharray": "5 3" }),
      dot: svg(beliefs.over, "circle", { r: 5, fill, stroke: "var(--weight)", "stroke-width": 2 }),
    }));
    const legend = svg(beliefs.over, "g");
    [["prior", "var(--prior)"], ["posterior", "var(--posterior)"], ["w before ○, after ●", "var(--weight)"]].forEach(([text, color], i) => {
      svg(legend, "text", { x: 54, y: 24 + 15 * i, style: `fill: ${color}`, "font-weight": 600 }, text);
    });
    const terms = landscape.path({ stroke: "var(--prior)", "stroke-width": 1.2, "stroke-dasharray": "5 3" });
    const curve = landscape.path({ stroke: "var(--ink)", "stroke-width": 2 });
    const lowest = [1, -1].map(() => svg(landscape.over, "circle", { r: 6, stroke: "var(--posterior)", "stroke-width": 2 }));
    const taken = svg(landscape.over, "text", { "text-anchor": "middle" }, "taken");

    const words = ([x, y]) => `Δ ${format(x)}, Δ′ ${format(y)}, ${regime(model.get("branch") * x, y)}`;
    const points = [[widths.p, "point"], [means.p, "point-mean"]].map(([p, name]) =>
      handle(ui, p, {
        name,
        label: `Weight before and after its step, on the map of the ${name === "point" ? "standard deviation" : "mean"}`,
        get: () => [model.get("delta"), model.get("delta_new")],
        set: ([delta, deltaNew]) => ui.set({ delta, delta_new: deltaNew }),
        text: words,
        shape: "ring",
        color: "#222222",
      }),
    );

    // The maps do not depend on the point.
    const drawMaps = remembered(ui, ["std", "branch", "non_expansive"], (options) => {
      const { std, branch, non_expansive } = options;
      const at = (x, y) => updated({ delta: x, delta_new: y, std, branch, non_expansive }); // to spread options takes long
      const place = (i) => -span + (i * 2 * span) / (GRID - 1);
      const grid = Array.from({ length: GRID * GRID }, (_, k) => at(place(k % GRID), place(Math.floor(k / GRID))));
      const reach = Math.max(...grid.map((flow) => Math.abs(flow.mean)), 1e-9);
      fillCanvas(means.p, (x, y) => colour(at(x, y).mean / reach));
      fillCanvas(widths.p, (x, y) => colour(Math.log2(at(x, y).std / std) / 3));
      const path = (map, values, levels) => levels.map((level) => contour(values, GRID, GRID, level, map.p)).join("");
      const ratios = grid.map((flow) => flow.std / std);
      const shifts = grid.map((flow) => flow.mean);
      const steps = Array.from({ length: Math.floor(reach) }, (_, i) => i + 1);
      for (const map of [widths, means]) map.nameRegimes(branch);
      widths.levels.replaceChildren();
      means.levels.replaceChildren();
      for (const [level, x] of LABELLED) nameLevel(widths, ratios, level, [-x, x]);
      for (const level of steps) nameLevel(means, shifts, level, [-1.6]);
      for (const level of steps) nameLevel(means, shifts, -level, [1.6]);
      put(widths.low, { d: path(widths, ratios, WIDTHS.filter((level) => level < 0.99)) });
      put(widths.high, { d: path(widths, ratios, WIDTHS.filter((level) => level > 1)) });
      put(widths.same, { d: path(widths, ratios, [1 - 1e-9]) });
      put(means.low, { d: path(means, shifts, steps.map((level) => -level)) });
      put(means.high, { d: path(means, shifts, steps) });
      put(means.same, { d: path(means, shifts, [0]) });
    });

    ui.onDraw(() => {
      const now = ui.state();
      const { delta, delta_new: deltaNew, std, branch } = now;
      const flow = updated(now);
      drawMaps();
      points.forEach((point) => point.draw());
      drawBeliefs(std, flow, delta, deltaNew);
      drawLandscape(delta / std, deltaNew / std, flow.stretch, branch);
      const verb = flow.std === std ? "keeps its width" : flow.std < std ? "narrows" : "widens";
      const name = regimeOf(now);
      const regimeName = `${name[0].toUpperCase()}${name.slice(1)}`;
      const [a, kl] = [format(flow.stretch, 3), format(flow.kl, 3)];
      widths.p.set({ alt: `Map of the posterior standard deviation over Δ and Δ′; here it is ${format(flow.std)}.` });
      means.p.set({ alt: `Map of the posterior mean over Δ and Δ′; here it is ${format(flow.mean)}.` });
      beliefs.set({
        title: fill(beliefs.title, { regime: regimeName, verb }),
        alt: `Prior and posterior density; the weight moved from ${format(delta)} to ${format(deltaNew)}.`,
      });
      landscape.set({ title: fill(landscape.title, { a, kl }), alt: `KL by stretch; the update takes ${a}.` });
      write(sentence, why(now));
      write(
        numbers,
        `${regimeName}: mean 0 → ${format(flow.mean)}, standard deviation ${format(std)} → ${format(flow.std)} ` +
          `(${format((100 * flow.std) / std, 0)} %), KL ${kl} nats.`,
      );
      // A handle tells its place; then, like any control, what came of it.
      ui.tell(`${words([delta, deltaNew])}. ${why(now)}`);
    });
    const numbers = tag(ui.readout, "strong");
    const sentence = tag(ui.readout, "p");

    function drawBeliefs(std, flow, delta, deltaNew) {
      const density = (mean, width) => (x) => Math.exp(-0.5 * ((x - mean) / width) ** 2) / (width * Math.sqrt(2 * Math.PI));
      // Points lie around each mean: a narrow belief is drawn as finely as a wide one.
      const around = (mean, width) => Array.from({ length: 121 }, (_, i) => mean + (i - 60) * width * 0.08);
      const reach = Math.max(span + 0.5, 3 * std);
      const top = 1.3 * Math.max(density(0, std)(0), density(flow.mean, flow.std)(flow.mean));
      beliefs.set({ x: [-reach, reach], y: [0, top] });
      const draw = (mean, width) => line(around(mean, width).map((x) => [x, density(mean, width)(x)]), beliefs);
      put(before, { d: draw(0, std) });
      put(after, { d: draw(flow.mean, flow.std) });
      [delta, deltaNew].forEach((x, i) => {
        const [at, y] = [beliefs.X(x), beliefs.Y(0.76 * top)];
        put(weights[i].stem, { x1: at, x2: at, y1: beliefs.Y(0), y2: y });
        put(weights[i].dot, { cx: at, cy: y });
      });
    }

    function drawLandscape(u, v, a, branch) {
      const minima = [1, -1].map((side) => stretch(u, v, side));
      const span = Math.max(2.5, 1.15 * Math.max(...minima.map(Math.abs)));
      const costs = minima.map((at) => stretchKl(at, u, v));
      const top = Math.max(4, 1.5 * Math.max(...costs, stretchKl(a, u, v)));
      landscape.set({ x: [-span, span], y: [0, top] });
      const side = Array.from({ length: 200 }, (_, i) => span * ((i + 1) / 200) ** 2);
      const stretches = [...side.map((x) => -x).reverse(), NaN, ...side];
      put(curve, { d: line(stretches.map((x) => [x, stretchKl(x, u, v)]), landscape) });
      put(terms, { d: line(stretches.map((x) => [x, 0.5 * (v - x * u) ** 2]), landscape) });
      const chosen = branch > 0 ? 0 : 1;
      const clipped = Math.abs(a - minima[chosen]) > 1e-9;
      lowest.forEach((dot, i) => {
        const at = i === chosen ? a : minima[i];
        put(dot, {
          cx: landscape.X(at),
          cy: landscape.Y(stretchKl(at, u, v)),
          fill: i === chosen ? "var(--posterior)" : "var(--paper)",
        });
      });
      put(taken, { x: landscape.X(a), y: landscape.Y(stretchKl(a, u, v)) - 11 });
      taken.textContent = clipped ? "taken (clipped)" : "taken";
    }
    return ui.dispose;
  },
};
