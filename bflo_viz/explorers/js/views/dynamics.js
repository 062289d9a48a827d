// Three ways to learn from the same examples, and the ensemble that the third stands for. Any picture can be large.
import { explorer } from "../kit.js";
import { contours, curve, dots, ellipse, format, grid, handle } from "../marks.js";
import { lines, mix, say, shape, text } from "../marks.js";
import { Run } from "./dynamics_scene.js";
import { cursor, inSight, names, past, sameRounds } from "./rounds.js";

const [SMALL, LARGE, TAIL, LONG] = [35, 63, 3, 400]; // cells of maps; rounds of a tail, and of a way
const WAYS = { // of each: caption, colour, and name of its curve
  flow: ["Belief flow: all follow one", "posterior", "flow"],
  sgd: ["SGD: a point", "ink", "SGD"],
  bayes: ["Bayes: a posterior", "weight", "Bayes"],
  ensemble: ["True ensemble: each steps", "ensemble", "ensemble"],
};
const SETTINGS = ["surface", "flow", "truth", "optimum", "eta", "std", "seed"];
const HERE = { truth: "given", optimum: null, eta: null, std: 1.2, flow: "full" };

export default explorer("dynamics", (ui) => {
  const { rounds, distances, tooSure, surfaces } = ui.constants;
  const square = { isSquare: true, wash: true, xticks: null, yticks: null };
  const panels = Object.entries(WAYS).map(([name, [caption]]) => ui.panel(name, { caption, ...square }));
  const away = ui.panel("away", {
    caption: "How far off each of them is", xlabel: "round", margin: { left: 20, right: 74, top: 8 },
  });
  ui.layout('"flow sgd bayes" 1fr "flow ensemble away" 1fr / minmax(0, 1.04fr) minmax(0, 0.5fr) minmax(0, 0.5fr)');
  ui.stage.style.gap = "0 16px";
  ui.usual.eta = (s) => surfaces[s.surface].eta;
  ui.player({});
  ui.controls(["surface", "flow", "eta"], ["std", "truth", "seed", "speed", "round"]);
  const played = (start) => async () => {
    await ui.glide({ ...HERE, ...start, round: 0 }, 0);
    await ui.glide({ round: rounds }, 4000);
  };
  ui.presets({
    "ten examples": { ...HERE, surface: "convex", seed: 0, round: 10 },
    "the ravine": played({ surface: "ravine", seed: 3 }),
    "too sure?": { ...HERE, surface: "convex", seed: 6, round: 20 },
  });
  ui.leads();
  for (const p of panels) p.onPress(() => ui.state.main !== p.name && ui.set({ main: p.name }));
  const see = (round) => ui.set({ round });
  away.onPress(([round]) => see(round));
  ui.script = (s) => sameRounds("dynamics", s, SETTINGS);

  const run = ui.memo(SETTINGS, (s) => new Run(s, ui.constants));
  /** The window: that of the surface, larger in steps if the prior or the lowest point would be outside. */
  function windowOf({ surface, std }, { optimum }) {
    const { low, high } = surfaces[surface];
    const middle = mix(low, high, 0.5);
    const half = Math.max(high[0] - low[0], high[1] - low[1]) / 2;
    const most = Math.max(...middle.map((x, i) => Math.max(2.2 * std + Math.abs(x), Math.abs(optimum[i] - x) + 0.4)));
    const size = half * ([1, 1.5, 2.25].find((times) => most <= half * times) ?? 3.4);
    return middle.map((x) => [x - size, x + size]);
  }
  const loss = ui.memo(["surface", "lowest", "window"], (s) => {
    const [x, y] = s.window.map(([low, high]) => [mix(low, high, -0.02), mix(low, high, 1.02)]);
    return [SMALL, LARGE].map((size) => grid(size, x, y, (a, b) => run(s).surface.distance(a, b)));
  });

  function drawPanel(p, s, one) {
    const { name } = p;
    const isMain = name === s.main;
    const { optimum } = one.surface;
    const [now, before] = [one.at(s.round), one.at(Math.max(0, s.round - TAIL))];
    const [, color] = WAYS[name];
    const cloud = { flow: (at) => one.carried(at), ensemble: ({ members }) => members }[name] ?? (() => []);
    const centre = ({ point, bayes, belief }) => ({ sgd: point, bayes: bayes.mean, flow: belief.mean })[name] ?? [];
    const way = one.rounds.slice(Math.max(0, s.round - LONG), s.round + 1).map((at) => [...centre(at)]);
    const step = name === "flow" && now.moves;
    const [points, tails] = [cloud(now), cloud(before)];
    const r = (size) => (isMain ? size : 0.7 * size);
    p.set({ x: s.window[0], y: s.window[1] });
    p.root.style.cursor = isMain ? "" : "pointer";
    p.draw(
      contours(loss(s)[Number(isMain)], distances, "line", { width: 1, opacity: 0.9 }),
      ellipse([0, 0], [s.std, 0, 0, s.std], 2, "prior", { width: 1.25 }),
      name === "flow" && ellipse(now.belief.mean, now.belief.factor, 2, color, { fill: 0.14, width: 1.75 }),
      name === "bayes" && ellipse(now.bayes.mean, now.bayes.factor, 2, color, { fill: 0.14, width: 1.75 }),
      lines(points.map((at, i) => [tails[i], at]), color, { opacity: 0.4 }),
      dots(points, color, { r: r(2.5), fill: 1 }),
      name !== "ensemble" && curve(way, "ink", { width: 1.25, opacity: 0.7 }),
      !isMain && shape((q) => `M${q.X(optimum[0]) - 7} ${q.Y(optimum[1])}h14m-7 -7v14`, "ink"),
      name !== "ensemble" && dots(way.slice(-1), color, { r: r(5.5), fill: 1 }),
      step && [
        curve(step, "weight", { width: r(2.5) }), dots(step.slice(0, 1), "weight", { r: r(5), hollow: true, width: 2 }),
        dots(step.slice(1), "weight", { r: r(5), fill: 1 }), isMain && text(step[1], "w′", "weight", { dx: 18 }),
      ],
      isMain && [
        text(optimum, "lowest point", "ink", { anchor: "start", dx: 14, bold: false }),
        handle([-2 * s.std, 0], {
          label: "Width of the prior", color: "prior", shape: "small", step: 0.2, says: `σ ${format(s.std, 1)}`,
          set: ([x]) => ui.set({ std: -x / 2 }),
        }),
        handle(optimum, {
          label: "Lowest point", color: "ink", shape: "ring", set: (to) => ui.set({ optimum: to }),
        }),
      ],
    );
  }

  const points = ui.memo([...SETTINGS, "end"], (s) => {
    const every = Math.ceil(s.end / 600);
    const all = run(s).rounds.slice(0, s.end + 1);
    const of = (name) => (one, round) => (round % every ? [] : [[round, Math.min(99, one.away[name])]]);
    return Object.entries(WAYS).map(([name, [, ...look]]) => [all.flatMap(of(name)), ...look]);
  });
  function drawAway(s) {
    const all = points(s);
    const most = Math.max(...all.flatMap(([some]) => some.map(([, y]) => y)));
    const top = [4.2, 8.4, 21].find((high) => most <= high) ?? 100;
    away.set({ x: [0, s.end], y: [0, top], xticks: [0, s.end / 2, s.end] });
    away.draw(
      cursor(s.round, see),
      all.map(([some, color]) => past(some, s.round, color, { width: 1.75 })),
      names(away, all.map(([some, color, name]) => [some.at(-1), name, color])),
    );
  }

  return (s) => {
    s.end = inSight(s.round, rounds);
    const one = run(s);
    one.at(s.end);
    s.lowest = one.surface.optimum;
    s.window = windowOf(s, one.surface);
    for (const p of panels) drawPanel(p, s, one);
    drawAway(s);
    const { away: off, far } = one.at(s.round);
    const [point, bayes, flow] = [[off.sgd, "ink"], [off.bayes, "weight"], [off.flow, "posterior"]];
    const start = say`After ${[String(s.round), "ink"]} examples SGD is ${point} off, Bayes ${bayes}, the flow ${flow}`;
    const itself = [`${format(far, 1)} of its own σ`, "posterior"];
    return say`${start}: ${itself}${far > tooSure ? ", so it is too sure." : "."}`;
  };
});
