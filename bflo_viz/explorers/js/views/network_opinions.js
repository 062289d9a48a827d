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

/** What a learner of a run says, over the plane and of examples that it has not seen. */
export class Opinions {
  constructor(run, index, size, span) {
    const { tests, sizes, dim, networks } = run;
    const ends = [-span, span];
    const across = grid(size, ends, ends, (x) => x), up = grid(size, ends, ends, (_, y) => y);
    this.run = run;
    this.index = index;
    this.size = size;
    this.w = new Float64Array(dim);
    this.map = new Places(across.values, up.values, sizes); // the mean, of which every unit is shown
    this.asked = new Places(across.values, up.values, sizes); // those that vote
    this.tests = new Places(Float64Array.from(tests, (one) => one.x), Float64Array.from(tests, (one) => one.y), sizes);
    /** A grid that is another object whenever its values are others. */
    this.gridOf = (values) => ({ ...across, values });
    this.mean = this.doubt = this.gridOf(new Float64Array(size * size));
    this.maps = Array.from({ length: networks }, () => this.gridOf(new Float64Array(size * size)));
    this.rounds = new Int32Array(networks).fill(-1); // of which round each of them is
    this.round = -1;
    this.known = this.turn = 0; // networks that have been asked, and whose turn it is
  }

  /** Whether all that is shown is of this round of the run. */
  get isExact() {
    const { run, index, rounds } = this;
    return this.round === run.round && rounds.subarray(0, run.votes(index)).every((round) => round === run.round);
  }

  /** Ask the mean, and of the networks that vote one at least, and as many as there is time for. */
  update(until) {
    const { run, index, w, rounds, maps } = this;
    if (this.isExact) return;
    if (this.round !== run.round) {
      run.mean(index, w);
      this.tests.ask(w);
      this.map.ask(w);
      this.mean = this.gridOf(this.map.layers.at(-1)[0]);
      this.round = run.round;
    }
    const votes = run.votes(index);
    for (let asked = 0; asked < votes; asked++) {
      const which = this.turn++ % votes;
      if (rounds[which] !== run.round) {
        maps[which].values.set(this.asked.ask(run.network(index, which, w)));
        maps[which] = this.gridOf(maps[which].values);
        rounds[which] = run.round;
      }
      if (performance.now() >= until) break;
    }
    this.known = rounds.subarray(0, votes).findLastIndex((round) => round >= 0) + 1;
    this.doubt = this.gridOf(spread(maps.slice(0, this.known), this.doubt.values));
  }

  /** Mistakes of the mean on new examples in %, and the share of the plane in % where networks disagree. */
  numbers() {
    const { tests } = this.run;
    const said = this.tests.layers.at(-1)[0];
    const wrong = tests.reduce((sum, { truth }, n) => sum + Number(said[n] > 0.5 !== (truth === 1)), 0);
    return [(100 * wrong) / tests.length, (100 * this.doubt.values.reduce((sum, x) => sum + Number(x > 0.2), 0)) / this.size ** 2];
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
