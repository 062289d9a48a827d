// The paper's demonstration live: a stream with wrong labels, the boundaries of four learners, and their curves.
import { awaitRun, button, flag, flags, format, group, mount, needsPython, nextSeed, play, slider, tag, unpack } from "../shared/kit.js";
import { line, plot, put, svg } from "../shared/plot.js";
import { key, timeline } from "../shared/curves.js";

const SPAN = 3; // of the inputs that are shown
const SHOWN = 60; // examples of the stream at a time
const RECENT = 100; // rounds of the second column of mistakes
const SETTLED = 20; // rounds: before, a share of mistakes says nothing, and may leave the panel
const LOWEST = -25; // nats: what lies deeper leaves the panel
const DIPS = 0.03; // share of rounds that may leave it: short, deep dips would rule the scale
const FLOWS = ["full", "diagonal", "spherical"];
const DASHES = { SGD: undefined, full: "7 4", diagonal: "9 3 2 3", spherical: "2 3" };
const lookOf = (name) => ({ stroke: `var(--${name.toLowerCase()})`, "stroke-dasharray": DASHES[name] });

/** The ends of the line where a weight predicts one half; none for a weight of 0. */
function boundary([x, y], reach = 3 * SPAN) {
  const length = Math.hypot(x, y);
  if (!(length > 0)) return [];
  const [across, up] = [(-y / length) * reach, (x / length) * reach];
  return [[-across, -up], [across, up]];
}

/** Ticks at both ends of a boundary, towards the side where label 1 is predicted. */
function sides([x, y]) {
  const length = Math.hypot(x, y);
  return boundary([x, y], 0.86 * SPAN).map(([a, b]) => [[a, b], [a + (0.28 * x) / length, b + (0.28 * y) / length]]);
}

/** Path data of an example: a disc for label 1, a square for label 0, and a cross over a flipped one. */
function examplePath(x, y, label, flipped) {
  const shape = label
    ? `M${x - 3.5} ${y}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0`
    : `M${x - 3} ${y - 3}h6v6h-6Z`;
  return { shape, cross: flipped ? `M${x - 6} ${y - 6}l12 12m0 -12l-12 12` : "" };
}

/** What the marks in the plane mean. */
function nameExamples(parent) {
  const shape = (label, color) => (g) =>
    svg(g, "path", { d: examplePath(0, 0, label).shape, fill: label ? color : "var(--paper)", stroke: color });
  const path = (d, look = {}) => (g) => svg(g, "path", { d, stroke: "var(--ink)", ...look });
  key(parent, [
    ["label 1", shape(1, "var(--ink)")],
    ["label 0", shape(0, "var(--ink)")],
    [
      "flipped",
      (g) => {
        shape(1, "var(--removed)")(g);
        svg(g, "path", { d: examplePath(0, 0, 1, true).cross, stroke: "var(--removed)", fill: "none" });
      },
    ],
    [
      "newest",
      (g) => {
        shape(1, "var(--ink)")(g);
        svg(g, "circle", { r: 7, fill: "none", stroke: "var(--ink)" });
      },
    ],
    ["boundary of a learner, ticks towards label 1", path("M-13 3H13M-8 3V-5M8 3V-5", { "stroke-width": 2 })],
    ["true boundary, its side of label 1 shaded", path("M-13 0H13", { stroke: "var(--faint)", "stroke-width": 5 })],
    ["faint: other weights of a belief", path("M-13 5L13 -1M-13 0L13 -5", { opacity: 0.4 })],
  ]);
}

