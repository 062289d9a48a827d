// What a combination of options gives: its table, the one number, the order of mean ranks, and which switch helps.

/** Which of all combinations a state is: the last switch counts fastest, as in Python. */
export function indexOf(of, state) {
  return Object.entries(of.switches).reduce((index, [name, options]) => index * options.length + options.indexOf(state[name]), 0);
}

const hundredths = (x) => Math.round(100 * x) / 100;

/** The cells of one part of the table, a learner after the other: { ours, error, runs, paper, deviation }. */
export function cellsOf(of, index, { place: [measure, noise], paper }) {
  return of.combinations[index].map((setting, i) => {
    const { ours: all, error, runs } = of.settings[setting];
    const ours = all[measure][noise];
    const deviation = ours === null || paper[i] === null ? null : hundredths(ours - paper[i]);
    return { ours, error: error[measure][noise], runs, paper: paper[i], deviation };
  });
}

/** The mean absolute deviation of the numbers that have runs, how many these are, and how many are printed. */
export function score(of, index) {
  const cells = of.blocks.flatMap((block) => cellsOf(of, index, block));
  const sizes = cells.flatMap(({ deviation }) => (deviation === null ? [] : [Math.abs(deviation)]));
  const number = sizes.length ? sizes.reduce((sum, size) => sum + size, 0) / sizes.length : null;
  return { number, found: sizes.length, printed: cells.filter(({ paper }) => paper !== null).length };
}

/** The number of each combination that has runs for all printed numbers; null for the others. */
export function scores(of) {
  return of.combinations.map((_, index) => {
    const { number, found, printed } = score(of, index);
    return found === printed ? number : null;
  });
}

/** Mean ranks of learners over the streams that all have numbers for, equal numbers sharing their places; none where there are none. */
export function ranksOf(of, cells) {
  const rows = of.learners.map((_, i) => cells.slice(i * of.streams.length, (i + 1) * of.streams.length).map(({ ours }) => ours));
  const places = of.streams.map((_, j) => j).filter((j) => rows.every((row) => row[j] !== null));
  if (!places.length) return rows.map(() => null);
  const rank = (row, j) => {
    const [better, asGood] = [rows.filter((other) => other[j] < row[j]), rows.filter((other) => other[j] <= row[j])];
    return (better.length + asGood.length + 1) / 2;
  };
  return rows.map((row) => places.reduce((sum, j) => sum + rank(row, j), 0) / places.length);
}

/** Whose order mean ranks have: "printed", that of the printed "errors", or "neither". */
export function orderOf(ranks, { ranks: printed, byErrors }) {
  if (ranks.includes(null)) return null;
  const has = (other) => ranks.every((a, i) => ranks.every((b, j) => !(other[i] < other[j]) || a < b));
  return has(printed) ? "printed" : has(byErrors) ? "errors" : "neither";
}

/** The switch that helps most from here: { name, option, number }; { number } of the least of all where none does. */
export function hint(of, all, state) {
  const now = all[indexOf(of, state)];
  const near = Object.entries(of.switches).flatMap(([name, options]) =>
    options.map((option) => ({ name, option, number: all[indexOf(of, { ...state, [name]: option })] })),
  );
  const known = all.filter((number) => number !== null);
  if (now === null || !known.length) return null;
  const best = near.filter(({ number }) => number !== null && number < now).sort((a, b) => a.number - b.number)[0];
  return best ?? { number: Math.min(...known) };
}
