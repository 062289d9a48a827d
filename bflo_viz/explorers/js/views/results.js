// The paper's tables beside ours: switches for what the text leaves open, one number to drive down, and every cell.
import { STILL, explorer } from "../kit.js";
import { clamp, cursor, curve, dots, el, format, mix, outline } from "../marks.js";
import { say, shade, shape, smooth, text, upright } from "../marks.js";
import { names } from "./rounds.js";

const MEASURES = ["online", "final"];
const MS = 650; // that a turned switch takes to be seen in the table
const FULL = 10; // points from which on the colour of a deviation is the strongest
const BLOCKS = 50; // of rounds in a learning curve
const signed = (x) => (Math.abs(x) < 0.05 ? "0.0" : (x > 0 ? "+" : "") + format(x, 1));

/** A table of the paper by all combinations of the options of its switches. Places are counted learner by learner. */
class Bench {
  constructor(/** @type {any} */ numbers) {
    Object.assign(this, numbers);
    /** @type {[string, string[]][]} */
    this.options = Object.entries(numbers.switches).map(([name, { options }]) => [name, Object.keys(options)]);
  }
  /** Which of all combinations a state is: the last switch counts fastest, as in Python. */
  index(state) {
    return this.options.reduce((index, [name, options]) => index * options.length + options.indexOf(state[name]), 0);
  }
  /** One number of a table: ours, its standard error, the printed one, and how far they are apart. */
  cell(index, { m, n, place }) {
    const all = /** @type {any} */ (this);
    const [setting, paper] = [all.combinations[index][place], all.paper[m][n][place]];
    const ours = all.ours[setting][m][n];
    return { ours, error: all.error[setting][m][n], paper, off: Math.round(100 * (ours - paper)) / 100 };
  }
  /** The switch that helps most from here, as { name: option }; undefined where none does. */
  hint(state) {
    const number = (turned) => /** @type {any} */ (this).scores[this.index({ ...state, ...turned })];
    const near = this.options.flatMap(([name, options]) => options.map((option) => ({ [name]: option })));
    return near.filter((one) => number(one) < number({})).sort((a, b) => number(a) - number(b))[0];
  }
}

