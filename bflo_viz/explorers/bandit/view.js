// Levers to pull against three learners: what they believe, what all have won or missed, and who pulled what.
import { button, controls, fill, format, group, mount, play, remembered, seeds, tag, write } from "../shared/kit.js";
import { line, plot, put, svg } from "../shared/plot.js";
import { key, table, thinned, timeline } from "../shared/curves.js";
import { Levers, believed } from "./scene.js";
import { comparison, newsOf } from "./words.js";

const DASHES = ["48 4", "9 3 2 3", undefined, undefined]; // of you and the players
const WIDTHS = [4, 2, 2, 2];
const MARKS = ["M0 -8L2.2 -2.2L8 0L2.2 2.2L0 8L-2.2 2.2L-8 0L-2.2 -2.2Z", "M0 -6L5.5 4.5H-5.5Z", "M0 -6L5.5 4.5H-5.5Z", "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0"];
const SIZE = { width: 360, height: 330 };

/** An object with what `make` makes for each of some names. */
const each = (names, make) => Object.fromEntries(names.map((name, i) => [name, make(name, i)]));
/** From 1 to n. */
const upTo = (n) => Array.from({ length: n }, (_, i) => i + 1);
/** Where a player has its place in the room of a lever, of which so much is used. */
const beside = (i, count, room) => room * ((i + 0.5) / count - 0.5);

/** How the mark of a player is drawn: that of the flow which may not widen has the colour of the other, and is hollow. */
const markOf = ({ facts }, looks, name) =>
  name === facts.hollow ? { fill: "var(--paper)", stroke: looks[name].stroke, "stroke-width": 2 } : { fill: looks[name].stroke, stroke: "var(--paper)" };

/** Stretches of rounds in which something stayed the same: [value, first round, round after the last]. */
function stretches(values, last) {
  const found = [];
  for (let n = 0; n < last; n += 1) {
    if (found.length && found.at(-1)[0] === values[n]) found.at(-1)[2] = n + 1;
    else found.push([values[n], n, n + 1]);
  }
  return found;
}

/** What is believed of each lever: an interval and a mark for each player, and the true odds where they may be seen. */
function beliefPanel(ui, looks, names) {
  const levers = ui.model.get("levers");
  const options = { x: [0.5, levers + 0.5], y: [0, 1], ticks: upTo(levers), up: [0, 0.2, 0.4, 0.6, 0.8, 1], ...SIZE };
  const panel = plot(ui, "believed", options);
  const truth = panel.path({ stroke: "var(--faint)", "stroke-width": 7 });
  const marks = each(names, (name) => ({
    bars: panel.path({ stroke: looks[name].stroke, "stroke-width": 2.5 }),
    dots: svg(panel.layer, "g"),
  }));
  return Object.assign(panel, {
    show(told, odds) {
      const count = told.values().next().value.length;
      options.ticks = upTo(count); // of the levers that there are
      panel.set({ x: [0.5, count + 0.5] });
      put(truth, { d: (odds ?? []).map((x, k) => line([[k + 1 - ui.facts.lane / 2, x], [k + 1 + ui.facts.lane / 2, x]], panel)).join("") });
      names.forEach((name, i) => {
        const { bars, dots } = marks[name];
        const at = (told.get(name) ?? []).map((interval, k) => [k + 1 + beside(i, names.length, ui.facts.lane), interval]);
        put(bars, { d: at.map(([x, [low, , high]]) => line([[x, low], [x, high]], panel)).join("") });
        dots.replaceChildren();
        for (const [x, [, middle]] of at) {
          if (Number.isFinite(middle)) panel.place(svg(dots, "path", { d: MARKS[i], ...markOf(ui, looks, name) }), [x, middle]);
        }
      });
    },
  });
}

