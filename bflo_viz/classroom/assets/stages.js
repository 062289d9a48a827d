
// Small pictures of explorers: each is loaded when it comes into view, moves for a while, and again when one points at it.
(() => {
  const AWHILE = 6000; // milliseconds
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  /** Bring an explorer onto its stage; returns what moves it. */
  async function bring(place) {
    const [name] = place.dataset.stage.split(":");
    const files = [!bflo.views[name] && `explorers/${name}.js`, !bflo.first[name] && `explorers/${name}-first.js`];
    await Promise.all(files.filter(Boolean).map(bflo.load));
    const { stage, stateOf } = bflo.modules["shared/stage.js"];
    const [panels, legs] = [place.dataset.panels, place.dataset.legs].map(JSON.parse);
    return stage(place, bflo.views[name], stateOf(bflo.first[name], place.dataset.stage), { panels, legs }).tour;
  }

  const mark = (place, tour) => (place.dataset.moving = tour.isOn() ? "yes" : "no");

  /** A picture that only moves for a while: what moves and cannot be stopped keeps some from reading. */
  function small(place) {
    const card = place.closest(".card");
    let [coming, timer] = [null, 0];
    const run = async (milliseconds) => {
      coming ??= bring(place);
      const tour = await coming;
      clearTimeout(timer);
      if (milliseconds && !still.matches) tour.start();
      else tour.stop();
      mark(place, tour);
      if (milliseconds && milliseconds < Infinity) timer = setTimeout(() => run(0), milliseconds);
    };
    card.addEventListener("pointerenter", () => run(Infinity));
    card.addEventListener("pointerleave", () => run(0));
    return (isSeen) => (isSeen ? run(AWHILE) : coming && run(0));
  }

  /** The one that moves until somebody takes hold of it. */
  function held(place) {
    const box = place.parentElement;
    const button = box.querySelector("button");
    let [tour, isSeen, isWanted] = [null, false, !still.matches];
    const settle = () => {
      if (!tour) return;
      if (isSeen && isWanted) tour.start();
      else tour.stop();
      button.textContent = isWanted ? "Pause" : "Play";
      button.hidden = false;
      mark(place, tour);
    };
    const want = (wanted) => {
      isWanted = wanted;
      settle();
    };
    button.addEventListener("click", () => want(!isWanted));
    place.addEventListener("pointerdown", () => want(false), { capture: true });
    place.addEventListener("keydown", (event) => event.key !== "Tab" && want(false), { capture: true });
    still.addEventListener("change", () => want(!still.matches));
    bring(place).then((ready) => {
      tour = ready;
      settle();
    });
    return (seen) => {
      isSeen = seen;
      settle();
    };
  }

  const seeing = new Map();
  const seen = new IntersectionObserver(
    (changes) => {
      for (const { target, isIntersecting } of changes) seeing.get(target)(isIntersecting);
    },
    { threshold: 0.25 },
  );
  for (const place of document.querySelectorAll(".stage")) {
    seeing.set(place, place.classList.contains("held") ? held(place) : small(place));
    seen.observe(place);
  }
})();
