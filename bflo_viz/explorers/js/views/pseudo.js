// A belief flow read as Bayes' rule: each round adds pseudo-points to a dataset, or removes some of them.
import { DiagonalBelief, KINDS, SphericalBelief } from "../engine/beliefs.js";
import { BeliefFlow } from "../engine/learners.js";
import { pseudoObservation } from "../engine/pseudo.js";
import { RandomState, seedsOf } from "../engine/random.js";
import { explorer } from "../kit.js";
import { bar, clamp, cursor, curve, dots, ellipse, format, lines, say, shape, text } from "../marks.js";
import { inSight, priorInPython } from "./rounds.js";

const [REACH, LARGEST, WIDEST] = [0.55, 26, 1e300]; // half of a line in weights; radius in pixels; precision that can be drawn
const STAR = "m0-10 2.6 6.7 7.2.4-5.6 4.5 1.9 6.9-6.1-3.9-6.1 3.9 1.9-6.9-5.6-4.5 7.2-.4z";
const SIDES = [["added", "weight"], ["removed", "removed"]];

/** A run: before the first round and after each, beliefs, the true weight and the precision of each weight; and the marks. */
class Run {
  inputs; flips; weights;

  constructor({ flow, seed, eta }, { noise, turn }, mean, rounds) {
    [this.inputs, this.flips, this.weights] = seedsOf(seed, 3).map((one) => new RandomState(one));
    this.flow = flow;
    this.noise = noise;
    this.turn = turn / rounds;
    const prior = new KINDS[flow](mean, 1);
    this.learner = new BeliefFlow(prior, undefined, { eta });
    this.beliefs = [prior];
    this.marks = [[]];
    this.truths = [this.truth(0)];
  }

  truth(round) {
    const angle = ((45 - this.turn * round) * Math.PI) / 180;
    return [Math.SQRT2 * Math.cos(angle), Math.SQRT2 * Math.sin(angle)];
  }

  extend(to) {
    for (let round = this.beliefs.length; round <= to; round++) {
      const truth = this.truths[round - 1];
      const x = [this.inputs.standardNormal(), this.inputs.standardNormal()];
      const isRight = this.flips.random() >= this.noise;
      this.learner.step(x, Number(x[0] * truth[0] + x[1] * truth[1] > 0 === isRight), this.weights);
      const [before, after] = [this.beliefs[round - 1], this.learner.belief.copy()];
      this.beliefs.push(after);
      this.truths.push(this.truth(round));
      this.marks.push(this.marksOf(before, after).filter((mark) => mark.precision !== 0 && Number.isFinite(mark.precision)));
    }
  }

  /** Place, direction (of a line) and precision of what a round added or removed. */
  marksOf(before, after) {
    const { x, R, precision, direction } = pseudoObservation(before, after);
    const [first, second] = before.mean;
    if (this.flow === "spherical") return [{ place: x, direction: null, precision }];
    if (this.flow === "diagonal") {
      const [upright, level] = [{ place: [x[0], second], direction: [1, 0] }, { place: [first, x[1]], direction: [0, 1] }];
      return [{ ...upright, precision: precision[0] }, { ...level, precision: precision[1] }];
    }
    if (!direction) return [];
    const length = Math.hypot(...direction);
    const across = direction.map((part) => part / length);
    const far = /** @type {number} */ (x) / length - (across[0] * first + across[1] * second);
    return [{ place: [first + across[0] * far, second + across[1] * far], direction: across, precision: length ** 2 / R }];
  }
}

/** Precision of each weight, of every one, or of all directions together (the trace). */
function precisions(belief) {
  if (belief instanceof SphericalBelief) return [drawable(belief.std ** -2)];
  if (belief instanceof DiagonalBelief) return [...belief.std].map((std) => drawable(std ** -2));
  return [drawable(belief.inverse.reduce((sum, part) => sum + part * part, 0))];
}
const drawable = (precision) => Math.min(precision, WIDEST);
/** Large and small numbers are written as 3.4e12. */
function short(x) {
  if (x === 0 || (Math.abs(x) < 1e4 && Math.abs(x) >= 0.01)) return format(x);
  return x.toExponential(1).replace("e+", "e").replaceAll("-", "−");
}

