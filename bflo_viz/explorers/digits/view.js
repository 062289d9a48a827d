// Draw a digit, and let networks vote: the sketch, the votes, what decides, and doubt over learning.
import { button, controls, fill, format, group, mount, remembered, seeds, tag, write } from "../shared/kit.js";
import { colour, line, plot, put, svg } from "../shared/plot.js";
import { board, pad } from "./board.js";
import { Networks, agreement, inkOf, said, seen } from "./votes.js";

/** A number of digits, short enough for a tick. */
const short = (n) => (n < 1000 ? String(n) : `${n / 1000}k`);

/** The votes: a dot for each network, and a bar for what the mean network says. */
function votesPanel(ui) {
  const { networks } = ui.facts;
  const digits = Array.from({ length: 10 }, (_, k) => k);
  const p = plot(ui, "votes", { x: [-0.7, 9.7], y: [0, networks * 1.02], ticks: digits, up: [0, 1, 2, 3, 4, 5].map((k) => (k * networks) / 5) });
  const bars = digits.map(() => svg(p.layer, "rect", { fill: "var(--faint)", "fill-opacity": 0.55, stroke: "var(--prior)" }));
  const dots = p.path({ stroke: "var(--posterior)", "stroke-width": 5, "stroke-linecap": "round" });
  const wide = p.X(1) - p.X(0);
  return (votes, { outputs, ranking }) => {
    let path = "";
    for (const k of digits) {
      put(bars[k], { x: p.X(k) - 0.4 * wide, width: 0.8 * wide, y: p.Y(outputs[k] * networks), height: p.Y(0) - p.Y(outputs[k] * networks) });
      for (let n = 0; n < votes[k]; n++) path += `M${p.X(k + 0.24 * ((n % 3) - 1)).toFixed(1)} ${p.Y(n + 0.5).toFixed(1)}h0`;
    }
    put(dots, { d: path });
    const shown = ranking.filter((k) => votes[k] || outputs[k] >= 0.005);
    const alt = shown.map((k) => `${k}: ${votes[k]} votes, mean network ${format(outputs[k])}`).join("; ");
    p.set({ title: fill(p.title, { winner: ranking[0], most: votes[ranking[0]], networks }), alt });
  };
}

/** What a network sees: a mark for each cell with ink, as large as its share, coloured by what it does. */
function decidesPanel(ui) {
  const side = ui.facts.seen;
  const { picture, title, set } = board(ui, "decides", side);
  svg(picture, "rect", { width: side, height: side, fill: ui.facts.middle });
  const marks = svg(picture, "g", { stroke: "#222222", "stroke-width": 0.04 });
  return (shares, { ranking: [winner, second], effect }, words) => {
    const most = Math.max(...effect.map(Math.abs), 1e-9);
    marks.replaceChildren();
    shares.forEach((share, k) => {
      if (share < 0.01) return;
      const [x, y, half] = [(k % side) + 0.5, Math.floor(k / side) + 0.5, 0.48 * Math.sqrt(Math.min(1, share))];
      const fill = `rgb(${[...colour(effect[k] / most)].slice(0, 3).join(" ")})`;
      if (effect[k] < 0) svg(marks, "circle", { cx: x, cy: y, r: half, fill });
      else svg(marks, "rect", { x: x - half, y: y - half, width: 2 * half, height: 2 * half, fill });
    });
    set({ title: fill(title, { winner, second }), alt: words });
  };
}

