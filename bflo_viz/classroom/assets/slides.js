// The deck: reveal.js without its scaling, so that what is dragged stays under the hand, and keys that are shared.
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const swapTheme = () => {
    const now = root.dataset.theme ?? (dark.matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
  };

  /** Scroll what is on the slide, or turn it where there is no more to see. */
  const scrollOr = (turn, sign) => () => {
    const slide = Reveal.getCurrentSlide();
    const rest = sign > 0 ? slide.scrollHeight - slide.clientHeight - slide.scrollTop : slide.scrollTop;
    if (rest > 2 && !Reveal.isOverview()) slide.scrollBy({ top: sign * 0.6 * slide.clientHeight });
    else turn();
  };

  /** Words as large as there is room for, beside a picture no larger than usual; long lines wrap before all is small. */
  const fit = (slide) => {
    const most = slide.querySelector("figure.output, .bflo-alive") ? 1 : 1.5;
    const sizes = [1.5, 1.35, 1.2, 1.1, 1, 0.92, 0.85, 0.78, 0.7].filter((size) => size <= most);
    const fits = (size) => {
      slide.style.fontSize = `calc(${size} * var(--size))`;
      const wide = [...slide.querySelectorAll(".scroll")].some((one) => one.scrollWidth > one.clientWidth + 1);
      return !wide && slide.scrollHeight <= slide.clientHeight + 1;
    };
    slide.classList.remove("wrapped");
    if (sizes.some((size) => size >= 0.85 && fits(size))) return;
    slide.classList.add("wrapped");
    sizes.some(fits);
  };

  const explorer = () => document.activeElement?.closest(".bflo");
  // Explorers keep their keys to themselves: what is for the slides must be heard before it gets to them.
  addEventListener(
    "keydown",
    (event) => {
      if (!explorer()) return;
      const remote = { PageDown: () => Reveal.next(), PageUp: () => Reveal.prev() }[event.key];
      if (event.key !== "Escape" && !remote) return;
      event.preventDefault();
      event.stopPropagation();
      document.activeElement.blur();
      remote?.();
    },
    { capture: true },
  );

  Reveal.initialize({
    width: "100%",
    height: "100%",
    margin: 0,
    minScale: 1,
    maxScale: 1,
    center: false,
    display: "flex",
    transition: "none",
    backgroundTransition: "none",
    navigationMode: "linear",
    hash: true,
    slideNumber: "c/t",
    scrollActivationWidth: null,
    pdfSeparateFragments: false,
    pdfMaxPagesPerSlide: 1,
    keyboard: {
      38: scrollOr(() => Reveal.prev(), -1),
      40: scrollOr(() => Reveal.next(), 1),
      68: swapTheme,
    },
    plugins: [RevealNotes],
  });
  Reveal.addKeyBinding({ keyCode: 68, key: "D", description: "Dark or light" }, swapTheme);
  for (const one of document.querySelectorAll(".bflo-alive")) one.dataset.preventSwipe = "";
  Reveal.on("slidechanged", ({ currentSlide, previousSlide }) => {
    if (previousSlide?.contains(document.activeElement)) document.activeElement.blur();
    fit(currentSlide);
  });
  for (const change of ["ready", "resize"]) Reveal.on(change, () => fit(Reveal.getCurrentSlide()));
  Reveal.on("pdf-ready", () => Reveal.getSlides().forEach(fit));
})();
