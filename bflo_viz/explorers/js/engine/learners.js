// The online learners of the pages, as in bflo_viz.learners: one example a round, random numbers passed in.
import { DiagonalBelief, refuseInfinite } from "./beliefs.js";
import { Logistic, MLP } from "./models.js";

/**
 * An online learner, which changes in place. `round` is what happened last: weights made the prediction `label`, and
 * moved is where the sample of a belief flow went with its first step, for other learners where their weights are now.
 */
class Learner {
  rounds = 0;
  /** @type {any} */ belief = null; // of those that have one

  constructor(model, features, { updates = 1 } = {}) {
    this.model = model;
    this.updates = updates;
    this.dim = model.size(features);
    this.round = { weights: new Float64Array(this.dim), moved: new Float64Array(this.dim), label: 0 };
    this._gradient = new Float64Array(this.dim);
  }

  /** Do one round: predict, look at the label, update. The next round overwrites what is returned. */
  step(x, y, rng) {
    this.begin(rng);
    this._round(x, y, rng);
    this.rounds += 1;
    return this.round;
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
    const { weights, round, model } = this;
    model.forward(this.predicting(round.weights), x);
    round.label = model.label();
    for (let update = 0; update < this.updates; update++) this._move(x, y, rng);
    refuseInfinite(weights.reduce((sum, w) => sum + w, 0));
    round.moved.set(weights);
  }

  _move(_x, _y, _rng) {}

  /** The weights that predict, into out. */
  predicting(out) {
    out.set(this.weights);
    return out;
  }
}

/** Stochastic gradient descent with a fixed rate. */
export class SGD extends PointLearner {
  _move(x, y) {
    const { weights, model, eta, _gradient: gradient } = this;
    model.forward(weights, x);
    model.gradient(y, gradient);
    for (let i = 0; i < weights.length; i++) weights[i] -= eta * gradient[i];
  }
}

/**
 * Stochastic gradient Langevin dynamics (Welling and Teh), as published for dataSize = n examples:
 * w − (eta/2)(gradient + w / (n priorStd²)) + √(eta/n) z; noise in place of dataSize stands for √(eta/n) with n = 1.
 */
export class Langevin extends PointLearner {
  constructor(features, model, { dataSize = 1, noise = null, priorStd = null, ...options } = {}) {
    super(features, model, options);
    this.noise = noise ?? Math.sqrt(this.eta / dataSize);
    this._z = new Float64Array(this.dim);
    this._priorPrecision = priorStd === null ? 0 : priorStd ** -2 / dataSize;
  }

  _move(x, y, rng) {
    const { weights, model, noise, _priorPrecision: precision, _gradient: gradient, _z: z } = this;
    const half = 0.5 * this.eta;
    model.forward(weights, x);
    model.gradient(y, gradient);
    if (noise) rng.fillNormals(z);
    for (let i = 0; i < weights.length; i++) {
      weights[i] = weights[i] - half * (gradient[i] + precision * weights[i]) + noise * z[i];
    }
  }
}

/** Gradient descent with dropout (Hinton and others); biases are never left out, and the mean network predicts. */
export class Dropout extends PointLearner {
  constructor(features, model = null, { hiddenRate = 0.5, inputRate = 0.2, ...options } = {}) {
    super(features, model?.layers ? model : new MLP([features, 1], { bias: false }), options);
    this._rates = this.model.layers.map((_, l) => (l > 0 ? hiddenRate : inputRate)); // of the units that a layer starts from
    this._keep = new Float64Array(this.dim).fill(1); // 1 for each weight out of a unit that is not left out
    this._masked = new Float64Array(this.dim);
  }

  _move(x, y, rng) {
    const { weights, model, _keep: keep, _masked: masked, _gradient: gradient, eta } = this;
    this._mask(x, rng);
    for (let i = 0; i < weights.length; i++) masked[i] = weights[i] * keep[i];
    model.forward(masked, x);
    model.gradient(y, gradient);
    for (let i = 0; i < weights.length; i++) weights[i] -= eta * (keep[i] * gradient[i]);
  }

