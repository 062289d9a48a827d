// Boards of square cells: one to draw on by mouse, finger, pen or keys, and one that shows marks.
import { format, tag, write } from "../shared/kit.js";
import { put, svg } from "../shared/plot.js";
import { inkOf, stroke, textOf } from "./votes.js";

/** A panel of `side` by `side` cells with its title: { picture, set }. */
export function board(ui, name, side) {
  const [title] = ui.titles[name];
  const box = tag(ui.panels, "figure", { class: "bflo-plot" });
  const caption = tag(box, "figcaption", {}, title);
  const picture = svg(tag(box, "div", { class: "bflo-stage" }), "svg", {
    viewBox: `-0.2 -0.2 ${side + 0.4} ${side + 0.4}`,
    role: "img",
    "aria-label": title,
  });
  svg(picture, "rect", { width: side, height: side, fill: "none", stroke: "var(--prior)", "stroke-width": side / 150 });
  const set = ({ title: now, alt }) => {
    write(caption, now);
    picture.setAttribute("aria-label", alt);
  };
  return { picture, title, set };
}

/** The board that is drawn on. Returns draw(ink), and how to take ink away instead: erase(isOn). */
export function pad(ui) {
  const { side, brush } = ui.facts;
  const { picture, title, set } = board(ui, "sketch", side);
  const ink = svg(picture, "path", { fill: "var(--ink)" });
  const cursor = svg(picture, "circle", { class: "bflo-pen", r: brush, fill: "none", stroke: "var(--weight)", "stroke-width": 0.35 });
  put(picture, { tabindex: 0, role: "application", "aria-roledescription": "drawing surface", class: "bflo-pad" });
  let [place, isDown, isErasing, last] = [[side / 2, side / 2], false, false, null];

  const mark = (from, to, erases) => {
    const cells = inkOf(ui.model.get("sketch"), side);
    stroke(cells, side, from, to, brush, erases ? 0 : 1);
    ui.set({ sketch: textOf(cells, side) });
  };
  const at = (event) => {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
    return [x, y];
  };
  const lift = () => {
    last = null;
    ui.redraw();
  };
  ui.listen(picture, "pointerdown", (event) => {
    if (event.button) return;
    event.preventDefault();
    picture.focus({ preventScroll: true });
    picture.setPointerCapture(event.pointerId);
    isDown = false;
    last = at(event);
    mark(last, last, isErasing);
  });
  ui.listen(picture, "pointermove", (event) => {
    if (!last) return;
    const steps = event.getCoalescedEvents?.() ?? [];
    for (const step of steps.length ? steps : [event]) {
      const next = at(step);
      mark(last, next, isErasing);
      last = next;
    }
    place = last.map((x) => Math.max(0.5, Math.min(side - 0.5, Math.floor(x) + 0.5)));
  });
  // Browsers ignore touch-action inside of an SVG: without this a finger would scroll the page instead.
  ui.listen(picture, "touchstart", (event) => event.preventDefault(), { passive: false });
  for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) ui.listen(picture, type, lift);
  ui.listen(picture, "blur", () => {
    isDown = false;
    ui.redraw();
  });
  ui.listen(picture, "focus", () => ui.redraw());
  ui.listen(picture, "keydown", (event) => {
    const by = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], " ": [0, 0] }[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (event.key === " " && event.repeat) return;
    if (event.key === " ") isDown = !isDown;
    const far = event.shiftKey ? 4 : 1;
    const next = place.map((x, i) => Math.max(0.5, Math.min(side - 0.5, x + far * by[i])));
    if (isDown) mark(place, next, isErasing);
    place = next;
    const pen = isDown ? (isErasing ? "eraser down" : "pen down") : "pen up";
    ui.moved = () => `Row ${format(place[1] + 0.5, 0)}, column ${format(place[0] + 0.5, 0)}, ${pen}. `;
    ui.redraw();
  });

  return {
    erase: (isOn) => (isErasing = isOn),
    draw(cells) {
      let path = "";
      cells.forEach((cell, k) => (path += cell ? `M${k % side} ${Math.floor(k / side)}h1v1h-1z` : ""));
      put(ink, { d: path });
      put(cursor, { cx: place[0], cy: place[1], "stroke-dasharray": isDown ? undefined : "0.5 0.5", "data-pen": isDown ? "down" : "up" });
      const count = cells.reduce((sum, cell) => sum + cell, 0);
      set({ title, alt: `${title}: ${count} of ${cells.length} cells have ink.` });
    },
  };
}
