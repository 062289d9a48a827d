// A sentence with numbers to drag, as in bflo_viz.explorers.sentence: what follows from them is computed here.
import { stretch, stretchKl } from "../engine/flows.js";
import { fill, format, mount, tag, write } from "../shared/kit.js";
import { scrub } from "../shared/scrub.js";

/** What follows from the numbers of a sentence, each with how many digits it is written. */
export const FOLLOWS = {
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

export default {
  render(view) {
    const ui = mount(view, "sentence");
    const about = view.model.get("_about");
    const texts = Object.fromEntries(ui.about("sentence").options);
    const line = tag(ui.readout, "p");
    let [shown, following] = ["", new Map()];

    /** Put the words and numbers of a sentence into the line; a number that comes twice can be dragged once. */
    function build(sentence) {
      [shown, following] = [sentence, new Map()];
      line.replaceChildren();
      const seen = new Set();
      for (const part of texts[sentence].split(/(\{\w+\})/)) {
        const name = part.match(/^\{(\w+)\}$/)?.[1];
        if (name && ui.about(name) && !seen.has(name)) scrub(ui, name, line);
        else if (name) following.set(tag(line, "b", { class: "bflo-follows" }), name);
        else line.append(part);
        seen.add(name);
      }
    }

    build(ui.model.get("sentence"));
    ui.watch(["sentence"], () => build(ui.model.get("sentence")));
    ui.onDraw(() => {
      const state = ui.state();
      if (shown !== state.sentence) build(state.sentence);
      const values = written(state.sentence, state, ui.facts);
      for (const [element, name] of following) write(element, values[name] ?? format(state[name], ui.about(name).digits));
      ui.tell(said(about, state));
    });
    return ui.dispose;
  },
};
