// A small network with a belief over its weights: what it says, what networks drawn from it say, and the network itself.
import { explorer } from "../kit.js";
import { clamp, contours, cursor, curve, dots, el, format, handle, outline, paint, ramp, raster, say, shape, text } from "../marks.js";
import { Opinions } from "./network_opinions.js";
import { Run, isFlow, scriptOf } from "./network_scene.js";
import { Wires, opinion, said } from "./network_wires.js";
import { inSight, names } from "./rounds.js";

const [CELLS, SHOWN, EDGES, THUMBS] = [40, 150, 12, 8]; // of a map; examples, boundaries and small networks in sight
const DOUBT = ["f3f4f6 cfe1ea 8fbcd0 3f86a8 0b4a6f", "1b1f26 1d3a4c 1f6285 4aa3c7 bfe9fb"].map(ramp); // from none to much
const SETTINGS = ["data", "flip", "noise", "points", "hidden", "learner", "rival", "std", "min_std", "updates", "rate", "drop", "seed"];
const UNITS = "position: absolute; bottom: 0; display: flex; align-items: center; white-space: nowrap; translate: -50% 0";
const THUMB = "flex: 1; padding: 0; border: 0; background: none; line-height: 0; cursor: pointer";
const NAMES = { "non-expansive": "the flow", flow: "the flow", SGD: "SGD", dropout: "dropout" };
const BEHIND_MORE = ["rival", "rate", "updates", "std", "min_std", "noise", "drop", "speed", "chart", "new_label", "seed"];
const FRAME = { learn: 10, ask: 3, still: 12 }; // milliseconds of a frame for learning and asking, and when nothing plays

const doubtful = (part, isDark) => DOUBT[Number(isDark)][Math.round(510 * part)];

