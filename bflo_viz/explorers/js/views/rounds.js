// What views of long runs share: how many rounds are in sight, curves of what was and what will be, and their names.
import { curve, text } from "../marks.js";

/** The prior of a kind of belief, as Python makes it. */
export function priorInPython(kind, std, mean = "[0.0, 0.0]") {
  return `${kind[0].toUpperCase()}${kind.slice(1)}Belief(${mean}, ${kind === "full" ? `${std}**2 * np.eye(2)` : std})`;
}
/** How many rounds are in sight: twice as many when one plays beyond them. */
export const inSight = (round, first) => first * 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(1, round) / first)));

/** A curve over rounds, all of it pale and what was until now in full; `points` stay the same object while nothing changed. */
export function past(points, now, color, look = {}) {
  const count = points.findIndex(([round]) => round > now);
  return [curve(points, color, { ...look, opacity: 0.3, memo: [points] }), curve(count < 0 ? points : points.slice(0, count), color, look)];
}

/** Names at places, [place, words, color] each, moved up or down until they are so many pixels apart and in the picture. */
export function names(all, { gap = 15, ...options } = /** @type {any} */ ({})) {
  const heights = (p) => {
    const order = all.map(([at], i) => ({ i, y: p.Y(at[1]) })).sort((a, b) => a.y - b.y);
    const lowest = p.area.bottom - gap * (order.length - 1);
    let last = -Infinity;
    for (const [k, one] of order.entries()) last = one.y = Math.max(Math.min(one.y, lowest + gap * k), p.area.top + gap / 2, last + gap);
    return order;
  };
  return all.map(([at, words, color], i) => {
    const attrs = (p) => text(at, words, color, { anchor: "start", dx: 6, inside: false, ...options, dy: heights(p).find((one) => one.i === i).y - p.Y(at[1]) + 4 }).attrs(p);
    return { ...text(at, words, color), attrs };
  });
}
