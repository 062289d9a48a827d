// Results that were kept: learning curves, final errors beside the paper's, and entropy. Nothing is computed here.
import { controls, fill, format, mount, nearest, tag, write } from "../shared/kit.js";
import { table } from "../shared/curves.js";
import { line, plot, put, svg } from "../shared/plot.js";

/** Points of a curve, and around it the outline of its band, up to where it is not finite. */
function curveOf(x, middle, spread) {
  const finite = middle.findIndex((y) => y === null);
  const count = finite < 0 ? middle.length : finite;
  const points = Array.from({ length: count }, (_, i) => [x[i], middle[i]]);
  const edge = (sign) => points.map(([at, y], i) => [at, y + sign * spread[i]]);
  return { points, band: [...edge(-1), ...edge(1).reverse()] };
}

/** A range that holds all of these; from 0 to 1 where there are none. */
function around(ranges) {
  const known = ranges.filter((range) => range);
  return known.length ? [Math.min(...known.map((r) => r[0])), Math.max(...known.map((r) => r[1]))] : [0, 1];
}

const NOTHING = { mistakes: [], mistakes_error: [], entropy: [], entropy_error: [], collapse: null, final: [null, null, null] };
const COLUMNS = ["learner", "online (%)", "paper", "final (%)", "paper", "runs", "entropy (nats)", "a width 0 by round"];

/** The round by which a width was 0, or null: a kernel in the browser leaves out what is None. */
const fallOf = ({ collapse }) => collapse ?? null;

/** What is shown of a learner, as texts: a column of the table each. What is not there is a dash. */
function textsOf(row) {
  if (!row) return COLUMNS.slice(1).map(() => "–");
  const cell = ([ours, error, paper]) => [
    ours === null ? "–" : format(ours) + (error === null ? "" : ` ± ${format(error)}`),
    paper === null ? "–" : format(paper),
  ];
  const [first, last] = [row.entropy[0], row.entropy.at(-1)].map((nats) => format(nats ?? -Infinity, 1));
  const fallen = fallOf(row)?.toLocaleString("en") ?? "–";
  return [...cell(row.online), ...cell(row.final), String(row.runs), row.entropy.length ? `${first} → ${last}` : "–", fallen];
}

/** Errors and entropies of some learners in words. */
function wordsOf(shown, rows) {
  const beside = (ours, paper, name) => `${ours}${paper === "–" ? "" : ` (paper ${paper})`} ${name}`;
  const errors = shown.map((name) => {
    const [online, itsPaper, final, paper] = textsOf(rows[name]);
    return rows[name] ? `${name} ${beside(online, itsPaper, "online")} and ${beside(final, paper, "final")}` : `${name} no runs`;
  });
  const kept = shown.filter((name) => rows[name]);
  const beliefs = kept.filter((name) => rows[name].entropy.length).map((name) => {
    const [nats, fallen] = textsOf(rows[name]).slice(-2);
    return `${name} from ${nats.replace("→", "to")}${fallen === "–" ? "" : ` (a width is exactly 0 by round ${fallen})`}`;
  });
  const others = kept.filter((name) => !rows[name].entropy.length);
  const nats = [
    beliefs.length ? `Entropy of the belief in nats: ${beliefs.join(", ")}.` : "",
    others.length ? `Without a belief: ${others.join(", ")}.` : "",
  ];
  return { errors: `Errors in percent: ${errors.join("; ")}.`, nats: nats.filter(Boolean).join(" ") };
}

/** Which entropies cannot be drawn, since a width is 0; and what that means, where there is room because none can be seen. */
function unseenOf(shown, rows, { fallen, stays }) {
  const kept = shown.filter((name) => rows[name]);
  const gone = kept.filter((name) => fallOf(rows[name]) !== null);
  const said = gone.map((name) => `${fill(fallen, { name, round: rows[name].collapse.toLocaleString("en") })}.`);
  const isEmpty = gone.length > 0 && !kept.some((name) => rows[name].seen);
  return { words: [...said, ...(isEmpty ? [stays] : [])].join(" "), isEmpty };
}

