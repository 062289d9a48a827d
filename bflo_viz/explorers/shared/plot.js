// Panels with axes, drawn as SVG in units of their own that grow with the page, and points that can be moved.
import { format, tag, uniqueId, write } from "./kit.js";

const MARGIN = { left: 44, right: 10, top: 8, bottom: 38 };
/** So many colours between some that are given as hexadecimal numbers: red, green, blue and opacity of each. */
export function shadesBetween(text, count) {
  const stops = text.split(" ").map((hex) => [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16)));
  return Array.from({ length: count }, (_, shade) => {
    const at = (shade / (count - 1)) * (stops.length - 1);
    const i = Math.min(stops.length - 2, Math.floor(at));
    return Uint8ClampedArray.from([...stops[i].map((low, k) => low + (at - i) * (stops[i + 1][k] - low)), 255]);
  });
}

// The colour map of the figures that goes from orange over white to violet.
const SHADES = shadesBetween("7f3b08 b35806 e08214 fdb863 fee0b6 f7f7f7 d8daeb b2abd2 8073ac 542788 2d004b", 511);

/** Red, green, blue and opacity of a place from −1 to 1 on the colour map. */
export const colour = (place) => SHADES[Math.round(255 * (Math.max(-1, Math.min(1, place)) + 1))];

/** Make an SVG element inside of a parent. */
export function svg(parent, name, attributes = {}, text = "") {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  put(element, attributes);
  if (text) element.textContent = text;
  parent?.append(element);
  return element;
}

/** Change attributes of an element; undefined takes one away. */
export function put(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined) element.removeAttribute(key);
    else element.setAttribute(key, value);
  }
  return element;
}

/** Path data through points in data units; a point that is not a number breaks the line. */
export function line(points, p) {
  let [path, pen] = ["", "M"];
  for (const [x, y] of points) {
    const isThere = Number.isFinite(x) && Number.isFinite(y);
    if (isThere) path += `${pen}${p.X(x).toFixed(2)} ${p.Y(y).toFixed(2)}`;
    pen = isThere ? "L" : "M";
  }
  return path;
}

/** Path data of an example: a disc for label 1, a square for label 0. */
export const shapeOf = (x, y, label) => (label ? `M${x - 3.5} ${y}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0` : `M${x - 3} ${y - 3}h6v6h-6Z`);
export const crossOf = (x, y) => `M${x - 6} ${y - 6}l12 12m0 -12l-12 12`;

/** Path data of the ellipse that lies k standard deviations around a mean; its covariance is S Sᵀ with S = [a, b, c, d]. */
export function ellipse(mean, [a, b, c, d], k, p, points = 64) {
  const around = Array.from({ length: points }, (_, i) => {
    const [x, y] = [k * Math.cos((2 * Math.PI * i) / points), k * Math.sin((2 * Math.PI * i) / points)];
    return [mean[0] + a * x + b * y, mean[1] + c * x + d * y];
  });
  return line(around, p) + "Z";
}

/** Path data of where a function of a square grid has a level (marching squares); values row by row, from low y to high. */
export function contour(values, size, level, p) {
  const X = (i) => p.X(p.x[0] + (i / (size - 1)) * (p.x[1] - p.x[0])).toFixed(1);
  const Y = (j) => p.Y(p.y[0] + (j / (size - 1)) * (p.y[1] - p.y[0])).toFixed(1);
  let path = "";
  for (let j = 0; j + 1 < size; j += 1) {
    for (let i = 0; i + 1 < size; i += 1) {
      const k = j * size + i;
      const below = (values[k] < level) + (values[k + 1] < level) + (values[k + size] < level) + (values[k + size + 1] < level);
      if (below % 4 === 0) continue; // most cells are on one side of it
      const corners = [
        [i, j, values[k] - level],
        [i + 1, j, values[k + 1] - level],
        [i + 1, j + 1, values[k + size + 1] - level],
        [i, j + 1, values[k + size] - level],
      ];
      const cuts = [];
      for (let side = 0; side < 4; side += 1) {
        const [x0, y0, a] = corners[side];
        const [x1, y1, b] = corners[(side + 1) % 4];
        if (a < 0 !== b < 0) {
          const t = a / (a - b);
          cuts.push(`${X(x0 + t * (x1 - x0))} ${Y(y0 + t * (y1 - y0))}`);
        }
      }
      for (let n = 0; n + 1 < cuts.length; n += 2) path += `M${cuts[n]}L${cuts[n + 1]}`;
    }
  }
  return path;
}

/** Round numbers between two ends. */
function niceTicks(low, high) {
  const rough = (high - low) / 5;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((k) => k * size >= rough * 0.999) * size;
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, i) => (first + i) * step);
}

/**
 * A panel with axes; its title and the names of its axes are those that Python has for it. `x` and `y` are ranges; `log`
 * makes the vertical axis logarithmic; `ticks` and `up` are ticks of both axes and of that; `canvas` puts one behind.
 */
