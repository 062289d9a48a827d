// Three loss surfaces of two weights, as in bflo_viz.scenes.surfaces, which gives their numbers: their examples, the
// step on one example, and what Bayes' rule says. Weights are pairs, one after the other in one array.

/** What the surfaces share. What Bayes' rule keeps of examples is their number and sums of what `summed` says of each. */
class Surface {
  constructor(numbers, common) {
    Object.assign(this, numbers, { common, twoWells: numbers.optima.length === 2 });
  }

  /** Distance of a weight from the nearest optimum. */
  away(x, y) {
    return Math.min(...this.optima.map(([a, b]) => Math.hypot(x - a, y - b)));
  }

  /** Ranges to show: those of the surface, or so much more that the prior N(0, std²) and the optima are in them. */
  window(std) {
    const axes = [0, 1].map((i) => {
      const places = this.optima.map((optimum) => optimum[i]);
      const low = Math.min(this.low[i], ...places.map((x) => x - 1), -2.2 * std);
      const high = Math.max(this.high[i], ...places.map((x) => x + 1), 2.2 * std);
      return { middle: (low + high) / 2, size: high - low, shape: this.high[i] - this.low[i] };
    });
    const scale = Math.max(...axes.map(({ size, shape }) => size / shape));
    return axes.map(({ middle, shape }) => [middle - (scale * shape) / 2, middle + (scale * shape) / 2]);
  }

  /** Lines of equal loss, pieces apart by NaN; equal steps of distance, so evenly spaced in a bowl. */
  levels() {
    return this.common.distances.flatMap((distance) => [...this.level(distance), [NaN, NaN]]);
  }

  /** A gradient step on the loss of one example, of each weight in the array by itself. */
  step(weights, example) {
    const { eta, common } = this;
    for (let i = 0; i < weights.length; i += 2) {
      const slope = this.gradient(weights[i], weights[i + 1], example);
      for (let k = 0; k < 2; k++) {
        weights[i + k] = Math.max(-common.reach, Math.min(common.reach, weights[i + k] - eta * slope[k]));
      }
    }
  }
}

/** Linear regression: an example is (x₁, x₂, y); its loss ½ (w · x − y)². */
class Regression extends Surface {
  moveOptimum(x, y) {
    this.optima = [[x, y]];
  }

  /** An example of three normal numbers. */
  example([first, second, noise]) {
    const [[a], [b, c]] = this.factor;
    const [x1, x2] = [a * first, b * first + c * second];
    return [x1, x2, x1 * this.optima[0][0] + x2 * this.optima[0][1] + this.noise * noise];
  }

  gradient(w1, w2, [x1, x2, y]) {
    const wrong = w1 * x1 + w2 * x2 - y;
    return [wrong * x1, wrong * x2];
  }

  /** Two far points of the line w · x = y. */
  fitting([x1, x2, y]) {
    const length = Math.hypot(x1, x2);
    const [nearest, far] = [y / length ** 2, 30 / length];
    return [1, -1].map((side) => [nearest * x1 - side * far * x2, nearest * x2 + side * far * x1]);
  }

  /** An ellipse around the optimum. */
  level(distance) {
    const [[a], [b, c]] = this.factor;
    const [x, y] = this.optima[0];
    return circle(2 * this.common.around, distance).map(([p, q]) => [x + (p - (b * q) / c) / a, y + q / c]);
  }

  summed([x1, x2, y]) {
    return [x1 * x1, x1 * x2, x2 * x2, x1 * y, x2 * y];
  }

  mean(seen, std) {
    return this.posterior(seen, std).mean;
  }

  /** Mean and lower factor of the posterior: every example adds its precision. */
  posterior({ sums: [xx = 0, xy = 0, yy = 0, x = 0, y = 0] }, std) {
    const noise = this.noise ** 2;
    const [a, b, c] = [1 / std ** 2 + xx / noise, xy / noise, 1 / std ** 2 + yy / noise];
    const det = a * c - b * b;
    const first = Math.sqrt(c / det);
    const mean = [(c * x - b * y) / det / noise, (a * y - b * x) / det / noise];
    return { mean, factor: [first, 0, -b / det / first, 1 / Math.sqrt(c)] };
  }
}

/** A sign that nothing tells: an example is (w₁²/4, w₂) of an optimum and noise; its loss ½ |(w₁²/4, w₂) − y|². */
class DoubleWell extends Surface {
  moveOptimum(x, y) {
    this.optima = [[Math.abs(x), y], [-Math.abs(x), y]];
  }

  example([first, second]) {
    const [x, y] = this.optima[0];
    return [(x * x) / 4 + this.noise * first, y + this.noise * second];
  }

  gradient(w1, w2, [y1, y2]) {
    return [(((w1 * w1) / 4 - y1) * w1) / 2, w2 - y2];
  }

  /** One weight on each side (or one between them, if y₁ is negative and none fits). */
  fitting([y1, y2]) {
    const x = 2 * Math.sqrt(Math.max(0, y1));
    return [[x, y2], [-x, y2]];
  }

