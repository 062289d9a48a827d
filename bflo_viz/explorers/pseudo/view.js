// A belief flow read as Bayes' rule: what each round adds to a dataset or takes away, and the precision it makes.
import { choice, button, format, mount, play, seeds, slider, tag } from "../shared/kit.js";
import { drawMark, ellipse, line, plot, put, svg } from "../shared/plot.js";
import { key, thinned, timeline } from "../shared/curves.js";
import { PseudoScene, covarianceOf } from "./scene.js";

const LARGE = 0.3; // radius of a mark of large precision, in weights
const REACH = 0.55; // half the length of the piece of a line that is drawn, in weights
const OLD = 400; // of the marks before the newest, so many are drawn
const ENOUGH = 0.95; // of all marks are not larger than a large one
const NAMES = {
  spherical: ["each weight"],
  diagonal: ["w₁", "w₂"],
  full: ["all directions together (trace)"],
};
const HALO = { style: "paint-order: stroke; stroke: var(--paper); stroke-width: 4px; pointer-events: none;" };
const DASHES = [undefined, "7 4"];

/** Path data of a mark: its ring, its sign, and of a line a piece through it. */
function markPath(p, [x, y], [across, up], radius, sign) {
  if (!(Math.max(Math.abs(x), Math.abs(y)) < 3 * p.x[1])) return { ring: "", strokes: "", piece: "" }; // far out of sight
  const [cx, cy, r] = [p.X(x), p.Y(y), p.X(radius) - p.X(0)].map((value) => Math.round(100 * value) / 100);
  const ring = `M${cx - r} ${cy}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
  const minus = `M${cx - r / 2} ${cy}h${r}`;
  const plus = sign > 0 ? `M${cx} ${cy - r / 2}v${r}` : "";
  if (!across && !up) return { ring, strokes: minus + plus, piece: "" };
  const [near, far] = [radius, Math.max(REACH, 1.5 * radius)];
  const at = (t) => [x - up * t, y + across * t];
  return { ring, strokes: minus + plus, piece: line([at(near), at(far)], p) + line([at(-near), at(-far)], p) };
}

/** What the marks in the plane mean. */
function nameMarks(parent) {
  const outline = { "stroke-width": 1.5 };
  const mark = (kind, sign) => (g) => {
    const fill = kind === "added" ? "var(--added)" : "none";
    svg(g, "circle", { r: 6, fill, "fill-opacity": 0.3, stroke: `var(--${kind})`, ...outline });
    svg(g, "path", { d: sign, stroke: `var(--${kind})` });
  };
  const belief = (look) => (g) => svg(g, "ellipse", { rx: 11, ry: 6, ...look, ...outline });
  key(parent, [
    ["added (area: precision)", mark("added", "M-3 0h6M0 -3v6")],
    ["removed", mark("removed", "M-3 0h6")],
    ["belief before", belief({ fill: "none", stroke: "var(--prior)" })],
    ["belief after", belief({ fill: "var(--posterior)", "fill-opacity": 0.25, stroke: "var(--posterior)" })],
    ["path of its mean", (g) => svg(g, "path", { d: "M-12 4L-4 -4L4 4L12 -3", fill: "none", stroke: "var(--ink)" })],
    [
      "sampled weight and its step",
      (g) => {
        svg(g, "path", { d: "M-7 0H8", stroke: "var(--weight)", "stroke-dasharray": "4 2", ...outline });
        svg(g, "circle", { cx: -9, r: 3, fill: "var(--paper)", stroke: "var(--weight)", ...outline });
        svg(g, "circle", { cx: 9, r: 3.5, fill: "var(--weight)" });
      },
    ],
    ["true weight", (g) => svg(g, "path", { d: star(0, 0, 7.5), fill: "var(--paper)", stroke: "var(--ink)" })],
  ]);
}

/** Path data of a five-pointed star. */
function star(x, y, r) {
  const points = Array.from({ length: 10 }, (_, i) => {
    const [angle, far] = [(Math.PI * i) / 5 - Math.PI / 2, i % 2 ? 0.42 * r : r];
    return `${(x + far * Math.cos(angle)).toFixed(1)} ${(y + far * Math.sin(angle)).toFixed(1)}`;
  });
  return `M${points.join("L")}Z`;
}

export default {
  render(view) {
    const ui = mount(view, "pseudo");
    const { model } = ui;
    ui.watch(["flow", "problem", "eta", "seed", "round"]);
    let end = ui.facts.rounds; // of the curves
    const extend = (to) => (end = Math.min(ui.about("round").high, Math.max(end, Math.ceil((1.5 * to) / 60) * 60)));
    const rounds = () => {
      if (model.get("round") > end) extend(model.get("round"));
      return end;
    };
    choice(ui, { name: "flow" });
    choice(ui, { name: "problem" });
    slider(ui, { name: "eta" });
    const again = (seed) => {
      player.stop();
      ui.set({ seed, round: 0 });
    };
    const box = seeds(ui, { title: "Other examples and samples, from round 0", use: again });
    const same = "The same examples and samples, from round 0";
    button(ui, { name: "reset", label: "Same again", title: same, action: () => again(model.get("seed")), parent: box });
    const player = play(ui, { rounds, extend });

    const size = { width: 360, height: 352 };
    const range = [-ui.facts.span, ui.facts.span];
    const plane = plot(ui, { x: range, y: range, equal: true, xlabel: "first weight w₁", ylabel: "second weight w₂", ...size });
    const way = svg(plane.layer, "path", { fill: "none", stroke: "var(--ink)", "stroke-dasharray": "1 3" });
    const ray = svg(plane.layer, "path", { stroke: "var(--faint)" });
    const filled = { fill: "var(--posterior)", "fill-opacity": 0.16, stroke: "var(--posterior)", "stroke-width": 1.5 };
    const after = [2, 1].map(() => svg(plane.layer, "path", filled));
    const older = svg(plane.layer, "g", { opacity: 0.45 });
    const before = [2, 1].map(() => svg(plane.layer, "path", { fill: "none", stroke: "var(--prior)", "stroke-width": 1.5 }));
    const path = svg(plane.layer, "path", { fill: "none", stroke: "var(--ink)" });
    const step = svg(plane.layer, "path", { fill: "none", stroke: "var(--weight)", "stroke-width": 1.5, "stroke-dasharray": "4 2" });
    const newest = svg(plane.layer, "g");
    const dots = Object.fromEntries(["from", "to", "mean"].map((name) => [name, svg(plane.layer, "g")]));
    drawMark(dots.from, "hollow", "var(--weight)", 4);
    drawMark(dots.to, "full", "var(--weight)", 4);
    svg(dots.mean, "rect", { x: -4, y: -4, width: 8, height: 8, fill: "var(--posterior)" });
    const truth = svg(plane.layer, "path", { fill: "var(--paper)", stroke: "var(--ink)", "stroke-width": 1.2 });

    const total = plot(ui, { x: [0, rounds()], y: [0.5, 10], log: true, xlabel: "round", ylabel: "precision of the belief", ...size });
    const time = timeline(ui, total, { rounds });
    const curves = DASHES.map((dash) => time.curve({ stroke: "var(--posterior)", "stroke-dasharray": dash }));
    const values = DASHES.map(() => svg(total.over, "text", { "font-weight": 600, ...HALO }));

    nameMarks(ui.readout);
    const sentence = tag(ui.readout, "p");
    const note = tag(ui.readout, "p", { class: "bflo-help" });

    let computed = "";
    let drawn = "";
    let scene = null;
    let large = 1;
    let marks = [];
    let said;
    const layers = (g) =>
      Object.fromEntries(
        ["added", "removed"].map((kind) => {
          const look = { stroke: `var(--${kind})`, fill: "none" };
          return [kind, {
            ring: svg(g, "path", { ...look, fill: kind === "added" ? `var(--${kind})` : "none", "fill-opacity": 0.3 }),
            strokes: svg(g, "path", look),
            piece: svg(g, "path", { ...look, "stroke-dasharray": kind === "added" ? undefined : "5 3" }),
          }];
        }),
      );
    const [faint, strong] = [layers(older), layers(newest)];
    for (const parts of Object.values(strong)) for (const part of Object.values(parts)) put(part, { "stroke-width": 2.4 });

    /** Do the rounds up to the end of the curves; all that does not depend on the round is drawn once. */
    function learn() {
      const settings = Object.fromEntries(["flow", "eta", "seed", "problem"].map((name) => [name, model.get(name)]));
      if (computed !== JSON.stringify(settings)) {
        computed = JSON.stringify(settings);
        const { mean, problems, rounds: first } = ui.facts;
        scene = new PseudoScene({ ...settings, ...problems[settings.problem], mean, rounds: first });
        scene.extend(first);
        [marks, drawn] = [[], ""];
        const sizes = scene.marks.flat().map((mark) => Math.abs(mark.precision)).sort((a, b) => a - b);
        large = sizes[Math.floor(ENOUGH * (sizes.length - 1))] ?? 1;
      }
      scene.extend(rounds());
      while (marks.length < scene.rounds) {
        marks.push(scene.marks[marks.length].map(({ place: at, direction, precision }) => {
          const radius = LARGE * Math.sqrt(Math.abs(precision) / large);
          const inside = Math.max(...at.map(Math.abs)) < ui.facts.span;
          return { kind: precision > 0 ? "added" : "removed", inside, ...markPath(plane, at, direction, radius, precision) };
        }));
      }
      if (drawn === String(rounds())) return;
      drawn = String(rounds());
      const totals = scene.totals.slice(0, rounds() + 1);
      const [lowest, highest] = totals.flat().reduce(([low, high], x) => [Math.min(low, x), Math.max(high, x)], [Infinity, 0]);
      total.set({ x: [0, rounds()], y: [Math.min(0.7, 0.9 * lowest), 1.6 * highest] });
      const count = totals[0].length;
      curves.forEach((curve, i) => curve.set(i < count ? thinned(total, 0, rounds(), (r) => totals[r][i]) : []));
    }

    const place = (g, [x, y]) => put(g, { transform: `translate(${plane.X(x).toFixed(2)} ${plane.Y(y).toFixed(2)})` });
    const drawMarks = (into, chosen) => {
      for (const [kind, parts] of Object.entries(into)) {
        for (const [name, part] of Object.entries(parts)) {
          put(part, { d: chosen.filter((mark) => mark.kind === kind).map((mark) => mark[name]).join("") });
        }
      }
    };

    ui.onDraw(() => {
      const [round, flow] = [model.get("round"), model.get("flow")];
      learn();
      const points = scene.beliefs.slice(0, round + 1).map((belief) => belief.mean);
      const shape = (r) => [points[r], covarianceOf(scene.beliefs[r])];
      [2, 1].forEach((k, i) => {
        put(after[i], { d: ellipse(...shape(round), k, plane) });
        put(before[i], { d: ellipse(...shape(Math.max(0, round - 1)), k, plane) });
      });
      put(path, { d: line(points, plane) });
      place(dots.mean, points[round]);
      const stepped = round > 0 ? [scene.weights[round - 1], scene.moved[round - 1]] : [];
      put(step, { d: line(stepped, plane) });
      [dots.from, dots.to].forEach((g, i) => {
        put(g, { visibility: stepped.length ? "visible" : "hidden" });
        if (stepped.length) place(g, stepped[i]);
      });
      const target = scene.true[round];
      put(truth, { d: star(plane.X(target[0]), plane.Y(target[1]), 9) });
      put(ray, { d: line([[0, 0], target], plane) });
      put(way, { d: line(scene.true.slice(Math.max(0, round - ui.facts.rounds), round + 1), plane) });
      const [past, latest] = [marks.slice(0, Math.max(0, round - 1)).flat(), round > 0 ? marks[round - 1] : []];
      drawMarks(faint, past.slice(-OLD));
      drawMarks(strong, latest);

      time.draw();
      const names = NAMES[flow];
      const left = round > 0.6 * rounds();
      values.forEach((text, i) => {
        const y = i < names.length ? scene.totals[round][i] : 1;
        const other = names.length > 1 ? scene.totals[round][1 - i] : 0;
        const above = y >= other && (y > other || i === 0);
        const [x, anchor] = left ? [total.X(round) - 7, "end"] : [total.X(round) + 7, "start"];
        put(text, { x, y: total.Y(y) + (above ? -8 : 18), "text-anchor": anchor });
        text.textContent = i < names.length ? `${names.length > 1 ? `${names[i]} ` : ""}${format(y)}` : "";
      });

      const all = past.concat(latest);
      const told = scene.sentence(round, ui.facts.words);
      const [gained, lost] = ["added", "removed"].map((kind) => all.filter((mark) => mark.kind === kind).length);
      const outside = all.filter((mark) => !mark.inside).length;
      plane.set({
        title: `Round ${round}: ${gained} added, ${lost} removed`,
        alt: `Weights w₁ and w₂ with the belief, its path and the pseudo-observations so far. ${told}`,
      });
      total.set({
        title: `Prior plus all points: precision of ${names.join(" and ")}`,
        alt: `Precision of ${names.join(" and ")} over rounds, now ${names.map((_, i) => format(scene.totals[round][i]))}.`,
      });
      sentence.textContent = told;
      const hidden = latest.length && latest.every((mark) => !mark.inside) ? ", those of this round among them" : "";
      note.textContent = outside ? `Of ${all.length} so far, ${outside} lie outside of the view${hidden}.` : "";
      const state = String([round, flow, model.get("problem")]);
      if (said !== undefined && said !== state) ui.say(told);
      said = state;
    });
    return () => ui.dispose();
  },
};
