// What all explorers share: a frame on the page, labelled native controls, and a player.
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

/** Put an explorer on the page: the parts of it and the verbs of it come back. `model` is the one it was given. */
export function mount({ model: given, el }, name) {
  const { title, help, facts, controls: known } = given.get("_about");
  const gone = new AbortController();
  const drawers = [];
  const watched = new Set();
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
  const model = sensible(given, known, (text) => (mended.textContent = text));
  const ui = {
    model,
    root,
    controls,
    panels,
    readout,
    name,
    live: !model.saved,
    /** What the trait says of its control: kind, label, low, high, step, digits, unit, help, options, default. */
    about: (one) => known[one],
    facts,
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
        watched.add(one);
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
    const shown = [...watched].filter((key) => !key.startsWith("_")).map((key) => [key, model.get(key)]);
    root.dataset.state = JSON.stringify(Object.fromEntries(shown));
  });

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
    saved: given.saved,
    alone: given.alone,
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

/** A range input for a trait, or for one component of it; `usual()` is what a trait without a value stands for. */
export function slider(ui, { name, index, usual, parent = ui.controls }) {
  const { label, low, high, step, digits, unit, help } = ui.about(name);
  const read = () => (index === undefined ? (ui.model.get(name) ?? usual?.()) : ui.model.get(name)[index]);
  const { box, control } = field(parent, "slider", index === undefined ? label : label[index], help, (at, id) =>
    tag(at, "input", { id, type: "range", name: index === undefined ? name : `${name}.${index}`, min: low, max: high, step }),
  );
  const output = tag(box, "output", { for: control.id, "aria-live": "off" }); // the slider itself tells its value
  const show = () => {
    // Python may set what lies between the steps: then it is not rounded away.
    const exact = Math.abs(Number(read().toFixed(digits)) - read()) < 1e-9;
    const text = (exact ? format(read(), digits) : String(+read().toPrecision(4)).replace("-", "−")) + (unit && ` ${unit}`);
    if (Number(control.value) !== read()) control.value = read();
    output.textContent = text;
    control.setAttribute("aria-valuetext", text);
  };
  ui.listen(control, "input", () => {
    const value = Number(control.value);
    ui.set({ [name]: index === undefined ? value : ui.model.get(name).map((other, i) => (i === index ? value : other)) });
  });
  ui.watch([name]);
  ui.onDraw(show);
  show();
  return control;
}

/** A select for a trait. */
export function choice(ui, { name, parent = ui.controls }) {
  const { label, options, help } = ui.about(name);
  const { control } = field(parent, "choice", label, help, (at, id) => tag(at, "select", { id, name }));
  options.forEach(([, text], i) => tag(control, "option", { value: i }, text));
  const show = () => (control.selectedIndex = options.findIndex(([value]) => value === ui.model.get(name)));
  ui.listen(control, "change", () => ui.set({ [name]: options[control.selectedIndex][0] }));
  ui.watch([name]);
  ui.onDraw(show);
  show();
  return control;
}

/** A checkbox for a trait. */
export function flag(ui, { name, parent = ui.controls }) {
  const { label, help } = ui.about(name);
  return checkbox(ui, name, name, label, help, parent, {
    read: () => ui.model.get(name),
    write: (on) => on,
  });
}

/** A group of checkboxes for a trait that is a list of names: one for each that it may have. */
export function flags(ui, { name, parent = ui.controls }) {
  const { label, options, help } = ui.about(name);
  const box = group(ui, label, parent);
  box.title = help;
  for (const [member, text] of options) {
    checkbox(ui, name, `${name}.${member}`, text, "", box, {
      read: () => ui.model.get(name).includes(member),
      write: (on) => [...ui.model.get(name).filter((other) => other !== member), ...(on ? [member] : [])],
    });
  }
  return box;
}