export default explorer("pseudo", (ui) => {
  const { rounds, problems, mean: start } = ui.constants;
  const bare = { xticks: null, yticks: null };
  const around = { x: [-3.2, 2.4], y: [-2.5, 3.1], isSquare: true, wash: true };
  const plane = ui.panel("plane", { caption: "What the belief has invented so far", ...around, ...bare });
  const named = { caption: "Precision: the prior and all points together", xlabel: "round" };
  const curves = ui.panel("curves", { ...named, margin: { left: 60, right: 22, top: 12 } });
  const margin = { left: 92, right: 76, top: 0, bottom: 4 };
  const account = ui.panel("account", { caption: "This round, as Bayes’ rule", y: [0, 3], margin, ...bare });
  ui.layout('"plane curves" 1fr "plane account" 150px / minmax(0, 1.04fr) minmax(0, 1fr)');
  const { state } = ui;
  const run = ui.memo(["flow", "problem", "eta", "seed"], (s) => new Run(s, problems[s.problem], start, rounds));
  const upTo = (s, round = s.round) => {
    const one = run(s);
    one.extend(round);
    return one;
  };

  ui.player({});
  ui.controls(["problem", "flow", "eta"], ["seed", "speed", "round"]);
  ui.presets({
    "the first point": { round: 1 },
    "a point is taken away": () => {
      const { marks } = upTo(state, state.round + 400);
      const next = marks.findIndex((some, i) => i > state.round && some.some(({ precision }) => precision < 0));
      return ui.glide({ round: Math.max(1, next) }, 600);
    },
    "wrong labels": { problem: "noisy labels", round: 44 },
    "the truth turns": async () => {
      await ui.glide({ problem: "drifting", round: 1 }, 0);
      await ui.glide({ round: 100 }, 3000);
    },
  });
  ui.script = (s) => `
# The same rounds, step by step
import numpy as np
from bflo_viz import BeliefFlow, DiagonalBelief, FullBelief, SphericalBelief

start = np.random.RandomState(${s.seed})
inputs, flips, weights = (np.random.RandomState(int(2**32 * u)) for u in start.random_sample(3))
learner = BeliefFlow(${priorInPython(s.flow, 1, "[-1.0, 0.5]")}, eta=${s.eta})
for n in range(${s.round}):
    angle = np.radians(45 - ${problems[s.problem].turn / rounds} * n)
    x = inputs.standard_normal(2)
    right = x @ [np.cos(angle), np.sin(angle)] > 0
    learner.step(x, int(right != (flips.random_sample() < ${problems[s.problem].noise})), weights)
print(learner.belief)
`;

  function drawPlane(s, { beliefs, marks, truths }) {
    const now = s.round;
    const [before, after] = [beliefs[Math.max(0, now - 1)], beliefs[now]];
    const all = marks.slice(s.flow === "spherical" ? 0 : Math.max(0, now - 50), now).flat(); // more lines would hide each other
    const sizes = [...all, ...marks[now]].map(({ precision }) => Math.abs(precision)).sort((a, b) => a - b);
    const large = Math.max(1e-9, sizes[Math.floor(0.95 * (sizes.length - 1))] ?? 1); // few are larger
    const radius = ({ precision }) => clamp(20 * Math.sqrt(Math.abs(precision) / large), 1.5, LARGEST);
    const segment = ({ place: [x, y], direction: [a, b] }) => [[x - REACH * -b, y - REACH * a], [x + REACH * -b, y + REACH * a]];
    const some = (list, side) => list.filter(({ precision }) => precision > 0 === (side === 0));
    const drawn = (list, side, look) => {
      const [, color] = SIDES[side];
      const dash = side ? "3 2" : undefined;
      const chosen = some(list, side);
      if (s.flow !== "spherical") return lines(chosen.map(segment), color, { dash, width: 1.25, opacity: 0.55, ...look });
      return dots(chosen.map(({ place }) => place), color, { r: chosen.map(radius), fill: side ? 0 : 0.22, width: 1.25, dash, ...look });
    };
    const [newest] = marks[now];
    const inside = ({ place: [x, y] }) => [clamp(x, plane.x[0], plane.x[1]), clamp(y, plane.y[0], plane.y[1])];
    const [name, color] = SIDES[Number(newest?.precision < 0)];
    const at = truths[now];
    plane.draw(
      [2, 1].map((k) => ellipse(after.mean, after.factor, k, "posterior", { fill: 0.14, width: 1.5 })),
      [2, 1].map((k) => ellipse(before.mean, before.factor, k, "prior", { width: 1.25 })),
      drawn(all, 0, {}), drawn(all, 1, {}),
      curve(beliefs.slice(Math.max(0, now - 400), now + 1).map(({ mean }) => [...mean]), "ink", { width: 1, opacity: 0.5 }),
      drawn(marks[now], 0, { width: 2.5, opacity: 1, fill: 0.35 }), drawn(marks[now], 1, { width: 2.5, opacity: 1 }),
      { ...shape((p) => `M${p.X(at[0])} ${p.Y(at[1])}${STAR}`, "ink", { width: 1.5 }), layer: "over" },
      text(at, "true weight", "ink", { anchor: "start", dx: 14, bold: false }),
      newest && text(inside(newest), name, color, { anchor: "start", dx: 8 + (s.flow === "spherical" ? radius(newest) : 0) }),
    );
  }

  function drawCurves(s, { beliefs, end }) {
    const totals = beliefs.slice(0, end + 1).map(precisions);
    const [low, high] = [Math.min(...totals.flat()), Math.max(...totals.flat())];
    const log = high > 300 * low;
    const line = (i, from, to) => totals.slice(from, to + 1).map((total, k) => [from + k, total[i]]);
    const sums = totals.map((total) => total.reduce((a, b) => a + b, 0));
    const gains = sums.slice(1, s.round + 1).map((total, k) => Math.sign(total - sums[k]));
    const one = (p, k, side) => `M${p.X(k + 1).toFixed(1)} ${p.area.bottom - 12}v${side ? 7 : -7}`;
    const tick = (p, side) => gains.map((sign, k) => (sign === (side ? -1 : 1) ? one(p, k, side) : "")).join("");
    // Below the curves there is room for the rug of rounds.
    curves.set({ log, x: [0, end], y: log ? [low / (high / low) ** 0.15, 1.5 * high] : [-0.14 * high, 1.08 * high] });
    curves.set({ yticks: log ? [] : [0, 0.5, 1].slice(curves.height < 260 ? 1 : 0).map((part) => Number((part * high).toPrecision(2))) });
    const beside = { anchor: "end", dx: -6, bold: false, inside: false };
    const floor = curves.y[0];
    curves.draw(
      cursor(s.round, (round) => ui.set({ round: clamp(round, 0, end) })),
      shape((p) => tick(p, 0), "weight"), shape((p) => tick(p, 1), "removed"),
      text([0, floor], "added", "weight", { ...beside, dy: -14 }), text([0, floor], "removed", "removed", { ...beside, dy: -2 }),
      totals[0].flatMap((_, i) => [
        curve(line(i, 0, s.round), "posterior", { dash: i ? "5 3" : undefined }),
        curve(line(i, s.round, end), "posterior", { opacity: 0.25, dash: i ? "5 3" : undefined }),
        totals[0].length > 1 && text([end, totals[end][i]], i ? "w₂" : "w₁", "posterior", { anchor: "start", dx: 4 }),
      ]),
    );
    return sums;
  }

  function drawAccount(s, sums) {
    const [was, is] = [sums[Math.max(0, s.round - 1)], sums[s.round]];
    const [, color] = SIDES[Number(is < was)];
    account.set({ x: [0, 1.02 * Math.max(was, is)] });
    const rows = [
      ["belief before", 0, was, "prior", short(was)],
      ["point", was, is, color, `${is < was ? "−" : "+"} ${short(Math.abs(is - was))}`],
      ["belief after", 0, is, "posterior", short(is)],
    ];
    account.draw(rows.flatMap(([label, from, to, paint, words], i) => [
      bar(from, to, 2.5 - i, paint, { fill: i === 1 ? 1 : 0.75, width: i === 1 ? 1.5 : 0 }),
      text([0, 2.5 - i], label, "ink", { anchor: "end", dx: -10, bold: false, inside: false }),
      text([Math.max(from, to), 2.5 - i], words, paint, { anchor: "start", dx: 6 }),
    ]));
  }

  return (s) => {
    const end = inSight(s.round, rounds);
    const one = upTo(s, end);
    drawPlane(s, one);
    const sums = drawCurves(s, { ...one, end });
    drawAccount(s, sums);
    const done = one.marks.slice(0, s.round + 1).flat();
    const added = done.filter(({ precision }) => precision > 0).length;
    const kind = s.flow === "spherical" ? "point" : "line";
    const number = (n) => `${n} ${kind}${n === 1 ? "" : "s"}`;
    const precision = [short(sums[s.round]), "posterior"];
    const [plus, minus] = [[number(added), "weight"], [String(done.length - added), "removed"]];
    if (!s.round) return say`Before the first round all precision, ${precision}, is that of the ${["prior", "prior"]}: there are no points yet.`;
    return say`By round ${[String(s.round), "ink"]} the belief has added ${plus} and taken ${minus} away again; its precision is ${precision}.`;
  };
});
