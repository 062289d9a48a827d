
// Search over the whole course: the sections are a script that is loaded when the box is used for the first time.
(() => {
  const MOST = 12; // that are shown
  const AROUND = 70; // letters before and after a word that was found
  const box = document.querySelector(".search");
  const [input, list] = [box.querySelector("input"), box.querySelector(".found")];
  const { root } = document.documentElement.dataset;
  const plain = (text) => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
  let folded = null; // the sections in letters that are compared

  /** How well a section fits: all words must be there; what stands in a heading counts more than what stands in its text. */
  function score({ heading, words, page }, wanted) {
    let sum = 0;
    for (const word of wanted) {
      const parts = [[heading, 30], [page, 8], [words, 1]].map(([text, worth]) => {
        const at = text.indexOf(word);
        if (at < 0) return 0;
        const isStart = at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]);
        return worth * (isStart ? 2 : 1) + (worth === 1 ? Math.min(4, text.split(word).length - 1) / 2 : 0);
      });
      const best = parts.reduce((a, b) => a + b);
      if (!best) return 0;
      sum += best;
    }
    const whole = wanted.join(" ");
    return sum + (heading.includes(whole) ? 20 + (40 * whole.length) / heading.length : 0) + (words.includes(whole) ? 2 : 0);
  }

  /** The part of a text around the first word that was found. */
  function excerpt(text, wanted) {
    const flat = plain(text);
    const places = wanted.map((word) => flat.indexOf(word)).filter((at) => at >= 0);
    const near = Math.max(0, (places.length ? Math.min(...places) : 0) - AROUND);
    const from = near && text.indexOf(" ", near) + 1; // no half words
    const end = from + 2.5 * AROUND;
    const to = end < text.length ? text.lastIndexOf(" ", end) : text.length;
    return (from ? "… " : "") + text.slice(from, to) + (to < text.length ? " …" : "");
  }

  function add(parent, name, text, attributes = {}) {
    const element = Object.assign(document.createElement(name), attributes);
    element.textContent = text;
    parent.append(element);
    return element;
  }

  function show() {
    const wanted = plain(input.value).split(/\s+/).filter(Boolean);
    list.hidden = !wanted.length || !folded;
    list.replaceChildren();
    if (list.hidden) return;
    const all = folded.map((one, i) => [score(one, wanted), i]).filter(([points]) => points > 0);
    all.sort(([a, i], [b, j]) => b - a || i - j);
    add(list, "p", all.length ? `${all.length} found${all.length > MOST ? `, the best ${MOST} of them` : ""}` : "Nothing found: try fewer words.");
    const items = add(list, "ul", "");
    for (const [, i] of all.slice(0, MOST)) {
      const [address, page, heading, words] = bflo.sections[i];
      const link = add(add(items, "li", ""), "a", "", { href: root + address });
      add(link, "strong", heading || page);
      if (heading) add(link, "small", page);
      add(link, "span", excerpt(words, wanted));
    }
  }

  async function prepare() {
    if (folded) return;
    await bflo.load("sections.js");
    folded = bflo.sections.map(([, page, heading, words]) => ({ page: plain(page), heading: plain(heading), words: plain(words) }));
    show();
  }

  const close = () => (list.hidden = true);
  input.addEventListener("focus", prepare);
  input.addEventListener("input", show);
  box.addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "Escape") {
      input.focus();
      input.value = "";
      close();
    } else if (event.key === "Enter" && at < 0) links[0]?.click();
    else if (event.key === "ArrowDown") (links[at + 1] ?? links[0])?.focus();
    else if (event.key === "ArrowUp") (links[at - 1] ?? input).focus();
    else return;
    event.preventDefault();
  });
  list.addEventListener("click", (event) => {
    if (event.target.closest("a")) setTimeout(close); // a section of this page
  });
  document.addEventListener("pointerdown", (event) => !box.contains(event.target) && close());
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, [contenteditable]")) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  box.hidden = false;
})();
