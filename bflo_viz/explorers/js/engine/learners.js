// The online learners of the pages, as in bflo_viz.learners: step(x, y, rng) predicts, looks at the label and updates.
import { refuseInfinite } from "./beliefs.js";
import { Logistic } from "./models.js";

class Learner {
  label = 0; // the last prediction
  /** @type {any} */ belief = null; // of those that have one

  constructor(model, features) {
    this.model = model;
    this.dim = model.size(features);
    this._z = new Float64Array(this.dim);
    this._gradient = new Float64Array(this.dim);
  }

  /** Draw initial weights, if they are still to be drawn. */
  begin(_rng) {}

  /** Predict with some weights; returns the learner, which has the label. */
  predict(weights, x) {
    this.model.forward(weights, x);
    this.label = this.model.label();
    return this;
  }
}

/** Stochastic gradient descent with a fixed rate; weights start at zero, or are drawn from N(0, std²) in round one. */
export class SGD extends Learner {
  constructor(features, model, { eta = 1e-3, std = 0, updates = 1 } = {}) {
    super(model, features);
    this.rate = eta;
    this.std = std;
    this.updates = updates;
    this.weights = new Float64Array(this.dim);
    this._used = new Float64Array(this.dim);
    this._keep = new Float64Array(this.dim).fill(1); // 0 for each weight that is left out of an update
  }

  begin(rng) {
    if (this.std === 0) return;
    rng.fillNormals(this.weights);
    for (let i = 0; i < this.dim; i++) this.weights[i] *= this.std;
    this.std = 0;
  }

  step(x, y, rng) {
    this.begin(rng);
    this.predict(this.predicting(), x);
    for (let update = 0; update < this.updates; update++) this._move(x, y, rng);
    refuseInfinite(this.weights.reduce((sum, w) => sum + w, 0));
    return this;
  }

  _move(x, y, rng) {
    const { weights, model, rate, dim, _used: used, _keep: keep, _gradient: gradient } = this;
    this._leaveOut(rng);
    for (let i = 0; i < dim; i++) used[i] = weights[i] * keep[i];
    model.forward(used, x);
    model.gradient(y, gradient);
    for (let i = 0; i < dim; i++) weights[i] -= rate * keep[i] * gradient[i];
  }

  _leaveOut(_rng) {}

  /** A copy of the weights that predict, into out. */
  predicting(out = this._used) {
    out.set(this.weights);
    return out;
  }
}

/** Gradient descent with dropout (Hinton and others) of hidden units; the mean network predicts. */
export class Dropout extends SGD {
  constructor(features, model, { hiddenRate = 0.5, ...options } = {}) {
    super(features, model, options);
    this.hiddenRate = hiddenRate;
    const of = ({ units, start }) => (_, j) => [start + j * units, start + (j + 1) * units];
    const ways = (layer) => Array.from({ length: layer.inputs }, of(layer));
    this._hidden = model.layers.slice(1).flatMap(ways); // of each hidden unit, the weights that lead out of it
  }

  _leaveOut(rng) {
    this._keep.fill(1);
    if (this.hiddenRate === 0) return;
    for (const [from, to] of this._hidden) if (rng.random() < this.hiddenRate) this._keep.fill(0, from, to);
  }

  /** The mean network: weights out of hidden units are scaled by what is kept of them. */
  predicting(out = this._used) {
    out.set(this.weights);
    for (const [from, to] of this._hidden) for (let i = from; i < to; i++) out[i] *= 1 - this.hiddenRate;
    return out;
  }
}

/** The extended Kalman filter of logistic regression with two weights: the mean predicts. */
export class Kalman extends Learner {
  constructor(belief) {
    super(new Logistic(), belief.dim);
    this.belief = belief.copy();
  }

  step(x, y) {
    const { mean, factor } = this.belief;
    const p = this.predict(mean, x).model.probability[0];
    const r = p * (1 - p); // variance of the label
    const q = [factor[0] * x[0] + factor[2] * x[1], factor[1] * x[0] + factor[3] * x[1]]; // |q|² is xᵀΣx
    const size = Math.hypot(...q);
    const known = 1 + r * size ** 2;
    const along = this.belief.stretchAlong(q.map((part) => part / (size || 1)), 1 / Math.sqrt(known));
    for (let i = 0; i < 2; i++) mean[i] += ((y - p) / known) * size * along[i];
    return this;
  }
}

/**
 * Algorithm 1 of the paper: a Gaussian belief moved by the gradient step of one sampled weight. Options: eta,
 * nonExpansive, minStd, rule (of spherical beliefs), and updates, each with a fresh sample.
 */
export class BeliefFlow extends Learner {
  constructor(belief, model = new Logistic(), { eta = 1e-3, updates = 1, ...options } = /** @type {any} */ ({})) {
    super(model, belief.dim);
    this.eta = eta;
    this.updates = updates;
    this.options = options;
    this.belief = belief.copy();
    this._w = new Float64Array(this.dim);
    this._wNew = new Float64Array(this.dim);
  }

  /** Sample a weight, predict with it, let it step, and let the belief flow along. */
  step(x, y, rng) {
    const { belief, model, eta, dim, _z: z, _w: w, _wNew: wNew, _gradient: gradient } = this;
    const { inputs = 0, units = 1 } = model.layers?.[0] ?? {};
    const isIdle = (i) => i < inputs * units && x[Math.floor(i / units)] === 0; // it does not matter, and is not drawn
    for (let update = 0; update < this.updates; update++) {
      for (let i = 0; i < dim; i++) z[i] = isIdle(i) ? 0 : rng.standardNormal();
      belief.weight(z, w);
      if (update === 0) this.predict(w, x);
      else model.forward(w, x);
      model.gradient(y, gradient);
      for (let i = 0; i < dim; i++) wNew[i] = w[i] - eta * gradient[i];
      belief.flow(w, wNew, z, this.options);
    }
    return this;
  }
}
