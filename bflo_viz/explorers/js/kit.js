// What all explorers share: frame, controls, presets, motion, playing, the theme of the host, and links. A view is
// `export default explorer("name", (ui) => (s) => words)`: the outer function builds panels and controls once, and the
// inner one draws the state and returns one sentence, which is the read-out, its live region and the alt text.
import { Panel, clamp, el, format, mix, uniqueId, write } from "./marks.js";

const STILL = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)") ?? { matches: false };
const SAVE_EVERY = 200; // milliseconds between messages to Python while something plays

/** An anywidget with this view. `build(ui)` is called once for each place that shows it. */
export function explorer(name, build) {
  return { name, render: ({ model, el: place, signal }) => mount(name, build, model, place, signal) };
}

/** Call something that a host may lack: some models throw in `off` and `save_changes`, which must not stop a view. */
function tried(action) {
  try {
    return action();
  } catch {
    return undefined;
  }
}

/** The nearest value that a trait can have; its first value where nothing is near. */
function fit(spec, value, digits = decimals(spec?.step)) {
  if (!spec || (value === null && spec.default === null)) return value;
  const { kind, low, high, options, length, row, default: first } = spec;
  const number = (x) => Number(clamp(x, low, high).toFixed(digits));
  const areNumbers = () => value.length === (length ?? value.length) && value.every(Number.isFinite);
  if (kind === "number") return Number.isFinite(value) ? number(value) : first;
  if (kind === "numbers") return Array.isArray(value) && areNumbers() ? value.map(number) : first;
  if (kind === "choice") return options.some(([option]) => option === value) ? value : first;
  if (kind === "several") return options.map(([option]) => option).filter((option) => [value].flat().includes(option));
  const isRow = (one) => one?.length === row && one.every?.(Number.isFinite);
  if (row) return Array.isArray(value) && value.every(isRow) ? value : first;
  return typeof value === typeof first && Array.isArray(value) === Array.isArray(first) ? value : first;
}
const decimals = (step) => (String(step).split(".")[1] ?? "").length;
const isSeed = (spec) => spec?.whole && spec.high - spec.low > 1e5; // it is typed, and nothing glides there
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b) || (typeof a === "number" && Math.abs(a - b) < 1e-6);
const mapped = (all, of) => Object.fromEntries(Object.entries(all).map(([key, value]) => [key, of(key, value)]));
/** A value as Python writes it. */
export function literal(x) {
  if (Array.isArray(x)) return `[${x.map(literal).join(", ")}]`;
  return { null: "None", true: "True", false: "False" }[x] ?? JSON.stringify(x);
}

