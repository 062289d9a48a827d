"""Reference solutions, typical mistakes and hints for lesson 1, "Three learners, one stream"."""

import numpy as np

from bflo_viz.beliefs import Belief, DiagonalBelief
from bflo_viz.lessons.exercise import Bet, Exercise, NotYet
from bflo_viz.models import sigmoid


def _sharpen(std, x, p):
    return 1 / np.sqrt(1 / std**2 + p * (1 - p) * x**2)


sharpen = Exercise(
    "1.1",
    right=_sharpen,
    cases=[(1.0, 2.0, 0.5), (0.5, -1.5, 0.8), (2.0, 0.0, 0.3)],
    praise="A large input and an open question, p near ½, tell the filter most; an input of 0 tells it nothing.",
    mistakes={
        "That is the new precision. The standard deviation is one over its square root.": lambda std, x, p: (
            1 / std**2 + p * (1 - p) * x**2
        ),
        "That is the new variance, one over the precision. Take its square root.": lambda std, x, p: (
            1 / (1 / std**2 + p * (1 - p) * x**2)
        ),
        "The precision is one over the variance: square std before you divide.": lambda std, x, p: (
            1 / np.sqrt(1 / std + p * (1 - p) * x**2)
        ),
        "You added to the variance, so the belief widens. Add to one over the variance.": lambda std, x, p: np.sqrt(
            std**2 + p * (1 - p) * x**2
        ),
        "The input enters squared, so that its sign does not matter.": lambda std, x, p: (
            1 / np.sqrt(1 / std**2 + p * (1 - p) * x)
        ),
    },
    hints=[
        "Three steps: from std to precision, add, and from precision back to std.",
        "The precision before is 1/std², and afterwards 1/std² + p (1 − p) x². What is one over its square root?",
    ],
)


def _votes(weights, x):
    # sigmoid(w · x) is above ½ exactly when w · x is positive.
    return np.mean(weights @ x > 0)


_crowd = np.array([[1.0, 2.0], [-1.0, 0.5], [3.0, -1.0], [0.2, -0.9], [0.5, 0.3]])

votes = Exercise(
    "1.2",
    right=_votes,
    cases=[(_crowd, np.array([1.0, 1.0])), (_crowd, np.array([-2.0, 0.7])), (_crowd, np.array([0.1, -3.0]))],
    praise="Near the line the votes are divided: try votes(weights, np.array([1.0, -1.5])).",
    mistakes={
        "That is the mean probability. Let each weight vote, for 1 or for 0, and count the votes.": (
            lambda weights, x: np.mean(sigmoid(weights @ x))
        ),
        "That asks only the mean of the weights, which is a point. Let each row vote.": lambda weights, x: float(
            np.mean(weights, axis=0) @ x > 0
        ),
        "You counted the votes. Divide by the number of weights.": lambda weights, x: np.sum(weights @ x > 0),
        "Those are the votes for label 0.": lambda weights, x: np.mean(weights @ x < 0),
    },
    hints=[
        "weights @ x has one number for each row. When is sigmoid of it more than ½?",
        "A weight votes for label 1 if w · x > 0, and the mean of True and False is a share.",
    ],
)


def _squared_round(belief, w, x, y, eta):
    p = sigmoid(w @ x)
    w_new = w - eta * (p - y) * p * (1 - p) * x
    return belief.flow(w, w_new)


def _with_gradient(slope):
    """Return a version of `_squared_round` whose gradient is ``slope(p, y) x``."""
    return lambda belief, w, x, y, eta: belief.flow(w, w - eta * slope(sigmoid(w @ x), y) * x)


def _numbers(answer, *case):
    """Return the mean and the std of the belief that an answer gives."""
    belief = answer(*case)
    if belief is None or belief is ...:
        return belief
    if not isinstance(belief, Belief):
        raise NotYet(f"A round should return a belief, but yours has the type {type(belief).__name__}.")
    return belief.mean, belief.std


_start, _tried, _input = DiagonalBelief([0.5, -1.0], [1.0, 0.5]), np.array([1.5, -1.2]), np.array([0.8, -0.6])

squared_round = Exercise(
    "1.3",
    right=_squared_round,
    cases=[(_start, _tried, _input, 1, 0.9), (_start, _tried, -2 * _input, 1, 0.3), (_start, _tried, _input, 0, 0.5)],
    praise="A single line has changed. A filter would need a different model of the labels for this loss.",
    mistakes={
        "That is the gradient of the cross-entropy. The chain rule adds the slope of p, which is p (1 − p).": (
            _with_gradient(lambda p, y: p - y)
        ),
        "The step goes uphill: subtract the gradient.": _with_gradient(lambda p, y: -(p - y) * p * (1 - p)),
        "The factor (p − y) belongs there only once. The others are p and 1 − p.": _with_gradient(
            lambda p, y: (p - y) ** 2
        ),
        "The belief has not moved. If you wrote w -= …, then w moved as well: give the new weight its own name.": (
            lambda belief, w, x, y, eta: belief
        ),
        "Predict, step and flow with the weight w that was drawn, not with the mean.": lambda belief, w, x, y, eta: (
            _squared_round(belief, belief.mean, x, y, eta)
        ),
    },
    hints=[
        "Three lines, as in the loop above: p, then w_new by the new gradient, then belief.flow(w, w_new).",
        "The gradient is (p - y) * p * (1 - p) * x. Take eta times that from w, and call the result w_new.",
    ],
    ask=_numbers,
)

mean_tried = Bet(
    "1a",
    title="What happens to the width?",
    right="it stays as it was",
    replies={
        "it shrinks faster": "It never shrinks: a step from the middle says where to go, not how wide to be.",
        "it shrinks more slowly": "It does not shrink at all: a step from the middle says nothing about the width.",
        "it stays as it was": "A step from the middle of the belief moves it and leaves its width alone, at 1.",
        "it grows": "It does not grow either: a step from the middle of the belief says nothing about its width.",
    },
)

labels_swapped = Bet(
    "1b",
    title="Who notices last?",
    right="the filter's",
    replies={
        "the point's": "The point is the first to follow, since its next gradient is as large as the surprise.",
        "the filter's": "It was the best as long as the truth stood still, and that is exactly its trouble now.",
        "the flow's": "Its mean is back to normal after a few hundred examples. The filter has become deaf.",
    },
)
