// Models, as in bflo_viz.models: pass an example forward with given weights, then ask for its label and gradient.

/** Logistic function; where exp(−t) overflows, it is 0. */
export const sigmoid = (t) => 1 / (1 + Math.exp(-t));

/** Logistic regression: P(y = 1 | x) = sigmoid(w · x); a bias is a constant feature of the data. */
export class Logistic {
  probability = new Float64Array(1);
  /** @type {any} */ _x = null;

  size(features) {
    return features;
  }

  forward(w, x) {
    let logit = 0;
    for (let i = 0; i < x.length; i++) logit += w[i] * x[i];
    this.probability[0] = sigmoid(logit);
    this._x = x;
  }

  label() {
    return this.probability[0] > 0.5 ? 1 : 0;
  }

  /** Gradient (z − y) x of the loss, into out. */
  gradient(y, out) {
    const [error, x] = [this.probability[0] - y, this._x];
    for (let i = 0; i < x.length; i++) out[i] = error * x[i];
  }
}

/**
 * Layers of sigmoid units, sizes = [inputs, …, outputs]. The weights are one flat array: for each layer a block of
 * (inputs + bias) rows and a column for each unit, row after row; the row of the biases is the last.
 */
export class MLP {
  constructor(sizes) {
    this._size = 0;
    this._w = null;
    this.probability = new Float64Array(sizes.at(-1)); // the activations of the outputs
    this.layers = sizes.slice(1).map((units, i) => {
      const [inputs, start] = [sizes[i], this._size];
      this._size += (inputs + 1) * units;
      // What its inputs said, and derivatives of the loss by its logits.
      return { inputs, units, start, passed: new Float64Array(inputs), delta: new Float64Array(units) };
    });
  }

  size() {
    return this._size;
  }

  forward(w, x) {
    const { layers } = this;
    layers[0].passed.set(x);
    for (let l = 0; l < layers.length; l++) {
      const { inputs, units, start, passed } = layers[l];
      const biases = start + inputs * units;
      const out = l + 1 < layers.length ? layers[l + 1].passed : this.probability;
      for (let k = 0; k < units; k++) out[k] = w[biases + k];
      for (let j = 0, row = start; j < inputs; j++, row += units) {
        const a = passed[j];
        if (a !== 0) for (let k = 0; k < units; k++) out[k] += a * w[row + k];
      }
      for (let k = 0; k < units; k++) out[k] = sigmoid(out[k]);
    }
    this._w = w;
  }

  /** The largest output, or whether a single one is above one half. */
  label() {
    const { probability } = this;
    return probability.length === 1 ? Number(probability[0] > 0.5) : probability.indexOf(Math.max(...probability));
  }

  /** Gradient of the loss of a single output, by backpropagation, into out. */
  gradient(y, out) {
    const { layers, probability, _w: w } = this;
    layers[layers.length - 1].delta[0] = probability[0] - y;
    for (let l = layers.length - 1; l >= 0; l--) {
      const { inputs, units, start, passed, delta } = layers[l];
      const below = l > 0 ? layers[l - 1].delta : null; // inputs have no logits to pass it on to
      for (let j = 0, row = start; j < inputs; j++, row += units) {
        const a = passed[j];
        let back = 0;
        for (let k = 0; k < units; k++) {
          out[row + k] = a * delta[k];
          back += w[row + k] * delta[k];
        }
        if (below) below[j] = back * a * (1 - a);
      }
      out.set(delta, start + inputs * units);
    }
  }
}
