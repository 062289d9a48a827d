// A bet: press an option, then read the reply to it. The first answer stays in this browser, for this notebook or page,
// until it is forgotten. An instructor counts hands instead: each press of an option is one of them.
import { explorer } from "../kit.js";
import { el } from "../marks.js";

export default explorer("bet", (ui) => {
  const { number, right, notebook } = ui.constants;
  const replies = new Map(ui.constants.replies);
  const name = `bflo-bet ${notebook || location.pathname} ${number}`;
  const isSlide = Boolean(ui.root.closest(".slides")); // there a class bets, and nothing is kept
  const store = (/** @type {(store: Storage) => any} */ use) => {
    try {
      return isSlide ? null : use(localStorage);
    } catch {
      return null; // a page from a disk may keep nothing
    }
  };
  ui.state.counting = false;
  const hands = new Map(); // that were counted, by option
  const choose = (option, by = 1) => {
    const { counting, answer } = ui.state;
    if (counting) hands.set(option, Math.max(0, (hands.get(option) ?? 0) + by));
    else if (!answer) store((kept) => kept.setItem(name, option));
    ui.set({ answer: answer || (counting ? "" : option) });
  };
  const forget = () => (store((kept) => kept.removeItem(name)), ui.set({ answer: "" }));
  const list = el(ui.stage, "div", { class: "bflo-bets", role: "group", "aria-label": "Your answer" });
  const rows = [...replies.keys()].map((option) => {
    const row = el(list, "div");
    const button = ui.button(row, option, () => choose(option));
    button.dataset.option = option;
    const fewer = ui.button(row, "−", () => choose(option, -1), (s) => s.counting);
    fewer.setAttribute("aria-label", `One hand less for ${option}`);
    return { option, button, bar: el(row, "i"), output: el(row, "output") };
  });
  ui.button(ui.desk, "Forget my answer", forget, (s) => s.answer && !isSlide);
  const tally = ui.button(ui.desk, "Count hands", () => ui.set({ counting: !ui.state.counting }));
  const before = store((kept) => kept.getItem(name));
  if (!ui.state.answer && replies.has(before)) ui.set({ answer: before });

  return ({ answer: given, counting }) => {
    const answer = replies.has(given) ? given : "";
    const most = Math.max(0, ...hands.values());
    for (const { option, button, bar, output } of rows) {
      button.setAttribute("aria-pressed", String(option === answer));
      button.setAttribute("aria-disabled", String(Boolean(answer) && !counting));
      button.classList.toggle("is-right", Boolean(answer) && option === right);
      const count = hands.get(option) ?? 0;
      bar.style.width = `${(100 * count) / Math.max(8, most)}%`;
      output.textContent = counting || most ? String(count) : "";
    }
    tally.textContent = counting ? "Done counting" : "Count hands";
    ui.root.dataset.answer = answer;
    if (counting) return "Each press of an answer is one more hand.";
    return answer ? `${answer === right ? "✓" : "✗"} ${replies.get(answer)}` : "Your first answer counts.";
  };
});
