// What a sentence says, as in bflo_viz.explorers.sentence: what follows from its numbers is computed here.
import { stretch, stretchKl } from "../engine/flows.js";
import { fill, format } from "../shared/kit.js";

/** What follows from the numbers of a sentence, each with how many digits it is written. */
const FOLLOWS = {
  width({ u, v }) {
    const a = stretch(u, v);
    return { wide: [100 * a, 0], shift: [v - a * u, 2], kl: [stretchKl(a, u, v), 2] };
  },
  dimensions: ({ u, v, dim }) => ({ printed: [100 * stretch(u, v), 0], exact: [100 * stretch(u, v, 1, dim), 0] }),
  point: ({ after }) => ({ precision: [after ** -2 - 1, 2] }),
  share: ({ u, pull }) => ({ narrows: [100 * (1 - stretch(u, (1 - pull / 100) * u)), 2] }),
  jitter({ eta }, { share }) {
    const tau = Math.sqrt(eta / 2);
    return { jitter: [tau, 3], settles: [share * tau, 3], quarter: [eta / 4, 4] };
  },
};

/** The numbers that follow, as they are written. */
export function written(sentence, state, facts) {
  return Object.fromEntries(Object.entries(FOLLOWS[sentence](state, facts)).map(([name, value]) => [name, format(...value)]));
}

/** The whole sentence. */
export function said({ controls, facts }, state) {
  const known = Object.entries(controls).filter(([, { digits }]) => digits !== undefined);
  const given = Object.fromEntries(known.map(([name, { digits }]) => [name, format(state[name], digits)]));
  const texts = Object.fromEntries(controls.sentence.options);
  return fill(texts[state.sentence], { ...given, ...written(state.sentence, state, facts) });
}
