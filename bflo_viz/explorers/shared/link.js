// The address of a page keeps the state of its explorers, and a button of each copies a link to it.
import { LONGEST, decoded, differences, encoded, partsOf } from "./address.js";
import { isShown, nearest, tag, write } from "./kit.js";

const [PAUSE, WAIT] = [250, 1000]; // ms: an address is written after a pause, or so long after it should be, as when rounds play
const [SHOWN, MANY] = [40, 3]; // letters of a text that is wrong, and how many of them are told

/** Keep the explorers of a page in its address: { place, model } of each. The last that was moved comes first. */
export function keepAddress(pairs) {
  const all = pairs.map(({ place, model }) => explorerOf(place, model));
  let [recent, arriving, due, timer] = [[], false, 0, 0];

  /** Put the state of what was moved into the address, behind the place. */
  function put(place) {
    due = 0;
    const states = recent.map((one) => one.text()).join(";");
    try {
      history.replaceState(history.state, "", `#${[place, states].filter(Boolean).join(";")}`);
    } catch (error) {
      console.warn(error); // a page in a frame may have no address of its own
    }
  }

  function moved(one) {
    if (arriving) return;
    recent = [one, ...recent.filter((other) => other !== one)];
    write(one.note, "");
    due ||= performance.now() + WAIT;
    clearTimeout(timer);
    timer = setTimeout(() => put(""), Math.max(0, Math.min(PAUSE, due - performance.now())));
  }

  /** Show what the address says; what it does not name is as it was saved. One that names no explorer changes none. */
  function arrive({ scrolls }) {
    clearTimeout(timer);
    const hash = location.hash.slice(1);
    const { place, explorers } = partsOf(hash.slice(0, LONGEST));
    if (!document.getElementById(place) && all.some((one) => one.name === place)) explorers.unshift([place, new Map()]); // its colon was lost
    if (!explorers.length) return recent.length ? put(place) : undefined;
    const named = new Map(explorers);
    arriving = true;
    for (const one of all) one.take(named.get(one.name));
    arriving = false;
    const missing = [...named.keys()].find((name) => !all.some((one) => one.name === name));
    if (hash.length > LONGEST) write(all[0].note, `The address has more than ${LONGEST} letters, and the rest of it is not read.`);
    else if (missing !== undefined) write(all[0].note, `The address names the explorer ${missing.slice(0, SHOWN) || "without a name"}, which is not on this page.`);
    recent = [...named.keys()].flatMap((name) => all.filter((one) => one.name === name));
    const target = place ? document.getElementById(place) : recent[0]?.place;
    // All is drawn a frame later.
    if (scrolls && target && !target.closest("[data-alone]")) requestAnimationFrame(() => requestAnimationFrame(() => target.scrollIntoView()));
    return undefined;
  }

  for (const one of all) one.model.on("change", () => moved(one));
  addEventListener("hashchange", () => arrive({ scrolls: true }));
  const [{ type } = {}] = performance.getEntriesByType("navigation");
  arrive({ scrolls: type === "navigate" }); // who comes back is where they were
}

/** An explorer as the address sees it. */
function explorerOf(place, model) {
  const known = model.get("_about").controls;
  const names = Object.keys(known);
  const saved = Object.fromEntries(names.map((trait) => [trait, model.get(trait)]));
  const state = () => Object.fromEntries(names.map((trait) => [trait, nearest(known[trait], model.get(trait))]));
  const name = place.dataset.address;
  const text = () => `${name}:${differences(known, state())}`;
  const root = place.querySelector(".bflo");
  const note = tag(null, "div", { class: "bflo-address", role: "status" });
  root.querySelector(".bflo-replaced").after(note);
  addButton(root, () => `${location.href.split("#")[0]}#${text()}`);

  /** The first values and what the texts say of others; without texts, what was saved. */
  function take(texts) {
    write(note, "");
    if (!texts) return model.arrive(saved);
    const wanted = (trait) => (texts.has(trait) ? nearest(known[trait], decoded(known[trait], texts.get(trait))) : known[trait].default);
    model.arrive(Object.fromEntries(names.map((trait) => [trait, wanted(trait)])));
    return write(note, remarks(known, state(), [...texts]));
  }
  return { name, place, model, note, text, take };
}

/** One sentence for what an address says and an explorer does not show. */
function remarks(known, state, texts) {
  const words = texts.flatMap(([trait, text]) => {
    const says = `${trait.slice(0, SHOWN)} = ${text.slice(0, SHOWN)}`;
    if (!Object.hasOwn(known, trait)) return [`${says}, which this explorer does not have`];
    const isTaken = isShown(known[trait], decoded(known[trait], text), state[trait]);
    return isTaken ? [] : [`${says}, taken as ${encoded(known[trait], state[trait]).slice(0, SHOWN)}`];
  });
  const more = words.length > MANY ? `; and ${words.length - MANY} more` : "";
  return words.length ? `The address says ${words.slice(0, MANY).join("; ")}${more}.` : "";
}

/** A quiet button beside the title. */
function addButton(root, linkNow) {
  const [title, voice] = [root.querySelector(".bflo-title"), root.querySelector(".bflo-live")];
  const head = tag(null, "div", { class: "bflo-head" });
  title.replaceWith(head);
  head.append(title);
  const words = "Copy link";
  const button = tag(head, "button", { type: "button", name: "copy-link", class: "bflo-button bflo-copy", title: "Copy the address of what is shown here" }, words);
  let resting = 0;
  button.addEventListener("click", async () => {
    const isCopied = await copied(linkNow(), button);
    voice.textContent = isCopied ? "Link copied." : "The link is marked: copy it.";
    button.textContent = isCopied ? "Copied" : words;
    clearTimeout(resting);
    resting = setTimeout(() => (button.textContent = words), 2000);
  });
}

/** Copy a text; where a page may not, leave it marked in a field before the button. */
async function copied(text, button) {
  button.parentElement.querySelector(".bflo-link")?.remove();
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = tag(null, "input", { type: "text", readonly: "", class: "bflo-link", "aria-label": "Link to what is shown", value: text });
    button.before(field);
    field.select();
    if (!document.execCommand("copy")) return false;
    field.remove();
    button.focus();
    return true;
  }
}
