// Who has won and missed how much, in words.
import { fill, format } from "../shared/kit.js";

/** What your last pull did; what to do where there is none. */
export function newsOf({ pays }, yours, now, words) {
  if (!yours.levers.length) return words.begin;
  if (now > yours.levers.length) return fill(words.left, { rounds: yours.levers.length });
  if (now === 0) return words.back;
  const lever = yours.levers[now - 1];
  return fill(pays[now - 1][lever] ? words.paid : words.nothing, { round: now, lever: lever + 1 });
}

/** Who is ahead after a round: by regret where it may be told, by wins elsewhere. */
export function comparison(games, now, isOpen, words) {
  if (now === 0) return "";
  const early = (game) => (game.played(now) < now ? fill(words.early, { rounds: game.played(now) }) : "");
  const [value, digits, sign] = isOpen ? [(game) => game.regret[game.played(now)], 1, 1] : [(game) => game.wins[game.played(now)], 0, -1];
  // Who has stopped cannot be compared, and comes last.
  const inOrder = Object.entries(games).sort(([, a], [, b]) => b.played(now) - a.played(now) || sign * (value(a) - value(b)));
  const told = inOrder.map(([name, game]) => `${name} ${format(value(game), digits)}${early(game)}`);
  return fill(isOpen ? words.missed : words.won, { round: now, told: told.join(", ") });
}
