// One or two learners of two classes in the plane, round after round; any round that was played can be gone back to.
import { DiagonalBelief, copyOf } from "../engine/beliefs.js";
import { BeliefFlow, Dropout, SGD } from "../engine/learners.js";
import { MLP } from "../engine/models.js";
import { RandomState, seedsOf } from "../engine/random.js";
import { unit } from "../marks.js";

const [KEPT, FIRST_APART] = [64, 50]; // states to go back to, at most, and rounds between them at first
const POINTS = 256; // of a curve, at most
const CHUNK = 8; // rounds between looks at the clock

export const isFlow = (name) => name === "flow" || name === "non-expansive";

const polar = (turn, radius) => unit(2 * Math.PI * turn).map((x) => radius * x);
/** Places of examples without noise: side is +1 or −1 by their label, s and t are uniform. */
const SHAPES = {
  xor(side, s, t) {
    const x = 4 * s - 2;
    return [x + 0.25 * Math.sign(x), side * Math.sign(x) * (0.25 + 2 * t)];
  },
  circles: (side, s, t) => polar(t, side > 0 ? 1.2 * Math.sqrt(s) : 1.9 + 0.7 * s),
  moons(side, s) {
    const [x, y] = polar(s / 2, 1.5);
    return [side * (x - 0.75), side * (y - 0.45)];
  },
  spirals: (side, s, _, turns) => polar(turns * Math.sqrt(s), side * (0.25 + 2.4 * Math.sqrt(s))),
};

/** A stream as bflo_viz.streams.synthetic.plane draws it; x, seen and truth are those of the last example. */
class Plane {
  constructor(seed, setting) {
    this.setting = setting;
    this.x = new Float64Array(2);
    this.seen = this.truth = 0; // its label as it is seen, and the true one
    const [places, around] = seedsOf(seed, 2);
    this.places = new RandomState(places);
    this.around = new RandomState(around);
  }

  next() {
    const { places, around, x } = this;
    const { data, noise, flip, turns } = this.setting;
    const [label, s, t, wrong] = [places.random(), places.random(), places.random(), places.random()];
    this.truth = Number(label < 0.5);
    SHAPES[data](2 * this.truth - 1, s, t, turns).forEach((at, i) => (x[i] = at + noise * around.standardNormal()));
    this.seen = wrong < flip ? 1 - this.truth : this.truth;
  }
}

/** A learner that has done no round; all of them begin with the same random numbers. */
function learnerOf(name, sizes, { rates, data, rate, std, min_std: minStd, updates, drop }) {
  const model = /** @type {any} */ (new MLP(sizes));
  const options = /** @type {any} */ ({ eta: rate * rates[data][isFlow(name) ? 0 : 1], updates });
  if (name === "SGD") return new SGD(2, model, { ...options, std });
  if (name === "dropout") return new Dropout(2, model, { ...options, std, hiddenRate: drop });
  const prior = new DiagonalBelief(new Float64Array(model.size()), std);
  return new BeliefFlow(prior, model, { ...options, minStd, nonExpansive: name === "non-expansive" });
}

/** The rounds of the first learner as a script in Python. */
export function scriptOf(s) {
  const kind = isFlow(s.learner) ? "BeliefFlow" : s.learner === "SGD" ? "SGD" : "Dropout";
  const given = {
    BeliefFlow: `min_std=${s.min_std}, non_expansive=${s.learner === "flow" ? "False" : "True"}`,
    SGD: `std=${s.std}`,
    Dropout: `std=${s.std}, hidden_rate=${s.drop}, input_rate=0.0`,
  };
  return `
import numpy as np
from bflo_viz import MLP, DiagonalBelief, ${kind}
from bflo_viz.streams.synthetic import plane

inputs, _, own, _ = (int(2**32 * draw) for draw in np.random.RandomState(${s.seed}).random(4))
stream = plane(np.random.RandomState(inputs), rows=${s.round}, shape="${s.data}", noise=${s.noise}, flip=${s.flip})
model = MLP(${[2, ...s.hidden, 1].join(", ")}, precision="float64")
start = ${isFlow(s.learner) ? `DiagonalBelief.for_model(model, ${s.std})` : 2}
rate = ${s.rate * s.rates[s.data][isFlow(s.learner) ? 0 : 1]}
learner = ${kind}(start, model, eta=rate, updates=${s.updates}, ${given[kind]})
learner.run(stream.X, stream.y, np.random.RandomState(own))
`;
}

