// The network itself: a line is a weight, its halo how unsure it is, and a unit a small map of what it says.
import { el, outline, paint, shade, shape, text } from "../marks.js";

/** The colour of a probability. */
export const said = (p, isDark) => shade(0.44 * (2 * p - 1), isDark);

/** Place of the column of a layer in pixels. */
export const column = (panel, layer, layers) => 22 + (layer * (panel.width - 52)) / (layers - 1);

/** Draw the wiring in a panel; `units` are what each unit of each layer says on a map of size × size cells. */
export function drawWiring(panel, { sizes, weights, std, prior, units, size }) {
  const { width, height, ui: { isDark } } = panel;
  panel.set({ x: [0, width], y: [height, 0] }); // its data are pixels
  const room = height - 30;
  const side = Math.max(12, Math.min(26, room / Math.max(...sizes) - 4));
  const X = (layer) => column(panel, layer, sizes.length);
  const Y = (layer, k) => room / 2 + (k - (sizes[layer] - 1) / 2) * Math.min(44, room / sizes[layer]);
  const largest = weights.reduce((most, w) => Math.max(most, Math.abs(w)), 1);
  const lines = [], halos = [];
  let index = 0;
  for (let l = 0; l + 1 < sizes.length; l++) {
    const [from, to] = [X(l) + (l ? side / 2 : 8), X(l + 1) - side / 2];
    const middle = (from + to) / 2;
    for (let k = 0; k < sizes[l] * sizes[l + 1]; k++, index++) {
      const [y0, y1] = [Y(l, Math.floor(k / sizes[l + 1])), Y(l + 1, k % sizes[l + 1])];
      const path = () => `M${from} ${y0}C${middle} ${y0} ${middle} ${y1} ${to} ${y1}`;
      const wide = (7 * Math.abs(weights[index])) / largest;
      if (std) halos.push(shape(path, "quiet", { width: wide + (8 * std[index]) / prior, opacity: 0.2 }));
      lines.push(shape(path, weights[index] > 0 ? "wider" : "narrower", { width: Math.max(0.4, wide), opacity: 0.6 }));
    }
    index += sizes[l + 1]; // biases are not drawn
  }
  const places = units.flatMap((layer, l) => layer.map((values, k) => [values, X(l + 1), Y(l + 1, k)]));
  const frames = places.map(([, x, y]) => outline(x, y, side / 1.74, true)).join("");
  const names = ["x", "y"].map((name, j) => text([X(0), Y(0, j)], name, "ink", { bold: false }));
  panel.draw(halos, lines, names, { ...shape(() => frames, "line", { width: 2 }), layer: "over" });
  panel.tiles ??= [];
  while (panel.tiles.length > places.length) panel.tiles.pop().remove();
  places.forEach(([values, x, y], i) => {
    const tile = (panel.tiles[i] ??= el(panel.paper, "canvas", { "aria-hidden": "true" }));
    paint(tile, { size, values }, said, isDark);
    tile.style.cssText = `left: ${x - side / 2}px; top: ${y - side / 2}px; width: ${side}px; height: ${side}px`;
  });
}
