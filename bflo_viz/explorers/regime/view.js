// The regimes of one update: a point on two maps, the belief it makes, and the landscape whose lowest point it takes.
import { regime, stretch, stretchKl } from "../engine/flows.js";
import { button, controls, fill, format, group, mount, remembered, tag, write } from "../shared/kit.js";
import { colour, contour, fillCanvas, handle, line, plot, put, svg } from "../shared/plot.js";

const GRID = 121; // points a side of the maps
const SAME = 1 - 1e-9; // the level of a width that stays: found even where a map is 1 all over
const WIDTHS = [[0.25, 2.9], [0.5, 1.6], [0.8, 3.4], [1.25, 1.2], [1.6, 1.2]]; // levels, and where they are named
const PLACES = { contracting: [0.68, 0.22], crossing: [0.55, -0.55], expanding: [0.34, 0.84] };
const ON_MAP = { class: "bflo-on-map", "text-anchor": "middle", "pointer-events": "none" };

/** The update of N(0, std²) whose weight moves from delta to delta_new; the stretch is negative on the reflected branch. */
function updated({ delta, delta_new: deltaNew, std, branch, non_expansive: nonExpansive }) {
  const [u, v] = [delta / std, deltaNew / std];
  const free = stretch(u, v, branch);
  const a = nonExpansive && Math.abs(free) > 1 ? branch : free;
  return { mean: deltaNew - a * delta, std: Math.abs(a) * std, stretch: a, kl: stretchKl(a, u, v), wouldBe: Math.abs(free) };
}

/** The regime: on the reflected branch that of the mirrored weight, since the belief is turned over first. */
const regimeOf = ({ delta, delta_new: deltaNew, branch }) => regime(branch * delta, deltaNew);

/** Why the width changed, in one sentence (two where the belief is turned over first). */
function why(now, { wouldBe }) {
  const { delta, delta_new: deltaNew, branch } = now;
  const turned = branch < 0 ? `Reflected: the belief is turned over at its mean, which takes the weight to ${format(-delta)}. From there: ` : "";
  if (now.non_expansive && wouldBe > 1 + 1e-12) {
    const far = wouldBe < 1.005 ? "a little" : `to ${format(100 * wouldBe, 0)} %`;
    return `${turned}The flow would have widened the belief ${far}; non-expansive, it keeps its width, and its mean goes further instead.`;
  }
  const reasons = {
    unchanged:
      branch * delta === deltaNew
        ? "The weight is already where it went, so nothing else changes."
        : "The weight was the mean itself: carrying it along is a shift, and a shift needs no change of width.",
    contracting: "The weight moved towards the mean: drawing the belief together takes it there at less cost than moving all of it.",
    expanding: "The weight moved away from the mean: stretching the belief takes it part of the way, and the mean goes the rest.",
    crossing: "The weight moved past the mean: the whole belief must be shifted across, and the narrower it is, the less far it has to go.",
  };
  return turned + reasons[regimeOf(now)];
}

/** A map with its contours, its lines and the names of the regimes; `show` draws the values of a grid. */
function regimeMap(ui, name, span) {
  const p = plot(ui, name, { x: [-span, span], y: [-span, span], ticks: [-4, -2, 0, 2, 4], canvas: true });
  const ink = (look) => p.path({ stroke: "#222222", ...look });
  const low = ink({ "stroke-width": 0.7, "stroke-dasharray": "4 3" });
  const high = ink({ "stroke-width": 0.7 });
  const same = ink({ "stroke-width": 1.8 });
  ink({ "stroke-dasharray": "1 3", d: line([[-span, -span], [span, span]], p) + line([[0, -span], [0, span]], p) });
  const [names, levels] = [{ "font-weight": 600 }, { "font-size": 10.5 }].map((look) => svg(p.over, "g", { ...ON_MAP, ...look }));

  /** Write a level on its contour, where that crosses a column of the map. */
  function nameLevel(values, level, x) {
    const at = Math.round(((x / span + 1) / 2) * (GRID - 1));
    const column = Array.from({ length: GRID }, (_, j) => values[j * GRID + at] - level);
    const j = column.findIndex((value, i) => i > 0 && value < 0 !== column[i - 1] < 0);
    const y = -span + ((j - 0.5) * 2 * span) / (GRID - 1);
    if (j > 0 && Math.abs(y) < 0.93 * span) svg(levels, "text", { x: p.X(x), y: p.Y(y) + 3.5 }, String(level).replace("-", "−"));
  }

  /** `places` are pairs of a level and where it is named; levels below and above `middle` look different. */
  function show(values, middle, places, branch, colourOf) {
    fillCanvas(p, GRID, (k) => colourOf(values[k]));
    const path = (chosen) => [...new Set(chosen)].map((level) => contour(values, GRID, level, p)).join("");
    const all = places.map(([level]) => level);
    put(low, { d: path(all.filter((level) => level < middle)) });
    put(high, { d: path(all.filter((level) => level > middle)) });
    put(same, { d: path([middle]) });
    levels.replaceChildren();
    for (const [level, x] of places) nameLevel(values, level, x);
    names.replaceChildren();
    for (const [text, [x, y]] of Object.entries(PLACES)) {
      for (const side of [1, -1]) svg(names, "text", { x: p.X(side * x * span), y: p.Y(branch * side * y * span) + 4 }, text);
    }
  }
  return { p, show };
}