export default {
  render(view) {
    const ui = mount(view, "results");
    const { model } = ui;
    const { looks, of } = model.get("_runs");
    const names = Object.keys(looks);
    const here = () => of[model.get("experiment")];
    const chosen = () => here().options.learners.filter((name) => model.get("learners").includes(name));

    // What another experiment does not have becomes what it shows first; where Python chose it, Python does that.
    const follow = () => {
      const { options, first } = here();
      const strange = Object.keys(first).filter((name) => ![model.get(name)].flat().every((value) => options[name].includes(value)));
      if (strange.length) ui.set(Object.fromEntries(strange.map((name) => [name, nearest(ui.about(name), first[name])])));
    };
    const [experiments, ...lists] = controls(ui, ["experiment", "stream", "noise", "protocol"]);
    const [boxes] = controls(ui, ["learners"]);
    ui.listen(experiments, "change", follow);
    ui.watch(["_address"], follow); // an address may name an experiment alone
    const offer = () => {
      for (const list of lists) {
        ui.about(list.name).options.forEach(([value], i) => {
          list.options[i].hidden = list.options[i].disabled = !here().options[list.name].includes(value);
        });
      }
      for (const box of boxes.querySelectorAll("input")) {
        box.parentElement.hidden = !here().options.learners.includes(box.name.replace("learners.", ""));
      }
    };

    const heading = tag(null, "p", { class: "bflo-heading" });
    const message = tag(null, "p", { class: "bflo-heading" });
    ui.panels.before(heading, message);
    const panel = (name, options) => plot(ui, name, { x: [0, 1], y: [0, 1], width: 360, height: 300, ...options });
    const [mistakes, final, entropy] = [panel("mistakes"), panel("final", { up: [] }), panel("entropy")];
    const figures = [mistakes, final, entropy].map((p) => p.stage.parentElement);
    const unseen = tag(entropy.stage, "p", { class: "bflo-fallen", "aria-hidden": "true" }); // its alt text says it, too

    const marks = Object.fromEntries(
      names.map((name) => {
        const { stroke: color } = looks[name];
        const curve = (p) => ({ band: p.path({ fill: color, "fill-opacity": 0.2 }), line: p.path({ ...looks[name], "stroke-width": 2 }) });
        const row = svg(final.over, "g");
        return [
          name,
          {
            curves: [curve(mistakes), curve(entropy)],
            collapse: svg(entropy.over, "path", { fill: color, d: "M-7 -12H7L0 0Z" }),
            row,
            name: svg(row, "text", { x: final.area.left + 6, y: -12 }, name),
            rule: svg(row, "path", { stroke: "var(--faint)", "stroke-dasharray": "1 3" }),
            paper: svg(row, "path", { stroke: "var(--ink)", "stroke-width": 3 }),
            error: svg(row, "path", { stroke: color, "stroke-width": 3 }),
            ours: svg(row, "circle", { r: 5.5, fill: color }),
          },
        ];
      }),
    );

    const showNumbers = table(ui, COLUMNS, names, looks);

    /** The lines of a learner in the two panels of curves. */
    function drawCurves(name, row) {
      const ends = row.mistakes.map((_, i) => Math.min(row.block * (i + 1), row.rounds));
      const both = [curveOf(ends, row.mistakes, row.mistakes_error), curveOf([0, ...ends], row.entropy, row.entropy_error)];
      [mistakes, entropy].forEach((p, i) => {
        put(marks[name].curves[i].line, { d: line(both[i].points, p) });
        put(marks[name].curves[i].band, { d: line(both[i].band, p) });
      });
      put(marks[name].collapse, {
        visibility: fallOf(row) === null ? "hidden" : "visible",
        transform: `translate(${entropy.X(row.collapse ?? 0).toFixed(1)} ${entropy.area.top + entropy.area.height})`,
      });
    }

    /** The final error of a learner in its row, beside the paper's. */
    function drawFinal(name, place, [mean, spread, printed]) {
      const { row, rule, paper, error, ours } = marks[name];
      const { left, width } = final.area;
      put(row, { visibility: place < 0 ? "hidden" : "visible", transform: `translate(0 ${final.Y(Math.max(0, place)).toFixed(1)})` });
      put(rule, { d: `M${left} 0H${left + width}` });
      put(paper, { d: printed === null ? "" : `M${final.X(printed)} -9V9` });
      put(error, { d: mean === null || spread === null ? "" : `M${final.X(mean - spread)} 0H${final.X(mean + spread)}` });
      put(ours, { cx: mean === null ? 0 : final.X(mean), visibility: place < 0 || mean === null ? "hidden" : "visible" });
    }

    ui.onDraw(() => {
      offer();
      const { places, reach, missing } = here();
      const [stream, protocol] = [model.get("stream"), model.get("protocol")];
      const place = places[protocol]?.[stream]?.[String(model.get("noise"))];
      if (!place) return; // the values of another experiment: those of this one are on their way
      const shown = chosen();
      const isEmpty = !shown.some((name) => place.rows[name]);
      const range = (axis) => around(shown.map((name) => reach[stream][name][axis]));
      mistakes.set({ x: range("rounds"), y: range("mistakes") });
      entropy.set({ x: mistakes.x, y: range("entropy") });
      final.set({ x: range("final"), y: [Math.max(shown.length, 1) - 0.4, -0.85] });
      for (const name of names) {
        const at = shown.indexOf(name);
        const row = at < 0 ? undefined : place.rows[name];
        drawCurves(name, row ?? NOTHING);
        drawFinal(name, at, (row ?? NOTHING).final);
        showNumbers(name, at < 0 ? null : textsOf(row));
      }

      const { errors, nats } = wordsOf(shown, place.rows);
      write(heading, place.heading);
      write(message, isEmpty ? (shown.length ? missing[protocol] : ui.facts.nobody) : "");
      for (const figure of figures) figure.hidden = isEmpty;
      mistakes.set({ alt: `${place.heading}. ${errors}` });
      final.set({ alt: errors });
      entropy.set({ alt: nats });
      const { words, isEmpty: isBlank } = unseenOf(shown, place.rows, ui.facts);
      write(unseen, words);
      unseen.classList.toggle("bflo-middle", isBlank);
      ui.tell(`${place.heading}. ${message.textContent || `${errors} ${nats}`}`);
    });
    return ui.dispose;
  },
};
