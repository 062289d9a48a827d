// Three ways to learn on one loss surface, and what the flow stands for: a point, a posterior and two ensembles.
import { choice, mount, play, seeds, slider, tag } from "../shared/kit.js";
import { drawMark, ellipse, line, plot, put, svg } from "../shared/plot.js";
import { Run } from "./scene.js";

const SETTINGS = ["surface", "flow", "truth", "eta", "std", "seed"];
const SIGMAS = 2; // of the ellipses
const CORNERS = 600; // of a path, about

/** Points out of pairs that lie one after the other. */
const pairs = (numbers) => Array.from({ length: numbers.length / 2 }, (_, i) => [numbers[2 * i], numbers[2 * i + 1]]);

/** A way up to a round: all of it, or every so many rounds and the end. */
function wayTo(way, now) {
  const step = 2 ** Math.max(0, Math.ceil(Math.log2((now + 1) / CORNERS)));
  const points = [];
  for (let n = 0; n < now; n += step) points.push([way[2 * n], way[2 * n + 1]]);
  return [...points, [way[2 * now], way[2 * now + 1]]];
}

/** A panel with the surface in it; `key` explains its marks. */
function surfacePanel(ui, title, key) {
  const range = [-4, 4];
  const p = plot(ui, { title, x: range, y: range, xlabel: "first weight", ylabel: "second weight", equal: true });
  const levels = svg(p.layer, "path", { fill: "none", stroke: "var(--faint)", "stroke-width": 0.8 });
  const optima = svg(p.layer, "g");
  const fit = svg(p.layer, "path", { fill: "none", stroke: "var(--prior)", "stroke-width": 1.3, "stroke-linecap": "round" });
  const inside = svg(p.layer, "g");
  tag(p.stage.parentNode, "p", { class: "bflo-help" }, key);
  return {
    p,
    inside,
    showSurface(surface, [x, y], lines) {
      p.set({ x, y });
      put(levels, { d: line(lines, p) });
      optima.replaceChildren();
      for (const [a, b] of surface.optima) drawMark(svg(optima, "g", { transform: `translate(${p.X(a)} ${p.Y(b)})` }), "cross", "var(--ink)", 8);
    },
    showExample(fitting, twoWells) {
      // The weights that fit the newest example: a dotted line, or a small x on each side.
      const mark = ([x, y]) => `M${p.X(x) - 4} ${p.Y(y) - 4}l8 8m0 -8l-8 8`;
      put(fit, { d: twoWells ? fitting.map(mark).join("") : line(fitting, p), "stroke-dasharray": twoWells ? undefined : "0.1 4" });
    },
  };
}

const round = (std) => [[std ** 2, 0], [0, std ** 2]];

/** Prior, way of the mean, and the mean itself, of a posterior or of a belief. */
function meanMarks({ p, inside }) {
  const prior = svg(inside, "path", { fill: "none", stroke: "var(--prior)", "stroke-width": 1.5 });
  const shape = svg(inside, "path", { fill: "var(--posterior)", "fill-opacity": 0.25, stroke: "var(--posterior)", "stroke-width": 2 });
  const way = svg(inside, "path", { fill: "none", stroke: "var(--ink)", "stroke-width": 1 });
  const mean = svg(inside, "rect", { width: 7, height: 7, fill: "var(--posterior)", stroke: "var(--ink)" });
  return (std, belief, corners) => {
    put(prior, { d: ellipse([0, 0], round(std), SIGMAS, p) });
    put(shape, { d: belief.outline ? line(belief.outline, p) : ellipse(belief.mean, belief.covariance, SIGMAS, p) });
    put(way, { d: line(corners, p) });
    put(mean, { x: p.X(belief.mean[0]) - 3.5, y: p.Y(belief.mean[1]) - 3.5 });
  };
}

/** The members of an ensemble: a line of no length with a round cap is a dot, so sixty of them are one element. */
function memberDots({ p, inside }) {
  const dots = svg(inside, "path", { stroke: "var(--posterior)", "stroke-width": 4, "stroke-linecap": "round" });
  return (members) => put(dots, { d: pairs(members).map(([x, y]) => `M${p.X(x).toFixed(1)} ${p.Y(y).toFixed(1)}h0`).join("") });
}

