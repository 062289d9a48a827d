// One or two learners of two classes in the plane, round after round; any round that was played can be gone back to.
import { DiagonalBelief, HALF_LOG_2PIE, copyOf } from "../engine/beliefs.js";
import { BeliefFlow, Dropout, SGD } from "../engine/learners.js";
import { MLP } from "../engine/models.js";
import { RandomState, seedsOf } from "../engine/random.js";

const KEPT = 64; // states to go back to, at most: beyond, every second one is forgotten
const FIRST_APART = 50; // rounds between them at first
const POINTS = 256; // of a curve, at most
const CHUNK = 8; // rounds between looks at the clock

export const isFlow = (name) => name === "flow" || name === "non-expansive";

/** Where examples are without noise: side is +1 or −1 by their label, s and t are uniform. */
const SHAPES = {
  xor(side, s, t) {
    const x = 4 * s - 2;
    return [x + 0.25 * Math.sign(x), side * Math.sign(x) * (0.25 + 2 * t)];
  },
  circles(side, s, t) {
    const radius = side > 0 ? 1.2 * Math.sqrt(s) : 1.9 + 0.7 * s;
    return [radius * Math.cos(2 * Math.PI * t), radius * Math.sin(2 * Math.PI * t)];
  },
  moons: (side, s) => [side * (1.5 * Math.cos(Math.PI * s) - 0.75), side * (1.5 * Math.sin(Math.PI * s) - 0.45)],
  spirals(side, s, _, turns) {
    const [turn, away] = [2 * Math.PI * turns * Math.sqrt(s), side * (0.25 + 2.4 * Math.sqrt(s))];
    return [away * Math.cos(turn), away * Math.sin(turn)];
  },
};

/** A stream of examples, as bflo_viz.streams.synthetic.plane draws them; x, seen and truth are those of the last one. */
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
    const { data, noise, flip, points, turns } = this.setting;
    const [label, s, t, wrong] = [places.random(), places.random(), places.random(), places.random()];
    let place = points[Math.floor(points.length * s)];
    this.truth = Number(data === "points" ? place[2] === 1 : label < 0.5);
    if (data !== "points") place = SHAPES[data](2 * this.truth - 1, s, t, turns);
    x[0] = place[0] + noise * around.standardNormal();
    x[1] = place[1] + noise * around.standardNormal();
    this.seen = wrong < flip ? 1 - this.truth : this.truth;
  }
}

/** A learner that has done no round; all of them begin with the same random numbers. */
function learnerOf(name, sizes, { rates, data, rate, std, min_std: minStd, updates, drop }) {
  const model = /** @type {any} */ (new MLP(sizes));
  const eta = rate * rates[data][isFlow(name) ? 0 : 1];
  if (isFlow(name)) {
    const prior = new DiagonalBelief(new Float64Array(model.size()), std);
    return new BeliefFlow(prior, model, /** @type {any} */ ({ eta, updates, minStd, nonExpansive: name === "non-expansive" }));
  }
  const options = { eta, std, updates };
  return name === "dropout" ? new Dropout(2, model, { ...options, hiddenRate: drop }) : new SGD(2, model, options);
}

