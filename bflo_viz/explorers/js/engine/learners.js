// The online learners of the pages, as in bflo_viz.learners: one example a round, random numbers passed in.
import { DiagonalBelief, refuseInfinite } from "./beliefs.js";
import { Logistic, sigmoid } from "./models.js";

/** An online learner, which changes in place; `label` is its last prediction. */
class Learner {
  rounds = 0;
  label = 0;
  /** @type {any} */ belief = null; // of those that have one

  constructor(model, features, { updates = 1 } = {}) {
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

/** A learner whose state is one weight vector, which starts at zero or is drawn from N(0, std²) in the first round. */
class PointLearner extends Learner {
  constructor(features, model = new Logistic(), { eta = 1e-3, std = 0, updates = 1 } = {}) {
    super(model, features, { updates });
    this.eta = eta;
    this.std = std;
    this.weights = new Float64Array(this.dim);
    this._drawn = std === 0;
  }

  begin(rng) {
    if (this._drawn) return;
    rng.fillNormals(this.weights);
    for (let i = 0; i < this.dim; i++) this.weights[i] *= this.std;
    this._drawn = true;
  }

  /** Predict, and step as often as there are updates. */
  _round(x, y, rng) {
    this.predict(this.predicting(), x);
    let sum = 0;
    for (let update = 0; update < this.updates; update++) sum = this._move(x, y, rng);
    refuseInfinite(sum);
  }

  /** Move the weights, and return their sum, which is finite only if all of them are. */
  _move(_x, _y, _rng) {
    return 0;
  }

  /** The weights that predict, or a copy of them in out. */
  predicting(out = this.weights) {
    out.set(this.weights);
    return out;
  }
}

/** Stochastic gradient descent with a fixed rate: w − rate (gradient + precision w) + noise z, without the last two. */
export class SGD extends PointLearner {
  precision = 0;
  noise = 0;

  constructor(features, model, options = {}) {
    super(features, model, options);
    this.rate = this.eta;
    this._z = new Float64Array(this.dim);
  }

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
}

/**
 * Stochastic gradient Langevin dynamics (Welling and Teh), as published for dataSize = n examples: rate eta/2, precision
 * 1/(n priorStd²), noise √(eta/n). With noise in place of dataSize, n is 1 in the precision.
 */
export class Langevin extends SGD {
  constructor(features, model, { dataSize = 1, noise = null, priorStd = null, ...options } = /** @type {any} */ ({})) {
    super(features, model, options);
    this.rate = 0.5 * this.eta;
    this.noise = noise ?? Math.sqrt(this.eta / dataSize);
    this.precision = priorStd === null ? 0 : priorStd ** -2 / dataSize;
  }
}

/** Gradient descent with dropout (Hinton and others) of hidden units; the mean network predicts. */
export class Dropout extends PointLearner {
  constructor(features, model, { hiddenRate = 0.5, ...options } = {}) {
    super(features, model, options);
    this.hiddenRate = hiddenRate;
    this._masked = new Float64Array(this.dim);
    this._keep = new Float64Array(this.dim); // 1 for each weight out of a unit that is not left out
    const rows = ({ inputs, units, start }) => Array.from({ length: inputs }, (_, j) => [start + j * units, start + (j + 1) * units]);
    this._hidden = model.layers.slice(1).flatMap(rows); // of each hidden unit, the weights that lead out of it
  }

  _move(x, y, rng) {
    const { weights, model, hiddenRate, _masked: masked, _keep: keep, _hidden: hidden, _gradient: gradient, eta } = this;
    keep.fill(1);
    for (let k = 0; k < hidden.length && hiddenRate > 0; k++) if (rng.random() < hiddenRate) keep.fill(0, hidden[k][0], hidden[k][1]);
    for (let i = 0; i < weights.length; i++) masked[i] = weights[i] * keep[i];
    model.forward(masked, x);
    model.gradient(y, gradient);
    let sum = 0;
    for (let i = 0; i < weights.length; i++) sum += weights[i] -= eta * (keep[i] * gradient[i]);
    return sum;
  }

  /** The mean network: weights out of hidden units are scaled by what is kept of them. */
  predicting(out = this._masked) {
    out.set(this.weights);
    for (const [from, to] of this._hidden) for (let i = from; i < to; i++) out[i] *= 1 - this.hiddenRate;
    return out;
  }
}

/** A Gaussian over two weights whose mean moves by gain Σx, and whose factor is stretched along q = Sᵀx. */
class ConfidenceLearner extends Learner {
  constructor(belief, predicting) {
    super(new Logistic(), 2);
    this.belief = belief.copy();
    this._z = predicting === "sample" ? new Float64Array(2) : null;
  }

  /** The gain of the mean and the stretch, given the label, the margin and the variance of x · w. @returns {number[]} */
  _gains(_y, _margin, _variance) {
    return [0, 1];
  }

  _round(x, y, rng) {
    const { belief, _z: z } = this;
    const { mean, factor } = belief;
    if (z) rng.fillNormals(z);
    this.predict(z ? belief.weight(z) : mean, x);
    const q = [factor[0] * x[0] + factor[2] * x[1], factor[1] * x[0] + factor[3] * x[1]];
    const size = Math.hypot(q[0], q[1]);
    const [gain, a] = this._gains(y, mean[0] * x[0] + mean[1] * x[1], size * size);
    const along = belief.stretchAlong(q.map((part) => part / (size || 1)), a);
    for (let i = 0; i < 2; i++) mean[i] += gain * size * along[i];
  }
}

/** AROW (Crammer, Kulesza and Dredze): a margin below 1 moves it; a sample or the mean predicts. */
export class AROW extends ConfidenceLearner {
  constructor(belief, { r = 10, predicting = "mean" } = {}) {
    super(belief, predicting);
    this.r = r;
  }

  _gains(y, margin, variance) {
    const side = 2 * y - 1;
    const hinge = Math.max(0, 1 - side * margin);
    return hinge > 0 ? [(side * hinge) / (variance + this.r), Math.sqrt(this.r / (variance + this.r))] : [0, 1];
  }
}

/** The extended Kalman filter of logistic regression; processNoise is added to every variance before each round. */
export class Kalman extends ConfidenceLearner {
  constructor(belief, { processNoise = 0 } = {}) {
    super(belief, "mean");
    this.processNoise = processNoise;
  }

  _round(x, y, rng) {
    if (this.processNoise > 0) this.belief = widened(this.belief, this.processNoise);
    super._round(x, y, rng);
  }

  _gains(y, margin, variance) {
    const p = sigmoid(margin); // the observation noise is p (1 − p), the slope of the prediction p (1 − p) x
    const gain = 1 + p * (1 - p) * variance;
    return [(y - p) / gain, 1 / Math.sqrt(gain)];
  }
}

/** A full belief with so much more variance in every direction: the Cholesky factor of S Sᵀ + noise. */
function widened({ mean, factor: [a, b, c, d], constructor }, noise) {
  const corner = Math.sqrt(a * a + b * b + noise);
  const side = (a * c + b * d) / corner;
  return new constructor(mean, [corner, 0, side, Math.sqrt(Math.max(0, c * c + d * d + noise - side * side))]);
}

/**
 * Algorithm 1 of the paper: a Gaussian belief moved by the gradient step of one sampled weight. Options: eta,
 * nonExpansive, minStd, rule (of spherical beliefs), and updates, each with a fresh sample. localFlow(w, gradient, wNew),
 * if given, writes into wNew where a weight goes; eta is then not used.
 */
export class BeliefFlow extends Learner {
  constructor(belief, model = new Logistic(), { eta = 1e-3, updates = 1, localFlow = null, ...options } = {}) {
    super(model, belief.dim, { updates });
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
