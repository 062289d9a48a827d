// Contents that are open where there is room, boxes that scroll by keys, and a first picture that moves.
function fit() {
  for (const contents of document.querySelectorAll(".contents details")) contents.open = innerWidth >= 1080;
  for (const box of document.querySelectorAll("pre, .table, .formula, .long, .bflo-results")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
}
addEventListener("resize", fit);
document.addEventListener("toggle", ({ target }) => target.closest("nav") || fit(), { capture: true });
fit();

const hero = document.querySelector("[data-moves]");
if (hero?.model && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
  const places = JSON.parse(hero.dataset.moves);
  let [next, from, start, frame] = [0, places.at(-1), 0, 0];
  const tick = (now) => {
    const part = Math.min(1, (now - (start ||= now)) / 2400);
    hero.model.set("w_new", from.map((x, i) => x + part * part * (3 - 2 * part) * (places[next][i] - x)));
    if (part === 1) [next, from, start] = [(next + 1) % places.length, places[next], now];
    frame = requestAnimationFrame(tick);
  };
  for (const touch of ["pointerdown", "keydown", "focusin"]) hero.addEventListener(touch, () => cancelAnimationFrame(frame), { capture: true });
  frame = requestAnimationFrame(tick);
}