function checkbox(ui, trait, name, label, help, parent, { read, write }) {
  const { control } = field(parent, "flag", label, help, (at, id) => tag(at, "input", { id, type: "checkbox", name }));
  const show = () => (control.checked = read());
  ui.listen(control, "change", () => ui.set({ [trait]: write(control.checked) }));
  ui.watch([trait]);
  ui.onDraw(show);
  show();
  return control;
}

/** A field to type a seed into, and a button for the next one. `use` is told the seed. */
export function seeds(ui, { name = "seed", title = "Other random numbers", use = (seed) => ui.set({ [name]: seed }) } = {}) {
  const known = ui.about(name);
  const box = group(ui, known.label);
  const control = tag(box, "input", {
    type: "number", name, min: known.low, max: known.high, step: 1, title: known.help, "aria-label": known.label,
  });
  const show = () => {
    if (document.activeElement !== control) control.value = ui.model.get(name);
  };
  ui.listen(control, "change", () => {
    use(control.value === "" ? ui.model.get(name) : nearest(known, control.value));
    control.value = ui.model.get(name);
  });
  const next = () => use(ui.model.get(name) < known.high ? ui.model.get(name) + 1 : known.low);
  button(ui, { name: "new-seed", label: `New ${known.label.toLowerCase()}`, title, action: next, parent: box });
  ui.watch([name]);
  ui.onDraw(show);
  show();
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

/** Play, step and scrub through the rounds of a trait. `rounds` are shown; with `extend` it goes on beyond them. */
export function play(ui, { rounds, extend = null, round = "round", speed = "speed", parent = ui.controls }) {
  const box = group(ui, "Rounds", parent);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let running = 0;
  let before = 0;
  let owed = 0;
  const last = () => (extend ? ui.about(round).high : rounds());
  const go = (to) => {
    const target = Math.max(0, Math.min(last(), to));
    if (target > rounds()) extend(target);
    if (target !== ui.model.get(round)) ui.set({ [round]: target });
  };
  const stop = () => {
    cancelAnimationFrame(running);
    running = 0;
    toggle.textContent = "Play";
  };
  const tick = (now) => {
    // Where motion is unwelcome the picture changes once a second, by as much.
    const due = still.matches ? now - before >= 1000 : true;
    if (due) {
      owed += (ui.model.get(speed) * Math.min(1000, now - before)) / 1000;
      before = now;
      const whole = Math.floor(owed);
      owed -= whole;
      if (whole) go(ui.model.get(round) + whole);
    }
    if (ui.model.get(round) >= last()) stop();
    else running = requestAnimationFrame(tick);
  };
  const start = () => {
    if (ui.model.get(round) >= last()) go(0);
    before = performance.now();
    owed = 0;
    toggle.textContent = "Pause";
    running = requestAnimationFrame(tick);
  };
  const swap = () => (running ? stop() : start());
  const hold = (by) => () => {
    if (running) stop();
    go(by(ui.model.get(round)));
  };
  button(ui, { name: "restart", label: "Restart", title: "Back to round 0", action: hold(() => 0), parent: box });
  button(ui, { name: "back", label: "Back", title: "One round back", action: hold((at) => at - 1), parent: box });
  const toggle = button(ui, { name: "play", label: "Play", title: "Play or pause (Space, on a slider)", action: swap, parent: box });
  button(ui, { name: "step", label: "Step", title: "One round on", action: hold((at) => at + 1), parent: box });
  const scrub = slider(ui, { name: round, parent: box });
  ui.onDraw(() => Object.assign(scrub, { max: rounds(), value: ui.model.get(round) }));
  slider(ui, { name: speed, parent: box });
  ui.listen(ui.root, "keydown", (event) => {
    // A button, a box and a list have a use of their own for the space bar.
    if (event.key !== " " || event.target.closest("button, select, input[type=checkbox]")) return;
    event.preventDefault();
    if (!event.repeat) swap();
  });
  ui.signal.addEventListener("abort", stop);
  return { stop };
}
