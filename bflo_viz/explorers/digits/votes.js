// A sketch before networks drawn from a belief, as in bflo_viz.scenes.votes and bflo_viz.streams.sketches.
import { MLP } from "../engine/models.js";
import { RandomState } from "../engine/random.js";
import { fill, format } from "../shared/kit.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The cells of a sketch, row after row, 1 where there is ink. */
export function inkOf(text, side) {
  const ink = new Uint8Array(side * side);
  text.split(".").forEach((row, j) => {
    const bits = parseInt(row || "0", 16);
    for (let i = 0; i < side; i++) ink[j * side + i] = (bits >>> (side - 1 - i)) & 1;
  });
  return ink;
}

/** The text of a sketch: each row a hexadecimal number, with dots between, and nothing for what is empty. */
export function textOf(ink, side) {
  const rows = Array.from({ length: side }, (_, j) => {
    let bits = 0;
    for (let i = 0; i < side; i++) bits = 2 * bits + ink[j * side + i];
    return bits ? bits.toString(16) : "";
  });
  return rows.join(".").replace(/\.+$/, "");
}

/** Draw from one place to another with a round brush, or take ink away. Places are in cells from the top left corner. */
export function stroke(ink, side, [x0, y0], [x1, y1], brush, value = 1) {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const length = Math.max(dx * dx + dy * dy, 1e-12);
  for (let k = 0; k < ink.length; k++) {
    const [x, y] = [(k % side) + 0.5 - x0, Math.floor(k / side) + 0.5 - y0];
    const part = Math.max(0, Math.min(1, (x * dx + y * dy) / length));
    if ((x - part * dx) ** 2 + (y - part * dy) ** 2 <= brush * brush) ink[k] = value;
  }
}

/** How much of each of `into` cells lies under each of `cells` that are `scale` wide and begin at `start`. */
function overlaps(cells, into, scale, start) {
  const share = (i, r) => Math.min(start + scale * r + scale, i + 1) - Math.max(start + scale * r, i);
  return Array.from({ length: into }, (_, i) => Float64Array.from({ length: cells }, (_, r) => Math.max(0, share(i, r))));
}

/** What a network sees of a page: shares of ink, its longer side `box` cells, its centre of mass in the middle. */
export function seen(ink, { side, seen: into, box }) {
  const [down, across] = [new Float64Array(side), new Float64Array(side)];
  ink.forEach((cell, k) => {
    down[Math.floor(k / side)] += cell;
    across[k % side] += cell;
  });
  const total = down.reduce((sum, n) => sum + n, 0);
  const out = new Float64Array(into * into);
  if (!total) return out;
  const extent = (counts) => counts.findLastIndex((n) => n > 0) - counts.findIndex((n) => n > 0) + 1;
  const scale = box / Math.max(extent(down), extent(across));
  const [rows, columns] = [down, across].map((counts) => {
    const middle = counts.reduce((sum, n, r) => sum + n * (r + 0.5), 0) / total;
    return overlaps(side, into, scale, into / 2 - scale * middle);
  });
  for (let j = 0; j < into; j++) {
    const line = new Float64Array(side); // the rows of the page that lie on this row, added up
    ink.forEach((cell, k) => (line[k % side] += cell * rows[j][Math.floor(k / side)]));
    for (let i = 0; i < into; i++) out[j * into + i] = line.reduce((sum, n, r) => sum + n * columns[i][r], 0);
  }
  return out;
}

/** Bytes of a text in base64; a negative one has the top bit. */
function bytes(text, signed) {
  const out = new Float64Array(Math.floor((text.replace(/=+$/, "").length * 3) / 4));
  let [held, bits, at] = [0, 0, 0];
  for (let k = 0; at < out.length; k++) {
    held = ((held << 6) | LETTERS.indexOf(text[k])) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    const byte = (held >> bits) & 255;
    out[at++] = signed && byte > 127 ? byte - 256 : byte;
  }
  return out;
}

