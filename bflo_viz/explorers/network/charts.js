// Curves over rounds and calibration, of one learner or two: the first is solid, the second dashed.
import { timeline } from "../shared/curves.js";
import { line, plot, put, svg } from "../shared/plot.js";
import { isFlow } from "./scene.js";

const SIZE = { width: 360, height: 270 };
const DASHES = [undefined, "7 4"];
/** The colour of a learner: that of the figures; a flow is the diagonal one, whether it may widen or not. */
export const colourOf = (name) => `var(--${isFlow(name) ? "diagonal" : name.toLowerCase()})`;
/** How the line of a learner looks, by its name and place. */
export const lookOf = (name, place) => ({ stroke: colourOf(name), "stroke-dasharray": DASHES[place] });

/** Mistakes and entropies over rounds. */
export function learningCurves(ui, rounds, layers) {
  const [mistakes, entropy] = ["mistakes", "entropy"].map((name) => plot(ui, name, { x: [0, rounds()], y: [0, 1], ...SIZE }));
  const times = [mistakes, entropy].map((p) => timeline(ui, p, rounds));
  const paths = (time, count) => [0, 1].map(() => Array.from({ length: count }, () => time.curve({})));
  const [wrong, wide] = [paths(times[0], 1), paths(times[1], layers)];
  const labels = [0, 1].map(() => Array.from({ length: layers }, () => svg(entropy.over, "text", { "font-size": 11 })));
  const none = svg(entropy.over, "text", { x: entropy.area.left + 8, y: entropy.area.top + 20 });

  function draw(names, points) {
    const x = [0, rounds()];
    const shares = (i) => points.slice(1).map(([round, all]) => [round, (100 * all[i].mistakes) / round]);
    const widths = (i, layer) => points.map(([round, all]) => [round, all[i].entropy[layer]]);
    const settled = names.flatMap((_, i) => shares(i).filter(([round]) => round >= 20).map(([, share]) => share));
    const all = points.flatMap(([, every]) => every.flatMap(({ entropy: some }) => some)).filter(Number.isFinite);
    mistakes.set({ x, y: [0, Math.min(100, 10 * Math.ceil(0.1 + Math.max(10, ...settled) / 10))] });
    entropy.set({ x, y: all.length ? [Math.floor(Math.min(...all)), Math.ceil(Math.max(...all) + 0.05)] : [0, 1] });
    none.textContent = all.length ? "" : "no belief, no entropy";
    for (const i of [0, 1]) {
      wrong[i][0].set(names[i] ? shares(i) : [], lookOf(names[i] ?? "SGD", i));
      wide[i].forEach((curve, layer) => {
        const some = names[i] && points[0][1][i].entropy.length > layer ? widths(i, layer) : [];
        curve.set(some, { ...lookOf(names[i] ?? "SGD", i), "stroke-width": 1 + layer });
        const [round, value] = some.at(-1) ?? [0, NaN];
        labels[i][layer].textContent = Number.isFinite(value) ? String(layer + 1) : "";
        if (Number.isFinite(value)) put(labels[i][layer], { x: entropy.X(round) + 4, y: entropy.Y(value) + 4 });
      });
    }
  }
  return { mistakes, entropy, times, draw };
}

/** Confidence against accuracy, by the vote and by the mean, and how many predictions there are of each confidence. */
export function calibrationPanel(ui) {
  const p = plot(ui, "calibration", { x: [0.5, 1.02], y: [0, 1.04], ticks: [0.5, 0.6, 0.7, 0.8, 0.9, 1], up: [0, 0.2, 0.4, 0.6, 0.8, 1], ...SIZE });
  const ideal = p.path({ stroke: "var(--faint)", "stroke-width": 5 });
  put(ideal, { d: line([[0.5, 0.5], [1, 1]], p) });
  const series = [0, 1].map((place) => [
    { path: p.path({ "stroke-width": 2 }), dots: p.path({ "stroke-width": 1.5 }) },
    { path: p.path({ "stroke-width": 1.2, opacity: 0.8 }), dots: p.path({ "stroke-width": 1.5, fill: "var(--paper)" }) },
    place,
  ]);
  const { bins } = ui.facts;
  const counts = [0, 1].map((place) => Array.from({ length: bins }, (_, bin) =>
    svg(p.over, "text", { x: p.X(0.5 + (bin + 0.5) / (2 * bins)), y: p.area.top + p.area.height - 8 - 15 * place, "text-anchor": "middle" })));
  const dot = ([x, y]) => `M${(p.X(x) - 4).toFixed(1)} ${p.Y(y).toFixed(1)}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0`;
  const points = (all) => all.filter(({ count }) => count).map(({ confidence, accuracy }) => [confidence, accuracy]);

  /** Show what `binsOf` says of each learner: of the vote, and of the mean. */
  function draw(names, binsOf) {
    for (const [vote, mean, place] of series) {
      const name = names[place];
      const [voted, said] = name ? binsOf[place] : [[], []];
      const look = lookOf(name ?? "SGD", place);
      put(vote.path, { ...look, d: line(points(voted), p) });
      put(vote.dots, { stroke: look.stroke, fill: look.stroke, d: points(voted).map(dot).join("") });
      put(mean.path, { stroke: look.stroke, "stroke-dasharray": "2 3", d: line(points(said), p) });
      put(mean.dots, { stroke: look.stroke, d: points(said).map(dot).join("") });
      counts[place].forEach((text, bin) => {
        text.textContent = voted[bin] ? String(voted[bin].count) : "";
        put(text, { style: `fill: ${look.stroke}` });
      });
    }
  }
  return { p, draw };
}

/** What the marks of the charts and maps mean, once, below them. */
export function keyBelow(ui, key) {
  const path = (d, look) => (g) => svg(g, "path", { d, fill: "none", stroke: "var(--ink)", "stroke-width": 2, ...look });
  key(ui.readout, [
    ["label 1", (g) => svg(g, "circle", { r: 4, fill: "#8073ac", stroke: "var(--ink)" })],
    ["label 0", (g) => svg(g, "rect", { x: -4, y: -4, width: 8, height: 8, fill: "#d9780f", stroke: "var(--ink)" })],
    ["crossed out: its label is wrong", path("M-6 -6l12 12m0 -12l-12 12")],
    ["boundary of the mean; thin: of sampled networks", path("M-13 3H13M-13 -2L13 -5")],
    ["weight above 0; grey: how unsure its belief is", (g) => [path("M-13 0H13", { stroke: "#808080", opacity: 0.3, "stroke-width": 12 })(g), path("M-13 0H13", { stroke: "#8073ac", "stroke-width": 4 })(g)]],
    ["weight below 0", path("M-13 0H13", { stroke: "#d9780f", "stroke-width": 4, "stroke-dasharray": "7 3" })],
    ["entropy of a layer, by its number", (g) => [path("M-13 0H5")(g), svg(g, "text", { x: 7, y: 4 }, "2")]],
    ["calibration of the vote", (g) => svg(g, "circle", { r: 4, fill: "var(--ink)", stroke: "var(--ink)" })],
    ["of the mean", (g) => svg(g, "circle", { r: 4, fill: "var(--paper)", stroke: "var(--ink)" })],
    ["number of new examples with this confidence", (g) => svg(g, "text", { "text-anchor": "middle", y: 4 }, "42")],
  ]);
}
