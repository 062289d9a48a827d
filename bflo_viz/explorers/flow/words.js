// What the three flows make of one step, and in words which of them changes the belief least, and why.
// Every word is read off the flows: what is said of a flow is what it does in this state.
import { covarianceOf, diagonalFlow, diagonalOf, factorOf, fullFlow, inverse, sphericalFlow, sphericalOf, turnOf } from "../shared/maths.js";
import { format } from "../shared/kit.js";

export const NAMES = ["full", "diagonal", "spherical"];
const OWN = "Each is compared with its own prior.";
const CHANGED = 1e-9; // a width that changes by less stays as it is

/** The three flows of a state: prior, posterior, field and costs of each. */
export function flowsOf({ mean, axes, angle, w, w_new: wNew, rule, non_expansive: nonExpansive }) {
  const factor = factorOf(axes, angle);
  const sides = diagonalOf(factor);
  const radius = sphericalOf(factor);
  const make = {
    full: [covarianceOf(factor), fullFlow(mean, factor, w, wNew, { nonExpansive })],
    diagonal: [covarianceOf([[sides[0], 0], [0, sides[1]]]), diagonalFlow(mean, sides, w, wNew, { nonExpansive })],
    spherical: [covarianceOf([[radius, 0], [0, radius]]), sphericalFlow(mean, radius, w, wNew, { rule, nonExpansive })],
  };
  return NAMES.map((name) => ({ name, prior: make[name][0], turn: turnOf(make[name][1].matrix), ...make[name][1] }));
}

/** Two numbers as words have them. */
export const placeInWords = ([x, y]) => `${format(x)}, ${format(y)}`;
const capital = (name) => name[0].toUpperCase() + name.slice(1);
const listed = (words) => [words.slice(0, -1).join(", "), words.at(-1)].filter(Boolean).join(" and ");
const samePlace = (one, other) => one[0] === other[0] && one[1] === other[1];

/** Degrees of a turn, with a digit more where a whole number would be none; half a turn has no side. */
export function degreesOf(turn) {
  return `${format(turn <= -179.5 ? 180 : turn, Math.abs(turn) < 1 ? 1 : 0)}°`;
}

/** Whether a turn is there, but too small for its degrees to be told. */
export const hardlyTurns = (turn) => turn !== 0 && Math.abs(turn) < 0.05;

/** What stands above the panel of a flow. */
export function titleOf(flow, flows) {
  const turn = flow.turn === 0 ? "does not turn" : hardlyTurns(flow.turn) ? "hardly turns" : `turns ${degreesOf(Math.abs(flow.turn))}`;
  return `${capital(flow.name)} ${turn}: ${rankOf(flow, flows)} change`;
}

/** What a panel shows, for who does not see it. */
export function altOf(flow, { mean }) {
  const [before, after] = [placeInWords(mean), placeInWords(flow.mean)];
  const moves = before === after ? `stays at ${before}` : `moves from ${before} to ${after}`;
  return `${capital(flow.name)} flow: the mean ${moves}, KL ${format(flow.kl, 3)} nats.`;
}

/** Least, more or most change, by KL; flows that change the belief equally share a word. */
function rankOf(flow, flows) {
  const less = (one, other) => one.kl < other.kl - 1e-14 - 1e-9 * other.kl;
  if (!flows.some((other) => less(other, flow))) return "least";
  return flows.some((other) => less(flow, other)) ? "more" : "most";
}

/** How far the weight lies from the mean before and after its step, in standard deviations of a prior. */
function distances({ prior }, { mean, w, w_new: wNew }) {
  const [[a, b], [c, d]] = inverse(prior);
  return [w, wNew].map((place) => {
    const [x, y] = [place[0] - mean[0], place[1] - mean[1]];
    return Math.sqrt(a * x * x + (b + c) * x * y + d * y * y);
  });
}

/** Two distances, with more digits where they would seem to be one. */
function inSigmas([u, v]) {
  const digits = format(u) === format(v) ? 5 : 2;
  return `${format(u, digits)} → ${format(v, digits)} σ`;
}

/** What a flow does to the widths of its belief: a verb, and where. */
function widening({ name, matrix: [[a], [, d]], entropyChange }) {
  // The diagonal flow stretches each weight by itself, the full flow one direction, the spherical flow all alike.
  const stretches = { full: [entropyChange], diagonal: [Math.log(a), Math.log(d)], spherical: [entropyChange, entropyChange] }[name];
  const [less, more] = [stretches.filter((x) => x < -CHANGED).length, stretches.filter((x) => x > CHANGED).length];
  if (less && more) return { verb: "change", where: "its shape" };
  if (!less && !more) return { verb: "keep", where: "its width" };
  return { verb: less ? "narrow" : "widen", where: less + more > 1 ? "in both directions" : "in one direction" };
}

