// The online learners of the pages, as in bflo_viz.learners: one example a round, random numbers passed in.
import { DiagonalBelief, refuseInfinite } from "./beliefs.js";
import { norm } from "./flows.js";
import { Logistic } from "./models.js";

/** An online learner, which changes in place; `label` is its last prediction. */
class Learner {
  label = 0;
  /** @type {any} */ belief = null; // of those that have one

  constructor(model, features, updates = 1) {
    this.model = model;
    this.updates = updates;
    this.dim = model.size(features);
    this._gradient = new Float64Array(this.dim);
  }

  /** Do one round: predict, look at the label, update. Returns the learner, which knows the label that it predicted. */
  step(x, y, rng) {
    this.begin(rng);
    this._round(x, y, rng);
    return this;
  }

  /** Predict with some weights. */
  predict(weights, x) {
    this.model.forward(weights, x);
    this.label = this.model.label();
  }

  /** Draw initial weights, if they are still to be drawn. */
  begin(_rng) {}

  _round(_x, _y, _rng) {}
}

/**
 * Stochastic gradient descent with a fixed rate: w − rate (gradient + precision w) + noise z, without the last two. Its
 * weights start at zero, or are drawn from N(0, std²) in the first round.
 */
export class SGD extends Learner {
  precision = 0;
  noise = 0;

  constructor(features, model, { eta = 1e-3, std = 0, updates = 1 } = {}) {
    super(model, features, updates);
    this.rate = eta;
    this.std = std;
    this.weights = new Float64Array(this.dim);
    this._drawn = std === 0;
    this._z = new Float64Array(this.dim);
  }

  begin(rng) {
    if (this._drawn) return;
    rng.fillNormals(this.weights);
    for (let i = 0; i < this.dim; i++) this.weights[i] *= this.std;
    this._drawn = true;
  }

  _round(x, y, rng) {
    this.predict(this.predicting(), x);
    let sum = 0;
    for (let update = 0; update < this.updates; update++) sum = this._move(x, y, rng);
    refuseInfinite(sum);
  }

  /** Move the weights, and return their sum, which is finite only if all of them are. */
  _move(x, y, rng) {
    const { weights, model, rate, precision, noise, _gradient: gradient, _z: z } = this;
    model.forward(weights, x);
    model.gradient(y, gradient);
    let sum = 0;
    for (let i = 0; i < weights.length; i++) sum += weights[i] -= rate * (gradient[i] + precision * weights[i]);
    if (noise === 0) return sum;
    rng.fillNormals(z);
    for (let i = 0; i < weights.length; i++) weights[i] += noise * z[i];
    return sum;
  }

  /** The weights that predict, or a copy of them in out. */
  predicting(out = this.weights) {
    out.set(this.weights);
    return out;
  }
}

/** Stochastic gradient Langevin dynamics (Welling and Teh), as published for dataSize = n examples. */
export class Langevin extends SGD {
  constructor(features, model, { dataSize, priorStd, ...options }) {
    super(features, model, options);
    this.noise = Math.sqrt(this.rate / dataSize);
    this.precision = priorStd ** -2 / dataSize;
    this.rate /= 2;
  }
}

/** Gradient descent with dropout (Hinton and others) of hidden units; the mean network predicts. */
export class Dropout extends SGD {
  constructor(features, model, { hiddenRate = 0.5, ...options } = {}) {
    super(features, model, options);
    this.hiddenRate = hiddenRate;
    this._masked = new Float64Array(this.dim);
    this._keep = new Float64Array(this.dim); // 1 for each weight out of a unit that is not left out
    const rows = ({ inputs, units, start }) => Array.from({ length: inputs }, (_, j) => [start + j * units, start + (j + 1) * units]);
    this._hidden = model.layers.slice(1).flatMap(rows); // of each hidden unit, the weights that lead out of it
  }

  _move(x, y, rng) {
    const { weights, model, hiddenRate, _masked: masked, _keep: keep, _hidden: hidden, _gradient: gradient, rate } = this;
    keep.fill(1);
    for (let k = 0; k < hidden.length && hiddenRate > 0; k++) if (rng.random() < hiddenRate) keep.fill(0, hidden[k][0], hidden[k][1]);
    for (let i = 0; i < weights.length; i++) masked[i] = weights[i] * keep[i];
    model.forward(masked, x);
    model.gradient(y, gradient);
    let sum = 0;
    for (let i = 0; i < weights.length; i++) sum += weights[i] -= rate * (keep[i] * gradient[i]);
    return sum;
  }

