// What all explorers share: a frame on the page, labelled native controls, a player.
// Everything that listens is told to stop when the view goes, through one signal.

/** Make an HTML element inside of a parent. */
export function tag(parent, name, attributes = {}, text = "") {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text) element.textContent = text;
  parent?.append(element);
  return element;
}

/** An id that no other element of the page has. */
export const uniqueId = () => `bflo-${Math.random().toString(36).slice(2)}`;

/** A sentence with its blanks filled in: "{mean}" by the value of mean. */
export function fill(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (blank, name) => values[name] ?? blank);
}

/** Write a number with a real minus sign, and no minus before a zero. */
export function format(x, digits = 2) {
  if (!Number.isFinite(x)) return x > 0 ? "∞" : x < 0 ? "−∞" : "–";
  const text = Number(x).toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

/** Change words only if they are others: the page is laid out anew for each change. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Put an explorer on the page: the parts of it and the verbs of it come back. It is drawn again whenever a trait changes. */
export function mount({ model, el }, name) {
  const { title, help, facts, panels: titles, controls: known } = model.get("_about");
  const gone = new AbortController();
  const drawers = [];
  const here = tag(el, "div", { class: "bflo-here" }); // what is inside can ask how wide it is
  // In slides every section is taken for a slide.
  const root = tag(here, el.closest(".slides") ? "div" : "section", {
    class: "bflo",
    role: "region",
    "data-explorer": name,
    "aria-label": title,
    "data-lm-suppress-shortcuts": "true", // JupyterLab takes keys before anyone else, unless it sees this
  });
  // In a page of its own the title is the heading; in a notebook, headings are the notebook's.
  tag(root, model.alone ? "h1" : "p", { class: "bflo-title" }, title);
  if (help) tag(root, "p", { class: "bflo-help" }, help);
  const alert = tag(root, "div", { class: "bflo-alert", role: "alert" });
  const replaced = tag(root, "div", { class: "bflo-replaced", role: "status" });
  const [controls, panels, readout] = ["controls", "panels", "readout"].map((part) => tag(root, "div", { class: `bflo-${part}` }));
  const voice = tag(root, "div", { class: "bflo-live", role: "status", "aria-live": "polite" });

  let asked = 0;
  let painted = 0;
  let settling = 0;
  let failure = "";
  let told;
  // Whatever a page was saved with or linked to, its values can all be shown.
  const get = (trait) => (known[trait] ? nearest(known[trait], model.get(trait)) : model.get(trait));
  const ui = {
    model: { get },
    root,
    controls,
    panels,
    readout,
    facts,
    titles,
    signal: gone.signal,
    moved: null, // words for where a point was moved to since the last frame
    /** What the trait says of its control: kind, label, low, high, step, digits, unit, help, options, default. */
    about: (trait) => known[trait],
    /** The values of these traits, or of all. */
    state: (names = Object.keys(known)) => Object.fromEntries(names.map((trait) => [trait, get(trait)])),
    listen(target, type, action, options = {}) {
      target.addEventListener(type, guarded(action), { ...options, signal: gone.signal });
    },
    watch(names, action) {
      for (const trait of names) {
        const changed = guarded(() => {
          action?.();
          ui.redraw();
        });
        model.on(`change:${trait}`, changed);
        gone.signal.addEventListener("abort", () => model.off(`change:${trait}`, changed));
      }
    },
    set(values) {
      for (const [key, value] of Object.entries(values)) model.set(key, value);
      model.save_changes();
    },
    onDraw: (draw) => drawers.push(draw),
    redraw() {
      asked ||= requestAnimationFrame(paint);
    },
    /** Announce where a point was moved to, and words that are others than the last ones; the first are read anyway. */
    tell(text) {
      const words = `${ui.moved?.() ?? ""}${text}`;
      if (told !== undefined && (ui.moved || told !== text)) {
        clearTimeout(settling);
        settling = setTimeout(() => (voice.textContent = words), 250);
      }
      [told, ui.moved] = [text, null];
    },
    dispose() {
      gone.abort();
      cancelAnimationFrame(asked);
      clearTimeout(settling);
      here.remove();
    },
  };

  function guarded(action) {
    return (...args) => {
      try {
        return action(...args);
      } catch (error) {
        console.error(error);
        failure = error?.message ?? String(error);
        return warn();
      }
    };
  }
  const warn = () => write(alert, failure || (model.get("_problem") ?? ""));
  const paint = guarded(() => {
    asked = 0;
    for (const draw of drawers) draw();
    failure = ""; // this time it went well
    warn();
    const state = ui.state();
    write(replaced, replacements(known, state, model));
    painted += 1;
    Object.assign(root.dataset, { painted, state: JSON.stringify(state) });
  });

  ui.watch([...Object.keys(known), "_problem"]);
  // Keys end here: a slide must not turn, a notebook must not lose a cell.
  for (const type of ["keydown", "keyup", "keypress"]) ui.listen(root, type, (event) => event.stopPropagation());
  ui.redraw();
  return ui;
}

/**
 * The value that a control can have which is nearest to this one; its first value where nothing is near. `known` is what
 * the trait says of itself.
 */
export function nearest(known, value) {
  const { kind, low, high, options, pattern, default: first } = known;
  const clamp = (x, other) => {
    const number = typeof x === "number" || (typeof x === "string" && x.trim()) ? Number(x) : NaN;
    return Number.isNaN(number) ? other : Math.max(low, Math.min(high, number));
  };
  if (kind === "number") return clamp(value, first);
  if (kind === "whole") return Math.round(clamp(value, first));
  if (kind === "point") return Array.isArray(value) && value.length === 2 ? value.map((x, i) => clamp(x, first[i])) : first;
  if (kind === "text") return typeof value === "string" && new RegExp(`^(?:${pattern})$`).test(value) ? value : first;
  if (kind === "flag") return typeof value === "boolean" ? value : first;
  if (kind === "digits") return typeof value === "string" ? [...value].filter((digit) => known.symbols.includes(digit)).slice(0, known.most).join("") : first;
  if (kind === "layers" || kind === "marks") {
    if (!Array.isArray(value)) return first;
    const some = value.slice(0, known.most);
    if (kind === "layers") return some.map((units) => Math.round(clamp(units, 0))).filter(Boolean);
    const isMark = (mark) => Array.isArray(mark) && mark.length === 3 && mark.every(Number.isFinite) && [0, 1].includes(mark[2]);
    return some.filter(isMark).map(([x, y, label]) => [clamp(x, 0), clamp(y, 0), label]);
  }
  const values = options.map(([option]) => option);
  if (kind === "subset") return Array.isArray(value) ? values.filter((option) => value.includes(option)) : first;
  return values.includes(value) ? value : first;
}

/** Whether a value that is shown is the one that was given; of a list of names, in whatever order. */
export function isShown({ kind }, given, used) {
  if (kind === "subset" && Array.isArray(given)) return given.every((one) => used.includes(one)) && used.every((one) => given.includes(one));
  return JSON.stringify(given) === JSON.stringify(used);
}

/** One sentence for the values of a model that cannot be shown, and for what is shown instead. */
function replacements(known, state, model) {
  const words = Object.entries(state).flatMap(([name, used]) => {
    if (isShown(known[name], model.get(name), used)) return [];
    const [given, shown] = [JSON.stringify(model.get(name)), JSON.stringify(used)];
    return [`${[known[name].label].flat().join(", ")} was ${(given ?? "no value").slice(0, 40)} and is taken as ${shown}`];
  });
  return words.length ? `Not every value can be shown: ${words.join("; ")}.` : "";
}

/** What is made of some traits: made anew when one of them has changed. */
export function remembered(ui, names, make) {
  let [made, key] = [null, ""];
  return () => {
    const [now, before] = [ui.state(names), key];
    key = JSON.stringify(now);
    if (key !== before) made = make(now);
    return made;
  };
}

/** A control beside its label, with what its trait says in help of it. */
function field(parent, kind, label, help, element, attributes) {
  const box = tag(parent, "div", { class: `bflo-field bflo-${kind}`, title: help });
  const control = tag(box, element, { id: uniqueId(), ...attributes });
  if (help) control.setAttribute("aria-description", help);
  const words = tag(null, "label", { for: control.id }, label);
  if (kind === "flag") control.after(words);
  else control.before(words);
  return control;
}

/** The controls of some traits, by what their traits say. */
export function controls(ui, names, parent = ui.controls) {
  const kinds = { number: slider, whole: slider, choice, flag, subset: flags, digits: typed, layers };
  return names.map((name) => kinds[ui.about(name).kind](ui, { name, parent }));
}

/** A range input for a trait, or for one component of it; `usual()` is what a trait without a value stands for. */
export function slider(ui, { name, index, usual, parent = ui.controls }) {
  const { label, low: min, high: max, step, digits, unit, help } = ui.about(name);
  const isPart = index !== undefined;
  const read = () => (isPart ? (ui.model.get(name)[index] ?? 0) : (ui.model.get(name) ?? usual()));
  const attributes = { type: "range", name: isPart ? `${name}.${index}` : name, min, max, step };
  const control = field(parent, "slider", isPart ? label[index] : label, help, "input", attributes);
  const output = tag(control.parentNode, "output", { for: control.id, "aria-live": "off" }); // the slider itself tells its value
  ui.onDraw(() => {
    // Python may set what lies between the steps: then it is not rounded away.
    const isExact = Math.abs(Number(read().toFixed(digits)) - read()) < 1e-9;
    const text = (isExact ? format(read(), digits) : String(+read().toPrecision(4)).replace("-", "−")) + (unit && ` ${unit}`);
    if (Number(control.value) !== read()) control.value = read();
    if (output.textContent === text) return;
    output.textContent = text;
    control.setAttribute("aria-valuetext", text);
  });
  ui.listen(control, "input", () => {
    const value = Number(control.value);
    if (!isPart) return ui.set({ [name]: value });
    const parts = [...ui.model.get(name)];
    parts[index] = value;
    return ui.set({ [name]: nearest(ui.about(name), [...parts]) });
  });
  return control;
}

/** A slider for the units of each layer: one without units is no layer. */
function layers(ui, { name, parent }) {
  const { most, legend } = ui.about(name);
  const box = group(ui, legend, parent);
  for (let index = 0; index < most; index += 1) slider(ui, { name, index, parent: box });
  return box;
}

/** A select for a trait. */
function choice(ui, { name, parent }) {
  const { label, options, help } = ui.about(name);
  const control = field(parent, "choice", label, help, "select", { name });
  for (const [, text] of options) tag(control, "option", {}, text);
  ui.listen(control, "change", () => ui.set({ [name]: options[control.selectedIndex][0] }));
  ui.onDraw(() => (control.selectedIndex = options.findIndex(([value]) => value === ui.model.get(name))));
  return control;
}

/** A checkbox for a trait. */
function flag(ui, { name, parent }) {
  const { label, help } = ui.about(name);
  const control = field(parent, "flag", label, help, "input", { type: "checkbox", name });
  ui.listen(control, "change", () => ui.set({ [name]: control.checked }));
  ui.onDraw(() => (control.checked = ui.model.get(name)));
  return control;
}

/** A field for a trait of digits, to copy them or to type others. */
function typed(ui, { name, parent }) {
  const { label, help } = ui.about(name);
  const control = field(parent, "typed", label, help, "input", { type: "text", name, inputmode: "numeric", autocomplete: "off" });
  let shown = ""; // what is being typed stays, until the trait has another value
  const show = () => (control.value = shown = ui.model.get(name));
  ui.listen(control, "change", () => {
    ui.set({ [name]: nearest(ui.about(name), control.value) });
    show();
  });
  ui.onDraw(() => shown !== ui.model.get(name) && show());
  return control;
}

/** A group of checkboxes for a trait that is a list of names: one for each that it may have. */
function flags(ui, { name, parent }) {
  const { label, options, help } = ui.about(name);
  const box = group(ui, label, parent);
  box.title = help;
  const members = options.map(([member, text]) => [member, field(box, "flag", text, "", "input", { type: "checkbox", name: `${name}.${member}` })]);
  for (const [member, control] of members) {
    ui.listen(control, "change", () => ui.set({ [name]: members.filter(([, other]) => other.checked).map(([other]) => other) }));
    ui.onDraw(() => (control.checked = ui.model.get(name).includes(member)));
  }
  return box;
}

/** A field to type a seed into, and a button for the next one, in a box that comes back. `use` is told the seed. */
export function seeds(ui, { use = (seed) => ui.set({ seed }) } = {}) {
  const known = ui.about("seed");
  const { label, help: title, low: min, high: max } = known;
  const box = group(ui, label);
  const control = tag(box, "input", { type: "number", name: "seed", min, max, step: 1, title, "aria-label": label });
  ui.listen(control, "change", () => {
    use(control.value === "" ? ui.model.get("seed") : nearest(known, control.value));
    control.value = ui.model.get("seed");
  });
  const next = () => use(ui.model.get("seed") < max ? ui.model.get("seed") + 1 : min);
  button(ui, { name: "new-seed", label: "New seed", title: "Other random numbers", action: next, parent: box });
  ui.onDraw(() => {
    if (document.activeElement !== control) control.value = ui.model.get("seed");
  });
  return box;
}

/** A button. */
export function button(ui, { name, label, title = "", action, parent = ui.controls }) {
  const element = tag(parent, "button", { type: "button", name, title, class: "bflo-button" }, label);
  ui.listen(element, "click", action);
  return element;
}

/** Controls that belong together, under one name. */
export function group(ui, label, parent = ui.controls) {
  const box = tag(parent, "fieldset", { class: "bflo-group" });
  tag(box, "legend", {}, label);
  return box;
}

/**
 * Play, step and scrub through rounds, as long as one likes: what is shown doubles when a round lies beyond. Where there
 * is a last one, `length()` says which. `reach` is told to which round to play, and says how far there was time to compute.
 * Returns { rounds, stop, isOn }: how many rounds are shown, how to pause, and whether it plays.
 */
export function play(ui, { length, reach = (round) => round } = {}) {
  const box = group(ui, "Rounds");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const last = length ?? (() => ui.about("round").high);
  const now = () => ui.model.get("round");
  let end = ui.facts.rounds;
  let [running, before, owed] = [0, 0, 0]; // the frame that is to come, the time of the last one, and parts of rounds
  const rounds = () => {
    while (end < now() && end < last()) end = Math.min(2 * end, last());
    return length?.() ?? end;
  };
  const go = (to) => {
    const target = Math.max(0, Math.min(last(), to));
    if (target !== now()) ui.set({ round: target });
  };
  const stop = () => {
    cancelAnimationFrame(running);
    running = 0;
    toggle.textContent = "Play";
  };
  const tick = (time) => {
    // Where motion is unwelcome the picture changes once a second, by as much.
    if (!still.matches || time - before >= 1000) {
      owed += (ui.model.get("speed") * Math.min(1000, time - before)) / 1000;
      before = time;
      const due = Math.max(0, Math.floor(owed)); // a frame may have begun before the button was pressed
      go(reach(Math.min(last(), now() + due)));
      owed -= due;
    }
    if (now() >= last()) stop();
    else running = requestAnimationFrame(tick);
  };
  const swap = () => {
    if (running) return stop();
    if (now() >= last()) go(0);
    [before, owed] = [performance.now(), 0];
    toggle.textContent = "Pause";
    running = requestAnimationFrame(tick);
  };
  const press = (name, label, title, to) => {
    const action = () => {
      stop();
      go(to());
    };
    button(ui, { name, label, title, action, parent: box });
  };
  press("restart", "Restart", "Back to round 0", () => 0);
  press("back", "Back", "One round back", () => now() - 1);
  const toggle = button(ui, { name: "play", label: "Play", title: "Play or pause (Space, on a slider)", action: swap, parent: box });
  press("step", "Step", "One round on", () => now() + 1);
  const [scrub] = controls(ui, ["round", "speed"], box);
  ui.onDraw(() => Object.assign(scrub, { max: rounds(), value: now() }));
  ui.listen(ui.root, "keydown", (event) => {
    // A button, a box and a list have a use of their own for the space bar.
    if (event.key !== " " || event.target.closest("button, select, input[type=checkbox]")) return;
    event.preventDefault();
    if (!event.repeat) swap();
  });
  ui.signal.addEventListener("abort", stop);
  return { rounds, stop, isOn: () => running !== 0 };
}
