// What views of long runs share: how many rounds are in sight, curves of past and future rounds, their names, and the
// same rounds in Python.
import { literal } from "../kit.js";
import { curve, text } from "../marks.js";

/** A script that runs the same rounds with a function of bflo_viz.figures, which takes some traits and more settings. */
export function sameRounds(name, s, traits, more = {}, tells = "run.beliefs[-1]") {
  const { seed, ...given } = Object.fromEntries(["seed", ...traits].map((trait) => [trait, s[trait]]));
  const settings = Object.entries({ rounds: Math.max(1, s.round), ...given, ...more });
  return `
# The same rounds
import numpy as np
from bflo_viz.figures import ${name}

run = ${name}(np.random.RandomState(${seed})${settings.map(([key, value]) => `, ${key}=${literal(value)}`).join("")})
print(${tells})
`;
}
/** Number of rounds in sight, which doubles whenever one plays beyond them. */
export const inSight = (round, first) => first * 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(1, round) / first)));

/** A curve over rounds, pale as a whole and in full until now; `points` are the same object while nothing changed. */
export function past(points, now, color, look = {}) {
  const count = points.findIndex(([round]) => round > now);
  const until = count < 0 ? points : points.slice(0, count);
  return [curve(points, color, { ...look, opacity: 0.3, memo: [points] }), curve(until, color, look)];
}

/** Names at places, [place, words, color] each, moved up or down until they are so many pixels apart and in sight. */
export function names(all, { gap = 15, ...look } = /** @type {any} */ ({})) {
  let heights = /** @type {any} */ (null);
  const spread = (p) => {
    const order = all.map(([[, y]], i) => [p.Y(y), i]).sort(([a], [b]) => a - b);
    let last = p.area.top - gap / 2;
    heights = [];
    for (const [k, [y, i]] of order.entries()) {
      const lowest = p.area.bottom - gap * (order.length - 1 - k);
      heights[i] = last = Math.max(Math.min(y, lowest), last + gap);
    }
    return heights;
  };
  return all.map(([at, words, color], i) => {
    const dy = (p) => (heights ?? spread(p))[i] - p.Y(at[1]) + 4;
    const mark = (p) => text(at, words, color, { anchor: "start", dx: 6, inside: false, ...look, dy: dy(p) });
    return { ...text(at, words, color), attrs: (p) => mark(p).attrs(p) };
  });
}
