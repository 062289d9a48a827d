// One prior, one moved weight, three flows side by side: what each makes of the belief, and what that costs.
import { HESSIANS, factorOf, gradientStep, inverse } from "../shared/maths.js";
import { choice, flag, format, group, mount, slider, tag } from "../shared/kit.js";
import { drawMark, ellipse, handle, plot, put, svg } from "../shared/plot.js";
import { NAMES, altOf, degreesOf, flowsOf, hardlyTurns, heldBack, placeInWords, titleOf, whyLeast } from "./words.js";

const VIEWS = [3.2, 4.5, 6.5, 9, 13]; // half the width of the panels: the first that holds what is drawn
const FIELD = 9; // arrows a side
const SHORTENED = 4; // arrows at their full length would hide the beliefs
const LEVELS = 14;
const SAME = 0.5; // pixels: points that are nearer lie on each other
const NOTE =
  `Grey outlines: prior, at 1 and 2 σ; filled: posterior. Arrows show where a flow takes the plane, at 1/${SHORTENED} of their length. ` +
  "The diagonal and the spherical flow start from the belief of their type that is nearest to the ellipse (least KL from it); the ellipse is dashed there.";
const TRAITS = ["mean", "axes", "angle", "w", "w_new", "rule", "non_expansive", "gradient_step", "loss", "optimum", "eta"];