/** The rounds of the first learner as a script in Python. */
export function scriptOf({ rates, data, flip, noise, points, hidden, learner, std, min_std: least, updates, rate, drop, seed, round }) {
  const eta = `eta=${rate * rates[data][isFlow(learner) ? 0 : 1]}, updates=${updates}`;
  const kind = isFlow(learner) ? "BeliefFlow" : learner === "SGD" ? "SGD" : "Dropout";
  const prior = isFlow(learner) ? `prior = DiagonalBelief.for_model(model, ${std})\n` : "";
  const given = {
    BeliefFlow: `prior, model, ${eta}, min_std=${least}, non_expansive=${learner === "flow" ? "False" : "True"}`,
    SGD: `2, model, ${eta}, std=${std}`,
    Dropout: `2, model, ${eta}, std=${std}, hidden_rate=${drop}, input_rate=0.0`,
  };
  const own = data === "points" ? `, points=${JSON.stringify(points)}` : "";
  return `
import numpy as np
from bflo_viz import MLP, DiagonalBelief, ${kind}
from bflo_viz.streams.synthetic import plane

inputs, _, own, _ = (int(2**32 * draw) for draw in np.random.RandomState(${seed}).random(4))
stream = plane(np.random.RandomState(inputs), rows=${round}, shape="${data}", noise=${noise}, flip=${flip}${own})
model = MLP(${[2, ...hidden, 1].join(", ")}, precision="float64")
${prior}learner = ${kind}(${given[kind]})
learner.run(stream.X, stream.y, np.random.RandomState(own))
`;
}

/** Entropy of each layer of a belief, in nats a weight; none without a belief. */
function entropies({ belief, model, dim }) {
  if (!belief) return [];
  return model.layers.map(({ start }, l) => {
    const end = model.layers[l + 1]?.start ?? dim;
    let sum = 0;
    for (let i = start; i < end; i++) sum += Math.log(belief.std[i]);
    return HALF_LOG_2PIE + sum / (end - start);
  });
}

/** A run with the traits of the explorer and its constants; `networks` may vote, and there are so many new examples. */
export class Run {
  constructor(setting, networks = 30, tests = 500) {
    const { seed, learner, rival, hidden, data, points } = setting;
    this.setting = setting;
    this.names = rival === "none" ? [learner] : [learner, rival];
    this.sizes = [2, ...hidden, 1];
    this.networks = networks;
    this.isEmpty = data === "points" && !points.length;
    const [inputs, others, own, fan] = seedsOf(seed, 4);
    /** What changes in a round. */
    this.state = {
      round: 0, plane: new Plane(inputs, setting), mistakes: this.names.map(() => 0),
      learners: this.names.map((name) => learnerOf(name, this.sizes, setting)), randoms: this.names.map(() => new RandomState(own)),
    };
    this.state.learners.forEach((one, i) => one.begin(this.state.randoms[i]));
    this.dim = this.state.learners[0].dim;
    this.kept = [copyOf(this.state)];
    this.apart = FIRST_APART;
    this.curve = [this.noted()]; // mistakes and entropies, so many rounds apart
    this.every = 1;
    const plane = new Plane(others, setting);
    this.tests = Array.from({ length: this.isEmpty ? 0 : tests }, () => {
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
    if (this.isEmpty) return;
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
    if (state.round === this.every * this.curve.length && this.curve.push(this.noted()) === POINTS) {
      this.curve = this.curve.filter((_, i) => i % 2 === 0);
      this.every *= 2;
    }
    if (state.round === this.kept.at(-1).round + this.apart && this.kept.push(copyOf(state)) > KEPT) {
      this.kept = this.kept.filter((_, i) => i % 2 === 0);
      this.apart *= 2;
    }
  }

  noted() {
    const { mistakes, learners } = this.state;
    return { mistakes: [...mistakes], entropies: learners.map(entropies) };
  }

  /** Pairs of a round and what is noted of it, as far as it has been played, and this round. */
  points() {
    const points = this.curve.map((one, i) => [i * this.every, one]);
    return [...points, [this.round, this.noted()]].sort((a, b) => /** @type {any} */ (a[0]) - /** @type {any} */ (b[0]));
  }

  /** The weights of the network that predicts for a learner, its mean, into out. */
  mean(i, out) {
    const learner = /** @type {any} */ (this.state.learners[i]);
    return learner.belief ? (out.set(learner.belief.mean), out) : learner.predicting(out);
  }

  /** How many networks vote for a learner. */
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
      for (let j = 0; j < inputs; j++) if (this.isLeftOut[which][unit++]) out.fill(0, start + j * units, start + (j + 1) * units);
    }
    return out;
  }
}
