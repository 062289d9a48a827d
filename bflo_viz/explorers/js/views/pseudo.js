// A belief flow read as Bayes' rule: each round adds pseudo-points to a dataset, or removes some of them.
import { DiagonalBelief, KINDS, SphericalBelief } from "../engine/beliefs.js";
import { BeliefFlow } from "../engine/learners.js";
import { pseudoObservation } from "../engine/pseudo.js";
import { RandomState, seedsOf } from "../engine/random.js";
import { explorer } from "../kit.js";
import { clamp, curve, dots, ellipse, format, lines, say, shape, text } from "../marks.js";
import { cursor, inSight, past, sameRounds } from "./rounds.js";

const [REACH, LARGEST, WIDEST] = [0.55, 26, 1e300]; // half of a line; radius in pixels; precision that can be drawn
const STAR = "m0-10 2.6 6.7 7.2.4-5.6 4.5 1.9 6.9-6.1-3.9-6.1 3.9 1.9-6.9-5.6-4.5 7.2-.4z";
const SIDES = [["added", "weight"], ["removed", "removed"]];

/** Place, direction (of a line) and precision of what a round added or removed. */
function marksOf(before, after) {
  const { x, R, precision, direction } = pseudoObservation(before, after);
  const [first, second] = before.mean;
  if (before instanceof SphericalBelief) return [{ place: x, direction: null, precision }];
  if (before instanceof DiagonalBelief) {
    return [
      { place: [x[0], second], direction: [1, 0], precision: precision[0] },
      { place: [first, x[1]], direction: [0, 1], precision: precision[1] },
    ];
  }
  if (!direction) return [];
  const length = Math.hypot(...direction);
  const [a, b] = direction.map((part) => part / length);
  const far = /** @type {number} */ (x) / length - (a * first + b * second);
  return [{ place: [first + a * far, second + b * far], direction: [a, b], precision: length ** 2 / R }];
}

/** A run, before its first round and after each: beliefs, and marks of what was added or removed. */
function newRun({ flow, seed, eta }, { noise, turn }, mean, rounds) {
  const [inputs, flips, weights] = seedsOf(seed, 3).map((one) => new RandomState(one));
  const learner = new BeliefFlow(new KINDS[flow](mean, 1), undefined, { eta });
  const [beliefs, marks] = [[learner.belief.copy()], /** @type {any[][]} */ ([[]])];
  const truth = (round) => {
    const angle = ((45 - (turn * round) / rounds) * Math.PI) / 180;
    return [Math.SQRT2 * Math.cos(angle), Math.SQRT2 * Math.sin(angle)];
  };
  const extend = (to) => {
    for (let round = beliefs.length; round <= to; round++) {
      const [a, b] = truth(round - 1);
      const x = [inputs.standardNormal(), inputs.standardNormal()];
      const isRight = flips.random() >= noise;
      learner.step(x, Number(x[0] * a + x[1] * b > 0 === isRight), weights);
      beliefs.push(learner.belief.copy());
      const all = marksOf(beliefs[round - 1], beliefs[round]);
      marks.push(all.filter(({ precision }) => precision !== 0 && Number.isFinite(precision)));
    }
  };
  return { beliefs, marks, truth, extend };
}

/** Precision of every weight of a round belief; of others the trace, which is that of all directions together. */
function precisionOf(belief) {
  const trace = belief.inverse.reduce((sum, part) => sum + part * part, 0);
  return Math.min(WIDEST, belief instanceof SphericalBelief ? belief.std ** -2 : trace);
}
/** Large and small numbers are written as 3.4e12. */
function short(x) {
  if (x === 0 || (Math.abs(x) < 1e4 && Math.abs(x) >= 0.01)) return format(x);
  return x.toExponential(1).replace("e+", "e").replaceAll("-", "−");
}

