// The network itself: each connection with its mean (colour, thickness) and its width (halo), each unit with its own map.
import { tag, write } from "../shared/kit.js";
import { SAID, pixels } from "./pixels.js";

const HEIGHT = 310;
const PLUS = "#8073ac"; // of a mean above 0, solid; one below 0 is dashed
const MINUS = "#d9780f";
const THICKEST = 8; // pixels, of the largest mean
const [INK, PAPER, GREY] = ["#222222", "#ffffff", "#808080"]; // the same in both themes, as those of the maps
const HALO = 9; // pixels around a mean that is as unsure as it was at first
const COARSE = 2; // cells of the map that are one of the map of a unit

/** Where a weight leads from and to: layer, the input j (null for a bias) and the unit k. */
export function endsOf(sizes, index) {
  let start = 0;
  for (let layer = 0; layer + 1 < sizes.length; layer += 1) {
    const [inputs, units] = [sizes[layer], sizes[layer + 1]];
    const place = index - start;
    if (place < (inputs + 1) * units) {
      const j = Math.floor(place / units);
      return { layer, j: j < inputs ? j : null, k: place % units };
    }
    start += (inputs + 1) * units;
  }
  return null;
}

/** Places of units and connections in a panel so wide. */
function layout(sizes, width) {
  const columns = sizes.length;
  const gap = (HEIGHT - 14) / Math.max(3, ...sizes);
  const size = Math.min(34, 0.8 * gap);
  const X = (layer) => 34 + (layer * (width - 78)) / (columns - 1);
  const Y = (layer, k) => HEIGHT / 2 - 3 + (k - (sizes[layer] - 1) / 2) * Math.min(gap, 56);
  const dim = sizes.slice(1).reduce((sum, units, l) => sum + (sizes[l] + 1) * units, 0);
  const lines = Array.from({ length: dim }, (_, index) => {
    const { layer, j, k } = endsOf(sizes, index);
    const [x, y] = [X(layer + 1) - size / 2, Y(layer + 1, k)];
    // A bias comes from nowhere: a short line from below.
    return j === null ? [x - 0.45 * size, y + 0.62 * size, x + 2, y + 0.3 * size] : [X(layer) + size / 2, Y(layer, j), x, y];
  });
  return { X, Y, size, lines };
}

/** Distance of a point from a line between two others. */
function distance([x1, y1, x2, y2], x, y) {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const t = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy)));
  return Math.hypot(x - x1 - t * dx, y - y1 - t * dy);
}

/** The panel of a network. `choose(index)` is told which connection was pressed, `hover(index)` which is pointed at. */
export function wiring(ui, { choose, hover }) {
  const box = tag(ui.panels, "figure", { class: "bflo-plot bflo-wide" });
  const caption = tag(box, "figcaption");
  const canvas = tag(tag(box, "div"), "canvas", { role: "img", class: "bflo-wiring" });
  const context = canvas.getContext("2d");
  const small = document.createElement("canvas");
  const paintUnits = pixels(small, ui.facts.grid, COARSE);
  let [width, ratio, key, places] = [560, 1, "", null];
  const observer = new ResizeObserver(([entry]) => {
    const now = Math.round(entry.contentRect.width);
    if (!now || (now === width && ratio === devicePixelRatio && places)) return;
    [width, ratio] = [now, devicePixelRatio];
    ui.redraw();
  });
  observer.observe(canvas);
  ui.signal.addEventListener("abort", () => observer.disconnect());

  const nearest = (event) => {
    const { left, top } = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    let [best, far] = [-1, 7];
    places?.lines.forEach((ends, index) => {
      const away = distance(ends, x, y);
      if (away < far) [best, far] = [index, away];
    });
    return best;
  };
  ui.listen(canvas, "pointermove", (event) => hover(nearest(event)));
  ui.listen(canvas, "pointerleave", () => hover(-1));
  ui.listen(canvas, "click", (event) => choose(nearest(event)));

  function strokes(mean, wide, prior, scale) {
    context.lineCap = "butt";
    context.globalAlpha = 0.3;
    context.strokeStyle = GREY;
    if (wide) {
      places.lines.forEach(([x1, y1, x2, y2], i) => {
        context.lineWidth = (THICKEST * Math.abs(mean[i])) / scale + (HALO * wide[i]) / prior;
        context.beginPath();
        context.moveTo(x1, y1);
        context.lineTo(x2, y2);
        context.stroke();
      });
    }
    context.globalAlpha = 0.95;
    for (const sign of [1, -1]) {
      context.strokeStyle = sign > 0 ? PLUS : MINUS;
      context.setLineDash(sign > 0 ? [] : [7, 3]);
      places.lines.forEach(([x1, y1, x2, y2], i) => {
        if (mean[i] * sign <= 0) return;
        context.lineWidth = Math.max(0.4, (THICKEST * Math.abs(mean[i])) / scale);
        context.beginPath();
        context.moveTo(x1, y1);
        context.lineTo(x2, y2);
        context.stroke();
      });
    }
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  /** Mark a connection and its ends, light with a dark rim. */
  function mark([x1, y1, x2, y2]) {
    for (const [strokeStyle, lineWidth] of [[INK, 6], [PAPER, 2.5]]) {
      Object.assign(context, { strokeStyle, lineWidth });
      context.beginPath();
      context.moveTo(x1, y1);
      context.lineTo(x2, y2);
      for (const [x, y] of [[x1, y1], [x2, y2]]) {
        context.moveTo(x + 4, y);
        context.arc(x, y, 4, 0, 2 * Math.PI);
      }
      context.stroke();
    }
  }

  function draw({ sizes, mean, std, prior, units, index }) {
    if (key !== String([sizes, width, ratio])) {
      key = String([sizes, width, ratio]);
      places = layout(sizes, width);
      Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(HEIGHT * ratio) });
      Object.assign(context, { font: "12px system-ui, sans-serif", textBaseline: "middle", textAlign: "center" }); // slow to set
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, HEIGHT);
    let scale = 1;
    for (let i = 0; i < mean.length; i += 1) scale = Math.max(scale, Math.abs(mean[i]));
    strokes(mean, std, prior, scale);
    if (index >= 0) mark(places.lines[index]);
    const cells = paintUnits(units.flat(), SAID);
    const { X, Y, size } = places;
    Object.assign(context, { strokeStyle: GREY, lineWidth: 1 });
    ["x", "y"].forEach((name, j) => {
      context.fillStyle = PAPER;
      context.fillRect(X(0) - size / 2, Y(0, j) - size / 2, size, size);
      context.fillStyle = INK;
      context.strokeRect(X(0) - size / 2, Y(0, j) - size / 2, size, size);
      context.fillText(name, X(0), Y(0, j));
    });
    let unit = 0;
    units.forEach((layer, l) => layer.forEach((_, k) => {
      const [x, y] = [X(l + 1) - size / 2, Y(l + 1, k) - size / 2];
      context.drawImage(small, cells * unit, 0, cells, cells, x, y, size, size);
      context.strokeRect(x, y, size, size);
      unit += 1;
    }));
  }
  return {
    box,
    draw,
    set({ title, alt }) {
      write(caption, title);
      canvas.setAttribute("aria-label", alt);
    },
  };
}
