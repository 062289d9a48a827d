// What the three flows make of one step, in words: each says what its flow does in this state.
import { fill, format } from "../shared/kit.js";
import { flowsOf } from "./flows.js";

const CHANGED = 1e-9; // a width that changes by less stays as it is

/** Two numbers as words have them. */
export const placeInWords = ([x, y]) => `${format(x)}, ${format(y)}`;
const capital = (name) => name[0].toUpperCase() + name.slice(1);
const listed = (words) => [words.slice(0, -1).join(", "), words.at(-1)].filter(Boolean).join(" and ");

/** A turn in words: its degrees, with a digit more where a whole number would be none; half a turn has no side. */
export function turnInWords(turn) {
  if (turn === 0) return "none";
  if (Math.abs(turn) < 0.05) return "hardly any";
  return `${format(turn <= -179.5 ? 180 : turn, Math.abs(turn) < 1 ? 1 : 0)}°`;
}

/** What stands above the panel of a flow, by the words that Python has for it. */
export function titleOf(flow, flows, { axes }, titles) {
  const turn = turnInWords(Math.abs(flow.turn));
  return fill(axes[0] === axes[1] ? titles.title : titles.own, { name: capital(flow.name), turn: titles[turn] ?? fill(titles.turns, { turn }), rank: rankOf(flow, flows) });
}

/** What a panel shows, for those who do not see it. */
export function altOf({ name, prior, posterior, kl }) {
  const [before, after] = [placeInWords(prior.mean), placeInWords(posterior.mean)];
  const moves = before === after ? `stays at ${before}` : `moves from ${before} to ${after}`;
  return `${capital(name)} flow: the mean ${moves}, KL ${format(kl, 3)} nats.`;
}

/** No, least, more or most change, by KL as it is written; of two that change equally none is the least. */
function rankOf(flow, flows) {
  const written = ({ kl }) => Number(kl.toFixed(3));
  const [own, others] = [written(flow), flows.filter((other) => other !== flow).map(written)];
  const [low, high] = [Math.min(...others), Math.max(...others)];
  if (own === 0) return "no";
  if (own < low) return "least";
  if (own > high) return "most";
  return own < high && own === low ? "less" : "more";
}

/** The flows that change the belief as little as any. */
function leastOf(flows) {
  const isLess = (first, second) => first.kl < second.kl - 1e-14 - 1e-9 * second.kl;
  return flows.filter((flow) => !flows.some((other) => isLess(other, flow)));
}

/** What a flow does to the widths of its belief. */
function widening({ name, matrix: [a, , , d], entropyChange }) {
  // The diagonal flow stretches each weight by itself, the full flow one direction, the spherical flow all alike.
  const stretches = { full: [entropyChange], diagonal: [Math.log(a), Math.log(d)], spherical: [entropyChange, entropyChange] }[name];
  const [less, more] = [stretches.filter((x) => x < -CHANGED).length, stretches.filter((x) => x > CHANGED).length];
  if (less && more) return "narrows the belief in one direction and widens it in the other";
  if (!less && !more) return "keeps its width";
  return `${less ? "narrows" : "widens"} the belief in ${less + more > 1 ? "both directions" : "one direction"}`;
}

/** Which flow changes the belief least, and what each of them does. */
export function resultOf({ w, w_new: wNew, axes }, flows) {
  if (String(w) === String(wNew)) return "The weight did not move, so no flow changes anything.";
  const least = leastOf(flows).map(({ name }) => name);
  const isRound = axes[0] === axes[1];
  const many = least.length > 1;
  const who = `The ${listed(least)} flow${many ? "s change" : " changes"} ${isRound ? "the belief" : many ? "their own priors" : "its own prior"} least`;
  const turns = flows[2].turn !== 0; // of a circle the flow turns only if the weight did
  const does = flows.map((flow) => {
    const turn = flow.turn !== 0 ? "turns and " : turns && flow.name === "diagonal" ? "cannot turn and " : "";
    return `the ${flow.name} flow ${turn}${widening(flow)}`;
  });
  const free = turns ? " A turn costs nothing." : "";
  const own = isRound ? "" : " Each is compared with its own prior, so their costs say little about each other.";
  return `${least.length === flows.length ? "All three flows change the belief equally" : who}: ${does.join("; ")}.${free}${own}`;
}

/** What the non-expansive switch held back, if anything. */
export function heldBack(now, flows) {
  const free = flowsOf({ ...now, non_expansive: false });
  const held = flows.filter((flow, i) => Math.abs(flow.entropyChange - free[i].entropyChange) > CHANGED).map(({ name }) => name);
  if (!held.length) return "";
  const instead = "keeping the widths moves the means further instead";
  return ` Non-expansive: where the ${listed(held)} flow${held.length > 1 ? "s" : ""} would have widened the belief, ${instead}.`;
}
