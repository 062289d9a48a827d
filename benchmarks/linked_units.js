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
    this.bias = bias;
    this.activation = activation;
    this.linksIn = [];
    this.linksOut = [];
    this.total = 0; // what comes in
    this.output = 0;
    this.byOutput = 0;
    this.byTotal = 0;
    this.summed = 0;
    this.count = 0;
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
    this.source = source;
    this.target = target;
    this.weight = weight;
    this.penalty = penalty;
    this.byWeight = 0;
    this.summed = 0;
    this.count = 0;
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
      const layer = layers[l];
      for (let i = 0; i < layer.length; i++) layer[i].update();
    }
  }

  /** Derivatives of the loss: by what a unit says, by its total input, by each link to it; and so on one layer below. */
  backward(y) {
    const { layers } = this;
    const [top] = layers[layers.length - 1];
    top.byOutput = this.loss.derivative(top.output, y);
    for (let l = layers.length - 1; l >= 1; l--) {
      const layer = layers[l];
      for (let i = 0; i < layer.length; i++) {
        const unit = layer[i];
        unit.byTotal = unit.byOutput * unit.activation.derivative(unit.total);
        unit.summed += unit.byTotal;
        unit.count += 1;
        for (let j = 0; j < unit.linksIn.length; j++) {
          const link = unit.linksIn[j];
          link.byWeight = unit.byTotal * link.source.output;
          link.summed += link.byWeight;
          link.count += 1;
        }
      }
      if (l === 1) return; // inputs are given
      const below = layers[l - 1];
      for (let i = 0; i < below.length; i++) {
        const unit = below[i];
        unit.byOutput = 0;
        for (let j = 0; j < unit.linksOut.length; j++) {
          const link = unit.linksOut[j];
          unit.byOutput += link.weight * link.target.byTotal;
        }
      }
    }
  }

  /** A step against the mean of the derivatives since the last one. */
  descend() {
    const { layers, rate } = this;
    for (let l = 1; l < layers.length; l++) {
      const layer = layers[l];
      for (let i = 0; i < layer.length; i++) {
        const unit = layer[i];
        if (unit.count > 0) {
          unit.bias -= (rate * unit.summed) / unit.count;
          unit.summed = 0;
          unit.count = 0;
        }
        for (let j = 0; j < unit.linksIn.length; j++) {
          const link = unit.linksIn[j];
          const more = link.penalty ? link.penalty(link.weight) : 0;
          if (link.count > 0) {
            link.weight -= (rate / link.count) * (link.summed + more);
            link.summed = 0;
            link.count = 0;
          }
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
