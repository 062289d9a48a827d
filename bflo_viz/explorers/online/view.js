// The paper's demonstration live: a stream with wrong labels, the boundaries of the learners, and their curves.
import { choice, fill, flag, flags, format, mount, play, seeds, slider, tag } from "../shared/kit.js";
import { line, plot, put, svg } from "../shared/plot.js";
import { key, thinned, timeline } from "../shared/curves.js";
import { OnlineScene, calibration } from "./scene.js";

const SPAN = 3; // of the inputs that are shown
const RECENT = 100; // rounds of the second column of mistakes
const SETTLED = 20; // rounds: before, a share of mistakes says nothing, and may leave the panel
const LOWEST = -25; // nats: what lies deeper leaves the panel
const DIPS = 0.03; // share of rounds that may leave it: short, deep dips would rule the scale
const FARTHEST = 100; // standard deviations: what is further away leaves the panel
const ENDS = [2, 3, 5, 8, 12, 20]; // of the curves, times a thousand rounds
const [PATIENCE, PIECE] = [20, 500]; // milliseconds a frame for rounds that are not shown yet, so many at a time
const SETTINGS = ["eta", "std", "flip", "drift", "non_expansive", "seed"];
const DASHES = { SGD: undefined, full: "7 4", diagonal: "9 3 2 3", spherical: "2 3", AROW: "1.5 2.5 6 2.5", Langevin: "12 4" };
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
    ui.watch([...SETTINGS, "predict", "flows", "others", "round"]);
    const flows = ui.about("flows").options.map(([name]) => name);
    const others = ui.about("others").options.map(([name]) => name);
    const names = ["SGD", ...flows, ...others];
    const believers = names.filter((name) => flows.includes(name) || name === "AROW");
    const { shown: SHOWN, calibrated } = ui.facts;
    for (const name of ["eta", "std", "flip", "drift"]) slider(ui, { name });
    flag(ui, { name: "non_expansive" });
    choice(ui, { name: "predict" });
    flags(ui, { name: "flows" });
    flags(ui, { name: "others" });
    seeds(ui, { title: "Other examples and samples" });
    let end = ui.facts.rounds; // of the curves
    const extend = (to) => (end = Math.max(end, 1000 * ENDS.find((thousand) => 1000 * thousand >= to)));
    const rounds = () => {
      if (model.get("round") > end) extend(model.get("round"));
      return end;
    };
    play(ui, { rounds, extend });

    const size = { width: 360, height: 352 };
    const range = [-SPAN, SPAN];
    const plane = plot(ui, { x: range, y: range, equal: true, xlabel: "first input", ylabel: "second input", ...size });
    const shade = svg(plane.layer, "path", { fill: "var(--faint)", "fill-opacity": 0.22 });
    const truth = svg(plane.layer, "path", { stroke: "var(--faint)", "stroke-width": 6 });
    const fans = Object.fromEntries(
      believers.map((name) => [name, svg(plane.layer, "path", { stroke: lookOf(name).stroke, opacity: 0.35 })]),
    );
    const bounds = Object.fromEntries(
      names.map((name) => {
        const g = svg(plane.layer, "g", { fill: "none", "stroke-width": 2.5 });
        return [name, { g, line: svg(g, "path", lookOf(name)), ticks: svg(g, "path", { stroke: lookOf(name).stroke }) }];
      }),
    );
    const marks = Object.fromEntries(
      ["ink", "removed"].flatMap((color) =>
        [0, 1].map((label) => {
          const look = { stroke: `var(--${color})`, fill: label ? `var(--${color})` : "var(--paper)" };
          return [`${color}${label}`, svg(plane.layer, "path", look)];
        }),
      ),
    );
    const crosses = svg(plane.layer, "path", { stroke: "var(--removed)", fill: "none" });
    const latest = svg(plane.layer, "circle", { r: 9, fill: "none", stroke: "var(--ink)", "stroke-width": 1.5 });

    const panel = (ylabel, title, options = {}) =>
      plot(ui, { x: [0, rounds()], y: [0, 1], xlabel: "round", ylabel, title, ...options, ...size });
    const mistakes = panel("mistakes so far (%)", "Mistakes, by the true labels");
    const entropies = panel("entropy (nats)", "Entropy of the beliefs");
    const distances = panel("standard deviations", "Distance of the best weight", { y: [0.1, 10], log: true });
    const ideal = svg(distances.layer, "path", { stroke: "var(--faint)", "stroke-width": 5 });
    const named = svg(distances.over, "text", { x: distances.area.left + 6, opacity: 0.85, "pointer-events": "none" }, `${format(calibrated)}: calibrated`);
    const times = [mistakes, entropies, distances].map((p) => timeline(ui, p, { rounds }));
    const curvesOf = (time, some) => Object.fromEntries(some.map((name) => [name, time.curve(lookOf(name))]));
    const errorCurves = curvesOf(times[0], names);
    const entropyCurves = curvesOf(times[1], believers);
    const distanceCurves = curvesOf(times[2], flows);

    const { left, top, height } = entropies.area;
    const deep = svg(entropies.over, "text", { x: left + 6, y: top + height - 7, opacity: 0.85 });

    nameExamples(ui.readout);
    const sentence = tag(ui.readout, "p");
    const table = tag(tag(ui.readout, "div", { class: "bflo-table", tabindex: 0, role: "group", "aria-label": "Numbers" }), "table");
    const head = tag(tag(table, "thead"), "tr");
    const columns = [
      "learner",
      "angle off (°)",
      "mistakes by sample (%)",
      "by mean (%)",
      `last ${RECENT} (%)`,
      "entropy (nats)",
      "best weight away (σ)",
      "median (σ)",
    ];
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

    let scene = null;
    let computed = "";
    let drawn = "";
    let said;

    /** Do the rounds that are to be seen, and of those to come as many as there is time for in a frame. */
    function learn(shownNames, round) {
      const settings = Object.fromEntries(SETTINGS.map((name) => [name, model.get(name)]));
      if (computed !== JSON.stringify(settings)) {
        computed = JSON.stringify(settings);
        scene = new OnlineScene({ ...settings, samples: ui.facts.samples });
        drawn = "";
      }
      const until = performance.now() + PATIENCE;
      scene.extend(shownNames, round);
      while (scene.done(shownNames) < rounds() && performance.now() < until) {
        scene.extend(shownNames, Math.min(rounds(), scene.done(shownNames) + PIECE));
      }
      if (scene.done(shownNames) < rounds()) ui.redraw();
      return scene.done(shownNames);
    }

    const counted = (name) => (model.get("predict") === "sample" ? scene.tracks[name].bySample : scene.tracks[name].byMean);

    /** The curves: they change with the rounds that are done and the learners that are shown, not with the round. */
    function drawCurves(shownNames, done) {
      const state = String([shownNames, done, rounds(), model.get("predict")]);
      if (drawn === state) return;
      drawn = state;
      const share = (name, r) => (100 * counted(name)[r]) / r;
      let [most, least, lowest, widest, farthest] = [10, 0, 0, 0, 10];
      for (const name of shownNames) {
        for (let r = SETTLED; r <= done; r += 1) most = Math.max(most, share(name, r));
        const { entropy, distance } = scene.tracks[name];
        const sorted = fans[name] ? entropy.slice(0, done + 1).sort() : [0];
        [lowest, widest] = [Math.min(lowest, sorted[0]), Math.max(widest, sorted.at(-1))];
        least = Math.min(least, Math.max(LOWEST, sorted[Math.floor(DIPS * sorted.length)]));
        if (distanceCurves[name]) for (let r = SETTLED; r <= done; r += 1) farthest = Math.max(farthest, distance[r]);
      }
      const x = [0, rounds()];
      mistakes.set({ x, y: [0, Math.min(100, 1.08 * most)] });
      entropies.set({ x, y: [least - 0.5, widest + 0.5] });
      distances.set({ x, y: [0.1, Math.min(FARTHEST, 1.2 * farthest)] });
      put(named, { y: distances.Y(calibrated) - 6 });
      put(ideal, { d: line([[0, calibrated], [rounds(), calibrated]], distances) });
      deep.textContent = lowest < least - 0.5 ? `dips to ${format(lowest, 0)} leave the panel` : "";
      for (const name of names) {
        const here = shownNames.includes(name);
        const { entropy, distance } = scene.tracks[name] ?? {};
        errorCurves[name].set(here ? thinned(mistakes, 1, done, (r) => share(name, r)) : []);
        // A width that collapsed to 0 has an entropy of minus infinity: the curve leaves the panel at its foot.
        entropyCurves[name]?.set(here ? thinned(entropies, 0, done, (r) => Math.max(entropy[r], 2 * LOWEST)) : []);
        const inSight = (r) => Math.max(0.01, Math.min(10 * FARTHEST, distance[r]));
        distanceCurves[name]?.set(here ? thinned(distances, 0, done, inSight) : []);
      }
    }

    function drawStream(round) {
      const { stream } = scene;
      const paths = Object.fromEntries(Object.keys(marks).map((name) => [name, ""]));
      let crossed = "";
      for (let r = Math.max(0, round - SHOWN); r < round; r += 1) {
        const [x, y] = [plane.X(stream.x[2 * r]), plane.Y(stream.x[2 * r + 1])].map((value) => Math.round(10 * value) / 10);
        const [label, flipped] = [stream.seen[r], stream.seen[r] !== stream.truth[r]];
        const { shape, cross } = examplePath(x, y, label, flipped);
        paths[`${flipped ? "removed" : "ink"}${label}`] += shape;
        crossed += cross;
        put(latest, { cx: x, cy: y });
      }
      for (const [name, d] of Object.entries(paths)) put(marks[name], { d });
      put(crosses, { d: crossed });
      put(latest, { visibility: round ? "visible" : "hidden" });
    }

    ui.onDraw(() => {
      const round = model.get("round");
      const [chosen, rivals] = [model.get("flows"), model.get("others")];
      const shownNames = names.filter((name) => name === "SGD" || chosen.includes(name) || rivals.includes(name));
      drawCurves(shownNames, learn(shownNames, round));
      drawStream(round);
      for (const time of times) time.draw();

      const angle = scene.stream.angle(round);
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      const ends = boundary([cos, sin]);
      const far = 3 * SPAN;
      put(truth, { d: line(ends, plane) });
      const beyond = [...ends].reverse().map(([x, y]) => [x + far * cos, y + far * sin]);
      put(shade, { d: line([...ends, ...beyond], plane) });

      for (const name of names) {
        const here = shownNames.includes(name);
        put(bounds[name].g, { visibility: here ? "visible" : "hidden" });
        if (fans[name]) put(fans[name], { visibility: here ? "visible" : "hidden" });
        rows[name].row.hidden = !here;
        if (here) drawLearner(name, round, [cos, sin]);
      }

      const column = model.get("predict") === "sample" ? 1 : 2;
      const errors = shownNames.map((name) => `${name} ${rows[name].cells[column].textContent} %`).join(", ");
      const sure = sentenceOf(shownNames, round);
      plane.set({
        title: round ? `Round ${round}: the last ${Math.min(round, SHOWN)} examples` : "Round 0: no example yet",
        alt: `Inputs with the last examples, the true boundary and those of ${shownNames.join(", ")} after ${round} rounds.`,
      });
      mistakes.set({ alt: `Mistakes so far in percent of rounds; after ${round} rounds: ${errors}.` });
      entropies.set({ alt: `Entropy of the beliefs over rounds, a line at round ${round}.` });
      distances.set({ alt: `Distance of the best weight over rounds, in standard deviations of each belief. ${sure}` });
      if (sentence.textContent !== sure) sentence.textContent = sure;
      if (said !== undefined && said !== round) ui.say(round === 0 ? "Round 0: no example yet." : `Round ${round}. Mistakes: ${errors}.`);
      said = round;
    });

    /** Boundary, faint lines and numbers of a learner. */
    function drawLearner(name, round, truthAt) {
      const track = scene.tracks[name];
      const mean = [track.mean[2 * round], track.mean[2 * round + 1]];
      put(bounds[name].line, { d: line(boundary(mean), plane) });
      put(bounds[name].ticks, { d: sides(mean).map((tick) => line(tick, plane)).join("") });
      if (fans[name]) {
        const [a, b, c] = track.factor.subarray(3 * round, 3 * round + 3);
        let fan = "";
        for (let k = 0; k < scene.samples.length; k += 2) {
          const [z0, z1] = [scene.samples[k], scene.samples[k + 1]];
          fan += line(boundary([mean[0] + a * z0, mean[1] + b * z0 + c * z1]), plane);
        }
        put(fans[name], { d: fan });
      }
      numbersOf(name, track, round, mean, truthAt).forEach((text, i) => {
        if (rows[name].cells[i].textContent !== text) rows[name].cells[i].textContent = text;
      });
    }

    /** The numbers of a learner after a round. */
    function numbersOf(name, { bySample, byMean, entropy, distance }, round, mean, [cos, sin]) {
      const from = Math.max(0, round - RECENT);
      const percent = (count, of) => (of ? format((100 * count) / of, 1) : "–");
      const off = Math.atan2(mean[1] * cos - mean[0] * sin, mean[0] * cos + mean[1] * sin);
      const all = counted(name);
      return [
        mean[0] || mean[1] ? format(Math.abs((off * 180) / Math.PI), 0) : "–",
        percent(bySample[round], round),
        percent(byMean[round], round),
        percent(all[round] - all[from], round - from),
        fans[name] ? format(entropy[round], 1) : "–",
        distanceCurves[name] ? format(distance[round], 1) : "–",
        distanceCurves[name] ? format(calibration(scene.tracks[name], round), 2) : "–",
      ];
    }

    /** How much the beliefs know of what they do not know, in words. */
    function sentenceOf(shownNames, round) {
      const some = shownNames.filter((name) => distanceCurves[name]);
      if (!some.length || !round) return "";
      const { median, sure, unsure, fair, endless } = ui.facts.words;
      if (!(model.get("flip") > 0)) return endless;
      const told = some.map((name) => {
        const middle = calibration(scene.tracks[name], round);
        const verdict = middle > ui.facts.tooSure * calibrated ? sure : middle < calibrated / ui.facts.tooSure ? unsure : fair;
        return `${name} ${format(middle, 2)} (${verdict})`;
      });
      return fill(median, { ideal: format(calibrated, 2), told: told.join(", ") });
    }
    return () => ui.dispose();
  },
};