export default {
  render(view) {
    const ui = mount(view, "dynamics");
    const { model } = ui;
    const common = model.get("_about").facts;
    ui.watch([...SETTINGS, "round", "speed"]);
    for (const name of ["surface", "flow", "truth"]) choice(ui, { name });
    slider(ui, { name: "eta", usual: () => common.surfaces[model.get("surface")].eta });
    slider(ui, { name: "std" });
    seeds(ui, { title: "Other examples, another start" });
    let furthest = common.rounds; // what the slider of the rounds reaches: it grows with the rounds that are played
    const shown = () => {
      while (furthest < model.get("round")) furthest = Math.min(2 * furthest, ui.about("round").high);
      return furthest;
    };
    play(ui, { rounds: () => ui.about("round").high, shown });

    const example = "dotted, ×: what fits the newest example";
    const sgd = surfacePanel(ui, "SGD: a point moves", `+ optimum, ○ start, ● now; ${example}.`);
    const bayes = surfacePanel(ui, "Bayes filter: a posterior sharpens", "Outline: prior; filled: 86 % of the posterior; ■ its mean.");
    const flow = surfacePanel(ui, "Belief flow: an ensemble is carried", "Filled: 86 % of the belief; ○ → ● the sampled weight and its step.");
    const truth = surfacePanel(ui, "True ensemble: each weight steps", "Dots: weights that step by themselves; dashed: the belief of the flow.");
    const panels = [sgd, bayes, flow, truth];

    const path = svg(sgd.inside, "path", { fill: "none", stroke: "var(--sgd)", "stroke-opacity": 0.6 });
    const ends = ["var(--paper)", "var(--sgd)"].map((fill) => svg(sgd.inside, "circle", { r: 5, fill, stroke: "var(--sgd)", "stroke-width": 2 }));
    const showPosterior = meanMarks(bayes);
    const showCarried = memberDots(flow);
    const showBelief = meanMarks(flow);
    const move = svg(flow.inside, "g", { stroke: "var(--weight)", "stroke-width": 2 });
    const step = svg(move, "path", { "stroke-dasharray": "4 3" });
    const weights = ["var(--paper)", "var(--weight)"].map((fill) => svg(move, "circle", { r: 4.5, fill }));
    const prior = svg(truth.inside, "path", { fill: "none", stroke: "var(--prior)", "stroke-width": 1.5 });
    const believed = svg(truth.inside, "path", { fill: "none", stroke: "var(--posterior)", "stroke-width": 1.5, "stroke-dasharray": "5 3" });
    const showMembers = memberDots(truth);
    const notice = tag(ui.readout, "p", { class: "bflo-help" });
    const learners = panels.map(() => {
      const sentence = tag(ui.readout, "p");
      return [tag(sentence, "strong"), tag(sentence, "span")];
    });

    let run = null;
    let settings = "";
    let said = "";
    ui.onDraw(() => {
      const chosen = Object.fromEntries(SETTINGS.map((name) => [name, model.get(name)]));
      if (settings !== JSON.stringify(chosen)) {
        settings = JSON.stringify(chosen);
        run = new Run(common, chosen);
        const [ranges, lines] = [run.surface.window(chosen.std), run.surface.levels()];
        for (const panel of panels) panel.showSurface(run.surface, ranges, lines);
      }
      const frame = run.at(model.get("round"));
      panels.forEach((panel, i) => {
        panel.showExample(frame.fitting, run.surface.twoWells);
        panel.p.set({ alt: frame.sentences[i] });
        const [, name, rest] = frame.sentences[i].match(/^(.*?)( (?:is|has) .*)$/);
        learners[i][0].textContent = name;
        learners[i][1].textContent = rest;
      });
      notice.textContent = frame.notice;
      drawPoint(frame);
      showPosterior(chosen.std, frame.bayes, wayTo(run.ways.bayes, frame.now));
      showCarried(frame.cloud);
      showBelief(chosen.std, frame.belief, wayTo(run.ways.flow, frame.now));
      drawMove(frame);
      put(prior, { d: ellipse([0, 0], round(chosen.std), SIGMAS, truth.p) });
      put(believed, { d: ellipse(frame.belief.mean, frame.belief.covariance, SIGMAS, truth.p) });
      showMembers(frame.members);
      const spoken = `Round ${frame.now}. ${frame.sentences.join(" ")}`;
      if (said && said !== spoken) ui.say(spoken);
      said = spoken;
    });

    function drawPoint({ now, point }) {
      const { p } = sgd;
      put(path, { d: line(wayTo(run.ways.point, now), p) });
      [run.ways.point, point].forEach(([x, y], i) => put(ends[i], { cx: p.X(x), cy: p.Y(y) }));
    }

    function drawMove({ now, sampled, moved }) {
      const { p } = flow;
      put(move, { visibility: now ? "visible" : "hidden" });
      [sampled, moved].forEach(([x, y], i) => put(weights[i], { cx: p.X(x), cy: p.Y(y) }));
      put(step, { d: line([sampled, moved], p) });
    }
    return () => ui.dispose();
  },
};
