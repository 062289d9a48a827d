// The paper's tables beside ours: switches for what the text leaves open, one number to drive down, and every cell.
import { explorer } from "../kit.js";
import { arrow, change, curve, dots, el, format, outline, say, shade, shape, text } from "../marks.js";
import { cursor, names, upright } from "./rounds.js";

const MEASURES = ["online", "final"];
const FULL = 10; // points from which on the colour of a deviation is the strongest
const BLOCKS = 50; // of rounds in a learning curve
const signed = (x) => (Math.abs(x) < 0.05 ? "0.0" : (x > 0 ? "+" : "") + format(x, 1));

/** Which of all combinations of options a state is: the last switch counts fastest, as in Python. */
function indexOf({ switches }, state) {
  const options = (name) => Object.keys(switches[name].options);
  return Object.keys(switches).reduce((at, name) => at * options(name).length + options(name).indexOf(state[name]), 0);
}
/** One number of a table: ours, its standard error, the printed one, and how far they are apart. */
function cellOf({ cells, paper: all }, index, { m, n, place }) {
  const [[ours, error], paper] = [cells[index][m][n][place], all[m][n][place]];
  return { ours, error, paper, off: Math.round(100 * (ours - paper)) / 100 };
}

export default explorer("results", (ui) => {
  const { tables } = ui.constants;
  const switches = Object.assign({}, ...Object.values(tables).map((one) => one.switches));
  const options = (name, at) => Object.keys(switches[name].options).at(at);
  const end = (at) => Object.fromEntries(Object.keys(switches).map((name) => [name, options(name, at)]));
  const table = ui.panel("table");
  const moves = ui.panel("moves", {
    xlabel: "switches turned", log: true, xticks: [0, 1, 2, 3, 4, 5], yticks: [0.5, 1, 2, 5, 10, 20],
    margin: { left: 30, right: 6, top: 10 },
  });
  const detail = ui.panel("detail", {
    xlabel: "error by protocol (%)", yticks: null, margin: { left: 4, right: 8, top: 18 },
  });
  const learning = ui.panel("learning", {
    xlabel: "thousand rounds", ylabel: "mistakes (%)", margin: { left: 34, right: 66, top: 18 },
  });
  ui.layout('"moves table table" 226px ". table table" 148px ". detail learning" 1fr / 216px 1fr 1fr');
  table.root.remove(); // its picture is made of buttons
  table.title(say`Too ${["high", "wider"]} or too ${["low", "narrower"]}`);
  const drawn = new Map(Object.entries(tables).map(([name, numbers]) => [name, tableOf(ui, table.paper, numbers)]));
  const bestFrom = (s) => tables[s.experiment].best[indexOf(tables[s.experiment], s)];
  ui.go("Turn the best switch", () => ui.set(bestFrom(ui.state) ?? {}));
  const button = ui.desk.querySelector(".bflo-go");
  for (const trait of ["measure", "noise", "cells", "experiment"]) ui.choice(table, trait); // the first two on a phone
  ui.controls(Object.keys(switches));
  ui.presets({ "as printed": end(0), "all by samples": { ...end(0), prediction: "sample" }, "as fitted": end(-1) });
  const marks = Object.keys(switches).map((name) => {
    const box = /** @type {any} */ (ui.root.querySelector(`[data-control="${name}"]`));
    return { name, box, mark: el(box.querySelector("span"), "small") };
  });

  function drawMoves({ scores, turned }, index) {
    const at = (one) => [turned[one], scores[one]];
    const least = Math.min(...scores);
    moves.set({ x: [-0.3, Math.max(...turned) + 0.3], y: [0.75 * least, 1.3 * Math.max(...scores)] });
    moves.draw(
      dots(scores.map((_, one) => at(one)), "quiet", { r: 2.5, fill: 0.45 }),
      curve([at(0), at(index)], "weight", { width: 1.5 }), dots([at(index)], "weight", { r: 6, fill: 1 }),
      text(at(scores.indexOf(least)), `least ${format(least)}`, "ink", { anchor: "end", dx: -8, bold: false }),
    );
    moves.title(say`${[format(scores[index]), "weight"]} points off`);
  }

  function drawDetail(numbers, index, here) {
    const { ours, error, paper } = cellOf(numbers, index, here);
    const others = numbers.scores.map((_, i) => cellOf(numbers, i, here).ours);
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
      names(learning, lines.map(([values, ...look]) => [[rounds / 1000, values.at(-1)], ...look]), { bold: false }),
    );
    const errs = [`${format(lines[0][0][s.block], 1)} %`, "weight"];
    learning.title(say`By round ${round.toLocaleString("en")} ${learner} errs in ${errs}`);
  }

  return (s) => {
    const numbers = tables[s.experiment];
    const { scores } = numbers;
    const index = indexOf(numbers, s);
    for (const { name, box, mark } of marks) {
      const { help, options } = numbers.switches[name] ?? {};
      box.hidden = !options;
      const [words, verdict] = options?.[s[name]] ?? ["", ""];
      [mark.textContent, box.title] = [verdict, `${help} Chosen: ${words}.`];
    }
    button.disabled = !bestFrom(s);
    for (const [name, { place }] of drawn) place.hidden = name !== s.experiment;
    const here = drawn.get(s.experiment).draw(s, index);
    drawMoves(numbers, index);
    drawDetail(numbers, index, here);
    drawLearning(s, numbers, here);
    const [off, printed, least] = [[scores[index], "weight"], [scores[0], "ink"], [Math.min(...scores), "ink"]];
    const best = say`the best of all ${String(scores.length)} protocols, ${least}`;
    if (!index) return say`As the text is printed, our numbers are on average ${off} points off; with ${best}.`;
    return say`With these switches our numbers are ${off} points off (as printed, ${printed}). A fit is not a proof.`;
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
function tableOf(ui, paper, numbers) {
  const { noise: shares, learners, streams } = numbers;
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
    const by = event.target.dataset.cell && arrow(event);
    if (!by) return;
    const [column, row] = event.target.dataset.cell.split(" ").map(Number);
    const to = cells.get(`${column + by[0]} ${row - by[1]}`);
    if (!to) return;
    press(to);
    ui.flush();
    to.button.focus();
  });

  function draw(s, index) {
    const near = (value, some) => (some.includes(value) ? value : some[0]); // tables differ in streams and learners
    const key = String([s.measure, near(s.noise, shares), near(s.learner, learners), near(s.stream, streams)]);
    const isHere = ({ measure, noise, learner, stream }) => String([measure, noise, learner, stream]) === key;
    const here = [...cells.values()].find(isHere);
    for (const cell of cells.values()) {
      const { button, box } = cell;
      box.classList.toggle("is-here", box === here.box);
      const { ours, error, paper, off } = cellOf(numbers, index, cell);
      const words = { deviation: signed(off), ours: format(ours), paper: format(paper) }[s.cells];
      if (button.textContent !== words) button.textContent = words;
      const strength = 0.43 * Math.sign(off) * Math.sqrt(Math.min(1, Math.abs(off) / FULL));
      const color = `rgb(${shade(strength, ui.isDark).map(Math.round).join(" ")})`;
      change(button, {
        title: `ours ${format(ours)} ± ${format(error)} %, printed ${format(paper)} %`,
        style: `background: ${color}`,
        "aria-pressed": cell === here, tabindex: cell === here ? 0 : -1,
      });
    }
    return here;
  }
  return { place, draw };
}
