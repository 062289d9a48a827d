// A small network with a belief over its weights: what it says, what networks drawn from it say, and the wiring.
import { explorer } from "../kit.js";
import { clamp, contours, curve, dots, el, format, outline, paint, ramp, raster, say, shape } from "../marks.js";
import { Opinions } from "./network_opinions.js";
import { Run, isFlow, scriptOf } from "./network_scene.js";
import { column, drawWiring, said } from "./network_wires.js";
import { cursor, inSight, names } from "./rounds.js";

const [CELLS, SHOWN, EDGES, THUMBS] = [40, 150, 12, 8]; // of a map; examples, boundaries and small networks in sight
const LIGHT = "f3f4f6 cfe1ea 8fbcd0 3f86a8 0b4a6f"; // from no doubt to much
const DOUBT = [LIGHT, "1b1f26 1d3a4c 1f6285 4aa3c7 bfe9fb"].map(ramp);
const MADE_BY = ["data", "flip", "noise", "hidden", "seed"];
const SETTINGS = [...MADE_BY, "learner", "rival", "std", "min_std", "updates", "rate", "drop"];
const BEHIND_MORE = ["rival", "rate", "updates", "std", "min_std", "noise", "drop", "speed", "seed"];
const NAMES = { "non-expansive": "the flow", flow: "the flow", SGD: "SGD", dropout: "dropout" };
const FRAME = { learn: 9, ask: 3, still: 6 }; // milliseconds of a frame that plays, and of one that only catches up

const doubtful = (std, isDark) => DOUBT[Number(isDark)][Math.round(510 * clamp(std / 0.4, 0, 1))];

