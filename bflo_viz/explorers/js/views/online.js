// The paper's demonstration live: a stream with wrong labels, the boundaries of the learners, and three curves.
import { explorer } from "../kit.js";
import { area, clamp, cursor, curve, dots, el, format, handle, lines, say, shape, text, unit, upright, write } from "../marks.js";
import { KINDS } from "../engine/beliefs.js";
import { OnlineScene } from "./online_scene.js";
import { inSight, names, past, priorInPython } from "./rounds.js";

const DASHES = { SGD: undefined, full: "7 3", diagonal: undefined, spherical: "2 3", Kalman: "12 3 2 3", AROW: "1.5 2.5 6 2.5", Langevin: "10 4" };
const [SPAN, LAST, SETTLED, FAR] = [3, 60, 10, 9]; // of inputs; examples in sight; rounds before a share says something; beyond
const PATIENCE = 10; // milliseconds a frame for rounds that are still to come
const HERE = { turns: [], non_expansive: false };
const CHIPS = {
  "all labels right": { ...HERE, flip: 0, drift: 0, round: 300 },
  "four in ten wrong": { ...HERE, flip: 0.4, drift: 0, round: 1200 },
  "the truth turns": { ...HERE, flip: 0.2, drift: 20, round: 1500 },
  "…and beliefs cannot widen": { ...HERE, flip: 0.2, drift: 20, round: 1500, non_expansive: true },
};
const color = (name) => name.toLowerCase();

/** The two ends, far out, of the line where a weight predicts one half; for a weight of 0 there is none. */
function boundary(/** @type {number[]} */ [x, y], reach = FAR) {
  const length = Math.hypot(x, y) || Infinity;
  return [[(-y / length) * reach, (x / length) * reach], [(y / length) * reach, (-x / length) * reach]];
}
/** Where the boundary of a weight leaves the picture on the right. */
function exit(weight) {
  const [, [x, y]] = boundary(weight, weight[1] < 0 ? -1 : 1);
  const reach = (SPAN - 0.15) / Math.max(Math.abs(x), Math.abs(y), 1e-9);
  return [x * reach, y * reach];
}

