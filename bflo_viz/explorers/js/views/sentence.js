// A sentence with numbers to drag sideways, or to move by arrow keys; the others follow.
import { klParts, stretch } from "../engine/flows.js";
import { decimals, explorer } from "../kit.js";
import { el, format } from "../marks.js";

const PIXELS = 5; // that the pointer goes for one step
/** Words with names in braces, and what follows from the traits: numbers, each with its decimals. */
const SENTENCES = {
  width: [
    "A weight that lies {u} standard deviations from the mean goes to {v}. The belief becomes {wide} % as wide as it "
      + "was, its mean moves by {shift}, and this costs {kl} nats.",
    ({ u, v }, a = stretch(u, v)) => {
      return { wide: [100 * a, 0], shift: [v - a * u, 2], kl: [klParts(a, u, v).reduce((x, y) => x + y), 2] };
    },
  ],
  dimensions: [
    "In {dim} dimensions a weight goes from {u} standard deviations straight to {v}. The rule as printed makes a "
      + "spherical belief {printed} % as wide in every direction; the exact rule makes it {exact} % as wide.",
    ({ u, v, dim }) => ({ printed: [100 * stretch(u, v), 0], exact: [100 * stretch(u, v, 1, dim), 0] }),
  ],
};

export default explorer("sentence", (ui) => {
  const line = ui.root.querySelector(".bflo-say");
  const [words, follow] = /** @type {[string, (s: any) => Record<string, number[]>]} */ (SENTENCES[ui.state.sentence]);
  const parts = words.split(/\{(\w+)\}/).map((part, i) => {
    if (i % 2 === 0) return void line.append(part);
    return { name: part, element: part in ui.known ? slider(part) : el(line, "b") };
  });

  function slider(name) {
    const { label, low, high, step } = ui.known[name];
    const about = { role: "slider", tabindex: 0, "aria-label": label, "aria-valuemin": low, "aria-valuemax": high };
    const title = `${label}: drag sideways, or use the arrow keys`;
    const element = el(line, "span", { class: "bflo-scrub", title, ...about });
    const go = (value) => ui.set({ [name]: low + step * Math.round((value - low) / step) });
    let grip = /** @type {number[] | null} */ (null); // where the pointer took hold, and the value there
    ui.listen(element, "pointerdown", (event) => {
      event.preventDefault();
      element.focus();
      element.setPointerCapture(event.pointerId);
      grip = [event.clientX, ui.state[name]];
    });
    ui.listen(element, "pointermove", (event) => grip && go(grip[1] + (step * (event.clientX - grip[0])) / PIXELS));
    ui.listen(element, "lostpointercapture", () => (grip = null));
    ui.listen(element, "keydown", (event) => {
      const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      go(ui.state[name] + by * step * (event.shiftKey ? 5 : 1));
      ui.flush();
    });
    return element;
  }

  return (s) => {
    const values = follow(s);
    for (const { name, element } of parts.filter((one) => one)) {
      const text = name in values ? format(...values[name]) : format(s[name], decimals(ui.known[name].step));
      if (element.textContent !== text) element.textContent = text;
      if (element.role) Object.assign(element, { ariaValueNow: s[name], ariaValueText: text });
    }
  };
});
