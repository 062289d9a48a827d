// What there is to notice on a surface, and what each learner knows after a round, in words.
import { format } from "../shared/kit.js";
import { meanOf } from "./scene.js";

const VERY_FAR = 1000; // from here on it is not told how far: flows can be narrower for a moment than anyone would say
const CHOSEN = 0.95; // of a belief on one side: it has chosen a well
const NOTICE = {
  convex:
    "One bowl. Bayes’ rule is near the lowest point after a few examples, since it knows how they are made; SGD and the belief flow follow one slope a round. The true ensemble shrinks onto one path, and the flow lags behind.",
  ravine:
    "Steep across, flat along. SGD drops to the floor and creeps. Bayes’ posterior stays long along the floor, where little is known yet. The true ensemble gets thin across and stays long along the floor; the belief flow, which sees one weight a round, narrows in both directions before it has arrived.",
  "double well":
    "No example can tell the two wells apart. Bayes’ rule keeps both, half and half, and the true ensemble parts; SGD falls into one; the belief flow, a single Gaussian, lies across both until it drifts into one.",
};
const DIRECTIONS = {
  convex: ["Where the bowl is flattest", "where it is steepest"],
  ravine: ["Along the floor", "across it"],
  "double well": ["From well to well", "across"],
};

/** What to look at, on this surface and with this truth. */
export function noticeOf({ surface, truth }, { runsAway }) {
  if (runsAway) return "Steps of this length run away: take a smaller learning rate.";
  const drawn = " The optimum was drawn from the prior: what Bayes’ rule assumes is true.";
  return NOTICE[surface] + (truth === "drawn" ? drawn : "");
}

const place = ([x, y], sign = "") => `(${sign}${format(x)}, ${format(y)})`;
const side = (x) => (x >= 0 ? "right" : "left");
const widths = ([least, most]) => `standard deviations from ${format(least)} to ${format(most)}`;
const deviations = ({ far }) => `the optimum is ${far < VERY_FAR ? format(far, 1) : "over 1,000"} of them away`;

/** Of each learner its name and the rest of its sentence: where it is, how far from the nearest optimum, and how sure. */
export function sentencesOf(name, { point, bayes, belief, members, facts }, tooSure) {
  const twoWells = name === "double well";
  const { sgd, bayes: posterior, flow, ensemble } = facts;
  const from = ([x], { away }) => `${format(away)} from the ${twoWells ? `${side(x)} ` : ""}optimum`;

  const gaussian = ` has its mean at ${place(bayes.mean)}, ${from(bayes.mean, posterior)}, and ${widths(posterior.std)}; ${deviations(posterior)}.`;
  const halves = () => {
    const where = bayes.apart ? `its mean ${place(bayes.mean)} is on the ridge between them` : "the halves still meet";
    return ` has half of itself on each side, around ${place(bayes.hill, "±")}, ${format(posterior.away)} from the optima, with ${widths(posterior.std)}; ${where}.`;
  };

  const chosen = Math.abs(flow.right - 0.5) > CHOSEN - 0.5 ? `has chosen the ${side(flow.right - 0.5)} well` : "lies across both wells";
  const judged = twoWells
    ? `${format(100 * flow.right, 0)} % of it is on the right: it ${chosen}`
    : deviations(flow) + (flow.far > tooSure ? ": it is too sure" : "");

  const parted = twoWells
    ? `${ensemble.right} of its ${members.length / 2} weights on the right, ${format(ensemble.away)} from the nearest optimum`
    : `its mean at ${place(meanOf(members))}, its weights ${format(ensemble.away)} from the optimum`;
  const [first, second] = DIRECTIONS[name].map((words, i) => ({ words, own: format(ensemble.wide[i]), flow: format(flow.wide[i]) }));
  const wide = `${first.words}, its standard deviation is ${first.own} and the flow’s ${first.flow}; ${second.words}, ${second.own} and ${second.flow}`;
  return [
    ["SGD", ` is at ${place(point)}, ${from(point, sgd)}; a point cannot say how sure it is.`],
    ["Bayes’ posterior", twoWells ? halves() : gaussian],
    ["The belief flow", ` has its mean at ${place(belief.mean)}, ${from(belief.mean, flow)}, and ${widths(flow.std)}; ${judged}.`],
    ["The true ensemble", ` has ${parted} on average. ${wide}.`],
  ];
}