  level(distance) {
    const [x, y] = this.optima[0];
    return unfolded([(x * x) / 4, y], [distance, distance], this.common.around);
  }

  summed(example) {
    return example;
  }

  /** Mean of the posterior: both sides are alike. */
  mean({ n, sums: [, sum = 0] }, std) {
    return [0, (sum * std ** 2) / (n * std ** 2 + this.noise ** 2)];
  }

  /**
   * The posterior is a normal curve of q = w₁²/4 times a Gaussian of the second weight, so lines of equal density are
   * ellipses in (q, w₂). hill is the mean of what lies on the right, hillStd its standard deviations.
   */
  posterior({ n, sums }, std) {
    const [variance, noise] = [std ** 2, this.noise ** 2];
    const mean = this.mean({ n, sums }, std);
    const second = [mean[1], Math.sqrt((noise * variance) / (n * variance + noise))];
    let first = [std * Math.sqrt(2 / Math.PI), std * Math.sqrt(1 - 2 / Math.PI)]; // of the prior: half a Gaussian
    let outline = circle(2 * this.common.around, 2 * std);
    if (n > 0) {
      const centre = sums[0] / n - (2 * noise) / (n * variance);
      const width = this.noise / Math.sqrt(n);
      const side = nodesOf(centre, width, this.common);
      const middle = side.share.reduce((sum, share, i) => sum + share * side.w[i], 0);
      first = [middle, Math.sqrt(side.share.reduce((sum, share, i) => sum + share * (side.w[i] - middle) ** 2, 0))];
      const radius = radiusOf(this.common.inside, side);
      outline = unfolded([centre, second[0]], [radius * width, radius * second[1]], this.common.around);
    }
    return {
      mean,
      factor: [Math.hypot(...first), 0, 0, second[1]],
      hill: [first[0], second[0]],
      hillStd: [first[1], second[1]],
      outline,
      apart: outline.some(([x]) => Number.isNaN(x)),
    };
  }
}

/** The surface that these numbers are of. */
export function surfaceOf(numbers, common) {
  return numbers.factor ? new Regression(numbers, common) : new DoubleWell(numbers, common);
}

/** The error function: e^(−x²) Σ 2ᵏ x²ᵏ⁺¹ / (1 · 3 · 5 … (2k + 1)), whose terms have one sign. */
export function erf(x) {
  if (Math.abs(x) > 6) return Math.sign(x);
  let [term, sum] = [x, x];
  for (let k = 3; Math.abs(term) > 1e-17 * Math.abs(sum); k += 2) {
    term *= (2 * x * x) / k;
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

/** Places w ≥ 0 on one side of the double well, what each holds of the posterior, and its squared distance in widths. */
function nodesOf(centre, width, { nodes, wide }) {
  const low = 2 * Math.sqrt(Math.max(0, centre - wide * width));
  const high = 2 * Math.sqrt(centre + Math.hypot(Math.min(centre, 0), wide * width));
  const w = Float64Array.from({ length: nodes }, (_, i) => low + (i / (nodes - 1)) * (high - low));
  const away = w.map((x) => (((x * x) / 4 - centre) / width) ** 2);
  const nearest = Math.min(...away);
  const share = away.map((x, i) => Math.exp((nearest - x) / 2) / (i % (nodes - 1) ? 1 : 2)); // the trapezoid rule
  const total = share.reduce((sum, x) => sum + x, 0);
  return { w, away, share: share.map((x) => x / total) };
}

/** How large the ellipse in (q, w₂) must be, in widths, to hold a share of the posterior: by halving an interval. */
function radiusOf(inside, { away, share }) {
  let low = Math.sqrt(Math.min(...away));
  let high = low + 8;
  for (;;) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) return middle;
    let holds = 0;
    // Along the second weight the ellipse holds erf(half its height / √2) of a Gaussian.
    for (let i = 0; i < away.length; i++) {
      if (away[i] < middle * middle) holds += share[i] * erf(Math.sqrt((middle * middle - away[i]) / 2));
    }
    if (holds > inside) high = middle;
    else low = middle;
  }
}

/** The weights that fold onto an ellipse: one loop around both wells, or one around each with NaN between them. */
function unfolded([q, y], [across, up], around) {
  const least = -q / across; // of the cosine, where w₁ is 0
  const apart = least <= -1;
  const end = apart ? Math.PI : Math.acos(least);
  const right = Array.from({ length: around }, (_, i) => {
    const t = end * ((2 * i) / (around - 1) - 1);
    return [2 * Math.sqrt(Math.max(0, q + across * Math.cos(t))), y + up * Math.sin(t)];
  });
  const left = right.map(([x, height]) => [-x, height]).reverse();
  return [...right, apart ? [NaN, NaN] : left[0], ...left, apart ? left.at(-1) : right[0]];
}

/** Points once around 0, the first one twice. */
function circle(points, radius) {
  return Array.from({ length: points }, (_, i) => {
    const t = (2 * Math.PI * i) / (points - 1);
    return [radius * Math.cos(t), radius * Math.sin(t)];
  });
}
