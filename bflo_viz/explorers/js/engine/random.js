// The random numbers of NumPy's RandomState, which NumPy has frozen: with the same seed a page draws the numbers that
// Python draws. Whole and uniform numbers are equal to the bit, normal ones up to the last digit of Math.log.

const [SIZE, AHEAD] = [624, 397]; // words of the state of the Mersenne Twister, MT19937

/** np.random.RandomState(seed) of NumPy; the seed is a whole number from 0 to 2³² − 1. */
export class RandomState {
  constructor(seed) {
    this.key = new Int32Array(SIZE);
    this.position = SIZE; // of the next word
    this.normal = NaN; // normal numbers come in pairs: the second one waits here
    this.key[0] = seed;
    for (let i = 1; i < SIZE; i++) {
      const last = this.key[i - 1];
      this.key[i] = Math.imul(1812433253, last ^ (last >>> 30)) + i;
    }
  }

  /** Uniform from 0 to below 1, with the 53 bits of two words. */
  random() {
    const high = this._word() >>> 5;
    return high * 2 ** -27 + (this._word() >>> 6) * 2 ** -53;
  }

  /** Standard normal, by Marsaglia's polar method. */
  standardNormal() {
    const { normal } = this;
    this.normal = NaN;
    if (!Number.isNaN(normal)) return normal;
    let x, y, square;
    do {
      x = 2 * this.random() - 1;
      y = 2 * this.random() - 1;
      square = x * x + y * y;
    } while (square >= 1 || square === 0);
    const factor = Math.sqrt((-2 * Math.log(square)) / square);
    this.normal = factor * x;
    return factor * y;
  }

  fillNormals(out) {
    for (let i = 0; i < out.length; i++) out[i] = this.standardNormal();
  }

  /** The next 32 random bits. */
  _word() {
    if (this.position === SIZE) this._twist();
    let word = this.key[this.position++];
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return word ^ (word >>> 18);
  }

  /** The next state: the highest bit of a word and the others of the next one, times the matrix of the twist. */
  _twist() {
    const { key } = this;
    for (let i = 0; i < SIZE; i++) {
      const word = (key[i] & 0x80000000) | (key[(i + 1) % SIZE] & 0x7fffffff);
      key[i] = key[(i + AHEAD) % SIZE] ^ (word >>> 1) ^ (-(word & 1) & 0x9908b0df);
    }
    this.position = 0;
  }
}

/** Seeds of some generators, drawn from one. */
export function seedsOf(seed, count) {
  const random = new RandomState(seed);
  return Array.from({ length: count }, () => Math.floor(2 ** 32 * random.random()));
}
