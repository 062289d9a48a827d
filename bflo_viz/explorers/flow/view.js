// One prior, one moved weight, three flows side by side: what each makes of the belief, and what that costs.
import { controls, format, group, mount, slider, tag, write } from "../shared/kit.js";
import { table } from "../shared/curves.js";
import { drawMark, ellipse, handle, plot, put, svg } from "../shared/plot.js";
import { NAMES, factorOf, flowsOf, gradientStep } from "./flows.js";
import { altOf, heldBack, placeInWords, resultOf, titleOf, turnInWords } from "./words.js";

const VIEWS = [3.2, 4.5, 6.5, 9, 13]; // half the width of the panels: the first that holds what is drawn
const FIELD = 9; // arrows a side
const LEVELS = 14;
const SAME = 0.5; // pixels: points that are nearer lie on each other

/** Show an element, or take it away. */
const show = (element, isShown) => (element.style.display = isShown ? "" : "none");

/** One panel, and how to draw a flow into it. */
function flowPanel(ui, name) {
  const isFirst = name === NAMES[0];
  const p = plot(ui, name, { x: [-VIEWS[0], VIEWS[0]], y: [-VIEWS[0], VIEWS[0]], height: 312, equal: true }); // a square
  const loss = p.path({ stroke: "var(--ink)", "stroke-width": 0.8, "stroke-opacity": 0.45 });
  const field = p.path({ stroke: "var(--faint)", "stroke-width": 1.4 });
  const filled = { stroke: "var(--posterior)", "stroke-width": 1.6, fill: "var(--posterior)", "fill-opacity": 0.2 };
  const posteriors = [2, 1].map((k) => [k, p.path(filled)]);
  const wanted = p.path({ stroke: "var(--prior)", "stroke-width": 1.2, "stroke-dasharray": "4 3" });
  const priors = [1, 2].map((k) => [k, p.path({ stroke: "var(--prior)", "stroke-width": 1.6 })]);
  const step = p.path({ stroke: "var(--weight)", "stroke-width": 1.8, "stroke-dasharray": "5 3" });
  const tip = p.path({ stroke: "none", style: "fill: var(--weight)" });
  const mark = (shape, color) => {
    const g = svg(p.layer, "g");
    drawMark(g, shape, color, 5);
    return g;
  };
  const [goal, before, after] = [mark("cross", "var(--ink)"), mark("square", "var(--prior)"), mark("square", "var(--posterior)")];
  show(before, !isFirst); // a handle is there
  put(after.firstChild, { fill: "var(--posterior)" });
  const [start, end] = [mark("hollow", "var(--weight)"), mark("full", "var(--weight)")];
  const names = ["w", "w′", "optimum"].map((text) => svg(p.over, "text", { "text-anchor": "middle", "pointer-events": "none" }, text));

  function draw(now, flow, half, truth) {
    const { prior, posterior, move } = flow;
    p.set({ x: [-half, half], y: [-half, half] });
    put(field, { d: arrows(move, half) });
    for (const [k, element] of posteriors) put(element, { d: ellipse(posterior.mean, posterior.factor, k, p) });
    for (const [k, element] of priors) put(element, { d: ellipse(prior.mean, prior.factor, k, p) });
    if (!isFirst) put(wanted, { d: ellipse(prior.mean, truth, 1, p) + ellipse(prior.mean, truth, 2, p) });
    const places = [[before, prior.mean], [after, posterior.mean], [start, now.w], [end, now.w_new], [goal, now.optimum]];
    for (const [element, place] of places) p.place(element, place);
    drawStep(now.w, now.w_new);
    for (const element of [goal, names[2], loss]) show(element, now.gradient_step);
    if (now.gradient_step) drawLoss(now.optimum, now.w_new, ui.facts.hessians[now.loss]);
  }

  /** Lines of equal loss around the optimum, and its name on the far side from w′. */
  function drawLoss([x, y], wNew, [[a, b], [, c]]) {
    const det = a * c - b * b;
    const level = [Math.sqrt(c / det), 0, -b / Math.sqrt(c * det), 1 / Math.sqrt(c)]; // a factor of the inverse: takes a circle to such a line
    put(loss, { d: Array.from({ length: LEVELS }, (_, i) => ellipse([x, y], level, i + 1, p)).join("") });
    const [side, up] = [x < wNew[0] ? -1 : 1, y < wNew[1] ? 1 : -1];
    put(names[2], { x: p.X(x) + 9 * side, y: p.Y(y) + 4 + 9 * up, "text-anchor": side < 0 ? "end" : "start" });
  }

  /** The dashed arrow from w to w′, and their names beyond its ends. */
  function drawStep(w, wNew) {
    const [x0, y0, x1, y1] = [p.X(w[0]), p.Y(w[1]), p.X(wNew[0]), p.Y(wNew[1])];
    const size = Math.hypot(x1 - x0, y1 - y0);
    const [x, y] = size > 0 ? [(x1 - x0) / size, (y1 - y0) / size] : [0, -1];
    const corner = (along, aside) => `${x1 - along * x - aside * y} ${y1 - along * y + aside * x}`;
    for (const element of [step, tip]) show(element, size > 16);
    put(step, { d: `M${x0 + 6 * x} ${y0 + 6 * y}L${x1 - 12 * x} ${y1 - 12 * y}` });
    put(tip, { d: `M${corner(6, 0)}L${corner(15, 4.5)}L${corner(15, -4.5)}Z` });
    put(names[0], { x: x0 - 17 * x, y: y0 - 17 * y + 4 });
    put(names[1], { x: x1 + 17 * x, y: y1 + 17 * y + 4 });
  }

  /** The field of a flow on a grid: where it takes the plane, shortened. */
  function arrows(move, half) {
    let path = "";
    for (let k = 0; k < FIELD * FIELD; k += 1) {
      const from = [(k % FIELD) + 0.5, Math.floor(k / FIELD) + 0.5].map((i) => half * ((2 * i) / FIELD - 1));
      const to = move(from);
      const [x0, y0] = [p.X(from[0]), p.Y(from[1])];
      const [dx, dy] = [(p.X(to[0]) - x0) / ui.facts.shortened, (p.Y(to[1]) - y0) / ui.facts.shortened];
      const size = Math.hypot(dx, dy);
      if (size < 1) {
        path += `M${x0 - 0.5} ${y0}h1`;
        continue;
      }
      const barb = Math.min(4, 0.5 * size) / size;
      const [x1, y1] = [x0 + dx, y0 + dy];
      const side = (s) => `L${(x1 - barb * (dx + s * dy)).toFixed(1)} ${(y1 - barb * (dy - s * dx)).toFixed(1)}`;
      const end = `${x1.toFixed(1)} ${y1.toFixed(1)}`;
      path += `M${x0.toFixed(1)} ${y0.toFixed(1)}L${end}${side(0.7)}M${end}${side(-0.7)}`;
    }
    return path;
  }
  return { p, draw };
}

