// A workbench: switches, one number, and the table behind it, coloured by how far it is from the printed one.
import { button, controls, fill, format, group, mount, tag, uniqueId, write } from "../shared/kit.js";
import { colour, line, plot, put, svg } from "../shared/plot.js";
import { cellsOf, hint, indexOf, orderOf, ranksOf, score, scores } from "./numbers.js";

const signed = (x) => (x >= 0 ? "+" : "") + format(x);

/** A group of radio buttons for a trait. */
function radios(ui, name, parent) {
  const { label, options, help } = ui.about(name);
  const box = group(ui, label, parent);
  const note = uniqueId();
  const inputs = options.map(([value, text]) => {
    const field = tag(box, "label", { class: "bflo-field bflo-radio" });
    const input = tag(field, "input", { type: "radio", name, value, "aria-describedby": note });
    tag(field, "span", {}, text);
    ui.listen(input, "change", () => ui.set({ [name]: value }));
    return input;
  });
  tag(box, "p", { id: note, class: "bflo-note" }, help);
  ui.onDraw(() => {
    for (const input of inputs) input.checked = input.value === ui.model.get(name);
  });
  return box;
}

/** One part of the table. */
function part(ui, of, block) {
  const box = tag(ui.readout, "div", { class: "bflo-table", tabindex: 0, role: "group", "aria-label": block.heading });
  const table = tag(box, "table");
  tag(table, "caption", {}, block.heading);
  const head = tag(tag(table, "thead"), "tr");
  for (const text of ["", ...of.streams, "rank"]) tag(head, text ? "th" : "td", text ? { scope: "col" } : {}, text);
  const body = tag(table, "tbody");
  const rows = of.learners.map((learner) => {
    const row = tag(body, "tr");
    tag(row, "th", { scope: "row" }, learner);
    const cell = () => {
      const element = tag(row, "td");
      return { element, big: tag(element, "b"), small: tag(element, "span"), paper: tag(element, "span") };
    };
    return { cells: of.streams.map(cell), rank: cell() };
  });
  const order = tag(box, "p", { class: "bflo-note" });
  return {
    box,
    draw(index) {
      const cells = cellsOf(of, index, block);
      const ranks = ranksOf(of, cells);
      rows.forEach((row, i) => {
        row.cells.forEach((cell, j) => drawCell(ui, cell, cells[i * of.streams.length + j]));
        write(row.rank.big, ranks[i] === null ? ui.facts.missing : format(ranks[i], 1));
        write(row.rank.paper, `| ${format(block.ranks[i], 1)}`);
      });
      write(order, ui.facts.orders[orderOf(ranks, block)] ?? "");
      return order.textContent;
    },
  };
}

function drawCell(ui, { element, big, small, paper: beside }, { ours, error, runs, paper, deviation }) {
  write(big, deviation === null ? ui.facts.missing : signed(deviation));
  write(small, ours === null ? "–" : format(ours));
  write(beside, `| ${format(paper)}`);
  element.title = ours === null ? "" : `${format(ours)}${error === null ? "" : ` ± ${format(error)}`}, ${runs} ×`;
  element.classList.toggle("bflo-tinted", deviation !== null);
  // Half of the colour map at most: dark letters can be read on it.
  const place = Math.sign(deviation) * 0.5 * Math.sqrt(Math.min(1, Math.abs(deviation) / ui.facts.full));
  element.style.background = deviation === null ? "" : `rgb(${colour(place).slice(0, 3).join(" ")})`;
}

