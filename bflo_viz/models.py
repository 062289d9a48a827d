"""Models: what they predict from given weights, and the gradient of their loss, nothing else.

Both models answer the same verbs in float64. A row ``x`` is a dense vector or a ``scipy.sparse`` row, a matrix ``X``
has one row an example and may be sparse too; scipy itself is never imported here.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import Floats

Rows = Any  # a dense array or a scipy.sparse matrix


def sigmoid(t: ArrayLike) -> Floats:
    """Logistic function ``1 / (1 + exp(−t))``, without overflow at any finite ``t``.

    >>> sigmoid([-1e4, 0.0, 1e4]).tolist()
    [0.0, 0.5, 1.0]
    """
    t = np.asarray(t, dtype=np.float64)
    small = np.exp(-np.abs(t))
    return np.asarray(np.where(t >= 0, 1.0, small) / (1.0 + small))


class Forward:
    """One example passed through a model with given weights: its prediction, and what loss and gradient need.

    ``blocks`` are the weights of the layers, ``inputs`` what each of them was given.
    """

    def __init__(self, blocks: list[Floats], inputs: list[Floats], logits: Floats, *, scalar: bool = False) -> None:
        self.blocks, self.inputs, self.logits, self.outputs = blocks, inputs, logits, sigmoid(logits)
        self.probability: Any = float(self.outputs[0]) if scalar else self.outputs
        self.label = int(_labels(self.outputs[None])[0])

    def loss(self, y: int) -> float:
        """Binary KL of the prediction from the label in nats, averaged over the outputs; finite at any logit."""
        target = _target(y, self.logits.size)
        # −log z and −log(1 − z) from the logit: both stay finite where z rounds to 0 or 1.
        return float(np.mean(np.logaddexp(0.0, np.where(target == 1, -self.logits, self.logits))))

    def gradient(self, y: int) -> Floats:
        """Gradient of the loss with respect to the weights, by backpropagation; for one layer ``(z − y) x``."""
        gradients: list[Floats] = []
        delta = (self.outputs - _target(y, self.outputs.size)) / self.outputs.size  # by the logits of a layer
        for layer in reversed(range(len(self.blocks))):
            a, block = self.inputs[layer], self.blocks[layer]
            gradient = np.empty(block.shape)
            np.multiply.outer(a, delta, out=gradient[: a.size])
            gradient[a.size :] = delta  # the biases, if there are any
            gradients.insert(0, gradient.ravel())
            if layer > 0:  # inputs have no logits to pass it on to
                delta = (block[: a.size] @ delta) * a * (1 - a)
        return np.concatenate(gradients)


class _Questions(ABC):
    """What can be asked of one example with any model; the answers follow from `forward`."""

    @property
    @abstractmethod
    def outputs(self) -> int:
        """Number of outputs."""

    @abstractmethod
    def forward(self, w: ArrayLike, x: Rows) -> Forward:
        """Pass one example through the model."""

    def predict(self, w: ArrayLike, x: Rows) -> Any:
        """Probability that the label of one example is 1; activations of the outputs, shape (K,), of an `MLP`."""
        return self.forward(w, x).probability

    def gradient(self, w: ArrayLike, x: Rows, y: int) -> Floats:
        """Gradient of the loss of one example with respect to the weights; dense, whatever ``x`` is."""
        return self.forward(w, x).gradient(y)

    def loss_of(self, w: ArrayLike, x: Rows, y: int) -> float:
        """Binary KL of the prediction from the label in nats, averaged over the outputs; finite at any logit."""
        return self.forward(w, x).loss(y)

    def label(self, z: ArrayLike) -> int:
        """Label that the prediction ``z`` stands for: the largest output, or 1 if a single one is above one half."""
        z = np.reshape(z, (1, -1))
        if z.size != self.outputs:
            raise ValueError(f"z must hold {self.outputs} outputs, but it holds {z.size}.")
        return int(_labels(z)[0])

    def labels(self, Z: ArrayLike) -> NDArray[np.int64]:
        """Do as `label` for the predictions of many examples."""
        return _labels(np.reshape(Z, (-1, self.outputs)))


@dataclass(frozen=True)
class Logistic(_Questions):
    """Logistic regression: ``P(y = 1 | x) = sigmoid(w · x)``; a bias is a constant feature of the data.

    >>> model = Logistic()
    >>> model.predict([0.0, 0.0], [1.0, 2.0])
    0.5
    >>> model.gradient([0.0, 0.0], [1.0, 2.0], 1).tolist()
    [-0.5, -1.0]
    """

    precision: ClassVar[str] = "float64"

    @property
    def outputs(self) -> int:
        """One, the probability of label 1."""
        return 1

    def size(self, features: int | None = None) -> int:
        """Number of weights for so many features, which must be given."""
        return check.positive_int("features", features)

    def forward(self, w: ArrayLike, x: Rows) -> Forward:
        """Pass one example through."""
        w = _weights(w)
        row = dense_row(x, w.size)
        return Forward([w[:, None]], [row], np.array([w @ row]), scalar=True)

    def reached(self, x: Floats) -> NDArray[np.bool_]:
        """Which weights the gradient of an example can reach: those of inputs that are not zero."""
        return np.asarray(x != 0)

    def predict_many(self, w: ArrayLike, X: Rows) -> Floats:
        """Probability of label 1 for each row of ``X``, shape (n,)."""
        w = _weights(w)
        return sigmoid(np.asarray(_matrix(X, w.size) @ w))


@dataclass(frozen=True, init=False)
class MLP(_Questions):
    """Layers of sigmoid units; the loss is the binary KL averaged over the outputs.

    Labels are class numbers 0 … K−1 of K outputs, or 0 and 1 of a single output.

    Parameters
    ----------
    sizes
        Number of inputs, of the units in each hidden layer, and of outputs: ``MLP(784, 200, 10)`` in the paper, or
        ``MLP((784, 200, 10))``.
    bias
        Whether each unit also has a weight from a constant input.
    precision
        ``"float32"`` or ``"float64"``: what a compiled pass computes in. The methods here are always float64.

    Notes
    -----
    The weights are one flat vector: for each layer a block of shape ``(inputs + bias, units)`` in row-major order, so
    ``block[j, k]`` leads from input ``j`` to unit ``k`` and the row of the biases is the last.

    >>> model = MLP(2, 3, 1)
    >>> [block.shape for block in model.unflatten(np.zeros(model.size()))]
    [(3, 3), (4, 1)]
    """

    sizes: tuple[int, ...]
    bias: bool
    precision: Literal["float32", "float64"]

    def __init__(
        self,
        *layers: Any,
        sizes: Iterable[int] | None = None,
        bias: bool = True,
        precision: Literal["float32", "float64"] = "float32",
    ) -> None:
        given: Any = layers[0] if len(layers) == 1 else layers or sizes
        if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__") or np.ma.is_masked(given):
            was = check.short(given)
            raise ValueError(f"sizes must be a sequence of layer sizes such as (2, 3, 1), but it was {was}.")
        sizes = tuple(given)
        if len(sizes) < 2:
            raise ValueError(f"sizes must name at least the inputs and the outputs, but it was {sizes}.")
        sizes = tuple(check.positive_int(f"sizes[{i}]", size) for i, size in enumerate(sizes))
        check.choice("precision", precision, ("float32", "float64"))
        for name, value in (("sizes", sizes), ("bias", check.flag("bias", bias)), ("precision", precision)):
            object.__setattr__(self, name, value)

    @property
    def outputs(self) -> int:
        """Number of output units."""
        return self.sizes[-1]

    def size(self, features: int | None = None) -> int:
        """Number of weights; ``features`` must be the number of inputs, if it is given."""
        if features is not None and check.positive_int("features", features) != self.sizes[0]:
            raise ValueError(f"features must be {self.sizes[0]} for {self}, but it was {features}.")
        return sum(map(math.prod, self._shapes()))

    def unflatten(self, w: ArrayLike) -> list[Floats]:
        """Blocks of the flat weights, one a layer, as two-dimensional views."""
        w = _weights(w, self.size(), str(self))
        blocks, end = [], 0
        for shape in self._shapes():
            start, end = end, end + math.prod(shape)
            blocks.append(w[start:end].reshape(shape))
        return blocks

    def forward(self, w: ArrayLike, x: Rows) -> Forward:
        """Pass one example through."""
        blocks = self.unflatten(w)
        *inputs, logits = self._layers(blocks, dense_row(x, self.sizes[0]))
        return Forward(blocks, inputs, logits)

    def reached(self, x: Floats) -> NDArray[np.bool_]:
        """Which weights the gradient of an example can reach: all but those of inputs that are zero."""
        every = np.ones(self.size(), bool)
        every[: x.size * self.sizes[1]] = np.repeat(x != 0, self.sizes[1])
        return every

    def predict_many(self, w: ArrayLike, X: Rows) -> Floats:
        """Activations of the output units for each row of ``X``, shape (n, K)."""
        return sigmoid(self._layers(self.unflatten(w), _matrix(X, self.sizes[0]))[-1])

    def hidden(self, w: ArrayLike, X: Rows) -> Floats:
        """Activities of the first hidden layer (of the outputs, if there is none) for each row of ``X``.

        >>> model = MLP(2, 3, 1)
        >>> model.hidden(np.zeros(model.size()), [[0.0, 1.0]])
        array([[0.5, 0.5, 0.5]])
        """
        blocks, passed = self.unflatten(w), _matrix(X, self.sizes[0])
        return sigmoid(passed @ blocks[0][: self.sizes[0]] + blocks[0][self.sizes[0] :].sum(axis=0))  # and the bias

    def _shapes(self) -> list[tuple[int, int]]:
        return [(n + self.bias, units) for n, units in pairwise(self.sizes)]

    def _layers(self, blocks: list[Floats], x: Rows) -> list[Any]:
        """Inputs of each layer, then the logits of the outputs, for one row or for all rows of a matrix."""
        passed = [x]
        for n, block in zip(self.sizes[:-1], blocks, strict=True):
            logits = np.asarray(passed[-1] @ block[:n])
            if self.bias:
                logits = logits + block[n]
            passed.append(sigmoid(logits))
        return [*passed[:-1], logits]


Model = Logistic | MLP


def _weights(w: ArrayLike, dim: int | None = None, model: str = "") -> Floats:
    w = check.reals("w", w)
    if w.ndim != 1 or w.size == 0:
        raise ValueError(f"w must be a one-dimensional array of weights, but it has shape {w.shape}.")
    if dim is not None and w.size != dim:
        raise ValueError(f"w must hold {dim} weights for {model}, but it holds {w.size}.")
    return w


def dense_row(x: Rows, features: int) -> Floats:
    """One example as a dense vector."""
    if hasattr(x, "tocsr"):
        check.sparse("x", x)
        if x.shape not in ((features,), (1, features)):
            raise ValueError(f"x must be one row of {features} features, but it has shape {x.shape}.")
        x = x.toarray().reshape(-1)
    row = check.numbers("x", x)
    if row.shape != (features,):
        raise ValueError(f"x must have shape ({features},), one number a feature, but it has shape {row.shape}.")
    return row


def _matrix(X: Rows, features: int) -> Rows:
    """Examples as rows: a dense array, or the sparse matrix as it is."""
    sparse = hasattr(X, "tocsr")
    if sparse:
        check.sparse("X", X)
        check.numbers("X.data", X.tocsr().data)
    else:
        X = check.numbers("X", X)
    if len(X.shape) != 2 or X.shape[1] != features:
        raise ValueError(f"X must have shape (n, {features}), one row an example, but it has shape {X.shape}.")
    return X


def _target(y: Any, outputs: int) -> Floats:
    """What the output units should say: the label itself of one output, one-hot of several."""
    classes = max(outputs, 2)
    if not isinstance(y, (int, float, np.number, np.bool_)) or y not in range(classes):
        raise ValueError(f"y must be a class from 0 to {classes - 1}, but it was {y!r}.")
    return np.array([float(y)]) if outputs == 1 else (np.arange(outputs) == y).astype(np.float64)


def _labels(Z: NDArray[Any]) -> NDArray[np.int64]:
    return (Z[:, 0] > 0.5 if Z.shape[1] == 1 else Z.argmax(axis=1)).astype(np.int64)
