// The paper's demonstration live: a stream with wrong labels, the boundaries of the learners, and three curves.
import { KINDS } from "../engine/beliefs.js";
import { explorer } from "../kit.js";
import { area, clamp, curve, dots, el, format, handle } from "../marks.js";
import { lines, say, shape, text, unit, write } from "../marks.js";
import { OnlineScene } from "./online_scene.js";
import { cursor, inSight, names, past, sameRounds, upright } from "./rounds.js";

const DASHES = { full: "7 3", spherical: "2 3", Kalman: "12 3 2 3" };
const [SPAN, LAST, SETTLED, FAR] = [3, 60, 10, 9]; // of inputs; examples in sight; rounds before a share counts; beyond
const PATIENCE = 8; // milliseconds a frame for rounds that are still to come
const RUN = ["eta", "std", "flip", "drift", "turns", "non_expansive", "seed"];
const HERE = { turns: [], non_expansive: false };
const TURNING = { flip: 0.2, drift: 20, round: 1500 };
const CHIPS = {
  "all labels right": { ...HERE, flip: 0, drift: 0, round: 300 },
  "four in ten wrong": { ...HERE, flip: 0.4, drift: 0, round: 1200 },
  "the truth turns": { ...HERE, ...TURNING },
  "…and beliefs cannot widen": { ...HERE, ...TURNING, non_expansive: true },
};
const CAPTIONS = ["Mistakes so far (%)", "Entropy of the beliefs (nats)", "How far off the best weight is (σ)"];
const color = (name) => name.toLowerCase();
const look = (name, width) => ({ width, dash: DASHES[name] });

/** The two ends, far out, of the line where a weight predicts one half; for a weight of 0 there is none. */
function boundary(/** @type {number[]} */ [x, y]) {
  const scale = FAR / (Math.hypot(x, y) || Infinity);
  return [[-y * scale, x * scale], [y * scale, -x * scale]];
}
/** The point where the boundary of a weight leaves the picture on the right. */
function exit(weight) {
  const [x, y] = boundary(weight)[weight[1] < 0 ? 0 : 1];
  const scale = (SPAN - 0.15) / Math.max(Math.abs(x), Math.abs(y), 1e-9);
  return [x * scale, y * scale];
}

