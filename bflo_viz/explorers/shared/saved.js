// Explorers in a page without Python: a model with values to read, to set and to watch, for each.
import { keepAddress } from "./link.js";

/** A model of what was saved; `alone` in a page of its own. */
export function savedModel(values, alone) {
  const watchers = new Map();
  const tell = (event) => {
    for (const watcher of watchers.get(event) ?? []) watcher();
  };
  return {
    alone,
    isSaved: true, // there is no Python behind it
    get: (name) => values[name],
    set(name, value) {
      if (values[name] === value) return;
      values[name] = value;
      tell(`change:${name}`);
      tell("change");
    },
    /** Take the values of an address, all at once: no watcher sees half of them. */
    arrive(wanted) {
      const others = Object.keys(wanted).filter((name) => values[name] !== wanted[name]);
      Object.assign(values, wanted);
      for (const name of [...others, "_address"]) tell(`change:${name}`);
    },
    save_changes() {},
    on(name, watcher) {
      watchers.set(name, (watchers.get(name) ?? new Set()).add(watcher));
    },
    off: (name, watcher) => watchers.get(name)?.delete(watcher),
  };
}

/** Bring an explorer to life in the place that has its state; what stood there is hidden, and is printed. Its model, if it lives. */
function start(place, view) {
  try {
    const model = savedModel(JSON.parse(place.querySelector("script").textContent), "alone" in place.dataset);
    place.model = model; // for scripts of the page
    view.render({ model, el: place });
    place.dataset.alive = "yes";
    return [{ place, model }];
  } catch (error) {
    console.error(error);
    place.dataset.alive = "no";
    const note = document.createElement("p");
    note.textContent = `This explorer could not start (${error.message}): open it in a newer browser.`;
    place.append(note);
    return [];
  }
}

/** Bring all explorers of the page to life. In the address the second of a kind has a number: regime, regime.2. */
export function startAll(views) {
  const count = new Map();
  const alive = [...document.querySelectorAll(".bflo-alive")].flatMap((place) => {
    const { explorer } = place.dataset;
    count.set(explorer, (count.get(explorer) ?? 0) + 1);
    place.dataset.address = count.get(explorer) > 1 ? `${explorer}.${count.get(explorer)}` : explorer;
    return start(place, views[explorer]);
  });
  // A bet has nothing to move, slides have addresses of their own, and what moves by itself would change its own all the time.
  const moved = alive.filter(({ place, model }) => Object.keys(model.get("_about").controls).length && !place.closest(".reveal, [data-moves]"));
  if (moved.length) keepAddress(moved);
}