  /** The mean network: weights out of hidden units are scaled by what is kept of them. */
  predicting(out = this._masked) {
    out.set(this.weights);
    for (const [from, to] of this._hidden) for (let i = from; i < to; i++) out[i] *= 1 - this.hiddenRate;
    return out;
  }
}

/** Learners of two weights or more whose belief each label moves along Σx, by a gain and what is left of the width there. */
class ConfidenceLearner extends Learner {
  constructor(belief) {
    super(new Logistic(), belief.dim);
    this.belief = belief.copy();
    this._z = new Float64Array(this.dim);
  }

  /** Change a full belief by rank one; `rule(v)` says the gain and what is left, where v = xᵀΣx. */
  _learn(x, rule) {
    const { mean, factor } = this.belief;
    const q = [factor[0] * x[0] + factor[2] * x[1], factor[1] * x[0] + factor[3] * x[1]]; // v is |q|²
    const size = norm(q);
    const [gain, left] = rule(size * size);
    const along = this.belief.stretchAlong(q.map((part) => part / (size || 1)), left);
    for (let i = 0; i < 2; i++) mean[i] += gain * size * along[i];
  }
}

/** AROW (Crammer, Kulesza and Dredze): a sample predicts, and a margin below 1 moves the belief, which is full. */
export class AROW extends ConfidenceLearner {
  constructor(belief, { r = 10 } = {}) {
    super(belief);
    this.r = r;
  }

  _round(x, y, rng) {
    const { belief, r, _z: z } = this;
    rng.fillNormals(z);
    this.predict(belief.weight(z), x);
    const side = 2 * y - 1;
    const hinge = 1 - side * (belief.mean[0] * x[0] + belief.mean[1] * x[1]);
    if (hinge > 0) this._learn(x, (v) => [(side * hinge) / (v + r), Math.sqrt(r / (v + r))]);
  }
}

/** The extended Kalman filter of logistic regression, of a full or a diagonal belief: the mean predicts. */
export class Kalman extends ConfidenceLearner {
  _round(x, y) {
    const { belief, model } = this;
    this.predict(belief.mean, x);
    const p = model.probability[0];
    const r = p * (1 - p); // variance of the label
    const gain = (v) => (y - p) / (1 + r * v);
    if (!(belief instanceof DiagonalBelief)) return this._learn(x, (v) => [gain(v), 1 / Math.sqrt(1 + r * v)]);
    const { mean, std } = belief;
    const v = std.reduce((sum, width, i) => sum + (width * x[i]) ** 2, 0);
    for (let i = 0; i < mean.length; i++) {
      mean[i] += gain(v) * std[i] ** 2 * x[i];
      std[i] /= Math.sqrt(1 + r * (std[i] * x[i]) ** 2);
    }
  }
}

/**
 * Algorithm 1 of the paper: a Gaussian belief moved by the gradient step of one sampled weight. Options: eta,
 * nonExpansive, minStd, rule (of spherical beliefs), and updates, each with a fresh sample.
 */
export class BeliefFlow extends Learner {
  constructor(belief, model = new Logistic(), { eta = 1e-3, updates = 1, ...options } = {}) {
    super(model, belief.dim, updates);
    this.eta = eta;
    this.options = options;
    this.belief = belief.copy();
    this._z = new Float64Array(this.dim);
    this._w = new Float64Array(this.dim);
    this._wNew = new Float64Array(this.dim);
  }

  /** Sample a weight, predict with it, let it step, and let the belief flow along. */
  _round(x, y, rng) {
    const { belief, model, eta, dim, _z: z, _w: w, _wNew: wNew, _gradient: gradient } = this;
    for (let update = 0; update < this.updates; update++) {
      rng.fillNormals(z);
      belief.weight(z, w);
      if (update === 0) this.predict(w, x);
      else model.forward(w, x);
      model.gradient(y, gradient);
      for (let i = 0; i < dim; i++) wNew[i] = w[i] - eta * gradient[i];
      belief.flow(w, wNew, z, this.options);
    }
  }
}
