// Marks: what a picture is made of. A view says which there are, and `panel.draw(…)` changes those that are there.
// They are { tag, layer ("under" the edge of the axes, or "over" it as words are), attrs(panel), words }, which the
// functions below make in units of the data; sizes are in pixels of the page. What is false is left out.

const SVG = "http://www.w3.org/2000/svg";
const LIGHT = "7f3b08 b35806 e08214 fdb863 fee0b6 f7f7f7 d8daeb b2abd2 8073ac 542788 2d004b";
const DARK = "ffc47a f59b3a c96d14 8a4a12 4a2c14 1d1f24 2b2a3f 4b4474 7668b0 a293dd cfc6ff"; // its middle is dark, too

export const clamp = (x, low, high) => Math.max(low, Math.min(high, x));
/** Numbers, or lists of numbers, a part of the way from one to the other. */
export const mix = (a, b, part) => (Array.isArray(a) ? a.map((x, i) => mix(x, b[i], part)) : a + part * (b - a));
/** An id; each explorer of a notebook has a module of its own, which cannot count those of others. */
export const uniqueId = () => `bflo-${Math.random().toString(36).slice(2)}`;
/** A number as it is written: with a true minus, and none before a zero. */
export function format(x, digits = 2) {
  if (!Number.isFinite(x)) return x > 0 ? "∞" : x < 0 ? "−∞" : "–";
  return x.toFixed(digits).replace(/^-(0\.?0*)$/, "$1").replace("-", "−");
}
/** The colour of words that belong to a mark: that of the mark, or a darker one where it is too pale to be read. */
const wordColor = (name) => `var(--${name}-text, var(--${name}))`;

/** Words whose numbers have the colours of their marks: say`from ${[1.5, "weight"]} to …`; a part may be words, too. */
export function say(strings, ...values) {
  const written = (part) => {
    if (!Array.isArray(part)) return String(part);
    return [typeof part[0] === "number" ? format(part[0]) : part[0], part[1]];
  };
  const parts = strings.flatMap((text, i) => [text, ...(values[i]?.parts ?? [values[i]])]);
  return { parts: parts.filter((part) => part !== "" && part != null).map(written) };
}

/** Make an element, or with `svg` one of a picture, inside of a parent. */
export function el(parent, name, attributes = {}, text = "", element = document.createElement(name)) {
  for (const [key, value] of Object.entries(attributes)) value !== undefined && element.setAttribute(key, value);
  if (text) element.textContent = text;
  parent?.append(element);
  return element;
}
/** @returns {any} */
export function svg(parent, name, attributes = {}, text = "") {
  return el(parent, name, attributes, text, /** @type {any} */ (document.createElementNS(SVG, name)));
}
/** Change those attributes of an element that differ; undefined removes one. */
export function change(node, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined) node.removeAttribute(key);
    else if (node.getAttribute(key) !== String(value)) node.setAttribute(key, value);
  }
}
/** Put words with colours in a place; it is touched only if they are others. */
export function write(place, words) {
  const { parts } = words?.parts ? words : say`${words ?? ""}`;
  const key = JSON.stringify(parts);
  if (place.dataset.words === key) return;
  place.dataset.words = key;
  const colored = ([text, color]) => el(null, "b", { style: `color: ${wordColor(color)}` }, text);
  place.replaceChildren(...parts.map((part) => (typeof part === "string" ? part : colored(part))));
}

const px = (x) => Math.round(10 * clamp(x, -9999, 9999)) / 10;
const line = (p, points) => points.map(([x, y], i) => `${i ? "L" : "M"}${px(p.X(x))} ${px(p.Y(y))}`).join("");
const ink = (color) => (/^(url|rgb)/.test(color) ? color : `var(--${color})`);
const pen = (color, { width = 2, dash = undefined, opacity = undefined, fill = 0, edge = color }) => ({
  stroke: width ? ink(edge) : "none", "stroke-width": width, "stroke-dasharray": dash, opacity,
  fill: fill ? ink(color) : "none", "fill-opacity": fill || undefined, "stroke-linejoin": "round",
});
const paths = new WeakMap(); // by the data that they are made of
/** The path d(p), made again only for other data or in another place; a name tells paths of the same data apart. */
function kept(p, [data, name = ""], d) {
  const known = paths.get(data) ?? paths.set(data, {}).get(data);
  return (known[p.place + name] ??= d(p));
}

/**
 * Any path: `d(p)` returns its data in pixels, with p.X and p.Y for places. Options: width, dash, opacity; fill (its
 * opacity) and edge (another colour for the line); and memo, [data, name], for a long path whose data seldom change.
 */
