// A picture that Python draws: its pixels and its words are swapped, the element stays, so nothing flickers.
export default {
  render({ model, el }) {
    const problem = document.createElement("p");
    problem.setAttribute("role", "alert");
    problem.style.cssText = "margin: 0.3rem 0; font-weight: 600; color: var(--jp-error-color0, #b00020)";
    const image = document.createElement("img");
    image.style.cssText = "display: block; max-width: 100%; height: auto";
    el.append(problem, image);

    let address = "";
    const draw = async () => {
      const before = address;
      address = URL.createObjectURL(new Blob([model.get("pixels")], { type: "image/png" }));
      image.src = address;
      image.alt = model.get("words");
      image.width = model.get("width");
      await image.decode().catch(() => {}); // a newer picture may have taken its place
      image.dataset.drawn = model.get("drawn");
      if (before) URL.revokeObjectURL(before);
    };
    const complain = () => {
      problem.textContent = model.get("problem");
      problem.hidden = !problem.textContent;
    };
    model.on("change:drawn", draw);
    model.on("change:problem", complain);
    complain();
    draw();
    // JupyterLab would take the keys that are meant for the lists: arrows go to the next cell, "d d" deletes this one.
    const gone = new AbortController();
    requestAnimationFrame(() => {
      const panel = el.closest(".bflo-panel");
      panel?.setAttribute("data-lm-suppress-shortcuts", "true");
      for (const type of ["keydown", "keyup", "keypress"]) {
        panel?.addEventListener(type, (event) => event.stopPropagation(), { signal: gone.signal });
      }
    });
    return () => {
      gone.abort();
      URL.revokeObjectURL(address);
    };
  },
};
