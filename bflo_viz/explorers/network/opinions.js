// What the networks of a learner say at many places at once: its mean, and those that vote, a few at a time.
import { sigmoid } from "../engine/models.js";

/** Places at which networks are asked, layer after layer and unit after unit: x and y are arrays. */
export class Places {
  constructor(x, y, sizes) {
    this.count = x.length;
    this.inputs = [x, y];
    /** What each unit of each layer said at each place when a network was asked last. */
    this.layers = sizes.slice(1).map((units) => Array.from({ length: units }, () => new Float64Array(this.count)));
  }

  /** Ask a network with these weights; returns what its output says. */
  ask(w) {
    let [before, at] = [this.inputs, 0];
    for (const units of this.layers) {
      const bias = at + before.length * units.length;
      for (let k = 0; k < units.length; k += 1) {
        const out = units[k];
        out.fill(w[bias + k]);
        for (let j = 0; j < before.length; j += 1) {
          const [input, weight] = [before[j], w[at + j * units.length + k]];
          for (let n = 0; n < this.count; n += 1) out[n] += weight * input[n];
        }
        for (let n = 0; n < this.count; n += 1) out[n] = sigmoid(out[n]);
      }
      [before, at] = [units, bias + units.length];
    }
    return before[0];
  }
}

/** The middles of the cells of a square map, row by row from low y to high. */
export function middlesOf(size, span) {
  const middle = (i) => span * ((2 * i + 1) / size - 1);
  const every = (read) => Float64Array.from({ length: size * size }, (_, n) => middle(read(n)));
  return [every((n) => n % size), every((n) => Math.floor(n / size))];
}

/** Mean and standard deviation, place by place, of what some networks say. */
function spread(all, mean, std) {
  mean.fill(0);
  std.fill(0);
  for (const one of all) for (let n = 0; n < mean.length; n += 1) mean[n] += one[n] / all.length;
  for (const one of all) for (let n = 0; n < std.length; n += 1) std[n] += (one[n] - mean[n]) ** 2;
  for (let n = 0; n < std.length; n += 1) std[n] = Math.sqrt(std[n] / all.length);
}

const average = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** What a learner of a run says, of the map and of examples that it has not seen. */
export class Opinions {
  constructor(run, index, { grid, span }) {
    const { tests, sizes, dim, networks } = run;
    const cells = grid * grid;
    Object.assign(this, { run, index, w: new Float64Array(dim), mean: new Float64Array(cells) });
    this.map = new Places(...middlesOf(grid, span), sizes);
    this.tests = new Places(tests.x, tests.y, sizes);
    this.units = this.map.layers; // what each unit says, by the mean
    this.asked = new Places(...middlesOf(grid, span), sizes); // where networks that vote are asked
    this.maps = Array.from({ length: networks }, () => new Float64Array(cells));
    this.chances = Array.from({ length: networks }, () => new Float64Array(tests.count));
    this.rounds = new Int32Array(networks).fill(-1); // of which round each of them is
    [this.doubt, this._vote] = [new Float64Array(cells), new Float64Array(cells)];
    [this.testMean, this.testVote, this.testDoubt] = [0, 1, 2].map(() => new Float64Array(tests.count));
    [this.shown, this._next] = [-1, 0];
  }

  /** Whether all that is shown is of this round of the run. */
  get isExact() {
    const { run, index, rounds } = this;
    return this.shown === run.round && rounds.subarray(0, run.votes(index)).every((round) => round === run.round);
  }

  /** Ask the mean, and of the networks that vote one at least, and as many as there is time for. */
  update(until) {
    const { run, index, w, rounds } = this;
    if (this.isExact) return;
    if (this.shown !== run.round) {
      run.mean(index, w);
      this.testMean.set(this.tests.ask(w));
      this.mean.set(this.map.ask(w));
      this.shown = run.round;
    }
    const votes = run.votes(index);
    for (let asked = 0; asked < votes; asked += 1) {
      const which = this._next++ % votes;
      if (rounds[which] !== run.round) {
        run.network(index, which, w);
        this.maps[which].set(this.asked.ask(w));
        this.chances[which].set(this.tests.ask(w));
        rounds[which] = run.round;
      }
      if (performance.now() >= until) break;
    }
    const known = [...this.maps.keys()].filter((which) => which < votes && rounds[which] >= 0);
    this.known = known.length;
    spread(known.length ? known.map((which) => this.maps[which]) : [this.mean], this._vote, this.doubt);
    spread(known.length ? known.map((which) => this.chances[which]) : [this.testMean], this.testVote, this.testDoubt);
  }

  /** Mistakes on new examples in %, by the mean and by the vote; doubt there, and over the map. */
  numbers() {
    const { truth, count } = this.run.tests;
    const wrong = (chance) => (100 * chance.reduce((sum, p, n) => sum + (p > 0.5 !== (truth[n] === 1)), 0)) / count;
    return [wrong(this.testMean), wrong(this.testVote), average(this.testDoubt), average(this.doubt)];
  }

  /** Predictions on new examples by their confidence: how many, how sure, and what share is right, of each bin. */
  calibration(chance, bins) {
    const { seen } = this.run.tests;
    const all = Array.from({ length: bins }, () => ({ count: 0, confidence: 0, accuracy: 0 }));
    chance.forEach((p, n) => {
      const sure = Math.max(p, 1 - p);
      const bin = all[Math.min(bins - 1, Math.floor((2 * sure - 1) * bins))];
      bin.count += 1;
      bin.confidence += sure;
      bin.accuracy += p > 0.5 === (seen[n] === 1) ? 1 : 0;
    });
    return all.map(({ count, confidence, accuracy }) => ({ count, confidence: confidence / count, accuracy: accuracy / count }));
  }
}
