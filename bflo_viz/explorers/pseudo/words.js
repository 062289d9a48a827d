// What a round added to the dataset or took away, in words.
import { widths } from "./scene.js";

const WIDTHS = {
  spherical: "the standard deviation",
  diagonal: "the standard deviations",
  full: "the standard deviations along the axes of the ellipse",
};

/** Two decimals, or two significant digits where the number is small or huge. */
function number(value) {
  const size = Math.abs(value);
  const isPlain = (size >= 0.095 && size < 1e6) || value === 0;
  return (isPlain ? value.toFixed(2) : String(Number(value.toPrecision(2)))).replaceAll("-", "−");
}

const place = ([x, y]) => `(${number(x)}, ${number(y)})`;

/** What was added or removed: a point, or a line of weights. */
function markInWords(flow, { i, place: at, direction: [first, second], precision }) {
  const value = number(first * at[0] + second * at[1]);
  const what = {
    spherical: `a point at ${place(at)}`,
    diagonal: `the line w${"₁₂"[i]} = ${value}`,
    full: `the line ${number(first)} w₁ ${second < 0 ? "−" : "+"} ${number(Math.abs(second))} w₂ = ${value}`,
  }[flow];
  return `${what} was ${precision > 0 ? "added" : "removed"} with precision ${number(Math.abs(precision))}`;
}

/** What a round did, in one sentence; round 0 is the prior. */
export function sentenceOf({ flow, beliefs, marks }, round) {
  if (round === 0) return "Round 0: the prior. Step or play, and see what each round adds to what is known, or takes away.";
  const mean = place(beliefs[round].mean);
  const told = marks[round - 1].map((mark) => markInWords(flow, mark)).join(" and ");
  if (!told) return `Round ${round}: no point; the widths stayed as they were, and the mean is ${mean}.`;
  const [old, now] = [round - 1, round].map((r) => widths(beliefs[r]).map(number).join(" and "));
  return `Round ${round}: ${told}. The mean moved to ${mean}; ${WIDTHS[flow]} went from ${old} to ${now}.`;
}
