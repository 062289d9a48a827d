// A network of units and links, one object each, as TensorFlow Playground builds its own: what a page does without arrays.
// It learns by plain gradient descent, with a step after each example.

/** What a unit makes of its total input, and the derivative of that. */
const ACTIVATIONS = {
  tanh: {
    output: (t) => Math.tanh(t),
    derivative: (t) => {
      const output = ACTIVATIONS.tanh.output(t);
      return 1 - output * output;
    },
  },
  sigmoid: {
    output: (t) => 1 / (1 + Math.exp(-t)),
    derivative: (t) => {
      const output = ACTIVATIONS.sigmoid.output(t);
      return output * (1 - output);
    },
  },
};

/** Derivatives of the loss by what the last unit says: squares for tanh, whose labels are −1 and 1; for sigmoid the binary KL. */
const LOSSES = {
  tanh: { derivative: (output, y) => output - (2 * y - 1) },
  sigmoid: { derivative: (output, y) => (output - y) / (output * (1 - output)) },
};

class Unit {
  constructor(bias, activation) {
    Object.assign(this, { bias, activation, linksIn: [], linksOut: [] });
    Object.assign(this, { total: 0, output: 0, byOutput: 0, byTotal: 0, summed: 0, count: 0 });
  }

  /** Collect what comes in, and say what goes out. */
  update() {
    this.total = this.bias;
    for (let i = 0; i < this.linksIn.length; i++) {
      const link = this.linksIn[i];
      this.total += link.weight * link.source.output;
    }
    this.output = this.activation.output(this.total);
  }
}

class Link {
  constructor(source, target, weight, penalty) {
    Object.assign(this, { source, target, weight, penalty, byWeight: 0, summed: 0, count: 0 });
  }
}

/** Units layer by layer, with these weights, which are laid out as those of an MLP. */
export class LinkedUnits {
  constructor(sizes, weights, { activation = "tanh", rate = 0.01, penalty = null } = {}) {
    Object.assign(this, { rate, loss: LOSSES[activation], layers: [] });
    let at = 0;
    for (const [l, size] of sizes.entries()) {
      const below = this.layers[l - 1] ?? [];
      const layer = Array.from({ length: size }, (_, k) => new Unit(l > 0 ? weights[at + below.length * size + k] : 0, ACTIVATIONS[activation]));
      for (const source of below) {
        for (const target of layer) {
          const link = new Link(source, target, weights[at++], penalty);
          source.linksOut.push(link);
          target.linksIn.push(link);
        }
      }
      if (l > 0) at += size; // the biases
      this.layers.push(layer);
    }
  }

  /** Learn one example. */
  step(x, y) {
    this.forward(x);
    this.backward(y);
    this.descend();
  }

  forward(x) {
    const { layers } = this;
    for (let i = 0; i < x.length; i++) layers[0][i].output = x[i];
    for (let l = 1; l < layers.length; l++) {
      for (let i = 0; i < layers[l].length; i++) layers[l][i].update();
    }
  }

  /** Derivatives of the loss: by what a unit says, by its total input, by each link to it; and so on one layer below. */
  backward(y) {
    const { layers } = this;
    const last = layers.length - 1;
    layers[last][0].byOutput = this.loss.derivative(layers[last][0].output, y);
    for (let l = last; l >= 1; l--) {
      for (let i = 0; i < layers[l].length; i++) {
        const unit = layers[l][i];
        unit.byTotal = unit.byOutput * unit.activation.derivative(unit.total);
        unit.summed += unit.byTotal;
        unit.count += 1;
      }
      for (let i = 0; i < layers[l].length; i++) {
        const unit = layers[l][i];
        for (let j = 0; j < unit.linksIn.length; j++) {
          const link = unit.linksIn[j];
          link.byWeight = unit.byTotal * link.source.output;
          link.summed += link.byWeight;
          link.count += 1;
        }
      }
      for (let i = 0; i < layers[l - 1].length && l > 1; i++) {
        const unit = layers[l - 1][i];
        unit.byOutput = 0;
        for (let j = 0; j < unit.linksOut.length; j++) unit.byOutput += unit.linksOut[j].weight * unit.linksOut[j].target.byTotal;
      }
    }
  }

  /** A step against the mean of the derivatives since the last one. */
  descend() {
    for (let l = 1; l < this.layers.length; l++) {
      for (let i = 0; i < this.layers[l].length; i++) {
        const unit = this.layers[l][i];
        if (unit.count > 0) {
          unit.bias -= (this.rate * unit.summed) / unit.count;
          unit.summed = unit.count = 0;
        }
        for (let j = 0; j < unit.linksIn.length; j++) {
          const link = unit.linksIn[j];
          const more = link.penalty === null ? 0 : link.penalty(link.weight);
          if (link.count === 0) continue;
          link.weight -= (this.rate / link.count) * (link.summed + more);
          link.summed = link.count = 0;
        }
      }
    }
  }

  /** All weights, laid out as those of an MLP. */
  get weights() {
    const out = ({ linksOut }) => linksOut.map(({ weight }) => weight);
    return this.layers.slice(1).flatMap((layer, l) => [...this.layers[l].flatMap(out), ...layer.map(({ bias }) => bias)]);
  }
}
