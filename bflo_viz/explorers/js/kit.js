// What all explorers share: their frame, controls, presets, motion, playing, the theme of the host, and links.
//
// A view is `export default explorer("name", (ui) => (s) => words)`: the outer function builds panels and controls once,
// the inner one draws the state and returns one sentence. That sentence is the read-out, its live region and the alt text.
import { Panel, clamp, el, format, mix, svg, uniqueId, write } from "./marks.js";

export const STILL = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)") ?? { matches: false };
const ICONS = { play: "M1 0v12l11-6z", pause: "M1 0h4v12h-4zM7 0h4v12h-4z" };
const SAVE_EVERY = 200; // milliseconds between messages to Python while something plays

/** An anywidget with this view. `build(ui)` is called once for each place that shows it. */
export function explorer(name, build) {
  return { name, render: ({ model, el: place, signal }) => mount(name, build, model, place, signal) };
}

/** What a host cannot do (some models throw in `off` and `save_changes`) must not stop a view. */
function tried(action) {
  try {
    return action();
  } catch (problem) {
    return void console.debug("bflo: the host refused", problem);
  }
}

/** The nearest value that a trait can have; its first value where nothing is near. */
function fit({ kind, low, high, step, options, length, default: first }, value) {
  const number = (x, usual) => (typeof x !== "number" || Number.isNaN(x) ? usual : Number(clamp(x, low, high).toFixed(decimals(step))));
  if (value === null && first === null) return null;
  if (kind === "number") return number(value, first);
  const isList = Array.isArray(value) && (!length || value.length === length);
  if (kind === "numbers") return isList ? value.map((x) => (Array.isArray(x) ? x : number(x, 0))) : first;
  if (kind === "choice") return options.some(([option]) => option === value) ? value : first;
  if (kind === "several") return options.map(([option]) => option).filter((option) => Array.isArray(value) && value.includes(option));
  return typeof value === typeof first && Array.isArray(value) === Array.isArray(first) ? value : first;
}
export const decimals = (step) => (String(step).split(".")[1] ?? "").length;
const isSeed = (spec) => spec?.whole && spec.high - spec.low > 1e5; // it is typed, and nothing glides there
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b) || (typeof a === "number" && Math.abs(a - b) < 1e-6);

