// Three ways to learn on one loss surface: a point, a posterior and an ensemble, round by round.
import { awaitRun, button, choice, format, mount, needsPython, nextSeed, play, tag, unpack } from "../shared/kit.js";
import { drawMark, ellipse, line, plot, put, svg } from "../shared/plot.js";

const TOO_SURE = 3; // so many standard deviations between a belief and the optimum are too many
const CHOSEN = 0.95; // of a belief on one side: it has chosen a well
const SIGMAS = 2; // of the ellipses
const LEARNERS = ["SGD", "Bayes’ posterior", "The belief flow"]; // the first words of their sentences

/** The run on one surface, its arrays ready to be read. */
function openRun(run) {
  const read = (entries) => Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, unpack(entry)]));
  const { arrays, facts, ...rest } = run;
  return { ...rest, ...read(arrays), facts: read(facts), twoWells: run.optima.length === 2 };
}

/** Rows of two numbers out of an array: all of one index, or those before an end. */
function pairs(array, { of, until } = {}) {
  const rows = array.shape.at(-2);
  const from = of === undefined ? 0 : of * rows;
  return Array.from({ length: until ?? rows }, (_, i) => [array.values[2 * (from + i)], array.values[2 * (from + i) + 1]]);
}

/** One row of two numbers. */
const pair = (array, i) => [array.at(i, 0), array.at(i, 1)];

/** The covariance after a round. */
const matrix = (array, i) => [0, 1].map((row) => [array.at(i, row, 0), array.at(i, row, 1)]);

/** Where each learner is, how far from the nearest optimum, and how sure of it: the sentences of words.py. */
function sayAll(run, now) {
  const fact = (name, k) => (k === undefined ? run.facts[name].at(now) : run.facts[name].at(now, k));
  const side = (x) => (x >= 0 ? "right" : "left");
  const optimum = (x) => (run.twoWells ? `${side(x)} optimum` : "optimum");
  const place = ([x, y], sign = "") => `(${sign}${format(x)}, ${format(y)})`;
  const fromTo = (name) => `from ${format(fact(name, 0))} to ${format(fact(name, 1))}`;
  const [point, mean, center] = [run.points, run.bayesMean, run.flowMean].map((array) => pair(array, now));
  const sgd =
    `${LEARNERS[0]} is at ${place(point)}, ${format(fact("sgd_away"))} from the ${optimum(point[0])}; ` +
    "a point cannot say how sure it is.";
  let flow =
    `${LEARNERS[2]} has its mean at ${place(center)}, ${format(fact("flow_away"))} from the ${optimum(center[0])}, ` +
    `and standard deviations ${fromTo("flow_std")}; `;
  if (!run.twoWells) {
    const bayes =
      `${LEARNERS[1]} has its mean at ${place(mean)}, ${format(fact("bayes_away"))} from the optimum, and standard ` +
      `deviations ${fromTo("bayes_std")}; the optimum is ${format(fact("bayes_far"), 1)} of them away.`;
    flow += `the optimum is ${format(fact("flow_far"), 1)} of them away${fact("flow_far") > TOO_SURE ? ": it is too sure" : ""}.`;
    return [sgd, bayes, flow];
  }
  const apart = pairs(run.outline, { of: now }).some(([x]) => Number.isNaN(x));
  const bayes =
    `${LEARNERS[1]} has half of itself on each side, around ${place(pair(run.hill, now), "±")}, ` +
    `${format(fact("bayes_away"))} from the optima, with standard deviations ${fromTo("bayes_std")}; ` +
    `${apart ? `its mean ${place(mean)} is on the ridge between them` : "the halves still meet"}.`;
  const right = fact("flow_right");
  const chosen = Math.abs(right - 0.5) > CHOSEN - 0.5 ? `has chosen the ${side(right - 0.5)} well` : "lies across both wells";
  flow += `${format(100 * right, 0)} % of it is on the right: it ${chosen}.`;
  return [sgd, bayes, flow];
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
    show(run) {
      p.set({ x: run.x, y: run.y });
      put(levels, { d: line(pairs(run.levels), p) });
      optima.replaceChildren();
      for (const [x, y] of run.optima) drawMark(svg(optima, "g", { transform: `translate(${p.X(x)} ${p.Y(y)})` }), "cross", "var(--ink)", 8);
    },
    showExample(run, now) {
      // The weights that fit the newest example: a dotted line, or a small x on each side.
      const fitting = now ? pairs(run.fitting, { of: now - 1 }) : [];
      const mark = ([x, y]) => `M${p.X(x) - 4} ${p.Y(y) - 4}l8 8m0 -8l-8 8`;
      put(fit, { d: run.twoWells ? fitting.map(mark).join("") : line(fitting, p), "stroke-dasharray": run.twoWells ? undefined : "0.1 4" });
    },
  };
}

