// The paper's demonstration live: a stream with wrong labels, the boundaries of the learners, and their curves.
import { controls, fill, format, mount, play, remembered, seeds, tag, write } from "../shared/kit.js";
import { crossOf, line, plot, put, shapeOf, svg } from "../shared/plot.js";
import { key, table, thinned, timeline } from "../shared/curves.js";
import { OnlineScene, calibration } from "./scene.js";

const RECENT = 100; // rounds of the second column of mistakes
const FARTHEST = 100; // standard deviations: what is further away leaves the panel
const [PATIENCE, PIECE] = [20, 500]; // milliseconds a frame for rounds that are not shown yet, so many at a time
const DASHES = { SGD: undefined, full: "7 4", diagonal: "9 3 2 3", spherical: "2 3", AROW: "1.5 2.5 6 2.5", Langevin: "12 4" };
const NAMES = Object.keys(DASHES);
const SIZE = { width: 360, height: 352 };
const COLUMNS = [
  "learner",
  "angle off (°)",
  "mistakes by sample (%)",
  "by mean (%)",
  `last ${RECENT} (%)`,
  "entropy (nats)",
  "best weight away (σ)",
  "median (σ)",
];

/** An object with what `make` makes for each of some names. */
const each = (names, make) => Object.fromEntries(names.map((name) => [name, make(name)]));
const LOOKS = each(NAMES, (name) => ({ stroke: `var(--${name.toLowerCase()})`, "stroke-dasharray": DASHES[name] }));

/** The ends of the line where a weight predicts one half; none for a weight of 0. */
function boundary([x, y], reach) {
  const length = Math.hypot(x, y);
  if (!(length > 0)) return [];
  const [across, up] = [(-y / length) * reach, (x / length) * reach];
  return [[-across, -up], [across, up]];
}

/** Ticks at both ends of a boundary, towards the side where label 1 is predicted. */
function sides([x, y], span) {
  const length = Math.hypot(x, y);
  return boundary([x, y], 0.86 * span).map(([a, b]) => [[a, b], [a + (0.28 * x) / length, b + (0.28 * y) / length]]);
}

/** What the marks in the plane mean. */
function nameExamples(parent) {
  const path = (d, look) => (g) => svg(g, "path", { d, stroke: "var(--ink)", ...look });
  const example = (label, color) => path(shapeOf(0, 0, label), { fill: label ? color : "var(--paper)", stroke: color });
  const both = (first, second) => (g) => [first(g), second(g)];
  const ring = (g) => svg(g, "circle", { r: 7, fill: "none", stroke: "var(--ink)" });
  key(parent, [
    ["label 1", example(1, "var(--ink)")],
    ["label 0", example(0, "var(--ink)")],
    ["flipped", both(example(1, "var(--removed)"), path(crossOf(0, 0), { stroke: "var(--removed)" }))],
    ["newest", both(example(1, "var(--ink)"), ring)],
    ["boundary of a learner, ticks towards label 1", path("M-13 3H13M-8 3V-5M8 3V-5", { "stroke-width": 2 })],
    ["true boundary, its side of label 1 shaded", path("M-13 0H13", { stroke: "var(--faint)", "stroke-width": 5 })],
    ["faint: other weights of a belief", path("M-13 5L13 -1M-13 0L13 -5", { opacity: 0.4 })],
  ]);
}