function mount(name, build, model, place, signal) {
  const { title, python, constants, controls: known } = model.get("_spec");
  const gone = new AbortController();
  const about = { class: "bflo", role: "region", "data-explorer": name, "aria-label": title };
  const root = el(place, place.closest?.(".slides") ? "div" : "section", about); // in slides every section is a slide
  const body = el(root, "div", { class: "bflo-body" });
  const head = el(body, "header", { class: "bflo-head" });
  el(head, "div", { class: "bflo-title" }, title);
  const chips = el(head, "div", { class: "bflo-chips", role: "group", "aria-label": "Try" });
  el(chips, "span", { "aria-hidden": "true" }, "Try");
  const sentence = el(body, "p", { class: "bflo-say", id: uniqueId() });
  root.setAttribute("aria-describedby", sentence.id);
  const stage = el(body, "div", { class: "bflo-stage" });
  const desk = el(body, "footer", { class: "bflo-desk" });
  const alert = el(body, "p", { class: "bflo-alert", role: "alert" });
  const voice = el(body, "p", { class: "bflo-voice", "aria-live": "polite" }); // told when a hand rests, not at every pixel

  const state = /** @type {Record<string, any>} */ ({ playing: false });
  for (const trait of Object.keys(known)) state[trait] = model.get(trait);
  const parts = [], panels = []; // controls, each with what it shows of the state
  let [asked, gliding, settling, saved, view, leader] = [0, 0, 0, 0, (_) => /** @type {any} */ (""), ""];
  function listen(target, type, action, options = {}) {
    target.addEventListener(type, guarded(action), { ...options, signal: gone.signal });
  }

  function guarded(action) {
    return (...given) => {
      try {
        return action(...given);
      } catch (problem) {
        console.error(problem);
        return void (alert.textContent = problem?.message ?? String(problem));
      }
    };
  }
  const save = () => (saved = performance.now(), tried(() => model.save_changes()));
  /** Set traits, which Python hears of, and what only this view knows. */
  function assign(values) {
    for (const [key, value] of Object.entries(values)) {
      state[key] = value;
      if (key in known) tried(() => model.set(key, value));
    }
    ui.redraw();
  }

  const ui = {
    root, stage, desk, chips, state, known, constants, listen, signal: gone.signal,
    /** A trait that holds data for the page. */
    get: (name) => model.get(name),
    get isDark() {
      return root.style.colorScheme === "dark";
    },
    panel: (area, options) => panels[panels.push(new Panel(ui, area, options)) - 1],
    /** Where pictures are at 800 pixels and more: a grid-template whose areas are the names of panels. */
    layout: (template) => root.style.setProperty("--layout", template),
    set(values) {
      assign(Object.fromEntries(Object.entries(values).map(([key, value]) => [key, known[key] ? fit(known[key], value) : value])));
      save();
    },
    redraw() {
      asked ||= requestAnimationFrame(draw);
    },
    /** Draw at once: the next key may come before the next frame. */
    flush() {
      cancelAnimationFrame(asked);
      draw();
    },
    /** A hand is here: whatever moves by itself stops. */
    hold() {
      cancelAnimationFrame(gliding);
      if (gliding || state.playing) assign({ playing: false });
      gliding = 0;
    },
    /** Go to other numbers, so that one sees where they come from. The promise waits for ever if a hand stops it. */
    glide(to, ms = 650) {
      ui.hold();
      const from = Object.fromEntries(Object.keys(to).map((key) => [key, state[key]]));
      const start = performance.now();
      return new Promise((arrived) => {
        const tick = guarded((now) => {
          const part = STILL.matches ? 1 : clamp((now - start) / ms, 0, 1);
          const eased = part < 0.5 ? 4 * part ** 3 : 1 - (2 - 2 * part) ** 3 / 2;
          const at = (key) => (known[key]?.whole ? Math.round : (x) => x)(mix(from[key], to[key], eased));
          assign(part < 1 ? Object.fromEntries(Object.keys(to).map((key) => [key, at(key)])) : to);
          gliding = part < 1 ? requestAnimationFrame(tick) : 0;
          if (part < 1) return;
          save();
          arrived(true);
        });
        gliding = requestAnimationFrame(tick);
      });
    },
    /** Go to a state: numbers glide there, all else changes at once. */
    async visit(values, ms = 500) {
      const fitted = Object.entries(values).map(([key, value]) => [key, known[key] ? fit(known[key], value) : value]);
      const isNumeric = (x) => [x].flat(2).every((one) => typeof one === "number");
      const alike = (key, value) => isNumeric([value, state[key]]) && [value].flat(2).length === [state[key]].flat(2).length;
      const glides = (/** @type {any[]} */ [key, value]) => alike(key, value) && !isSeed(known[key]) && known[key]?.kind !== "choice";
      ui.hold();
      assign(Object.fromEntries(fitted.filter((pair) => !glides(pair))));
      await ui.glide(Object.fromEntries(fitted.filter(glides)), ms);
    },
    /** Compute something again only if one of these has changed. */
    memo(names, make) {
      let [key, value] = ["", /** @type {any} */ (null)];
      return (s) => {
        const now = JSON.stringify(names.map((one) => s[one]));
        if (now !== key) [key, value] = [now, make(s)];
        return value;
      };
    },
    resized(element, action) {
      const watcher = new ResizeObserver(guarded(action));
      watcher.observe(element);
      gone.signal.addEventListener("abort", () => watcher.disconnect());
    },

    /** Controls by the names of their traits: those in sight, and those behind More. `show` of Python or of a link decides otherwise. */
    controls(inSight, behind = []) {
      const shown = ui.show?.length ? ui.show : inSight;
      for (const trait of shown) control(trait, desk);
      const drawer = more();
      for (const trait of [...inSight, ...behind]) if (!shown.includes(trait)) control(trait, drawer);
      copying(drawer);
    },
    /** The choice of a trait as words in the caption of a picture. */
    choice: (panel, trait) => tabs(panel.head, trait),
    /** A small button in a caption, or a chip in `ui.chips`; `isShown(s)` says when. */
    button(parent, words, action, isShown = (_) => true) {
      const button = el(parent, "button", { type: "button", class: parent === chips ? "bflo-chip" : "bflo-button" }, words);
      listen(button, "click", action);
      parts.push(() => (button.hidden = !isShown(state)));
      return button;
    },
    /** The main action: a dark pill. */
    go(words, action, icon = ICONS.play) {
      const button = el(desk, "button", { type: "button", class: "bflo-go bflo-control" });
      const path = svg(svg(button, "svg", { viewBox: "0 0 12 12", "aria-hidden": "true" }), "path", { d: icon });
      const label = el(button, "span", {}, words);
      listen(button, "click", action);
      return (isOn) => {
        path.setAttribute("d", isOn ? ICONS.pause : icon);
        label.textContent = isOn ? "Pause" : words;
      };
    },
    /**
     * Play rounds, `speed` in a second. `end()` is the last one; `reach(round)`, if given, computes as far as a frame
     * allows and returns the round it came to.
     */
    player({ start = 0, end = () => 20_000, reach = (round) => round }) {
      let before = 0, exact = 0;
      const frame = guarded((now) => {
        if (!state.playing || gone.signal.aborted) return;
        if (Math.floor(exact) !== state.round) exact = state.round; // somebody else has set it
        const wanted = exact + (clamp(now - before, 0, 100) / 1000) * state.speed;
        before = now;
        const round = Math.min(end(), reach(Math.min(end(), Math.floor(wanted))));
        exact = round < Math.floor(wanted) ? round : wanted;
        assign({ round, playing: round < end() });
        if (!state.playing || now - saved > SAVE_EVERY) save();
        if (state.playing) requestAnimationFrame(frame);
      });
      const play = () => {
        if (state.playing) return ui.set({ playing: false });
        ui.hold();
        if (state.round >= end()) ui.set({ round: start });
        ui.set({ playing: true });
        before = performance.now();
        return void requestAnimationFrame(frame);
      };
      const show = ui.go("Play", play);
      parts.push(() => show(state.playing));
      return play;
    },
    /**
     * Chips: states to go to, or functions that do more. `before` is set at once, `after()` follows the way; Python's
     * `presets` replace them.
     */
    presets(all, { before = {}, after = async () => {} } = {}) {
      const own = model.get("presets") ?? {};
      for (const [words, to] of Object.entries(Object.keys(own).length ? own : all)) {
        const chip = el(chips, "button", { type: "button", class: "bflo-chip" }, words);
        const visit = async () => (ui.hold(), assign(before), await ui.visit(to), await after());
        listen(chip, "click", typeof to === "function" ? to : visit);
        const isThere = () => typeof to === "object" && Object.entries(to).every(([key, value]) => same(state[key], value));
        parts.push(() => chip.setAttribute("aria-pressed", String(isThere())));
      }
    },
    /** Let the trait `main` say which picture is the large one; small ones get a button that makes them large. */
    leads() {
      for (const panel of panels.filter(({ name }) => known.main.options.some(([option]) => option === name))) {
        const button = ui.button(panel.head, "⤢", () => ui.set({ main: panel.name }), (s) => s.main !== panel.name);
        button.setAttribute("aria-label", "Make this the large picture");
        button.classList.add("bflo-large");
      }
    },
    /** Numbers that stand in sliders of traits that are null, by trait a function of the state. */
    usual: /** @type {Record<string, any>} */ ({}),
    /** Text that Copy as Python appends: for a learner, the script of the same rounds. */
    script: (_) => "",
  };

  function control(trait, parent) {
    const spec = known[trait];
    if (!spec || spec.kind === "hidden") return;
    const { kind, label, options, low, high, step, unit = "" } = spec;
    const set = (value) => (ui.hold(), ui.set({ [trait]: value }));
    const isShort = kind === "choice" && (spec.open || (options.length <= 3 && options.every(([, words]) => words.length < 14)));
    if (isShort || kind === "several") return void tabs(parent, trait);
    const look = isSeed(spec) ? "choice" : { number: "slide", flag: "switch" }[kind] ?? kind;
    const box = el(parent, "label", { class: `bflo-control bflo-${look}`, "data-control": trait, title: spec.help });
    if (kind === "choice") {
      el(box, "span", {}, label);
      const select = el(box, "select");
      for (const [, words] of options) el(select, "option", {}, words);
      listen(select, "change", () => set(options[select.selectedIndex][0]));
      parts.push((s) => (select.selectedIndex = options.findIndex(([value]) => value === s[trait])));
    } else if (kind === "flag") {
      const input = el(box, "input", { type: "checkbox", role: "switch" });
      el(box, "span", {}, label);
      listen(input, "change", () => set(input.checked));
      parts.push((s) => (input.checked = s[trait]));
    } else if (isSeed(spec)) {
      el(box, "span", {}, label);
      const input = el(box, "input", { type: "number", min: low, max: high, step: 1 });
      listen(input, "change", () => input.value !== "" && ui.set({ [trait]: Number(input.value) }));
      const hasFocus = () => /** @type {any} */ (input.getRootNode()).activeElement === input;
      parts.push((s) => hasFocus() || (input.value = s[trait])); // what is being typed stays
    } else if (kind === "number") {
      el(box, "span", {}, label);
      const output = el(box, "output");
      const input = el(box, "input", { type: "range", min: low, max: high, step });
      listen(input, "input", () => set(Number(input.value)));
      parts.push((s) => {
        const share = unit === " %" ? 100 : 1; // a share is written in percent
        const value = s[trait] ?? ui.usual[trait]?.(s) ?? null; // what None stands for
        const text = (value === null ? "least" : format(share * value, decimals(share * step))) + unit;
        if (Number(input.value) !== value) input.value = value ?? low;
        if (output.textContent !== text) [output.textContent, input.ariaValueText] = [text, text];
        input.style.setProperty("--part", `${(100 * (value - low)) / (high - low)}%`);
      });
    }
  }
  function tabs(parent, trait) {
    const { kind, options, label: legend } = known[trait];
    const isOne = kind === "choice";
    const box = el(parent, "div", { class: "bflo-tabs bflo-control", role: isOne ? "radiogroup" : "group", "aria-label": legend, "data-control": trait });
    if (parent === desk || parent.className === "bflo-drawer") el(box, "span", {}, legend);
    const group = uniqueId();
    const inputs = options.map(([value, words]) => {
      const input = el(el(box, "label", {}, words), "input", isOne ? { type: "radio", name: group } : { type: "checkbox" });
      listen(input, "change", () => (ui.hold(), ui.set({ [trait]: isOne ? value : inputs.filter(([one]) => one.checked).map(([, one]) => one) })));
      return [input, value];
    });
    parts.push((s) => inputs.forEach(([input, value]) => (input.checked = isOne ? s[trait] === value : s[trait].includes(value))));
  }
  /** The place for all that is seldom needed; it closes when one presses elsewhere, or Escape. */
  function more() {
    const details = el(desk, "details", { class: "bflo-more" });
    el(details, "summary", {}, "More");
    listen(document, "pointerdown", (event) => event.composedPath().includes(details) || (details.open = false));
    listen(details, "keydown", (event) => event.key === "Escape" && (details.open = false));
    return el(details, "div", { class: "bflo-drawer" });
  }
  const changed = () => Object.keys(known).filter((trait) => !same(state[trait], known[trait].default));
  function copying(drawer) {
    const row = el(drawer, "div", { class: "bflo-copy" });
    const status = el(null, "output");
    const copy = async (words) => {
      const text = words();
      status.textContent = await navigator.clipboard.writeText(text).then(() => "copied", () => text);
    };
    if (model.isPage) ui.button(row, "Copy link", () => copy(link));
    ui.button(row, "Copy as Python", () => copy(() => `${call()}\n${ui.script(state)}`));
    row.append(status);
  }
  function call() {
    const words = { null: "None", true: "True", false: "False" };
    const literal = (x) => (Array.isArray(x) ? `[${x.map(literal).join(", ")}]` : words[x] ?? JSON.stringify(x));
    return `from bflo_viz import ${python}\n\n${python}(${changed().map((trait) => `${trait}=${literal(state[trait])}`).join(", ")})`;
  }
  function link() {
    const query = new URLSearchParams(changed().map((trait) => [trait, JSON.stringify(state[trait])]));
    if (ui.show?.length) query.set("show", ui.show.join(","));
    return `${location.href.split("#")[0]}#${name}?${query}`;
  }
  /** A link to this explorer sets its state; what it cannot show is taken as the nearest. */
  function follow() {
    const [target, query = ""] = location.hash.slice(1).split("?");
    if (!model.isPage || target !== name) return;
    for (const [trait, text] of new URLSearchParams(query)) {
      if (trait === "show") ui.show = text.split(",");
      else if (known[trait]) assign({ [trait]: fit(known[trait], tried(() => JSON.parse(text))) });
    }
  }

  const draw = guarded(() => {
    asked = 0;
    if (known.main && leader !== state.main) { // the large picture and the first one change places
      leader = state.main;
      const place = (panel) => (panel.name === leader ? panels[0].name : panel === panels[0] ? leader : panel.name);
      for (const panel of panels) panel.figure.style.setProperty("--area", place(panel));
    }
    panels.forEach((panel, i) => panel.figure.classList.toggle("is-main", leader ? panel.name === leader : i === 0));
    for (const show of parts) show(state);
    const problem = model.get("_problem") ?? "";
    const words = view(state);
    if (words) write(sentence, words);
    if (alert.textContent !== problem) alert.textContent = problem;
    clearTimeout(settling);
    settling = setTimeout(() => voice.textContent !== sentence.textContent && (voice.textContent = sentence.textContent), 400);
    root.dataset.painted = String(1 + Number(root.dataset.painted ?? 0));
  });

  const changes = [...Object.keys(known), "_problem"].map((trait) => [`change:${trait}`, () => {
    if (trait in known && !same(state[trait], model.get(trait))) state[trait] = model.get(trait);
    ui.redraw();
  }]);
  function dispose() {
    if (gone.signal.aborted) return;
    gone.abort();
    cancelAnimationFrame(asked);
    cancelAnimationFrame(gliding);
    clearTimeout(settling);
    for (const [type, action] of changes) tried(() => model.off(type, action));
    root.remove();
  }

  Object.assign(root, { bflo: ui }); // for tests, and for those who look with the tools of a browser
  ui.show = model.get("show") ?? [];
  follow();
  watchTheme(root, ui);
  // Keys end here: a slide must not turn, and a notebook must not lose a cell; but Ctrl+S is the host's.
  for (const type of ["keydown", "keyup", "keypress"]) {
    listen(root, type, (event) => {
      const isHosts = event.ctrlKey || event.metaKey;
      if (isHosts) delete root.dataset.lmSuppressShortcuts; // JupyterLab looks at this before it takes a key
      else root.dataset.lmSuppressShortcuts = "true";
      if (!isHosts) event.stopPropagation();
    });
  }
  root.dataset.lmSuppressShortcuts = "true";
  for (const [type, action] of changes) tried(() => model.on(type, action));
  if (model.isPage) listen(window, "hashchange", () => (follow(), save()));
  signal?.addEventListener("abort", dispose);
  guarded(() => (view = build(ui)))();
  ui.redraw();
  return dispose;
}

/** Follow the theme of the host: what it says of itself, or else how dark the ground is; selectors do not cross a shadow root. */
function watchTheme(root, ui) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const [html, page] = [document.documentElement, document.body];
  const said = () => html.dataset.theme ?? page.dataset.theme ?? { false: "dark", true: "light" }[page.dataset.jpThemeLight];
  const ground = (node) => {
    for (let at = node; at; at = at.parentNode ?? at.host) {
      const color = at.nodeType === 1 ? getComputedStyle(at).backgroundColor : "";
      const [r, g, b, alpha = 1] = (color.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
      if (alpha > 0.5) return 0.3 * r + 0.6 * g + 0.1 * b < 110;
    }
    return system.matches;
  };
  const apply = () => {
    const named = said();
    const isDark = named === "dark" || (named !== "light" && ground(root.parentNode));
    root.style.colorScheme = isDark ? "dark" : "light";
    ui.redraw();
  };
  const watcher = new MutationObserver(apply);
  for (const node of [html, page]) watcher.observe(node, { attributes: true });
  ui.listen(system, "change", apply);
  ui.signal.addEventListener("abort", () => watcher.disconnect());
  ui.resized(root, apply); // it may only now be in its page
}