export default explorer("results", (ui) => {
  /** @type {Record<string, any>} */
  const benches = Object.fromEntries(Object.entries(ui.constants.tables).map(([name, of]) => [name, new Bench(of)]));
  ui.benches = benches; // for tests
  const all = Object.values(benches).flatMap((bench) => bench.options);
  const end = (which) => Object.fromEntries(all.map(([name, options]) => [name, options.at(which)]));
  const table = ui.panel("table");
  const moves = ui.panel("moves", {
    xlabel: "switches turned", log: true, xticks: [0, 1, 2, 3, 4, 5], yticks: [0.5, 1, 2, 5, 10, 20],
    margin: { left: 30, right: 6, top: 10 },
  });
  const detail = ui.panel("detail", { xlabel: "error by protocol (%)", yticks: null, margin: { left: 4, right: 8, top: 18 } });
  const learning = ui.panel("learning", {
    xlabel: "thousand rounds", ylabel: "mistakes (%)", margin: { left: 34, right: 66, top: 18 },
  });
  ui.layout('"moves table table" 226px ". table table" 148px ". detail learning" 1fr / 216px 1fr 1fr');
  table.root.remove(); // its picture is made of buttons
  table.title(say`Errors ${["above", "wider"]} and ${["below", "narrower"]} the printed ones`);
  const tables = Object.entries(benches).map(([name, bench]) => ({ name, ...tableOf(ui, table.paper, bench) }));

  ui.go("Turn the best switch", () => {
    const best = benches[ui.state.experiment].hint(ui.state);
    if (best) ui.set(best);
  });
  const button = ui.desk.querySelector(".bflo-go");
  for (const trait of ["measure", "noise", "cells", "experiment"]) ui.choice(table, trait); // the first two on a phone
  ui.controls(all.map(([name]) => name));
  ui.presets({ "as printed": end(0), "all by samples": { ...end(0), prediction: "sample" }, "as fitted": end(-1) });
  const marks = all.map(([name]) => {
    const box = /** @type {any} */ (ui.root.querySelector(`[data-control="${name}"]`));
    return { name, box, mark: el(box.querySelector("span"), "small") };
  });
  const paths = Object.fromEntries(Object.keys(benches).map((name) => [name, [0]])); // combinations, move by move
  let turned = -Infinity; // when a switch was turned

  function drawMoves({ scores, turned: counts, options }, path, part) {
    const at = (index) => [counts[index], scores[index]];
    const there = mix(at(path.at(-2) ?? path.at(-1)), at(path.at(-1)), part);
    const least = Math.min(...scores);
    moves.set({ x: [-0.3, options.length + 0.3], y: [0.75 * least, 1.3 * Math.max(...scores)] });
    moves.draw(
      dots(scores.map((_, index) => at(index)), "quiet", { r: 2.5, fill: 0.45 }),
      curve([...path.slice(0, -1).map(at), there], "weight", { width: 1.5 }),
      dots(path.slice(0, -1).map(at), "weight", { r: 3, fill: 1 }),
      dots([there], "weight", { r: 6, fill: 1 }),
      text(at(scores.indexOf(least)), `least ${format(least)}`, "ink", { anchor: "end", dx: -8, bold: false }),
    );
    moves.title(say`${[format(there[1]), "weight"]} points off`);
  }

  function drawDetail(bench, index, here) {
    const { ours, error, paper } = bench.cell(index, here);
    const others = bench.scores.map((_, i) => bench.cell(i, here).ours);
    const [low, high] = [Math.min(paper, ...others), Math.max(paper, ...others)];
    const room = 0.08 * (high - low) + 0.2;
    detail.set({ x: [low - room, high + room] });
    detail.draw(
      shape((p) => stacked(p, others), "quiet", { width: 0, fill: 0.45 }),
      upright(paper, { width: 3 }),
      shape((p) => `M${p.X(ours - error)} ${p.area.bottom - 12}H${p.X(ours + error)}`, "weight", { width: 2 }),
      shape((p) => outline(p.X(ours), p.area.bottom - 12, 7), "weight", { width: 0, fill: 1 }),
      text([paper, 1], `printed ${format(paper)}`, "ink", { dy: -6 }),
    );
    detail.title(say`${here.learner} on ${here.stream}: ours ${[`${format(ours)} ± ${format(error)} %`, "weight"]}`);
  }

  function drawLearning(s, { curves: { printed, inferred } }, { learner, stream, noise }) {
    const rounds = inferred.rounds[stream];
    const kinds = [
      [inferred, learner, "as fitted", "weight"], [printed, learner, "as printed", "weight", { dash: "5 3" }],
      [inferred, "Kalman", "Kalman", "quiet", { width: 1.25 }],
    ];
    const all = kinds.map(([from, who, ...look]) => [from.mistakes[`${stream} ${who} ${noise}`], ...look]);
    const lines = all.filter(([values]) => values);
    const round = Math.min(rounds, (s.block + 1) * Math.ceil(rounds / BLOCKS)); // with which this block ends
    const x = (i) => (Math.min(1, (i + 1) / BLOCKS) * rounds) / 1000;
    learning.set({ x: [0, rounds / 1000], y: [0, 1.05 * Math.max(...lines.flatMap(([values]) => values))] });
    learning.draw(
      lines.map(([values, , color, look]) => curve(values.map((value, i) => [x(i), value]), color, look)),
      cursor(x(s.block), null, {
        says: `round ${round}`, step: rounds / 1000 / BLOCKS,
        set: ([to]) => ui.set({ block: Math.round((to * 1000 * BLOCKS) / rounds) - 1 }),
      }),
      names(lines.map(([values, ...look]) => [[rounds / 1000, values.at(-1)], ...look]), { gap: 14, bold: false }),
    );
    const errs = [`${format(lines[0][0][s.block], 1)} %`, "weight"];
    learning.title(say`By round ${round.toLocaleString("en")} ${learner} errs in ${errs}`);
  }

  return (s) => {
    const bench = benches[s.experiment];
    const [index, path] = [bench.index(s), paths[s.experiment]];
    if (path.at(-1) !== index) {
      paths[s.experiment] = [...path, index].slice(-6);
      turned = ui.root.dataset.painted ? performance.now() : turned;
    }
    const part = STILL.matches ? 1 : smooth(clamp((performance.now() - turned) / MS, 0, 1));
    if (part < 1) ui.redraw();
    for (const { name, box, mark } of marks) {
      const { help, options } = bench.switches[name] ?? {};
      box.hidden = !options;
      const [words, verdict] = options?.[s[name]] ?? ["", ""];
      [mark.textContent, box.title] = [verdict, `${help} Chosen: ${words}.`];
    }
    button.disabled = !bench.hint(s);
    for (const { name, place } of tables) place.hidden = name !== s.experiment;
    const here = tables.find(({ name }) => name === s.experiment).draw(s, paths[s.experiment], part);
    drawMoves(bench, paths[s.experiment], part);
    drawDetail(bench, index, here);
    drawLearning(s, bench, here);
    const { scores } = bench;
    const number = [scores[index], "weight"];
    const least = [Math.min(...scores), "ink"];
    const best = say`the best of all ${String(scores.length)} protocols, ${least}`;
    if (!index) return say`As the text is printed, our numbers are on average ${number} points off; with ${best}.`;
    const printed = [scores[0], "ink"];
    return say`With these switches our numbers are ${number} points off (as printed, ${printed}). A fit is not a proof.`;
  };
});