/** The inputs: the last examples, the true boundary, and those of the learners. */
function drawPlane(plane, believers, { span, shown: last }) {
  const far = 3 * span; // beyond the panel
  const shade = plane.path({ fill: "var(--faint)", "fill-opacity": 0.22 });
  const truth = plane.path({ stroke: "var(--faint)", "stroke-width": 6 });
  const fans = each(believers, (name) => plane.path({ stroke: LOOKS[name].stroke, opacity: 0.35 }));
  const bounds = each(NAMES, (name) => plane.path({ ...LOOKS[name], "stroke-width": 2.5 }));
  const ticks = each(NAMES, (name) => plane.path({ stroke: LOOKS[name].stroke, "stroke-width": 2.5 }));
  const marks = each(["ink0", "ink1", "removed0", "removed1"], (name) => {
    const color = `var(--${name.slice(0, -1)})`;
    return plane.path({ stroke: color, fill: name.endsWith("1") ? color : "var(--paper)" });
  });
  const crosses = plane.path({ stroke: "var(--removed)" });
  const latest = svg(plane.layer, "circle", { r: 9, fill: "none", stroke: "var(--ink)", "stroke-width": 1.5 });

  function drawStream({ x: inputs, seen, truth: right }, round) {
    const paths = each(Object.keys(marks), () => "");
    let crossed = "";
    for (let r = Math.max(0, round - last); r < round; r += 1) {
      const [x, y] = [plane.X(inputs[2 * r]), plane.Y(inputs[2 * r + 1])].map((value) => Math.round(10 * value) / 10);
      const isFlipped = seen[r] !== right[r];
      paths[`${isFlipped ? "removed" : "ink"}${seen[r]}`] += shapeOf(x, y, seen[r]);
      if (isFlipped) crossed += crossOf(x, y);
      put(latest, { cx: x, cy: y });
    }
    for (const [name, d] of Object.entries(paths)) put(marks[name], { d });
    put(crosses, { d: crossed });
    put(latest, { visibility: round ? "visible" : "hidden" });
  }

  return ({ stream, tracks, samples }, shown, round, [cos, sin]) => {
    drawStream(stream, round);
    const ends = boundary([cos, sin], far);
    const beyond = [...ends].reverse().map(([x, y]) => [x + far * cos, y + far * sin]);
    put(truth, { d: line(ends, plane) });
    put(shade, { d: line([...ends, ...beyond], plane) });
    for (const name of NAMES) {
      const mean = shown.includes(name) ? tracks[name].mean.slice(2 * round, 2 * round + 2) : [0, 0];
      put(bounds[name], { d: line(boundary(mean, far), plane) });
      put(ticks[name], { d: sides(mean, span).map((tick) => line(tick, plane)).join("") });
      if (!fans[name]) continue;
      let fan = "";
      const [a, b, c] = shown.includes(name) ? tracks[name].factor.slice(3 * round, 3 * round + 3) : [0, 0, 0];
      for (let k = 0; k < samples.length; k += 2) {
        fan += line(boundary([mean[0] + a * samples[k], mean[1] + b * samples[k] + c * samples[k + 1]], far), plane);
      }
      put(fans[name], { d: fan });
    }
  };
}

/** The three panels of curves; `draw` is told what changes them: the learners that are shown and the rounds that are done. */
function drawCurves(ui, rounds, flows, believers) {
  const { facts } = ui;
  const [mistakes, entropies, distances] = [
    plot(ui, "mistakes", { x: [0, rounds()], y: [0, 1], ...SIZE }),
    plot(ui, "entropy", { x: [0, rounds()], y: [0, 1], ...SIZE }),
    plot(ui, "distance", { x: [0, rounds()], y: [0.1, 10], log: true, ...SIZE }),
  ];
  const { left, top, height } = distances.area;
  const quiet = { x: left + 6, opacity: 0.85, "pointer-events": "none" };
  const ideal = distances.path({ stroke: "var(--faint)", "stroke-width": 5 });
  const named = svg(distances.over, "text", quiet, `${format(facts.calibrated)}: calibrated`);
  const deep = svg(entropies.over, "text", { ...quiet, y: top + height - 7 });
  const times = [mistakes, entropies, distances].map((p) => timeline(ui, p, rounds));
  const curves = [NAMES, believers, flows].map((names, i) => each(names, (name) => times[i].curve(LOOKS[name])));

  function draw({ tracks }, shown, done, counted) {
    const share = (name) => (r) => (100 * counted(tracks[name])[r]) / r;
    let [most, least, lowest, widest, farthest] = [10, 0, 0, 0, 10];
    for (const name of shown) {
      const { entropy, distance } = tracks[name];
      for (let r = facts.settled; r <= done; r += 1) {
        most = Math.max(most, share(name)(r));
        farthest = Math.max(farthest, distance[r] ?? 0);
      }
      const sorted = Float64Array.from(entropy.length ? entropy : [0]).sort();
      [lowest, widest] = [Math.min(lowest, sorted[0]), Math.max(widest, sorted.at(-1))];
      least = Math.min(least, Math.max(facts.lowest, sorted[Math.floor(facts.dips * sorted.length)]));
    }
    const x = [0, rounds()];
    mistakes.set({ x, y: [0, Math.min(100, 1.08 * most)] });
    entropies.set({ x, y: [least - 0.5, widest + 0.5] });
    distances.set({ x, y: [0.1, Math.min(FARTHEST, 1.2 * farthest)] });
    put(named, { y: distances.Y(facts.calibrated) - 6 });
    put(ideal, { d: line(x.map((at) => [at, facts.calibrated]), distances) });
    write(deep, lowest < least - 0.5 ? `dips to ${format(lowest, 0)} leave the panel` : "");
    for (const name of NAMES) {
      const points = (p, from, value) => (shown.includes(name) ? thinned(p, from, done, value) : []);
      curves[0][name].set(points(mistakes, 1, share(name)));
      // A width that collapsed to 0 has an entropy of minus infinity: the curve leaves the panel at its foot.
      curves[1][name]?.set(points(entropies, 0, (r) => Math.max(tracks[name].entropy[r], 2 * facts.lowest)));
      curves[2][name]?.set(points(distances, 0, (r) => Math.max(0.01, Math.min(10 * FARTHEST, tracks[name].distance[r]))));
    }
  }
  return { mistakes, entropies, distances, times, draw };
}