function mount(name, build, model, place, signal) {
  const { title, python, constants, controls: known } = model.get("_spec");
  const gone = new AbortController();
  const look = { class: "bflo", role: "region", "data-explorer": name, "aria-label": title };
  const root = el(place, place.closest?.(".slides") ? "div" : "section", look); // in slides every section is a slide
  const body = el(root, "div", { class: "bflo-body" });
  const head = el(body, "header", { class: "bflo-head" });
  el(head, "div", { class: "bflo-title" }, title);
  const chips = el(head, "div", { class: "bflo-chips", role: "group", "aria-label": "Try" });
  const sentence = el(body, "p", { class: "bflo-say", id: uniqueId() });
  root.setAttribute("aria-describedby", sentence.id);
  const stage = el(body, "div", { class: "bflo-stage" });
  const desk = el(body, "footer", { class: "bflo-desk" });
  const alert = el(body, "p", { class: "bflo-alert", role: "alert" });
  const voice = el(body, "p", { class: "bflo-voice", "aria-live": "polite" }); // told when a hand rests

  const given = mapped(known, (trait, spec) => fit(spec, model.get(trait), 12));
  const state = /** @type {Record<string, any>} */ ({ playing: false, ...given });
  const parts = [], panels = []; // controls, each with what it shows of the state
  let [asked, gliding, settling, saved, view] = [0, 0, 0, 0, (_) => /** @type {any} */ ("")];

  const guarded = (action) => (...given) => {
    try {
      return action(...given);
    } catch (problem) {
      console.error(problem);
      return void (alert.textContent = problem?.message ?? String(problem));
    }
  };
  const listen = (target, type, action, options = {}) =>
    target.addEventListener(type, guarded(action), { ...options, signal: gone.signal });
  const save = () => (saved = performance.now(), tried(() => model.save_changes()));
  /** Set traits, which Python hears of, and what only this view knows. */
  function assign(values) {
    for (const [key, value] of Object.entries(values)) {
      state[key] = value;
      if (key in known) tried(() => model.set(key, value));
    }
    ui.redraw();
  }
  const fitted = (values) => mapped(values, (key, value) => fit(known[key], value));

  const ui = {
    root, stage, desk, chips, state, known, constants, listen,
    /** Controls in sight, if not those of the view. */
    show: /** @type {string[]} */ ([model.get("show") ?? []].flat()),
    /** Numbers that stand in sliders of traits that are null, by trait a function of the state. */
    usual: /** @type {Record<string, any>} */ ({}),
    /** Text that Copy as Python appends: for a learner, the script of the same rounds. */
    script: (_) => "",
    get isDark() {
      return root.style.colorScheme === "dark";
    },
    panel: (area, options) => panels[panels.push(new Panel(ui, area, options)) - 1],
    /** Arrange the pictures at 800 pixels and more: a grid-template whose areas are the names of panels. */
    layout: (template) => root.style.setProperty("--layout", template),
    set(values) {
      assign(fitted(values));
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
    /** Go to a state: numbers glide there, all else changes at once. The promise waits for ever if a hand stops it. */
    glide(values, ms = 500) {
      const size = (x) => (x === null ? 0 : [x].flat().length);
      const glides = ([key, to]) => {
        const { kind } = known[key] ?? { kind: "number" };
        return kind.startsWith("number") && !isSeed(known[key]) && size(to) && size(to) === size(state[key]);
      };
      const all = Object.entries(fitted(values));
      ui.hold();
      assign(Object.fromEntries(all.filter((one) => !glides(one))));
      const ways = all.filter(glides).map(([key, to]) => [key, state[key], to]);
      const start = performance.now();
      return new Promise((arrived) => {
        const tick = guarded((now) => {
          const part = STILL.matches ? 1 : clamp((now - start) / ms, 0, 1);
          const eased = part < 0.5 ? 4 * part ** 3 : 1 - (2 - 2 * part) ** 3 / 2;
          const between = (/** @type {any[]} */ [key, from, to]) => fit(known[key], mix(from, to, eased));
          assign(Object.fromEntries(ways.map((way) => [way[0], part < 1 ? between(way) : way[2]])));
          gliding = part < 1 ? requestAnimationFrame(tick) : 0;
          if (!gliding) arrived(save());
        });
        gliding = requestAnimationFrame(tick);
      });
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

    /** Controls by the names of their traits: those in sight, and those behind More, unless `show` decides. */
    controls(inSight, behind = []) {
      const shown = ui.show.length ? ui.show : inSight;
      for (const trait of shown) control(trait, desk);
      const drawer = more();
      for (const trait of [...inSight, ...behind]) if (!shown.includes(trait)) control(trait, drawer);
      copying(drawer);
    },
    /** The choice of a trait as words in the caption of a picture. */
    choice: (panel, trait) => tabs(panel.head, trait),
    /** A button in a caption, in the desk, or as a chip in `ui.chips`; `isShown(s)` says when. */
    button(parent, words, action, isShown = (_) => true) {
      const button = el(parent, "button", { type: "button", class: "bflo-button" }, words);
      listen(button, "click", action);
      parts.push(() => (button.hidden = !isShown(state)));
      return button;
    },
    /** The main action: a dark pill. */
    go(words, action) {
      const button = ui.button(desk, words, action);
      button.className = "bflo-go bflo-control";
      return button;
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
        ui.set({ playing: true, round: state.round < end() ? state.round : start });
        before = performance.now();
        requestAnimationFrame(frame);
      };
      const button = ui.go("Play", play);
      parts.push(({ playing }) => (button.textContent = button.dataset.now = playing ? "Pause" : "Play"));
      return play;
    },
    /**
     * Chips: states to go to, or functions that do more. `before` is set at once, `after()` follows the way; Python's
     * `presets` replace them.
     */
    presets(all, { before = {}, after = async () => {} } = {}) {
      const own = model.get("presets") ?? {};
      el(chips, "span", { "aria-hidden": "true" }, "Try");
      for (const [words, to] of Object.entries(Object.keys(own).length ? own : all)) {
        const isPlace = typeof to === "object";
        const visit = async () => (ui.hold(), assign(before), await ui.glide(to), await after());
        const chip = ui.button(chips, words, isPlace ? visit : to);
        const isThere = () => isPlace && Object.entries(to).every(([key, value]) => same(state[key], value));
        parts.push(() => chip.setAttribute("aria-pressed", isThere()));
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
  };

  function control(trait, parent) {
    const spec = known[trait];
    if (["choice", "several"].includes(spec?.kind)) return tabs(parent, trait);
    if (!["flag", "number"].includes(spec?.kind)) return; // it has a place in a picture
    const { kind, label, low: min, high: max, step, unit = "" } = spec;
    const type = kind === "flag" ? "checkbox" : isSeed(spec) ? "number" : "range";
    const look = { class: `bflo-control bflo-${type}`, "data-control": trait, title: spec.help };
    const box = el(parent, "label", look);
    el(box, "span", {}, label);
    const output = type === "range" ? el(box, "output") : null;
    const input = el(box, "input", { type, min, max, step, role: kind === "flag" ? "switch" : undefined });
    listen(input, output ? "input" : "change", () => {
      if (!isSeed(spec)) ui.hold();
      ui.set({ [trait]: kind === "flag" ? input.checked : input.valueAsNumber });
    });
    parts.push((s) => {
      const value = s[trait] ?? ui.usual[trait]?.(s) ?? null; // what None stands for
      if (kind === "flag") input.checked = value;
      else if (output || !input.matches(":focus")) input.value = value ?? min; // a seed that is being typed stays
      if (!output) return;
      const share = unit === " %" ? 100 : 1; // a share is written in percent
      const text = (value === null ? "least" : format(share * value, decimals(share * step))) + unit;
      if (output.textContent !== text) [output.textContent, input.ariaValueText] = [text, text];
      input.style.setProperty("--part", `${(100 * (value - min)) / (max - min)}%`);
    });
  }
  /** Words side by side, of which one is chosen, or several. */
  function tabs(parent, trait) {
    const { kind, options, label } = known[trait];
    const isOne = kind === "choice";
    const look = { class: "bflo-tabs bflo-control", role: isOne ? "radiogroup" : "group", "data-control": trait };
    const box = el(parent, "div", { ...look, "aria-label": label });
    if (parent.tagName !== "FIGCAPTION") el(box, "span", {}, label);
    const type = isOne ? { type: "radio", name: uniqueId() } : { type: "checkbox" };
    const inputs = options.map(([, words]) => el(el(box, "label", {}, words), "input", type));
    const chosen = () => options.filter((_, i) => inputs[i].checked).map(([value]) => value);
    const choose = () => (ui.hold(), ui.set({ [trait]: isOne ? chosen()[0] : chosen() }));
    for (const input of inputs) listen(input, "change", choose);
    parts.push((s) => inputs.forEach((input, i) => (input.checked = [s[trait]].flat().includes(options[i][0]))));
  }
  /** The place for all that is seldom needed; it closes when one presses elsewhere, or Escape. */
  function more() {
    const details = el(desk, "details", { class: "bflo-more" });
    el(details, "summary", {}, "More");
    listen(document, "pointerdown", (event) => event.composedPath().includes(details) || (details.open = false));
    listen(details, "keydown", (event) => event.key === "Escape" && (details.open = false));
    return el(details, "div", { class: "bflo-drawer" });
  }

  function copying(drawer) {
    const row = el(drawer, "div", { class: "bflo-copy" });
    const copy = (words) => async () => {
      const text = words(Object.keys(known).filter((trait) => !same(state[trait], known[trait].default)));
      status.textContent = await navigator.clipboard.writeText(text).then(() => "copied", () => text);
    };
    if (model.isPage) ui.button(row, "Copy link", copy((traits) => {
      const query = new URLSearchParams(traits.map((trait) => [trait, JSON.stringify(state[trait])]));
      if (ui.show.length) query.set("show", ui.show.join(","));
      return `${location.href.split("#")[0]}#${name}?${query}`;
    }));
    ui.button(row, "Copy as Python", copy((traits) => {
      const given = traits.map((trait) => `${trait}=${literal(state[trait])}`).join(", ");
      return `from bflo_viz import ${python}\n\n${python}(${given})\n${ui.script(state)}`;
    }));
    const status = el(row, "output");
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
    const first = panels[0]?.name;
    const main = state.main ?? first; // the large picture, which changes places with the first one
    for (const { name, figure } of panels) {
      figure.classList.toggle("is-main", name === main);
      figure.style.setProperty("--area", name === main ? first : name === first ? main : name);
    }
    for (const show of parts) show(state);
    const words = view(state);
    if (words) write(sentence, words);
    const problem = model.get("_problem") ?? "";
    if (alert.textContent !== problem) alert.textContent = problem;
    clearTimeout(settling);
    settling = setTimeout(() => write(voice, sentence.textContent), 400);
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
  follow();
  // Keys end here: a slide must not turn, and a notebook must not lose a cell; but Ctrl+S is the host's.
  root.dataset.lmSuppressShortcuts = "true"; // JupyterLab looks at this before it takes a key
  for (const type of ["keydown", "keyup", "keypress"]) {
    listen(root, type, (event) => {
      const isHosts = event.ctrlKey || event.metaKey;
      root.toggleAttribute("data-lm-suppress-shortcuts", !isHosts);
      if (!isHosts) event.stopPropagation();
    });
  }
  for (const [type, action] of changes) tried(() => model.on(type, action));
  if (model.isPage) listen(window, "hashchange", () => (follow(), save()));
  signal?.addEventListener("abort", dispose);
  watchTheme(root, ui, gone.signal);
  guarded(() => (view = build(ui)))();
  ui.redraw();
  return dispose;
}

/** Follow the theme of the host: what it says of itself, or else how dark the ground is, also around a shadow root. */
function watchTheme(root, ui, signal) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const [html, page] = [document.documentElement, document.body];
  const isGroundDark = (node) => {
    for (let at = node; at; at = at.parentNode ?? at.host) {
      const color = at.nodeType === 1 ? getComputedStyle(at).backgroundColor : "";
      const [r, g, b, alpha = 1] = (color.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
      if (alpha > 0.5) return 0.3 * r + 0.6 * g + 0.1 * b < 110;
    }
    return system.matches;
  };
  const apply = () => {
    const ofLab = { false: "dark", true: "light" }[page.dataset.jpThemeLight];
    const said = html.dataset.theme ?? page.dataset.theme ?? ofLab;
    const isDark = said === "dark" || (said !== "light" && isGroundDark(root.parentNode));
    root.style.colorScheme = isDark ? "dark" : "light";
    ui.redraw();
  };
  const watcher = new MutationObserver(apply);
  for (const node of [html, page]) watcher.observe(node, { attributes: true });
  ui.listen(system, "change", apply);
  signal.addEventListener("abort", () => watcher.disconnect());
  ui.resized(root, apply); // it may only now be in its page
}
