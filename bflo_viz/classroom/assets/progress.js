
// Which lessons were opened and read to their end, and which bets were answered: kept in this browser, and nowhere else.
(() => {
  const [LESSONS, BETS] = ["bflo-lessons", "bflo-bets"];
  const { lesson } = document.documentElement.dataset;
  const note = (what) => {
    const kept = bflo.kept(LESSONS);
    if (!kept[lesson]?.[what]) bflo.keep(LESSONS, { ...kept, [lesson]: { ...kept[lesson], [what]: true } });
  };

  if (lesson) {
    note("opened");
    const end = document.querySelector(".turn");
    const seen = new IntersectionObserver((changes) => changes.some(({ isIntersecting }) => isIntersecting) && note("finished"));
    seen.observe(end);
  }

  const cards = [...document.querySelectorAll(".card[data-lesson]")];
  if (!cards.length) return;
  const line = document.querySelector(".progress");
  const [learn, on] = [document.querySelector(".learn"), document.querySelector(".on")];

  function show() {
    const [lessons, bets] = [bflo.kept(LESSONS), bflo.kept(BETS)];
    let [finished, answered] = [0, 0];
    for (const card of cards) {
      const { opened, finished: isFinished } = lessons[card.dataset.lesson] ?? {};
      const own = card.dataset.bets.split(" ").filter(Boolean);
      const done = own.filter((number) => bets[number]).length;
      const words = [isFinished ? "read to the end" : opened ? "opened" : "", done ? `${done} of ${own.length} bets` : ""].filter(Boolean);
      card.querySelector(".done").textContent = words.map((part) => ` · ${part}`).join("");
      card.dataset.done = isFinished ? "finished" : opened ? "opened" : "";
      finished += isFinished ? 1 : 0;
      answered += done;
    }
    const isAny = answered || cards.some((card) => card.dataset.done);
    line.hidden = !isAny;
    line.querySelector("span").textContent = `This browser remembers: ${finished} of ${cards.length} lessons read to the end, ${answered} bets answered.`;
    const next = isAny && cards.find((card) => card.dataset.done !== "finished");
    on.hidden = !next;
    if (next) {
      const link = next.querySelector("a");
      learn.href = link.href;
      on.textContent = `Learn goes on with ${link.textContent.trim()}.`;
    }
  }
  line.querySelector("button").addEventListener("click", () => {
    bflo.keep(LESSONS);
    bflo.keep(BETS);
    learn.href = cards[0].querySelector("a").href;
    show();
  });
  document.addEventListener("bflo-bet", show);
  addEventListener("pageshow", show); // also when one comes back
})();
