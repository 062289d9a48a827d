// The online learners of the pages, as in bflo_viz.learners: one example a round, random numbers passed in.
import { DiagonalBelief, refuseInfinite } from "./beliefs.js";
import { norm } from "./flows.js";
import { Logistic } from "./models.js";

/** An online learner, which changes in place; `label` is its last prediction. */
class Learner {
  rounds = 0;
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
    this.rounds += 1;
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

/** AROW (Crammer, Kulesza and Dredze) of two weights: a sample predicts, and a margin below 1 moves the belief. */
export class AROW extends Learner {
  constructor(belief, { r = 10 } = {}) {
    super(new Logistic(), 2);
    this.belief = belief.copy();
    this.r = r;
    this._z = new Float64Array(2);
  }

  _round(x, y, rng) {
    const { belief, r, _z: z } = this;
    const { mean, factor } = belief;
    rng.fillNormals(z);
    this.predict(belief.weight(z), x);
    const side = 2 * y - 1;
    const hinge = Math.max(0, 1 - side * (mean[0] * x[0] + mean[1] * x[1]));
    if (hinge === 0) return;
    const q = [factor[0] * x[0] + factor[2] * x[1], factor[1] * x[0] + factor[3] * x[1]]; // the variance of x · w is |q|²
    const size = norm(q);
    const variance = size * size;
    const along = belief.stretchAlong(q.map((part) => part / (size || 1)), Math.sqrt(r / (variance + r)));
    for (let i = 0; i < 2; i++) mean[i] += ((side * hinge) / (variance + r)) * size * along[i];
  }
}

/**
 * Algorithm 1 of the paper: a Gaussian belief moved by the gradient step of one sampled weight. Options: eta,
 * nonExpansive, minStd, rule (of spherical beliefs), and updates, each with a fresh sample. localFlow(w, gradient, wNew),
 * if given, writes into wNew where a weight goes; eta is then not used.
 */
export class BeliefFlow extends Learner {
  constructor(belief, model = new Logistic(), { eta = 1e-3, updates = 1, localFlow = null, ...options } = {}) {
    super(model, belief.dim, updates);
    this.eta = eta;
    this.localFlow = localFlow;
    this.options = options;
    this.belief = belief.copy();
    this._z = new Float64Array(this.dim);
    this._w = new Float64Array(this.dim);
    this._wNew = new Float64Array(this.dim);
  }

  /** Sample a weight, predict with it, let it step, and let the belief flow along. */
  _round(x, y, rng) {
    const { belief, model, eta, localFlow, dim, _z: z, _w: w, _wNew: wNew, _gradient: gradient } = this;
    for (let update = 0; update < this.updates; update++) {
      this._draw(x, rng);
      belief.weight(z, w);
      if (update === 0) this.predict(w, x);
      else model.forward(w, x);
      model.gradient(y, gradient);
      if (localFlow !== null) localFlow(w, gradient, wNew);
      else for (let i = 0; i < dim; i++) wNew[i] = w[i] - eta * gradient[i];
      belief.flow(w, wNew, z, this.options);
    }
  }

  /** A normal number for each weight that a round can move, in index order, and 0 for the others. */
  _draw(x, rng) {
    const { model, dim, _z: z } = this;
    const all = this.localFlow !== null || !(this.belief instanceof DiagonalBelief);
    let from = 0;
    for (let j = 0; j < x.length && !all; j++) {
      if (x[j] !== 0) continue;
      rng.fillNormals(z, from, j * model.fan);
      from = (j + 1) * model.fan;
      z.fill(0, j * model.fan, from);
    }
    rng.fillNormals(z, from, dim);
  }
}
