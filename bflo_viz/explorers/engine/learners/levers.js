// Learners that choose what they look at, as in bflo_viz.learners.levers: each weight is a lever.
import { BeliefFlow } from "./belief_flow.js";
import { SGD } from "./sgd.js";

/** Where an array has its largest number; of equal ones the first. */
function largest(numbers) {
  let best = 0;
  for (let i = 1; i < numbers.length; i++) if (numbers[i] > numbers[best]) best = i;
  return best;
}

/** A belief flow that chooses by its sample: the step after a choice lets that very sample flow. */
export class Thompson extends BeliefFlow {
  constructor(...given) {
    super(...given);
    this._hasChosen = false;
  }

  /** The lever whose sampled weight is the largest. */
  choose(rng) {
    for (let i = 0; i < this.dim; i++) this._z[i] = rng.standardNormal();
    this._hasChosen = true;
    return largest(this.belief.weight(this._z, this._w));
  }

  _draw(x, rng) {
    if (!this._hasChosen) super._draw(x, rng);
    this._hasChosen = false;
  }
}

/** SGD that pulls the lever with the largest weight, and in a share epsilon of the rounds any lever. */
export class EpsilonGreedy extends SGD {
  constructor(features, model, { epsilon = 0.1, ...options } = {}) {
    super(features, model, options);
    this.epsilon = epsilon;
  }

  /** Two numbers are drawn in every round, so that another epsilon changes no other number. */
  choose(rng) {
    const [tries, which] = [rng.random(), rng.random()];
    return tries < this.epsilon ? Math.floor(which * this.dim) : largest(this.weights);
  }
}

/** Let a learner play one round: it chooses a lever, and is shown what that one pays. `pays` has it of all. */
export function pull(learner, pays, rng) {
  const lever = learner.choose(rng);
  learner.step(Float64Array.from(pays, (_, i) => (i === lever ? 1 : 0)), pays[lever], rng);
  return lever;
}
