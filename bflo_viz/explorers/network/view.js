// A playground for networks that believe: maps, the network itself, curves; one learner, or two side by side.
import { key, table } from "../shared/curves.js";
import { button, controls, fill, format, group, mount, play, remembered, seeds, slider, tag, write } from "../shared/kit.js";
import { calibrationPanel, keyBelow, learningCurves } from "./charts.js";
import { learnerMaps } from "./maps.js";
import { Opinions } from "./opinions.js";
import { Run, isFlow } from "./scene.js";
import { wiring } from "./wiring.js";
import { connectionInWords, connectionName } from "./words.js";

const COMPUTING = [10, 4]; // milliseconds of a frame for rounds, while it plays and after a change
const ASKING = [3, 5]; // for networks that vote, while rounds are done and after them
const SELDOM = 6; // frames between two drawings of curves and numbers until all is there
const COLUMNS = ["learner", "mistakes so far (%)", "new examples wrong, by the mean (%)", "by the vote (%)", "doubt there", "doubt over the map"];

const USUAL = ["eta", "updates", "std", "min_std"];

/** The learning rate of a learner until one is set: that with which it learns the data well. */
const usualRate = (ui, name) => ui.facts.rates[ui.model.get("data")][isFlow(name) ? 0 : 1];

/** Controls of data, network and learners; those that mean nothing to what is chosen are hidden. Returns what adds a point. */
function settings(ui) {
  const { model } = ui;
  const chosen = () => [model.get("learner"), model.get("rival")];
  const add = () => ui.set({ points: [...model.get("points"), [...model.get("spot"), model.get("adding")]].slice(-ui.about("points").most) });
  const data = group(ui, "Data");
  controls(ui, ["data", "noise", "flip"], data);
  const own = group(ui, "Points");
  controls(ui, ["adding"], own);
  button(ui, { name: "add-point", label: "Set a point", title: "Where the ring is; a press on the first map does the same", action: add, parent: own });
  button(ui, { name: "clear-points", label: "Clear", title: "Take all points away", action: () => ui.set({ points: [] }), parent: own });
  controls(ui, ["hidden"]);
  const who = group(ui, "Learning");
  controls(ui, ["learner", "rival"], who);
  slider(ui, { name: "eta", usual: () => usualRate(ui, chosen()[0]), parent: who });
  const [, , floor, drop, jitter] = controls(ui, ["updates", "std", "min_std", "drop", "jitter"], who);
  const usual = () => ui.set(Object.fromEntries(USUAL.map((name) => [name, ui.about(name).default])));
  button(ui, { name: "usual", label: "Usual settings", title: "Those with which this data is learned well", action: usual, parent: who });
  ui.onDraw(() => {
    own.hidden = model.get("data") !== "points";
    floor.parentNode.hidden = !chosen().some(isFlow);
    drop.parentNode.hidden = !chosen().includes("dropout");
    jitter.parentNode.hidden = !chosen().includes("Langevin");
  });
  return add;
}

/** One learner: its maps and its network, and what is asked of its networks. */
function learnerPanels(ui, place, { add, hover, choose }) {
  const maps = learnerMaps(ui, { add });
  const net = wiring(ui, { hover, choose });
  const figures = [...[maps.said, maps.doubted].map((p) => p.stage.parentNode), net.box];
  let [opinions, mean, grey] = [null, null, null];
  return {
    /** Whether all that is shown is of the round of a run. */
    isExact: (run) => opinions?.run === run && opinions.isExact,
    /** Ask the networks of a run, until some time. */
    ask(run, until) {
      if (opinions?.run !== run) [opinions, mean] = [new Opinions(run, place, ui.facts), new Float64Array(run.dim)];
      opinions.update(until);
    },
    hide: (isHidden) => figures.forEach((figure) => (figure.hidden = isHidden)),
    drawMaps: (run, examples) => maps.draw(opinions, examples, run.round ? [...run.state.plane.x] : null),
    drawNetwork(run, index) {
      const { state, sizes } = run;
      run.mean(place, mean);
      const std = state.learners[place].belief?.std ?? null;
      net.draw({ sizes, mean, std, prior: run.settings.std, units: opinions.units, index });
    },
    name(run, who, prefix) {
      const [wrong, , near, over] = opinions.numbers();
      const { doubts } = ui.facts;
      const votes = `Voting: ${doubts[run.names[place]]}.`;
      const titled = (title) => (prefix ? `${prefix}: ${title[0].toLowerCase()}${title.slice(1)}` : title);
      maps.said.set({ title: titled(maps.said.title), alt: `Map of what the mean of ${who} says; it gets ${format(wrong, 1)} % of new examples wrong.` });
      maps.doubted.set({ title: titled(maps.doubted.title), alt: `Map of doubt: ${format(near, 3)} at new examples, ${format(over, 3)} over the map. ${votes}` });
      net.set({ title: titled(ui.titles.network[0]), alt: `The network of ${who}, ${run.sizes.join("-")}: ${run.dim} weights.` });
      grey ??= tag(figures[1], "p", { class: "bflo-help" });
      write(grey, votes);
    },
    numbers: () => opinions.numbers(),
    bins: () => [opinions.testVote, opinions.testMean].map((chance) => opinions.calibration(chance, ui.facts.bins)),
    mean: () => mean,
  };
}