/** Dots of all values, one upon the other where they would touch. */
function stacked(p, values) {
  const heights = /** @type {Record<number, number>} */ ({});
  return values.map((value) => {
    const bin = Math.round(p.X(value) / 7);
    const level = (heights[bin] = (heights[bin] ?? -1) + 1);
    return level > 6 ? "" : outline(p.X(value), p.area.bottom - 5 - 7 * level, 3);
  }).join("");
}

/** The parts of a table as one field of buttons, of which the arrow keys choose one; `draw` returns the chosen cell. */
function tableOf(ui, paper, bench) {
  const { noise: shares, learners, streams } = bench;
  const place = el(paper, "div", { class: "bflo-tables", style: `--cell: ${shares.length > 1 ? 32 : 94}px` });
  const cells = new Map(); // by column and row of all parts together
  shares.forEach((noise, n) => MEASURES.forEach((measure, m) => {
    const box = el(place, "table", { class: "bflo-cells" });
    const labels = noise ? `, ${100 * noise} % of labels flipped` : "";
    el(box, "caption", {}, `${measure === "final" ? "Final" : "Online"} error${labels}`);
    const head = el(el(box, "thead"), "tr");
    el(head, "td");
    for (const stream of streams) el(head, "th", { scope: "col" }, stream.toLowerCase());
    const body = el(box, "tbody");
    learners.forEach((learner, i) => {
      const row = el(body, "tr");
      el(row, "th", { scope: "row" }, learner);
      streams.forEach((stream, j) => {
        const at = `${m * streams.length + j} ${n * learners.length + i}`;
        const button = el(el(row, "td"), "button", { type: "button", "data-cell": at });
        cells.set(at, { button, box, m, n, place: i * streams.length + j, measure, noise, learner, stream });
      });
    });
  }));
  const press = ({ measure, noise, learner, stream }) => ui.set({ measure, noise, learner, stream });
  ui.listen(place, "click", ({ target }) => target.dataset.cell && press(cells.get(target.dataset.cell)));
  ui.listen(place, "keydown", (event) => {
    const by = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!by || !event.target.dataset.cell) return;
    event.preventDefault();
    const [column, row] = event.target.dataset.cell.split(" ").map(Number);
    const to = cells.get(`${column + by[0]} ${row + by[1]}`);
    if (!to) return;
    press(to);
    ui.flush();
    to.button.focus();
  });

  function draw(s, path, part) {
    const near = (value, some) => (some.includes(value) ? value : some[0]); // tables differ in streams and learners
    const key = JSON.stringify([s.measure, near(s.noise, shares), near(s.learner, learners), near(s.stream, streams)]);
    const isHere = ({ measure, noise, learner, stream }) => JSON.stringify([measure, noise, learner, stream]) === key;
    const here = [...cells.values()].find(isHere);
    for (const cell of cells.values()) {
      const { button, box } = cell;
      box.classList.toggle("is-here", box === here.box);
      const now = bench.cell(path.at(-1), cell);
      const off = mix(bench.cell(path.at(-2) ?? path.at(-1), cell).off, now.off, part);
      const words = { deviation: signed(off), ours: format(now.ours), paper: format(now.paper) }[s.cells];
      if (button.textContent !== words) button.textContent = words;
      button.title = `ours ${format(now.ours)} ± ${format(now.error)} %, printed ${format(now.paper)} %`;
      const strength = 0.43 * Math.sign(off) * Math.sqrt(Math.min(1, Math.abs(off) / FULL));
      button.style.background = `rgb(${shade(strength, ui.isDark).map(Math.round).join(" ")})`;
      button.setAttribute("aria-pressed", String(cell === here));
      button.tabIndex = cell === here ? 0 : -1;
    }
    return here;
  }
  return { place, draw };
}