export default explorer("network", (ui) => {
  const { span, rates, turns } = ui.constants;
  const bare = { wash: true, xticks: null, yticks: null };
  const square = { x: [-span, span], y: [-span, span], isSquare: true, ...bare };
  const plane = ui.panel("plane", square);
  const wires = ui.panel("wires", { caption: "Its weights, and how sure it is of each", ...bare });
  const other = ui.panel("other", square);
  const crowd = ui.panel("crowd", { ...bare, wash: false });
  const time = ui.panel("time", {
    caption: "Mistakes so far (%)", xlabel: "round", y: [0, 50], yticks: [0, 25, 50],
    margin: { left: 30, right: 60, top: 10 },
  });
  crowd.figure.style.height = "auto";
  ui.choice(plane, "shows");
  Object.assign(ui.state, { sample: -1, until: Infinity });

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
  ui.presets({
    "before learning": async () => (await ui.glide({ round: 0 }, 0), play()),
    "two spirals": async () => {
      await ui.glide({ data: "spirals", flip: 0, round: 0, speed: 12_000 }, 0);
      ui.state.until = 30_000;
      play();
    },
    "a third of the labels wrong": { data: "moons", flip: 0.33, round: 600 },
    "where it doubts": { data: "circles", flip: 0, round: 600, shows: "doubts" },
  });
  ui.script = (s) => scriptOf({ ...s, rates });

  /** Buttons below each layer, and for the number of layers. */
  const steppers = [1, 2, 3, 0].map((layer) => {
    const box = el(wires.paper, "div", { class: "bflo-units" });
    const change = (by) => {
      const { hidden } = ui.state;
      if (layer) ui.set({ hidden: hidden.map((n, i) => (i === layer - 1 ? clamp(n + by, 1, 12) : n)) });
      else ui.set({ hidden: by < 0 ? hidden.slice(0, -1) : [...hidden, 4] });
    };
    const button = (words, by, isShown) => {
      const one = ui.button(box, words, () => change(by), isShown);
      const what = layer ? `units in hidden layer ${layer}` : "hidden layers";
      one.setAttribute("aria-label", `${by < 0 ? "Fewer" : "More"} ${what}`);
      one.classList.add("bflo-large");
    };
    button("−", -1, (s) => layer || s.hidden.length > 0);
    const count = el(box, "output");
    button("+", 1, (s) => layer || s.hidden.length < 3);
    return { layer, box, count };
  });
  const row = el(crowd.paper, "div", { class: "bflo-thumbs" });
  const thumbs = Array.from({ length: THUMBS }, (_, i) => {
    const button = el(row, "button", { type: "button", "aria-label": `Show network ${i + 1} of those drawn` });
    for (const type of ["pointerenter", "focus"]) ui.listen(button, type, () => ui.set({ sample: i }));
    for (const type of ["pointerleave", "blur"]) ui.listen(button, type, () => ui.set({ sample: -1 }));
    return el(button, "canvas");
  });

  /** Marks of the examples: a disc or a square by the label, and a cross where it is wrong. */
  const examples = ui.memo(MADE_BY, (s) => {
    const all = run(s).now.tests.slice(0, SHOWN);
    const drawn = (name, isChosen, path, color, look) => {
      return shape((p) => all.filter(isChosen).map(path(p)).join(""), color, { memo: [all, name], ...look });
    };
    const disc = (r, square) => (p) => ({ x, y }) => outline(p.X(x), p.Y(y), r, square);
    const cross = (p) => ({ x, y }) => `M${p.X(x) - 5} ${p.Y(y) - 5}l10 10m0 -10l-10 10`;
    const filled = { width: 1, fill: 1, edge: "paper" };
    return [
      drawn("ones", ({ seen }) => seen === 1, disc(4), "wider", filled),
      drawn("zeros", ({ seen }) => seen === 0, disc(4.4, true), "narrower", filled),
      drawn("wrong", ({ seen, truth }) => seen !== truth, cross, "removed", { width: 1.5 }),
    ];
  });

  function drawMap(panel, s, { mean, doubt, maps, index, run: { names: learners, state } }) {
    const isMain = panel === plane;
    const isSample = isMain && s.sample >= 0 && s.sample < maps.length;
    const one = isSample ? maps[s.sample] : mean;
    panel.draw(
      s.shows === "doubts" ? raster(doubt, doubtful) : raster(one, said),
      Array.from({ length: EDGES }, (_, i) => i < maps.length && contours(maps[i], [0.5], "ink", { opacity: 0.45 })),
      contours(one, [0.5], "ink", { width: 2, opacity: 1 }),
      examples(s),
      isMain && s.round > 0 && dots([[...state.plane.x]], "ink", { r: 8, hollow: true }),
    );
    const who = learners.length > 1 ? NAMES[learners[index]] : "the network";
    const says = `What ${isSample ? `network ${s.sample + 1}` : who} says`;
    panel.title(s.shows === "says" ? says : `Where networks drawn from ${isMain ? "the belief" : who} disagree`);
  }

  function drawWires(s, { now, all: [opinions], weights }) {
    const isSample = s.sample >= 0 && opinions.maps.length > s.sample;
    if (isSample) now.network(0, s.sample, weights);
    else now.mean(0, weights);
    const std = isSample ? null : now.state.learners[0].belief?.std;
    drawWiring(wires, { sizes: now.sizes, weights, std, prior: s.std, units: opinions.map.layers, size: CELLS });
    const isWide = wires.width > 420;
    const layers = isWide ? ` layer${s.hidden.length === 1 ? "" : "s"}` : "";
    for (const { layer, box, count } of steppers) {
      const left = column(wires, layer || now.sizes.length - 1, now.sizes.length);
      box.hidden = layer > s.hidden.length;
      box.style.left = `${left - (layer || !isWide ? 0 : 24)}px`;
      count.textContent = layer ? s.hidden[layer - 1] : s.hidden.length + layers;
    }
  }

  function drawTime(s, now) {
    const points = now.points().filter(([round]) => Number(round) > 4);
    const end = inSight(s.round, 1000);
    const all = now.names.map((name, i) => [
      points.map(([round, mistakes]) => [round, (100 * mistakes[i]) / round]),
      name.replace("non-expansive", "flow"), i ? "sgd" : "posterior", { dash: i ? "5 3" : undefined },
    ]);
    time.set({ x: [0, end] });
    time.draw(
      cursor(s.round, (round) => ui.set({ round }), { step: Math.max(10, end / 100) }),
      all.map(([line, , color, look]) => curve(line, color, look)),
      names(time, all.flatMap(([line, ...named]) => (line.length ? [[line.at(-1), ...named]] : [])), { dx: 8 }),
    );
  }

  function words(s, { now, all }) {
    if (!now.round) return "Before the first example, all networks drawn from the belief differ. Press Play.";
    const after = say`After ${[now.round.toLocaleString("en"), "ink"]} examples`;
    const percent = (share, color, digits = 1) => [`${format(share, digits)} %`, color];
    const [[wrong, unsure], [others] = []] = all.map((opinions) => opinions.numbers());
    const doubts = say`drawn networks disagree on ${percent(unsure, "doubt", 0)} of the plane`;
    const disagree = now.votes(0) ? doubts : "it has no doubt at all";
    const errs = say`gets ${percent(wrong, "posterior")} of new ones wrong`;
    if (!all[1]) return say`${after}, it ${errs}; ${disagree}.`;
    const [mine, other] = now.names.map((name) => NAMES[name]);
    return say`${after}, ${mine} ${errs}, and ${other} ${percent(others, "ink")}.`;
  }

  let frame = 0;
  return (s) => {
    const made = run(s);
    const { now, all } = made;
    if (!s.playing) s.until = Infinity;
    if (!s.playing || now.round > s.round) now.towards(s.round, performance.now() + FRAME.still);
    const time = s.playing ? FRAME.ask : FRAME.still;
    for (const opinions of all) opinions.update(performance.now() + time / all.length);
    wires.figure.hidden = all.length > 1;
    other.figure.hidden = all.length < 2;
    const beside = all.length > 1 ? "other" : "wires"; // a rival takes the place of the wiring
    ui.layout(`"plane ${beside}" 1fr "plane crowd" auto "plane time" 150px / 0.98fr 1fr`);
    drawMap(plane, s, all[0]);
    if (all[1]) drawMap(other, s, all[1]);
    frame += 1;
    if (!s.playing || frame % 3 === 0) { // what is small is drawn less often while it plays
      if (!all[1]) drawWires(s, made);
      thumbs.forEach((thumb, i) => i < all[0].maps.length && paint(thumb, all[0].maps[i], said, ui.isDark));
    }
    thumbs.forEach((thumb, i) => thumb.classList.toggle("is-here", i === s.sample));
    row.style.visibility = all[0].maps.length ? "visible" : "hidden";
    const drawnOf = isFlow(s.learner) ? "drawn from the belief" : "with units left out";
    crowd.title(all[0].maps.length ? `Eight networks ${drawnOf}` : "One network, and no belief to draw others from");
    drawTime(s, now);
    const isDone = now.round === s.round && all.every((opinions) => opinions.isExact);
    if (!s.playing && !isDone) ui.redraw();
    return words(s, made);
  };
});
