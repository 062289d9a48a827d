// What the explorer says in words.
import { format } from "../shared/kit.js";
import { endsOf } from "./wiring.js";

const SMALL = 4; // digits of what is a small number

/** The name of a unit: an input, a unit of a layer, or the output. */
function unitName(sizes, layer, unit) {
  if (layer === 0) return `input ${"xy"[unit]}`;
  return layer === sizes.length - 1 ? "the output" : `unit ${unit + 1} of layer ${layer}`;
}

/** A connection by where it leads from and to. */
export function connectionName(sizes, index) {
  const { layer, j, k } = endsOf(sizes, index);
  const to = unitName(sizes, layer + 1, k);
  return j === null ? `the bias of ${to}` : `${unitName(sizes, layer, j)} to ${to}`;
}

/** What is known of a connection of a learner: its mean, its width, and the last step that moved it. */
export function connectionInWords(run, i, index, mean) {
  const { belief, round } = run.state.learners[i];
  const step = round.moved[index] - round.weights[index];
  if (belief) {
    const known = `mean ${format(mean[index])}, width ${format(belief.std[index])}`;
    if (!run.round) return `${known}.`;
    return `${known}; in the last round a sample of it, ${format(round.weights[index])}, stepped by ${format(step, SMALL)}.`;
  }
  const known = `weight ${format(mean[index])}, without a width`;
  // What dropout predicts with is scaled: its step is that of the network with all units.
  return run.round && run.names[i] !== "dropout" ? `${known}; the last round moved it by ${format(step, SMALL)}.` : `${known}.`;
}
