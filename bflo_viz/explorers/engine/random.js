// The random numbers of NumPy's RandomState, which NumPy has frozen: with the same seed a page draws the numbers that
// Python draws. Whole and uniform numbers are equal to the bit, normal ones up to the last digit of Math.log.

const SIZE = 624; // words of the state of the Mersenne Twister, MT19937
const AHEAD = 397;

/** What np.random.RandomState(seed) is in Python; the seed is a whole number from 0 to 2³² − 1. */
export class RandomState {
  constructor(seed) {
    this.key = new Int32Array(SIZE);
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
    if (this.position === this.doubles.length) this._twist();
    return this.doubles[this.position++];
  }

  /** Standard normal, by Marsaglia's polar method. */
  standardNormal() {
    if (this.hasNormal) {
      this.hasNormal = false;
      return this.normal;
    }
    let x, y, square;
    do {
      x = 2 * this.random() - 1;
      y = 2 * this.random() - 1;
      square = x * x + y * y;
    } while (square >= 1 || square === 0);
    const factor = Math.sqrt((-2 * Math.log(square)) / square);
    this.normal = factor * x;
    this.hasNormal = true;
    return factor * y;
  }

  _twist() {
    const { key, doubles } = this;
    for (let i = 0; i < SIZE; i++) {
      const word = (key[i] & 0x80000000) | (key[(i + 1) % SIZE] & 0x7fffffff);
      key[i] = key[(i + AHEAD) % SIZE] ^ (word >>> 1) ^ (-(word & 1) & 0x9908b0df);
    }
    for (let i = 0; i < doubles.length; i++) {
      doubles[i] = ((tempered(key[2 * i]) >>> 5) * 67108864 + (tempered(key[2 * i + 1]) >>> 6)) / 9007199254740992;
    }
    this.position = 0;
  }
}

/** The 32 random bits of a word of the state. */
function tempered(word) {
  word ^= word >>> 11;
  word ^= (word << 7) & 0x9d2c5680;
  word ^= (word << 15) & 0xefc60000;
  return word ^ (word >>> 18);
}
