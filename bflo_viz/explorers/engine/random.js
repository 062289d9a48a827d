// The random numbers of NumPy's RandomState, which NumPy has frozen: with the same seed a page draws the numbers that
// Python draws. Whole and uniform numbers are equal to the bit, normal ones up to the last digit of Math.log.

const SIZE = 624; // words of the state of the Mersenne Twister, MT19937
const AHEAD = 397;
const one = new Float64Array(1);
const pair = new Float64Array(2);

/** What np.random.RandomState(seed) is in Python; the seed is a whole number from 0 to 2³² − 1. */
export class RandomState {
  constructor(seed) {
    this.key = new Int32Array(2 * SIZE); // the state, and room for the next one
    this.doubles = new Float64Array(SIZE / 2); // uniform numbers that this state stands for, two words each
    this.position = SIZE / 2;
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
    if (this.position === SIZE / 2) this._twist();
    return this.doubles[this.position++];
  }

  /** Standard normal. */
  standardNormal() {
    this.fillNormals(one, 0, 1);
    return one[0];
  }

  /** Standard normal numbers into out[from] … out[to − 1], by Marsaglia's polar method. */
  fillNormals(out, from = 0, to = out.length) {
    if (this.hasNormal && from < to) {
      out[from++] = this.normal;
      this.hasNormal = false;
    }
    let end = from;
    while (end + 1 < to) {
      const x = 2 * this.random() - 1;
      const y = 2 * this.random() - 1;
      out[end] = y;
      out[end + 1] = x;
      end += 2 - 2 * ((x * x + y * y) | 0); // within the circle it is kept, without a branch that nobody can predict
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

  /** The next words of the state by its recurrence, and the uniform numbers that they stand for. */
  _twist() {
    const { key, doubles } = this;
    for (let i = 0; i < SIZE; i += 2) {
      const first = key[i + AHEAD] ^ mixed(key[i], key[i + 1]);
      const second = key[i + AHEAD + 1] ^ mixed(key[i + 1], key[i + 2]);
      key[SIZE + i] = first;
      key[SIZE + i + 1] = second;
      doubles[i >> 1] = (tempered(first) >>> 5) * 2 ** -27 + (tempered(second) >>> 6) * 2 ** -53;
    }
    key.copyWithin(0, SIZE);
    this.position = 0;
  }
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
