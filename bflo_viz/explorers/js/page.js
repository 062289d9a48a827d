// Explorers on pages without Python: every element .bflo-place holds the state of one, as JSON in a script.

/** A model as anywidget's, which holds a state and tells of its changes. */
function modelOf(state) {
  const listeners = new Map();
  return {
    isPage: true,
    get: (name) => state[name],
    set(name, value) {
      if (state[name] === value) return;
      state[name] = value;
      for (const action of listeners.get(`change:${name}`) ?? []) action();
    },
    on: (type, action) => listeners.set(type, [...(listeners.get(type) ?? []), action]),
    off: (type, action) => listeners.set(type, (listeners.get(type) ?? []).filter((one) => one !== action)),
    save_changes() {},
  };
}

/** Bring the explorers of a page to life. */
export function startAll(views) {
  for (const place of document.querySelectorAll(".bflo-place")) {
    const { explorer, ...state } = JSON.parse(place.querySelector("script").textContent);
    const model = modelOf(state);
    place.replaceChildren(); // a picture of it stood there
    views[explorer]?.render({ model, el: place });
    Object.assign(place, { model }); // for scripts of the page
  }
}