/** One panel, and how to draw a flow into it. */
function flowPanel(ui, first) {
  const p = plot(ui, {
    x: [-VIEWS[0], VIEWS[0]],
    y: [-VIEWS[0], VIEWS[0]],
    xlabel: "first weight",
    ylabel: "second weight",
    height: 312, // its field is square
    equal: true,
  });
  const path = (look) => svg(p.layer, "path", { fill: "none", ...look });
  const loss = path({ stroke: "var(--ink)", "stroke-width": 0.8, "stroke-opacity": 0.45 });
  const field = path({ stroke: "var(--faint)", "stroke-width": 1.4 });
  const posteriors = [2, 1].map((k) => [k, path({ stroke: "var(--posterior)", "stroke-width": 1.6, fill: "var(--posterior)", "fill-opacity": 0.2 })]);
  const wanted = first ? null : path({ stroke: "var(--prior)", "stroke-width": 1.2, "stroke-dasharray": "4 3" });
  const priors = [1, 2].map((k) => [k, path({ stroke: "var(--prior)", "stroke-width": 1.6 })]);
  const step = path({ stroke: "var(--weight)", "stroke-width": 1.8, "stroke-dasharray": "5 3" });
  const tip = path({ stroke: "none", style: "fill: var(--weight)" });
  const mark = (shape, color, parent = p.layer) => {
    const g = svg(parent, "g");
    drawMark(g, shape, color, 5);
    return g;
  };
  const goal = mark("cross", "var(--ink)");
  const before = mark("square", "var(--prior)");
  if (first) before.style.display = "none"; // a handle is there
  const after = svg(p.layer, "g");
  put(drawMark(after, "square", "var(--posterior)", 5), { fill: "var(--posterior)" });
  const [start, end] = [mark("hollow", "var(--weight)"), mark("full", "var(--weight)")];
  const names = ["w", "w′", "optimum"].map((text) =>
    svg(p.over, "text", { class: "bflo-name", "text-anchor": "middle", "pointer-events": "none", style: "paint-order: stroke; stroke: var(--paper); stroke-width: 3px" }, text),
  );
  const at = (element, [x, y]) => put(element, { transform: `translate(${p.X(x).toFixed(2)} ${p.Y(y).toFixed(2)})` });

  function draw(now, flow, half, truth) {
    p.set({ x: [-half, half], y: [-half, half] });
    put(field, { d: arrows(flow.move, half) });
    for (const [k, element] of posteriors) put(element, { d: ellipse(flow.mean, flow.covariance, k, p) });
    for (const [k, element] of priors) put(element, { d: ellipse(now.mean, flow.prior, k, p) });
    if (wanted) put(wanted, { d: ellipse(now.mean, truth, 1, p) + ellipse(now.mean, truth, 2, p) });
    at(before, now.mean);
    at(after, flow.mean);
    at(start, now.w);
    at(end, now.w_new);
    drawStep(now.w, now.w_new);
    goal.style.display = names[2].style.display = now.gradient_step ? "" : "none";
    at(goal, now.optimum);
    nameGoal(now.optimum, now.w_new);
    const shape = inverse(HESSIANS[now.loss]);
    const levels = now.gradient_step ? Array.from({ length: LEVELS }, (_, i) => ellipse(now.optimum, shape, i + 1, p)) : [];
    put(loss, { d: levels.join("") });
  }

  /** The name of the optimum, on its far side from w′. */
  function nameGoal(optimum, wNew) {
    const side = optimum[0] < wNew[0] ? -1 : 1;
    const up = optimum[1] < wNew[1] ? 1 : -1;
    put(names[2], { x: p.X(optimum[0]) + 9 * side, y: p.Y(optimum[1]) + 4 + 9 * up, "text-anchor": side < 0 ? "end" : "start" });
  }

  /** The dashed arrow from w to w′, and their names beyond its ends. */
  function drawStep(w, wNew) {
    const [x0, y0, x1, y1] = [p.X(w[0]), p.Y(w[1]), p.X(wNew[0]), p.Y(wNew[1])];
    const size = Math.hypot(x1 - x0, y1 - y0);
    const [x, y] = size > 0 ? [(x1 - x0) / size, (y1 - y0) / size] : [0, -1];
    const shown = size > 16;
    put(step, { d: shown ? `M${x0 + 6 * x} ${y0 + 6 * y}L${x1 - 12 * x} ${y1 - 12 * y}` : "" });
    const corner = (along, aside) => `${x1 - along * x - aside * y} ${y1 - along * y + aside * x}`;
    put(tip, { d: shown ? `M${corner(6, 0)}L${corner(15, 4.5)}L${corner(15, -4.5)}Z` : "" });
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
      const [dx, dy] = [(p.X(to[0]) - x0) / SHORTENED, (p.Y(to[1]) - y0) / SHORTENED];
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

/** A small table of what each flow costs. */
function costTable(ui) {
  const table = tag(tag(ui.readout, "div", { class: "bflo-table", tabindex: 0, role: "group", "aria-label": "Numbers" }), "table");
  const head = tag(tag(table, "thead"), "tr");
  for (const text of ["flow", "KL (nats)", "entropy change (nats)", "turn"]) tag(head, "th", { scope: "col" }, text);
  const body = tag(table, "tbody");
  const rows = NAMES.map((name) => {
    const row = tag(body, "tr");
    tag(row, "th", { scope: "row" }, name);
    return [0, 1, 2].map(() => tag(row, "td"));
  });
  return (flows) =>
    flows.forEach(({ kl, entropyChange, turn }, i) => {
      const texts = [format(kl, 3), signed(entropyChange), turn === 0 ? "none" : hardlyTurns(turn) ? "hardly any" : degreesOf(turn)];
      texts.forEach((text, k) => write(rows[i][k], text));
    });
}

/** Change words only if they are others: the page is laid out anew for each change. */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

const signed = (x) => (x > 0 && Number(x.toFixed(3)) > 0 ? "+" : "") + format(x, 3);

export default {
  render(view) {
    const ui = mount(view, "flow");
    const { model } = ui;
    const reach = ui.about("w").high; // no weight is further out
    const state = () => Object.fromEntries(TRAITS.map((name) => [name, model.get(name)]));
    ui.watch(TRAITS);

    const prior = group(ui, "Prior");
    for (const index of [0, 1]) slider(ui, { name: "axes", index, parent: prior });
    slider(ui, { name: "angle", parent: prior });
    const rules = group(ui, "Flows");
    choice(ui, { name: "rule", parent: rules });
    flag(ui, { name: "non_expansive", parent: rules });
    const steps = group(ui, "Step");
    flag(ui, { name: "gradient_step", parent: steps });
    const ofStep = [choice(ui, { name: "loss", parent: steps }), slider(ui, { name: "eta", parent: steps })];

    const panels = NAMES.map((_, i) => flowPanel(ui, i === 0));
    const first = panels[0].p;
    const sentence = tag(ui.readout, "p");
    const fill = costTable(ui);
    tag(ui.readout, "p", { class: "bflo-note" }, NOTE);

    // In a gradient step w′ follows from w; Python does the same, to the bit, so neither corrects the other.
    const follow = () => {
      const { gradient_step: on, w, w_new: wNew, optimum, loss, eta } = state();
      if (!on) return;
      const target = gradientStep(w, optimum, HESSIANS[loss], eta, reach);
      if (target.some((x, i) => Math.abs(x - wNew[i]) > 1e-12)) ui.set({ w_new: target });
    };
    ui.watch(["gradient_step", "w", "w_new", "optimum", "loss", "eta"], follow);
    follow();

    // While a point is held the panels keep their scale: under a pointer that does not move nothing may run away.
    let held = false;
    let half = VIEWS[0];
    let moved = null; // the words for where a point was moved to since the last frame
    const within = (limit) => [0, 1].map((i) => [Math.max(-limit, [first.x, first.y][i][0]), Math.min(limit, [first.x, first.y][i][1])]);
    const point = (options, limit) => {
      const set = (place) => {
        options.set(place);
        moved = () => `${options.label}: ${options.text(options.get())}. `;
        ui.redraw(); // also where it could go no further
      };
      const made = handle(ui, first, { ...options, set, get bounds() { return within(limit); } });
      ui.listen(made.element, "pointerdown", (event) => (held ||= !event.button));
      for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) {
        ui.listen(made.element, type, () => {
          held = false;
          ui.redraw();
        });
      }
      return made;
    };
    const plain = (name, shape, color) => {
      const { label, high } = ui.about(name);
      return point({ name, label, shape, color, get: () => model.get(name), set: (place) => ui.set({ [name]: place }), text: placeInWords }, high);
    };

    // An axis has two ends; its handle stays at the one it was dragged to, though the angle is the same for both.
    const ends = [1, 1];
    const axes = ui.about("axes");
    const axisEnd = (k) => {
      const [along, mean] = [factorOf(model.get("axes"), model.get("angle")), model.get("mean")];
      return [mean[0] + ends[k] * along[0][k], mean[1] + ends[k] * along[1][k]];
    };
    const setAxis = (k) => ([x, y]) => {
      const [dx, dy] = [x - model.get("mean")[0], y - model.get("mean")[1]];
      const size = Math.max(axes.low, Math.min(axes.high, Math.round(100 * Math.hypot(dx, dy)) / 100));
      const was = model.get("angle");
      let angle = was;
      if (dx !== 0 || dy !== 0) {
        const degrees = Math.round((1800 / Math.PI) * Math.atan2(dy, dx)) / 10 - 90 * k;
        angle = Number((((((degrees + 90) % 180) + 180) % 180) - 90).toFixed(1));
        if (Math.abs(angle - was) > 90) ends[1 - k] *= -1;
        const along = factorOf([1, 1], angle);
        ends[k] = dx * along[0][k] + dy * along[1][k] < 0 ? -1 : 1;
      }
      ui.set({ axes: model.get("axes").map((other, i) => (i === k ? size : other)), angle });
    };
    const axisInWords = (k) => () => `standard deviation ${format(model.get("axes")[k])} at ${format(model.get("angle") + 90 * k, 0)} degrees`;
    const axis = (k) =>
      point({ name: `axis-${k}`, label: `${["First", "Second"][k]} axis of the prior`, shape: "ring", color: "var(--prior)", get: () => axisEnd(k), set: setAxis(k), text: axisInWords(k) }, ui.about("mean").high + axes.high);

    const goal = plain("optimum", "cross", "var(--ink)");
    const points = [plain("mean", "square", "var(--prior)"), axis(0), axis(1), goal];
    put(points[0].element.querySelector("rect"), { fill: "none" }); // the posterior's mean may lie beneath
    const target = plain("w_new", "full", "var(--weight)");
    const weight = plain("w", "hollow", "var(--weight)");
    points.push(target, weight);

    // Where points lie close together, the nearest is taken; of those that lie on each other, the one that is seen.
    ui.listen(first.svg, "pointerdown", (event) => {
      const pressed = event.target.closest("[data-handle]");
      if (!pressed || event.button || !event.isTrusted) return;
      const away = ({ element }) => {
        const box = element.getBoundingClientRect();
        return Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY);
      };
      const shown = points.filter(({ element }) => element.style.display !== "none");
      const nearest = shown.reduce((best, one) => (away(one) < away(best) + SAME ? one : best)).element;
      if (nearest === pressed) return;
      event.stopPropagation();
      event.preventDefault();
      nearest.dispatchEvent(new PointerEvent("pointerdown", event));
    }, { capture: true });

    const farthest = (now, flows) => {
      const spread = (mean, [[a], [, d]]) => [Math.abs(mean[0]) + 2 * Math.sqrt(a), Math.abs(mean[1]) + 2 * Math.sqrt(d)];
      const places = [now.w, now.w_new, ...(now.gradient_step ? [now.optimum] : [])].flat().map(Math.abs);
      return Math.max(...places, ...flows.flatMap((flow) => [...spread(now.mean, flow.prior), ...spread(flow.mean, flow.covariance)]));
    };
    const stepInWords = (now) => {
      if (!now.gradient_step) return "";
      const free = gradientStep(now.w, now.optimum, HESSIANS[now.loss], now.eta);
      const cut = free.some((x) => Math.abs(x) > reach) ? `; it would go to ${placeInWords(free)} but ends at ±${reach}` : "";
      return ` w′ is a gradient step from w: w − η H (w − optimum)${cut}.`;
    };

    /** Show a point or hide it; who was on it is then on w, and not at the top of the page. */
    const show = ({ element }, shown) => {
      if (!shown && element.matches(":focus")) weight.element.focus({ preventScroll: true });
      element.style.display = shown ? "" : "none";
    };
    /** Write the result and announce it, after the place of a point that was moved. */
    const tell = (text) => {
      const changed = sentence.textContent && sentence.textContent !== text; // what is there at first is read anyway
      if (moved || changed) ui.say(`${moved?.() ?? ""}${text}`);
      moved = null;
      write(sentence, text);
    };

    ui.onDraw(() => {
      const now = state();
      const flows = flowsOf(now);
      if (!held) half = VIEWS.find((size) => farthest(now, flows) < 0.95 * size) ?? VIEWS.at(-1);
      panels.forEach((panel, i) => {
        const flow = flows[i];
        panel.draw(now, flow, half, flows[0].prior);
        panel.p.set({ title: titleOf(flow, flows), alt: altOf(flow, now) });
      });
      for (const control of ofStep) control.disabled = !now.gradient_step;
      show(goal, now.gradient_step);
      show(target, !now.gradient_step);
      for (const one of points) one.draw();
      fill(flows);
      tell(whyLeast(now, flows) + heldBack(now, flows) + stepInWords(now));
    });
    return () => ui.dispose();
  },
};
