// The deck: one slide at a time, as large as the window. Without this script, all slides follow each other.
(() => {
  const root = document.documentElement;
  const slides = [...document.querySelectorAll(".slide")];
  const turner = document.querySelector(".turn");
  const count = document.querySelector(".count");
  const fragments = () => [...slides[at].querySelectorAll(".fragment")];
  const heading = (slide) => slide?.querySelector("h1, h2")?.innerHTML ?? "the end";
  let at = 0;
  let speaker = null;

  /** Show a slide: at first without its fragments, but with them for those who come back. */
  function show(index, { back = false } = {}) {
    at = Math.min(Math.max(index, 0), slides.length - 1);
    slides.forEach((slide, i) => slide.classList.toggle("present", i === at));
    for (const fragment of fragments()) fragment.classList.toggle("later", !back);
    count.textContent = `${at + 1} / ${slides.length}`;
    history.replaceState(null, "", `#${[slides[at].id, root.dataset.states].filter(Boolean).join(";")}`); // and what explorers show
    slides[at].scrollTop = 0;
    slides[at].focus({ preventScroll: true }); // a screen reader begins to read, and no control has the keys
    fit(slides[at]);
    tellSpeaker();
  }

  /** The slide that the address names, or the one with the explorer that it names first. */
  function addressed() {
    const [name] = location.hash.slice(1).split(/[:;%]/);
    const place = document.getElementById(name) ?? document.querySelector(`[data-address="${CSS.escape(name)}"]`);
    return slides.indexOf(place?.closest(".slide"));
  }

  /** Go on, first to what is still to come on the slide, or back. */
  function turn(by) {
    const later = by > 0 && fragments().find((fragment) => fragment.classList.contains("later"));
    if (later) later.classList.remove("later");
    else show(at + by, { back: by < 0 });
  }

  /** Scroll the slide, or turn it where there is no more to see. */
  function scrollOrTurn(by) {
    const { scrollHeight, clientHeight, scrollTop } = slides[at];
    const rest = by > 0 ? scrollHeight - clientHeight - scrollTop : scrollTop;
    if (rest > 2) slides[at].scrollBy({ top: by * 0.6 * clientHeight });
    else turn(by);
  }

  /** Words as large as there is room for, beside a picture no larger than usual; long lines wrap before all is small. */
  function fit(slide) {
    const largest = slide.querySelector("figure.output, .bflo-alive") ? 1 : 1.5;
    const sizes = [1.5, 1.35, 1.2, 1.1, 1, 0.92, 0.85, 0.78, 0.7].filter((size) => size <= largest);
    const fits = (size) => {
      slide.style.fontSize = `calc(${size} * var(--size))`;
      const wide = [...slide.querySelectorAll(".scroll")].some((box) => box.scrollWidth > box.clientWidth + 1);
      return !wide && slide.scrollHeight <= slide.clientHeight + 1;
    };
    slide.classList.remove("wrapped");
    if (sizes.some((size) => size >= 0.85 && fits(size))) return;
    slide.classList.add("wrapped");
    sizes.some(fits);
  }

  /** A window for the speaker. The policy of this page lets no script into it, so it is written from here. */
  function openSpeaker() {
    speaker = open("", "bflo-speaker", "popup,width=900,height=700");
    if (!speaker) return;
    const { document: page } = speaker;
    page.title = `Notes · ${document.title}`;
    page.documentElement.className = "bflo-themed";
    page.head.innerHTML = `<link rel="stylesheet" href="${new URL("slides.css", location)}">`;
    page.body.className = "speaker";
    page.body.innerHTML = '<p class="clock"></p><h1></h1><div class="notes"></div><p class="coming"></p>';
    speaker.addEventListener("keydown", press);
    const start = Date.now();
    const clock = setInterval(() => {
      if (speaker.closed) clearInterval(clock);
      const minutes = Math.floor((Date.now() - start) / 60000);
      page.querySelector(".clock").textContent = `${new Date().toLocaleTimeString()}, after ${minutes} min`;
    }, 1000);
    tellSpeaker();
  }

  function tellSpeaker() {
    if (!speaker || speaker.closed) return;
    const write = (part, text) => (speaker.document.querySelector(part).innerHTML = text);
    write("h1", `${count.textContent} · ${heading(slides[at])}`);
    write(".notes", slides[at].querySelector(".notes").innerHTML);
    write(".coming", `Next: ${heading(slides[at + 1])}`);
  }

  function swapTheme() {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  }

  const keys = {
    ArrowRight: () => turn(1),
    ArrowLeft: () => turn(-1),
    ArrowDown: () => scrollOrTurn(1),
    ArrowUp: () => scrollOrTurn(-1),
    PageDown: () => turn(1),
    PageUp: () => turn(-1),
    Home: () => show(0),
    End: () => show(slides.length - 1),
    " ": () => turn(1),
    d: swapTheme,
    f: () => (document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen()),
    s: openSpeaker,
    Escape: () => slides[at].focus({ preventScroll: true }),
  };

  function press(event) {
    const { view, target } = event;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!keys[key] || event.ctrlKey || event.altKey || event.metaKey) return;
    // What has the focus has its keys to itself, but for those of a remote control, and Escape, which gives them back.
    const used = view === window && target.closest?.(".bflo, a, button, .scroll");
    if (used && !["Escape", "PageDown", "PageUp"].includes(key)) return;
    event.preventDefault();
    event.stopPropagation();
    keys[key]();
  }

  addEventListener("keydown", press, { capture: true }); // before explorers, which let no key out
  addEventListener("hashchange", () => show(addressed()));
  addEventListener("resize", () => fit(slides[at]));
  addEventListener("beforeprint", () => {
    const here = at;
    for (const i of [...slides.keys(), here]) show(i, { back: true }); // each of them is fitted
  });
  turner.addEventListener("click", ({ target }) => target.dataset.turn && turn(Number(target.dataset.turn)));
  let start = null;
  addEventListener("touchstart", ({ touches, target }) => {
    start = touches.length === 1 && !target.closest(".bflo, .scroll[tabindex]") ? touches[0].clientX : null;
  });
  addEventListener("touchend", ({ changedTouches }) => {
    const far = start === null ? 0 : changedTouches[0].clientX - start;
    if (Math.abs(far) > 60) turn(far < 0 ? 1 : -1);
  });

  root.classList.add("turning");
  turner.hidden = false;
  show(addressed());
})();
