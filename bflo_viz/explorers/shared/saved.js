// What an explorer knows of its Python side, when there is none: values to read, to set and to watch. Where runs were
// computed before, setting one of the values that they depend on loads the run of the new settings.

const MINUS_INFINITY = -1024; // what stands for it among the whole numbers of a kept run

/** The state that is written in a script element; bytes in it are marked. */
export function readState(element) {
  return JSON.parse(element.textContent, (key, value) => {
    if (value === null || typeof value !== "object" || typeof value.base64 !== "string") return value;
    return new DataView(bytesOf(value.base64).buffer);
  });
}

/** A model of a saved explorer; `choices` has the values that there are runs for, `runs` gives the run of indices. */
export function savedModel(state, { alone = false, choices = {}, runs } = {}) {
  const values = { ...state };
  const watchers = new Map();
  const names = Object.keys(choices);
  const wanted = () => names.map((name) => choices[name].indexOf(values[name]));
  const model = {
    saved: true,
    alone,
    choices,
    get: (name) => values[name],
    set(name, value) {
      if (values[name] === value) return;
      values[name] = value;
      for (const watcher of watchers.get(`change:${name}`) ?? []) watcher();
      if (name in choices) model.fetch().catch((error) => console.error(error)); // the view says that it waits
    },
    save_changes() {},
    on(name, watcher) {
      watchers.set(name, (watchers.get(name) ?? new Set()).add(watcher));
    },
    off: (name, watcher) => watchers.get(name)?.delete(watcher),
    /** Get the run of the settings; one that comes when other settings are wanted is too late. */
    async fetch() {
      const asked = wanted();
      const run = await runs(asked);
      if (String(asked) === String(wanted())) model.set("_run", run);
    },
  };
  return model;
}

const kept = new Map(); // runs by their addresses, for all explorers of a page

/** Runs that are kept in script files: pages from a disk may load those, and nothing else. */
export function keptRuns(address) {
  const load = (part) => {
    const name = address.replace("*", part);
    if (!kept.has(name)) {
      const loaded = new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.addEventListener("load", () => resolve(opened(globalThis.bfloRun))); // which the script has set
        script.addEventListener("error", () => reject(new Error(`${name} could not be loaded.`)));
        script.src = name;
        document.head.append(script);
      });
      kept.set(name, loaded);
      loaded.catch(() => kept.delete(name)); // the next try may go well
    }
    return kept.get(name);
  };
  return async (indices) => {
    const [common, own] = await Promise.all([load("all"), load(indices.join("-"))]);
    return { ...common, ...own };
  };
}

/** A run out of its text: compressed, and in it the words as JSON, and the arrays one after the other. */
async function opened(text) {
  const packed = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const all = await new Response(packed).arrayBuffer();
  const start = 4 + new DataView(all).getUint32(0, true);
  const words = new TextDecoder().decode(new Uint8Array(all, 4, start - 4));
  return JSON.parse(words, (key, value) => {
    if (value === null || typeof value !== "object" || typeof value.size !== "number") return value;
    const { shape, dtype, at, size, step } = value;
    const bytes = new Uint8Array(all, start + at, size);
    const data = step ? added(bytes, shape, step) : bytes.slice();
    return { shape, dtype, data: new DataView(data.buffer) };
  });
}

/** Numbers out of the steps between them: whole ones, column by column, their lowest bytes first. */
function added(bytes, shape, step) {
  const [rows, count] = [shape[0], bytes.length / 4];
  const columns = count / rows;
  const values = new Float32Array(count);
  for (let column = 0; column < columns; column += 1) {
    let sum = 0;
    for (let row = 0; row < rows; row += 1) {
      const i = column * rows + row;
      sum += bytes[i] | (bytes[i + count] << 8) | (bytes[i + 2 * count] << 16) | (bytes[i + 3 * count] << 24);
      const value = sum * step;
      values[row * columns + column] = value <= MINUS_INFINITY ? -Infinity : value;
    }
  }
  return values;
}

function bytesOf(text) {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

/** Bring an explorer to life in the place that has its state; what stood there is hidden, and is printed. */
async function start(place, view) {
  const { state, choices, runs } = readState(place.querySelector("script"));
  const model = savedModel(state, { choices, runs: runs && keptRuns(runs) });
  try {
    if (runs) await model.fetch();
    view.render({ model, el: place });
    place.dataset.alive = "yes";
  } catch (error) {
    console.error(error);
    place.dataset.alive = "no";
    const note = document.createElement("p");
    note.textContent = `This explorer could not start (${error.message}); this is its picture.`;
    place.append(note);
  }
}

/** Bring all explorers of the page to life. */
export function startAll(views) {
  for (const place of document.querySelectorAll(".bflo-alive")) start(place, views[place.dataset.explorer]);
}