/** The densities of prior and posterior, and the weight before and after its step. */
function beliefPanel(ui, span) {
  const p = plot(ui, "beliefs", { x: [-6, 6], y: [0, 1] });
  const before = p.path({ stroke: "var(--prior)", "stroke-width": 2 });
  const after = p.path({ fill: "var(--posterior)", "fill-opacity": 0.25, stroke: "var(--posterior)", "stroke-width": 2 });
  const weights = ["var(--paper)", "var(--weight)"].map((color) => ({
    stem: svg(p.layer, "line", { stroke: "var(--weight)", "stroke-width": 1.5, "stroke-dasharray": "5 3" }),
    dot: svg(p.over, "circle", { r: 5, fill: color, stroke: "var(--weight)", "stroke-width": 2 }),
  }));
  ["prior", "posterior", "weight"].forEach((name, i) => {
    const look = { x: 54, y: 24 + 15 * i, style: `fill: var(--${name})`, "font-weight": 600 };
    svg(p.over, "text", look, name === "weight" ? "w before ○, after ●" : name);
  });
  // Points lie around each mean: a narrow belief is drawn as finely as a wide one.
  const curve = (mean, std) =>
    Array.from({ length: 121 }, (_, i) => (i - 60) * 0.08).map((z) => [mean + z * std, Math.exp(-0.5 * z * z) / (std * Math.sqrt(2 * Math.PI))]);
  const draw = ({ delta, delta_new: deltaNew, std }, flow) => {
    const reach = Math.max(span + 0.5, 3 * std);
    const [old, updatedCurve] = [curve(0, std), curve(flow.mean, flow.std)];
    const top = 1.3 * Math.max(old[60][1], updatedCurve[60][1]);
    p.set({ x: [-reach, reach], y: [0, top] });
    put(before, { d: line(old, p) });
    put(after, { d: line(updatedCurve, p) });
    [delta, deltaNew].forEach((x, i) => {
      const [at, y] = [p.X(x), p.Y(0.76 * top)];
      put(weights[i].stem, { x1: at, x2: at, y1: p.Y(0), y2: y });
      put(weights[i].dot, { cx: at, cy: y });
    });
  };
  return { p, draw };
}

/** What each stretch would cost: the curve, its first term, and the lowest point of each branch. */
function landscapePanel(ui) {
  const p = plot(ui, "landscape", { x: [-2.5, 2.5], y: [0, 7] });
  const terms = p.path({ stroke: "var(--prior)", "stroke-width": 1.2, "stroke-dasharray": "5 3" });
  const curve = p.path({ stroke: "var(--ink)", "stroke-width": 2 });
  const dots = [1, -1].map((side) => [side, svg(p.over, "circle", { r: 6, stroke: "var(--posterior)", "stroke-width": 2 })]);
  const taken = svg(p.over, "text", { "text-anchor": "middle" });
  const draw = ({ delta, delta_new: deltaNew, std, branch }, { stretch: a, wouldBe }) => {
    const [u, v] = [delta / std, deltaNew / std];
    const minima = dots.map(([side]) => stretch(u, v, side));
    const span = Math.max(2.5, 1.15 * Math.max(...minima.map(Math.abs)));
    p.set({ x: [-span, span], y: [0, Math.max(4, 1.5 * Math.max(...[...minima, a].map((at) => stretchKl(at, u, v))))] });
    const half = Array.from({ length: 200 }, (_, i) => span * ((i + 1) / 200) ** 2);
    const stretches = [...half.map((x) => -x).reverse(), NaN, ...half];
    put(curve, { d: line(stretches.map((x) => [x, stretchKl(x, u, v)]), p) });
    put(terms, { d: line(stretches.map((x) => [x, 0.5 * (v - x * u) ** 2]), p) });
    dots.forEach(([side, dot], i) => {
      const at = side === branch ? a : minima[i];
      put(dot, { cx: p.X(at), cy: p.Y(stretchKl(at, u, v)), fill: side === branch ? "var(--posterior)" : "var(--paper)" });
    });
    put(taken, { x: p.X(a), y: p.Y(stretchKl(a, u, v)) - 11 });
    write(taken, Math.abs(Math.abs(a) - wouldBe) > 1e-9 ? "taken (clipped)" : "taken");
  };
  return { p, draw };
}