export function shape(d, color = "ink", { memo = null, ...look } = /** @type {any} */ ({})) {
  const attrs = (p) => ({ d: memo ? kept(p, memo, d) : d(p), ...pen(color, look) });
  return { tag: "path", layer: "under", attrs };
}
/** A line through points. */
export const curve = (points, color, look = {}) => shape((p) => line(p, points), color, look);
/** A filled curve, drawn along its points only. */
export const area = (points, color, look = {}) => curve(points, color, { fill: 0.18, ...look });
/** Many lines, each a list of points, as one mark. */
export function lines(all, color, look = {}) {
  return shape((p) => all.map((points) => line(p, points)).join(""), color, { width: 1, ...look });
}
/** Many discs or squares; r is one radius, or one for each. A hollow one has an edge only. */
export function dots(points, color, { r = 3, square = false, hollow = false, ...look } = /** @type {any} */ ({})) {
  const one = (p) => ([x, y], i) => outline(px(p.X(x)), px(p.Y(y)), Array.isArray(r) ? r[i] : r, square);
  return shape((p) => points.map(one(p)).join(""), color, { fill: hollow ? 0 : 0.8, width: hollow ? 1.5 : 0, ...look });
}
/** Path data of a disc, or of a square as large, around a place in pixels. */
export function outline(x, y, r, square = false) {
  if (square) return `M${px(x - 0.87 * r)} ${px(y - 0.87 * r)}h${px(1.74 * r)}v${px(1.74 * r)}h${px(-1.74 * r)}z`;
  return `M${px(x - r)} ${px(y)}a${px(r)} ${px(r)} 0 1 0 ${px(2 * r)} 0a${px(r)} ${px(r)} 0 1 0 ${px(-2 * r)} 0z`;
}
/** The unit vector in a direction. */
export const unit = (angle) => [Math.cos(angle), Math.sin(angle)];
/** The ellipse k standard deviations around a mean, of the covariance S Sᵀ with S = [a, b, c, d]. */
export function ellipse(mean, /** @type {ArrayLike<number>} */ s, k, color, look = {}) {
  const [a, b, c, d] = Array.from(s);
  const at = (/** @type {number[]} */ [x, y]) => [mean[0] + k * (a * x + b * y), mean[1] + k * (c * x + d * y)];
  return curve(Array.from({ length: 73 }, (_, i) => at(unit((i * Math.PI) / 36))), color, look);
}
/** Words at a place, moved by pixels. Colours are those of marks, "ink" or "quiet"; `inside` keeps them in sight. */
export function text(at, words, color = "ink", options = /** @type {any} */ ({})) {
  const { anchor = "middle", dx = 0, dy = 4, bold = color !== "quiet", inside = true } = options;
  const long = 7.2 * String(words).length; // about
  const before = { start: 0, middle: 0.5, end: 1 }[anchor] * long;
  const place = (p) => (inside ? clamp(p.X(at[0]) + dx, before, p.width - long + before) : p.X(at[0]) + dx);
  const style = `fill: ${wordColor(color)}${bold ? "; font-weight: 600" : ""}`;
  const attrs = (p) => ({ x: px(place(p)), y: px(p.Y(at[1]) + dy), "text-anchor": anchor, class: "bflo-halo", style });
  return { tag: "text", layer: "over", words: String(words), attrs };
}

/** Values f(x, y) in the middles of size × size cells, low y first. */
export function grid(size, /** @type {number[]} */ [x0, x1], /** @type {number[]} */ [y0, y1], f) {
  const at = (low, high, i) => low + ((high - low) * (i + 0.5)) / size;
  const value = (_, k) => f(at(x0, x1, k % size), at(y0, y1, Math.floor(k / size)));
  return { size, values: Float64Array.from({ length: size * size }, value), x: [x0, x1], y: [y0, y1], at };
}
/** A grid over the whole picture as colours; rgb(value, isDark) is red, green and blue, and the same function again. */
export const raster = (cells, rgb) => ({ cells, rgb });
/** Lines along which the values of a grid have these levels. */
export function contours(cells, levels, color = "ink", look = {}) {
  const path = (p) => levels.map((level) => levelLine(p, cells, level)).join("");
  return shape(path, color, { width: 0.75, opacity: 0.55, memo: [cells, levels.join()], ...look });
}
function levelLine(p, { size, values, x, y, at }, level) {
  const X = Array.from({ length: size }, (_, i) => p.X(at(x[0], x[1], i)));
  const Y = Array.from({ length: size }, (_, j) => p.Y(at(y[0], y[1], j)));
  let path = "";
  for (let k = 0; k < size * (size - 1); k++) {
    const [i, j] = [k % size, Math.floor(k / size)];
    const [a, b] = [values[k] - level, values[k + 1] - level];
    const [d, c] = [values[k + size] - level, values[k + size + 1] - level];
    if (i + 1 === size || (a < 0 === b < 0 && b < 0 === c < 0 && c < 0 === d < 0)) continue;
    const cuts = [];
    if (a < 0 !== b < 0) cuts.push(mix(X[i], X[i + 1], a / (a - b)), Y[j]);
    if (b < 0 !== c < 0) cuts.push(X[i + 1], mix(Y[j], Y[j + 1], b / (b - c)));
    if (c < 0 !== d < 0) cuts.push(mix(X[i + 1], X[i], c / (c - d)), Y[j + 1]);
    if (d < 0 !== a < 0) cuts.push(X[i], mix(Y[j + 1], Y[j], d / (d - a)));
    for (let n = 0; n < cuts.length; n += 2) path += `${n % 4 ? "L" : "M"}${px(cuts[n])} ${px(cuts[n + 1])}`;
  }
  return path;
}