/** The beliefs of a file, and the networks that a seed draws from each. */
export class Networks {
  constructor({ sizes, beliefs }, count) {
    this.model = new MLP(sizes);
    this.count = count;
    this.beliefs = beliefs.map(({ mean, std }) => ({ mean: this._read(mean, true), std: this._read(std, false) }));
    this._weights = new Float64Array(this.model.size());
    this._seed = null;
  }

  _read({ codes, steps }, signed) {
    const values = bytes(codes, signed);
    const { layers } = this.model;
    return values.map((code, i) => code * steps[layers.findLastIndex(({ start }) => start <= i)]);
  }

  /** The standard normal numbers of all networks, one after the other: those of np.random.RandomState(seed). */
  _draw(seed) {
    if (this._seed === seed) return;
    const random = new RandomState(seed);
    this._normals = Float64Array.from({ length: this.count * this.model.size() }, () => random.standardNormal());
    this._seed = seed;
  }

  /** How many networks are for each digit, at each moment. */
  votes(x, seed) {
    this._draw(seed);
    const { model, _weights: w, _normals: z } = this;
    const [{ units }] = model.layers;
    return this.beliefs.map(({ mean, std }) => {
      const tally = new Array(model.outputs).fill(0);
      for (let n = 0; n < this.count; n++) {
        const first = n * w.length;
        const sample = (from, to) => {
          for (let i = from; i < to; i++) w[i] = mean[i] + std[i] * z[first + i];
        };
        // The weights of a cell without ink do nothing.
        for (let j = 0; j < x.length; j++) if (x[j]) sample(j * units, (j + 1) * units);
        sample(x.length * units, w.length);
        model.forward(w, x);
        tally[model.label()] += 1;
      }
      return tally;
    });
  }

  /** Outputs of the mean network, all digits by votes and then by its logits, and what each cell does for the first. */
  decided(x, moment, votes) {
    const { model, beliefs } = this;
    const { mean } = beliefs[moment];
    model.forward(mean, x);
    const [outputs, logits] = [[...model.probability], [...model.logits]];
    const ranking = outputs.map((_, k) => k).sort((a, b) => votes[b] - votes[a] || logits[b] - logits[a]);
    const [winner, second] = ranking;
    const lead = logits[winner] - logits[second];
    const without = Float64Array.from(x);
    const effect = Array.from(x, (ink, k) => {
      if (!ink) return 0;
      without[k] = 0;
      model.forward(mean, without);
      without[k] = ink;
      return lead - (model.logits[winner] - model.logits[second]);
    });
    return { outputs, ranking, effect };
  }
}

/** The share of networks that are for the winner. */
export const agreement = (votes) => Math.max(...votes) / votes.reduce((sum, n) => sum + n, 0);

/** Entropy of the votes in bits. */
export function doubt(votes) {
  const total = votes.reduce((sum, n) => sum + n, 0);
  return Math.abs(votes.reduce((sum, n) => sum + (n ? (n / total) * Math.log2(n / total) : 0), 0));
}

/** The sentences that are said of votes. */
export function said({ sentences, sure, least, networks }, { rounds, measured }, { votes, ranking, effect, moment, isEmpty }) {
  const [share, [winner, second]] = [agreement(votes), ranking];
  const verdict = share >= sure ? "sure" : share > 0.5 ? "leaning" : "split";
  const [pro, con] = [1, -1].map((sign) => effect.filter((by) => sign * by > least).length);
  const tally = ranking.filter((k) => votes[k]).map((k) => `${votes[k]} for ${k}`).join(", ");
  const values = {
    ...{ networks, rounds: rounds[moment].toLocaleString("en"), tally, winner, second, pro, con },
    ...{ share: format(100 * share, 0), bits: format(doubt(votes)), most: format(Math.log2(votes.length)) },
    ...{ others: format(measured.others, 0), percent: format(measured["others agreed (%)"], 0) },
  };
  const names = ["votes", "doubt", ...(isEmpty ? ["empty"] : [verdict, pro || con ? "decides" : "undecided"])];
  return names.map((name) => fill(sentences[name], values));
}