/** The points that can be moved in the first panel, the topmost last: { points, goal, target, weight }. */
function handles(ui, p) {
  const { model } = ui;
  const within = (limit) => [p.x, p.y].map(([low, high]) => [Math.max(-limit, low), Math.min(limit, high)]);
  const point = (name, shape, color) => {
    const { label, high } = ui.about(name);
    const [get, set] = [() => model.get(name), (place) => ui.set({ [name]: place })];
    return handle(ui, p, { name, label, shape, color, get, set, text: placeInWords, bounds: () => within(high) });
  };

  // An axis has two ends; its handle stays at the one it was dragged to, though the angle is the same for both.
  const ends = [1, 1];
  const axes = ui.about("axes");
  const axis = (k) => ({
    name: `axis-${k}`,
    label: `${["First", "Second"][k]} axis of the prior`,
    shape: "ring",
    color: "var(--prior)",
    bounds: () => within(ui.about("mean").high + axes.high),
    text: () => `standard deviation ${format(model.get("axes")[k])} at ${format(model.get("angle") + 90 * k, 0)} degrees`,
    get() {
      const [along, mean] = [factorOf(model.get("axes"), model.get("angle")), model.get("mean")];
      return [mean[0] + ends[k] * along[k], mean[1] + ends[k] * along[2 + k]];
    },
    set([x, y]) {
      const [dx, dy] = [x - model.get("mean")[0], y - model.get("mean")[1]];
      const size = Math.max(axes.low, Math.min(axes.high, Number(Math.hypot(dx, dy).toFixed(2))));
      let angle = model.get("angle");
      if (dx !== 0 || dy !== 0) {
        const degrees = (180 / Math.PI) * Math.atan2(dy, dx) - 90 * k;
        angle = Number((((((degrees + 90) % 180) + 180) % 180) - 90).toFixed(1));
        if (Math.abs(angle - model.get("angle")) > 90) ends[1 - k] *= -1;
        const along = factorOf([1, 1], angle);
        ends[k] = dx * along[k] + dy * along[2 + k] < 0 ? -1 : 1;
      }
      ui.set({ axes: model.get("axes").map((other, i) => (i === k ? size : other)), angle });
    },
  });

  const mean = point("mean", "square", "var(--prior)");
  put(mean.element.querySelector("rect"), { fill: "none" }); // the posterior's mean may lie beneath
  const rings = [0, 1].map((k) => handle(ui, p, axis(k)));
  const [goal, target] = [point("optimum", "cross", "var(--ink)"), point("w_new", "full", "var(--weight)")];
  const weight = point("w", "hollow", "var(--weight)");
  const points = [mean, ...rings, goal, target, weight];

  // Where points lie close together, the nearest is taken; of those that lie on each other, the one that is seen.
  const take = (event) => {
    const pressed = event.target.closest("[data-handle]");
    if (!pressed || event.button || !event.isTrusted) return;
    const away = ({ element }) => {
      const box = element.getBoundingClientRect();
      return Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY);
    };
    const shown = points.filter(({ element }) => element.style.display !== "none");
    const nearest = shown.reduce((best, other) => (away(other) < away(best) + SAME ? other : best)).element;
    if (nearest === pressed) return;
    event.stopPropagation();
    event.preventDefault();
    nearest.dispatchEvent(new PointerEvent("pointerdown", event));
  };
  ui.listen(p.svg, "pointerdown", take, { capture: true });
  return { points, goal, target, weight };
}

