// The page that looks back on bets: it fills in what this browser has kept.
(() => {
  const table = document.querySelector("table.bets");
  if (!table) return;
  const forget = document.querySelector(".forget");
  const show = () => {
    let kept = {};
    try {
      kept = JSON.parse(localStorage.getItem("bflo-bets") ?? "{}") ?? {};
    } catch {
      // some browsers keep nothing for pages from a disk
    }
    let [made, held] = [0, 0];
    for (const row of table.querySelectorAll("[data-bet]")) {
      const { answer, reason } = kept[row.dataset.bet] ?? {};
      const isRight = answer === row.dataset.right;
      row.hidden = typeof answer !== "string";
      made += !row.hidden;
      held += isRight;
      if (!row.hidden) [row.cells[1].textContent, row.cells[2].textContent] = [`${isRight ? "✓" : "✗"} ${answer}`, reason ?? ""];
    }
    [table.hidden, forget.hidden] = [!made, !made];
    document.querySelector(".no-bets").hidden = made > 0;
    document.querySelector(".score").textContent = made ? `${held} of ${made} held.` : "";
  };
  forget.addEventListener("click", () => {
    if (!confirm("Forget all your bets, on this device?")) return;
    localStorage.removeItem("bflo-bets");
    show();
  });
  show();
})();
