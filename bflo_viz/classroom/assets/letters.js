
// What the letters of a formula mean: a press on it tells, and of one that stands alone a button beside it, too.
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
    box.setAttribute("aria-label", "Symbols in this formula");
    const list = make("dl", box);
    const foot = make("p", box);
    make("a", foot, { href: `${root}symbols.html`, textContent: "All symbols" });
    const button = make("button", foot, { type: "button", className: "go", textContent: "Close", autofocus: true });
    button.addEventListener("click", () => box.close());
    box.addEventListener("click", (event) => event.target === box && box.close()); // beside it
    return { box, list };
  }

  async function open(math) {
    await bflo.load("symbols.js");
    dialog ??= build();
    const isMeant = ({ only }) => !only.length || !number || only.includes(number);
    const found = math.dataset.symbols.split(" ").map((key) => bflo.symbols[key]).filter((one) => one && isMeant(one));
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
    if (math && !event.target.closest("a, summary, dialog")) open(math);
  });
  for (const box of document.querySelectorAll(".formula")) {
    const math = box.querySelector("math[data-symbols]");
    if (!math) continue;
    const button = make("button", box, { type: "button", className: "ask", textContent: "?" });
    button.setAttribute("aria-label", "Symbols in this formula");
    button.addEventListener("click", () => open(math));
  }
})();
