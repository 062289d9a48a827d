
// What the letters of a formula mean: a press on it tells. For keys there is a button beside each formula that stands alone,
// and one at the heading of each section for all that stand in its sentences.
(() => {
  const { root, lesson = "" } = document.documentElement.dataset;
  const number = lesson.slice(0, 2);
  let dialog = null;

  function make(name, parent, attributes = {}) {
    const element = Object.assign(document.createElement(name), attributes);
    parent.append(element);
    return element;
  }

  function build() {
    const box = make("dialog", document.body, { className: "letters" });
    const list = make("dl", box);
    const foot = make("p", box);
    make("a", foot, { href: `${root}symbols.html`, textContent: "All symbols" });
    const button = make("button", foot, { type: "button", className: "go", textContent: "Close", autofocus: true });
    button.addEventListener("click", () => box.close());
    box.addEventListener("click", (event) => event.target === box && box.close()); // beside it
    return { box, list };
  }

  async function open(formulas, label) {
    await bflo.load("symbols.js");
    dialog ??= build();
    const isMeant = ({ only }) => !only.length || !number || only.includes(number);
    const keys = new Set(formulas.flatMap((math) => math.dataset.symbols.split(" ")));
    const found = Object.entries(bflo.symbols).flatMap(([key, one]) => (keys.has(key) && isMeant(one) ? [one] : []));
    dialog.box.setAttribute("aria-label", label);
    dialog.list.replaceChildren();
    for (const { letter, name, means, address, where } of found) {
      make("dt", dialog.list, { innerHTML: letter }).append(` ${name}`);
      const told = make("dd", dialog.list, { textContent: `${means} ` });
      make("a", told, { href: root + address, textContent: where });
    }
    if (found.length) dialog.box.showModal();
  }

  document.addEventListener("click", (event) => {
    const math = event.target.closest("math[data-symbols]");
    if (math && !event.target.closest("a, summary, dialog")) open([math], "Symbols in this formula");
  });

  function addButton(parent, formulas, label) {
    if (!formulas.length) return;
    const button = make("button", parent, { type: "button", className: "ask", textContent: "?" });
    button.setAttribute("aria-label", label);
    button.addEventListener("click", () => open(formulas, label));
  }
  const inside = (box) => [...box.querySelectorAll("math[data-symbols]")];
  for (const box of document.querySelectorAll(".formula")) addButton(box, inside(box), "Symbols in this formula");
  if (!lesson) return;
  for (const heading of document.querySelectorAll("main > :is(h1, h2)")) {
    const formulas = [];
    for (let part = heading.nextElementSibling; part && !part.matches("h2"); part = part.nextElementSibling) formulas.push(...inside(part));
    addButton(heading, formulas, "Symbols in this section");
  }
})();