/** Red, green and blue of 511 places on the way through these colours. */
export function ramp(stops) {
  const rgb = stops.split(" ").map((hex) => [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16)));
  return Array.from({ length: 511 }, (_, k) => {
    const at = (k / 510) * (rgb.length - 1);
    const i = Math.min(rgb.length - 2, Math.floor(at));
    return mix(rgb[i], rgb[i + 1], at - i);
  });
}
const SHADES = [LIGHT, DARK].map(ramp);
/** Red, green and blue of a place from −1 (orange) to 1 (violet). */
export const shade = (place, isDark) => SHADES[Number(isDark)][Math.round(255 * (clamp(place || 0, -1, 1) + 1))];
/** Fill a canvas with a grid, one pixel for each cell. */
export function paint(canvas, { size, values }, rgb, isDark) {
  if (canvas.width !== size) Object.assign(canvas, { width: size, height: size });
  const context = canvas.getContext("2d");
  const image = context.createImageData(size, size);
  for (let k = 0; k < size * size; k++) {
    const at = 4 * ((size - 1 - Math.floor(k / size)) * size + (k % size));
    [image.data[at], image.data[at + 1], image.data[at + 2]] = rgb(values[k], isDark);
    image.data[at + 3] = 255;
  }
  context.putImageData(image, 0, 0);
}

const HANDLES = {
  disc: outline(0, 0, 6), ring: outline(0, 0, 7), small: outline(0, 0, 4.5), flag: "M-5 -6h10v7l-5 5-5-5z",
  wide: `${outline(0, 0, 7)}M-11 -4l-5 4 5 4M11 -4l5 4-5 4`,
};
/**
 * Something that is dragged by mouse, finger or arrow keys (with Shift five times as far; Enter lets go). `set([x, y])`
 * hears where to, `drop()` that it was let go; a handle is known by its label, and `shape` is one of those above.
 */
export function handle(/** @type {number[]} */ at, options) {
  const says = `${format(at[0])}, ${format(at[1])}`;
  return { at, says, drop: () => {}, step: 0.1, shape: "disc", ...options };
}

/** Three to five places for ticks; on a logarithmic axis powers of ten. */
function ticks(/** @type {number[]} */ [low, high], log = false, most = 4) {
  const [from, to] = log ? [Math.log10(low), Math.log10(high)] : [low, high];
  const raw = (to - from) / most;
  const scale = log ? Math.ceil(raw) : 10 ** Math.floor(Math.log10(raw));
  const size = scale * [1, 2, 5, 10].find((n) => n * scale >= raw * 0.999);
  const first = Math.ceil(from / size);
  const count = 1 + Math.max(0, Math.floor(to / size - first + 1e-9));
  return Array.from({ length: count }, (_, i) => (log ? 10 ** ((first + i) * size) : (first + i) * size));
}
function tickText(x) {
  const isPlain = x === 0 || (Math.abs(x) < 1e5 && Math.abs(x) >= 1e-3);
  return (isPlain ? String(Number(x.toPrecision(6))) : x.toExponential(0).replace("e+", "e")).replaceAll("-", "−");
}

/**
 * A picture in pixels of the page: letters keep their size, whatever its own. Options: caption; x and y, ranges of the
 * data; log for the vertical one; xticks and yticks, lists, or null for none; xlabel, ylabel; margin; isSquare; wash.
 */
export class Panel {
  x = [0, 1]; y = [0, 1]; log = false; xticks = []; yticks = []; xlabel = ""; ylabel = ""; isSquare = false;
  width = 0; height = 0; area = { left: 0, top: 0, right: 1, bottom: 1 }; handles = new Map();