/** Wins so far in percent, or regret where it may be told; and who pulled which lever. Both can be scrubbed. */
function curvePanels(ui, looks, names, rounds) {
  const { titles } = ui.facts;
  const score = plot(ui, "score", { x: [0, rounds()], y: [0, 1], ...SIZE });
  const label = svg(score.svg, "text", { transform: `translate(11 ${score.area.top + score.area.height / 2}) rotate(-90)`, "text-anchor": "middle" });
  const levers = ui.model.get("levers");
  const options = { x: [0, rounds()], y: [levers + 0.5, 0.5], up: upTo(levers), ...SIZE }; // the first is on top
  const pulled = plot(ui, "pulled", options);
  const best = pulled.path({ fill: "var(--faint)", "fill-opacity": 0.35 });
  const times = [score, pulled].map((panel) => timeline(ui, panel, rounds));
  const curves = each(names, (name) => times[0].curve(looks[name]));
  const lanes = each(names, (name) => times[1].curve({ stroke: looks[name].stroke, "stroke-width": 4 }));
  const hollow = times[1].curve({ stroke: "var(--paper)", "stroke-width": 1.6 });

  function showScore(games, reach, last, isOpen) {
    const value = ({ wins, regret }) => (isOpen ? (n) => regret[n] : (n) => (n ? (100 * wins[n]) / n : NaN));
    const most = Math.max(1, ...Object.values(games).map((game) => game.regret[game.played(last)]));
    score.set({ x: [0, reach], y: [0, isOpen ? 1.06 * most : 100], title: isOpen ? titles.regret : titles.wins });
    write(label, isOpen ? titles.missed : titles.share);
    for (const name of names) curves[name].set(games[name] ? thinned(score, 0, games[name].played(last), value(games[name])) : []);
  }

  function showPulls(games, reach, last, ofBest, count) {
    options.up = upTo(count);
    pulled.set({ x: [0, reach], y: [count + 0.5, 0.5] });
    const box = ([lever, from, to]) => line([[from, lever + 0.55], [to, lever + 0.55], [to, lever + 1.45], [from, lever + 1.45]], pulled) + "Z";
    put(best, { d: ofBest ? stretches(ofBest, last).map(box).join("") : "" });
    names.forEach((name, i) => {
      const runs = games[name] ? stretches(games[name].levers, games[name].played(last)) : [];
      const lane = (lever) => lever + 1 + beside(i, names.length, ui.facts.lane);
      const points = runs.flatMap(([lever, from, to]) => [[from, lane(lever)], [to, lane(lever)], [NaN, NaN]]);
      lanes[name].set(points);
      if (name === ui.facts.hollow) hollow.set(points);
    });
  }

  return {
    score,
    pulled,
    show(machine, games, now, isOpen) {
      const last = isOpen ? rounds() : now; // what is to come would tell
      const reach = isOpen ? last : Math.min(rounds(), ...ui.facts.reaches.filter((some) => some >= now));
      showScore(games, reach, last, isOpen);
      showPulls(games, reach, last, isOpen ? machine.odds.map((row) => row.indexOf(Math.max(...row))) : null, machine.odds[0].length);
      for (const time of times) time.draw();
    },
  };
}

/** The levers as buttons, with what they have paid to you; keys with their numbers pull them, too. */
function leverButtons(ui, box, pull) {
  const all = upTo(Math.max(...ui.about("levers").options.map(([levers]) => levers))).map((lever) => {
    const element = button(ui, { name: `lever-${lever}`, label: fill(ui.facts.words.lever, { lever }), action: () => pull(lever), parent: box });
    element.classList.add("bflo-lever");
    return [element, tag(element, "span")];
  });
  ui.listen(ui.root, "keydown", (event) => {
    const isTyping = event.target.closest("select, [type=number], [type=text]");
    if (isTyping || event.repeat || event.ctrlKey || event.metaKey || event.altKey || !/^[1-9]$/.test(event.key)) return;
    event.preventDefault();
    pull(Number(event.key));
  });
  return (tally, last, isOver) => {
    all.forEach(([element, text], i) => {
      element.hidden = i >= tally.length;
      element.disabled = isOver;
      put(element, { "aria-current": i === last ? "true" : undefined });
      write(text, i < tally.length ? fill(ui.facts.words.record, tally[i]) : "");
    });
  };
}

/** How often a player has pulled each lever. */
const counts = (game, round) => game.tally(round).map(({ pulled }) => pulled);

/** The numbers of a player after a round, in the order of the columns. */
function numbersOf(game, round, isOpen) {
  const played = game.played(round);
  const share = played ? format((100 * game.wins[played]) / played, 1) : "–";
  return [played, game.wins[played], share, isOpen ? format(game.regret[played], 1) : "?", counts(game, round).join(" / ")];
}

