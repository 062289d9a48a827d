// An explorer as a picture of its own that moves by itself: of its panels some are shown, and its controls are not.
import { decoded, partsOf } from "./address.js";
import { nearest } from "./kit.js";
import { savedModel } from "./saved.js";

/** The state that an address such as "regime:delta=1" shows; the rest is as in the first state of its kind. */
export function stateOf(first, address) {
  const known = first._about.controls;
  const [[, texts] = ["", new Map()]] = partsOf(address).explorers;
  const named = [...texts].filter(([trait]) => Object.hasOwn(known, trait));
  return { ...first, ...Object.fromEntries(named.map(([trait, text]) => [trait, nearest(known[trait], decoded(known[trait], text))])) };
}

/** The values of traits some part of the way from one state to another: numbers, points, and whole numbers rounded. */
export function between(known, from, to, part) {
  const mixed = (name, a, b) => {
    if (Array.isArray(a)) return a.map((x, i) => mixed(name, x, b[i]));
    if (typeof a !== "number") return b;
    const value = a + part * (b - a);
    return known[name].kind === "whole" ? Math.round(value) : value;
  };
  return Object.fromEntries(Object.keys(to).map((name) => [name, mixed(name, from[name], to[name])]));
}

/**
 * Put an explorer on a stage: { model, tour }. `panels` are the numbers of those that are shown. A tour is a list of legs,
 * one after the other and over again: { start, to, seconds, even } takes the values of start, then goes to those of to.
 */
export function stage(place, view, state, { panels, legs }) {
  const model = savedModel(state, false);
  view.render({ model, el: place });
  [...place.querySelector(".bflo-panels").children].forEach((panel, i) => panel.classList.toggle("bflo-unseen", !panels.includes(i)));
  place.dataset.alive = "yes";
  return { model, tour: tourOf(model, legs) };
}

/** What moves a model along its legs: { start, stop, isOn }; it goes on where it was stopped. */
function tourOf(model, legs) {
  const known = model.get("_about").controls;
  const set = (values) => {
    for (const [name, value] of Object.entries(values)) model.set(name, value);
  };
  const read = (names) => Object.fromEntries(names.map((name) => [name, model.get(name)]));
  let [leg, done, from, frame, before] = [-1, 0, null, 0, 0];
  const next = () => {
    leg = (leg + 1) % legs.length;
    set(legs[leg].start ?? {});
    [done, from] = [0, read(Object.keys(legs[leg].to ?? {}))];
  };
  const tick = (now) => {
    done += Math.min(100, Math.max(0, now - before)) / (1000 * legs[leg].seconds); // who was away finds it where it was
    before = now;
    const part = Math.min(1, done);
    set(between(known, from, legs[leg].to ?? {}, legs[leg].even ? part : (1 - Math.cos(Math.PI * part)) / 2));
    if (done >= 1) next();
    frame = requestAnimationFrame(tick);
  };
  return {
    isOn: () => frame !== 0,
    start() {
      if (frame || !legs.length) return;
      // What was moved by hand since is where it goes on from.
      if (leg < 0) next();
      else [done, from] = [0, read(Object.keys(legs[leg].to ?? {}))];
      before = performance.now();
      frame = requestAnimationFrame(tick);
    },
    stop() {
      cancelAnimationFrame(frame);
      frame = 0;
    },
  };
}
