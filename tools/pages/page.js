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
const { bflo } = hero?.querySelector(".bflo") ?? {};
if (bflo && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
  const move = async ([first, ...others]) => (await bflo.glide({ w_new: first }, 2400), move([...others, first]));
  for (const touch of ["pointerdown", "keydown", "focusin"]) hero.addEventListener(touch, bflo.hold, { capture: true });
  move(JSON.parse(hero.dataset.moves));
}