export default explorer("online", (ui) => {
  const { rounds, calibrated } = ui.constants;
  const plane = ui.panel("plane", { caption: "The last 60 examples", x: [-SPAN, SPAN], y: [-SPAN, SPAN], isSquare: true, wash: true, xticks: null, yticks: null });
  const [mistakes, entropy, distance] = [["mistakes", "Mistakes so far (%)"], ["entropy", "Entropy of the beliefs (nats)"], ["distance", "How far off the best weight is (σ)"]].map(([name, caption]) =>
    ui.panel(name, { caption, xticks: null, margin: { left: 34, right: 74, top: 8, bottom: 6 } }));
  distance.set({ xticks: [], xlabel: "round", log: true, margin: { ...distance.margin, bottom: 36 } });
  const charts = [mistakes, entropy, distance];
  write(el(plane.head, "small"), say`● label 1\u2002 □ label 0\u2002 ${["× wrong", "removed"]}`);
  ui.layout('"plane mistakes" 1fr "plane entropy" 1fr "plane distance" 1.2fr / minmax(0, 1.02fr) minmax(0, 1fr)');
  ui.stage.style.rowGap = "0";
  ui.state.reach = 2.55; // how far from the middle one holds the true line
  ui.player({ start: 1 });
  ui.controls(["flip", "drift", "non_expansive"], ["learners", "eta", "std", "predict", "seed", "speed", "round"]);
  ui.presets(CHIPS);
  for (const p of charts) p.onPress(([round]) => ui.set({ round: Math.round(clamp(round, 0, inSight(ui.state.round, rounds))) }));

  const shown = (s) => ui.known.learners.options.map(([name]) => name).filter((name) => s.learners.includes(name));
  /** A single flow needs no other name. */
  const called = (s, name) => (name in KINDS && shown(s).filter((one) => one in KINDS).length === 1 ? "flow" : name);
  const run = ui.memo(["eta", "std", "flip", "drift", "turns", "non_expansive", "seed"], (s) => new OnlineScene(s, ui.constants));
  /** The run as far as it is in sight, or as far as there is time for in this frame: then it goes on in the next. */
  function learned(s, end) {
    const scene = run(s);
    const begun = performance.now();
    let done = Math.max(s.round, Math.min(end, scene.done(shown(s))));
    do scene.extend(shown(s), (done = Math.min(end, Math.max(s.round, done + 250))));
    while (done < end && performance.now() - begun < PATIENCE);
    if (done < end) ui.redraw();
    s.done = done;
    return scene;
  }

  /** What the curves show, made again only for another run or more rounds of it: by learner, points over rounds. */
  const points = ui.memo(["eta", "std", "flip", "drift", "turns", "non_expansive", "seed", "done", "end", "predict", "learners"], (s) => {
    const { tracks } = run(s);
    const every = s.end / 400;
    const made = (value, from = 0) => Object.fromEntries(shown(s).map((name) => {
      const all = [];
      for (let r = from; r <= s.done; r += every) all.push([r, value(tracks[name], r)]);
      return [name, all.filter(([, y]) => y !== undefined && Number.isFinite(y))];
    }));
    return {
      mistakes: made((track, r) => (100 * counted(s, track)[r]) / r, SETTLED),
      entropy: made((track, r) => track.entropy[r]),
      distance: made((track, r) => Math.max(0.01, track.distance[r])),
    };
  });
  const counted = (s, track) => track[s.predict === "sample" ? "sample" : "byMean"];

  function drawPlane(s, scene) {
    const { x, seen, truth, tracks, samples } = scene;
    const some = Array.from({ length: Math.min(LAST, s.round) }, (_, k) => s.round - 1 - k);
    const at = (r) => [x[2 * r], x[2 * r + 1]];
    const angle = scene.angle(s.round);
    const [cos, sin] = unit(angle);
    const ends = boundary([cos, sin]);
    const mean = (name) => tracks[name].mean.slice(2 * s.round, 2 * s.round + 2);
    const fan = (name) => {
      const [p, q, r] = tracks[name].factor.slice(3 * s.round, 3 * s.round + 3);
      const [a, b] = mean(name);
      return Array.from({ length: samples.length / 2 }, (_, k) => boundary([a + p * samples[2 * k], b + q * samples[2 * k] + r * samples[2 * k + 1]]));
    };
    const wrong = some.filter((r) => seen[r] !== truth[r]).map(at);
    const place = [-s.reach * sin, s.reach * cos];
    const onRight = place[0] > 0.4;
    plane.draw(
      area([...ends, ...[...ends].reverse().map(([a, b]) => [a + FAR * cos, b + FAR * sin])], "line", { width: 0, fill: 0.3 }),
      curve(ends, "line", { width: 7 }),
      dots(some.filter((r) => seen[r]).map(at), "ink", { r: 3.5, fill: 1 }),
      dots(some.filter((r) => !seen[r]).map(at), "ink", { r: 3.5, square: true, hollow: true }),
      shape((p) => wrong.map(([a, b]) => `M${p.X(a) - 6} ${p.Y(b) - 6}l12 12m0 -12l-12 12`).join(""), "removed", { width: 1.5 }),
      s.round > 0 && dots([at(s.round - 1)], "ink", { r: 9, hollow: true }),
      text(place, "true line: turn it", "quiet", { anchor: onRight ? "end" : "start", dx: onRight ? -16 : 16 }),
      handle(place, {
        label: "True line", color: "quiet", shape: "ring", step: 0.15, says: `${format((angle * 180) / Math.PI, 0)}°`,
        set: ([a, b]) => (turn(s, angle, Math.atan2(-a, b)), ui.set({ reach: clamp(Math.hypot(a, b), 0.5, 2.7) })),
      }),
      shown(s).map((name) => lines(tracks[name].factor.length ? fan(name) : [], color(name), { opacity: 0.28 })),
      shown(s).map((name) => curve(boundary(mean(name)), color(name), { width: 2.5, dash: DASHES[name] })),
      names(shown(s).map((name) => [exit(mean(name)), called(s, name), color(name)]), { anchor: "end", dx: 0, inside: true, gap: 16 }),
    );
  }

  /** Turn the true line by hand: from this round on it points elsewhere. */
  function turn(s, from, to) {
    const degrees = Math.round(((to - from) * 1800) / Math.PI) / 10;
    const before = s.turns.find(([start]) => start === s.round)?.[1] ?? 0;
    const total = Math.round(10 * (((((before + degrees + 180) % 360) + 360) % 360) - 180)) / 10;
    ui.set({ turns: [...s.turns.filter(([start]) => start !== s.round), ...(total ? [[s.round, total]] : [])].sort(([a], [b]) => a - b) });
  }

  function drawCharts(s) {
    const all = points(s);
    const values = (one) => Object.values(one).flatMap((some) => some.map(([, y]) => y));
    const [most, lowest, widest, farthest] = [Math.max(0, ...values(all.mistakes)), values(all.entropy).sort((a, b) => a - b), Math.max(3, ...values(all.entropy)), Math.max(0, ...values(all.distance))];
    const deep = lowest[Math.floor(0.03 * lowest.length)] ?? 0; // short, deep dips may leave the picture
    mistakes.set({ y: [0, most > 56 ? 100 : 56] });
    entropy.set({ yticks: deep > -4 ? [-3, 0, 3] : [], y: [[-4, -8, -16, -30].find((low) => deep > low) ?? -60, widest + 0.4] });
    distance.set({ y: [0.1, farthest > 12 ? 100 : 10], yticks: farthest > 12 ? [0.1, 1, 10, 100] : [0.1, 1, 10] });
    for (const p of charts) {
      const some = all[p.name];
      const [low, high] = p.y;
      const named = Object.entries(some).filter(([, one]) => one.length).map(([name, one]) => [[s.end, clamp(one.at(-1)[1], low, high)], called(s, name), color(name)]);
      p.set({ x: [0, s.end] });
      p.draw(
        p === distance && curve([[0, calibrated], [s.end, calibrated]], "line", { width: 5 }),
        p === distance && (s.flip > 0 ? text([0, calibrated], "as sure as it should be", "quiet", { anchor: "start", dx: 8, dy: -7 }) : text([s.end / 2, 3], "without wrong labels, no weight is the best one", "quiet")),
        p === mistakes ? cursor(s.round, (round) => ui.set({ round: clamp(round, 0, s.end) }), { step: s.end / 200 }) : upright(s.round),
        Object.entries(some).map(([name, one]) => past(one, s.round, color(name), { width: 1.75, dash: DASHES[name] })),
        names(named),
      );
    }
  }

  ui.script = (s) => {
    const made = { SGD: `SGD(2, eta=${s.eta}, std=${s.std})`, Kalman: `Kalman(${priorInPython("full", s.std)})`, AROW: `AROW(2, std=${s.std}, predicting="sample")`, Langevin: `Langevin(2, eta=${s.eta}, std=${s.std}, prior_std=${s.std}, data_size=${ui.constants.examples})` };
    const flow = (name) => `BeliefFlow(${priorInPython(name, s.std)}, eta=${s.eta}${s.non_expansive ? ", non_expansive=True" : ""})`;
    return `
# The same rounds, step by step
import numpy as np
from bflo_viz import AROW, SGD, BeliefFlow, DiagonalBelief, FullBelief, Kalman, Langevin, SphericalBelief

seeds = [int(2**32 * u) for u in np.random.RandomState(${s.seed}).random_sample(4)]
inputs, flips = np.random.RandomState(seeds[0]), np.random.RandomState(seeds[1])
learners = {
${shown(s).map((name) => `    "${name}": ${made[name] ?? flow(name)},\n`).join("")}}
own = {name: np.random.RandomState(seeds[3]) for name in learners}
mistakes = dict.fromkeys(learners, 0)
for n in range(${s.round}):
    angle = np.pi / 4 + np.radians(${s.drift}) * n / 100${s.turns.map(([start, degrees]) => ` + np.radians(${degrees}) * (n >= ${start})`).join("")}
    x = inputs.standard_normal(2)
    truth = int(x @ [np.cos(angle), np.sin(angle)] > 0)
    seen = truth ^ int(flips.random_sample() < ${s.flip})
    for name, learner in learners.items():
        mistakes[name] += learner.step(x, seen, own[name]).label != truth
print({name: f"{100 * count / ${s.round || 1}:.0f} %" for name, count in mistakes.items()})
`;
  };

  return (s) => {
    s.end = inSight(s.round, rounds);
    const scene = learned(s, s.end);
    drawPlane(s, scene);
    drawCharts(s);
    if (!shown(s).length) return "Nobody learns: choose learners under More.";
    if (!s.round) return say`No example yet: every line is a guess, and every belief is as wide as its prior.`;
    const sign = shown(s).length > 4 ? "" : " %"; // so that many learners still fit into one line
    const told = (name) => [`${called(s, name)} ${format((100 * counted(s, scene.tracks[name])[s.round]) / s.round, 0)}${sign}`, color(name)];
    const parts = shown(s).flatMap((name, i) => say`${i ? ", " : ""}${told(name)}`.parts);
    return say`Mistakes${s.predict === "mean" ? " of the means" : ""}${sign ? "" : " (%)"} after ${[String(s.round), "ink"]} examples: ${{ parts }}.`;
  };
});