export default explorer("online", (ui) => {
  const { rounds, calibrated } = ui.constants;
  const bare = { xticks: null, yticks: null };
  const plane = ui.panel("plane", {
    caption: "Last 60 examples", x: [-SPAN, SPAN], y: [-SPAN, SPAN], isSquare: true, wash: true, ...bare,
  });
  const margin = { left: 34, right: 74, top: 8, bottom: 6 };
  const chart = (name, i) => ui.panel(name, { caption: CAPTIONS[i], xticks: null, margin });
  const charts = ["mistakes", "entropy", "distance"].map(chart);
  const [mistakes, entropy, distance] = charts;
  distance.set({ xticks: [], xlabel: "round", log: true, margin: { ...margin, bottom: 36 } });
  write(el(plane.head, "small"), say`● label 1\u2002 □ label 0\u2002 ${["× wrong", "removed"]}`);
  ui.layout('"plane mistakes" 1fr "plane entropy" 1fr "plane distance" 1.2fr / minmax(0, 1.02fr) minmax(0, 1fr)');
  ui.stage.style.rowGap = "0";
  ui.state.reach = 2.55; // how far from the middle one holds the true line
  ui.player({ start: 1 });
  ui.controls(["flip", "drift", "non_expansive"], ["learners", "eta", "std", "predict", "seed", "speed", "round"]);
  ui.presets(CHIPS);
  const see = (round) => ui.set({ round });
  for (const p of charts) p.onPress(([round]) => see(round));
  ui.script = (s) => {
    const tells = `{name: f"{run.error(name, ${s.round}):.0f} %" for name in run.names}`;
    return sameRounds("learn_online", s, RUN, { names: shown(s) }, tells);
  };

  const shown = (s) => ui.known.learners.options.map(([name]) => name).filter((name) => s.learners.includes(name));
  /** A single flow needs no other name. */
  const called = (s, name) => (name in KINDS && shown(s).filter((one) => one in KINDS).length === 1 ? "flow" : name);
  const run = ui.memo(RUN, (s) => new OnlineScene(s, ui.constants));
  /** The run as far as it is in sight, or as far as there is time for in this frame: then it goes on in the next. */
  function learned(s) {
    const scene = run(s);
    const until = performance.now() + PATIENCE;
    let done = Math.max(s.round, Math.min(s.end, scene.done(shown(s))));
    do scene.extend(shown(s), (done = Math.min(s.end, Math.max(s.round, done + 100))));
    while (done < s.end && performance.now() < until);
    if (done < s.end) ui.redraw();
    s.done = done;
    return scene;
  }
  const counted = (s, track) => track[s.predict === "sample" ? "sample" : "byMean"];
  const share = (s, name) => (100 * counted(s, run(s).tracks[name])[s.round]) / s.round;

  /** Points of the curves by learner, made again only for a different run or more rounds of it. */
  const points = ui.memo([...RUN, "done", "end", "predict", "learners"], (s) => {
    const made = (value, from = 0) => Object.fromEntries(shown(s).map((name) => {
      const all = [];
      for (let r = from; r <= s.done; r += s.end / 400) all.push([r, value(run(s).tracks[name], r)]);
      return [name, all.filter(([, y]) => Number.isFinite(y))];
    }));
    return {
      mistakes: made((track, r) => (100 * counted(s, track)[r]) / r, SETTLED),
      entropy: made((track, r) => track.entropy[r]),
      distance: made((track, r) => Math.max(0.01, track.distance[r])),
    };
  });

  function drawPlane(s, { x, seen, truth, tracks, samples, angle }) {
    const some = Array.from({ length: Math.min(LAST, s.round) }, (_, k) => s.round - 1 - k);
    const at = (r) => [x[2 * r], x[2 * r + 1]];
    const [cos, sin] = unit(angle(s.round));
    const ends = boundary([cos, sin]);
    const behind = ends.map(([a, b]) => [a + FAR * cos, b + FAR * sin]).reverse();
    const mean = (name) => tracks[name].mean.slice(2 * s.round, 2 * s.round + 2);
    /** Boundaries of weights that are drawn from a belief. */
    const fan = (name) => {
      const [p, q, r] = tracks[name].factor.slice(3 * s.round, 3 * s.round + 3);
      const [a, b] = mean(name);
      return p === undefined ? [] : samples.map(([z, y]) => boundary([a + p * z, b + q * z + r * y]));
    };
    const cross = (p) => ([a, b]) => `M${p.X(a) - 6} ${p.Y(b) - 6}l12 12m0 -12l-12 12`;
    const wrong = some.filter((r) => seen[r] !== truth[r]).map(at);
    const held = [-s.reach * sin, s.reach * cos];
    const beside = held[0] > 0.4 ? { anchor: "end", dx: -16 } : { anchor: "start", dx: 16 };
    plane.draw(
      area([...ends, ...behind], "line", { width: 0, fill: 0.3 }),
      curve(ends, "line", { width: 7 }),
      dots(some.filter((r) => seen[r]).map(at), "ink", { r: 3.5, fill: 1 }),
      dots(some.filter((r) => !seen[r]).map(at), "ink", { r: 3.5, square: true, hollow: true }),
      shape((p) => wrong.map(cross(p)).join(""), "removed", { width: 1.5 }),
      s.round > 0 && dots([at(s.round - 1)], "ink", { r: 9, hollow: true }),
      text(held, "true line: turn it", "quiet", beside),
      handle(held, {
        label: "True line", color: "quiet", shape: "ring", step: 0.15, set: (to) => turn(s, to),
        says: `${format((angle(s.round) * 180) / Math.PI, 0)}°`,
      }),
      shown(s).map((name) => lines(fan(name), color(name), { opacity: 0.28 })),
      shown(s).map((name) => curve(boundary(mean(name)), color(name), look(name, 2.5))),
      names(plane, shown(s).map((name) => [exit(mean(name)), called(s, name), color(name)]), { anchor: "end", dx: 0 }),
    );
  }

  /** Turn the true line by hand: from this round on it points elsewhere. */
  function turn(s, /** @type {number[]} */ [a, b]) {
    const before = s.turns.find(([start]) => start === s.round)?.[1] ?? 0;
    const by = before + ((Math.atan2(-a, b) - run(s).angle(s.round)) * 180) / Math.PI;
    const total = Math.round(10 * (by - 360 * Math.round(by / 360))) / 10;
    const others = s.turns.filter(([start]) => start !== s.round);
    const turns = [...others, ...(total ? [[s.round, total]] : [])].sort(([one], [two]) => one - two);
    ui.set({ turns, reach: clamp(Math.hypot(a, b), 0.5, 2.7) });
  }

  function drawCharts(s) {
    const all = points(s);
    const values = (one) => Object.values(one).flatMap((some) => some.map(([, y]) => y)).sort((a, b) => a - b);
    const [shares, entropies, distances] = charts.map(({ name }) => values(all[name]));
    const deep = entropies[Math.floor(0.03 * entropies.length)] ?? 0; // short, deep dips may leave the picture
    mistakes.set({ y: [0, shares.at(-1) > 56 ? 100 : 56] });
    entropy.set({ yticks: deep > -4 ? [-3, 0, 3] : [] });
    entropy.set({ y: [[-4, -8, -16, -30].find((low) => deep > low) ?? -60, Math.max(3, entropies.at(-1) ?? 0) + 0.4] });
    distance.set({ y: [0.1, distances.at(-1) > 12 ? 100 : 10] });
    const sure = s.flip > 0 ? "as sure as it should be" : "without wrong labels, no weight is the best one";
    const ideal = [
      curve([[0, calibrated], [s.end, calibrated]], "line", { width: 5 }),
      text([0, calibrated], sure, "quiet", { anchor: "start", dx: 8, dy: -7 }),
    ];
    for (const p of charts) {
      const some = Object.entries(all[p.name]).filter(([, one]) => one.length);
      p.set({ x: [0, s.end] });
      p.draw(
        p === distance && ideal,
        p === mistakes ? cursor(s.round, see, { step: s.end / 200 }) : upright(s.round),
        some.map(([name, one]) => past(one, s.round, color(name), look(name, 1.75))),
        names(p, some.map(([name, one]) => [[s.end, clamp(one.at(-1)[1], ...p.y)], called(s, name), color(name)])),
      );
    }
  }

  return (s) => {
    s.end = inSight(s.round, rounds);
    drawPlane(s, learned(s));
    drawCharts(s);
    if (!shown(s).length) return "Nobody learns: choose learners under More.";
    if (!s.round) return say`No example yet: every line is a guess, and every belief is as wide as its prior.`;
    const told = (name) => [`${called(s, name)} ${format(share(s, name), 0)} %`, color(name)];
    const parts = shown(s).flatMap((name, i) => say`${i ? ", " : ""}${told(name)}`.parts);
    const whose = s.predict === "mean" ? " of the means" : "";
    return say`Mistakes${whose} after ${[String(s.round), "ink"]} examples: ${{ parts }}.`;
  };
});
