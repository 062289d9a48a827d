// One update of one weight. The weight steps, and the belief is carried along; be the optimiser and choose how far it
// stretches, or take the cheapest stretch.
import { klParts, stretch } from "../engine/flows.js";
import { explorer } from "../kit.js";
import { area, change, clamp, contours, curve, dots, format, grid, handle, lines } from "../marks.js";
import { raster, say, shape, smooth, svg, text, uniqueId } from "../marks.js";

const [REACH, EVERYWHERE, NEAR] = [4, 99, 0.004]; // of weights; beyond any stretch; nats at which the least counts as found
const [BEFORE, AFTER, HIGH] = [0.945, 0.655, 0.545]; // rows of dots and the highest density, as shares of the picture
const DOTS = Array.from({ length: 21 }, (_, i) => (i + 0.5) / 21).map((p) => 4.91 * (p ** 0.14 - (1 - p) ** 0.14)); // normal quantiles
const CHIPS = {
  "towards the mean": { delta: 1.5, delta_new: 0.5, stretch: null },
  "past the mean": { delta: 1.2, delta_new: -1.2, stretch: null },
  away: { delta: 1, delta_new: 2.6, stretch: null },
};
const NAMES = [[1.9, 3.3, "away"], [2.75, 1.1, "towards"], [2, -2, "past"]];
const bell = (z) => Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI);
const sum = (/** @type {number[]} */ [forMean, forWidth]) => forMean + forWidth;

/** The stretch that changes the belief least; if the belief cannot widen, at most 1 in size. */
function least({ std, branch, non_expansive: stays }, delta, deltaNew) {
  const a = stretch(delta / std, deltaNew / std, branch);
  return stays ? clamp(a, -1, 1) : a;
}