export default {
  render(view) {
    const ui = mount(view, "online");
    const { model, facts } = ui;
    const flows = ui.about("flows").options.map(([name]) => name);
    const believers = [...flows, "AROW"];
    controls(ui, ["eta", "std", "flip", "drift", "non_expansive", "predict", "flows", "others"]);
    seeds(ui);
    const { rounds } = play(ui);
    const plane = plot(ui, "plane", { x: [-facts.span, facts.span], y: [-facts.span, facts.span], equal: true, ...SIZE });
    const showPlane = drawPlane(plane, believers, facts);
    const { mistakes, entropies, distances, times, draw } = drawCurves(ui, rounds, flows, believers);
    nameExamples(ui.readout);
    const sentence = tag(ui.readout, "p");
    const showNumbers = table(ui, COLUMNS, NAMES, LOOKS);

    let drawn = ""; // what the curves show
    const sceneOf = remembered(ui, ["eta", "std", "flip", "drift", "non_expansive", "seed"], (settings) => {
      drawn = "";
      return new OnlineScene({ ...settings, samples: facts.samples, integral: facts.integral });
    });
    const counted = (track) => (model.get("predict") === "sample" ? track.bySample : track.byMean);

    /** Do the rounds that are to be seen, and of those to come as many as there is time for in a frame. */
    function learn(scene, shown, round) {
      const until = performance.now() + PATIENCE;
      scene.extend(shown, round);
      while (scene.done(shown) < rounds() && performance.now() < until) {
        scene.extend(shown, Math.min(rounds(), scene.done(shown) + PIECE));
      }
      if (scene.done(shown) < rounds()) ui.redraw();
      return scene.done(shown);
    }

    /** The numbers of a learner after a round, in the order of the columns. */
    function numbersOf(track, round, [cos, sin]) {
      const { mean, bySample, byMean, entropy, distance, hasBelief, hasDistance } = track;
      const [x, y] = mean.slice(2 * round, 2 * round + 2);
      const from = Math.max(0, round - RECENT);
      const percent = (count, of) => (of ? format((100 * count) / of, 1) : "–");
      const off = Math.atan2(y * cos - x * sin, x * cos + y * sin);
      return [
        x || y ? format(Math.abs((off * 180) / Math.PI), 0) : "–",
        percent(bySample[round], round),
        percent(byMean[round], round),
        percent(counted(track)[round] - counted(track)[from], round - from),
        hasBelief ? format(entropy[round], 1) : "–",
        hasDistance ? format(distance[round], 1) : "–",
        hasDistance ? format(calibration(track, round), 2) : "–",
      ];
    }

    /** How much the beliefs know of what they do not know, in words. */
    function calibrationInWords({ tracks }, shown, round) {
      const { words, calibrated, tooSure } = facts;
      const some = shown.filter((name) => flows.includes(name));
      if (!some.length || !round) return "";
      if (!(model.get("flip") > 0)) return words.endless;
      const told = some.map((name) => {
        const ratio = calibration(tracks[name], round) / calibrated;
        const verdict = ratio > tooSure ? words.sure : ratio < 1 / tooSure ? words.unsure : words.fair;
        return `${name} ${format(ratio * calibrated, 2)} (${verdict})`;
      });
      return fill(words.median, { ideal: format(calibrated, 2), told: told.join(", ") });
    }

    ui.onDraw(() => {
      const round = model.get("round");
      const shown = ["SGD", ...model.get("flows"), ...model.get("others")];
      const scene = sceneOf();
      const done = learn(scene, shown, round);
      const state = String([shown, done, rounds(), model.get("predict")]);
      if (drawn !== state) draw(scene, shown, done, counted);
      drawn = state;
      for (const time of times) time.draw();
      const angle = scene.stream.angle(round);
      const truth = [Math.cos(angle), Math.sin(angle)];
      showPlane(scene, shown, round, truth);
      const numbers = each(shown, (name) => numbersOf(scene.tracks[name], round, truth));
      for (const name of NAMES) showNumbers(name, numbers[name]);

      const errors = shown.map((name) => `${name} ${numbers[name][model.get("predict") === "sample" ? 1 : 2]} %`).join(", ");
      const sure = calibrationInWords(scene, shown, round);
      plane.set({
        title: round ? fill(plane.title, { round, last: Math.min(round, facts.shown) }) : facts.words.none,
        alt: `Inputs with the last examples, the true boundary and those of ${shown.join(", ")} after ${round} rounds.`,
      });
      mistakes.set({ alt: `Mistakes so far in percent of rounds; after ${round} rounds: ${errors}.` });
      entropies.set({ alt: `Entropy of the beliefs over rounds, a line at round ${round}.` });
      distances.set({ alt: `Distance of the best weight over rounds, in standard deviations of each belief. ${sure}` });
      write(sentence, sure);
      ui.tell(round ? `Round ${round}. Mistakes: ${errors}.` : `${facts.words.none}.`);
    });
    return ui.dispose;
  },
};
