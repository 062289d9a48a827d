// The state of explorers as text in the address of a page: "regime:delta=1.2,delta_new=-2;flow.2:w=(1.8,-0.4)".
// It has only characters that mail and chat leave alone, and what they cut off at its end is not missed.
// The Python half is address.py.

const NUMBER = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const WORDS = new Map([["true", true], ["false", false], ["none", null]]);
const DEEPEST = 8; // lists in lists
export const LONGEST = 20000; // characters

const escaped = (character) => `~${character.codePointAt(0).toString(16)}~`;
// A full stop at the end would be taken for that of a sentence.
const plain = (text) => text.replace(/[^A-Za-z0-9._ -]|\.$/gu, escaped).replaceAll(" ", "+");
const characterOf = (code) => (code && parseInt(code, 16) < 0x110000 ? String.fromCodePoint(parseInt(code, 16)) : "");
const restored = (text) => text.replaceAll("+", " ").replace(/~([0-9a-f]{0,6})~/g, (_, code) => characterOf(code));

/** A number as its control has it; one that lies between the steps is not rounded away. */
function short(x, digits) {
  const near = digits === undefined ? x : Number(x.toFixed(digits));
  return String(Math.abs(near - x) < 1e-9 ? near : x).replace("+", "");
}

/** A value of any kind: a number, true, false, none, a text, or a list of such in parentheses. */
function written(value, digits) {
  if (Array.isArray(value)) return `(${value.map((one) => written(one, digits)).join(",")})`;
  if (typeof value === "number") return short(value, digits);
  if (typeof value !== "string") return value === null ? "none" : String(value);
  if (value === "") return "~~";
  const text = plain(value);
  return NUMBER.test(text) || WORDS.has(text) ? escaped(text[0]) + text.slice(1) : text; // it is no number
}

function read(part) {
  if (Array.isArray(part)) return part.map(read);
  if (NUMBER.test(part)) return Number(part);
  return WORDS.has(part) ? WORDS.get(part) : restored(part);
}

/** The value of a trait as text. `known` is what the trait says of itself: where only a text can be, it needs no marks. */
export function encoded({ kind, digits, options, default: first }, value) {
  const named = (one) => (typeof one === "string" ? plain(one) : written(one, digits));
  if (kind === "subset") return `(${options.map(([one]) => one).filter((one) => value.includes(one)).map(named).join(",")})`;
  return kind === "choice" || typeof first === "string" ? named(value) : written(value, digits);
}

/** The value that a text gives to a trait, whether the trait can have it or not. */
export function decoded({ kind, options, default: first }, text) {
  const part = tree(text);
  const isText = typeof part === "string";
  const option = (one) => options.map(([value]) => value).find((value) => value === (typeof value === "string" ? named(one) : read(one))) ?? named(one);
  const named = (one) => (typeof one === "string" ? restored(one) : read(one));
  if (kind === "subset" && !isText) return part.map(option);
  if (kind === "choice") return option(part);
  return typeof first === "string" ? named(part) : read(part);
}

/** What differs from the first values: "delta=1.2,delta_new=-2". A trait that follows from others is left out. */
export function differences(known, state) {
  const isOther = ([name, about]) => !state[about.follows] && encoded(about, state[name]) !== encoded(about, about.default);
  const others = Object.entries(known).filter(isOther);
  return others.map(([name, about]) => `${name}=${encoded(about, state[name])}`).join(",");
}

/**
 * What an address says after its "#": { place, explorers }. The place is an id of the page, or "". Explorers are in the
 * order of the address, each with the texts of its traits: [["regime", Map { "delta" → "1.2" }], …]
 */
export function partsOf(address) {
  const text = address.replace(/(%[0-9a-f]{2})+/gi, unquoted).replace(/[.,!?\s]+$/, ""); // a sentence may end there
  const pieces = text.split(";").map((piece) => cut(piece, ":"));
  const traits = (rest) => split(rest).filter((part) => part.trim()).map((part) => cut(part, "=").map((one) => one ?? ""));
  const explorers = pieces.filter(([, rest]) => rest !== undefined).map(([name, rest]) => [name, new Map(traits(rest))]);
  return { place: pieces[0][1] === undefined ? pieces[0][0] : "", explorers };
}

/** What stands before a mark, and what stands after it, if it is there. */
function cut(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text.trim(), undefined] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

function unquoted(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The parts of a list; lists in it stay whole. What opens and does not close, closes at the end. */
function split(text) {
  const parts = [""];
  let depth = 0;
  for (const character of text) {
    depth = Math.max(0, depth + (character === "(") - (character === ")"));
    if (character === "," && !depth) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts;
}

/** A text, or a list of texts and lists. */
function tree(text, depth = 0) {
  if (!text.startsWith("(") || depth === DEEPEST) return text.replace(/[()]/g, "");
  const inside = text.slice(1).replace(/\)$/, "");
  return inside ? split(inside).map((part) => tree(part, depth + 1)) : [];
}