  constructor(ui, name, { caption = "", margin = {}, wash = false, ...options } = /** @type {any} */ ({})) {
    Object.assign(this, options);
    this.ui = ui;
    this.name = name;
    const bare = wash ? 0 : 8;
    this.margin = { left: bare, right: bare, top: bare, bottom: wash ? 0 : 36, ...margin };
    this.figure = el(ui.stage, "figure", { class: "bflo-figure", "data-picture": name, style: `--area: ${name}` });
    this.head = el(this.figure, "figcaption");
    this.caption = el(this.head, "span", {}, caption);
    this.paper = el(this.figure, "div", { class: "bflo-paper" });
    this.canvas = el(this.paper, "canvas", { class: wash ? "bflo-wash" : "", "aria-hidden": "true" });
    this.root = svg(this.paper, "svg", { role: "group", "aria-label": caption || name });
    const id = uniqueId();
    this.clip = svg(svg(this.root, "clipPath", { id }), "rect");
    this.axis = svg(this.root, "g", { class: "bflo-axis" });
    this.layers = { under: svg(this.root, "g", { "clip-path": `url(#${id})` }), over: svg(this.root, "g") };
    this.hands = svg(this.root, "g");
    ui.resized(this.paper, () => this.fit());
  }

  X(x) {
    return mix(this.area.left, this.area.right, (x - this.x[0]) / (this.x[1] - this.x[0]));
  }
  Y(y) {
    const [low, high] = this.y;
    const part = this.log ? Math.log(y / low) / Math.log(high / low) : (y - low) / (high - low);
    return mix(this.area.bottom, this.area.top, part);
  }
  /** The place of a pointer in units of the data; on a logarithmic axis nothing is dragged up or down. */
  at(event) {
    const { left, top, width } = this.root.getBoundingClientRect();
    const { area, x, y } = this;
    const scale = this.width / width; // a slide is scaled
    const across = (scale * (event.clientX - left) - area.left) / (area.right - area.left);
    const up = (area.bottom - scale * (event.clientY - top)) / (area.bottom - area.top);
    return [mix(x[0], x[1], across), mix(y[0], y[1], up)];
  }
  /** The nearest place inside the picture. */
  inside(/** @type {number[]} */ place) {
    return [this.x, this.y].map(([low, high], i) => clamp(place[i], low, high));
  }

  /** Words above the picture, with colours. */
  title(words) {
    write(this.caption, words);
  }
  /** Change the ranges and whatever else the axes were made with. */
  set(options) {
    return Object.assign(this, options);
  }
  /** Call an action with the place where the picture is pressed. */
  onPress(action) {
    this.root.style.cursor = "pointer";
    const press = (event) => event.target.closest(".bflo-handle") || action(this.inside(this.at(event)));
    this.ui.listen(this.root, "click", press);
  }
  fit() {
    const { margin, paper } = this;
    [this.width, this.height] = [paper.clientWidth, paper.clientHeight];
    let width = Math.max(1, this.width - margin.left - margin.right);
    let height = Math.max(1, this.height - margin.top - margin.bottom);
    if (this.isSquare) width = height = Math.min(width, height);
    this.area = { left: margin.left, top: margin.top, right: margin.left + width, bottom: margin.top + height };
    change(this.clip, { x: margin.left, y: margin.top, width, height });
    this.canvas.style.cssText = `left: ${margin.left}px; top: ${margin.top}px; width: ${width}px; height: ${height}px`;
    this.ui.redraw();
  }

  /** Show these marks and no others; lists of marks are laid flat. */
  draw(...given) {
    if (!this.width || !this.height) return;
    this.place = JSON.stringify([this.area, this.x, this.y]);
    this.drawAxes();
    const all = given.flat(3).filter(Boolean);
    for (const [name, layer] of Object.entries(this.layers)) {
      const marks = all.filter((mark) => mark.layer === name);
      marks.forEach((mark, i) => {
        const old = layer.childNodes[i];
        const node = old?.localName === mark.tag ? old : layer.insertBefore(svg(null, mark.tag), old ?? null);
        change(node, mark.attrs(this));
        if (mark.words !== undefined && node.textContent !== mark.words) node.textContent = mark.words;
      });
      while (layer.childNodes.length > marks.length) layer.lastChild.remove();
    }
    this.map(all.find((mark) => mark.cells));
    const held = all.filter((mark) => mark.label);
    for (const mark of held) this.hand(mark);
    for (const [label, node] of this.handles) {
      if (held.some((mark) => mark.label === label)) continue;
      node.remove();
      this.handles.delete(label);
    }
  }