export default explorer("network", (ui) => {
  const { span, rates, turns, five } = ui.constants;
  const ends = [-span, span];
  const square = { x: ends, y: ends, isSquare: true, wash: true, xticks: null, yticks: null };
  const plane = ui.panel("plane", square);
  const wires = ui.panel("wires", { caption: "Its weights, and how sure it is of each", wash: true, xticks: null, yticks: null });
  const other = ui.panel("other", { ...square, margin: { right: 200 } });
  const crowd = ui.panel("crowd", { xticks: null, yticks: null });
  const time = ui.panel("time", { x: [0, 1000], margin: { left: 30, right: 60, top: 10 }, xlabel: "round" });
  ui.layout('"plane wires" 1fr "plane crowd" auto "plane time" 150px / 0.98fr 1fr');
  other.figure.style.setProperty("--area", "wires"); // a rival takes the place of the wiring
  for (const panel of [plane, wires, other]) panel.ground.setAttribute("fill", "none");
  crowd.figure.style.height = "auto";
  ui.choice(plane, "shows");
  Object.assign(ui.state, { sample: -1, pointed: -1, until: Infinity, spot: [0, 1.2] });

  const run = ui.memo(SETTINGS, (s) => {
    const now = new Run({ ...s, rates, turns });
    return { now, all: now.names.map((_, i) => new Opinions(now, i, CELLS, span)), weights: new Float64Array(now.dim) };
  });
  const play = ui.player({
    end: () => ui.state.until,
    reach(round) {
      const { now } = run(ui.state);
      now.towards(round, performance.now() + FRAME.learn);
      return Math.max(now.round, ui.state.round); // settings that were changed meanwhile do not throw it back
    },
  });
  ui.controls(["data", "flip", "learner"], BEHIND_MORE);
  /** Go to a setting, and let it learn before one's eyes. */
  const visit = (values, until) => () => {
    ui.hold();
    ui.set({ round: 0, rival: "none", ...values, until: until || Infinity });
    if (until) play();
  };
  ui.presets({
    "before learning": visit({}, 0),
    "two spirals": visit({ data: "spirals", flip: 0, speed: 1500 }, 6000),
    "a third of the labels wrong": visit({ data: "moons", flip: 0.3, speed: 1500 }, 4000),
    "five points": visit({ data: "points", points: five, flip: 0, speed: 300, shows: "doubts" }, 600),
  });
  ui.script = (s) => scriptOf({ ...s, rates });

  /** Set a point, or take away the one that is there; what was learned so far is learned again. */
  function press(/** @type {number[]} */ [x, y], label = ui.state.new_label) {
    const { points } = ui.state;
    const others = points.filter(([a, b]) => Math.hypot(plane.X(a) - plane.X(x), plane.Y(b) - plane.Y(y)) > 10);
    const added = others.length < points.length ? [] : [[clamp(x, ...ends), clamp(y, ...ends), label]];
    ui.set({ points: [...others, ...added].slice(-100), round: Math.max(ui.state.round, 600) });
  }
  plane.onPress((at, event) => ui.state.data === "points" && press(at, event.shiftKey ? 1 - ui.state.new_label : ui.state.new_label));

  const drawn = new Wires(ui, wires, (pointed) => ui.set({ pointed }));
  const steppers = [1, 2, 3, 0].map((layer) => {
    const box = el(wires.paper, "div", { style: UNITS });
    const change = (by) => {
      const { hidden } = ui.state;
      if (layer) ui.set({ hidden: hidden.map((n, i) => (i === layer - 1 ? clamp(n + by, 1, 12) : n)) });
      else ui.set({ hidden: by < 0 ? hidden.slice(0, -1) : [...hidden, 4] });
    };
    const what = layer ? `units in hidden layer ${layer}` : "hidden layers";
    const button = (words, by, isShown) => {
      const one = ui.button(box, words, () => change(by), isShown);
      one.setAttribute("aria-label", `${by < 0 ? "Fewer" : "More"} ${what}`);
      one.classList.add("bflo-large");
    };
    button("−", -1, (s) => layer || s.hidden.length > 0);
    const count = el(box, "output");
    button("+", 1, (s) => layer || s.hidden.length < 3);
    return { layer, box, count };
  });
  const row = el(crowd.paper, "div", { style: "position: relative; display: flex; gap: 8px" });
  const thumbs = Array.from({ length: THUMBS }, (_, i) => {
    const button = el(row, "button", { type: "button", "aria-label": `Show network ${i + 1} of those drawn`, style: THUMB });
    for (const type of ["pointerenter", "focus"]) ui.listen(button, type, () => ui.set({ sample: i }));
    for (const type of ["pointerleave", "blur"]) ui.listen(button, type, () => ui.set({ sample: -1 }));
    return el(button, "canvas", { style: "position: static; width: 100%; aspect-ratio: 1; border-radius: 3px" });
  });

  const examples = ui.memo(SETTINGS, (s) => {
    const own = s.points.map(([x, y, label]) => ({ x, y, seen: Number(label === 1), truth: Number(label === 1) }));
    const all = s.data === "points" ? own : run(s).now.tests.slice(0, SHOWN);
    const r = s.data === "points" ? 6 : 4;
    /** Marks with a thin edge, computed once for each run. */
    const marks = (label) => {
      const some = all.filter(({ seen }) => seen === label);
      const d = (p) => some.map(({ x, y }) => outline(p.X(x), p.Y(y), label ? r : 1.1 * r, !label)).join("");
      const look = { fill: `var(--${label ? "wider" : "narrower"})`, stroke: "var(--paper)", "stroke-width": 1 };
      const { attrs, ...mark } = shape(d, "ink", { memo: [all, String(label)] });
      return { ...mark, attrs: (p) => ({ ...attrs(p), ...look }) };
    };
    const wrong = all.filter(({ seen, truth }) => seen !== truth);
    const cross = (p) => ({ x, y }) => `M${p.X(x) - 5} ${p.Y(y) - 5}l10 10m0 -10l-10 10`;
    return [marks(1), marks(0), shape((p) => wrong.map(cross(p)).join(""), "removed", { width: 1.5, memo: [all, "wrong"] })];
  });

  function drawMap(panel, s, { mean, doubt, maps, known, index, run: { names: learners, state } }) {
    const isMain = panel === plane;
    const isSample = s.sample >= 0 && s.sample < known;
    const one = isSample ? maps[s.sample] : mean;
    panel.draw(
      s.shows === "doubts" ? raster(doubt, (std) => clamp(std / 0.4, 0, 1), doubtful) : raster(one, opinion),
      Array.from({ length: EDGES }, (_, i) => i < known && contours(maps[i], [0.5], "ink", { opacity: 0.45 })),
      contours(one, [0.5], "ink", { width: 2, opacity: 1 }),
      examples(s),
      isMain && s.round > 0 && dots([[...state.plane.x]], "ink", { r: 8, hollow: true }),
      isMain && s.data === "points" && handle(s.spot, {
        label: "Where the next point is set", color: s.new_label ? "wider" : "narrower", shape: "target",
        set: (spot) => ui.set({ spot: spot.map((x) => clamp(x, ...ends)) }), drop: () => press(s.spot),
      }),
      !isMain && rivalSays(run(s).all[index]),
    );
    const who = learners.length > 1 ? NAMES[learners[index]] : "the network";
    if (s.shows === "says") panel.title(`What ${isMain && isSample ? `network ${s.sample + 1}` : who} says`);
    else panel.title(`Where drawn networks disagree${learners.length > 1 ? ` (${who})` : ""}`);
    panel.root.style.cursor = isMain && s.data === "points" ? "crosshair" : "";
  }

  /** Beside the map of a rival: what there is no room for elsewhere. */
  function rivalSays(opinions) {
    const [wrong, unsure] = opinions.numbers();
    const doubts = opinions.known ? [`disagree on ${format(unsure, 0)} %`, "of the plane"] : ["one network:", "no doubt at all"];
    const rows = [[`${format(wrong, 1)} % of new`, "ink"], ["examples wrong", "ink"], ...doubts.map((one) => [one, "quiet"])];
    return rows.map(([row, color], i) => text([span, span], row, color, { anchor: "start", dx: 14, dy: 14 + 20 * i, inside: false }));
  }

  function drawWires(s, { now, all: [opinions], weights }) {
    const isSample = s.sample >= 0 && opinions.known > s.sample;
    if (isSample) now.network(0, s.sample, weights);
    else now.mean(0, weights);
    const std = now.state.learners[0].belief?.std;
    const widths = { std: isSample ? null : std, prior: s.std };
    const units = { sizes: now.sizes, units: opinions.map.layers, size: CELLS };
    drawn.draw({ weights, ...widths, ...units, pointed: s.pointed, isDark: ui.isDark });
    const isWide = wires.width > 420;
    const layers = `${s.hidden.length}${isWide ? ` layer${s.hidden.length === 1 ? "" : "s"}` : ""}`;
    for (const { layer, box, count } of steppers) {
      box.style.display = layer > s.hidden.length ? "none" : "flex";
      const left = drawn.column(layer || now.sizes.length - 1, now.sizes.length);
      box.style.left = `${left - (layer || !isWide ? 0 : 24)}px`;
      count.textContent = String(layer ? s.hidden[layer - 1] : layers);
    }
    const width = std ? ` plus or minus ${format(std[s.pointed])}` : "";
    drawn.canvas.ariaValueText = s.pointed < 0 ? "none" : `${format(weights[s.pointed])}${width}`;
  }

  /** Curves, each with a name, a colour and its points. */
  function seriesOf(s, now) {
    const points = now.points();
    if (s.chart === "mistakes") {
      const share = (i) => points.filter(([round]) => round > 4).map(([round, one]) => [round, (100 * one.mistakes[i]) / round]);
      const name = (one) => now.names.length > 1 && one.replace("non-expansive", "flow");
      return now.names.map((one, i) => [name(one), i ? "sgd" : "posterior", share(i)]);
    }
    const { belief, model } = now.state.learners[0];
    const layers = belief ? model.layers : [];
    return layers.map((_, l) => [`layer ${l + 1}`, "posterior", points.map(([round, one]) => [round, one.entropies[0][l]])]);
  }
  function drawTime(s, now) {
    const series = seriesOf(s, now);
    const isEntropy = s.chart === "entropy";
    const values = series.flatMap(([, , line]) => line.map(([, y]) => y));
    const end = inSight(s.round, 1000);
    const y = isEntropy ? [Math.floor(Math.min(0, ...values)), Math.ceil(Math.max(1, ...values))] : [0, 50];
    time.set({ x: [0, end], y, yticks: isEntropy ? [] : [0, 25, 50] });
    const right = series.some(([name]) => name) ? 60 : 12;
    if (time.margin.right !== right) time.set({ margin: { ...time.margin, right } }).fit();
    time.title(isEntropy ? "Entropy of each layer (nats a weight)" : "Mistakes so far (%)");
    const named = series.filter(([name, , line]) => name && line.length);
    time.draw(
      cursor(s.round, (round) => ui.set({ round: clamp(round, 0, end) }), { step: Math.max(10, end / 100) }),
      series.map(([, color, line], i) => curve(line, color, { dash: [undefined, "5 3", "2 2", "7 2"][i] })),
      names(named.map(([name, color, line]) => [line.at(-1), name, color]), { gap: 14, dx: 8 }),
    );
  }

  function words(s, { now, all, weights }) {
    const std = now.state.learners[0].belief?.std;
    if (now.isEmpty) return "There are no points yet: press on the plane, or move the ring by the arrow keys and press Enter.";
    if (s.pointed >= 0 && s.pointed < weights.length && !all[1]) {
      const value = [weights[s.pointed], weights[s.pointed] > 0 ? "wider" : "narrower"];
      if (!std || s.sample >= 0) return say`This weight is ${value}.`;
      return say`This weight is ${value} ± ${[std[s.pointed], "ink"]}. At first it was 0 ± ${s.std}.`;
    }
    if (!now.round) return "Before the first example, every network that is drawn from the belief says something else. Press Play.";
    const after = say`After ${[now.round.toLocaleString("en"), "ink"]} examples`;
    const [[wrong, unsure], [others] = []] = all.map((opinions) => opinions.numbers());
    const percent = (share, color, digits = 1) => [`${format(share, digits)} %`, color];
    const doubts = say`drawn networks disagree on ${percent(unsure, "doubt", 0)} of the plane`;
    const disagree = now.votes(0) ? doubts : "it has no doubt at all";
    const [mine, other] = now.names.map((name) => NAMES[name]);
    if (s.data === "points") return say`${after}, ${disagree}. Press on it to set a point.`;
    if (other) return say`${after}, ${mine} gets ${percent(wrong, "posterior")} of new ones wrong, and ${other} ${percent(others, "ink")}.`;
    return say`${after}, it gets ${percent(wrong, "posterior")} of new ones wrong; ${disagree}.`;
  }

  let frame = 0;
  return (s) => {
    const made = run(s);
    const { now, all } = made;
    if (!s.playing) s.until = Infinity;
    if (!s.playing || now.round > s.round) now.towards(s.round, performance.now() + FRAME.still);
    for (const opinions of all) opinions.update(performance.now() + (s.playing ? FRAME.ask / all.length : FRAME.still));
    wires.figure.hidden = all.length > 1;
    other.figure.hidden = all.length < 2;
    drawMap(plane, s, all[0]);
    if (all[1]) drawMap(other, s, all[1]);
    frame += 1;
    if (!s.playing || frame % 3 === 0) { // what is small is drawn less often while it plays
      if (!all[1]) drawWires(s, made);
      thumbs.forEach((thumb, i) => i < all[0].known && paint(thumb, all[0].maps[i], (p) => said(p, ui.isDark)));
    }
    thumbs.forEach((thumb, i) => (thumb.style.boxShadow = i === s.sample ? "0 0 0 2px var(--ink)" : "none"));
    row.style.visibility = all[0].known ? "visible" : "hidden";
    const drawnOf = isFlow(s.learner) ? "drawn from the belief" : "with units left out";
    crowd.title(all[0].known ? `Eight networks ${drawnOf}` : "One network, and no belief to draw others from");
    drawTime(s, now);
    if (!s.playing && ((now.round !== s.round && !now.isEmpty) || !all.every((opinions) => opinions.isExact))) ui.redraw();
    return words(s, made);
  };
});
