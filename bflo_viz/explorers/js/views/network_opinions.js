// What the networks of a learner say at many places at once: its mean, and those that vote, a few at a time.
import { sigmoid } from "../engine/models.js";
import { grid } from "../marks.js";

/** Places at which networks are asked; afterwards `layers` has what each unit of each layer said at each of them. */
class Places {
  constructor(x, y, sizes) {
    this.inputs = [x, y];
    this.layers = sizes.slice(1).map((units) => Array.from({ length: units }, () => new Float64Array(x.length)));
  }

  /** Ask a network with these weights; returns what its output says. */
  ask(w) {
    let [before, start] = [this.inputs, 0];
    for (const units of this.layers) {
      const bias = start + before.length * units.length;
      for (let k = 0; k < units.length; k++) {
        const out = units[k];
        out.fill(w[bias + k]);
        for (let j = 0; j < before.length; j++) {
          const [input, weight] = [before[j], w[start + j * units.length + k]];
          for (let n = 0; n < out.length; n++) out[n] += weight * input[n];
        }
        for (let n = 0; n < out.length; n++) out[n] = sigmoid(out[n]);
      }
      [before, start] = [units, bias + units.length];
    }
    return before[0];
  }
}

/** Predictions of a learner of a run, over the plane and for examples that it has not seen. */
export class Opinions {
  constructor(run, index, size, span) {
    const { tests, sizes, dim, networks } = run;
    const ends = [-span, span];
    const across = grid(size, ends, ends, (x) => x), up = grid(size, ends, ends, (_, y) => y);
    this.run = run;
    this.index = index;
    this.w = new Float64Array(dim);
    this.map = new Places(across.values, up.values, sizes); // the mean, of which every unit is shown
    this.asked = new Places(across.values, up.values, sizes); // those that vote
    this.tests = new Places(Float64Array.from(tests, (one) => one.x), Float64Array.from(tests, (one) => one.y), sizes);
    /** A grid that is another object whenever its values are others. */
    this.gridOf = (values) => ({ ...across, values });
    this.mean = this.doubt = this.gridOf(new Float64Array(size * size));
    this.maps = []; // of the networks that have been asked
    this.rounds = new Int32Array(run.votes(index) && networks).fill(-1); // of which round each of them is
    this.round = -1;
    this.turn = 0; // whose it is
  }

  /** True if everything shown belongs to this round of the run. */
  get isExact() {
    return [this.round, ...this.rounds].every((round) => round === this.run.round);
  }

  /** Ask the mean, and of the networks that vote one at least, and as many as there is time for. */
  update(until) {
    const { run, index, w, rounds, maps } = this;
    if (this.isExact) return;
    if (this.round !== run.round) {
      run.mean(index, w);
      this.tests.ask(w);
      this.mean = this.gridOf(this.map.ask(w));
      this.round = run.round;
    }
    for (let asked = 0; asked < rounds.length; asked++) {
      const which = this.turn++ % rounds.length;
      if (rounds[which] !== run.round) {
        const said = this.asked.ask(run.network(index, which, w));
        maps[which] = this.gridOf(said.slice());
        rounds[which] = run.round;
      }
      if (performance.now() >= until) break;
    }
    this.doubt = this.gridOf(spread(maps, this.doubt.values));
  }

  /** Mistakes of the mean on new examples in %, and the share of the plane in % where networks disagree. */
  numbers() {
    const { run: { tests }, doubt } = this;
    const said = this.tests.layers.at(-1)[0];
    const wrong = tests.filter(({ truth }, n) => said[n] > 0.5 !== (truth === 1)).length;
    return [(100 * wrong) / tests.length, (100 * doubt.values.filter((x) => x > 0.2).length) / doubt.values.length];
  }
}

/** Standard deviation, place by place, of what some networks say. */
function spread(maps, out) {
  out.fill(0);
  const mean = new Float64Array(out.length);
  for (const { values } of maps) for (let n = 0; n < out.length; n++) mean[n] += values[n] / maps.length;
  for (const { values } of maps) for (let n = 0; n < out.length; n++) out[n] += (values[n] - mean[n]) ** 2;
  for (let n = 0; n < out.length; n++) out[n] = Math.sqrt(out[n] / (maps.length || 1));
  return out;
}
