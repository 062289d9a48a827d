// The network itself, on a canvas: a line is a weight, its halo how unsure it is, a unit a small map of what it says.
import { arrow, el, paint, shade } from "../marks.js";

/** The place of a probability among the colours, and its colour. */
export const opinion = (p) => 0.44 * (2 * p - 1);
export const said = (p, isDark) => shade(opinion(p), isDark);

/** The wiring in a panel; `point(index)` hears which weight is pointed at, −1 for none. */
export class Wires {
  constructor(ui, panel, point) {
    this.panel = panel;
    const role = { role: "slider", "aria-label": "A weight, by the arrow keys", "aria-valuenow": 0 };
    this.canvas = el(panel.paper, "canvas", { ...role, tabindex: 0, style: "inset: 0" });
    this.tile = document.createElement("canvas");
    this.probe = el(panel.paper, "span", { hidden: "" });
    this.lines = []; // [index, x0, y0, x1, y1] of each weight that is drawn
    ui.listen(this.canvas, "pointermove", ({ offsetX, offsetY }) => point(this.near(offsetX, offsetY)));
    ui.listen(this.canvas, "pointerleave", () => point(-1));
    ui.listen(this.canvas, "blur", () => point(-1));
    ui.listen(this.canvas, "keydown", (event) => {
      const [right, up] = arrow(event) ?? [0, 0];
      if (!right && !up) return;
      const at = this.lines.findIndex(([index]) => index === ui.state.pointed);
      point(this.lines.at((at + right - up) % this.lines.length)[0]);
    });
  }

  near(x, y) {
    let [best, least] = [-1, 6];
    for (const [index, x0, y0, x1, y1] of this.lines) {
      const [dx, dy] = [x1 - x0, y1 - y0];
      const t = Math.max(0, Math.min(1, ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy)));
      const away = Math.hypot(x - x0 - t * dx, y - y0 - t * dy);
      if (away < least) [best, least] = [index, away];
    }
    return best;
  }

  /** A canvas knows no variables of a style sheet; they are asked for when the theme changes. */
  colors(isDark) {
    if (this.isDark !== isDark) {
      const read = (name) => ((this.probe.style.color = `var(--${name})`), getComputedStyle(this.probe).color);
      this.inks = Object.fromEntries(["wider", "narrower", "quiet", "ink", "line"].map((name) => [name, read(name)]));
      this.isDark = isDark;
    }
    return this.inks;
  }

  /** Places of the columns of units. */
  column = (layer, layers) => 22 + (layer * (this.panel.width - 52)) / (layers - 1);

  draw({ sizes, weights, std, prior, units, size, pointed, isDark }) {
    const { panel: { width, height }, canvas, tile } = this;
    if (!width || !height) return;
    const ratio = devicePixelRatio;
    const pixels = { width: Math.round(width * ratio), height: Math.round(height * ratio) };
    if (canvas.width !== pixels.width || canvas.height !== pixels.height) Object.assign(canvas, pixels);
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const inks = this.colors(isDark);
    const room = height - 30;
    const side = Math.max(12, Math.min(26, room / Math.max(...sizes) - 4));
    const X = (layer) => this.column(layer, sizes.length);
    const Y = (layer, k) => room / 2 + (k - (sizes[layer] - 1) / 2) * Math.min(44, room / sizes[layer]);
    const largest = weights.reduce((most, w) => Math.max(most, Math.abs(w)), 1);
    this.lines = [];
    let index = 0;
    for (let l = 0; l + 1 < sizes.length; l++) {
      const [from, to] = [X(l) + (l ? side / 2 : 8), X(l + 1) - side / 2];
      for (let j = 0; j < sizes[l]; j++) for (let k = 0; k < sizes[l + 1]; k++) this.lines.push([index++, from, Y(l, j), to, Y(l + 1, k)]);
      index += sizes[l + 1]; // biases are not drawn
    }
    const stroke = (/** @type {number[]} */ [, x0, y0, x1, y1], color, wide, opacity) => {
      Object.assign(context, { strokeStyle: color, lineWidth: wide, globalAlpha: opacity });
      context.beginPath();
      context.moveTo(x0, y0);
      context.bezierCurveTo((x0 + x1) / 2, y0, (x0 + x1) / 2, y1, x1, y1);
      context.stroke();
    };
    const wide = (i) => (7 * Math.abs(weights[i])) / largest;
    if (std) for (const line of this.lines) stroke(line, inks.quiet, wide(line[0]) + (8 * std[line[0]]) / prior, 0.2);
    for (const line of this.lines) stroke(line, weights[line[0]] > 0 ? inks.wider : inks.narrower, Math.max(0.4, wide(line[0])), 0.6);
    const told = this.lines.find(([i]) => i === pointed);
    if (told) stroke(told, inks.ink, 2, 1);
    Object.assign(context, { globalAlpha: 1, strokeStyle: inks.line, fillStyle: inks.ink, lineWidth: 1 });
    Object.assign(context, { font: "12px system-ui, sans-serif", textAlign: "center", textBaseline: "middle" });
    ["x", "y"].forEach((name, j) => context.fillText(name, X(0), Y(0, j)));
    units.forEach((layer, l) => layer.forEach((values, k) => {
      paint(tile, { size, values }, (p) => said(p, isDark));
      const [left, top] = [X(l + 1) - side / 2, Y(l + 1, k) - side / 2];
      context.drawImage(tile, left, top, side, side);
      context.strokeRect(left, top, side, side);
    }));
  }
}
