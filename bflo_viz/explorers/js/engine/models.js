// Models, as in bflo_viz.models: pass an example forward with given weights, then ask for its label and gradient.

/** Logistic function; where exp(−t) overflows, it is 0. */
export function sigmoid(t) {
  return 1 / (1 + Math.exp(-t));
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
}

/** What output k should say: the label itself of a single output, one or zero of several. */
function target(y, k, outputs) {
  return outputs === 1 ? y : Number(k === y);
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

  /** Number of weights that lead out of each input: the gradient reaches all weights but those of inputs that are zero. */
  get fan() {
    return 1;
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
    const top = layers.length - 1;
    for (let j = 0; j < x.length; j++) layers[0].passed[j] = x[j];
    for (let l = 0; l <= top; l++) {
      const { inputs, units, start, passed } = layers[l];
      const biases = start + inputs * units;
      const activations = l < top ? layers[l + 1].passed : this.probability;
      const logits = l < top ? activations : this.logits;
      for (let k = 0; k < units; k++) logits[k] = bias ? w[biases + k] : 0;
      for (let j = 0, row = start; j < inputs; j++, row += units) {
        const a = passed[j];
        if (a !== 0) for (let k = 0; k < units; k++) logits[k] += a * w[row + k];
      }
      for (let k = 0; k < units; k++) activations[k] = sigmoid(logits[k]);
    }
    this._w = w;
  }

  /** Gradient of the loss by backpropagation, into out. */
  gradient(y, out) {
    const { layers, bias, outputs, probability, _w: w } = this;
    const { delta: last } = layers[layers.length - 1];
    for (let k = 0; k < outputs; k++) last[k] = (probability[k] - target(y, k, outputs)) / outputs;
    for (let l = layers.length - 1; l >= 0; l--) {
      const { inputs, units, start, passed, delta } = layers[l];
      const biases = start + inputs * units;
      const below = l > 0 ? layers[l - 1].delta : null; // inputs have no logits to pass it on to
      for (let j = 0, row = start; j < inputs; j++, row += units) {
        const a = passed[j];
        let back = 0;
        for (let k = 0; k < units; k++) {
          out[row + k] = a * delta[k];
          back += w[row + k] * delta[k];
        }
        if (l > 0) below[j] = back * a * (1 - a);
      }
      if (bias) for (let k = 0; k < units; k++) out[biases + k] = delta[k];
    }
  }

  /** Number of weights that lead out of each input: the gradient reaches all weights but those of inputs that are zero. */
  get fan() {
    return this.layers[0].units;
  }
}