export default explorer("pseudo", (ui) => {
  const { rounds, problems, mean: start } = ui.constants;
  const plane = ui.panel("plane", {
    caption: "What the belief has invented so far", x: [-3.2, 2.2], y: [-2.2, 3.2], isSquare: true, wash: true,
    xticks: null, yticks: null,
  });
  const curves = ui.panel("curves", {
    caption: "Precision: the prior and all points together", xlabel: "round", margin: { left: 60, right: 22, top: 12 },
  });
  const account = ui.panel("account", {
    caption: "This round, as Bayes’ rule", y: [0, 3], margin: { left: 92, right: 76, top: 0, bottom: 4 }, xticks: null,
    yticks: null,
  });
  ui.layout('"plane curves" 1fr "plane account" 150px / minmax(0, 1.04fr) minmax(0, 1fr)');
  const { state } = ui;
  const run = ui.memo(["flow", "problem", "eta", "seed"], (s) => newRun(s, problems[s.problem], start, rounds));

  ui.player({});
  ui.controls(["problem", "flow", "eta"], ["seed", "speed", "round"]);
  ui.presets({
    "the first point": { round: 1 },
    "a point is taken away": () => {
      const { marks, extend } = run(state);
      extend(state.round + 400);
      const next = marks.findIndex((some, i) => i > state.round && some.some(({ precision }) => precision < 0));
      return ui.glide({ round: Math.max(1, next) }, 600);
    },
    "wrong labels": { problem: "noisy labels", round: 44 },
    "the truth turns": async () => {
      await ui.glide({ problem: "drifting", round: 1 }, 0);
      await ui.glide({ round: 100 }, 3000);
    },
  });
  ui.script = (s) => {
    const { noise, turn } = problems[s.problem];
    return sameRounds("pseudo_dataset", s, ["flow", "eta"], { noise, turn: (turn * s.round) / rounds });
  };

  function drawPlane(s, { beliefs, marks, truth }) {
    const now = s.round;
    const [before, after] = [beliefs[Math.max(0, now - 1)], beliefs[now]];
    const isRound = s.flow === "spherical";
    const all = marks.slice(isRound ? 0 : Math.max(0, now - 50), now).flat(); // more lines would hide each other
    const sizes = [...all, ...marks[now]].map(({ precision }) => Math.abs(precision)).sort((a, b) => a - b);
    const large = Math.max(1e-9, sizes[Math.floor(0.95 * (sizes.length - 1))] ?? 1); // few are larger
    const radius = ({ precision }) => clamp(20 * Math.sqrt(Math.abs(precision) / large), 1.5, LARGEST);
    const segment = ({ place: [x, y], direction: [a, b] }) => {
      return [[x + REACH * b, y - REACH * a], [x - REACH * b, y + REACH * a]];
    };
    const drawn = (list, look) => SIDES.map(([, color], side) => {
      const chosen = list.filter(({ precision }) => precision > 0 === (side === 0));
      const pen = { dash: side ? "3 2" : undefined, width: 1.25, ...look };
      if (!isRound) return lines(chosen.map(segment), color, { opacity: 0.55, ...pen });
      return dots(chosen.map(({ place }) => place), color, { r: chosen.map(radius), ...pen, fill: side ? 0 : 0.25 });
    });
    const [newest] = marks[now];
    const inside = ({ place: [x, y] }) => [clamp(x, plane.x[0], plane.x[1]), clamp(y, plane.y[0], plane.y[1])];
    const [name, color] = SIDES[Number(newest?.precision < 0)];
    const at = truth(now);
    plane.draw(
      [2, 1].map((k) => ellipse(after.mean, after.factor, k, "posterior", { fill: 0.14, width: 1.5 })),
      [2, 1].map((k) => ellipse(before.mean, before.factor, k, "prior", { width: 1.25 })),
      drawn(all, {}),
      curve(beliefs.slice(Math.max(0, now - 400), now + 1).map(({ mean }) => mean), "ink", { width: 1, opacity: 0.5 }),
      drawn(marks[now], { width: 2.5, opacity: 1 }),
      { ...shape((p) => `M${p.X(at[0])} ${p.Y(at[1])}${STAR}`, "ink", { width: 1.5 }), layer: "over" },
      text(at, "true weight", "ink", { anchor: "start", dx: 14, bold: false }),
      newest && text(inside(newest), name, color, { anchor: "start", dx: 8 + (isRound ? radius(newest) : 0) }),
    );
  }

  function drawCurves(s, all) {
    const end = all.length - 1;
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const log = high > 300 * low;
    const points = all.map((precision, round) => [round, precision]);
    const gains = all.slice(1, s.round + 1).map((precision, k) => Math.sign(precision - all[k]));
    const tick = (p, k, long) => `M${p.X(k + 1).toFixed(1)} ${p.area.bottom - 12}v${long}`;
    const rug = (sign, long) => shape((p) => gains.map((gain, k) => (gain === sign ? tick(p, k, long) : "")).join(""),
      SIDES[Number(sign < 0)][1]);
    // Below the curve there is room for the rug of rounds.
    curves.set({ log, x: [0, end], y: log ? [low / (high / low) ** 0.15, 1.5 * high] : [-0.14 * high, 1.08 * high] });
    const beside = { anchor: "end", dx: -6, bold: false, inside: false };
    curves.draw(
      cursor(s.round, (round) => ui.set({ round })), rug(1, -7), rug(-1, 7),
      SIDES.map(([name, color], i) => text([0, curves.y[0]], name, color, { ...beside, dy: -14 + 12 * i })),
      past(points, s.round, "posterior"),
    );
  }

  function drawAccount(s, all) {
    const [was, is] = [all[Math.max(0, s.round - 1)], all[s.round]];
    const [, color] = SIDES[Number(is < was)];
    account.set({ x: [0, 1.02 * Math.max(was, is)] });
    const rows = [
      ["belief before", 0, was, "prior", short(was)],
      ["point", was, is, color, `${is < was ? "−" : "+"} ${short(Math.abs(is - was))}`],
      ["belief after", 0, is, "posterior", short(is)],
    ];
    account.draw(rows.map(([label, from, to, paint, words], i) => [
      curve([[from, 2.5 - i], [to, 2.5 - i]], paint, { width: 16, opacity: i === 1 ? 1 : 0.75 }),
      text([0, 2.5 - i], label, "ink", { anchor: "end", dx: -10, bold: false, inside: false }),
      text([Math.max(from, to), 2.5 - i], words, paint, { anchor: "start", dx: 6 }),
    ]));
  }

  return (s) => {
    const end = inSight(s.round, rounds);
    const one = run(s);
    one.extend(end);
    const all = one.beliefs.slice(0, end + 1).map(precisionOf);
    drawPlane(s, one);
    drawCurves(s, all);
    drawAccount(s, all);
    const done = one.marks.slice(0, s.round + 1).flat();
    const added = done.filter(({ precision }) => precision > 0).length;
    const kind = `${s.flow === "spherical" ? "point" : "line"}${added === 1 ? "" : "s"}`;
    const precision = [short(all[s.round]), "posterior"];
    const [plus, minus] = [[`${added} ${kind}`, "weight"], [String(done.length - added), "removed"]];
    if (!s.round) return say`No points yet: the precision is ${precision}, that of the ${["prior", "prior"]}.`;
    const count = say`By round ${[String(s.round), "ink"]} the belief has added ${plus} and taken ${minus} away again`;
    return say`${count}; its precision is ${precision}.`;
  };
});
