// Models, as in bflo_viz.models: pass an example forward with given weights, then ask for its label, loss and gradient.

/** Logistic function, without overflow. */
export function sigmoid(t) {
  const small = Math.exp(-Math.abs(t));
  return (t >= 0 ? 1 : small) / (1 + small);
}

/** What both models say of the example that was passed forward last. */
class Model {
  constructor(outputs) {
    this.outputs = outputs;
    this.logits = new Float64Array(outputs);
    this.probability = new Float64Array(outputs); // the activations of the outputs
  }

  /** Label that is predicted: the largest output, or whether a single one is above one half. */
  label() {
    const { probability, outputs } = this;
    if (outputs === 1) return probability[0] > 0.5 ? 1 : 0;
    let best = 0;
    for (let k = 1; k < outputs; k++) if (probability[k] > probability[best]) best = k;
    return best;
  }

  /** Binary KL of the outputs from the label y in nats, averaged over the outputs; finite at any logit. */
  loss(y) {
    let sum = 0;
    for (let k = 0; k < this.outputs; k++) {
      const against = this._target(y, k) === 1 ? -this.logits[k] : this.logits[k];
      sum += Math.max(against, 0) + Math.log1p(Math.exp(-Math.abs(against)));
    }
    return sum / this.outputs;
  }

  /** What output k should say: the label itself of a single output, one or zero of several. */
  _target(y, k) {
    return this.outputs === 1 ? y : Number(k === y);
  }
}

/** Logistic regression: P(y = 1 | x) = sigmoid(w · x); a bias is a constant feature of the data. */
export class Logistic extends Model {
  constructor() {
    super(1);
    this._x = null;
  }

  size(features) {
    return features;
  }

  forward(w, x) {
    let logit = 0;
    for (let i = 0; i < x.length; i++) logit += w[i] * x[i];
    this.logits[0] = logit;
    this.probability[0] = sigmoid(logit);
    this._x = x;
  }

  /** Gradient (z − y) x of the loss, into out. */
  gradient(y, out) {
    const [error, x] = [this.probability[0] - y, this._x];
    for (let i = 0; i < x.length; i++) out[i] = error * x[i];
  }

  /** Whether the gradient of an example can reach weight i: that of an input that is not zero. */
  reaches(x, i) {
    return x[i] !== 0;
  }
}

/**
 * Layers of sigmoid units, sizes = [inputs, …, outputs]. The weights are one flat array: for each layer a block of
 * (inputs + bias) rows and a column for each unit, row after row; the row of the biases is the last.
 */
export class MLP extends Model {
  constructor(sizes, { bias = true } = {}) {
    super(sizes[sizes.length - 1]);
    this.bias = bias;
    this._size = 0;
    this._w = null;
    this.layers = sizes.slice(1).map((units, i) => {
      const inputs = sizes[i];
      const start = this._size; // where its weights begin
      this._size += (inputs + (bias ? 1 : 0)) * units;
      // What its inputs said, and derivatives of the loss by its logits.
      return { inputs, units, start, passed: new Float64Array(inputs), delta: new Float64Array(units) };
    });
  }

  size() {
    return this._size;
  }

  forward(w, x) {
    const { layers, bias } = this;
    const first = layers[0].passed;
    for (let j = 0; j < first.length; j++) first[j] = x[j];
    for (let l = 0; l < layers.length; l++) {
      const { inputs, units, passed, start } = layers[l];
      const isLast = l === layers.length - 1;
      const out = isLast ? this.logits : layers[l + 1].passed;
      for (let k = 0; k < units; k++) out[k] = 0;
      let at = start;
      for (let j = 0; j < inputs; j++) {
        const a = passed[j];
        for (let k = 0; k < units; k++) out[k] += a * w[at++];
      }
      if (bias) for (let k = 0; k < units; k++) out[k] += w[at++];
      const activations = isLast ? this.probability : out;
      for (let k = 0; k < units; k++) activations[k] = sigmoid(out[k]);
    }
    this._w = w;
  }

  /** Gradient of the loss by backpropagation, into out. */
  gradient(y, out) {
    const { layers, bias, outputs, probability, _w: w } = this;
    const { delta: last } = layers[layers.length - 1];
    for (let k = 0; k < outputs; k++) last[k] = (probability[k] - this._target(y, k)) / outputs;
    for (let l = layers.length - 1; l >= 0; l--) {
      const { inputs, units, passed, delta, start } = layers[l];
      let at = start;
      for (let j = 0; j < inputs; j++) {
        const a = passed[j];
        let back = 0;
        for (let k = 0; k < units; k++, at++) {
          out[at] = a * delta[k];
          back += w[at] * delta[k];
        }
        if (l > 0) layers[l - 1].delta[j] = back * a * (1 - a);
      }
      if (bias) for (let k = 0; k < units; k++, at++) out[at] = delta[k];
    }
  }

  /** Whether the gradient of an example can reach weight i: all but those of inputs that are zero. */
  reaches(x, i) {
    const { inputs, units } = this.layers[0];
    return i >= inputs * units || x[Math.floor(i / units)] !== 0;
  }
}