export default {
  render(view) {
    const ui = mount(view, "bandit");
    const { model, facts } = ui;
    const { words, you } = facts;
    const names = [you, ...facts.players];
    const looks = each(names, (name, i) => ({
      stroke: `var(--${facts.colors[name]})`,
      "stroke-dasharray": DASHES[i],
      "stroke-width": WIDTHS[i],
    }));
    const length = () => model.get("rounds");
    const now = () => Math.min(model.get("round"), length());

    const startOver = (settings = {}) => {
      player.stop();
      ui.set({ pulls: "", round: 0, ...settings });
    };
    const machineBox = group(ui, words.machine);
    for (const control of controls(ui, ["levers", "odds", "drift", "rounds"], machineBox)) {
      for (const type of ["input", "change"]) ui.listen(control, type, () => startOver()); // it is another machine
    }
    machineBox.append(seeds(ui, { use: (seed) => startOver({ seed }) }));
    controls(ui, ["eta", "std", "floor", "epsilon"], group(ui, words.players));
    const player = play(ui, { length });

    const box = group(ui, words.game);
    const showLevers = leverButtons(ui, box, (lever) => {
      const pulls = model.get("pulls");
      if (lever > model.get("levers") || pulls.length >= length()) return;
      player.stop();
      const kept = pulls.slice(0, now()); // from an earlier round the game goes on otherwise
      ui.set({ pulls: `${kept}${lever}`, round: kept.length + 1 });
    });
    const news = tag(box, "p", { class: "bflo-news" });
    const row = tag(box, "div", { class: "bflo-row" });
    const [typed] = controls(ui, ["pulls", "show"], row);
    ui.listen(typed, "change", () => ui.set({ round: Math.min(model.get("pulls").length, length()) }));
    button(ui, { name: "clear", label: words.again, title: words.cleared, action: () => startOver(), parent: row });

    const belief = beliefPanel(ui, looks, names);
    const { score, pulled, show } = curvePanels(ui, looks, names, player.rounds);
    const sample = (name, i) => (g) => {
      svg(g, "path", { d: "M-14 0H14", ...looks[name] });
      svg(g, "path", { d: MARKS[i], ...markOf(ui, looks, name) });
    };
    key(ui.readout, [
      ...names.map((name, i) => [name, sample(name, i)]),
      [words.truth, (g) => svg(g, "path", { d: "M-13 0H13", stroke: "var(--faint)", "stroke-width": 7 })],
    ]);
    const sentence = tag(ui.readout, "p");
    const showNumbers = table(ui, words.columns, names, looks);
    const note = tag(ui.readout, "p", { class: "bflo-help" });

    const machineOf = remembered(
      ui,
      ["seed", "levers", "odds", "drift", "rounds", "eta", "std", "floor", "epsilon"],
      (settings) => new Levers(settings, facts),
    );
    ui.onDraw(() => {
      const [machine, round] = [machineOf(), now()];
      const yours = machine.replayed(model.get("pulls"));
      const games = { ...(yours.levers.length ? { [you]: yours } : {}), ...machine.games };
      const isOver = yours.levers.length >= length();
      const isOpen = model.get("show") || isOver || round >= length();
      const odds = isOpen ? machine.odds[Math.max(0, round - 1)] : null;
      const share = ({ pulled: count, paid }) => [NaN, count ? paid / count : NaN, NaN];
      const told = new Map(facts.players.map((name) => [name, believed(machine.games[name], round)]));
      const tally = yours.tally(round);
      belief.show(told.set(you, tally.map(share)), odds);
      show(machine, games, round, isOpen);
      showLevers(tally, round <= yours.levers.length ? yours.levers[round - 1] : undefined, isOver);
      for (const name of names) showNumbers(name, games[name] && numbersOf(games[name], round, isOpen));

      const yourNews = newsOf(machine, yours, round, words);
      const compared = comparison(games, round, isOpen, words);
      const best = odds ? fill(words.best, { lever: odds.indexOf(Math.max(...odds)) + 1, odds: format(100 * Math.max(...odds), 0) }) : "";
      write(news, yourNews);
      write(sentence, `${compared} ${best}`.trim());
      write(note, isOpen ? words.measured[model.get("drift")] : words.hidden);
      const percent = (share) => (Number.isFinite(share) ? `${format(100 * share, 0)} %` : "–");
      const ofAll = (tell) => Object.keys(games).map((name) => `${name} ${tell(name).join(", ")}`).join("; ");
      belief.set({ alt: `${belief.title}: ${ofAll((name) => told.get(name).map(([, middle]) => percent(middle)))}.` });
      score.set({ alt: `${isOpen ? facts.titles.regret : facts.titles.wins}. ${compared}` });
      pulled.set({ alt: `${pulled.title}: ${ofAll((name) => counts(games[name], round))}.` });
      ui.tell(`${yourNews} ${compared} ${best}`.trim());
    });
    return ui.dispose;
  },
};
