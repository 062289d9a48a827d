// Draw a digit, and fifty networks vote. The ink itself shows what speaks for whom.
import { explorer } from "../kit.js";
import { clamp, cursor, curve, dots, el, lines, say, shade, shape, text, write } from "../marks.js";
import { Networks, fitOf, inkOf, seenOf, stroke, textOf } from "./digits_votes.js";

const BIN = "M0 2h12v1.5H0zM1.5 5h9L9.5 12h-7z";
const PATIENCE = 8; // milliseconds of a frame for the votes of other moments than the one in sight
const SURE = 0.9; // the share of networks from which on they are said to agree
const short = (n) => (n < 1000 ? String(n) : `${n / 1000}k`);

export default explorer("digits", (ui) => {
  const { side, seen: coarse, brush, networks: count } = ui.constants;
  const { rounds, errors, examples, ...file } = ui.get("_beliefs");
  const networks = new Networks(/** @type {any} */ (file), count);
  const last = rounds.length - 1;
  const none = { xticks: null, yticks: null };
  const pad = ui.panel("pad", { caption: "Draw here", x: [0, side], y: [0, side], isSquare: true, wash: true, ...none });
  const votes = ui.panel("votes", {
    caption: "What fifty networks drawn from the belief see", x: [-0.6, 9.6], y: [0, 17.5], xticks: [...Array(10).keys()], yticks: null,
    margin: { left: 0, right: 0, top: 22, bottom: 26 },
  });
  const learned = ui.panel("learned", {
    caption: "Share that disagrees, by digits learned", x: [-0.3, last + 0.3], y: [0, 100], xticks: null, yticks: [0, 50, 100],
    margin: { left: 30, right: 96, top: 12, bottom: 24 },
  });
  ui.layout('"pad votes" 1.45fr "pad learned" 1fr / 1.04fr 1fr');
  const legend = el(pad.head, "small");
  ui.go("Clear", () => ui.set({ sketch: "" }), BIN);
  ui.controls(["erase", "why"], ["seed"]);
  const others = ui.button(ui.desk, "Other fifty networks", () => ui.set({ seed: (ui.state.seed + 1) % 2 ** 32 }));
  others.previousElementSibling.before(others); // More is the last
  const shown = examples.filter(({ name }) => ["clear", "wrong", "house"].includes(name));
  const chips = Object.fromEntries(shown.map(({ label, sketch }) => [label, { sketch }]));
  ui.presets({ "4 or 9?": { sketch: ui.known.sketch.default }, ...chips });

  /** The ink; while a hand draws it is ahead of the trait, which is told of every stroke only at its end. */
  let ink = inkOf("", side), written = "", changes = 0;
  let pen = { at: [side / 2, side / 2], isDown: false, isKeyed: false };
  const spot = (event) => {
    const [x, y] = pad.at(event);
    return [x, side - y];
  };
  function mark(to) {
    stroke(ink, side, pen.at, to, brush, ui.state.erase ? 0 : 1);
    pen.at = to;
    changes += 1;
    ui.redraw();
  }
  function lift() {
    if (pen.isDown) ui.set({ sketch: (written = textOf(ink, side)) });
    pen.isDown = false;
  }
  Object.assign(pad.root.style, { cursor: "crosshair", touchAction: "none" });
  const label = "Draw here: arrow keys move the pen, the space bar puts it down and lifts it";
  Object.assign(pad.root, { tabIndex: 0, role: "application", ariaLabel: label });
  ui.listen(pad.root, "pointerdown", (event) => {
    if (event.button) return;
    pad.root.setPointerCapture(event.pointerId);
    pen = { at: spot(event), isDown: true, isKeyed: false };
    mark(pen.at);
  });
  ui.listen(pad.root, "pointermove", (event) => {
    if (pen.isDown && !pen.isKeyed) for (const one of event.getCoalescedEvents?.() ?? [event]) mark(spot(one));
  });
  ui.listen(pad.root, "lostpointercapture", lift);
  ui.listen(pad.root, "blur", lift);
  ui.listen(pad.root, "keydown", (event) => {
    const by = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!by && event.key !== " ") return;
    event.preventDefault();
    pen.isKeyed = true;
    const to = pen.at.map((x, i) => clamp(x + (by?.[i] ?? 0) * (event.shiftKey ? 5 : 1), 0, side));
    if (by && !pen.isDown) return void ((pen.at = to), ui.redraw());
    if (by) return mark(to);
    if (pen.isDown) return lift();
    pen.isDown = true;
    mark(pen.at);
  });

  const tallies = rounds.map(() => new Array(10).fill(0));
  const fresh = new Set(); // the moments whose votes are on this ink
  let key = "", x = new Float64Array(coarse * coarse);
  /** Votes at this moment, and at others as far as there is time; those that are still to come stay as they were. */
  function ask(s) {
    if (s.sketch !== written) [ink, written] = [inkOf(s.sketch, side), s.sketch];
    const now = `${s.seed} ${written} ${changes}`;
    if (key !== now) {
      fresh.clear();
      key = now;
      x = seenOf(ink, ui.constants);
    }
    const until = performance.now() + PATIENCE;
    for (const moment of [s.moment, ...rounds.keys()]) {
      if (fresh.has(moment)) continue;
      if (moment !== s.moment && performance.now() > until) return ui.redraw();
      tallies[moment] = networks.votes(x, moment, s.seed);
      fresh.add(moment);
    }
  }

  /** The ink by colours: each cell of the page has that of the coarse cell that the networks see in its place. */
  function inkMarks(s, effect) {
    const fit = fitOf(ink, ui.constants);
    const most = Math.max(...effect.map(Math.abs), 1e-9);
    const at = (value, axis) => clamp(Math.floor(coarse / 2 + fit.scale * (value + 0.5 - fit.middles[axis])), 0, coarse - 1);
    const groups = new Map();
    ink.forEach((cell, k) => {
      if (!cell) return;
      const [i, j] = [k % side, Math.floor(k / side)];
      const by = s.why ? Math.round((10 * effect[at(j, 1) * coarse + at(i, 0)]) / most) / 10 : 0;
      groups.set(by, [...(groups.get(by) ?? []), [i, side - j]]);
    });
    return [...groups].map(([by, cells]) => {
      const fill = by ? `rgb(${shade(0.3 * Math.sign(by) + 0.6 * by, ui.isDark).map(Math.round).join(" ")})` : "var(--prior)";
      const path = (p) => cells.map(([i, j]) => `M${p.X(i)} ${p.Y(j)}h${p.X(1.03) - p.X(0)}v${p.X(1.03) - p.X(0)}H${p.X(i)}z`).join("");
      return { ...shape(path, "prior"), attrs: (p) => ({ d: path(p), fill }) };
    });
  }

  return (s) => {
    ask(s);
    const tally = tallies[s.moment];
    const { ranking: [winner, second], effect } = networks.decided(x, s.moment, tally);
    const isEmpty = !ink.includes(1);
    pad.draw(
      pen.isKeyed && dots([[pen.at[0], side - pen.at[1]]], pen.isDown ? "weight" : "quiet", { r: 8, hollow: true }),
      inkMarks(s, effect),
    );
    write(legend, s.why && !isEmpty ? say`${["violet", "wider"]} speaks for ${winner}, ${["orange", "narrower"]} for ${second}` : "");
    const r = clamp(Math.min(0.45 * (votes.X(0.27) - votes.X(0)), 0.45 * (votes.Y(0) - votes.Y(1))), 1.5, 5);
    const place = (k, i) => [k + 0.27 * ((i % 3) - 1), Math.floor(i / 3) + 0.6];
    votes.draw(
      dots(tally.flatMap((n, k) => Array.from({ length: n }, (_, i) => place(k, i))), "posterior", { r, fill: 1 }),
      tally.map((n, k) => n > 0 && text([k, Math.ceil(n / 3) + 0.6], n, "posterior", { dy: 0 })),
    );
    const against = tallies.map((one, k) => [k, 100 * (1 - Math.max(...one) / count)]);
    const ends = [against[last][1], errors.vote[last]];
    const isNear = Math.abs(ends[0] - ends[1]) < 14;
    const dy = ends.map((end, i) => (isNear && end >= ends[1 - i] && (end > ends[1 - i] || i) ? -10 : 4));
    const digits = rounds[s.moment].toLocaleString("en");
    learned.draw(
      lines([[[-0.3, 0], [last + 0.3, 0]]], "line"),
      cursor(s.moment, (moment) => ui.set({ moment: clamp(moment, 0, last) }), { label: "How much is learned", says: `${digits} digits` }),
      curve(errors.vote.map((percent, k) => [k, percent]), "prior", { width: 1.5, dash: "4 3" }), curve(against, "posterior"),
      text([last, ends[0]], "this drawing", "posterior", { anchor: "start", dx: 14, dy: dy[0], inside: false }),
      text([last, ends[1]], "test errors", "prior", { anchor: "start", dx: 14, dy: dy[1], inside: false }),
      rounds.map((n, k) => k % 3 === 0 && text([k, 0], short(n), "quiet", { dy: 18 })),
    );
    if (isEmpty) return say`The page is empty: draw on it with mouse, finger or pen, and fifty networks vote.`;
    const rest = tally[second] ? say`, ${[String(tally[second]), "posterior"]} a ${[String(second), "posterior"]}` : "";
    const share = tally[winner] / count;
    const split = share > 0.5 ? "They do not all agree." : "They do not agree.";
    const verdict = share >= SURE ? "Agreement is no proof that it is a digit." : split;
    const most = say`${[String(tally[winner]), "posterior"]} of ${count} networks see a ${[String(winner), "posterior"]}`;
    return say`${most}${rest}, after ${digits} digits. ${verdict}`;
  };
});
