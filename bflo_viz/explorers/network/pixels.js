// Maps as pixels: values of a square grid, row by row from low y to high, in the colours of the figures.
import { colour, shadesBetween } from "../shared/plot.js";

const LEVELS = 511;
const PALE = 0.5; // of the colours of a map: marks of examples are darker
const asWords = (shades) => new Uint32Array(Uint8ClampedArray.from(shades.flatMap((shade) => [...shade])).buffer);
/** The colours of probabilities, from 0 to 1. */
export const SAID = asWords(Array.from({ length: LEVELS }, (_, i) => colour(PALE * ((2 * i) / (LEVELS - 1) - 1))));
/** The colours of a share from 0 to 1: the map of the figures that grows, from dark blue to yellow. */
export const GROWING = asWords(shadesBetween("00224e 1a386f 434e6c 61656f 7d7c78 9b9476 bcae6c dec958 fee838", LEVELS));

/** Let a canvas show square maps of so many values across, beside each other: `show(maps, colours, most)`. */
export function pixels(canvas, size, every = 1) {
  const [context, wide] = [canvas.getContext("2d"), size / every];
  let [image, words] = [null, null];
  return (maps, colours, most = 1) => {
    const across = wide * maps.length;
    if (image?.width !== across) {
      Object.assign(canvas, { width: across, height: wide });
      image = context.createImageData(across, wide);
      words = new Uint32Array(image.data.buffer);
    }
    maps.forEach((values, m) => {
      for (let row = 0; row < wide; row += 1) {
        const [from, to] = [(size - 1 - every * row) * size, row * across + m * wide];
        for (let i = 0; i < wide; i += 1) {
          words[to + i] = colours[Math.min(LEVELS - 1, Math.round(((LEVELS - 1) * values[from + every * i]) / most))];
        }
      }
    });
    context.putImageData(image, 0, 0);
    return wide;
  };
}
