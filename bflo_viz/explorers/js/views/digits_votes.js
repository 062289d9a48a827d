// A drawing before networks drawn from a belief: what they see, whom they vote for, and what each cell does for it.
import { MLP } from "../engine/models.js";
import { RandomState } from "../engine/random.js";

/** The cells of a drawing, row after row, 1 where there is ink; its text has a hexadecimal number for each row. */
export function inkOf(text, side) {
  const rows = text.split(".").map((row) => parseInt(row || "0", 16));
  const bit = (_, k) => (rows[Math.floor(k / side)] >>> (side - 1 - (k % side))) & 1;
  return Uint8Array.from({ length: side * side }, bit);
}
export function textOf(ink, side) {
  const rows = Array.from({ length: side }, (_, j) => parseInt(ink.subarray(j * side, (j + 1) * side).join(""), 2));
  return rows.map((bits) => (bits ? bits.toString(16) : "")).join(".").replace(/\.+$/, "");
}

/** Draw from one place to another with a round brush, or take ink away; places are in cells from the top left. */
export function stroke(ink, side, /** @type {number[]} */ [x0, y0], /** @type {number[]} */ [x1, y1], brush, value) {
  const [dx, dy] = [x1 - x0, y1 - y0];
  for (let k = 0; k < ink.length; k++) {
    const [x, y] = [(k % side) + 0.5 - x0, Math.floor(k / side) + 0.5 - y0];
    const part = Math.max(0, Math.min(1, (x * dx + y * dy) / Math.max(dx * dx + dy * dy, 1e-12)));
    if ((x - part * dx) ** 2 + (y - part * dy) ** 2 <= brush * brush) ink[k] = value;
  }
}

/** The scale that fits ink into what is seen, and its centre of mass across and down; null for an empty page. */
export function fitOf(ink, { side, box }) {
  const sums = [new Float64Array(side), new Float64Array(side)];
  ink.forEach((cell, k) => [k % side, Math.floor(k / side)].forEach((at, axis) => (sums[axis][at] += cell)));
  const total = sums[0].reduce((sum, n) => sum + n, 0);
  if (!total) return null;
  const extents = sums.map((counts) => counts.findLastIndex((n) => n > 0) - counts.findIndex((n) => n > 0) + 1);
  const middles = sums.map((counts) => counts.reduce((sum, n, at) => sum + n * (at + 0.5), 0) / total);
  return { scale: box / Math.max(...extents), middles };
}

/** A page as networks see it: shares of ink, the longer side `box` cells long, the centre of mass in the middle. */
export function seenOf(ink, { side, seen, box }) {
  const out = new Float64Array(seen * seen);
  const fit = fitOf(ink, { side, box });
  if (!fit) return out;
  const { scale, middles } = fit;
  ink.forEach((cell, k) => {
    if (!cell) return;
    const [across, down] = [k % side, Math.floor(k / side)].map((at, axis) => {
      const low = seen / 2 + scale * (at - middles[axis]); // how much of it lies on each coarse cell:
      return Array.from({ length: seen }, (_, i) => Math.max(0, Math.min(low + scale, i + 1) - Math.max(low, i)));
    });
    for (let n = 0; n < out.length; n++) out[n] += across[n % seen] * down[Math.floor(n / seen)];
  });
  return out;
}

/** The beliefs of a file, and the networks that a seed draws from each. */
export class Networks {
  constructor({ sizes, beliefs }, count) {
    Object.assign(this, { sizes, count });
    this.model = new MLP(sizes);
    const both = ({ mean, std }) => ({ mean: this.unpacked(mean, Int8Array), std: this.unpacked(std, Uint8Array) });
    this.beliefs = beliefs.map(both);
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

  /** Number of networks that vote for each digit at a moment; the same random numbers make them at each. */
  votes(x, moment, seed) {
    if (this.seed !== seed) new RandomState(seed).fillNormals(this.normals);
    this.seed = seed;
    const { model, sizes: [inputs, units, outputs], normals, count } = /** @type {any} */ (this);
    const { mean, std } = this.beliefs[moment];
    const [w, tally] = [new Float64Array(model.size()), new Array(outputs).fill(0)];
    // A cell without ink does nothing, so nobody needs its weights.
    const inked = Array.from(x.keys()).filter((j) => x[j]).map((j) => [j * units, (j + 1) * units]);
    const needed = [...inked, [inputs * units, model.size()]];
    for (let start = 0; start < count * model.size(); start += model.size()) {
      for (const [from, to] of needed) for (let i = from; i < to; i++) w[i] = mean[i] + std[i] * normals[start + i];
      model.forward(w, x);
      tally[model.label()] += 1;
    }
    return tally;
  }

  /** All digits by votes and then by the mean network, and what each cell does for the first against the second. */
  decided(x, moment, tally) {
    const { mean } = this.beliefs[moment];
    const logits = this.logits(mean, x);
    const ranking = logits.map((_, k) => k).sort((a, b) => tally[b] - tally[a] || logits[b] - logits[a]);
    const lead = (all) => all[ranking[0]] - all[ranking[1]];
    const effect = Array.from(x, (share, k) => (share ? lead(logits) - lead(this.logits(mean, x.with(k, 0))) : 0));
    return { ranking, effect };
  }

  /** Outputs of a network before their sigmoids, which would be 0 or 1 where it is sure. */
  logits(w, x) {
    this.model.forward(w, x);
    const { inputs, units, start, passed } = this.model.layers.at(-1);
    const bias = start + inputs * units;
    const logit = (k) => passed.reduce((sum, a, j) => sum + a * w[start + j * units + k], w[bias + k]);
    return Array.from({ length: units }, (_, k) => logit(k));
  }
}