export function plot(ui, name, options) {
  const [title, xlabel, ylabel] = ui.titles[name];
  const { width = 320, height = 290, equal = false, log = false } = options;
  const box = tag(ui.panels, "figure", { class: "bflo-plot" });
  const caption = tag(box, "figcaption");
  const stage = tag(box, "div", { class: "bflo-stage" });
  const [left, top] = [MARGIN.left, MARGIN.top];
  const [wide, high] = [width - left - MARGIN.right, height - top - MARGIN.bottom];
  const canvas = options.canvas ? tag(stage, "canvas", { "aria-hidden": "true" }) : null;
  if (canvas) {
    const percent = { left: left / width, top: top / height, width: wide / width, height: high / height };
    for (const [key, part] of Object.entries(percent)) canvas.style[key] = `${100 * part}%`;
  }
  const picture = svg(stage, "svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
  const id = uniqueId();
  svg(svg(picture, "clipPath", { id }), "rect", { x: left, y: top, width: wide, height: high });
  const axes = svg(picture, "g", { class: "bflo-axes" });
  const layer = svg(picture, "g", { "clip-path": `url(#${id})` });
  const over = svg(picture, "g", { class: "bflo-over" });
  svg(picture, "text", { x: left + wide / 2, y: height - 6, "text-anchor": "middle", class: xlabel.length > 45 ? "bflo-long" : undefined }, xlabel);
  const upwards = svg(picture, "text", { transform: `translate(11 ${top + high / 2}) rotate(-90)`, "text-anchor": "middle" }, ylabel);

  const scale = log ? Math.log10 : (value) => value;
  const p = {
    svg: picture,
    stage,
    layer,
    over,
    canvas,
    title,
    /** A path in the panel, without a filling unless it is given one. */
    path: (look) => svg(layer, "path", { fill: "none", ...look }),
    /** Move an element that is drawn around 0 to a place. */
    place: (element, [x, y]) => put(element, { transform: `translate(${p.X(x).toFixed(2)} ${p.Y(y).toFixed(2)})` }),
    x: [0, 1],
    y: [0, 1],
    area: { left, top, width: wide, height: high },
    X: (x) => left + (wide * (x - p.x[0])) / (p.x[1] - p.x[0]),
    Y: (y) => top + (high * (scale(p.y[1]) - scale(y))) / (scale(p.y[1]) - scale(p.y[0])),
    /** Where a pointer is, in data units of an axis that is not logarithmic. */
    at(event) {
      const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
      return [p.x[0] + ((x - left) / wide) * (p.x[1] - p.x[0]), p.y[1] - ((y - top) / high) * (p.y[1] - p.y[0])];
    },
    set({ x, y, title: now, alt, ylabel: name }) {
      if (name !== undefined) write(upwards, name);
      if (now !== undefined) write(caption, now);
      if (alt !== undefined) picture.setAttribute("aria-label", alt);
      if (x || y) range(x ?? p.x, y ?? p.y);
    },
  };

  function range(x, y) {
    if (equal) {
      // One unit is as long across as up: the shorter side gets more room around its middle.
      const unit = Math.max((x[1] - x[0]) / wide, (y[1] - y[0]) / high);
      const widen = ([a, b], half) => [(a + b) / 2 - half, (a + b) / 2 + half];
      [x, y] = [widen(x, (unit * wide) / 2), widen(y, (unit * high) / 2)];
    }
    if (axes.firstChild && String([x, y]) === String([p.x, p.y])) return;
    [p.x, p.y] = [x, y];
    axes.replaceChildren();
    svg(axes, "rect", { x: left, y: top, width: wide, height: high, fill: "none", stroke: "var(--faint)" });
    const across = options.ticks ?? niceTicks(...x);
    const up = options.up ?? (log ? decades(...y) : (options.ticks ?? niceTicks(...y)));
    const digits = (ticks) => Math.max(0, ...ticks.map((t) => (String(+t.toPrecision(6)).split(".")[1] ?? "").length));
    for (const t of across) {
      svg(axes, "line", { x1: p.X(t), x2: p.X(t), y1: top + high, y2: top + high + 4, stroke: "var(--faint)" });
      const text = format(t, digits(across));
      const x = Math.min(p.X(t), width - 3.7 * text.length); // a long one at the edge would be cut off
      svg(axes, "text", { x, y: top + high + 16, "text-anchor": "middle" }, text);
    }
    for (const t of up) {
      svg(axes, "line", { x1: left - 4, x2: left, y1: p.Y(t), y2: p.Y(t), stroke: "var(--faint)" });
      const text = log ? String(+t.toPrecision(2)) : format(t, digits(up));
      svg(axes, "text", { x: left - 6, y: p.Y(t) + 4, "text-anchor": "end" }, text);
    }
  }

  p.set({ x: options.x, y: options.y, title, alt: title });
  return p;
}

/** Ticks of a logarithmic axis: decades, and 2 and 5 between them if there are few. */
function decades(low, high) {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const steps = last - first > 3 ? [1] : [1, 2, 5];
  const all = Array.from({ length: last - first + 1 }, (_, i) => steps.map((k) => k * 10 ** (first + i))).flat();
  return all.filter((t) => t >= low * 0.999 && t <= high * 1.001);
}

/** Fill the canvas behind a panel with the colours of a square grid; rows go from low y to high. */
export function fillCanvas(p, size, colourOf) {
  if (p.canvas.width !== size || p.canvas.height !== size) Object.assign(p.canvas, { width: size, height: size });
  const context = p.canvas.getContext("2d");
  const image = context.createImageData(size, size);
  for (let k = 0; k < size * size; k += 1) image.data.set(colourOf((size - 1 - Math.floor(k / size)) * size + (k % size)), 4 * k);
  context.putImageData(image, 0, 0);
}

/**
 * A point that is moved by mouse, touch or arrow keys, and tells where it is: { element, draw, isHeld }. `bounds()` are the
 * ranges in which it can be.
 */
export function handle(ui, p, { name, label, get, set, text, shape, color, bounds }) {
  const step = 0.1;
  p.svg.setAttribute("role", "group");
  const g = svg(p.over, "g", {
    class: "bflo-handle",
    "data-handle": name,
    tabindex: 0,
    role: "slider",
    "aria-label": label,
    "aria-roledescription": "point to move with the arrow keys",
  });
  svg(g, "circle", { r: 18, fill: "transparent", stroke: "none" });
  svg(g, "circle", { class: "bflo-focus", r: 12, fill: "none" });
  drawMark(g, shape, color);
  const move = (place) => {
    const ends = bounds();
    set(place.map((value, i) => Math.max(ends[i][0], Math.min(ends[i][1], Number(value.toFixed(2))))));
    ui.moved = () => `${label}: ${text(get())}. `;
    ui.redraw(); // also where it could go no further
  };
  let grip = null;
  ui.listen(g, "pointerdown", (event) => {
    if (event.button) return;
    event.preventDefault();
    g.focus();
    g.setPointerCapture(event.pointerId);
    const [x, y] = p.at(event);
    grip = [get()[0] - x, get()[1] - y]; // grabbed beside its middle, it does not jump
  });
  ui.listen(g, "pointermove", (event) => {
    if (!grip) return;
    const [x, y] = p.at(event);
    move([x + grip[0], y + grip[1]]);
  });
  // Browsers ignore touch-action inside of an SVG: without this a finger would scroll the page instead.
  ui.listen(g, "touchstart", (event) => event.preventDefault(), { passive: false });
  for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) {
    ui.listen(g, type, () => {
      grip = null;
      ui.redraw();
    });
  }
  ui.listen(g, "keydown", (event) => {
    const by = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const far = event.shiftKey ? 5 * step : step;
    move(get().map((value, i) => value + far * by[i]));
  });
  const draw = () => {
    const [[min, max]] = bounds();
    const values = { "aria-valuenow": Number(get()[0].toFixed(4)), "aria-valuemin": min, "aria-valuemax": max };
    put(p.place(g, get()), { ...values, "aria-valuetext": text(get()) });
  };
  return { element: g, draw, isHeld: () => grip !== null };
}

