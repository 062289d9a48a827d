
// Explorers live; then the switch between light and dark, and the table of contents: open where there is room for it.
bflo.modules["shared/saved.js"].startAll(bflo.views);

/** Load a script of the site, once: pages from a disk may fetch nothing else. */
bflo.load = (() => {
  const { root } = document.documentElement.dataset;
  const loading = new Map();
  return (file) => {
    if (!loading.has(file)) {
      const script = document.createElement("script");
      script.src = root + file;
      document.head.append(script);
      loading.set(file, new Promise((done, failed) => Object.assign(script, { onload: done, onerror: failed })));
    }
    return loading.get(file);
  };
})();

/** What a browser keeps under a name, as an object; some keep nothing for pages from a disk. */
bflo.kept = (name) => {
  try {
    return JSON.parse(localStorage.getItem(name)) ?? {};
  } catch {
    return {};
  }
};
bflo.keep = (name, value) => {
  try {
    if (value) localStorage.setItem(name, JSON.stringify(value));
    else localStorage.removeItem(name);
  } catch {
    // then it holds for this page
  }
};

(() => {
  const root = document.documentElement;
  const button = document.querySelector("button.theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const show = () => button.setAttribute("aria-pressed", isDark());
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("bflo-theme", root.dataset.theme);
    } catch {
      // then it holds for this page
    }
    show();
  });
  system.addEventListener("change", show);
  show();
  button.hidden = false;

  const contents = document.querySelector(".contents details");
  const roomy = matchMedia("(min-width: 72rem)");
  const fit = () => contents && (contents.open = roomy.matches);
  roomy.addEventListener("change", fit);
  fit();
  const guide = document.querySelector(".guide");
  if (guide) guide.open = matchMedia("(min-width: 48rem)").matches;
})();