export default explorer("regime", (ui) => {
  const belief = ui.panel("belief", {
    caption: "One weight steps, the belief goes along", x: [-4.6, 4.6], xticks: [-4, -2, 0, 2, 4], yticks: null, xlabel: "weight",
    margin: { left: 0, right: 0, top: 12 },
  });
  const price = ui.panel("price", { xlabel: "stretch a", margin: { left: 30, right: 6, top: 76 } });
  const steps = { x: [-REACH, REACH], y: [-REACH, REACH], xticks: [-4, 0, 4], yticks: [-4, 0, 4] };
  const map = ui.panel("map", { ...steps, xlabel: "w before", ylabel: "w after", margin: { left: 28, right: 0, top: 22, bottom: 34 } });
  ui.layout('"belief price" 1.08fr "belief map" 1fr / minmax(0, 1.72fr) minmax(0, 1fr)');
  // t is how far the belief has flowed; while one hunts, low to high is the part of the landscape that was uncovered.
  Object.assign(ui.state, { t: 1, hunt: false, low: -EVERYWHERE, high: EVERYWHERE, cheapest: Infinity, found: false });
  const { state } = ui;
  const fade = svg(belief.root, "linearGradient", { id: uniqueId(), gradientUnits: "userSpaceOnUse", x1: 0, x2: 0 });
  ["prior", "posterior"].forEach((color, offset) => svg(fade, "stop", { offset, "stop-color": `var(--${color})` }));
  const flow = () => ui.glide({ t: 1 }, 1100);
  const uncover = { hunt: false, found: false, low: -EVERYWHERE, high: EVERYWHERE };

  ui.button(price.head, "least", roll, (s) => s.stretch !== null && !s.hunt);
  ui.choice(map, "map");
  ui.leads();
  ui.go("Let it flow", () => (ui.set({ t: 0 }), flow()));
  ui.controls(["non_expansive"], ["delta", "delta_new", "std", "branch", "covered"]);
  ui.presets(CHIPS, { before: { t: 0, ...uncover }, after: flow });
  ui.button(ui.chips, "find the least yourself", hunt, (s) => !s.hunt);
  ui.button(ui.chips, "give up", roll, (s) => s.hunt);
  map.onPress(([delta, deltaNew]) => (state.main === "map" ? step({ delta, delta_new: deltaNew }) : ui.set({ main: "map" })));

  const cost = (s, a) => klParts(a, s.delta / s.std, s.delta_new / s.std);
  const cheapest = (s) => least(s, s.delta, s.delta_new);
  const most = (s) => Math.max(2.5, 1.2 * Math.abs(cheapest(s)));
  const top = (s) => 0.5 + 2.3 * sum(cost(s, cheapest(s)));
  const taken = (s) => (s.stretch === null ? cheapest(s) : s.non_expansive ? clamp(s.stretch, -1, 1) : s.stretch);

  /** A new step by hand: the cheapest stretch again, unless one is still hunting for it. */
  function step(values) {
    ui.set({ ...values, t: 1, found: false });
    if (state.hunt) ui.set({ low: state.stretch, high: state.stretch, cheapest: Infinity });
    else ui.set({ stretch: null });
  }
  /** Stretch by hand, as far as the price stays in the picture and on its side of the wall at 0. */
  function pull(wanted) {
    const size = clamp(state.branch * wanted, 0.04, state.non_expansive ? 1 : most(state));
    let a = state.branch * (Number.isFinite(size) ? size : 1);
    for (let i = 0; i < 200 && !(sum(cost(state, a)) <= 0.98 * top(state)); i++) a += 0.03 * (cheapest(state) - a);
    const cheapestSoFar = Math.min(state.cheapest, sum(cost(state, a)));
    ui.set({ stretch: a, t: 1, found: false, low: Math.min(state.low, a), high: Math.max(state.high, a), cheapest: cheapestSoFar });
  }
  function letGo() {
    if (state.hunt && sum(cost(state, state.stretch)) - sum(cost(state, cheapest(state))) < NEAR) ui.set({ ...uncover, found: true });
  }
  /** Let the ball roll to the least. */
  async function roll() {
    ui.set({ stretch: taken(state), hunt: false, low: -EVERYWHERE, high: EVERYWHERE });
    await ui.glide({ stretch: cheapest(state) });
    ui.set({ stretch: null });
  }
  async function hunt() {
    ui.set({ stretch: taken(state), main: "belief", found: false, t: 1 });
    await ui.glide({ stretch: state.branch });
    ui.set({ hunt: true, low: state.branch, high: state.branch, cheapest: sum(cost(state, state.branch)) });
  }

  function drawBelief(s, a) {
    const { std, delta, delta_new: deltaNew } = s;
    const part = smooth(s.t);
    const mean = part * (deltaNew - a * delta);
    const wide = Math.max(0.01, Math.abs(1 + part * (a - 1))) * std;
    const highest = 1.1 * Math.max(0.5, 0.4 / std, Math.min(1.9, 0.4 / wide));
    const density = (x, one) => (HIGH * bell((x - one[0]) / one[1])) / one[1] / highest;
    const bellOf = (one) => Array.from({ length: 97 }, (_, i) => one[0] + (i - 48) * 0.08 * one[1]).map((x) => [x, density(x, one)]);
    const [prior, posterior] = [[0, std], [mean, wide]];
    const carried = (w) => deltaNew + a * (w - delta);
    const way = (p) => (w) => {
      const [x0, x1, y0, y1] = [p.X(w), p.X(carried(w)), p.Y(BEFORE), p.Y(AFTER)];
      return `M${x0.toFixed(1)} ${y0}C${x0.toFixed(1)} ${(y0 + y1) / 2} ${x1.toFixed(1)} ${(y0 + y1) / 2} ${x1.toFixed(1)} ${y1}`;
    };
    const weights = DOTS.map((z) => z * std);
    const down = BEFORE + (AFTER - BEFORE) * (1.5 * s.t - 1.5 * s.t ** 2 + s.t ** 3); // dots fall faster than they spread
    const side = (delta > 0 ? -1 : 1) * s.branch; // the shoulder away from the weight: to pull there is to widen
    const shoulder = mean + side * wide;
    const level = density(shoulder, posterior);
    const outside = { anchor: side < 0 ? "end" : "start", dx: 22 * side };
    const peaks = [[0, density(0, prior)], [mean, density(mean, posterior)]];
    const isFree = Math.abs(belief.X(0) - belief.X(mean)) > 72 || Math.abs(belief.Y(peaks[0][1]) - belief.Y(peaks[1][1])) > 18;
    const isCrowded = belief.height < 300 && Math.abs(belief.X(mean) - belief.X(deltaNew)) < 60; // where w′ is named
    const priorAt = isFree ? peaks[0] : [-side * 1.25 * std, density(1.25 * std, prior)];
    const isHeld = s.stretch !== null;
    const [forMean, forWidth] = cost(s, a);
    const scale = (nats) => Math.min(90, (70 * nats) / Math.max(0.5, sum(cost(s, cheapest(s)))));
    change(fade, { y1: belief.Y(BEFORE), y2: belief.Y(AFTER) });
    belief.draw(
      shape((p) => weights.map(way(p)).join(""), `url(#${fade.id})`, { width: 1, opacity: 0.55 }),
      curve(bellOf(prior), "prior", { width: 1.75 }), area(bellOf(posterior), "posterior"),
      lines([[[deltaNew, AFTER], [deltaNew, 0]]], "weight", { dash: "2 3" }),
      shape((p) => way(p)(delta), "weight", { width: 2.5 }),
      dots(weights.map((w) => [w, BEFORE]), "prior"),
      dots(weights.map((w) => [w + part * (carried(w) - w), down]), "posterior"),
      lines([[[mean, level], [shoulder, level]]], "posterior"),
      isHeld && priceBar(shoulder, level, side, [scale(forMean), scale(forWidth)], 0),
      isHeld && priceBar(shoulder, level, side, [scale(forMean), scale(forWidth)], 1),
      isHeld && text([shoulder, level], `${format(forMean + forWidth)} nats`, "ink", { ...outside, dy: 38 }),
      text(priorAt, "prior", "prior", { dy: -8, ...(isFree ? {} : { anchor: side < 0 ? "start" : "end", dx: -8 * side }) }),
      !isCrowded && text(peaks[1], "posterior", "posterior", { dy: -8 }),
      text([shoulder, level], `σ′ ${format(wide)}`, "posterior", outside),
      text([delta, BEFORE], "w", "weight", { dy: -12 }), text([deltaNew, AFTER], "w′", "weight", { dx: 7, dy: 22, anchor: "start" }),
      text([-4.6, BEFORE], "before", "quiet", { anchor: "start" }), text([-4.6, AFTER], "after", "quiet", { anchor: "start" }),
      handle([delta, BEFORE], {
        label: "Weight before its step", color: "weight", shape: "ring", says: format(delta), set: ([x]) => step({ delta: x }),
      }),
      handle([deltaNew, AFTER], {
        label: "Weight after its step", color: "weight", says: format(deltaNew), set: ([x]) => step({ delta_new: x }),
      }),
      handle([-side * std, density(std, prior)], {
        label: "Width of the prior", color: "prior", shape: "small", step: 0.05, says: format(std),
        set: ([x]) => step({ std: Math.abs(x) }),
      }),
      handle([shoulder, level], {
        // The weight is a nail: whatever the stretch, it is carried to its place.
        label: "Width of the posterior: be the optimiser", color: "posterior", shape: "wide", step: 0.05, drop: letGo,
        says: `stretch ${format(a)}, ${format(forMean + forWidth)} nats`,
        set: ([x]) => pull((deltaNew - x) / (delta - s.branch * side * std)),
      }),
    );
  }
  /** While a hand holds the width, its price is where the hand is. */
  const priceBar = (x, y, side, long, which) => shape((p) => {
    const start = p.X(x) + 22 * side - (side < 0 ? long[0] + long[1] : 0) + (which ? long[0] : 0);
    return `M${start} ${p.Y(y) + 11}h${long[which]}v8h${-long[which]}z`;
  }, which ? "for-width" : "for-mean", { fill: 1, width: 0 });

  function drawPrice(s, a) {
    const [limit, end, isHunting] = [top(s), most(s), s.hunt];
    price.set({ x: s.branch < 0 ? [-end, end] : [0, end], y: [0, limit] });
    const [low, high] = [Math.max(price.x[0], s.low), Math.min(price.x[1], s.high)];
    const steep = Array.from({ length: 121 }, (_, i) => end * (i / 120) ** 2); // close together at the wall
    const all = [low, ...steep.map((x) => -x).reverse(), ...steep, high].filter((x) => x !== 0 && x >= low && x <= high);
    const cap = (x) => Math.min(x, 1.5 * limit);
    const means = all.map((x) => [x, cap(cost(s, x)[0])]);
    const sums = all.map((x) => [x, cap(sum(cost(s, x)))]);
    const [forMean, forWidth] = cost(s, a);
    const lowest = sum(cost(s, cheapest(s)));
    const { left, right } = price.area;
    const long = (nats) => (nats / limit) * (right - left); // the bar has the scale of the landscape, laid on its side
    const strip = (from, to, color) => shape(() => `M${from} 14H${to}v16H${from}z`, color, { fill: 1, width: 0 });
    const above = { layer: "over" };
    const names = [`mean ${format(forMean)}`, `width ${format(forWidth)}`];
    const mark = left + long(isHunting ? Math.min(limit, s.cheapest) : lowest);
    const column = (from, to, color) => shape((p) => `M${p.X(a) - 6} ${p.Y(from)}h12V${p.Y(to)}h-12z`, color, { fill: 1, width: 0 });
    const fixed = (x, y, words, color, look = {}) => text([0, 0], words, color, { dx: x - price.X(0), dy: y - price.Y(0), ...look });
    price.draw(
      area([...means, [high, 0], [low, 0]], "for-mean", { fill: 0.25, width: 0 }),
      area([...sums, ...means.toReversed()], "for-width", { fill: 0.4, width: 0 }),
      curve(sums, "ink", { width: 1.75 }),
      !isHunting && lines([[[price.x[0], lowest], [price.x[1], lowest]]], "ink", { dash: "2 3" }),
      column(0, forMean, "for-mean"), column(forMean, forMean + forWidth, "for-width"),
      { ...strip(left, left + long(forMean), "for-mean"), ...above },
      { ...strip(left + long(forMean), left + long(forMean + forWidth), "for-width"), ...above },
      { ...shape(() => `M${mark} 11v22`, "ink", { width: 1.5 }), ...above },
      fixed(left, 48, names[0], "for-mean", { anchor: "start" }),
      fixed(left + Math.max(long(forMean), 8 * names[0].length + 12), 48, names[1], "for-width", { anchor: "start" }),
      (isHunting || s.stretch !== null) && fixed(clamp(mark, left + 46, right - 46), 7, isHunting ? "cheapest so far" : "least", "quiet"),
      isHunting && high - low < 0.2 && fixed((left + right) / 2, price.area.top + 20, "move the ball, and the price appears", "quiet"),
      handle([a, sum(cost(s, a))], {
        label: "Stretch: roll the ball", color: "posterior", step: 0.05, size: 1.15, drop: letGo,
        says: `${format(a)}, ${format(forMean + forWidth)} nats`, set: ([x]) => pull(x),
      }),
    );
    price.title(say`Price ${[`${format(forMean + forWidth)} nats`, "ink"]}`);
  }

  /** What hides the steps past the mean, on one side. */
  const veil = (side) => area([[0, 0], [side * REACH, 0], [side * REACH, -side * REACH], [0, -side * REACH]], "wash", { fill: 1, width: 0 });
  const cells = ui.memo(["std", "branch", "non_expansive", "map"], (s) => {
    const value = (x, y) => (s.map === "width" ? Math.max(-12, Math.log2(Math.abs(least(s, x, y)))) : y - least(s, x, y) * x);
    return grid(81, map.x, map.y, value);
  });
  /** Where the contour of a stretch meets the right edge of the map: v from (1 + u²) a² − u v a − 1 = 0. */
  const edge = ({ std, branch }, a) => (branch * std * ((1 + (REACH / std) ** 2) * a * a - 1)) / ((REACH / std) * a);
  const percent = (s, a) => text([REACH, edge(s, a)], `${format(100 * a, 0)} %`, "quiet", { anchor: "end", dx: -4, dy: -4 });
  function drawMap(s, a) {
    const isWidth = s.map === "width";
    const isLarge = s.main === "map";
    const levels = isWidth ? (isLarge ? [-3, -2, -1, -0.5, 0.5, 1] : [-2, -1, 0.5]) : [-3, -2, -1, 1, 2, 3];
    const same = isWidth && s.branch > 0 && !s.non_expansive;
    const [mean, std] = [s.delta_new - a * s.delta, Math.abs(a) * s.std];
    const changed = map.isSquare !== isLarge;
    map.set({ isSquare: isLarge, margin: { ...map.margin, right: isLarge ? 0 : 122 } });
    if (changed) map.fit();
    const side = (row, words, color) => text([REACH, REACH], words, color, { anchor: "start", dx: 14, dy: 14 + 22 * row, inside: false });
    map.draw(
      raster(cells(s), (v) => 0.6 * Math.tanh(v / (isWidth ? 2 : 4))), // the name of the map is in the grid
      contours(cells(s), levels), same && contours(cells(s), [1e-9], "ink", { width: 1.5, opacity: 1 }),
      s.covered && veil(-1), s.covered && veil(1),
      ...levels.map((level) => isLarge && isWidth && level < 0 && percent(s, 2 ** level)),
      ...NAMES.map(([x, y, name]) => s.branch > 0 && text([x, y], name, "ink", { bold: false })),
      side(0, `w  ${format(s.delta)} → ${format(s.delta_new)}`, "weight"),
      side(1, `mean  0 → ${format(mean)}`, "posterior"), side(2, `σ  ${format(s.std)} → ${format(std)}`, "posterior"),
      handle([s.delta, s.delta_new], {
        label: "The step, on the map", color: "ink", shape: "target", says: `from ${format(s.delta)} to ${format(s.delta_new)}`,
        set: ([x, y]) => step({ delta: x, delta_new: y }),
      }),
    );
    const [less, more] = isWidth ? ["narrower", "wider"] : ["mean down", "up"];
    map.title(say`${isLarge ? "Every step: " : ""}${[less, "narrower"]} or ${[more, "wider"]}`);
    map.figure.style.opacity = s.hunt ? "0.2" : "1"; // it would tell
  }

  function words(s, a) {
    const { delta, delta_new: deltaNew } = s;
    const [forMean, forWidth] = cost(s, a);
    const total = [`${format(forMean + forWidth)} nats`, "ink"];
    const parts = say`${[forMean, "for-mean"]} for the mean + ${[forWidth, "for-width"]} for the width`;
    const stretched = say`Stretched by ${[a, "posterior"]}: ${parts} = ${total}`;
    const ring = ["orange ring", "posterior"];
    if (s.hunt && s.low === s.high) return say`Only shifted, the belief pays ${total}. Pull the ${ring}: can a different width be had for less?`;
    if (s.hunt) return say`${stretched}. Cheapest so far ${[s.cheapest, "ink"]}.`;
    if (s.found) return say`Found: ${[format(a, 3), "posterior"]} is the cheapest stretch, for ${total}. The paper's formula gives the same.`;
    if (s.stretch !== null) return say`${stretched}, ${[forMean + forWidth - sum(cost(s, cheapest(s))), "ink"]} above the least.`;
    const nearer = Math.abs(deltaNew) < Math.abs(delta) ? "towards the mean" : "away from the mean";
    const where = delta === deltaNew ? "nowhere" : delta * deltaNew < 0 ? "past the mean" : nearer;
    const keeps = Math.abs(Math.abs(a) - 1) < 0.005;
    const share = [`${format(100 * Math.abs(a), 0)} %`, "posterior"];
    const verb = keeps ? say`keeps its width` : say`${Math.abs(a) < 1 ? "narrows" : "widens"} to ${share}`;
    const goes = say`The weight steps from ${[delta, "weight"]} to ${[deltaNew, "weight"]}, ${where}`;
    return say`${goes}: the belief ${verb}. Its mean goes to ${[deltaNew - a * delta, "posterior"]}.`;
  }

  return (s) => {
    const a = taken(s);
    drawBelief(s, a);
    drawPrice(s, a);
    drawMap(s, a);
    return words(s, a);
  };
});
