"""Models: the prediction of given weights, and the gradient of their loss (section 4).

The loss is the binary KL of the prediction from the label in nats, averaged over the outputs. An example ``x`` is a
dense vector; a matrix ``X`` has one row per example, and may be sparse.
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import Floats

Rows = Any  # a dense array or a scipy.sparse matrix


def sigmoid(t: ArrayLike) -> Floats:
    """Return the logistic function ``1 / (1 + exp(−t))``, without overflow at any finite ``t``."""
    t = np.asarray(t, dtype=np.float64)
    small = np.exp(-np.abs(t))
    return np.where(t >= 0, 1.0, small) / (1.0 + small)


class Forward:
    """One example passed through a model: its prediction, and the gradient of its loss."""

    def __init__(self, blocks: list[Floats], inputs: list[Floats], logits: Floats, scalar: bool) -> None:
        self.blocks, self.inputs, self.logits, self.outputs = blocks, inputs, logits, sigmoid(logits)
        self.probability: Any = float(self.outputs[0]) if scalar else self.outputs
        self.label = int(self.outputs[0] > 0.5) if logits.size == 1 else int(self.outputs.argmax())

    def loss(self, y: int) -> float:
        """Return −log z or −log(1 − z), averaged over the outputs; by the logits, so that it is always finite."""
        if self.logits.size == 1 and y in (0, 1):  # by far the most frequent case
            logit = float(self.logits[0])
            return max(-logit if y else logit, 0.0) + math.log1p(math.exp(-abs(logit)))
        said = np.where(_target(y, self.logits.size) == 1, self.logits, -self.logits)
        return float(np.logaddexp(0.0, -said).mean())

    def gradient(self, y: int) -> Floats:
        """Return the gradient with respect to the weights by backpropagation; for one layer, ``(z − y) x``."""
        parts: list[Floats] = []
        delta = (self.outputs - _target(y, self.outputs.size)) / self.outputs.size
        for block, a in zip(reversed(self.blocks), reversed(self.inputs), strict=True):
            biases = [delta] if len(block) > a.size else []
            parts = [np.multiply.outer(a, delta).ravel(), *biases, *parts]
            if block is not self.blocks[0]:
                delta = (block[: a.size] @ delta) * a * (1 - a)
        return np.concatenate(parts) if len(parts) > 1 else parts[0]


class Model:
    """Predictions, losses and gradients of a model with given weights."""

    outputs: Any
    bias: Any
    size: Any
    unflatten: Any

    def forward(self, w: Floats, x: Floats) -> Forward:
        """Pass one dense example through the model, without any check."""
        blocks = self.unflatten(w)
        *inputs, logits = self._layers(blocks, x)
        return Forward(blocks, inputs, logits, isinstance(self, Logistic))

    def predict(self, w: ArrayLike, x: Rows) -> Any:
        """Return the probability that the label is 1; the activations of the outputs, shape (K,), of an `MLP`."""
        return self._pass(w, x).probability

    def predict_many(self, w: ArrayLike, X: Rows) -> Floats:
        """Return the predictions for each row of ``X``, shape (n,), or (n, K) of an `MLP`."""
        weights, features = self._checked(w)
        Z = sigmoid(self._layers(self.unflatten(weights), _matrix(X, features))[-1])
        return Z.ravel() if isinstance(self, Logistic) else Z

    def gradient(self, w: ArrayLike, x: Rows, y: int) -> Floats:
        """Return the gradient of the loss of one example with respect to the weights, as a dense vector."""
        return self._pass(w, x).gradient(y)

    def labels(self, Z: ArrayLike) -> NDArray[np.int64]:
        """Return the labels of predictions: the largest output, or 1 if a single one is above one half."""
        Z = np.reshape(Z, (-1, self.outputs))
        return (Z[:, 0] > 0.5 if self.outputs == 1 else Z.argmax(axis=1)).astype(np.int64)

    def _pass(self, w: ArrayLike, x: Rows) -> Forward:
        weights, features = self._checked(w)
        return self.forward(weights, check.vector("x", x, features))

    def _checked(self, w: ArrayLike) -> tuple[Floats, int]:
        weights = check.numbers("w", w)
        features = self.sizes[0] if isinstance(self, MLP) else weights.size
        if weights.shape != (self.size(features),):
            raise ValueError(f"w must hold {self.size(features)} weights for {self}, not shape {weights.shape}.")
        return weights, features

    def _layers(self, blocks: list[Floats], x: Rows) -> list[Any]:
        """Return the inputs of each layer, then the logits of the last, for one row or for all rows of a matrix."""
        passed = [x]
        for block in blocks:
            if len(passed) > 1:
                passed[-1] = sigmoid(passed[-1])
            passed.append(passed[-1] @ block[:-1] + block[-1] if self.bias else passed[-1] @ block)
        return passed


@dataclass(frozen=True)
class Logistic(Model):
    """Logistic regression: ``P(y = 1 | x) = sigmoid(w · x)``; a bias is a constant feature of the data.

    >>> Logistic().gradient([0.0, 0.0], [1.0, 2.0], 1).tolist()
    [-0.5, -1.0]
    """

    outputs: ClassVar[int] = 1  # type: ignore[misc]
    bias: ClassVar[bool] = False  # type: ignore[misc]
    precision: ClassVar[str] = "float64"

    def size(self, features: int | None = None) -> int:
        """Return the number of weights, which is that of the features."""
        return check.positive_int("features", features)

    def reached(self, x: Floats) -> NDArray[np.bool_]:
        """Return a mask of the weights that the gradient can reach, those of inputs that are not zero."""
        return x != 0

    def unflatten(self, w: Floats) -> list[Floats]:
        """Return the weights as one column."""
        return [w[:, None]]


@dataclass(frozen=True, init=False)
class MLP(Model):
    """Layers of sigmoid units, ``MLP(784, 200, 10)`` or ``MLP((784, 200, 10))``: inputs, hidden units, outputs.

    The weights are one flat vector: for each layer a block of shape ``(inputs + bias, units)`` in row-major order,
    whose last row holds the biases. Labels are 0 … K−1 for K outputs, 0 and 1 for a single one. ``precision``,
    ``"float32"`` or ``"float64"``, is that of the compiled rounds; the methods here are always float64.
    """

    sizes: tuple[int, ...]
    bias: bool
    precision: str

    def __init__(self, *layers: Any, bias: bool = True, precision: str = "float32") -> None:
        sizes = tuple(layers[0]) if len(layers) == 1 and np.ndim(layers[0]) == 1 else layers
        if len(sizes) < 2:
            raise ValueError(f"sizes must name at least the inputs and the outputs, but it was {check.short(sizes)}.")
        check.choice("precision", precision, ("float32", "float64"))
        sizes = tuple(check.positive_int(f"sizes[{i}]", size) for i, size in enumerate(sizes))
        self.__dict__.update(sizes=sizes, bias=check.flag("bias", bias), precision=precision)

    @property
    def outputs(self) -> int:
        """Number of output units."""
        return self.sizes[-1]

    def size(self, features: int | None = None) -> int:
        """Return the number of weights; ``features`` must be the number of inputs, if it is given."""
        if features not in (None, self.sizes[0]):
            raise ValueError(f"features must be {self.sizes[0]} for {self}, but it was {features}.")
        return sum((n + self.bias) * units for n, units in pairwise(self.sizes))

    def reached(self, x: Floats) -> NDArray[np.bool_]:
        """Return a mask of the weights that the gradient can reach, all but those of inputs that are zero."""
        every = np.ones(self.size(), bool)
        every[: x.size * self.sizes[1]] = np.repeat(x != 0, self.sizes[1])
        return every

    def hidden(self, w: ArrayLike, X: Rows) -> Floats:
        """Return the activities of the first layer of units for each row of ``X``."""
        return sigmoid(self._layers(self.unflatten(np.asarray(w))[:1], _matrix(X, self.sizes[0]))[-1])

    def unflatten(self, w: Floats) -> list[Floats]:
        """Return the blocks of the flat weights, one per layer, as two-dimensional views."""
        shapes = [(n + self.bias, units) for n, units in pairwise(self.sizes)]
        ends = np.cumsum([math.prod(shape) for shape in shapes])[:-1]
        return [part.reshape(shape) for part, shape in zip(np.split(w, ends), shapes, strict=True)]


def _matrix(X: Rows, features: int) -> Rows:
    """Return examples as they are, dense or sparse, if they have the right number of features."""
    X = check.sparse("X", X) if hasattr(X, "tocsr") else check.reals("X", X)
    if len(X.shape) != 2 or X.shape[1] != features:
        raise ValueError(f"X must have shape (n, {features}), but it has shape {X.shape}.")
    return X


def _target(y: Any, outputs: int) -> Floats:
    """Return what the output units should say: the label itself of one output, one-hot of several."""
    classes = max(outputs, 2)
    if isinstance(y, str) or y not in range(classes):
        raise ValueError(f"y must be a class from 0 to {classes - 1}, but it was {y!r}.")
    return np.array([float(y)]) if outputs == 1 else (np.arange(outputs) == y).astype(np.float64)
