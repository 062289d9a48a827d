// What gives an answer away is folded until the bet is answered: in a page within <details>, in JupyterLab as collapsed cells.
const COLLAPSED = ":is(.jp-OutputPlaceholder, .jp-MarkdownCell .jp-InputPlaceholder) .jp-Placeholder-content"; // not code, folded for being long

/** Open what was waiting for this bet: in a page what waits for no other, in JupyterLab the cells up to the next open bet. */
export function unfold(root, number) {
  for (const fold of document.querySelectorAll("details[data-bets]")) {
    const others = fold.dataset.bets.split(" ").filter((one) => one && one !== number);
    fold.dataset.bets = others.join(" ");
    fold.open ||= !others.length;
  }
  const cells = [...(root.closest(".jp-Notebook")?.querySelectorAll(".jp-Cell") ?? [])];
  for (const cell of cells.slice(cells.indexOf(root.closest(".jp-Cell")) + 1)) {
    if (isOpenBet(cell)) break;
    for (const dots of cell.querySelectorAll(COLLAPSED)) dots.click();
  }
}

/** Whether a cell of a notebook has a bet that is not answered yet, be it alive or only stored. */
function isOpenBet(cell) {
  const bet = cell.querySelector('.bflo[data-explorer="bet"]');
  return bet ? !bet.dataset.answer : /^\s*Bet [\d.]+\. Your first/.test(cell.querySelector(".jp-OutputArea-output")?.textContent ?? "");
}
