// The regimes of one update: a point on two maps, the belief it makes, and the landscape whose lowest point it takes.
import { regime, stretch, stretchKl } from "../engine/flows.js";
import { button, controls, fill, format, group, mount, remembered, tag, write } from "../shared/kit.js";
import { colour, contour, fillCanvas, handle, line, plot, put, svg } from "../shared/plot.js";

const GRID = 121; // points a side of the maps
const SAME = 1 - 1e-9; // the level of a width that stays: found even where a map is 1 all over
// Levels of the width and where they are named, and where those of the mean are.
const LEVELS = { widths: [[0.25, 2.9], [0.5, 1.6], [0.8, 3.4], [1.25, 1.2], [1.6, 1.2]], means: 1.6 };
const PLACES = [[0.69, 0.3], [0.55, -0.55], [0.34, 0.84]]; // of names: each name is written once a side
const ON_MAP = { class: "bflo-on-map", "text-anchor": "middle", "pointer-events": "none" };

/** The update of N(0, std²) whose weight moves from delta to delta_new; the stretch is negative on the reflected branch. */
function updated(now) {
  const { delta, delta_new: deltaNew, std, branch } = now;
  const wouldBe = Math.abs(stretch(delta / std, deltaNew / std, branch));
  const a = stretchOf(now, delta, deltaNew);
  return { mean: deltaNew - a * delta, std: Math.abs(a) * std, stretch: a, wouldBe };
}

/** The stretch that is taken: where it may not widen, at most 1 in size. */
function stretchOf({ std, branch, non_expansive: nonExpansive }, delta, deltaNew) {
  const a = stretch(delta / std, deltaNew / std, branch);
  return nonExpansive && Math.abs(a) > 1 ? branch : a;
}

const regimeOf = ({ delta, delta_new: deltaNew, std, branch }) => regime(delta / std, deltaNew / std, branch);

/** Why the width changed, by what the weight did once the belief was turned over, if it was. */
const REASONS = {
  unchanged: "The weight was the mean itself: carrying it along is a shift, and a shift needs no change of width.",
  contracting: "The weight moved towards the mean: drawing the belief together takes it there at less cost than moving all of it.",
  expanding: "The weight moved away from the mean: stretching the belief takes it part of the way, and the mean goes the rest.",
  crossing: "The weight moved past the mean: the whole belief must be shifted across, and the narrower it is, the less far it has to go.",
};

/** Why the width changed, in one sentence (two where the belief is turned over first). */
function why(now, { wouldBe, mean }) {
  const { delta, delta_new: deltaNew, branch } = now;
  const turned = branch < 0 ? `Reflected: the belief is turned over at its mean, which takes the weight to ${format(-delta)}. From there: ` : "";
  if (now.non_expansive && wouldBe > 1 + 1e-12) {
    const far = wouldBe < 1.005 ? "a little" : `to ${format(100 * wouldBe, 0)} %`;
    const goes = Math.abs(mean) > Math.abs(deltaNew - branch * wouldBe * delta) ? "further" : "less far";
    return `${turned}The flow would have widened the belief ${far}; non-expansive, it keeps its width, and its mean goes ${goes} instead.`;
  }
  if (branch * delta === deltaNew) return `${turned}The weight is already where it went, so nothing else changes.`;
  return turned + REASONS[regimeOf(now)];
}