/** A mark at the origin of a group: the shapes that the figures use. */
export function drawMark(g, shape, color, size = 6) {
  const look = { stroke: color, "stroke-width": 2, fill: shape === "full" ? color : "var(--paper)" };
  if (shape === "cross") return svg(g, "path", { ...look, d: `M-${size} 0H${size}M0 -${size}V${size}`, fill: "none" });
  if (shape === "square") return svg(g, "rect", { ...look, x: -size + 1, y: -size + 1, width: 2 * size - 2, height: 2 * size - 2 });
  // A ring lies on the maps, whose colours go from white to dark: it has a light rim.
  if (shape === "ring") svg(g, "circle", { r: size + 1, fill: "none", stroke: "rgb(255 255 255 / 0.75)", "stroke-width": 6 });
  if (shape === "ring") return svg(g, "circle", { ...look, r: size + 1, fill: "none", "stroke-width": 3 });
  return svg(g, "circle", { ...look, r: size });
}

/** Two circles and a path between them: where something was, and where it is. Returns show(points). */
export function move(p, color, radius, dashes) {
  const way = p.path({ stroke: color, "stroke-width": 1.5, "stroke-opacity": dashes ? 1 : 0.6, "stroke-dasharray": dashes });
  const ends = ["var(--paper)", color].map((fill) => svg(p.layer, "circle", { r: radius, fill, stroke: color, "stroke-width": 2 }));
  return (points) => {
    put(way, { d: line(points, p) });
    for (const end of ends) put(end, { visibility: points.length ? "visible" : "hidden" });
    if (points.length) [points[0], points.at(-1)].forEach((point, i) => p.place(ends[i], point));
  };
}
