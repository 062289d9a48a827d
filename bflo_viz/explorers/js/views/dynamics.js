// Three ways to learn from the same examples, and the ensemble that the third stands for. Any picture can be the large one.
import { explorer } from "../kit.js";
import { clamp, contours, cursor, curve, dots, ellipse, format, grid, handle, lines, mix, say, shape, text } from "../marks.js";
import { Run, pairs } from "./dynamics_scene.js";
import { inSight, names, past, priorInPython } from "./rounds.js";

const NAMES = { flow: "Belief flow: one steps, all go along", sgd: "SGD: a point", bayes: "Bayes: a posterior", ensemble: "True ensemble: each steps" };
const COLORS = { flow: "posterior", sgd: "ink", bayes: "weight", ensemble: "ensemble" };
const LABELS = { flow: "flow", sgd: "SGD", bayes: "Bayes", ensemble: "ensemble" };
const SETTINGS = ["surface", "flow", "truth", "optimum", "eta", "std", "seed"];
const TAIL = 3; // rounds
const HERE = { truth: "given", optimum: null, eta: null, std: 1.2, flow: "full" };

export default explorer("dynamics", (ui) => {
  const { rounds, distances, tooSure, surfaces } = ui.constants;
  const panels = Object.entries(NAMES).map(([name, caption]) => ui.panel(name, { caption, isSquare: true, wash: true, xticks: null, yticks: null }));
  const away = ui.panel("away", { caption: "Distance from the lowest point", xlabel: "round", margin: { left: 20, right: 74, top: 8 } });
  ui.layout('"flow sgd bayes" 1fr "flow ensemble away" 1fr / minmax(0, 1.04fr) minmax(0, 0.5fr) minmax(0, 0.5fr)');
  ui.stage.style.gap = "0 16px";
  ui.usual.eta = (s) => surfaces[s.surface].eta;
  ui.player({});
  ui.controls(["surface", "flow", "eta"], ["std", "truth", "seed", "speed", "round"]);
  const played = (start) => async () => (await ui.glide({ ...HERE, ...start, round: 0 }, 0), await ui.glide({ round: rounds }, 4000));
  ui.presets({
    "ten examples": { ...HERE, surface: "convex", seed: 0, round: 10 },
    "the ravine": played({ surface: "ravine", seed: 3 }),
    "two answers": played({ surface: "double well", seed: 4 }),
    "too sure?": { ...HERE, surface: "convex", seed: 6, round: 20 },
  });
  ui.leads();
  for (const p of panels) p.onPress(() => ui.state.main !== p.name && ui.set({ main: p.name }));
  away.onPress(([round]) => ui.set({ round: Math.round(clamp(round, 0, inSight(ui.state.round, rounds))) }));
  ui.script = (s) => `
# The same rounds, step by step
import numpy as np
from bflo_viz import BeliefFlow, DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.figures import SURFACES

rng = np.random.RandomState(${s.seed})
own = np.random.RandomState(int(2**32 * rng.random_sample()))
surface, drawn = SURFACES["${s.surface}"], ${s.std} * rng.standard_normal(2)
optimum = ${s.optimum ? `np.array(${JSON.stringify(s.optimum)})` : s.truth === "drawn" ? "drawn" : "surface.optima[0]"}
surface = surface.with_optimum(optimum)
rng.standard_normal(${2 + 2 * ui.constants.ensemble})  # of SGD and of the ensemble
belief = ${priorInPython(s.flow, s.std)}
for n in range(${s.round}):
    (example,) = surface.stream(rng.standard_normal((1, 3)))
    w = belief.sample(own)
    belief = belief.flow(w, w - ${s.eta ?? surfaces[s.surface].eta} * surface.gradient(w, example))
print(belief, surface.away(belief.mean))
`;

  const run = ui.memo(SETTINGS, (s) => new Run(s, ui.constants));
  /** The window: that of the surface, larger in steps if the prior or a lowest point would be outside. */
  function windowOf({ surface, std }, { optima }) {
    const { low, high } = surfaces[surface];
    const middle = [0, 1].map((i) => (low[i] + high[i]) / 2);
    const half = Math.max(high[0] - low[0], high[1] - low[1]) / 2;
    const far = Math.max(...[0, 1].flatMap((i) => [2.2 * std + Math.abs(middle[i]), ...optima.map((one) => Math.abs(one[i] - middle[i]) + 0.4)]));
    const size = half * ([1, 1.5, 2.25].find((times) => far <= half * times) ?? 3.4);
    return middle.map((x) => [x - size, x + size]);
  }
  const loss = ui.memo(["surface", "optima", "window"], (s) => {
    const [x, y] = s.window.map(([low, high]) => [mix(low, high, -0.02), mix(low, high, 1.02)]);
    return [35, 63].map((size) => grid(size, x, y, (a, b) => run(s).surface.distance(a, b))); // of small pictures, and the large one
  });

  function drawPanel(p, s, one) {
    const { name } = p;
    const isMain = name === s.main;
    const { surface } = one;
    const now = one.at(s.round);
    const before = one.at(Math.max(0, s.round - TAIL));
    const cloud = { flow: one.carried, ensemble: ({ members }) => pairs(members) }[name]?.bind(one);
    const ways = { sgd: ({ point }) => [...point], bayes: ({ bayes }) => bayes.mean, flow: ({ belief }) => [...belief.mean] };
    const way = name in ways ? one.rounds.slice(Math.max(0, s.round - 400), s.round + 1).map(ways[name]) : [];
    const color = COLORS[name];
    const [prior, step] = [[0, 0], name === "flow" && now.moves];
    const [first, ...others] = surface.optima;
    const plus = (all) => shape((q) => all.map(([x, y]) => `M${q.X(x) - 7} ${q.Y(y)}h14m-7 -7v14`).join(""), "ink", { width: 2 });
    p.set({ x: s.window[0], y: s.window[1] });
    if (name === "flow") p.title(isMain ? NAMES.flow : "Belief flow: all go along"); // small pictures have short names
    p.root.style.cursor = isMain ? "" : "pointer";
    const points = cloud?.(now) ?? [];
    const tails = cloud?.(before) ?? [];
    p.draw(
      contours(loss(s)[Number(isMain)], distances, "line", { width: 1, opacity: 0.9 }),
      surface.fitting && now.example && curve(surface.fitting(now.example), "prior", { width: 1.5, dash: "1 4" }),
      ellipse(prior, [s.std, 0, 0, s.std], 2, "prior", { width: 1.25 }),
      name === "flow" && ellipse(now.belief.mean, now.belief.factor, 2, color, { fill: 0.14, width: 1.75 }),
      name === "bayes" && lines(now.bayes.outline(), color, { fill: 0.14, width: 1.75 }),
      lines(points.map((at, i) => [tails[i], at]), color, { opacity: 0.4 }),
      dots(points, color, { r: isMain ? 2.5 : 1.75, fill: 1 }),
      curve(way, "ink", { width: 1.25, opacity: 0.7 }),
      plus(isMain ? others : surface.optima),
      way.length > 0 && dots(way.slice(-1), color, { r: isMain ? 5.5 : 4, fill: 1 }),
      step && curve(step, "weight", { width: isMain ? 2.5 : 2 }),
      step && dots(step.slice(0, 1), "weight", { r: isMain ? 5 : 3.5, hollow: true, width: 2 }),
      step && dots(step.slice(1), "weight", { r: isMain ? 5 : 3.5, fill: 1 }),
      step && isMain && text(step[1], "w′", "weight", { dx: 18 }),
      isMain && text(first, "lowest point", "ink", { anchor: "start", dx: 14, bold: false }),
      isMain && handle([-2 * s.std, 0], { label: "Width of the prior", color: "prior", shape: "small", step: 0.2, says: `σ ${format(s.std, 1)}`, set: ([x]) => ui.set({ std: -x / 2 }) }),
      isMain && handle(first, { label: "Lowest point", color: "ink", shape: "target", set: (to) => ui.set({ optimum: to }) }),
    );
  }

  const points = ui.memo([...SETTINGS, "end"], (s) => {
    const all = run(s).rounds.slice(0, s.end + 1);
    const every = Math.ceil(s.end / 600);
    return Object.keys(NAMES).map((name) => [name, all.map((one, round) => [round, Math.min(99, one.away[name])]).filter(([round]) => round % every === 0)]);
  });
  function drawAway(s) {
    const all = points(s);
    const most = Math.max(...all.flatMap(([, some]) => some.map(([, y]) => y)));
    const top = [4.2, 8.4, 21].find((high) => most <= high) ?? 100;
    away.set({ x: [0, s.end], y: [0, top], xticks: [0, s.end / 2, s.end] });
    away.draw(
      cursor(s.round, (round) => ui.set({ round: clamp(round, 0, s.end) })),
      all.map(([name, some]) => past(some, s.round, COLORS[name], { width: 1.75 })),
      names(all.map(([name, some]) => [some[some.length - 1], LABELS[name], COLORS[name]]), { gap: 14 }),
    );
  }

  return (s) => {
    s.end = inSight(s.round, rounds);
    const one = run(s);
    one.at(s.end);
    s.optima = one.surface.optima;
    s.window = windowOf(s, one.surface);
    for (const p of panels) drawPanel(p, s, one);
    drawAway(s);
    const { away: off, far } = one.at(s.round);
    const [point, bayes, flow] = [[off.sgd, "ink"], [off.bayes, "weight"], [off.flow, "posterior"]];
    const start = say`After ${[String(s.round), "ink"]} examples SGD is ${point} off, Bayes ${bayes}, the flow ${flow}`;
    if (one.surface.optima.length > 1) {
      const right = one.carried(one.at(s.round)).filter(([x]) => x > 0).length;
      return say`${start}; of its ${String(ui.constants.ensemble)} weights ${[String(right), "posterior"]} are on the right.`;
    }
    return say`${start}: ${[`${format(far, 1)} of its own σ`, "posterior"]}${far > tooSure ? ", so it is too sure." : "."}`;
  };
});