const signed = (x) => (x > 0 && Number(x.toFixed(3)) > 0 ? "+" : "") + format(x, 3);

/** How far out anything is that is drawn. */
function farthest(now, flows) {
  const spread = ({ mean: [x, y], factor: [a, b, c, d] }) => [Math.abs(x) + 2 * Math.hypot(a, b), Math.abs(y) + 2 * Math.hypot(c, d)];
  const places = [now.w, now.w_new, now.gradient_step ? now.optimum : []].flat().map(Math.abs);
  return Math.max(...places, ...flows.flatMap((flow) => [...spread(flow.prior), ...spread(flow.posterior)]));
}

export default {
  render(view) {
    const ui = mount(view, "flow");
    const { facts } = ui;
    const { high: reach } = ui.about("w"); // no weight is further out
    const prior = group(ui, "Prior");
    for (const index of [0, 1]) slider(ui, { name: "axes", index, parent: prior });
    controls(ui, ["angle"], prior);
    controls(ui, ["rule", "non_expansive"], group(ui, "Flows"));
    const [, ...ofStep] = controls(ui, ["gradient_step", "loss", "eta"], group(ui, "Step"));

    const panels = NAMES.map((name) => flowPanel(ui, name));
    const { points, goal, target, weight } = handles(ui, panels[0].p);
    const sentence = tag(ui.readout, "p");
    const showNumbers = table(ui, ["flow", "KL (nats)", "entropy change (nats)", "turn"], NAMES);
    tag(ui.readout, "p", { class: "bflo-help" }, facts.note);

    // In a gradient step w′ follows from w; Python does the same, to the bit, so neither corrects the other.
    const stepOf = ({ w, optimum, loss, eta }, limit) => gradientStep(w, optimum, facts.hessians[loss], eta, limit);
    const follow = () => {
      const now = ui.state();
      const after = stepOf(now, reach);
      if (now.gradient_step && after.some((x, i) => Math.abs(x - now.w_new[i]) > 1e-12)) ui.set({ w_new: after });
    };
    ui.watch(["gradient_step", "w", "w_new", "optimum", "loss", "eta"], follow);
    follow();
    const stepInWords = (now) => {
      if (!now.gradient_step) return "";
      const free = stepOf(now, Infinity);
      const cut = free.some((x) => Math.abs(x) > reach) ? `; it would go to ${placeInWords(free)} but ends at ±${reach}` : "";
      return ` w′ is a gradient step from w: w − η H (w − optimum)${cut}.`;
    };
    /** Show a point or hide it; who was on it is then on w, and not at the top of the page. */
    const offer = ({ element }, isShown) => {
      if (!isShown && element.matches(":focus")) weight.element.focus({ preventScroll: true });
      show(element, isShown);
    };

    let half = VIEWS[0];
    ui.onDraw(() => {
      const now = ui.state();
      const flows = flowsOf(now);
      // While a point is held the panels keep their scale: under a pointer that does not move nothing may run away.
      if (!points.some((point) => point.isHeld())) half = VIEWS.find((size) => farthest(now, flows) < 0.95 * size) ?? VIEWS.at(-1);
      panels.forEach(({ p, draw }, i) => {
        draw(now, flows[i], half, flows[0].prior.factor);
        p.set({ title: titleOf(flows[i], flows, now, facts.titles), alt: altOf(flows[i]) });
      });
      for (const control of ofStep) control.disabled = !now.gradient_step;
      offer(goal, now.gradient_step);
      offer(target, !now.gradient_step);
      for (const point of points) point.draw();
      for (const { name, kl, entropyChange, turn } of flows) showNumbers(name, [format(kl, 3), signed(entropyChange), turnInWords(turn)]);
      write(sentence, resultOf(now, flows) + heldBack(now, flows) + stepInWords(now));
      ui.tell(sentence.textContent);
    });
    return ui.dispose;
  },
};
