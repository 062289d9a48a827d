// A sentence with numbers to drag; the others follow.
import { format, mount, tag, write } from "../shared/kit.js";
import { scrub } from "../shared/scrub.js";
import { said, written } from "./words.js";

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
