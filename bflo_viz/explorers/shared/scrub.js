// A number in a sentence that is dragged sideways, or moved by keys: a slider without a track.
import { format, nearest, tag, write } from "./kit.js";

const PIXELS = 5; // that the pointer goes for one step
const FAR = 10; // steps with Shift, or by a page

/** A number of a trait inside of a parent. */
export function scrub(ui, name, parent) {
  const { label, help, low, high, step, digits, unit } = ui.about(name);
  const text = () => format(ui.model.get(name), digits);
  const element = tag(parent, "span", {
    class: "bflo-scrub",
    role: "slider",
    tabindex: 0,
    "data-scrub": name,
    "aria-label": label,
    "aria-description": help,
    "aria-valuemin": low,
    "aria-valuemax": high,
    title: `${label}: drag sideways, or use the arrow keys`,
  });
  const go = (value) => {
    const onGrid = Number((low + step * Math.round((value - low) / step)).toFixed(digits));
    ui.set({ [name]: nearest(ui.about(name), onGrid) });
  };
  let grip = null; // where the pointer took hold, and the value there
  ui.listen(element, "pointerdown", (event) => {
    if (event.button) return;
    event.preventDefault();
    element.focus();
    element.setPointerCapture(event.pointerId);
    grip = [event.clientX, ui.model.get(name)];
  });
  ui.listen(element, "pointermove", (event) => {
    if (grip) go(grip[1] + (step * (event.clientX - grip[0])) / PIXELS);
  });
  for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) ui.listen(element, type, () => (grip = null));
  ui.listen(element, "keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const now = ui.model.get(name);
    const by = (event.shiftKey ? FAR : 1) * step;
    const places = {
      ArrowRight: now + by,
      ArrowUp: now + by,
      ArrowLeft: now - by,
      ArrowDown: now - by,
      PageUp: now + FAR * step,
      PageDown: now - FAR * step,
      Home: low,
      End: high,
    };
    if (!(event.key in places)) return;
    event.preventDefault();
    go(places[event.key]);
  });
  ui.onDraw(() => {
    write(element, text());
    element.setAttribute("aria-valuenow", ui.model.get(name));
    element.setAttribute("aria-valuetext", text() + (unit && ` ${unit}`));
  });
  return element;
}