/** Doubt over learning: the share of networks against the winner, and the errors in the test. */
function doubtPanel(ui, { rounds, errors }) {
  const last = rounds.length - 1;
  const p = plot(ui, "doubt", { x: [-0.4, last + 0.4], y: [0, 128], ticks: [], up: [0, 25, 50, 75, 100] });
  const { left: x, top: y, width, height } = p.area;
  rounds.forEach((n, k) => {
    svg(p.over, "line", { x1: p.X(k), x2: p.X(k), y1: y + height, y2: y + height + 4, stroke: "var(--faint)" });
    if (k % 2 === 0) svg(p.over, "text", { x: p.X(k), y: y + height + 16, "text-anchor": "middle" }, short(n));
  });
  const curves = { test: { stroke: "var(--prior)", "stroke-dasharray": "5 3" }, sketch: { stroke: "var(--posterior)" } };
  const paths = Object.entries(curves).map(([name, look], i) => {
    svg(p.over, "path", { ...look, d: `M${x + 10} ${y + 14 + 16 * i}h20`, "stroke-width": 2 });
    svg(p.over, "text", { x: x + 36, y: y + 18 + 16 * i }, ui.facts.curves[name]);
    return p.path({ ...look, "stroke-width": 2 });
  });
  const now = svg(p.over, "line", { stroke: "var(--ink)", y1: p.Y(100), y2: y + height }); // below the names
  const dot = svg(p.over, "circle", { r: 5, fill: "var(--posterior)", stroke: "var(--paper)" });
  put(paths[0], { d: line(errors.vote.map((error, k) => [k, error]), p) });
  // The range input does the same by keys: this is for a hand.
  const cover = svg(p.over, "rect", { x, y, width, height, fill: "transparent", style: "cursor: ew-resize;" });
  p.svg.style.touchAction = "pan-y";
  const scrub = (event) => {
    const moment = Math.max(0, Math.min(last, Math.round(p.at(event)[0])));
    if (moment !== ui.model.get("moment")) ui.set({ moment });
  };
  ui.listen(cover, "pointerdown", (event) => {
    if (event.button) return;
    cover.setPointerCapture(event.pointerId);
    scrub(event);
  });
  ui.listen(cover, "pointermove", (event) => event.buttons && scrub(event));
  return (votes, moment) => {
    const against = votes.map((some) => 100 * (1 - agreement(some)));
    put(paths[1], { d: line(against.map((share, k) => [k, share]), p) });
    put(now, { x1: p.X(moment), x2: p.X(moment) });
    p.place(dot, [moment, against[moment]]);
    const after = rounds[moment].toLocaleString("en");
    const [share, error] = [format(against[moment], 0), format(errors.vote[moment], 0)];
    p.set({ title: fill(p.title, { share, rounds: after }), alt: `After ${after} digits: ${share} % against the winner; errors in the test ${error} %.` });
  };
}

export default {
  render(view) {
    const ui = mount(view, "digits");
    const { model, facts } = ui;
    const file = model.get("_networks");
    const networks = new Networks(file, facts.networks);

    const drawing = group(ui, "Page");
    button(ui, { name: "clear", label: "Clear", title: "An empty page", action: () => ui.set({ sketch: "" }), parent: drawing });
    const rubber = button(ui, { name: "erase", label: "Erase", title: "Take ink away instead", action: () => swap(), parent: drawing });
    const starts = group(ui, "Begin with");
    for (const { name, label, sketch } of file.examples) {
      button(ui, { name: `example-${name}`, label, action: () => ui.set({ sketch }), parent: starts });
    }
    const [learned] = controls(ui, ["moment"]);
    seeds(ui);

    const page = pad(ui);
    let isErasing = false;
    const swap = () => {
      isErasing = !isErasing;
      rubber.setAttribute("aria-pressed", isErasing);
      page.erase(isErasing);
    };
    rubber.setAttribute("aria-pressed", false);
    const drawVotes = votesPanel(ui);
    const drawDecides = decidesPanel(ui);
    const drawDoubt = doubtPanel(ui, file);
    const [numbers, verdict, deciding] = ["strong", "p", "p"].map((name) => tag(ui.readout, name));

    const voted = remembered(ui, ["sketch", "seed"], ({ sketch, seed }) => {
      const ink = inkOf(sketch, facts.side);
      const shares = seen(ink, facts);
      return { ink, shares, votes: networks.votes(shares, seed) };
    });
    ui.onDraw(() => {
      const moment = model.get("moment");
      const { ink, shares, votes } = voted();
      const found = networks.decided(shares, moment, votes[moment]);
      const after = `${short(file.rounds[moment])} digits`;
      write(learned.nextElementSibling, after); // the number of a moment says nothing
      learned.setAttribute("aria-valuetext", after);
      const words = said(facts, file, { ...found, votes: votes[moment], moment, isEmpty: !ink.includes(1) });
      page.draw(ink);
      drawVotes(votes[moment], found);
      drawDecides(shares, found, words[3] ?? words[2]);
      drawDoubt(votes, moment);
      write(numbers, `${words[0]} ${words[1]}`);
      write(verdict, words[2]);
      write(deciding, words[3] ?? "");
      ui.tell(words.join(" "));
    });
    return ui.dispose;
  },
};