  /** Paint colours behind the marks, again only if they have changed. */
  map(mark) {
    const { canvas, ui: { isDark } } = this;
    const now = [mark?.cells, mark?.rgb, isDark];
    if (mark && now.some((part, i) => part !== this.painted?.[i])) paint(canvas, mark.cells, mark.rgb, isDark);
    this.painted = now;
  }

  hand(mark) {
    const node = this.handles.get(mark.label) ?? this.newHandle(mark);
    node.mark = mark;
    const [x, y] = mark.at;
    const [left, top] = [px(this.X(x)), px(Number.isNaN(y) ? this.area.top : this.Y(y))];
    const place = { transform: `translate(${left} ${top})`, style: `color: var(--${mark.color})` };
    change(node, { ...place, "aria-valuenow": x.toFixed(2), "aria-valuetext": mark.says });
  }

  newHandle({ label, shape }) {
    const { ui, hands, handles } = this;
    const node = svg(hands, "g", { class: "bflo-handle", tabindex: 0, role: "slider", "aria-label": label });
    handles.set(label, node);
    svg(node, "circle", { r: 20, fill: "transparent" });
    svg(node, "circle", { class: "bflo-ring", r: 13 });
    const fill = shape === "disc" || shape === "flag" ? "currentColor" : "var(--paper)";
    svg(node, "path", { d: HANDLES[shape], fill, stroke: "currentColor", "stroke-width": 2 });
    let grip = null;
    const move = (place) => (ui.hold(), node.mark.set(this.inside(place)));
    ui.listen(node, "pointerdown", (event) => {
      if (event.button) return;
      event.preventDefault();
      node.focus({ preventScroll: true });
      node.setPointerCapture(event.pointerId);
      const [x, y] = this.at(event);
      grip = [node.mark.at[0] - x, node.mark.at[1] - y]; // grabbed beside its middle, it does not jump
    });
    ui.listen(node, "pointermove", (event) => grip && move(this.at(event).map((x, i) => x + grip[i])));
    ui.listen(node, "touchstart", (event) => event.preventDefault(), { passive: false });
    ui.listen(node, "lostpointercapture", () => {
      if (grip) node.mark.drop();
      grip = null;
    });
    ui.listen(node, "keydown", (event) => {
      if (event.key === "Enter") node.mark.drop();
      const by = arrow(event);
      if (!by) return;
      const { at, step } = node.mark;
      move(at.map((x, i) => x + by[i] * step));
      ui.flush();
    });
    return node;
  }

  /** Thin axes: one line each, few ticks, the name at the end; the vertical name stands upright on top. */
  drawAxes() {
    const { x, y, log, xticks, yticks, xlabel, ylabel, width, axis } = this;
    const key = JSON.stringify([this.place, xticks, yticks, xlabel, ylabel]);
    if (this.axisKey === key) return;
    this.axisKey = key;
    const { left, right, top, bottom } = this.area;
    const isIn = (t, /** @type {number[]} */ [low, high]) => t >= low - 1e-9 && t <= high * (1 + 1e-9) + 1e-9;
    const seen = (all, range) => all.filter((t) => isIn(t, range));
    axis.replaceChildren();
    if (xticks) svg(axis, "line", { x1: left, x2: right, y1: bottom + 0.5, y2: bottom + 0.5 });
    for (const t of xticks ? seen(xticks.length ? xticks : ticks(x, false, width < 260 ? 3 : 4), x) : []) {
      svg(axis, "line", { x1: this.X(t), x2: this.X(t), y1: bottom, y2: bottom + 4 });
      const text = tickText(t);
      const place = Math.min(this.X(t), width - 4 * text.length);
      svg(axis, "text", { x: place, y: bottom + 17, "text-anchor": "middle" }, text);
    }
    for (const t of yticks ? seen(yticks.length ? yticks : ticks(y, log, 3), y) : []) {
      svg(axis, "line", { x1: left - 4, x2: left, y1: this.Y(t), y2: this.Y(t) });
      svg(axis, "text", { x: left - 8, y: this.Y(t) + 4, "text-anchor": "end" }, tickText(t));
    }
    if (xlabel) svg(axis, "text", { x: right, y: bottom + (xticks ? 32 : 17), "text-anchor": "end" }, xlabel);
    if (ylabel) svg(axis, "text", { x: Math.max(0, left - 4), y: top - 8 }, ylabel);
  }
}

/** The direction of an arrow key, [right, up], with Shift five times as far; undefined for other keys. */
export function arrow(event) {
  const by = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
  if (by) event.preventDefault();
  return by?.map((one) => one * (event.shiftKey ? 5 : 1));
}
