// The random numbers of NumPy's RandomState, which NumPy has frozen: with the same seed a page draws the numbers that
// Python draws. Whole and uniform numbers are equal to the bit, normal ones up to the last digit of Math.log.

const SIZE = 624; // words of the state of the Mersenne Twister, MT19937
const AHEAD = 397;
const LAST = SIZE / 2; // two words make a uniform number
const [one, pair] = [new Float64Array(1), new Float64Array(2)];

/** What np.random.RandomState(seed) is in Python; the seed is a whole number from 0 to 2³² − 1. */
export class RandomState {
  constructor(seed) {
    this.key = new Int32Array(2 * SIZE); // the state, and room for the next one
    this.doubles = new Float64Array(1 + LAST); // from 1 on, the uniform numbers that the state stands for
    this.position = 1 + LAST; // of the next one
    this.hasNormal = false; // normal numbers come in pairs: the second one waits here
    this.normal = 0;
    this.key[0] = seed;
    for (let i = 1; i < SIZE; i++) {
      const last = this.key[i - 1];
      this.key[i] = Math.imul(1812433253, last ^ (last >>> 30)) + i;
    }
  }

  /** Uniform from 0 to below 1, with 53 bits. */
  random() {
    if (this.position > LAST) this._twist();
    return this.doubles[this.position++];
  }

  /** Standard normal. */
  standardNormal() {
    this.fillNormals(one, 0, 1);
    return one[0];
  }

  /** Standard normal numbers into out[from] … out[to − 1], by Marsaglia's polar method. */
  fillNormals(out, from = 0, to = out.length) {
    const { doubles } = this;
    if (this.hasNormal && from < to) {
      out[from++] = this.normal;
      this.hasNormal = false;
    }
    let end = from;
    while (end + 1 < to) {
      if (this.position >= LAST) this._twist();
      let at = this.position;
      for (; at < LAST && end + 1 < to; at += 2) {
        const x = 2 * doubles[at] - 1;
        const y = 2 * doubles[at + 1] - 1;
        out[end] = y;
        out[end + 1] = x;
        // A point in the circle is kept, others are overwritten: no branch that a processor would have to guess. Of 2¹⁰⁶
        // points one is the centre, which NumPy leaves out, too, and one the corner, where this would go wrong.
        end += 2 - 2 * ((x * x + y * y) | 0);
      }
      this.position = at;
    }
    for (let i = from; i < end; i += 2) {
      const square = out[i] * out[i] + out[i + 1] * out[i + 1];
      const factor = Math.sqrt((-2 * Math.log(square)) / square);
      out[i] *= factor;
      out[i + 1] *= factor;
    }
    if (end < to) {
      this.fillNormals(pair, 0, 2);
      out[end] = pair[0];
      this.normal = pair[1];
      this.hasNormal = true;
    }
  }

  /** The next words of the state, by their recurrence, and their uniform numbers; one that is left stays in front. */
  _twist() {
    const { key, doubles } = this;
    doubles[0] = doubles[LAST];
    this.position = this.position > LAST ? 1 : 0;
    for (let i = 0; i < SIZE; i += 2) {
      const first = key[i + AHEAD] ^ mixed(key[i], key[i + 1]);
      const second = key[i + AHEAD + 1] ^ mixed(key[i + 1], key[i + 2]);
      key[SIZE + i] = first;
      key[SIZE + i + 1] = second;
      doubles[1 + (i >> 1)] = (tempered(first) >>> 5) * 2 ** -27 + (tempered(second) >>> 6) * 2 ** -53;
    }
    key.copyWithin(0, SIZE);
  }
}

/** Seeds of some generators, drawn from one. */
export function seedsOf(seed, count) {
  const random = new RandomState(seed);
  return Array.from({ length: count }, () => Math.floor(2 ** 32 * random.random()));
}

/** The highest bit of a word and the others of the next, times the matrix of the twist. */
function mixed(word, next) {
  return (((word & 0x80000000) | (next & 0x7fffffff)) >>> 1) ^ (-(next & 1) & 0x9908b0df);
}

/** The 32 random bits of a word of the state. */
function tempered(word) {
  word ^= word >>> 11;
  word ^= (word << 7) & 0x9d2c5680;
  word ^= (word << 15) & 0xefc60000;
  return word ^ (word >>> 18);
}