export default {
  render(view) {
    const ui = mount(view, "network");
    const { model, facts } = ui;
    const add = settings(ui);
    seeds(ui);
    let hovered = -1;
    const hover = (index) => {
      if (index !== hovered) ui.redraw();
      hovered = index;
    };
    const choose = (index) => ui.set({ connection: index + 1 });
    const names = () => [model.get("learner"), model.get("rival")].filter((name) => name !== "none");
    const textOf = Object.fromEntries(ui.about("learner").options);

    const needed = ["data", "noise", "flip", "points", "hidden", "learner", "rival", "eta", "std", "updates", "min_std", "drop", "jitter", "seed"];
    const runOf = remembered(ui, needed, ({ eta, min_std: minStd, ...rest }) => {
      const { turns, networks, every, tests } = facts;
      return new Run({ ...rest, minStd, names: names(), etaOf: (name) => eta ?? usualRate(ui, name), turns, networks, every, tests });
    });
    const reach = (round) => {
      const run = runOf();
      return run.isEmpty ? 0 : run.towards(round, performance.now() + COMPUTING[0]);
    };
    const { rounds, isOn } = play(ui, { reach });
    const learners = [0, 1].map((place) => learnerPanels(ui, place, { add: place ? null : add, hover, choose }));
    const most = ui.about("hidden").most + 1;
    const { mistakes, entropy, times, draw: drawCurves } = learningCurves(ui, rounds, most);
    const { p: calibration, draw: drawCalibration } = calibrationPanel(ui);
    const notice = tag(ui.readout, "p", { class: "bflo-help" });
    const [pointer] = controls(ui, ["connection"], ui.readout);
    const sentence = tag(ui.readout, "p");
    keyBelow(ui, key);
    const showNumbers = table(ui, COLUMNS, ["learner", "beside it"]);

    let [examples, examplesOf] = [[], null];
    /** The examples in the maps: one's own points, or some that no learner sees. */
    function shownExamples(run) {
      if (examplesOf === run) return examples;
      examplesOf = run;
      const { count, x, y, seen, truth } = run.tests;
      const own = model.get("points").map(([across, up, label]) => [across, up, label, label]);
      const some = () => Array.from({ length: Math.min(count, facts.shown) }, (_, i) => [x[i], y[i], seen[i], truth[i]]);
      examples = model.get("data") === "points" ? own : some();
      return examples;
    }

    /** Numbers, curves and words, which change slowly. */
    function tellAll(run, all) {
      const told = all.map((name, i) => ({ who: textOf[name], numbers: learners[i].numbers() }));
      const percent = (value) => (run.round ? format(value, 1) : "–");
      all.forEach((name, i) => learners[i].name(run, told[i].who, all.length > 1 ? told[i].who : ""));
      ["learner", "beside it"].forEach((role, i) => {
        if (!all[i]) return showNumbers(role, null);
        const [byMean, byVote, near, over] = told[i].numbers;
        const so = percent((100 * run.state.mistakes[i]) / run.round);
        return showNumbers(role, [so, format(byMean, 1), format(byVote, 1), format(near, 3), format(over, 3)], textOf[all[i]]);
      });
      drawCurves(all, run.points());
      drawCalibration(all, all.map((_, i) => learners[i].bins()));
      const errors = told.map(({ who, numbers }, i) => `${who} ${percent((100 * run.state.mistakes[i]) / run.round)} % so far, ${format(numbers[0], 1)} % of new examples by its mean`);
      mistakes.set({ alt: `Mistakes so far in percent of rounds, a line at round ${run.round}. ${errors.join("; ")}.` });
      entropy.set({ alt: `Entropy of each layer over rounds, thicker for later layers, a line at round ${run.round}.` });
      const counts = all.map((_, i) => learners[i].bins()[0].map(({ count }) => count).join(", "));
      calibration.set({ alt: `Confidence against the share that is right, for the vote and for the mean; new examples by rising confidence: ${counts.join("; ")}.` });
      return errors;
    }

    /** What is known of the connection that is pointed at or chosen. */
    function connectionTold(run, all, index) {
      if (index < 0) return "";
      const told = all.map((name, i) => `${all.length > 1 ? `${textOf[name]}: ` : ""}${connectionInWords(run, i, index, learners[i].mean())}`);
      return `Connection ${index + 1} of ${run.dim}, ${connectionName(run.sizes, index)}: ${told.join(" ")}`;
    }

    let [frame, drawn] = [0, null]; // the run that is drawn
    ui.onDraw(() => {
      const [run, all, wanted, isPlaying] = [runOf(), names(), model.get("round"), isOn()];
      const isThere = run.isEmpty || run.towards(wanted, performance.now() + COMPUTING[1]) === wanted;
      frame += 1;
      const isBusy = isPlaying || !isThere || !all.every((_, i) => learners[i].isExact(run));
      // Until all is there, maps and networks are drawn in turns, and what changes slowly is drawn seldom.
      const isTurn = (every, turn) => !isBusy || frame % every === turn;
      const isDue = (turn) => drawn !== run || isTurn(2, turn);
      const pointed = hovered >= 0 ? hovered : model.get("connection") - 1;
      const index = pointed < run.dim ? pointed : -1;
      learners[1].hide(all.length < 2);
      all.forEach((_, i) => {
        const budget = ASKING[isPlaying || !isThere ? 0 : 1] / all.length;
        if (isDue(0)) learners[i].ask(run, performance.now() + budget);
        if (isDue(0)) learners[i].drawMaps(run, shownExamples(run));
        if (isDue(1)) learners[i].drawNetwork(run, index);
      });
      drawn = run;
      if (isTurn(SELDOM, 1)) {
        for (const time of times) time.draw();
        const errors = tellAll(run, all);
        const connection = connectionTold(run, all, index);
        pointer.max = run.dim;
        write(sentence, connection || facts.words.point);
        write(notice, run.isEmpty ? facts.words.empty : isThere ? "" : fill(facts.words.behind, { wanted, done: run.round }));
        ui.tell(connection || `Round ${run.round}. ${errors.join("; ")}.`);
      }
      if (isBusy) ui.redraw();
    });
    return ui.dispose;
  },
};
