// One update of one weight. The weight steps, and the belief is carried along; be the optimiser and choose how far it
// stretches, or take the cheapest stretch.
import { klParts, stretch } from "../engine/flows.js";
import { explorer } from "../kit.js";
import { area, change, clamp, contours, curve, dots, format, grid, handle, lines } from "../marks.js";
import { mix, raster, say, shade, shape, svg, text, uniqueId } from "../marks.js";

const [REACH, NEAR] = [4, 0.004]; // of weights; nats within which the least counts as found
const [BEFORE, AFTER, HIGH] = [0.945, 0.655, 0.545]; // rows of dots and the highest density, as shares of the picture
const SHARES = Array.from({ length: 21 }, (_, i) => (i + 0.5) / 21);
const DOTS = SHARES.map((p) => 4.91 * (p ** 0.14 - (1 - p) ** 0.14)); // quantiles of the normal distribution
const CHIPS = {
  "towards the mean": { delta: 1.5, delta_new: 0.5, stretch: null },
  "past the mean": { delta: 1.2, delta_new: -1.2, stretch: null },
  away: { delta: 1, delta_new: 2.6, stretch: null },
};
const NAMES = [[1.9, 3.3, "away"], [2.75, 1.1, "towards"], [2, -2, "past"]]; // of regimes, on the map
const colored = (scale) => (x, isDark) => shade(0.6 * Math.tanh(x / scale), isDark);
const MAPS = { // of the new width, as a logarithm to base 2, and of the new mean
  width: { color: colored(2), levels: [-3, -2, -1, -0.5, 0.5, 1], words: ["narrower", "wider"] },
  mean: { color: colored(4), levels: [-3, -2, -1, 1, 2, 3], words: ["mean down", "mean up"] },
};
const UNCHANGED = [[[0, -REACH], [0, REACH]], [[-REACH, -REACH], [REACH, REACH]]]; // steps that keep the width
const UNCOVERED = { hunt: false, found: false, low: -Infinity, high: Infinity };
const sum = (/** @type {number[]} */ [forMean, forWidth]) => forMean + forWidth;

/** The stretch that changes the belief least; if the belief cannot widen, at most 1 in size. */
function least({ std, branch, non_expansive: stays }, delta, deltaNew) {
  const a = stretch(delta / std, deltaNew / std, branch);
  return stays ? clamp(a, -1, 1) : a;
}
const cheapest = (s) => least(s, s.delta, s.delta_new);
const cost = (s, a) => klParts(a, s.delta / s.std, s.delta_new / s.std);
const total = (s, a) => sum(cost(s, a));
const above = (s, a) => total(s, a) - total(s, cheapest(s));
/** The least price of the part of the landscape that is uncovered; there is one valley. */
const lowest = (s) => total(s, clamp(cheapest(s), s.low, s.high));
/** Ends of the axes of the price: in stretches and in nats. */
const most = (s) => Math.max(2.5, 1.2 * Math.abs(cheapest(s)));
const top = (s) => 0.5 + 2.3 * total(s, cheapest(s));

