// Three ways to learn on one loss surface, and what the flow stands for: a point, a posterior and two ensembles.
import { controls, mount, play, remembered, seeds, slider, tag, write } from "../shared/kit.js";
import { drawMark, ellipse, line, move, plot, put, svg } from "../shared/plot.js";
import { Run, pairs } from "./scene.js";
import { noticeOf, sentencesOf } from "./words.js";

const SIGMAS = 2; // of the ellipses
const CORNERS = 600; // of a path, about
const KEYS = {
  sgd: "+ optimum, ○ start, ● now; dotted, ×: what fits the newest example.",
  bayes: "Outline: prior; filled: 86 % of the posterior; ■ its mean.",
  flow: "Filled: 86 % of the belief; ○ → ● the sampled weight and its step.",
  ensemble: "Dots: weights that step by themselves; dashed: the belief of the flow.",
};

/** A way up to a round: all of it, or every so many rounds and the end. */
function wayTo({ rounds }, now, place) {
  const step = 2 ** Math.max(0, Math.ceil(Math.log2((now + 1) / CORNERS)));
  return rounds.slice(0, now + 1).filter((_, n) => n % step === 0 || n === now).map(place);
}

/** A panel with the surface in it, and below it what its marks mean. */
function surfacePanel(ui, name) {
  const p = plot(ui, name, { x: [-4, 4], y: [-4, 4], equal: true });
  const levels = p.path({ stroke: "var(--faint)", "stroke-width": 0.8 });
  const optima = svg(p.layer, "g");
  const fit = p.path({ stroke: "var(--prior)", "stroke-width": 1.3, "stroke-linecap": "round" });
  tag(p.stage.parentNode, "p", { class: "bflo-help" }, KEYS[name]);
  return Object.assign(p, {
    showSurface(surface, std) {
      const [x, y] = surface.window(std);
      p.set({ x, y });
      put(levels, { d: line(surface.levels(), p) });
      optima.replaceChildren();
      for (const optimum of surface.optima) drawMark(p.place(svg(optima, "g"), optimum), "cross", "var(--ink)", 8);
    },
    showExample(fitting, twoWells) {
      // The weights that fit the newest example: a dotted line, or a small x on each side.
      const mark = ([x, y]) => `M${p.X(x) - 4} ${p.Y(y) - 4}l8 8m0 -8l-8 8`;
      put(fit, { d: twoWells ? fitting.map(mark).join("") : line(fitting, p), "stroke-dasharray": twoWells ? undefined : "0.1 4" });
    },
  });
}

const outline = (p, look) => {
  const path = p.path({ stroke: "var(--prior)", "stroke-width": 1.5, ...look });
  return (mean, factor) => put(path, { d: ellipse(mean, factor, SIGMAS, p) });
};

/** Prior, way of the mean, and the mean itself, of a posterior or of a belief. */
function meanMarks(p) {
  const prior = outline(p);
  const shape = p.path({ fill: "var(--posterior)", "fill-opacity": 0.25, stroke: "var(--posterior)", "stroke-width": 2 });
  const way = p.path({ stroke: "var(--ink)" });
  const mean = svg(p.layer, "rect", { x: -3.5, y: -3.5, width: 7, height: 7, fill: "var(--posterior)", stroke: "var(--ink)" });
  return (std, belief, corners) => {
    prior([0, 0], [std, 0, 0, std]);
    put(shape, { d: belief.outline ? line(belief.outline, p) : ellipse(belief.mean, belief.factor, SIGMAS, p) });
    put(way, { d: line(corners, p) });
    p.place(mean, belief.mean);
  };
}

/** The members of an ensemble: a line of no length with a round cap is a dot, so sixty of them are one element. */
function memberDots(p) {
  const dots = p.path({ stroke: "var(--posterior)", "stroke-width": 4, "stroke-linecap": "round" });
  return (members) => put(dots, { d: pairs(members).map(([x, y]) => `M${p.X(x).toFixed(1)} ${p.Y(y).toFixed(1)}h0`).join("") });
}

export default {
  render(view) {
    const ui = mount(view, "dynamics");
    const { model, facts } = ui;
    controls(ui, ["surface", "flow", "truth"]);
    slider(ui, { name: "eta", usual: () => facts.surfaces[model.get("surface")].eta });
    controls(ui, ["std"]);
    seeds(ui);
    play(ui);

    const panels = Object.keys(KEYS).map((name) => surfacePanel(ui, name));
    const [sgd, bayes, flow, ensemble] = panels;
    const showPoint = move(sgd, "var(--sgd)", 5);
    const showPosterior = meanMarks(bayes);
    const showCarried = memberDots(flow);
    const showBelief = meanMarks(flow);
    const showStep = move(flow, "var(--weight)", 4.5, "4 3");
    const showPrior = outline(ensemble);
    const showBelieved = outline(ensemble, { stroke: "var(--posterior)", "stroke-dasharray": "5 3" });
    const showMembers = memberDots(ensemble);
    const notice = tag(ui.readout, "p", { class: "bflo-help" });
    const learners = panels.map(() => {
      const sentence = tag(ui.readout, "p");
      return [tag(sentence, "strong"), tag(sentence, "span")];
    });

    const runOf = remembered(ui, ["surface", "flow", "truth", "eta", "std", "seed"], (settings) => {
      const run = new Run(facts, settings);
      for (const panel of panels) panel.showSurface(run.surface, settings.std);
      return run;
    });
    ui.onDraw(() => {
      const [run, std] = [runOf(), model.get("std")];
      const frame = run.at(model.get("round"));
      const { now, belief } = frame;
      const sentences = sentencesOf(run.settings.surface, frame, facts.tooSure);
      panels.forEach((panel, i) => {
        panel.showExample(frame.fitting, run.surface.twoWells);
        panel.set({ alt: sentences[i].join("") });
        learners[i].forEach((element, part) => write(element, sentences[i][part]));
      });
      write(notice, noticeOf(run.settings, frame));
      showPoint(wayTo(run, now, ({ point }) => point));
      showPosterior(std, frame.bayes, wayTo(run, now, ({ bayesMean }) => bayesMean));
      showCarried(frame.cloud);
      showBelief(std, belief, wayTo(run, now, (round) => round.belief.mean));
      showStep(now ? [frame.sampled, frame.moved] : []);
      showPrior([0, 0], [std, 0, 0, std]);
      showBelieved(belief.mean, belief.factor);
      showMembers(frame.members);
      ui.tell(`Round ${now}. ${sentences.map((parts) => parts.join("")).join(" ")}`);
    });
    return ui.dispose;
  },
};
