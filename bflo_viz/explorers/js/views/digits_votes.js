// A drawing before networks drawn from a belief: what they see of it, whom they vote for, and what each cell does for it.
import { MLP } from "../engine/models.js";
import { RandomState } from "../engine/random.js";

/** The cells of a drawing, row after row, 1 where there is ink; its text has a hexadecimal number for each row. */
export function inkOf(text, side) {
  const ink = new Uint8Array(side * side);
  text.split(".").forEach((row, j) => {
    const bits = parseInt(row || "0", 16);
    for (let i = 0; i < side; i++) ink[j * side + i] = (bits >>> (side - 1 - i)) & 1;
  });
  return ink;
}

export function textOf(ink, side) {
  const rows = Array.from({ length: side }, (_, j) => ink.subarray(j * side, (j + 1) * side).reduce((bits, cell) => 2 * bits + cell, 0));
  return rows.map((bits) => (bits ? bits.toString(16) : "")).join(".").replace(/\.+$/, "");
}

/** Draw from one place to another with a round brush, or take ink away. Places are in cells from the top left corner. */
export function stroke(ink, side, /** @type {number[]} */ [x0, y0], /** @type {number[]} */ [x1, y1], brush, value) {
  const [dx, dy] = [x1 - x0, y1 - y0];
  for (let k = 0; k < ink.length; k++) {
    const [x, y] = [(k % side) + 0.5 - x0, Math.floor(k / side) + 0.5 - y0];
    const part = Math.max(0, Math.min(1, (x * dx + y * dy) / Math.max(dx * dx + dy * dy, 1e-12)));
    if ((x - part * dx) ** 2 + (y - part * dy) ** 2 <= brush * brush) ink[k] = value;
  }
}

/** Where ink is, and how it is fitted: scale and the middle of its mass, across and down; null on an empty page. */
export function fitOf(ink, { side, box }) {
  const sums = [new Float64Array(side), new Float64Array(side)];
  ink.forEach((cell, k) => [k % side, Math.floor(k / side)].forEach((at, axis) => (sums[axis][at] += cell)));
  const total = sums[0].reduce((sum, n) => sum + n, 0);
  if (!total) return null;
  const extents = sums.map((counts) => counts.findLastIndex((n) => n > 0) - counts.findIndex((n) => n > 0) + 1);
  const middles = sums.map((counts) => counts.reduce((sum, n, at) => sum + n * (at + 0.5), 0) / total);
  return { scale: box / Math.max(...extents), middles };
}

/** What a network sees of a page: shares of ink, its longer side `box` cells, its centre of mass in the middle. */
export function seenOf(ink, sizes) {
  const { side, seen } = sizes;
  const out = new Float64Array(seen * seen);
  const fit = fitOf(ink, sizes);
  if (!fit) return out;
  /** How much of each cell of the page lies on each of the coarse cells. */
  const [across, down] = fit.middles.map((middle) => Array.from({ length: seen }, (_, i) => Float64Array.from({ length: side }, (_, r) => {
    const low = seen / 2 + fit.scale * (r - middle);
    return Math.max(0, Math.min(low + fit.scale, i + 1) - Math.max(low, i));
  })));
  for (let j = 0; j < seen; j++) {
    const line = new Float64Array(side); // the rows of the page that lie on this row, added up
    ink.forEach((cell, k) => (line[k % side] += cell * down[j][Math.floor(k / side)]));
    for (let i = 0; i < seen; i++) out[j * seen + i] = line.reduce((sum, n, r) => sum + n * across[i][r], 0);
  }
  return out;
}

/** The beliefs of a file, and the networks that a seed draws from each. */
export class Networks {
  constructor({ sizes, beliefs }, count) {
    this.sizes = sizes;
    this.count = count;
    this.model = new MLP(sizes);
    this.beliefs = beliefs.map(({ mean, std }) => ({ mean: this.unpacked(mean, Int8Array), std: this.unpacked(std, Uint8Array) }));
    this.normals = new Float64Array(count * this.model.size()); // of all networks, one after the other
    this.seed = -1;
  }

  /** Numbers that are kept as a byte each, with steps between neighbouring ones that differ by layer. */
  unpacked({ codes, steps }, Bytes) {
    const text = atob(codes);
    const values = Float64Array.from(Bytes.from({ length: text.length }, (_, i) => text.charCodeAt(i)));
    this.model.layers.forEach(({ start, inputs, units }, layer) => {
      for (let i = start; i < start + (inputs + 1) * units; i++) values[i] *= steps[layer];
    });
    return values;
  }

  /** How many networks are for each digit at a moment: at each, the same random numbers make them. */
  votes(x, moment, seed) {
    if (this.seed !== seed) new RandomState(seed).fillNormals(this.normals);
    this.seed = seed;
    const { model, sizes, normals, count } = this;
    const { mean, std } = this.beliefs[moment];
    const [inputs, units, outputs] = sizes;
    // A cell without ink does nothing: the networks that vote are without its weights, and three times as fast.
    const inked = Array.from(x.keys()).filter((j) => x[j] || !j); // one at least
    const small = new MLP([inked.length, ...sizes.slice(1)]);
    const shares = Float64Array.from(inked, (j) => x[j]);
    const w = new Float64Array(small.size());
    const tally = new Array(outputs).fill(0);
    for (let n = 0; n < count; n++) {
      let at = 0;
      const sample = (from, to) => {
        for (let i = from; i < to; i++) w[at++] = mean[i] + std[i] * normals[n * model.size() + i];
      };
      for (const j of inked) sample(j * units, (j + 1) * units);
      sample(inputs * units, model.size());
      small.forward(w, shares);
      tally[small.label()] += 1;
    }
    return tally;
  }

  /** All digits by votes and then by the mean network, and what each cell does for the first against the second. */
  decided(x, moment, tally) {
    const { mean } = this.beliefs[moment];
    const logits = this.logits(mean, x);
    const ranking = logits.map((_, k) => k).sort((a, b) => tally[b] - tally[a] || logits[b] - logits[a]);
    const [winner, second] = ranking;
    const without = Float64Array.from(x);
    const effect = Array.from(x, (share, k) => {
      if (!share) return 0;
      without[k] = 0;
      const rest = this.logits(mean, without);
      without[k] = share;
      return logits[winner] - logits[second] - (rest[winner] - rest[second]);
    });
    return { ranking, effect };
  }

  /** Outputs of a network before their sigmoids, which would be 0 or 1 where it is sure. */
  logits(w, x) {
    this.model.forward(w, x);
    const { inputs, units, start, passed } = this.model.layers.at(-1);
    const logit = (k) => passed.reduce((sum, a, j) => sum + a * w[start + j * units + k], w[start + inputs * units + k]);
    return Array.from({ length: units }, (_, k) => logit(k));
  }
}
