// What a combination of options gives: its table, its one number, and the switch that helps most from there.

const hundredths = (x) => Math.round(100 * x) / 100;
const known = (values) => values.filter((x) => x !== null);
const mean = (values) => (values.length ? values.reduce((sum, x) => sum + x, 0) / values.length : null);

/** A table of the paper by all combinations of the options of its switches. Places are counted learner by learner. */
export class Bench {
  of; options; scores;

  constructor(of) {
    this.of = of;
    this.options = /** @type {[string, string[]][]} */ (Object.entries(of.switches).map(([name, options]) => [name, Object.keys(options)]));
    this.scores = of.combinations.map((_, index) => {
      const { number, found, printed } = this.score(index);
      return found === printed ? number : null;
    });
  }
  /** Which of all combinations a state is: the last switch counts fastest, as in Python. */
  index(state) {
    return this.options.reduce((index, [name, options]) => index * options.length + options.indexOf(state[name]), 0);
  }
  /** The options of a combination, by switch. */
  state(index) {
    const state = /** @type {Record<string, string>} */ ({});
    for (const [name, options] of [...this.options].reverse()) {
      state[name] = options[index % options.length];
      index = Math.floor(index / options.length);
    }
    return state;
  }
  /** How many switches are not at their first option, which is that of the printed text. */
  turned(index) {
    const state = this.state(index);
    return this.options.filter(([name, [first]]) => state[name] !== first).length;
  }
  /** One number of a table: { ours, error, paper, deviation }; null for what is not there. */
  cell(index, measure, noise, place) {
    const setting = this.of.combinations[index][place];
    const [ours, error, paper] = [this.of.ours[setting][measure][noise], this.of.error[setting][measure][noise], this.of.paper[measure][noise][place]];
    return { ours, error, paper, deviation: ours === null || paper === null ? null : hundredths(ours - paper) };
  }
  /** All numbers of a table, by measure, share of flipped labels and place. */
  cells(index) {
    return this.of.paper.map((row, m) => row.map((places, n) => places.map((_, place) => this.cell(index, m, n, place))));
  }
  /** The mean absolute deviation of the numbers that have runs, how many these are, and how many are printed. */
  score(index) {
    const cells = this.cells(index).flat(2);
    const sizes = known(cells.map(({ deviation }) => deviation)).map(Math.abs);
    return { number: mean(sizes), found: sizes.length, printed: known(cells.map(({ paper }) => paper)).length };
  }
  /** The least number of all combinations that have all runs. */
  get least() {
    const all = known(this.scores);
    return all.length ? Math.min(...all) : null;
  }
  /** The switch that helps most from here, { name, option, number }; null where none does. */
  hint(state) {
    const now = this.scores[this.index(state)];
    const near = this.options.flatMap(([name, options]) => options.map((option) => ({ name, option, number: this.scores[this.index({ ...state, [name]: option })] })));
    const better = near.filter(({ number }) => number !== null && (now === null || number < now));
    return better.sort((a, b) => a.number - b.number)[0] ?? null;
  }
}
