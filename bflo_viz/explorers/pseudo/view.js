// A belief flow read as Bayes' rule: what each round adds to a dataset or takes away, and the precision it makes.
import { button, controls, fill, format, mount, play, remembered, seeds, tag, write } from "../shared/kit.js";
import { ellipse, line, move, plot, put, svg } from "../shared/plot.js";
import { key, thinned, timeline } from "../shared/curves.js";
import { PseudoScene } from "./scene.js";
import { sentenceOf } from "./words.js";

const OLD = 400; // of the marks before the newest, so many are drawn
const DASHES = [undefined, "7 4"];

/** Path data of a mark: its ring, its sign, and of a line a piece through it. */
function markPath(p, facts, { place: [x, y], direction: [across, up], precision }, large) {
  if (!(Math.max(Math.abs(x), Math.abs(y)) < 3 * p.x[1])) return { ring: "", strokes: "", piece: "" }; // far out of sight
  const radius = facts.large * Math.sqrt(Math.abs(precision) / large);
  const [cx, cy, r] = [p.X(x), p.Y(y), p.X(radius) - p.X(0)].map((value) => Math.round(100 * value) / 100);
  const ring = `M${cx - r} ${cy}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
  const strokes = `M${cx - r / 2} ${cy}h${r}${precision > 0 ? `M${cx} ${cy - r / 2}v${r}` : ""}`;
  if (!across && !up) return { ring, strokes, piece: "" };
  const [near, far] = [radius, Math.max(facts.reach, 1.5 * radius)];
  const at = (t) => [x - up * t, y + across * t];
  return { ring, strokes, piece: line([at(near), at(far)], p) + line([at(-near), at(-far)], p) };
}

/** Marks of both kinds in a group: what is given is drawn in place of what was there. */
function markLayer(p, facts, look) {
  const g = svg(p.layer, "g", look);
  const kinds = ["added", "removed"].map((kind) => {
    const stroke = `var(--${kind})`;
    const dashes = kind === "added" ? undefined : "5 3";
    return {
      ring: svg(g, "path", { stroke, fill: kind === "added" ? stroke : "none", "fill-opacity": 0.3 }),
      strokes: svg(g, "path", { stroke, fill: "none" }),
      piece: svg(g, "path", { stroke, fill: "none", "stroke-dasharray": dashes }),
    };
  });
  return (marks, large) => {
    kinds.forEach((parts, i) => {
      const paths = marks.filter(({ precision }) => precision > 0 === (i === 0)).map((mark) => markPath(p, facts, mark, large));
      for (const [name, part] of Object.entries(parts)) put(part, { d: paths.map((path) => path[name]).join("") });
    });
  };
}

/** What the marks in the plane mean. */
function nameMarks(parent) {
  const outline = { "stroke-width": 1.5 };
  const mark = (kind, sign) => (g) => {
    svg(g, "circle", { r: 6, fill: kind === "added" ? "var(--added)" : "none", "fill-opacity": 0.3, stroke: `var(--${kind})`, ...outline });
    svg(g, "path", { d: sign, stroke: `var(--${kind})` });
  };
  const belief = (look) => (g) => svg(g, "ellipse", { rx: 11, ry: 6, ...look, ...outline });
  const step = (g) => {
    svg(g, "path", { d: "M-7 0H8", stroke: "var(--weight)", "stroke-dasharray": "4 2", ...outline });
    svg(g, "circle", { cx: -9, r: 3, fill: "var(--paper)", stroke: "var(--weight)", ...outline });
    svg(g, "circle", { cx: 9, r: 3.5, fill: "var(--weight)" });
  };
  key(parent, [
    ["added (area: precision)", mark("added", "M-3 0h6M0 -3v6")],
    ["removed", mark("removed", "M-3 0h6")],
    ["belief before", belief({ fill: "none", stroke: "var(--prior)" })],
    ["belief after", belief({ fill: "var(--posterior)", "fill-opacity": 0.25, stroke: "var(--posterior)" })],
    ["path of its mean", (g) => svg(g, "path", { d: "M-12 4L-4 -4L4 4L12 -3", fill: "none", stroke: "var(--ink)" })],
    ["sampled weight and its step", step],
    ["true weight", (g) => svg(g, "path", { d: star(7.5), fill: "var(--paper)", stroke: "var(--ink)" })],
  ]);
}

/** Path data of a five-pointed star around 0. */
function star(r) {
  const points = Array.from({ length: 10 }, (_, i) => {
    const [angle, far] = [(Math.PI * i) / 5 - Math.PI / 2, i % 2 ? 0.42 * r : r];
    return `${(far * Math.cos(angle)).toFixed(1)} ${(far * Math.sin(angle)).toFixed(1)}`;
  });
  return `M${points.join("L")}Z`;
}

export default {
  render(view) {
    const ui = mount(view, "pseudo");
    const { model, facts } = ui;
    controls(ui, ["flow", "problem", "eta"]);
    const again = (seed) => {
      player.stop();
      ui.set({ seed, round: 0 });
    };
    const box = seeds(ui, { use: again });
    const same = "The same examples and samples, from round 0";
    button(ui, { name: "reset", label: "Same again", title: same, action: () => again(model.get("seed")), parent: box });
    const player = play(ui);
    const { rounds } = player;

    const size = { width: 360, height: 352 };
    const range = [-facts.span, facts.span];
    const plane = plot(ui, "plane", { x: range, y: range, equal: true, ...size });
    const way = plane.path({ stroke: "var(--ink)", "stroke-dasharray": "1 3" });
    const ray = plane.path({ stroke: "var(--faint)" });
    const ellipses = (look) => {
      const paths = [2, 1].map((k) => [k, plane.path({ "stroke-width": 1.5, ...look })]);
      return ({ mean: at, factor }) => paths.forEach(([k, path]) => put(path, { d: ellipse(at, factor, k, plane) }));
    };
    const showAfter = ellipses({ fill: "var(--posterior)", "fill-opacity": 0.16, stroke: "var(--posterior)" });
    const drawOld = markLayer(plane, facts, { opacity: 0.6 });
    const showBefore = ellipses({ stroke: "var(--prior)" });
    const path = plane.path({ stroke: "var(--ink)" });
    const drawNew = markLayer(plane, facts, { "stroke-width": 2.4 });
    const showStep = move(plane, "var(--weight)", 4, "4 2");
    const mean = svg(plane.layer, "rect", { x: -4, y: -4, width: 8, height: 8, fill: "var(--posterior)" });
    const truth = svg(plane.layer, "path", { d: star(9), fill: "var(--paper)", stroke: "var(--ink)", "stroke-width": 1.2 });

    const total = plot(ui, "total", { x: [0, rounds()], y: [0.5, 10], log: true, ...size });
    const time = timeline(ui, total, rounds);
    const curves = DASHES.map((dash) => time.curve({ stroke: "var(--posterior)", "stroke-dasharray": dash }));
    const values = DASHES.map(() => svg(total.over, "text", { "font-weight": 600, "pointer-events": "none" }));

    nameMarks(ui.readout);
    const sentence = tag(ui.readout, "p");
    const note = tag(ui.readout, "p", { class: "bflo-help" });

    let drawn = "";
    let large = 1;
    const sceneOf = remembered(ui, ["flow", "eta", "seed", "problem"], (settings) => {
      const made = new PseudoScene({ ...settings, ...facts.problems[settings.problem], mean: facts.mean, rounds: facts.rounds });
      made.extend(facts.rounds);
      const sizes = made.marks.flat().map((mark) => Math.abs(mark.precision)).sort((a, b) => a - b);
      large = sizes[Math.floor(facts.enough * (sizes.length - 1))] ?? 1;
      drawn = "";
      return made;
    });

    /** The curves: they change with the rounds that are shown, not with the round. */
    function drawCurves({ totals }) {
      if (drawn === String(rounds())) return;
      drawn = String(rounds());
      let [lowest, highest] = [Infinity, 0];
      for (const x of totals.flat()) [lowest, highest] = [Math.min(lowest, x), Math.max(highest, x)];
      total.set({ x: [0, rounds()], y: [Math.min(0.7, 0.9 * lowest), 1.6 * highest] });
      curves.forEach((curve, i) => curve.set(i < totals[0].length ? thinned(total, 0, rounds(), (r) => totals[r][i]) : []));
    }

    /** The precisions at the round beside their curves, each on its own side. */
    function drawValues(now, names, round) {
      const [x, anchor] = round > 0.6 * rounds() ? [total.X(round) - 7, "end"] : [total.X(round) + 7, "start"];
      values.forEach((text, i) => {
        const isAbove = now.every((other, k) => now[i] > other || (now[i] === other && i <= k));
        write(text, i < now.length ? `${now.length > 1 ? `${names[i]} ` : ""}${format(now[i])}` : "");
        put(text, { x, y: total.Y(now[i] ?? 1) + (isAbove ? -8 : 18), "text-anchor": anchor });
      });
    }

    ui.onDraw(() => {
      const round = model.get("round");
      const scene = sceneOf();
      scene.extend(rounds());
      drawCurves(scene);
      time.draw();
      const points = scene.beliefs.slice(0, round + 1).map((belief) => belief.mean);
      showAfter(scene.beliefs[round]);
      showBefore(scene.beliefs[Math.max(0, round - 1)]);
      put(path, { d: line(points, plane) });
      plane.place(mean, points[round]);
      showStep(round > 0 ? [scene.weights[round - 1], scene.moved[round - 1]] : []);
      plane.place(truth, scene.true[round]);
      put(ray, { d: line([[0, 0], scene.true[round]], plane) });
      put(way, { d: line(scene.true.slice(Math.max(0, round - facts.rounds), round + 1), plane) });
      const all = scene.marks.slice(0, round).flat();
      const latest = round > 0 ? scene.marks[round - 1] : [];
      drawOld(all.slice(0, all.length - latest.length).slice(-OLD), large);
      drawNew(latest, large);

      const names = facts.totals[model.get("flow")];
      const now = scene.totals[round];
      drawValues(now, names, round);
      const told = sentenceOf(scene, round);
      const outside = (marks) => marks.filter(({ place }) => !(Math.max(...place.map(Math.abs)) < facts.span)).length;
      const added = all.filter(({ precision }) => precision > 0).length;
      plane.set({
        title: fill(plane.title, { round, added, removed: all.length - added }),
        alt: `Weights w₁ and w₂ with the belief, its path and the pseudo-observations so far. ${told}`,
      });
      total.set({
        title: fill(total.title, { names: names.join(" and ") }),
        alt: `Precision of ${names.join(" and ")} over rounds, now ${now.map((value) => format(value)).join(" and ")}.`,
      });
      write(sentence, told);
      const hidden = latest.length && outside(latest) === latest.length ? ", those of this round among them" : "";
      write(note, outside(all) ? `Of ${all.length} so far, ${outside(all)} lie outside of the view${hidden}.` : "");
      ui.tell(told);
    });
    return ui.dispose;
  },
};
