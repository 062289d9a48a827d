// The two maps of a learner: what its mean says, and where networks that are sampled from its belief disagree.
import { contour, crossOf, handle, plot, put, shapeOf, svg } from "../shared/plot.js";
import { GROWING, SAID, pixels } from "./pixels.js";

const SIDES = ["#b35806", "#542788"]; // of the labels 0 and 1, on the maps
const DARK = "#222222"; // ink on maps, whose colours are the same in both themes

/** What a probability is before it is squeezed between 0 and 1: between the places of a map it is nearly straight. */
const logit = (p) => Math.max(-40, Math.min(40, Math.log(p / (1 - p))));

/** Marks of examples, each once: one path for each label, and one that crosses out wrong ones. */
function marks(p, stroke, fills, width) {
  const paths = fills.map((fill) => p.path({ stroke, fill, "stroke-width": width, "stroke-opacity": 0.9 }));
  const wrong = p.path({ stroke: DARK, "stroke-width": 1.2 });
  let shown = null;
  return (examples) => {
    if (examples === shown) return;
    shown = examples;
    const texts = ["", ""];
    let crosses = "";
    for (const [x, y, seen, truth] of examples) {
      const [across, up] = [p.X(x), p.Y(y)].map((value) => Math.round(10 * value) / 10);
      texts[seen] += shapeOf(across, up, seen);
      if (seen !== truth) crosses += crossOf(across, up);
    }
    paths.forEach((path, label) => put(path, { d: texts[label] }));
    put(wrong, { d: crosses });
  };
}

/** Both maps of a learner. `add(place)` is told where a point is set in the first one, if it is that of one's own points. */
export function learnerMaps(ui, { add = null } = {}) {
  const { grid, span, boundaries, most } = ui.facts;
  const square = { x: [-span, span], y: [-span, span], ticks: [-2, 0, 2], canvas: true };
  const [said, doubted] = ["mean", "doubt"].map((name) => plot(ui, name, { ...square, width: 300, height: 290 }));
  const outer = span * (1 - 1 / grid); // values of a map are those of the middles of its cells
  const middles = { x: [-outer, outer], y: [-outer, outer], X: said.X, Y: said.Y };
  const boundary = (map) => contour(map.map(logit), grid, 0, middles);
  const [fillSaid, fillDoubted] = [said, doubted].map((p) => pixels(p.canvas, grid));
  const fan = said.path({ stroke: DARK, "stroke-opacity": 0.45, "stroke-width": 1 });
  const edge = said.path({ stroke: DARK, "stroke-width": 2.5 });
  const pale = doubted.path({ stroke: "#ffffff", "stroke-width": 1.8, "stroke-dasharray": "5 3" });
  const showExamples = [marks(said, "#ffffff", SIDES, 1), marks(doubted, "#ffffff", ["none", "#ffffff"], 0.8)];
  const newest = [said, doubted].map((p) => [
    svg(p.layer, "circle", { r: 8, fill: "none", stroke: "#ffffff", "stroke-width": 4 }),
    svg(p.layer, "circle", { r: 8, fill: "none", stroke: DARK, "stroke-width": 2 }),
  ]);
  const spot = add ? placing(ui, said, add) : () => {};

  function draw(opinions, examples, last) {
    fillSaid([opinions.mean], SAID);
    fillDoubted([opinions.doubt], GROWING, most);
    const d = boundary(opinions.mean);
    put(edge, { d });
    put(pale, { d }); // both panels are alike
    put(fan, { d: opinions.some(boundaries, boundary).join("") });
    for (const show of showExamples) show(examples);
    newest.forEach((rings, i) => {
      for (const ring of rings) {
        put(ring, { visibility: last ? "visible" : "hidden" });
        if (last) [said, doubted][i].place(ring, last);
      }
    });
    spot();
  }
  return { said, doubted, draw };
}

/** Let points be set in a map, by a press or at the place of a handle; returns what draws the handle. */
function placing(ui, p, add) {
  const { low, high, label } = ui.about("spot");
  const isOn = () => ui.model.get("data") === "points";
  const { left: x, top: y, width, height } = p.area;
  const cover = svg(p.over, "rect", { x, y, width, height, fill: "transparent", style: "cursor: crosshair;" });
  ui.listen(cover, "pointerdown", (event) => {
    if (event.button || !isOn()) return;
    const [across, up] = p.at(event).map((value) => Math.max(low, Math.min(high, Number(value.toFixed(2)))));
    ui.set({ spot: [across, up] });
    add();
  });
  const point = handle(ui, p, {
    name: "spot",
    label,
    get: () => ui.model.get("spot"),
    set: (spot) => ui.set({ spot }),
    text: ([across, up]) => `${across.toFixed(2)}, ${up.toFixed(2)}`,
    shape: "ring",
    color: "#222222",
    bounds: () => [[low, high], [low, high]],
  });
  ui.listen(point.element, "keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    add();
  });
  return () => {
    for (const part of [cover, point.element]) part.style.display = isOn() ? "" : "none";
    point.draw();
  };
}
