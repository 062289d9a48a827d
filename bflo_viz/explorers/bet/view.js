// A bet: choose, say why, commit. The first answer is kept; then the words for it are shown, and what was folded opens.
import { button, mount, tag, uniqueId, write } from "../shared/kit.js";
import { unfold } from "./folds.js";
import { keep, kept } from "./store.js";

const RECENT = 3000; // ms: JupyterLab draws the view anew when the answer is stored, and the focus goes along
const committed = new Map(); // by number, when

export default {
  render(view) {
    const ui = mount(view, "bet");
    const { facts } = ui;
    const withPython = !view.model.isSaved;
    const isSlide = Boolean(view.el.closest(".reveal"));
    let chosen = "";

    const options = tag(ui.controls, "div", { class: "bflo-options", role: "group", "aria-label": facts.options });
    const buttons = Object.keys(facts.said).map((option) => {
      const choose = () => {
        chosen = option;
        ui.redraw();
      };
      return [option, button(ui, { name: option, label: option, action: choose, parent: options })];
    });
    const form = tag(ui.controls, "div", { class: "bflo-why" });
    const reason = tag(null, "input", { type: "text", name: "reason", id: uniqueId(), maxlength: facts.longest, autocomplete: "off" });
    tag(form, "label", { for: reason.id }, facts.reason);
    form.append(reason);
    const commit = button(ui, { name: "commit", label: facts.commit, action: answer, parent: form });
    const said = tag(ui.readout, "p", { class: "bflo-said", tabindex: "-1" });
    const [why, folded] = [1, 2].map(() => tag(ui.readout, "p", { class: "bflo-note" }));
    ui.listen(reason, "keydown", ({ key, isComposing }) => key === "Enter" && !isComposing && answer());

    function answer() {
      if (ui.model.get("answer")) return;
      if (!chosen) {
        write(said, facts.first);
        buttons[0][1].focus();
        return;
      }
      committed.set(facts.number, performance.now());
      ui.set({ reason: reason.value.trim(), answer: chosen });
      if (!withPython) keep(facts.number, chosen, reason.value.trim());
    }

    function show() {
      const given = ui.model.get("answer");
      const isJustNow = performance.now() - (committed.get(facts.number) ?? -Infinity) < RECENT;
      for (const [option, element] of buttons) {
        element.disabled = Boolean(given);
        element.setAttribute("aria-pressed", option === (given || chosen));
        element.classList.toggle("bflo-right", Boolean(given) && option === facts.right);
      }
      form.hidden = Boolean(given);
      commit.classList.toggle("bflo-ready", Boolean(chosen));
      if (!given) return;
      ui.root.dataset.answer = given;
      write(said, facts.said[given] ?? "");
      const because = ui.model.get("reason");
      write(why, because ? `${facts.because} ${because}` : "");
      write(folded, withPython ? facts.folded : "");
      if (isJustNow) said.focus({ preventScroll: true }); // where a screen reader goes on; the button is gone
      if (!isSlide) unfold(ui.root, facts.number); // on a slide, the next step does
    }

    if (!withPython && !isSlide) {
      const before = kept()[facts.number];
      if (before && facts.said[before.answer]) ui.set({ reason: String(before.reason ?? ""), answer: before.answer });
    }
    ui.onDraw(show);
    ui.watch(["answer", "reason"]);
    return ui.dispose;
  },
};
