// Draw a digit, and fifty networks vote. The ink itself shows what speaks for whom.
import { explorer } from "../kit.js";
import { arrow, clamp, curve, dots, el, lines, say, shade, shape, text, write } from "../marks.js";
import { Networks, fitOf, inkOf, seenOf, stroke, textOf } from "./digits_votes.js";
import { cursor, names } from "./rounds.js";

const SURE = 0.9; // the share of networks from which on they are said to agree
const LABEL = "Draw here: arrow keys move the pen, the space bar puts it down and lifts it";

export default explorer("digits", (ui) => {
  const { side, seen: coarse, brush, networks: count, rounds, errors, examples } = ui.constants;
  const networks = new Networks(ui.constants, count);
  const last = rounds.length - 1;
  const pad = ui.panel("pad", {
    caption: "Draw here", x: [0, side], y: [side, 0], isSquare: true, wash: true, xticks: null, yticks: null,
  });
  const votes = ui.panel("votes", {
    caption: "What fifty networks drawn from the belief see", x: [-0.6, 9.6], y: [0, 17.5],
    xticks: [...Array(10).keys()], yticks: null, margin: { left: 0, right: 0, top: 22, bottom: 26 },
  });
  const learned = ui.panel("learned", {
    caption: "Share that disagrees, by digits learned", x: [-0.3, last + 0.3], y: [0, 100],
    xticks: null, yticks: [0, 50, 100], margin: { left: 30, right: 96, top: 12, bottom: 24 },
  });
  ui.layout('"pad votes" 1.45fr "pad learned" 1fr / 1.04fr 1fr');
  const legend = el(pad.head, "small");
  ui.go("Clear", () => ui.set({ sketch: "" }));
  ui.button(ui.desk, "Other fifty networks", () => ui.set({ seed: (ui.state.seed + 1) % 2 ** 32 }));
  ui.controls(["erase", "why"], ["seed"]);
  const { sketch, moment } = ui.known;
  const finished = Object.entries(examples).map(([words, sketch]) => [words, { sketch, moment: last, seed: 0 }]);
  const doubtful = { sketch: sketch.default, moment: moment.default, seed: 0 };
  ui.presets({ "4 or 9?": doubtful, ...Object.fromEntries(finished) });

  /** The ink; while a hand draws it is ahead of the trait, which is told of every stroke only at its end. */
  let ink = inkOf("", side), written = "";
  ui.state.changes = 0; // of the ink
  let pen = { at: [side / 2, side / 2], isDown: false, isKeyed: false };
  function mark(to) {
    stroke(ink, side, pen.at, to, brush, ui.state.erase ? 0 : 1);
    pen.at = to;
    ui.state.changes += 1;
    ui.redraw();
  }
  function lift() {
    if (pen.isDown) ui.set({ sketch: (written = textOf(ink, side)) });
    pen.isDown = false;
  }
  Object.assign(pad.root.style, { cursor: "crosshair", touchAction: "none" });
  Object.assign(pad.root, { tabIndex: 0, role: "application", ariaLabel: LABEL });
  ui.listen(pad.root, "pointerdown", (event) => {
    if (event.button) return;
    pad.root.setPointerCapture(event.pointerId);
    pen = { at: pad.at(event), isDown: true, isKeyed: false };
    mark(pen.at);
  });
  ui.listen(pad.root, "pointermove", (event) => {
    if (pen.isDown && !pen.isKeyed) for (const one of event.getCoalescedEvents?.() ?? [event]) mark(pad.at(one));
  });
  ui.listen(pad.root, "lostpointercapture", lift);
  ui.listen(pad.root, "blur", lift);
  ui.listen(pad.root, "keydown", (event) => {
    const by = arrow(event);
    if (!by && event.key !== " ") return;
    event.preventDefault();
    if (!by && pen.isDown) return lift();
    const [right, up] = by ?? [0, 0];
    const to = [pen.at[0] + right, pen.at[1] - up].map((x) => clamp(x, 0, side));
    pen = { at: pen.at, isDown: pen.isDown || !by, isKeyed: true };
    if (pen.isDown) return mark(to);
    pen.at = to;
    ui.redraw();
  });

  /** The page as networks see it, and their votes at all moments. */
  const asked = ui.memo(["seed", "changes"], ({ seed }) => {
    const x = seenOf(ink, ui.constants);
    return { x, tallies: rounds.map((_, moment) => networks.votes(x, moment, seed)) };
  });

  /** The ink by colours: each cell of the page has that of the coarse cell that the networks see in its place. */
  function inkMarks(s, effect) {
    const { scale, middles } = fitOf(ink, ui.constants) ?? { scale: 1, middles: [0, 0] };
    const most = Math.max(...effect.map(Math.abs), 1e-9);
    const at = (i, axis) => clamp(Math.floor(coarse / 2 + scale * (i + 0.5 - middles[axis])), 0, coarse - 1);
    const cells = [...ink.keys()].filter((k) => ink[k]).map((k) => [k % side, Math.floor(k / side)]);
    const speaks = cells.map(([i, j]) => Math.round((10 * effect[at(j, 1) * coarse + at(i, 0)]) / most) / 10);
    const rgb = (by) => shade(0.3 * Math.sign(by) + 0.6 * by, ui.isDark).map(Math.round).join(" ");
    return [...new Set(speaks)].map((by) => {
      const some = cells.filter((_, n) => speaks[n] === by);
      const color = !s.why ? "prior" : by ? `rgb(${rgb(by)})` : "line";
      const size = (p) => p.X(1.03) - p.X(0);
      const square = (p) => ([i, j]) => `M${p.X(i)} ${p.Y(j)}h${size(p)}v${size(p)}H${p.X(i)}z`;
      return shape((p) => some.map(square(p)).join(""), color, { width: 0, fill: 1 });
    });
  }

  function drawVotes(tally) {
    const r = clamp(0.45 * Math.min(votes.X(0.27) - votes.X(0), votes.Y(0) - votes.Y(1)), 1.5, 5);
    const place = (k, i) => [k + 0.27 * ((i % 3) - 1), Math.floor(i / 3) + 0.6];
    votes.draw(
      dots(tally.flatMap((n, k) => Array.from({ length: n }, (_, i) => place(k, i))), "posterior", { r, fill: 1 }),
      tally.map((n, k) => n > 0 && text([k, Math.ceil(n / 3) + 0.6], n, "posterior", { dy: 0 })),
    );
  }

  function drawLearned(s, tallies, digits) {
    const tested = errors.map((percent, k) => [k, percent]);
    const against = tallies.map((one, k) => [k, 100 * (1 - Math.max(...one) / count)]);
    learned.draw(
      lines([[[-0.3, 0], [last + 0.3, 0]]], "line"),
      cursor(s.moment, (moment) => ui.set({ moment }), { label: "Moment of learning", says: `${digits} digits` }),
      curve(tested, "prior", { width: 1.5, dash: "4 3" }),
      curve(against, "posterior"),
      names(learned, [[against[last], "this drawing", "posterior"], [tested[last], "test errors", "prior"]]),
      rounds.map((n, k) => k % 3 === 0 && text([k, 0], n < 1000 ? n : `${n / 1000}k`, "quiet", { dy: 18 })),
    );
  }

  return (s) => {
    if (s.sketch !== written) [ink, written, s.changes] = [inkOf(s.sketch, side), s.sketch, s.changes + 1];
    const { x, tallies } = asked(s);
    const tally = tallies[s.moment];
    const { ranking: [winner, second], effect } = networks.decided(x, s.moment, tally);
    const isEmpty = !ink.includes(1);
    const tip = pen.isKeyed && dots([pen.at], pen.isDown ? "weight" : "quiet", { r: 8, hollow: true });
    pad.draw(tip, inkMarks(s, effect));
    const legends = say`${["violet", "wider"]} speaks for ${winner}, ${["orange", "narrower"]} for ${second}`;
    write(legend, s.why && !isEmpty ? legends : "");
    const digits = rounds[s.moment].toLocaleString("en");
    drawVotes(tally);
    drawLearned(s, tallies, digits);
    if (isEmpty) return say`The page is empty: draw on it with mouse, finger or pen, and fifty networks vote.`;
    const colored = (n) => [String(n), "posterior"];
    const rest = tally[second] ? say`, ${colored(tally[second])} a ${colored(second)}` : "";
    const share = tally[winner] / count;
    const split = share > 0.5 ? "They do not all agree." : "They do not agree.";
    const verdict = share >= SURE ? "Agreement is no proof." : split;
    const most = say`${colored(tally[winner])} of ${count} networks see a ${colored(winner)}`;
    return say`${most}${rest}, after ${digits} digits. ${verdict}`;
  };
});
