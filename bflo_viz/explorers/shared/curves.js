// Curves over rounds, with a line at the round that can be dragged; and what names curves: keys and tables.
import { tag, uniqueId, write } from "./kit.js";
import { line, put, svg } from "./plot.js";

/** Let a panel show curves over rounds, faint where they are to come: `curve` adds one, `draw` moves the line to the round. */
export function timeline(ui, p, rounds) {
  const id = uniqueId();
  const gate = svg(svg(p.svg, "clipPath", { id }), "rect", { x: 0, y: 0, height: 10000 });
  const whole = svg(p.layer, "g", { opacity: 0.3 });
  const past = svg(p.layer, "g", { "clip-path": `url(#${id})` });
  const now = svg(p.over, "line", { stroke: "var(--ink)", y1: p.area.top, y2: p.area.top + p.area.height });
  // The range input of the player does the same by keys: this is for a hand.
  const { left: x, top: y, width, height } = p.area;
  const cover = svg(p.over, "rect", { x, y, width, height, fill: "transparent", style: "cursor: ew-resize;" });
  p.svg.style.touchAction = "pan-y"; // a finger scrubs across and scrolls up and down
  const scrub = (event) => {
    const round = Math.max(0, Math.min(rounds(), Math.round(p.at(event)[0])));
    if (round !== ui.model.get("round")) ui.set({ round });
  };
  ui.listen(cover, "pointerdown", (event) => {
    if (event.button) return;
    cover.setPointerCapture(event.pointerId);
    scrub(event);
  });
  ui.listen(cover, "pointermove", (event) => event.buttons && scrub(event));
  return {
    /** A curve; `set` gives it points. */
    curve(look) {
      const paths = [whole, past].map((g) => svg(g, "path", { fill: "none", "stroke-width": 2, ...look }));
      const draw = (d) => paths.forEach((path) => put(path, { d }));
      return {
        /** Give it points, and another look if there is one. */
        set(points, other = {}) {
          for (const path of paths) put(path, other);
          draw(line(points, p));
        },
      };
    },
    draw() {
      const x = p.X(ui.model.get("round"));
      put(gate, { width: x });
      put(now, { x1: x, x2: x });
    },
  };
}

/** Symbols with their names, in a row that wraps: each draws itself around the origin of 28 by 16 units. */
export function key(parent, items) {
  const row = tag(parent, "div", { class: "bflo-key" });
  for (const [text, draw] of items) {
    const item = tag(row, "span");
    draw(svg(item, "svg", { viewBox: "-14 -8 28 16", width: 28, height: 16, "aria-hidden": "true" }));
    tag(item, "span", {}, text);
  }
}

/**
 * A table of numbers with a row for each name; `looks` are the lines that stand for them. Returns show(name, texts), which
 * hides the row where there are none; with a third word the row is called by that.
 */
export function table(ui, columns, names, looks = {}) {
  const box = tag(ui.readout, "div", { class: "bflo-table", tabindex: 0, role: "group", "aria-label": "Numbers" });
  const element = tag(box, "table");
  const head = tag(tag(element, "thead"), "tr");
  for (const text of columns) tag(head, "th", { scope: "col" }, text);
  const body = tag(element, "tbody");
  const rows = new Map();
  for (const name of names) {
    const row = tag(body, "tr");
    const cell = tag(row, "th", { scope: "row" });
    if (looks[name]) {
      const sample = svg(cell, "svg", { viewBox: "0 0 36 10", width: 36, height: 10, "aria-hidden": "true" });
      svg(sample, "path", { d: "M0 5H36", "stroke-width": 2.5, ...looks[name] });
    }
    cell.append(name);
    rows.set(name, { row, words: cell.lastChild, cells: columns.slice(1).map(() => tag(row, "td")) });
  }
  return (name, texts, other = name) => {
    const { row, words, cells } = rows.get(name);
    row.hidden = !texts;
    write(words, other);
    texts?.forEach((text, i) => write(cells[i], text));
  };
}
