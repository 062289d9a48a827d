// Contents that are open where there is room, boxes that scroll by keys, and a first picture that moves.
function fit() {
  for (const contents of document.querySelectorAll(".contents details")) contents.open = innerWidth >= 1080;
  for (const box of document.querySelectorAll("pre, .table, .formula, .long")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
}
addEventListener("resize", fit);
document.addEventListener("toggle", ({ target }) => target.closest("nav") || fit(), { capture: true });
fit();

const hero = document.querySelector("[data-steps]");
const { bflo } = hero?.querySelector(".bflo") ?? {};
if (bflo && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
  // A weight takes its place, then it steps and the belief flows after it. Whoever touches it stops the way for good.
  const play = async ([[delta, deltaNew], ...others]) => {
    await bflo.glide({ delta, delta_new: deltaNew, t: 0 }, 900);
    await bflo.glide({ t: 1 }, 1600);
    await bflo.glide({}, 700);
    play([...others, [delta, deltaNew]]);
  };
  for (const touch of ["pointerdown", "keydown", "focusin"]) hero.addEventListener(touch, bflo.hold, { capture: true });
  play(JSON.parse(hero.dataset.steps));
}