  /** The mean network: weights out of inputs and hidden units are scaled by what is kept of them. */
  predicting(out) {
    out.set(this.weights);
    for (const [l, { inputs, units, start }] of this.model.layers.entries()) {
      for (let i = start; i < start + inputs * units; i++) out[i] *= 1 - this._rates[l];
    }
    return out;
  }

  /** Leave units out: a uniform number for each input that is not zero and for each hidden unit decides. */
  _mask(x, rng) {
    const { _keep: keep } = this;
    for (const [l, { inputs, units, start }] of this.model.layers.entries()) {
      const rate = this._rates[l];
      for (let j = 0, row = start; j < inputs; j++, row += units) {
        const isDrawn = rate > 0 && (l > 0 || x[j] !== 0);
        keep.fill(isDrawn && rng.random() < rate ? 0 : 1, row, row + units);
      }
    }
  }
}

/** AROW (Crammer, Kulesza and Dredze) over two weights: a margin of the mean below 1 moves it; a sample or the mean predicts. */
export class AROW extends Learner {
  constructor(belief, { r = 10, predicting = "mean" } = {}) {
    super(new Logistic(), 2);
    this.r = r;
    this._z = predicting === "sample" ? new Float64Array(2) : null;
    this.belief = belief.copy();
  }

  _round(x, y, rng) {
    const { belief, round, model, r, _z: z } = this;
    const { mean } = belief;
    if (z) rng.fillNormals(z);
    model.forward(z ? belief.weight(z, round.weights) : (round.weights.set(mean), mean), x);
    round.label = model.label();
    const { q, size } = spreadAlong(belief, x); // q = Sᵀx, and its length is the standard deviation of the margin
    const side = 2 * y - 1;
    const hinge = 1 - side * (mean[0] * x[0] + mean[1] * x[1]);
    if (hinge > 0 && size > 0) {
      const variance = size * size;
      // With β = 1/(v + r): mean + h β y Σx, and Σ − β Σx xᵀΣ, which stretches S by √(r β) along q.
      const along = belief.stretchAlong(q, Math.sqrt(r / (variance + r)));
      for (let i = 0; i < 2; i++) mean[i] += ((side * hinge * size) / (variance + r)) * along[i];
    }
    round.moved.set(mean);
  }
}

/** The extended Kalman filter of logistic regression over two weights; processNoise is added to every variance. */
export class Kalman extends Learner {
  constructor(belief, { processNoise = 0 } = {}) {
    super(new Logistic(), 2);
    this.processNoise = processNoise;
    this.belief = belief.copy();
  }

  _round(x, y) {
    const { round, model, processNoise } = this;
    if (processNoise > 0) this.belief = widened(this.belief, processNoise);
    const { belief } = this;
    round.weights.set(belief.mean);
    model.forward(belief.mean, x);
    round.label = model.label();
    const p = model.probability[0];
    const { q, size } = spreadAlong(belief, x);
    // The observation noise is p (1 − p), the slope of the prediction is p (1 − p) x.
    const gain = 1 + p * (1 - p) * size * size;
    const along = belief.stretchAlong(q, 1 / Math.sqrt(gain));
    for (let i = 0; i < 2; i++) belief.mean[i] += (size * along[i] * (y - p)) / gain;
    round.moved.set(belief.mean);
  }
}

/** The whitened unit vector q = Sᵀx / |Sᵀx| of a full belief, and the standard deviation of x · w. */
function spreadAlong({ factor }, x) {
  const q = [factor[0] * x[0] + factor[2] * x[1], factor[1] * x[0] + factor[3] * x[1]];
  const size = Math.hypot(q[0], q[1]);
  return { q: q.map((part) => part / (size || 1)), size };
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
    const { belief, model, round, eta, localFlow, dim, _z: z, _gradient: gradient } = this;
    for (let update = 0; update < this.updates; update++) {
      const w = update === 0 ? round.weights : this._w;
      const wNew = update === 0 ? round.moved : this._wNew;
      this._draw(x, rng);
      belief.weight(z, w);
      model.forward(w, x);
      if (update === 0) round.label = model.label();
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
