// Explorers on pages without Python: every element .bflo-place holds the state of one, as JSON in a script.

/** A model like anywidget's, which holds a state and tells of its changes. */
function modelOf(state) {
  const changes = new EventTarget();
  return {
    isPage: true,
    get: (name) => state[name],
    set(name, value) {
      if (state[name] === value) return;
      state[name] = value;
      changes.dispatchEvent(new Event(`change:${name}`));
    },
    on: (type, action) => changes.addEventListener(type, action),
    off: (type, action) => changes.removeEventListener(type, action),
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