export default {
  render(view) {
    const ui = mount(view, "protocol");
    const { model } = ui;
    const every = Object.entries(model.get("_runs")).map(([name, of]) => [name, { of, all: scores(of), moves: [] }]);
    const benches = Object.fromEntries(every);
    const here = () => benches[model.get("experiment")];

    // The number stays in sight while one goes through the switches.
    const bar = tag(null, "div", { class: "bflo-score" });
    ui.controls.before(bar);
    const number = tag(bar, "output", { class: "bflo-number", "aria-live": "off" });
    const about = tag(bar, "div");
    const [what, before] = [tag(about, "p"), tag(about, "p")];
    const buttons = tag(bar, "div", { class: "bflo-buttons" });
    const advice = tag(bar, "p", { class: "bflo-advice", role: "status" });

    // Radio buttons of one name are one group within their form: another explorer on the page has its own.
    const form = tag(ui.controls, "form");
    ui.listen(form, "submit", (event) => event.preventDefault());
    controls(ui, ["experiment"], form);
    for (const [, bench] of every) {
      bench.boxes = Object.keys(bench.of.switches).map((name) => radios(ui, name, form));
      bench.parts = bench.of.blocks.map((block) => part(ui, bench.of, block));
    }
    ui.readout.prepend(tag(null, "p", { class: "bflo-note" }, ui.facts.cell));

    const chart = plot(ui, "moves", { x: [0, 8], y: [0.1, 20], width: 360, height: 210, log: true });
    put(chart.svg, { "data-history": "" }); // it is this page's own: no other view has it
    const stairs = chart.path({ stroke: "var(--weight)", "stroke-width": 2 });
    const dots = svg(chart.over, "g");

    const start = () => {
      const { switches } = here().of;
      here().moves.length = 0;
      ui.set(Object.fromEntries(Object.entries(switches).map(([name, options]) => [name, options[0]])));
      ui.redraw();
    };
    const advise = () => {
      const { of, all } = here();
      const found = hint(of, all, ui.state());
      const known = found && { ...found, number: format(found.number), count: all.length };
      if (!found) write(advice, ui.facts.unknown);
      else if (found.name) {
        const { label, options } = ui.about(found.name);
        const option = options.find(([value]) => value === found.option)[1];
        write(advice, fill(ui.facts.help, { ...known, label, option }));
      } else write(advice, fill(found.number < all[indexOf(of, ui.state())] ? ui.facts.elsewhere : ui.facts.least, known));
    };
    button(ui, { name: "hint", label: "Hint", title: "The switch that helps most from here", action: advise, parent: buttons });
    button(ui, { name: "start", label: "Start again", title: "All switches as printed", action: start, parent: buttons });

    /** What was tried, as steps from move to move. */
    function drawMoves({ all, moves }) {
      const known = [...all.filter((one) => one !== null), ...moves.flatMap((one) => one.number ?? [])];
      const points = moves.flatMap(({ number: y }, i) => [[i, moves[i - 1]?.number ?? NaN], [i, y ?? NaN]]);
      chart.set({
        x: [-0.5, Math.max(8, moves.length + 1)],
        y: known.length ? [0.8 * Math.min(...known), 1.25 * Math.max(...known)] : [0.1, 20],
        alt: `${chart.title}: ${moves.map(({ text, number: y }) => `${text} ${y === null ? ui.facts.missing : format(y)}`).join("; ")}.`,
      });
      put(stairs, { d: line(points, chart) });
      dots.replaceChildren();
      moves.forEach(({ number: y, text }, i) => {
        if (y === null) return;
        const dot = svg(dots, "circle", { r: 4, fill: "var(--weight)" });
        chart.place(dot, [i, y]);
        svg(dot, "title", {}, `${text}: ${format(y)}`);
        if (i === moves.length - 1) svg(dots, "text", { x: chart.X(i) + 8, y: chart.Y(y) + 4 }, format(y));
      });
    }

    ui.onDraw(() => {
      const bench = here();
      const { of, moves } = bench;
      for (const [, other] of every) {
        for (const { box } of other.parts) box.hidden = other !== bench;
        for (const box of other.boxes) box.hidden = other !== bench;
      }
      const index = indexOf(of, ui.state());
      const { number: now, found, printed } = score(of, index);
      const last = moves.at(-1);
      if (last?.index !== index) {
        const names = Object.keys(of.switches).filter((name) => last && last.state[name] !== model.get(name));
        const text = names.map((name) => ui.about(name).options.find(([value]) => value === model.get(name))[1]).join(", ");
        moves.push({ index, number: now, state: ui.state(), text: text || "0" });
        write(advice, "");
      }
      write(number, now === null ? ui.facts.missing : format(now));
      const count = found === printed ? printed : fill(ui.facts.part, { found, printed });
      write(what, fill(ui.facts.number, { count }));
      const past = moves.at(-2);
      write(before, past ? fill(ui.facts.before, { number: past.number === null ? ui.facts.missing : format(past.number) }) : ui.facts.start);
      const orders = bench.parts.map((one) => one.draw(index));
      drawMoves(bench);
      ui.tell(`${number.textContent} ${what.textContent}; ${before.textContent}. ${orders.join(" ")}`);
    });
    return ui.dispose;
  },
};