/** A run with the traits of the explorer and its constants; `networks` may vote, and there are so many new examples. */
export class Run {
  constructor(setting, networks = 30, tests = 500) {
    const { seed, learner, rival, hidden } = setting;
    this.setting = setting;
    this.names = rival === "none" ? [learner] : [learner, rival];
    this.sizes = [2, ...hidden, 1];
    this.networks = networks;
    const [inputs, others, own, fan] = seedsOf(seed, 4);
    /** Everything that changes in a round. */
    this.state = {
      round: 0, plane: new Plane(inputs, setting), mistakes: this.names.map(() => 0),
      learners: this.names.map((name) => learnerOf(name, this.sizes, setting)),
      randoms: this.names.map(() => new RandomState(own)),
    };
    this.state.learners.forEach((one, i) => one.begin(this.state.randoms[i]));
    this.dim = this.state.learners[0].dim;
    this.kept = [copyOf(this.state)];
    this.apart = FIRST_APART;
    this.curve = [[...this.state.mistakes]]; // so many rounds apart
    this.every = 1;
    const plane = new Plane(others, setting);
    this.tests = Array.from({ length: tests }, () => {
      plane.next();
      return { x: plane.x[0], y: plane.x[1], seen: plane.seen, truth: plane.truth };
    });
    this.normals = new Float64Array(networks * this.dim); // whichever round it is, the same networks are drawn
    new RandomState(fan).fillNormals(this.normals);
    const uniform = new RandomState(fan);
    const leftOut = (units) => Array.from({ length: units }, () => uniform.random() < setting.drop);
    this.isLeftOut = Array.from({ length: networks }, () => hidden.flatMap(leftOut));
  }

  get round() {
    return this.state.round;
  }

  /** Go to a round, or as near as there is time for; the time is that of performance.now(). */
  towards(round, until = Infinity) {
    if (round < this.round) this.state = copyOf(this.kept.findLast((state) => state.round <= round));
    while (this.round < round) {
      for (let i = 0; i < CHUNK && this.round < round; i++) this.step();
      if (performance.now() >= until) return;
    }
  }

  step() {
    const { state } = this;
    const { plane, learners, randoms, mistakes } = state;
    plane.next();
    for (let i = 0; i < learners.length; i++) {
      const { label } = learners[i].step(plane.x, plane.seen, randoms[i]);
      if (label !== plane.truth) mistakes[i] += 1;
    }
    state.round += 1;
    if (state.round === this.every * this.curve.length && this.curve.push([...mistakes]) === POINTS) {
      this.curve = this.curve.filter((_, i) => i % 2 === 0);
      this.every *= 2;
    }
    if (state.round === this.kept.at(-1).round + this.apart && this.kept.push(copyOf(state)) > KEPT) {
      this.kept = this.kept.filter((_, i) => i % 2 === 0);
      this.apart *= 2;
    }
  }

  /** Pairs of a round and the mistakes by it, as far as it has been played, and this round. */
  points() {
    const points = this.curve.map((mistakes, i) => [i * this.every, mistakes]);
    return [...points, [this.round, this.state.mistakes]].sort(([a], [b]) => Number(a) - Number(b));
  }

  /** The weights of the network that predicts for a learner, its mean, into out. */
  mean(i, out) {
    const learner = /** @type {any} */ (this.state.learners[i]);
    return learner.belief ? (out.set(learner.belief.mean), out) : learner.predicting(out);
  }

  /** Number of networks that vote for a learner. */
  votes(i) {
    return this.names[i] === "SGD" ? 0 : this.networks;
  }

  /** The weights of one of the networks that vote, into out: drawn from the belief, or with units left out. */
  network(i, which, out) {
    const { belief, weights, model } = /** @type {any} */ (this.state.learners[i]);
    if (belief) return belief.weight(this.normals.subarray(which * this.dim, (which + 1) * this.dim), out);
    out.set(weights);
    let unit = 0;
    for (const { inputs, units, start } of model.layers.slice(1)) {
      for (let row = start; row < start + inputs * units; row += units) {
        if (this.isLeftOut[which][unit++]) out.fill(0, row, row + units);
      }
    }
    return out;
  }
}
