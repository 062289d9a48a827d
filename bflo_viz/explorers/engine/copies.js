// States that can be kept: to scrub back to a round is to take the copy of it.

/** A copy that shares nothing which can change: numbers, arrays, and objects of any class with all that they hold. */
export function copyOf(value) {
  if (ArrayBuffer.isView(value)) return value.slice();
  if (Array.isArray(value)) return value.map(copyOf);
  if (value === null || typeof value !== "object") return value;
  const copy = Object.create(Object.getPrototypeOf(value));
  for (const name of Object.keys(value)) copy[name] = copyOf(value[name]);
  return copy;
}