export default {
  render(view) {
    const ui = mount(view, "regime");
    const { model } = ui;
    const span = ui.about("delta").high;
    controls(ui, ["delta", "delta_new", "std", "branch", "non_expansive"]);
    const presets = group(ui, "Figure 2c: one σ from the mean, moved by");
    for (const by of [-4, -2, 2, 4]) {
      const action = () => ui.set({ std: 0.75, delta: 0.75, delta_new: 0.75 * (1 + by), branch: 1, non_expansive: false });
      button(ui, { name: `preset${by}`, label: `${by < 0 ? "−" : "+"}${Math.abs(by)} σ`, action, parent: presets });
    }
    const [means, widths] = ["means", "widths"].map((name) => regimeMap(ui, name, span));
    const [beliefs, landscape] = [beliefPanel(ui, span), landscapePanel(ui)];
    const numbers = tag(ui.readout, "strong");
    const sentence = tag(ui.readout, "p");

    const points = [[widths.p, "point", "standard deviation"], [means.p, "point-mean", "mean"]].map(([p, name, what]) =>
      handle(ui, p, {
        name,
        label: `Weight before and after its step, on the map of the ${what}`,
        get: () => [model.get("delta"), model.get("delta_new")],
        set: ([delta, deltaNew]) => ui.set({ delta, delta_new: deltaNew }),
        text: ([x, y]) => `Δ ${format(x)}, Δ′ ${format(y)}, ${regime(model.get("branch") * x, y)}`,
        shape: "ring",
        color: "#222222",
        bounds: () => [p.x, p.y],
      }),
    );

    // The maps do not depend on the point.
    const drawMaps = remembered(ui, ["std", "branch", "non_expansive"], ({ std, branch, non_expansive }) => {
      const place = (i) => -span + (i * 2 * span) / (GRID - 1);
      const grid = Array.from({ length: GRID * GRID }, (_, k) =>
        updated({ delta: place(k % GRID), delta_new: place(Math.floor(k / GRID)), std, branch, non_expansive }),
      );
      const shifts = grid.map((flow) => flow.mean);
      const reach = Math.max(...shifts.map(Math.abs), 1e-9);
      const steps = Array.from({ length: Math.floor(reach) }, (_, i) => [[i + 1, -1.6], [-i - 1, 1.6]]).flat();
      means.show(shifts, 0, steps, branch, (shift) => colour(shift / reach));
      const levels = WIDTHS.flatMap(([level, x]) => [[level, -x], [level, x]]);
      widths.show(grid.map((flow) => flow.std / std), SAME, levels, branch, (ratio) => colour(Math.log2(ratio) / 3));
    });

    ui.onDraw(() => {
      const now = ui.state();
      const flow = updated(now);
      drawMaps();
      for (const point of points) point.draw();
      beliefs.draw(now, flow);
      landscape.draw(now, flow);
      const verb = flow.std === now.std ? "keeps its width" : flow.std < now.std ? "narrows" : "widens";
      const name = regimeOf(now);
      const regimeName = `${name[0].toUpperCase()}${name.slice(1)}`;
      const [before, mean, std, a, kl] = [format(now.std), format(flow.mean), format(flow.std), format(flow.stretch, 3), format(flow.kl, 3)];
      widths.p.set({ alt: `Map of the posterior standard deviation over Δ and Δ′; here it is ${std}.` });
      means.p.set({ alt: `Map of the posterior mean over Δ and Δ′; here it is ${mean}.` });
      beliefs.p.set({
        title: fill(beliefs.p.title, { regime: regimeName, verb }),
        alt: `Prior and posterior density; the weight moved from ${format(now.delta)} to ${format(now.delta_new)}.`,
      });
      landscape.p.set({ title: fill(landscape.p.title, { a, kl }), alt: `KL by stretch; the update takes ${a}.` });
      const share = format((100 * flow.std) / now.std, 0);
      write(numbers, `${regimeName}: mean 0 → ${mean}, standard deviation ${before} → ${std} (${share} %), KL ${kl} nats.`);
      write(sentence, why(now, flow));
      ui.tell(`${numbers.textContent} ${sentence.textContent}`);
    });
    return ui.dispose;
  },
};