/** Prior, way of the mean, and the mean itself, of a posterior or of a belief. */
function meanMarks({ p, inside }) {
  const thin = { fill: "none", stroke: "var(--ink)", "stroke-width": 1 };
  const prior = svg(inside, "path", { fill: "none", stroke: "var(--prior)", "stroke-width": 1.5 });
  const shape = svg(inside, "path", { fill: "var(--posterior)", "fill-opacity": 0.25, stroke: "var(--posterior)", "stroke-width": 2 });
  const way = svg(inside, "path", thin);
  const mean = svg(inside, "rect", { width: 7, height: 7, fill: "var(--posterior)", stroke: "var(--ink)" });
  return (means, covariances, now, outline) => {
    put(prior, { d: ellipse(pair(means, 0), matrix(covariances, 0), SIGMAS, p) });
    put(shape, { d: outline ? line(outline, p) : ellipse(pair(means, now), matrix(covariances, now), SIGMAS, p) });
    put(way, { d: line(pairs(means, { until: now + 1 }), p) });
    const [x, y] = pair(means, now);
    put(mean, { x: p.X(x) - 3.5, y: p.Y(y) - 3.5 });
  };
}

export default {
  render(view) {
    const ui = mount(view, "dynamics");
    const { model } = ui;
    ui.watch(["surface", "seed", "round", "speed", "_run"]);
    choice(ui, { name: "surface" });
    const seeds = tag(ui.controls, "div", { class: "bflo-field" });
    const another = button(ui, {
      name: "new_seed",
      label: "New seed",
      title: "Other examples, another start",
      action: () => ui.set({ seed: nextSeed(ui) }),
      parent: seeds,
    });
    const seed = tag(seeds, "output");
    needsPython(ui, { seed: another });
    awaitRun(ui, () => model.get("_run").of !== model.get("seed"));

    let opened = { of: null };
    const current = () => {
      const all = model.get("_run");
      if (opened.of !== all) opened = { of: all };
      return (opened[model.get("surface")] ??= openRun(all[model.get("surface")]));
    };
    play(ui, { rounds: () => current().points.shape[0] - 1 });

    const example = "dotted (or ×): weights that fit the newest example";
    const sgd = surfacePanel(ui, "SGD: a point moves", `+ optimum, ○ start, ● now; ${example}.`);
    const bayes = surfacePanel(ui, "Bayes filter: a posterior sharpens", "Outline: prior; filled: 86 % of the posterior; ■ its mean.");
    const flow = surfacePanel(ui, "Belief flow: an ensemble moves", "Dots: ensemble; filled: 86 % of the belief; ○ → ● the sampled weight and its step.");
    const panels = [sgd, bayes, flow];

    const path = svg(sgd.inside, "path", { fill: "none", stroke: "var(--sgd)", "stroke-opacity": 0.6 });
    const ends = ["var(--paper)", "var(--sgd)"].map((fill) => svg(sgd.inside, "circle", { r: 5, fill, stroke: "var(--sgd)", "stroke-width": 2 }));
    const showPosterior = meanMarks(bayes);
    const members = svg(flow.inside, "path", { stroke: "var(--posterior)", "stroke-width": 4, "stroke-linecap": "round" });
    const showBelief = meanMarks(flow);
    const move = svg(flow.inside, "g", { stroke: "var(--weight)", "stroke-width": 2 });
    const step = svg(move, "path", { "stroke-dasharray": "4 3" });
    const weights = ["var(--paper)", "var(--weight)"].map((fill) => svg(move, "circle", { r: 4.5, fill }));
    const notice = tag(ui.readout, "p", { class: "bflo-help" });
    const learners = LEARNERS.map((name) => {
      const sentence = tag(ui.readout, "p");
      tag(sentence, "strong", {}, name);
      return tag(sentence, "span");
    });

    let surface = null;
    let said = "";
    ui.onDraw(() => {
      const run = current();
      const now = Math.min(model.get("round"), run.points.shape[0] - 1);
      if (run !== surface) {
        for (const panel of panels) panel.show(run);
        notice.textContent = run.notice;
        surface = run;
      }
      seed.textContent = `seed ${model.get("_run").of}`;
      const words = sayAll(run, now);
      panels.forEach((panel, i) => {
        panel.showExample(run, now);
        panel.p.set({ alt: words[i] });
        learners[i].textContent = words[i].slice(LEARNERS[i].length);
      });
      drawPoint(run, now);
      showPosterior(run.bayesMean, run.bayesCovariance, now, run.twoWells && pairs(run.outline, { of: now }));
      showBelief(run.flowMean, run.flowCovariance, now);
      drawEnsemble(run, now);
      const spoken = `Round ${now}. ${words.join(" ")}`;
      if (said && said !== spoken) ui.say(spoken);
      said = spoken;
    });

    function drawPoint(run, now) {
      const { p } = sgd;
      put(path, { d: line(pairs(run.points, { until: now + 1 }), p) });
      [0, now].forEach((at, i) => put(ends[i], { cx: p.X(run.points.at(at, 0)), cy: p.Y(run.points.at(at, 1)) }));
    }

    function drawEnsemble(run, now) {
      const { p } = flow;
      // A line of no length with a round cap is a dot: sixty members are one element.
      put(members, { d: pairs(run.clouds, { of: now }).map(([x, y]) => `M${p.X(x).toFixed(1)} ${p.Y(y).toFixed(1)}h0`).join("") });
      put(move, { visibility: now ? "visible" : "hidden" });
      if (!now) return;
      const moved = [run.sampled, run.moved].map((array) => pair(array, now - 1));
      moved.forEach(([x, y], i) => put(weights[i], { cx: p.X(x), cy: p.Y(y) }));
      put(step, { d: line(moved, p) });
    }
    return () => ui.dispose();
  },
};
