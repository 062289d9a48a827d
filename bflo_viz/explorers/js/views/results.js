// The paper's tables beside ours: switches for what the text leaves open, one number to drive down, and every cell.
import { STILL, explorer } from "../kit.js";
import { clamp, cursor, curve, dots, el, format, mix, outline, say, shade, shape, smooth, text, upright } from "../marks.js";
import { Bench } from "./results_numbers.js";
import { names } from "./rounds.js";

const MEASURES = ["online", "final"];
const MS = 650; // that a turned switch takes to be seen in the table
const FULL = 10; // points from which on the colour of a deviation is the strongest
const BLOCKS = 50; // of rounds in a learning curve
const OPEN = { split: "order", expansion: "never", prediction: "sample", bflo_expansion: "never" }; // the text does not settle these
const signed = (x) => (Math.abs(x) < 0.05 ? "0.0" : (x > 0 ? "+" : "") + format(x, 1));

/** What the text has to say of an option, in two or three words. */
const brief = (mark) => (/against/.test(mark) ? "against the text" : /not say/.test(mark) ? "the text is silent" : mark.split(",")[0]);

export default explorer("results", (ui) => {
  const benches = Object.fromEntries(Object.entries(ui.constants.tables).map(([name, of]) => [name, new Bench(of)]));
  ui.benches = benches; // for tests
  const all = Object.values(benches).flatMap((bench) => bench.options);
  const end = (which) => Object.fromEntries(all.map(([name, options]) => [name, options.at(which)]));
  const table = ui.panel("table");
  const moves = ui.panel("moves", { xticks: [0, 1, 2, 3, 4, 5], xlabel: "switches turned", log: true, margin: { left: 30, right: 6, top: 10 } });
  const detail = ui.panel("detail", { xlabel: "error (%)", yticks: null, margin: { left: 4, right: 8, top: 18 } });
  const learning = ui.panel("learning", { xlabel: "thousand rounds", ylabel: "mistakes (%)", margin: { left: 34, right: 66, top: 18 } });
  ui.layout('"moves table table" 226px ". table table" 148px ". detail learning" 1fr / 216px 1fr 1fr');
  table.root.remove(); // its picture is made of buttons

  const go = ui.go("Turn the best switch", () => {
    const best = bench(ui.state).hint(ui.state);
    if (best) ui.set({ [best.name]: best.option });
  });
  ui.choice(table, "measure"), ui.choice(table, "noise"); // on a phone, which part of the table is in sight
  const [button, labels] = /** @type {any[]} */ ([ui.desk.querySelector(".bflo-go"), table.head.querySelector("[data-control=noise]")]);
  ui.choice(table, "cells"), ui.choice(table, "experiment");
  ui.controls(all.map(([name]) => name));
  ui.presets({ "within the text": { ...end(0), ...OPEN }, "all by samples": { ...end(0), prediction: "sample" }, "as fitted": end(-1), "as printed": end(0) });
  const marks = Object.values(benches).flatMap(({ of }) => Object.entries(of.switches).map(([name, options]) => {
    const box = /** @type {any} */ (ui.root.querySelector(`[data-control="${name}"]`));
    const mark = el(box.querySelector("span"), "small");
    box.title = ui.known[name].help;
    box.querySelectorAll("label").forEach((label, i) => (label.title = `${/** @type {any} */ (Object.values(options))[i].join(" (")})`));
    return { name, box, options, show: (option) => (mark.textContent = brief(options[option][1])) };
  }));
  const parts = Object.entries(benches).map(([name, one]) => tableOf(ui, table, name, one));
  const bench = (s) => benches[s.experiment];
  const path = /** @type {Record<string, number[]>} */ ({}); // combinations in the order of the moves, by table
  let turned = -Infinity; // when a switch was turned

  /** The stream and the learner that are looked at: those of the state, if this table has them. */
  function lookedAt(s, { of }) {
    const [learner, stream] = [Math.max(0, of.learners.indexOf(s.learner)), Math.max(0, of.streams.indexOf(s.stream))];
    const noise = Math.max(0, of.noise.indexOf(s.noise));
    return { m: MEASURES.indexOf(s.measure), n: noise, place: learner * of.streams.length + stream, learner: of.learners[learner], stream: of.streams[stream], noise: of.noise[noise] };
  }

  function drawMoves(s, one, tried, part) {
    const number = (index) => one.scores[index] ?? NaN;
    const at = (index) => [one.turned(index), number(index)];
    const known = one.scores.filter((x) => x !== null);
    const now = at(tried.at(-1));
    const there = tried.length > 1 ? mix(at(tried.at(-2)), now, part) : now;
    moves.set({ x: [-0.3, one.options.length + 0.3], y: [0.75 * Math.min(...known), 1.3 * Math.max(...known)], yticks: [0.5, 1, 2, 5, 10, 20] });
    moves.draw(
      dots(one.scores.map((_, index) => at(index)).filter(([, y]) => y), "quiet", { r: 2.5, fill: 0.45 }),
      curve([...tried.slice(0, -1).map(at), there], "weight", { width: 1.5 }),
      dots(tried.slice(0, -1).map(at), "weight", { r: 3, fill: 1 }),
      dots([there], "weight", { r: 6, fill: 1 }),
      text([one.turned(one.scores.indexOf(one.least)), one.least], `least ${format(one.least)}`, "ink", { anchor: "end", dx: -8, bold: false }),
    );
  }

  function drawDetail(one, index, { m, n, place, learner, stream }) {
    const { ours, error, paper } = one.cell(index, m, n, place);
    const others = one.scores.map((_, i) => one.cell(i, m, n, place).ours).filter((x) => x !== null);
    const ends = [paper, ...others];
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    const room = 0.08 * (high - low) + 0.2;
    detail.set({ x: [low - room, high + room] });
    detail.draw(
      shape((p) => stacked(p, others), "quiet", { width: 0, fill: 0.45 }),
      upright(paper, { width: 3 }),
      ours !== null && shape((p) => `M${p.X(ours - (error ?? 0))} ${p.area.bottom - 12}H${p.X(ours + (error ?? 0))}`, "weight", { width: 2 }),
      ours !== null && shape((p) => outline(p.X(ours), p.area.bottom - 12, 7), "weight", { width: 0, fill: 1 }),
      text([paper, 1], `printed ${format(paper)}`, "ink", { dy: -6 }),
      ours !== null && text([ours, 0], `ours ${beside({ ours, error })}`, "weight", { anchor: ours < paper ? "end" : "start", dx: ours < paper ? 8 : -8, dy: -28 }),
    );
    detail.title(say`${learner} on ${stream}, by all ${String(one.scores.length)} protocols`);
  }

  function drawLearning(s, one, { learner, stream, noise }) {
    const { printed, inferred } = one.of.curves;
    const rounds = inferred.rounds[stream] ?? 1;
    const lines = [[inferred, learner, "as fitted", "weight", {}], [printed, learner, "as printed", "weight", { dash: "5 3" }], [inferred, "Kalman", "Kalman", "quiet", { width: 1.25 }]]
      .map(([from, who, words, color, look]) => ({ values: from.mistakes[`${stream} ${who} ${noise}`], words, color, look })).filter(({ values }) => values);
    const round = Math.min(rounds, (s.block + 1) * Math.ceil(rounds / BLOCKS)); // with which this block ends
    const x = (i) => (Math.min(1, (i + 1) / BLOCKS) * rounds) / 1000;
    learning.set({ x: [0, rounds / 1000], y: [0, 1.05 * Math.max(1, ...lines.flatMap(({ values }) => values))] });
    learning.draw(
      lines.map(({ values, color, look }) => curve(values.map((value, i) => [x(i), value]), color, look)),
      cursor(x(s.block), null, {
        says: `round ${round}`, step: rounds / 1000 / BLOCKS,
        set: ([to]) => ui.set({ block: clamp(Math.round((to * 1000 * BLOCKS) / rounds) - 1, 0, BLOCKS - 1) }),
      }),
      names(lines.map(({ values, words, color }) => [[rounds / 1000, values.at(-1)], words, color]), { gap: 14, bold: false }),
    );
    const [fitted] = lines;
    const errs = [`${format(fitted?.values[s.block] ?? NaN, 1)} %`, "weight"];
    learning.title(say`By round ${round.toLocaleString("en")} ${learner} errs in ${errs}`);
  }

  return (s) => {
    const one = bench(s);
    const index = one.index(s);
    const tried = (path[s.experiment] ??= [index]);
    if (tried.at(-1) !== index) {
      tried.push(index);
      turned = performance.now();
    }
    const part = STILL.matches ? 1 : smooth(clamp((performance.now() - turned) / MS, 0, 1));
    if (part < 1) ui.redraw();
    const here = lookedAt(s, one);
    const { number, found, printed } = one.score(index);
    for (const { name, box, options, show } of marks) (box.hidden = !(name in one.of.switches)) || show(s[name] in options ? s[name] : Object.keys(options)[0]);
    labels.hidden = one.of.noise.length < 2;
    for (const draw of parts) draw(s, here, tried, part);
    const shown = number === null ? null : mix(one.score(tried.at(-2) ?? index).number ?? number, number, part);
    table.title(say`Errors ${["above", "wider"]} and ${["below", "narrower"]} the printed ones`);
    moves.title(say`${[shown === null ? "–" : format(shown), "weight"]} points off`);
    button.disabled = !one.hint(s);
    go(false);
    drawMoves(s, one, tried, part);
    drawDetail(one, index, here);
    drawLearning(s, one, here);
    const some = found === printed ? "" : ` (of ${found} in ${printed} numbers)`;
    const start = one.scores[0];
    if (index === 0) return say`As the text is printed, our numbers are on average ${[number ?? NaN, "weight"]} points off${some}; with the best of all ${String(one.scores.length)} protocols, ${[one.least ?? NaN, "ink"]}.`;
    return say`With these switches our numbers are ${[number ?? NaN, "weight"]} points off${some} (as printed, ${[start ?? NaN, "ink"]}). A fit is not a proof.`;
  };
});

