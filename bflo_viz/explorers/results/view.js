// Results that were kept: learning curves, final errors beside the paper's, and entropy. Nothing is computed here.
import { controls, fill, mount, nearest, tag, write } from "../shared/kit.js";
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

/** A range that holds all of these; the first of all where there are none. */
function around(ranges) {
  const there = ranges.filter((range) => range);
  return there.length ? [Math.min(...there.map((r) => r[0])), Math.max(...there.map((r) => r[1]))] : [0, 1];
}

export default {
  render(view) {
    const ui = mount(view, "results");
    const { model } = ui;
    const { sentences, looks: given, of } = model.get("_runs");
    const names = Object.keys(given);
    const looks = Object.fromEntries(
      names.map((name) => [name, { stroke: given[name].color, "stroke-dasharray": given[name].dashes || undefined }]),
    );
    const here = () => of[model.get("experiment")];
    const chosen = () => here().options.learners.filter((name) => model.get("learners").includes(name));

    // What another experiment does not have becomes what it shows first; where Python chose it, Python does that.
    const follow = () => {
      const { options, first } = here();
      const strange = Object.keys(first).filter((name) => ![model.get(name)].flat().every((one) => options[name].includes(one)));
      if (strange.length) ui.set(Object.fromEntries(strange.map((name) => [name, nearest(ui.about(name), first[name])])));
    };
    const [experiments, ...lists] = controls(ui, ["experiment", "stream", "noise", "protocol"]);
    const [boxes] = controls(ui, ["learners"]);
    ui.listen(experiments, "change", follow);
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

    const columns = ["learner", "online (%)", "paper", "final (%)", "paper", "runs", "entropy (nats)", "a width 0 by round"];
    const showNumbers = table(ui, columns, names, looks);

    /** The lines of a learner in the two panels of curves. */
    function drawCurves(name, kept) {
      const ends = kept?.mistakes.map((_, i) => Math.min(kept.block * (i + 1), kept.rounds)) ?? [];
      const found = [
        curveOf(ends, kept?.mistakes ?? [], kept?.spread ?? []),
        curveOf([0, ...ends], kept?.entropy ?? [], kept?.entropySpread ?? []),
      ];
      [mistakes, entropy].forEach((p, i) => {
        put(marks[name].curves[i].line, { d: line(found[i].points, p) });
        put(marks[name].curves[i].band, { d: line(found[i].band, p) });
      });
      const fallen = kept?.collapse ?? null;
      const foot = entropy.area.top + entropy.area.height;
      put(marks[name].collapse, {
        visibility: fallen === null ? "hidden" : "visible",
        transform: `translate(${entropy.X(fallen ?? 0).toFixed(1)} ${foot})`,
      });
    }

    /** The final error of a learner in its row, beside the paper's. */
    function drawFinal(name, place, kept) {
      const { row, rule, paper, error, ours } = marks[name];
      const { left, width } = final.area;
      const [mean, spread, printed] = kept?.final ?? [null, null, null];
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
      const kept = shown.filter((name) => place.rows[name]);
      const limits = shown.map((name) => reach[stream][name]);
      mistakes.set({ x: [0, Math.max(1, ...limits.map((l) => l.rounds))], y: [0, Math.max(...limits.map((l) => l.mistakes)) || 1] });
      entropy.set({ x: mistakes.x, y: around(limits.map((l) => l.entropy)) });
      final.set({ x: around(limits.map((l) => l.final)), y: [Math.max(shown.length, 1) - 0.4, -0.85] });
      for (const name of names) {
        const row = shown.includes(name) ? place.rows[name] : undefined;
        drawCurves(name, row);
        drawFinal(name, shown.indexOf(name), row);
        showNumbers(name, shown.includes(name) ? (row?.texts ?? columns.slice(1).map(() => "–")) : null);
      }

      write(heading, place.heading);
      const without = fill(missing[protocol], { learners: shown.join(", "), stream });
      write(message, !shown.length ? sentences.nobody : kept.length ? "" : without);
      for (const figure of figures) figure.hidden = !kept.length;
      const errors = fill(sentences.errors, {
        errors: shown.map((name) => `${name} ${place.rows[name]?.errors ?? "no runs"}`).join("; "),
      });
      const beliefs = kept.filter((name) => place.rows[name].belief);
      const others = kept.filter((name) => !place.rows[name].belief);
      const nats = [
        beliefs.length ? fill(sentences.beliefs, { beliefs: beliefs.map((name) => `${name} ${place.rows[name].belief}`).join(", ") }) : "",
        others.length ? fill(sentences.without, { names: others.join(", ") }) : "",
      ].filter(Boolean).join(" ");
      mistakes.set({ alt: `${place.heading}. ${errors}` });
      final.set({ alt: errors });
      entropy.set({ alt: nats });
      ui.tell(`${place.heading}. ${message.textContent || `${errors} ${nats}`}`);
    });
    return ui.dispose;
  },
};
