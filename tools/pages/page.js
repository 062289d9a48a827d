// Contents that are open where there is room, boxes that scroll by keys, and a first picture that moves.
const contents = document.querySelector(".contents details");
const roomy = matchMedia("(min-width: 1080px)");
function fit() {
  if (contents) contents.open = roomy.matches;
  for (const box of document.querySelectorAll("pre, .table, .formula, .long, .bflo-results")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
}
roomy.addEventListener("change", fit);
document.addEventListener("toggle", fit, { capture: true });
fit();

const hero = document.querySelector("[data-moves]");
if (hero?.model && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
  const [[trait, places]] = Object.entries(JSON.parse(hero.dataset.moves));
  let [next, from, start, frame] = [0, hero.model.get(trait), 0, 0];
  const tick = (now) => {
    const part = Math.min(1, (now - (start ||= now)) / 2400);
    const to = places[next % places.length];
    hero.model.set(trait, from.map((x, i) => x + part * part * (3 - 2 * part) * (to[i] - x)));
    if (part === 1) [next, from, start] = [next + 1, to, now];
    frame = requestAnimationFrame(tick);
  };
  const stop = () => cancelAnimationFrame(frame);
  for (const touch of ["pointerdown", "keydown", "focusin"]) hero.addEventListener(touch, stop, { capture: true });
  frame = requestAnimationFrame(tick);
}
