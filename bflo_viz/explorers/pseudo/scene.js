// A belief flow read as Bayes' rule, as in bflo_viz.scenes.pseudo_points: each round adds pseudo-observations or removes
// them.
import { DiagonalBelief, FullBelief, SphericalBelief } from "../engine/beliefs.js";
import { BeliefFlow } from "../engine/learners/belief_flow.js";
import { decomposed } from "../engine/matrices.js";
import { Logistic } from "../engine/models.js";
import { pseudoObservation } from "../engine/pseudo.js";
import { RandomState } from "../engine/random.js";
import { fill } from "../shared/kit.js";

const KINDS = { spherical: SphericalBelief, diagonal: DiagonalBelief, full: FullBelief };

/** Two decimals, or two significant digits where the number is small or huge; as Python writes it. */
export function number(value) {
  const size = Math.abs(value);
  if ((size >= 0.095 && size < 1e6) || value === 0) return value.toFixed(2).replace("-", "−");
  const [digits, power] = value.toExponential(1).split("e");
  const text = size < 1 && Number(power) >= -4 ? String(Number(value.toPrecision(2))) : `${Number(digits)}e${power[0]}${power.slice(1).padStart(2, "0")}`;
  return text.replaceAll("-", "−");
}

const place = ([x, y]) => `(${number(x)}, ${number(y)})`;

/**
 * A run of a belief flow over two weights: `extend` computes on. By round: beliefs (one more, the prior first), true
 * weights, weights and moved, marks ({ place, direction, precision }), and totals: the
 * precision of the prior plus those of all marks so far, read off the belief, which loses no digits.
 */
export class PseudoScene {
  constructor({ flow, seed, eta, noise, turn, mean, rounds }) {
    const rng = new RandomState(seed);
    const [inputs, flips, weights] = [0, 1, 2].map(() => new RandomState(Math.floor(2 ** 32 * rng.random())));
    Object.assign(this, { flow, noise, turn: turn / rounds, _inputs: inputs, _flips: flips, _rng: weights });
    const prior = new KINDS[flow](mean, 1);
    this.learner = new BeliefFlow(prior, new Logistic(), { eta });
    Object.assign(this, { beliefs: [prior], true: [this._truth(0)], weights: [], moved: [], marks: [], totals: [precisions(prior)] });
  }

  get rounds() {
    return this.marks.length;
  }

  extend(to) {
    while (this.rounds < to) {
      const truth = this.true.at(-1);
      const x = [this._inputs.standardNormal(), this._inputs.standardNormal()];
      const right = x[0] * truth[0] + x[1] * truth[1] > 0;
      const label = this._flips.random() < this.noise ? !right : right;
      const { weights, moved } = this.learner.step(x, label ? 1 : 0, this._rng);
      const [before, after] = [this.beliefs.at(-1), this.learner.belief.copy()];
      this.beliefs.push(after);
      this.weights.push([...weights]);
      this.moved.push([...moved]);
      this.true.push(this._truth(this.true.length));
      this.marks.push(this._marks(before, after));
      this.totals.push(precisions(after));
    }
  }

  _truth(round) {
    const angle = ((45 - this.turn * round) * Math.PI) / 180;
    return [Math.SQRT2 * Math.cos(angle), Math.SQRT2 * Math.sin(angle)];
  }

  /** Place, direction and precision of what a round added or removed. */
  _marks(before, after) {
    const { x, R, precision, direction } = pseudoObservation(before, after);
    const [first, second] = before.mean;
    const all = {
      spherical: () => [{ i: 0, place: [...x], direction: [0, 0], precision }],
      diagonal: () => [
        { i: 0, place: [x[0], second], direction: [1, 0], precision: precision[0] },
        { i: 1, place: [first, x[1]], direction: [0, 1], precision: precision[1] },
      ],
      full: () => (direction ? [lineMark(before.mean, x, R, direction)] : []),
    }[this.flow]();
    // A width that is, for a moment, too narrow for a finite precision has no point.
    if (all.some((mark) => !Number.isFinite(mark.precision))) return [];
    return all.filter((mark) => mark.precision !== 0);
  }

  /** What a round did, in one sentence; round 0 is the prior. */
  sentence(round, words) {
    if (round === 0) return words.prior;
    const mean = place(this.beliefs[round].mean);
    const marks = this.marks[round - 1].map((mark) => this._inWords(mark, words)).join(" and ");
    if (!marks) return fill(words.none, { round, mean });
    const [old, now] = [this.beliefs[round - 1], this.beliefs[round]].map((belief) => widths(belief).map(number).join(" and "));
    return fill(words.round, { round, marks, mean, widths: words[`${this.flow} widths`], old, new: now });
  }

  _inWords({ i, place: at, direction, precision }, words) {
    return fill(words[this.flow], {
      verb: fill(words[precision > 0 ? "added" : "removed"], { precision: number(Math.abs(precision)) }),
      place: place(at),
      weight: `w${"₁₂"[i]}`,
      value: number(direction[0] * at[0] + direction[1] * at[1]),
      first: number(direction[0]),
      sign: direction[1] < 0 ? "−" : "+",
      second: number(Math.abs(direction[1])),
    });
  }
}

/** A scalar observation as a line of weights, marked at its point nearest to the mean. */
function lineMark(mean, x, R, direction) {
  let length = Math.hypot(...direction);
  let across = [...direction].map((part) => part / length);
  const larger = Math.abs(across[1]) > Math.abs(across[0]) ? 1 : 0;
  if (across[larger] < 0) [length, across] = [-length, across.map((part) => -part)]; // of two ways to write it, one
  const far = x / length - (across[0] * mean[0] + across[1] * mean[1]);
  return { i: 0, place: [mean[0] + across[0] * far, mean[1] + across[1] * far], direction: across, precision: length ** 2 / R };
}

/** Widths of a belief: of all directions, of each weight, or of the two axes of the ellipse, the longer first. */
function widths({ inverse, factor, std }) {
  if (typeof std === "number") return [std];
  return inverse ? [...decomposed(factor, 2).values].sort((a, b) => b - a) : [...std];
}

/** Of each weight, of every one, or of all directions together (the trace). */
function precisions(belief) {
  const own = belief.inverse ? [belief.inverse.reduce((sum, part) => sum + part * part, 0)] : widths(belief).map((width) => width ** -2);
  return own.map((precision) => Math.min(precision, 1e300)); // what can be drawn
}
