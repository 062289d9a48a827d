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
  Object.assign(ui.state, { counting: false, hands: new Map() });
  const hands = (option) => ui.state.hands.get(option) ?? 0;
  const choose = (option, by = 1) => {
    if (ui.state.counting) return ui.set({ hands: new Map(ui.state.hands).set(option, Math.max(0, hands(option) + by)) });
    if (ui.state.answer) return;
    store((kept) => kept.setItem(name, option));
    ui.set({ answer: option });
  };
  const list = el(ui.stage, "div", { class: "bflo-bets", role: "group", "aria-label": "Your answer" });
  const rows = [...replies.keys()].map((option) => {
    const row = el(list, "div");
    const button = el(row, "button", { type: "button", "data-option": option }, option);
    ui.listen(button, "click", () => choose(option));
    const fewer = ui.button(row, "−", () => choose(option, -1), (s) => s.counting);
    fewer.setAttribute("aria-label", `One hand less for ${option}`);
    return { option, button, bar: el(row, "i"), count: el(row, "output") };
  });
  ui.button(ui.desk, "Forget my answer", () => (store((kept) => kept.removeItem(name)), ui.set({ answer: "" })), (s) => s.answer && !isSlide);
  const tally = ui.button(ui.desk, "Count hands", () => ui.set({ counting: !ui.state.counting }));
  const before = store((kept) => kept.getItem(name));
  if (!ui.state.answer && replies.has(before)) ui.set({ answer: before });

  return ({ answer: given, counting }) => {
    const answer = replies.has(given) ? given : "";
    const all = rows.map(({ option }) => hands(option));
    for (const { option, button, bar, count } of rows) {
      button.setAttribute("aria-pressed", String(option === answer));
      button.setAttribute("aria-disabled", String(Boolean(answer) && !counting));
      button.classList.toggle("is-right", Boolean(answer) && option === right);
      bar.style.width = `${(100 * hands(option)) / Math.max(8, ...all)}%`;
      count.textContent = counting || all.some(Boolean) ? String(hands(option)) : "";
    }
    tally.textContent = counting ? "Done counting" : "Count hands";
    ui.root.dataset.answer = answer;
    if (counting) return "Each press of an answer is one more hand.";
    return answer ? `${answer === right ? "✓" : "✗"} ${replies.get(answer)}` : "Your first answer counts.";
  };
});