export default explorer("regime", (ui) => {
  const belief = ui.panel("belief", {
    caption: "One weight steps, the belief goes along", x: [-4.6, 4.6], xticks: [-4, -2, 0, 2, 4], yticks: null,
    xlabel: "weight", margin: { left: 0, right: 0, top: 12 },
  });
  const price = ui.panel("price", { xlabel: "stretch a", margin: { left: 30, right: 6, top: 52 } });
  const map = ui.panel("map", {
    x: [-REACH, REACH], y: [-REACH, REACH], xticks: [-4, 0, 4], yticks: [-4, 0, 4],
    xlabel: "Δ before", ylabel: "Δ′ after", margin: { left: 30, right: 6, top: 22, bottom: 34 },
  });
  ui.layout('"belief price" 1.08fr "belief map" 1fr / minmax(0, 1.72fr) minmax(0, 1fr)');
  // t is how far the belief has flowed; while one hunts, low to high is the part of the landscape that was uncovered.
  const { state } = ui;
  Object.assign(state, { t: 1, ...UNCOVERED });
  const fade = svg(belief.root, "linearGradient", { id: uniqueId(), gradientUnits: "userSpaceOnUse", x1: 0, x2: 0 });
  ["prior", "posterior"].forEach((color, offset) => svg(fade, "stop", { offset, "stop-color": `var(--${color})` }));
  const flow = () => ui.glide({ t: 1 }, 1100);

  ui.button(price.head, "least", roll, (s) => s.stretch !== null);
  ui.choice(map, "map");
  ui.leads();
  ui.go("Let it flow", () => (ui.set({ t: 0 }), flow()));
  ui.controls(["non_expansive"], ["delta", "delta_new", "std", "branch"]);
  ui.presets({ ...CHIPS, "find the least yourself": hunt }, { before: { t: 0, ...UNCOVERED }, after: flow });
  const isLarge = () => state.main === "map";
  map.onPress(([delta, deltaNew]) => (isLarge() ? step({ delta, delta_new: deltaNew }) : ui.set({ main: "map" })));

  /** A new step by hand: the cheapest stretch again, unless one is still hunting for it. */
  function step(values) {
    const now = state.hunt ? { low: state.stretch, high: state.stretch } : { stretch: null };
    ui.set({ ...values, ...now, t: 1, found: false });
  }
  /** Stretch by hand, as far as the price stays in the picture and on its side of the wall at 0. */
  function pull(wanted) {
    const size = clamp(state.branch * wanted, 0.04, state.non_expansive ? 1 : most(state));
    let a = state.branch * (Number.isFinite(size) ? size : 1);
    for (let i = 0; i < 200 && !(total(state, a) <= 0.98 * top(state)); i++) a += 0.03 * (cheapest(state) - a);
    ui.set({ stretch: a, low: Math.min(state.low, a), high: Math.max(state.high, a), t: 1, found: false });
  }
  const letGo = () => state.hunt && above(state, state.stretch) < NEAR && ui.set({ ...UNCOVERED, found: true });
  /** Let the ball roll to the least. */
  async function roll() {
    ui.set({ ...UNCOVERED, stretch: taken(state) });
    await ui.glide({ stretch: cheapest(state) });
    ui.set({ stretch: null });
  }
  async function hunt() {
    const start = state.branch;
    ui.set({ ...UNCOVERED, stretch: taken(state), main: "belief", t: 1 });
    await ui.glide({ stretch: start });
    ui.set({ hunt: true, low: start, high: start });
  }
  const taken = (s) => (s.stretch === null ? cheapest(s) : s.non_expansive ? clamp(s.stretch, -1, 1) : s.stretch);

  function drawBelief(s, a) {
    const { std, delta, delta_new: deltaNew } = s;
    const part = s.t;
    const mean = part * (deltaNew - a * delta);
    const wide = Math.max(0.01, Math.abs(1 + part * (a - 1))) * std;
    const highest = 1.1 * Math.max(0.5, 0.4 / std, Math.min(1.9, 0.4 / wide));
    const density = (x, one) => ((HIGH * 0.4) / highest / one[1]) * Math.exp(-0.5 * ((x - one[0]) / one[1]) ** 2);
    const places = (one) => Array.from({ length: 97 }, (_, i) => one[0] + (i - 48) * 0.08 * one[1]);
    const bellOf = (one) => places(one).map((x) => [x, density(x, one)]);
    const [prior, posterior] = [[0, std], [mean, wide]];
    const carried = (w) => deltaNew + a * (w - delta);
    const way = (p) => (w) => {
      const [x0, x1, y0, y1] = [p.X(w), p.X(carried(w)), p.Y(BEFORE), p.Y(AFTER)].map((x) => x.toFixed(1));
      const half = p.Y((BEFORE + AFTER) / 2);
      return `M${x0} ${y0}C${x0} ${half} ${x1} ${half} ${x1} ${y1}`;
    };
    const weights = DOTS.map((z) => z * std);
    const side = (delta > 0 ? -1 : 1) * s.branch; // the shoulder away from the weight: to pull there is to widen
    const [shoulder, level] = [mean + side * wide, density(mean + side * wide, posterior)];
    const beside = (direction) => ({ anchor: direction < 0 ? "end" : "start", dx: 10 * direction });
    change(fade, { y1: belief.Y(BEFORE), y2: belief.Y(AFTER) });
    belief.draw(
      shape((p) => weights.map(way(p)).join(""), `url(#${fade.id})`, { width: 1, opacity: 0.55 }),
      curve(bellOf(prior), "prior", { width: 1.75 }), area(bellOf(posterior), "posterior"),
      lines([[[deltaNew, AFTER], [deltaNew, 0]]], "weight", { dash: "2 3" }),
      shape((p) => way(p)(delta), "weight", { width: 2.5 }),
      dots(weights.map((w) => [w, BEFORE]), "prior"),
      dots(weights.map((w) => mix([w, BEFORE], [carried(w), AFTER], part)), "posterior"),
      lines([[[mean, level], [shoulder, level]]], "posterior"),
      text([-1.5 * side * std, density(1.5 * std, prior)], "prior", "prior", beside(-side)),
      text([mean, density(mean, posterior)], "posterior", "posterior", { dy: -8 }),
      text([shoulder, level], `σ′ ${format(wide)}`, "posterior", { ...beside(side), dx: 22 * side }),
      text([delta, BEFORE], "w", "weight", { dy: -12 }),
      text([deltaNew, AFTER], "w′", "weight", { dx: 7, dy: 22, anchor: "start" }),
      text([-4.6, BEFORE], "before", "quiet", { anchor: "start" }),
      text([-4.6, AFTER], "after", "quiet", { anchor: "start" }),
      handle([delta, BEFORE], {
        label: "Weight before its step", color: "weight", shape: "ring", set: ([x]) => step({ delta: x }),
        says: format(delta),
      }),
      handle([deltaNew, AFTER], {
        label: "Weight after its step", color: "weight", set: ([x]) => step({ delta_new: x }), says: format(deltaNew),
      }),
      handle([-side * std, density(std, prior)], {
        label: "Width of the prior", color: "prior", shape: "small", step: 0.05, says: format(std),
        set: ([x]) => step({ std: Math.abs(x) }),
      }),
      handle([shoulder, level], {
        // The weight is a nail: whatever the stretch, it is carried to its place.
        label: "Width of the posterior: be the optimiser", color: "posterior", shape: "wide", step: 0.05, drop: letGo,
        says: `stretch ${format(a)}, ${format(total(s, a))} nats`,
        set: ([x]) => pull((deltaNew - x) / (delta - s.branch * side * std)),
      }),
    );
  }

  function drawPrice(s, a) {
    const [limit, end, bottom] = [top(s), most(s), Math.min(lowest(s), top(s))];
    price.set({ x: s.branch < 0 ? [-end, end] : [0, end], y: [0, limit] });
    const [low, high] = [Math.max(price.x[0], s.low), Math.min(price.x[1], s.high)];
    const steep = Array.from({ length: 121 }, (_, i) => end * (i / 120) ** 2); // close together at the wall
    const all = [low, ...steep.map((x) => -x).reverse(), ...steep, high].filter((x) => x && x >= low && x <= high);
    const landscape = (price) => all.map((x) => [x, Math.min(price(cost(s, x)), 1.5 * limit)]);
    const [means, sums] = [landscape(([forMean]) => forMean), landscape(sum)];
    const [forMean, forWidth] = cost(s, a).map((nats) => Math.min(nats, 1.5 * limit)); // at 0 it is infinite
    // The bar lies above the landscape and has its scale, laid down.
    const along = (nats) => mix(price.x[0], price.x[1], nats / limit);
    const onTop = (path, color, width) => {
      return { ...shape((p) => path((nats) => p.X(along(nats)), p.area.top - 30), color, { width }), layer: "over" };
    };
    const strip = (from, to, color) => onTop((X, y) => `M${X(from)} ${y}H${X(to)}`, color, 16);
    price.draw(
      area([...means, [high, 0], [low, 0]], "for-mean", { fill: 0.25, width: 0 }),
      area([...sums, ...means.toReversed()], "for-width", { fill: 0.4, width: 0 }),
      curve(sums, "ink", { width: 1.75 }),
      lines([[[Math.max(low, price.x[0]), bottom], [price.x[1], bottom]]], "ink", { dash: "2 3" }),
      lines([[[a, 0], [a, forMean + forWidth]]], "posterior"),
      strip(0, forMean, "for-mean"), strip(forMean, forMean + forWidth, "for-width"),
      onTop((X, y) => `M${X(bottom)} ${y - 11}v22`, "ink", 1.5),
      s.stretch !== null && text([along(bottom), limit], s.hunt ? "cheapest so far" : "least", "quiet", { dy: -7 }),
      s.hunt && high - low < 0.2 && text([end / 2, limit], "move the ball, and the price appears", "quiet", { dy: 20 }),
      handle([a, forMean + forWidth], {
        label: "Stretch: roll the ball", color: "posterior", step: 0.05, drop: letGo, set: ([x]) => pull(x),
        says: `${format(a)}, ${format(total(s, a))} nats`,
      }),
    );
    const [ofMean, ofWidth] = cost(s, a).map((nats) => format(nats));
    price.title(say`Nats: ${[`mean ${ofMean}`, "for-mean"]} + ${[`width ${ofWidth}`, "for-width"]}`);
  }

  const cells = ui.memo(["std", "branch", "non_expansive", "map"], (s) => grid(81, map.x, map.y, (x, y) => {
    const a = least(s, x, y);
    return s.map === "mean" ? y - a * x : Math.max(-12, Math.log2(Math.abs(a)));
  }));
  function drawMap(s) {
    const { color, levels, words: [less, more] } = MAPS[s.map];
    map.draw(
      raster(cells(s), color),
      contours(cells(s), levels),
      s.map === "width" && s.branch > 0 && !s.non_expansive && lines(UNCHANGED, "ink", { width: 1.5 }),
      s.branch > 0 && NAMES.map(([x, y, name]) => text([x, y], name, "ink", { bold: false })),
      handle([s.delta, s.delta_new], {
        label: "The step, on the map", color: "ink", shape: "ring", set: ([x, y]) => step({ delta: x, delta_new: y }),
        says: `from ${format(s.delta)} to ${format(s.delta_new)}`,
      }),
    );
    map.title(say`${isLarge() ? "Every step: " : ""}${[less, "narrower"]} or ${[more, "wider"]}`);
    map.figure.style.opacity = s.hunt ? "0.2" : "1"; // it would tell
  }

  function words(s, a) {
    const { delta, delta_new: deltaNew } = s;
    const [forMean, forWidth] = cost(s, a);
    const digits = s.hunt ? 3 : 2; // near the least the price hardly changes
    const nats = [`${format(forMean + forWidth, digits)} nats`, "ink"];
    const prices = say`${[forMean, "for-mean"]} for the mean + ${[forWidth, "for-width"]} for the width`;
    const stretched = say`Stretched by ${[a, "posterior"]}: ${prices} = ${nats}`;
    if (s.hunt) return say`${stretched}. Cheapest so far ${[format(lowest(s), digits), "ink"]}.`;
    if (s.found) {
      const formula = [format(cheapest(s), 3), "ink"];
      return say`Found: at ${[a, "posterior"]} the belief pays ${nats}. The least by the paper’s formula: ${formula}.`;
    }
    if (s.stretch !== null) return say`${stretched}, ${[above(s, a), "ink"]} above the least.`;
    const nearer = Math.abs(deltaNew) < Math.abs(delta) ? "towards the mean" : "away from the mean";
    const where = delta === deltaNew ? "nowhere" : delta * deltaNew < 0 ? "past the mean" : nearer;
    const share = [`${format(100 * Math.abs(a), 0)} %`, "posterior"];
    const changes = say`${Math.abs(a) < 1 ? "narrows" : "widens"} to ${share}`;
    const verb = Math.abs(Math.abs(a) - 1) < 0.005 ? say`keeps its width` : changes;
    const goes = say`The weight steps from ${[delta, "weight"]} to ${[deltaNew, "weight"]}, ${where}`;
    return say`${goes}: the belief ${verb}. Its mean goes to ${[deltaNew - a * delta, "posterior"]}.`;
  }

  return (s) => {
    const a = taken(s);
    drawBelief(s, a);
    drawPrice(s, a);
    drawMap(s);
    return words(s, a);
  };
});