export default {
  render(view) {
    const ui = mount(view, "online");
    const { model } = ui;
    ui.watch(["eta", "std", "flip", "drift", "flows", "non_expansive", "seed", "round", "_run"]);
    const rounds = () => model.get("_run").rounds;
    const settings = {
      ...Object.fromEntries(["eta", "std", "flip", "drift"].map((name) => [name, slider(ui, { name })])),
      non_expansive: flag(ui, { name: "non_expansive" }),
    };
    flags(ui, { name: "flows" });
    const seeds = group(ui, "Seed");
    const seed = tag(seeds, "output");
    settings.seed = button(ui, {
      name: "new-seed",
      label: "New seed",
      title: "Other examples and samples",
      action: () => ui.set({ seed: nextSeed(ui) }),
      parent: seeds,
    });
    needsPython(ui, settings);
    awaitRun(ui, () => Object.entries(model.get("_run").of).some(([name, value]) => model.get(name) !== value));
    play(ui, { rounds });

    const size = { width: 360, height: 352 };
    const range = [-SPAN, SPAN];
    const plane = plot(ui, { x: range, y: range, equal: true, xlabel: "first input", ylabel: "second input", ...size });
    const shade = svg(plane.layer, "path", { fill: "var(--faint)", "fill-opacity": 0.22 });
    const truth = svg(plane.layer, "path", { stroke: "var(--faint)", "stroke-width": 6 });
    const names = ["SGD", ...FLOWS];
    const fans = Object.fromEntries(
      FLOWS.map((name) => [name, svg(plane.layer, "path", { stroke: lookOf(name).stroke, opacity: 0.35 })]),
    );
    const bounds = Object.fromEntries(
      names.map((name) => {
        const g = svg(plane.layer, "g", { fill: "none", "stroke-width": 2.5 });
        return [name, { g, line: svg(g, "path", lookOf(name)), ticks: svg(g, "path", { stroke: lookOf(name).stroke }) }];
      }),
    );
    const stream = Object.fromEntries(
      ["ink", "removed"].flatMap((color) =>
        [0, 1].map((label) => {
          const look = { stroke: `var(--${color})`, fill: label ? `var(--${color})` : "var(--paper)" };
          return [`${color}${label}`, svg(plane.layer, "path", look)];
        }),
      ),
    );
    const crosses = svg(plane.layer, "path", { stroke: "var(--removed)", fill: "none" });
    const latest = svg(plane.layer, "circle", { r: 9, fill: "none", stroke: "var(--ink)", "stroke-width": 1.5 });

    const panel = (ylabel, title) => plot(ui, { x: [0, rounds()], y: [0, 1], xlabel: "round", ylabel, title, ...size });
    const mistakes = panel("mistakes so far (%)", "Mistakes, by the true labels");
    const entropies = panel("entropy (nats)", "Entropy of the beliefs; SGD has none");
    const times = [timeline(ui, mistakes, { rounds }), timeline(ui, entropies, { rounds })];
    const errorCurves = Object.fromEntries(names.map((name) => [name, times[0].curve(lookOf(name))]));
    const entropyCurves = Object.fromEntries(FLOWS.map((name) => [name, times[1].curve(lookOf(name))]));

    const { left, top, height } = entropies.area;
    const deep = svg(entropies.over, "text", { x: left + 6, y: top + height - 7, opacity: 0.85 });

    nameExamples(ui.readout);
    const table = tag(tag(ui.readout, "div", { class: "bflo-table", tabindex: 0, role: "group", "aria-label": "Numbers" }), "table");
    const head = tag(tag(table, "thead"), "tr");
    const columns = ["learner", "angle off (°)", "mistakes (%)", `last ${RECENT} (%)`, "entropy (nats)"];
    for (const text of columns) tag(head, "th", { scope: "col" }, text);
    const body = tag(table, "tbody");
    const rows = Object.fromEntries(
      names.map((name) => {
        const row = tag(body, "tr");
        const cell = tag(row, "th", { scope: "row", style: "text-align: left; white-space: nowrap;" });
        const sample = svg(cell, "svg", { viewBox: "0 0 36 10", width: 36, height: 10, "aria-hidden": "true" });
        sample.style.marginRight = "0.4rem";
        svg(sample, "path", { d: "M0 5H36", "stroke-width": 2.5, ...lookOf(name) });
        cell.append(name);
        return [name, { row, cells: columns.slice(1).map(() => tag(row, "td", { style: "white-space: nowrap;" })) }];
      }),
    );

    let shown = null;
    let run = null;
    let drawn = "";
    let said;

    /** Read a run that came from Python, and count its mistakes. */
    function load() {
      const packed = model.get("_run");
      if (packed === shown) return;
      shown = packed;
      drawn = "";
      run = Object.fromEntries(["x", "seen", "flipped", "samples"].map((name) => [name, unpack(packed[name])]));
      run.learners = Object.fromEntries(
        Object.entries(packed.learners).map(([name, arrays]) => {
          const learner = Object.fromEntries(Object.entries(arrays).map(([part, array]) => [part, unpack(array)]));
          learner.mistakes = new Uint16Array(packed.rounds + 1);
          for (let r = 0; r < packed.rounds; r += 1) learner.mistakes[r + 1] = learner.mistakes[r] + learner.wrong.values[r];
          return [name, learner];
        }),
      );
    }

    /** The curves: they change with the run and the flows, not with the round. */
    function drawCurves(shownNames) {
      if (drawn === String(shownNames)) return;
      drawn = String(shownNames);
      const share = (name, r) => (100 * run.learners[name].mistakes[r]) / r;
      let [most, least, lowest, widest] = [10, 0, 0, 0];
      for (const name of shownNames) {
        for (let r = SETTLED; r <= rounds(); r += 1) most = Math.max(most, share(name, r));
        const sorted = run.learners[name].entropy?.values.slice().sort() ?? [0];
        [lowest, widest] = [Math.min(lowest, sorted[0]), Math.max(widest, sorted.at(-1))];
        least = Math.min(least, Math.max(LOWEST, sorted[Math.floor(DIPS * sorted.length)]));
      }
      mistakes.set({ x: [0, rounds()], y: [0, Math.min(100, 1.08 * most)] });
      entropies.set({ x: [0, rounds()], y: [least - 0.5, widest + 0.5] });
      const depth = Number.isFinite(lowest) ? format(lowest, 0) : "−∞";
      deep.textContent = lowest < least - 0.5 ? `dips to ${depth} leave the panel` : "";
      const over = (from, value) => Array.from({ length: rounds() + 1 - from }, (_, i) => [from + i, value(from + i)]);
      for (const name of names) {
        const here = shownNames.includes(name);
        errorCurves[name].set(here ? over(1, (r) => share(name, r)) : []);
        // A width that collapsed to 0 has an entropy of minus infinity: the curve leaves the panel at its foot.
        entropyCurves[name]?.set(here ? over(0, (r) => Math.max(run.learners[name].entropy.values[r], 2 * LOWEST)) : []);
      }
    }

    function drawStream(round) {
      const paths = Object.fromEntries(Object.keys(stream).map((name) => [name, ""]));
      let marks = "";
      for (let r = Math.max(0, round - SHOWN); r < round; r += 1) {
        const [x, y] = [plane.X(run.x.at(r, 0)), plane.Y(run.x.at(r, 1))].map((value) => Math.round(10 * value) / 10);
        const flipped = run.flipped.values[r] === 1;
        const { shape, cross } = examplePath(x, y, run.seen.values[r], flipped);
        paths[`${flipped ? "removed" : "ink"}${run.seen.values[r]}`] += shape;
        marks += cross;
        put(latest, { cx: x, cy: y });
      }
      for (const [name, d] of Object.entries(paths)) put(stream[name], { d });
      put(crosses, { d: marks });
      put(latest, { visibility: round ? "visible" : "hidden" });
    }

    ui.onDraw(() => {
      load();
      const round = Math.min(model.get("round"), rounds());
      const shownNames = ["SGD", ...FLOWS.filter((flow) => model.get("flows").includes(flow))];
      drawCurves(shownNames);
      drawStream(round);
      for (const time of times) time.draw();

      const angle = Math.PI / 4 + ((shown.of.drift * Math.PI) / 180) * (round / 100);
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      const ends = boundary([cos, sin]);
      const far = 3 * SPAN;
      put(truth, { d: line(ends, plane) });
      const beyond = [...ends].reverse().map(([x, y]) => [x + far * cos, y + far * sin]);
      put(shade, { d: line([...ends, ...beyond], plane) });

      for (const name of names) {
        const learner = run.learners[name];
        const here = shownNames.includes(name);
        const mean = [learner.mean.at(round, 0), learner.mean.at(round, 1)];
        put(bounds[name].g, { visibility: here ? "visible" : "hidden" });
        if (fans[name]) put(fans[name], { visibility: here ? "visible" : "hidden" });
        rows[name].row.hidden = !here;
        if (!here) continue;
        put(bounds[name].line, { d: line(boundary(mean), plane) });
        put(bounds[name].ticks, { d: sides(mean).map((tick) => line(tick, plane)).join("") });
        if (learner.factor) {
          const [a, b, c] = [0, 1, 2].map((i) => learner.factor.at(round, i));
          const weights = Array.from({ length: run.samples.shape[0] }, (_, k) => {
            const [z0, z1] = [run.samples.at(k, 0), run.samples.at(k, 1)];
            return [mean[0] + a * z0, mean[1] + b * z0 + c * z1];
          });
          put(fans[name], { d: weights.map((weight) => line(boundary(weight), plane)).join("") });
        }
        fill(name, round, mean, [cos, sin]);
      }

      const errors = shownNames.map((name) => `${name} ${rows[name].cells[1].textContent} %`).join(", ");
      plane.set({
        title: round ? `Round ${round}: the last ${Math.min(round, SHOWN)} examples` : "Round 0: no example yet",
        alt: `Inputs with the last examples, the true boundary and those of ${shownNames.join(", ")} after ${round} rounds.`,
      });
      mistakes.set({ alt: `Mistakes so far in percent of rounds; after ${round} rounds: ${errors}.` });
      entropies.set({ alt: `Entropy of the beliefs over rounds, a line at round ${round}.` });
      seed.textContent = shown.of.seed;
      if (said !== undefined && said !== round) ui.say(round === 0 ? "Round 0: no example yet." : `Round ${round}. Mistakes: ${errors}.`);
      said = round;
      ui.root.dataset.run = JSON.stringify(shown.of);
    });

    /** The numbers of a learner after a round. */
    function fill(name, round, mean, [cos, sin]) {
      const { mistakes: counted, entropy } = run.learners[name];
      const from = Math.max(0, round - RECENT);
      const percent = (count, of) => (of ? format((100 * count) / of, 1) : "–");
      const off = Math.atan2(mean[1] * cos - mean[0] * sin, mean[0] * cos + mean[1] * sin);
      const nats = entropy?.values[round];
      const texts = [
        mean[0] || mean[1] ? format(Math.abs((off * 180) / Math.PI), 0) : "–",
        percent(counted[round], round),
        percent(counted[round] - counted[from], round - from),
        entropy ? (Number.isFinite(nats) ? format(nats, 1) : "−∞") : "–",
      ];
      texts.forEach((text, i) => {
        if (rows[name].cells[i].textContent !== text) rows[name].cells[i].textContent = text;
      });
    }
    return () => ui.dispose();
  },
};
