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
export function mount({ model: given, el }, name) {
  const { title, help, facts, panels: titles, controls: known } = given.get("_about");
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
  tag(root, given.alone ? "h1" : "p", { class: "bflo-title" }, title);
  if (help) tag(root, "p", { class: "bflo-help" }, help);
  const alert = tag(root, "div", { class: "bflo-alert", role: "alert" });
  const mended = tag(root, "div", { class: "bflo-mended", role: "status" });
  const controls = tag(root, "div", { class: "bflo-controls" });
  const panels = tag(root, "div", { class: "bflo-panels" });
  const readout = tag(root, "div", { class: "bflo-readout" });
  const voice = tag(root, "div", { class: "bflo-live", role: "status", "aria-live": "polite" });

  let asked = 0;
  let painted = 0;
  let settling = 0;
  let failed = false;
  let told;
  const model = sensible(given, known, (text) => (mended.textContent = text));
  const ui = {
    model,
    root,
    controls,
    panels,
    readout,
    facts,
    titles,
    /** What the trait says of its control: kind, label, low, high, step, digits, unit, help, options, default. */
    about: (one) => known[one],
    /** The values of these traits, or of all. */
    state: (names = Object.keys(known)) => Object.fromEntries(names.map((one) => [one, model.get(one)])),
    signal: gone.signal,
    listen(target, type, action, options = {}) {
      target.addEventListener(type, guarded(action), { ...options, signal: gone.signal });
    },
    watch(names, action) {
      for (const one of names) {
        const changed = guarded(() => {
          action?.();
          ui.redraw();
        });
        model.on(`change:${one}`, changed);
        gone.signal.addEventListener("abort", () => model.off(`change:${one}`, changed));
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
    say(text) {
      clearTimeout(settling);
      settling = setTimeout(() => (voice.textContent = text), 250);
    },
    /** Announce words that are others than the last ones; the first are read anyway. */
    tell(text) {
      if (told !== undefined && told !== text) ui.say(text);
      told = text;
    },
    fail(error) {
      console.error(error);
      failed = true;
      alert.textContent = error?.message ?? String(error);
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
        return ui.fail(error);
      }
    };
  }
  const paint = guarded(() => {
    asked = 0;
    for (const draw of drawers) draw();
    if (failed) alert.textContent = model.get("_problem") ?? ""; // this time it went well
    failed = false;
    painted += 1;
    root.dataset.painted = painted;
    root.dataset.state = JSON.stringify(ui.state());
  });

  ui.watch(Object.keys(known));
  ui.watch(["_problem"], () => (alert.textContent = model.get("_problem") ?? ""));
  alert.textContent = model.get("_problem") ?? "";
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
  const { kind, low, high, options, default: first } = known;
  const clamp = (x, other) => {
    const number = typeof x === "number" || (typeof x === "string" && x.trim()) ? Number(x) : NaN;
    return Number.isNaN(number) ? other : Math.max(low, Math.min(high, number));
  };
  if (kind === "number") return clamp(value, first);
  if (kind === "whole") return Math.round(clamp(value, first));
  if (kind === "point") return Array.isArray(value) && value.length === 2 ? value.map((x, i) => clamp(x, first[i])) : first;
  if (kind === "flag") return typeof value === "boolean" ? value : first;
  const values = options.map(([option]) => option);
  if (kind === "subset") return Array.isArray(value) ? values.filter((option) => value.includes(option)) : first;
  return values.includes(value) ? value : first;
}

/** A model whose values can all be shown, whatever a page was saved with or linked to; what was mended is told. */
function sensible(given, known, tell) {
  const wrong = new Map();
  const note = (name, value, used) => {
    const text = value === undefined ? "no value" : String(JSON.stringify(value) ?? value).slice(0, 40);
    wrong.set(name, `${[known[name].label].flat().join(", ")} was ${text} and is taken as ${JSON.stringify(used)}`);
    tellAll();
  };
  const tellAll = () => tell(wrong.size ? `Not every value can be shown: ${[...wrong.values()].join("; ")}.` : "");
  return {
    get(name) {
      const value = given.get(name);
      if (!known[name]) return value;
      const used = nearest(known[name], value);
      if (used !== value && JSON.stringify(used) !== JSON.stringify(value)) note(name, value, used);
      else if (wrong.delete(name)) tellAll();
      return used;
    },
    set: (name, value) => given.set(name, value),
    save_changes: () => given.save_changes(),
    on: (name, action) => given.on(name, action),
    off: (name, action) => given.off(name, action),
  };
}

/** What is made of some traits: made anew when one of them has changed. */
export function remembered(ui, names, make) {
  let [made, key] = [null, ""];
  return () => {
    const now = ui.state(names);
    const before = key;
    key = JSON.stringify(now);
    if (key !== before) made = make(now);
    return made;
  };
}

let labelled = 0;

/** A label beside its control, which it names, with what the trait says in help of it. */
function field(parent, kind, text, help, make) {
  const box = tag(parent, "div", { class: `bflo-field bflo-${kind}`, title: help });
  const id = `bflo-${Math.random().toString(36).slice(2)}-${(labelled += 1)}`;
  const label = document.createElement("label");
  label.htmlFor = id;
  label.textContent = text;
  const control = make(box, id);
  if (help) control.setAttribute("aria-description", help);
  if (kind === "flag") box.append(label);
  else box.prepend(label);
  return { box, control };
}

/** The controls of some traits, by what their traits say. */
export function controls(ui, names, parent = ui.controls) {
  const kinds = { number: slider, whole: slider, choice, flag, subset: flags };
  return names.map((name) => kinds[ui.about(name).kind](ui, { name, parent }));
}

/** A range input for a trait, or for one component of it; `usual()` is what a trait without a value stands for. */
export function slider(ui, { name, index, usual, parent = ui.controls }) {
  const { label, low, high, step, digits, unit, help } = ui.about(name);
  const read = () => (index === undefined ? (ui.model.get(name) ?? usual?.()) : ui.model.get(name)[index]);
  const { box, control } = field(parent, "slider", index === undefined ? label : label[index], help, (at, id) =>
    tag(at, "input", { id, type: "range", name: index === undefined ? name : `${name}.${index}`, min: low, max: high, step }),
  );
  const output = tag(box, "output", { for: control.id, "aria-live": "off" }); // the slider itself tells its value
  ui.onDraw(() => {
    // Python may set what lies between the steps: then it is not rounded away.
    const exact = Math.abs(Number(read().toFixed(digits)) - read()) < 1e-9;
    const text = (exact ? format(read(), digits) : String(+read().toPrecision(4)).replace("-", "−")) + (unit && ` ${unit}`);
    if (Number(control.value) !== read()) control.value = read();
    output.textContent = text;
    control.setAttribute("aria-valuetext", text);
  });
  ui.listen(control, "input", () => {
    const value = Number(control.value);
    ui.set({ [name]: index === undefined ? value : ui.model.get(name).map((other, i) => (i === index ? value : other)) });
  });
  return control;
}

/** A select for a trait. */
export function choice(ui, { name, parent = ui.controls }) {
  const { label, options, help } = ui.about(name);
  const { control } = field(parent, "choice", label, help, (at, id) => tag(at, "select", { id, name }));
  options.forEach(([, text], i) => tag(control, "option", { value: i }, text));
  ui.listen(control, "change", () => ui.set({ [name]: options[control.selectedIndex][0] }));
  ui.onDraw(() => (control.selectedIndex = options.findIndex(([value]) => value === ui.model.get(name))));
  return control;
}

/** A checkbox for a trait. */
export function flag(ui, { name, parent = ui.controls }) {
  const { label, help } = ui.about(name);
  return checkbox(ui, { trait: name, name, label, help, parent, read: () => ui.model.get(name), write: (on) => on });
}

/** A group of checkboxes for a trait that is a list of names: one for each that it may have. */
export function flags(ui, { name, parent = ui.controls }) {
  const { label, options, help } = ui.about(name);
  const box = group(ui, label, parent);
  box.title = help;
  for (const [member, text] of options) {
    checkbox(ui, {
      trait: name,
      name: `${name}.${member}`,
      label: text,
      parent: box,
      read: () => ui.model.get(name).includes(member),
      write: (on) => [...ui.model.get(name).filter((other) => other !== member), ...(on ? [member] : [])],
    });
  }
  return box;
}

function checkbox(ui, { trait, name, label, help = "", parent, read, write }) {
  const { control } = field(parent, "flag", label, help, (at, id) => tag(at, "input", { id, type: "checkbox", name }));
  ui.listen(control, "change", () => ui.set({ [trait]: write(control.checked) }));
  ui.onDraw(() => (control.checked = read()));
  return control;
}

/** A field to type a seed into, and a button for the next one. `use` is told the seed. */
export function seeds(ui, { use = (seed) => ui.set({ seed }) } = {}) {
  const known = ui.about("seed");
  const box = group(ui, known.label);
  const control = tag(box, "input", {
    type: "number", name: "seed", min: known.low, max: known.high, step: 1, title: known.help, "aria-label": known.label,
  });
  ui.listen(control, "change", () => {
    use(control.value === "" ? ui.model.get("seed") : nearest(known, control.value));
    control.value = ui.model.get("seed");
  });
  const next = () => use(ui.model.get("seed") < known.high ? ui.model.get("seed") + 1 : known.low);
  button(ui, { name: "new-seed", label: "New seed", title: "Other random numbers", action: next, parent: box });
  ui.onDraw(() => {
    if (document.activeElement !== control) control.value = ui.model.get("seed");
  });
  return box;
}

/** A button. */
export function button(ui, { name, label, title = "", action, parent = ui.controls }) {
  const element = tag(parent, "button", { type: "button", name, class: "bflo-button" }, label);
  if (title) element.title = title;
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
 * Play, step and scrub through rounds, as long as one likes: what is shown doubles when a round lies beyond. Returns
 * { rounds, stop }: how many rounds are shown, and how to pause.
 */
export function play(ui) {
  const box = group(ui, "Rounds");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const last = ui.about("round").high;
  const now = () => ui.model.get("round");
  let end = ui.facts.rounds;
  let running = 0;
  let before = 0;
  let owed = 0;
  const rounds = () => {
    while (end < now()) end = Math.min(2 * end, last);
    return end;
  };
  const go = (to) => {
    const target = Math.max(0, Math.min(last, to));
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
      go(now() + Math.floor(owed));
      owed -= Math.floor(owed);
    }
    if (now() >= last) stop();
    else running = requestAnimationFrame(tick);
  };
  const swap = () => {
    if (running) return stop();
    if (now() >= last) go(0);
    before = performance.now();
    owed = 0;
    toggle.textContent = "Pause";
    running = requestAnimationFrame(tick);
  };
  const press = (name, label, title, to) => {
    const action = () => {
      if (running) stop();
      go(to());
    };
    return button(ui, { name, label, title, action, parent: box });
  };
  press("restart", "Restart", "Back to round 0", () => 0);
  press("back", "Back", "One round back", () => now() - 1);
  const toggle = button(ui, { name: "play", label: "Play", title: "Play or pause (Space, on a slider)", action: swap, parent: box });
  press("step", "Step", "One round on", () => now() + 1);
  const scrub = slider(ui, { name: "round", parent: box });
  ui.onDraw(() => Object.assign(scrub, { max: rounds(), value: now() }));
  slider(ui, { name: "speed", parent: box });
  ui.listen(ui.root, "keydown", (event) => {
    // A button, a box and a list have a use of their own for the space bar.
    if (event.key !== " " || event.target.closest("button, select, input[type=checkbox]")) return;
    event.preventDefault();
    if (!event.repeat) swap();
  });
  ui.signal.addEventListener("abort", stop);
  return { rounds, stop };
}