/** Our number and its standard error. */
function beside({ ours, error }) {
  return format(ours ?? NaN) + (error === null ? "" : ` ± ${format(error)}`);
}

/** Dots of all values, one upon the other where they would touch. */
function stacked(p, values) {
  const heights = /** @type {Record<number, number>} */ ({});
  return values.map((value) => {
    const bin = Math.round(p.X(value) / 7);
    const level = (heights[bin] = (heights[bin] ?? -1) + 1);
    return level > 6 ? "" : outline(p.X(value), p.area.bottom - 5 - 7 * level, 3);
  }).join("");
}

/** The parts of a table as buttons, of which the arrow keys choose one; what is returned draws them. */
function tableOf(ui, panel, name, bench) {
  const { of } = bench;
  const across = of.streams.length;
  const place = el(panel.paper, "div", { class: "bflo-tables", style: `--cell: ${of.noise.length > 1 ? 32 : 94}px` });
  const press = (m, n, at) => ui.set({ measure: MEASURES[m], noise: of.noise[n], learner: of.learners[Math.floor(at / across)], stream: of.streams[at % across] });
  const parts = of.noise.flatMap((noise, n) => MEASURES.map((measure, m) => {
    const box = el(place, "table", { class: "bflo-cells" });
    el(box, "caption", {}, `${measure === "final" ? "Final" : "Online"} error${noise ? `, ${100 * noise} % of labels flipped` : ""}`);
    const head = el(el(box, "thead"), "tr");
    for (const words of ["", ...of.streams]) el(head, words ? "th" : "td", words ? { scope: "col" } : {}, words.toLowerCase());
    const body = el(box, "tbody");
    const buttons = of.learners.flatMap((learner, i) => {
      const row = el(body, "tr");
      el(row, "th", { scope: "row" }, learner);
      return of.streams.map((_, j) => {
        const button = el(el(row, "td"), "button", { type: "button", "data-cell": `${m} ${n} ${i * across + j}` });
        ui.listen(button, "click", () => press(m, n, i * across + j));
        return button;
      });
    });
    return { m, n, box, buttons };
  }));
  ui.listen(place, "keydown", (event) => {
    const by = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!by || !event.target.dataset.cell) return;
    event.preventDefault();
    const [m, n, at] = event.target.dataset.cell.split(" ").map(Number);
    const [columns, rows] = [across * MEASURES.length, of.learners.length * of.noise.length]; // of all parts as one table
    const column = clamp(m * across + (at % across) + by[0], 0, columns - 1);
    const row = clamp(n * of.learners.length + Math.floor(at / across) + by[1], 0, rows - 1);
    const to = [Math.floor(column / across), Math.floor(row / of.learners.length), (row % of.learners.length) * across + (column % across)];
    press(to[0], to[1], to[2]);
    ui.flush();
    place.querySelector(`[data-cell="${to.join(" ")}"]`).focus();
  });

  return (s, here, tried, part) => {
    place.hidden = name !== s.experiment;
    if (place.hidden) return;
    for (const { m, n, box, buttons } of parts) {
      box.classList.toggle("is-here", m === here.m && n === here.n);
      buttons.forEach((button, at) => {
        const now = bench.cell(tried.at(-1), m, n, at);
        const before = bench.cell(tried.at(-2) ?? tried.at(-1), m, n, at).deviation ?? now.deviation;
        const isHere = m === here.m && n === here.n && at === here.place;
        const off = now.deviation === null ? null : mix(before, now.deviation, part);
        const value = { deviation: off, ours: now.ours, paper: now.paper }[s.cells];
        const words = value === null ? "–" : s.cells === "deviation" ? signed(value) : format(value);
        if (button.textContent !== words) button.textContent = words;
        button.title = `ours ${beside(now)} %, printed ${format(now.paper)} %`;
        button.style.background = off === null ? "" : `rgb(${shade(0.43 * Math.sign(off) * Math.sqrt(Math.min(1, Math.abs(off) / FULL)), ui.isDark).map(Math.round).join(" ")})`;
        button.setAttribute("aria-pressed", String(isHere));
        button.tabIndex = isHere ? 0 : -1;
      });
    }
  };
}
