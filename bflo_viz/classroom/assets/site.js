
// The switch between light and dark, and the table of contents: open where there is room for it.
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
})();
