// Explorers in a page without Python: a model with values to read, to set and to watch, for each.

/** A model of what was saved; `alone` in a page of its own. */
function savedModel(values, alone) {
  const watchers = new Map();
  return {
    alone,
    get: (name) => values[name],
    set(name, value) {
      if (values[name] === value) return;
      values[name] = value;
      for (const watcher of watchers.get(`change:${name}`) ?? []) watcher();
    },
    save_changes() {},
    on(name, watcher) {
      watchers.set(name, (watchers.get(name) ?? new Set()).add(watcher));
    },
    off: (name, watcher) => watchers.get(name)?.delete(watcher),
  };
}

/** Bring an explorer to life in the place that has its state; what stood there is hidden, and is printed. */
function start(place, view) {
  try {
    const model = savedModel(JSON.parse(place.querySelector("script").textContent), "alone" in place.dataset);
    view.render({ model, el: place });
    place.dataset.alive = "yes";
  } catch (error) {
    console.error(error);
    place.dataset.alive = "no";
    const note = document.createElement("p");
    note.textContent = `This explorer could not start (${error.message}): open it in a newer browser.`;
    place.append(note);
  }
}

/** Bring all explorers of the page to life. */
export function startAll(views) {
  for (const place of document.querySelectorAll(".bflo-alive")) start(place, views[place.dataset.explorer]);
}