const sameWidening = (one, other) => widening(one).verb === widening(other).verb && widening(one).where === widening(other).where;
const samePrior = ({ prior: one }, { prior: other }) => one.flat().every((x, i) => Math.abs(x - other.flat()[i]) < 1e-9 * one[0][0]);
const isShift = ({ matrix }) => matrix.flat().every((x, i) => Math.abs(x - [1, 0, 0, 1][i]) < CHANGED);

/** Which flow changes the belief least, and why, in a few sentences. */
export function whyLeast(now, flows) {
  if (samePlace(now.w, now.w_new)) return "The weight did not move, so no flow changes anything.";
  const least = flows.filter((flow) => rankOf(flow, flows) === "least");
  const many = least.length > 1;
  if (least.length === NAMES.length) {
    return flows.every(isShift) ? "All three flows are the same here: a shift, without a turn or a stretch." : "All three flows change the belief equally.";
  }
  const who = `The ${listed(least.map(({ name }) => name))} ${many ? "flows change" : "flow changes"} the belief least`;
  const far = (flow) => inSigmas(distances(flow, now));
  if (samePlace(now.w, now.mean)) {
    const sizes = flows.map((flow) => `${flow.name} ${format(distances(flow, now)[1])} σ`).join(", ");
    return `The weight was on the mean, so all three flows are the same shift. ${who}, because in σ of ${many ? "their priors" : "its prior"} the shift is smallest: ${sizes}.`;
  }
  const [full] = flows;
  if (!least.includes(full)) {
    // From one prior the full flow never changes more than another: it could do the same as that one.
    const counted = [...least.map((flow) => `${far(flow)} of the ${flow.name} one`), `${far(full)} of the full one`];
    return `${who}, because ${many ? "they start from other priors" : "it starts from another prior"}: counted from the mean, the weight goes ${listed(counted)}. ${OWN}`;
  }
  const others = whyMore([flows[2], flows[1]].filter((flow) => !least.includes(flow)), flows, far);
  const own = flows.every((flow) => samePrior(flow, full)) ? "" : ` ${OWN}`;
  return `${who}: ${[whyFull(now, flows, least, far(full)), others].filter(Boolean).join("; ")}.${own}`;
}

/** Why the full flow changes the belief little, said of all that change it least if it holds for all. */
function whyFull(now, flows, least, far) {
  const [full, diagonal, spherical] = flows;
  const [u, v] = distances(full, now);
  const turns = spherical.turn !== 0; // of a circle the flow turns only if the weight did
  const alike = least.every((flow) => sameWidening(flow, full)) && !(turns && least.includes(diagonal));
  const they = least.length > 1 && alike;
  const who = they ? "they" : least.length > 1 ? "the full flow" : "it";
  const { verb, where } = widening(full);
  const does = they ? `${verb} ${where.replace("its width", "their widths")}` : `${verb}s ${where}`;
  const only = where === "in one direction" ? " only" : "";
  const stays = Math.abs(u - v) < 1e-9 * (1 + u);
  if (turns && stays) return `turning is free, and the weight stays as far from the mean as it was (${format(u)} σ)`;
  if (turns) return `turning is free, so ${who} ${they ? "pay" : "pays"} only for the weight's new distance from the mean (${far}), and ${does}${only}`;
  const path = stays ? "hardly moves" : `moves straight ${v < u ? (v > 0 ? "towards" : "to") : "away from"} the mean`;
  return `the weight ${path} (${far}), and ${who} ${does}${only}`;
}

/** Why flows change the belief more than the full one. */
function whyMore(more, [full, , spherical], far) {
  const reason = (flow) => {
    if (flow.name === "diagonal" && spherical.turn !== 0) return "cannot turn";
    const { verb, where } = widening(flow);
    if (!sameWidening(flow, full)) return `${verb}s ${where}`;
    return samePrior(flow, full) ? "" : `starts from another prior (${far(flow)})`;
  };
  const reasons = more.map(reason);
  if (reasons.length > 1 && reasons[0] === reasons[1]) return reasons[0] && `each of the others ${reasons[0]}`;
  return more.map(({ name }, i) => reasons[i] && `the ${name} flow ${reasons[i]}`).filter(Boolean).join(", ");
}

/** What the non-expansive switch held back, if anything. */
export function heldBack(now, flows) {
  if (!now.non_expansive) return "";
  const free = flowsOf({ ...now, non_expansive: false });
  const held = flows.filter((flow, i) => Math.abs(flow.entropyChange - free[i].entropyChange) > CHANGED);
  if (!held.length) return "";
  const names = listed(held.map(({ name }) => name));
  const instead = held.length > 1 ? "they keep their widths and move their means further" : "it keeps its width and moves its mean further";
  return ` Non-expansive: where the ${names} flow${held.length > 1 ? "s" : ""} would have widened the belief, ${instead} instead.`;
}
