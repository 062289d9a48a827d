// What views of long runs share: a round to drag, how many are in sight, curves over them with names at their ends, and
// the same rounds in Python.
import { literal } from "../kit.js";
import { curve, handle, shape, text } from "../marks.js";

/** A line through the whole height of a picture. */
export function upright(x, look = {}) {
  return shape((p) => `M${p.X(x).toFixed(1)} ${p.area.top}V${p.area.bottom}`, "ink", { width: 1, ...look });
}
/** The round in view: a line through the picture, with a flag to drag. */
export function cursor(round, set, options = {}) {
  const usual = { label: "Round", color: "ink", shape: "flag", step: 1, says: `round ${Math.round(round)}` };
  return [upright(round), handle([round, NaN], { ...usual, set: ([x]) => set(x), ...options })];
}

/** A script that runs the same rounds by a function of bflo_viz.figures, which takes some traits and more settings. */
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

/** Names at places of a panel, [place, words, color] each, moved up or down until they are apart and in sight. */
export function names(panel, all, look = {}) {
  const order = all.map(([[, y]], i) => [panel.Y(y), i]).sort(([a], [b]) => a - b);
  const [dy, gap] = [[], 15];
  let last = panel.area.top - gap / 2;
  for (const [k, [y, i]] of order.entries()) {
    const lowest = panel.area.bottom - gap * (order.length - 1 - k);
    last = Math.max(Math.min(y, lowest), last + gap);
    dy[i] = last - y + 4;
  }
  const options = { anchor: "start", dx: 6, inside: false, ...look };
  return all.map(([at, words, color], i) => text(at, words, color, { ...options, dy: dy[i] }));
}
