// A bet: press an option, then read what is true. The first answer stays in this browser, for this notebook or page,
// until it is forgotten. An instructor counts hands instead: each press of an option is one of them.
import { explorer } from "../kit.js";
import { el, say } from "../marks.js";

export default explorer("bet", (ui) => {
  const { number, right, said, notebook } = ui.constants;
  const name = `bflo-bet ${notebook || location.pathname} ${number}`;
  const isSlide = Boolean(ui.root.closest(".slides")); // there a class bets, and nothing is kept
  const kept = (/** @type {(store: Storage) => any} */ use) => {
    try {
      return isSlide ? null : use(localStorage);
    } catch {
      return null; // a page from a disk may keep nothing
    }
  };
  ui.state.counting = false;
  ui.state.hands = Object.fromEntries(Object.keys(said).map((option) => [option, 0]));
  const choose = (option, by = 1) => {
    const { counting, hands, answer } = ui.state;
    if (counting) return ui.set({ hands: { ...hands, [option]: Math.max(0, hands[option] + by) } });
    if (answer) return;
    kept((store) => store.setItem(name, option));
    ui.set({ answer: option });
  };
  const list = el(ui.stage, "div", { class: "bflo-bets", role: "group", "aria-label": "Your answer" });
  const rows = Object.keys(said).map((option) => {
    const row = el(list, "div");
    const button = el(row, "button", { type: "button", "data-option": option }, option);
    ui.listen(button, "click", () => choose(option));
    const fewer = ui.button(row, "−", () => choose(option, -1), (s) => s.counting);
    fewer.setAttribute("aria-label", `One hand less for ${option}`);
    return { option, button, bar: el(row, "i"), count: el(row, "output") };
  });
  ui.button(ui.desk, "Forget my answer", () => (kept((store) => store.removeItem(name)), ui.set({ answer: "" })), (s) => s.answer && !isSlide);
  const count = ui.button(ui.desk, "Count hands", () => ui.set({ counting: !ui.state.counting }));
  const before = kept((store) => store.getItem(name));
  if (!ui.state.answer && before in said) ui.set({ answer: before });

  return (s) => {
    const most = Math.max(8, ...Object.values(s.hands).map(Number));
    const isCounted = Object.values(s.hands).some(Boolean);
    for (const { option, button, bar, count } of rows) {
      button.setAttribute("aria-pressed", String(option === s.answer));
      button.setAttribute("aria-disabled", String(Boolean(s.answer) && !s.counting));
      button.classList.toggle("is-right", Boolean(s.answer) && option === right);
      bar.style.width = `${(100 * s.hands[option]) / most}%`;
      count.textContent = isCounted || s.counting ? String(s.hands[option]) : "";
    }
    count.textContent = s.counting ? "Done counting" : "Count hands";
    ui.root.dataset.answer = s.answer;
    if (s.answer && !isSlide) unfold(number);
    if (s.counting) return "Each press of an answer is one more hand.";
    return s.answer ? say`${said[s.answer]}` : "Your first answer counts.";
  };
});

/** On a page, open what waits for this bet and for no other. */
function unfold(number) {
  for (const fold of /** @type {any} */ (document.querySelectorAll("details[data-bets]"))) {
    const waits = fold.dataset.bets.split(" ");
    const others = waits.filter((one) => one && one !== number);
    fold.dataset.bets = others.join(" ");
    if (waits.includes(number) && !others.length) fold.open = true;
  }
}
