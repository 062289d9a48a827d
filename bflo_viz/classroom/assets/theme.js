// The theme that was chosen on another page, before anything is drawn. Some browsers keep nothing for pages from a disk.
try {
  const chosen = localStorage.getItem("bflo-theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch {
  // then every page begins with that of the system
}
