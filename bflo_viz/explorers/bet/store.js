// The first answers of this browser: { number: { answer, reason, at } }. A page from a disk may keep nothing: then they hold for the page.
const NAME = "bflo-bets";
const here = {};

/** All answers that were kept. */
export function kept() {
  try {
    const found = JSON.parse(localStorage.getItem(NAME) ?? "{}");
    return { ...here, ...(found && typeof found === "object" ? found : {}) };
  } catch {
    return here;
  }
}

/** Keep an answer, if it is the first to its bet. */
export function keep(number, answer, reason) {
  const all = kept();
  if (all[number]) return;
  here[number] = { answer, reason, at: new Date().toISOString() };
  try {
    localStorage.setItem(NAME, JSON.stringify({ ...all, ...here }));
  } catch {
    // then it holds for this page
  }
}