/** A map with its contours, its lines and the names of the regimes; `show` draws the values of a grid. */
function regimeMap(ui, name, span) {
  const p = plot(ui, name, { x: [-span, span], y: [-span, span], ticks: [-4, -2, 0, 2, 4], canvas: true });
  const ink = (look) => p.path({ stroke: "#222222", ...look });
  const low = ink({ "stroke-width": 0.7, "stroke-dasharray": "4 3" });
  const high = ink({ "stroke-width": 0.7 });
  const same = ink({ "stroke-width": 1.8 });
  ink({ "stroke-dasharray": "1 3", d: line([[-span, -span], [span, span]], p) + line([[0, -span], [0, span]], p) });
  const gap = 0.05; // the line between is to be seen
  const covers = [[-span, span], [gap, 0]].map(([x, y]) =>
    svg(p.layer, "rect", { x: p.X(x), y: p.Y(y), width: p.X(span) - p.X(gap), height: p.Y(0) - p.Y(span), fill: "#e4e4e4" }),
  );
  const [names, levels] = [{ "font-weight": 600, "font-size": 12 }, { "font-size": 10.5 }].map((look) => svg(p.over, "g", { ...ON_MAP, ...look }));

  /** Write a level on its contour, where that crosses a column of the map. */
  function nameLevel(values, level, x, hidden) {
    const at = Math.round(((x / span + 1) / 2) * (GRID - 1));
    const column = Array.from({ length: GRID }, (_, j) => values[j * GRID + at] - level);
    const j = column.findIndex((value, i) => i > 0 && value < 0 !== column[i - 1] < 0);
    const y = -span + ((j - 0.5) * 2 * span) / (GRID - 1);
    if (j > 0 && Math.abs(y) < 0.93 * span && !hidden(x, y)) svg(levels, "text", { x: p.X(x), y: p.Y(y) + 3.5 }, String(level).replace("-", "−"));
  }

  /** `places` are pairs of a level and where it is named; levels below and above `middle` look different. */
  function show(values, middle, places, now, colourOf) {
    fillCanvas(p, GRID, (k) => colourOf(values[k]));
    const path = (chosen) => [...new Set(chosen)].map((level) => contour(values, GRID, level, p)).join("");
    const all = places.map(([level]) => level);
    put(low, { d: path(all.filter((level) => level < middle)) });
    put(high, { d: path(all.filter((level) => level > middle)) });
    put(same, { d: path([middle]) });
    for (const cover of covers) put(cover, { display: now.covered ? "inline" : "none" });
    levels.replaceChildren();
    for (const [level, x] of places) nameLevel(values, level, x, (at, y) => now.covered && at * y < 0);
    names.replaceChildren();
    const written = new Set();
    for (const [x, y] of PLACES.map((place) => [place[0] * span, now.branch * place[1] * span])) {
      const name = regimeOf({ ...now, delta: x, delta_new: y });
      if (written.has(name)) continue;
      written.add(name);
      for (const side of [1, -1]) {
        svg(names, "text", { x: p.X(side * x), y: p.Y(side * y) + 4 }, now.covered && x * y < 0 ? "a bet" : name);
      }
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
    const old = curve(0, std);
    const updatedCurve = curve(flow.mean, flow.std);
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
    const cost = (x) => stretchKl(x, u, v);
    const minima = dots.map(([side]) => stretch(u, v, side));
    const span = Math.max(2.5, 1.15 * Math.max(...minima.map(Math.abs)));
    p.set({ x: [-span, span], y: [0, Math.max(4, 1.5 * Math.max(...[...minima, a].map(cost)))] });
    const half = Array.from({ length: 200 }, (_, i) => span * ((i + 1) / 200) ** 2);
    const stretches = [...half.map((x) => -x).reverse(), NaN, ...half];
    put(curve, { d: line(stretches.map((x) => [x, cost(x)]), p) });
    // A path that goes on far above the panel would lose its dashes.
    const forMean = stretches.map((x) => [x, 0.5 * (v - x * u) ** 2]).filter(([, y]) => !(y > 2 * p.y[1]));
    put(terms, { d: line(forMean, p) });
    dots.forEach(([side, dot], i) => {
      const at = side === branch ? a : minima[i];
      put(dot, { cx: p.X(at), cy: p.Y(cost(at)), fill: side === branch ? "var(--posterior)" : "var(--paper)" });
    });
    put(taken, { x: p.X(a), y: p.Y(cost(a)) - 11 });
    write(taken, Math.abs(Math.abs(a) - wouldBe) > 1e-9 ? "taken (clipped)" : "taken");
  };
  return { p, draw };
}

export default {
  render(view) {
    const ui = mount(view, "regime");
    const { model } = ui;
    const span = ui.about("delta").high;
    controls(ui, ["delta", "delta_new", "std", "branch", "non_expansive", "covered"]);
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
        text: ([x, y]) => `Δ ${format(x)}, Δ′ ${format(y)}, ${regimeOf(ui.state())}`,
        shape: "ring",
        color: "#222222",
        bounds: () => [p.x, p.y],
      }),
    );

    // The maps do not depend on the point.
    const drawMaps = remembered(ui, ["std", "branch", "non_expansive", "covered"], (now) => {
      const [shifts, ratios] = [new Float64Array(GRID * GRID), new Float64Array(GRID * GRID)];
      const place = (i) => -span + (i * 2 * span) / (GRID - 1);
      let reach = 1e-9;
      for (let k = 0; k < GRID * GRID; k += 1) {
        const [delta, deltaNew] = [place(k % GRID), place(Math.floor(k / GRID))];
        const a = stretchOf(now, delta, deltaNew);
        shifts[k] = deltaNew - a * delta;
        ratios[k] = Math.abs(a);
        reach = Math.max(reach, Math.abs(shifts[k]));
      }
      reach = Math.min(10, reach);
      const [far, at] = [reach < 8 ? 1 : 5, LEVELS.means];
      const steps = Array.from({ length: Math.floor(reach / far) }, (_, i) => [[far * (i + 1), -at], [-far * (i + 1), at]]).flat();
      means.show(shifts, 0, steps, now, (shift) => colour(shift / reach));
      const levels = LEVELS.widths.flatMap(([level, x]) => [[level, -x], [level, x]]);
      widths.show(ratios, SAME, levels, now, (ratio) => colour(Math.log2(ratio) / 3));
    });

    ui.onDraw(() => {
      const now = ui.state();
      const flow = updated(now);
      presets.hidden = now.covered; // two of them cross the mean
      drawMaps();
      for (const point of points) point.draw();
      beliefs.draw(now, flow);
      landscape.draw(now, flow);
      const cost = stretchKl(flow.stretch, now.delta / now.std, now.delta_new / now.std);
      const verb = flow.std === now.std ? "keeps its width" : flow.std < now.std ? "narrows" : "widens";
      const name = regimeOf(now);
      const regimeName = `${name[0].toUpperCase()}${name.slice(1)}`;
      const [before, mean, std, a, kl] = [format(now.std), format(flow.mean), format(flow.std), format(flow.stretch, 3), format(cost, 3)];
      widths.p.set({ alt: `Map of the posterior standard deviation over Δ and Δ′; here it is ${std}.` });
      means.p.set({ alt: `Map of the posterior mean over Δ and Δ′; here it is ${mean}.` });
      beliefs.p.set({
        title: fill(beliefs.p.title, { regime: regimeName, verb }),
        alt: `Prior and posterior density; the weight moved from ${format(now.delta)} to ${format(now.delta_new)}.`,
      });
      landscape.p.set({ title: fill(landscape.p.title, { a, kl }), alt: `KL divergence by stretch; the update takes ${a}.` });
      const share = format((100 * flow.std) / now.std, 0);
      write(numbers, `${regimeName}: mean 0 → ${mean}, standard deviation ${before} → ${std} (${share} %), KL ${kl} nats.`);
      write(sentence, why(now, flow));
      ui.tell(`${numbers.textContent} ${sentence.textContent}`);
    });
    return ui.dispose;
  },
};
