"""Reference solutions, typical mistakes and hints for lesson 7, "The network experiment"."""

import numpy as np

from bflo_viz.flows import stretch
from bflo_viz.lessons.exercise import Bet, Exercise

longer_steps = Bet(
    "7a",
    title="What do steps five times as long lead to?",
    right="more",
    replies={
        "fewer": "Longer steps get there sooner only as long as nothing breaks. What does a sigmoid do far from 0?",
        "about as many": "It is far from a draw: the long steps have taught the network very little.",
        "more": "Many more. Open the answer, and the figure below it shows why.",
    },
)

equal_terms = Bet(
    "7b",
    title="How far ahead is BFLO on equal terms?",
    right="not clearly",
    replies={
        "as much as before": "BFLO's errors stay the same, but its rivals were held up by their own long steps.",
        "about half as much": "The rivals gain even more than that: one of them draws level.",
        "not clearly": "The lead came with the long steps of its rivals, and it goes with them.",
    },
)


def _vote(counts):
    return np.argmax(counts, axis=0), np.max(counts, axis=0) / np.sum(counts, axis=0)


vote = Exercise(
    "7.1",
    right=_vote,
    cases=[(np.array([[6, 1, 2], [3, 8, 3], [1, 1, 5]]),), (np.array([[0, 4], [5, 1], [0, 0], [0, 0]]),)],
    praise="Now a belief can be asked how sure it is, and whether that was justified.",
    mistakes={
        "A picture is a column of counts, so its winner is found along axis 0.": lambda counts: (
            np.argmax(counts, axis=1),
            np.max(counts, axis=1) / np.sum(counts, axis=1),
        ),
        "The winner is right. Its share is the number of its votes divided by all votes on that picture.": (
            lambda counts: (np.argmax(counts, axis=0), np.max(counts, axis=0))
        ),
        "The share is right. The winner is the class, that is the place of the largest count: argmax.": (
            lambda counts: (np.max(counts, axis=0), np.max(counts, axis=0) / np.sum(counts, axis=0))
        ),
    },
    hints=[
        "argmax gives the place of the largest count, max the count itself. Along which axis?",
        "np.argmax(counts, axis=0) is the winner; np.max(counts, axis=0) / np.sum(counts, axis=0) is its share.",
    ],
    otherwise="Try it on paper with three classes and two pictures, a column of counts for each picture.",
)


def _swing(x, other, eta, delta):
    # w moves by −η δ x, which changes w · x′ by −η δ x · x′, and the bias moves by −η δ.
    return -eta * delta * (np.dot(x, other) + 1)


swing = Exercise(
    "7.2",
    right=_swing,
    cases=[
        (np.array([0.5, 1.0, 0.0]), np.array([0.2, 0.4, 1.0]), 0.2, 0.3),
        (np.array([1.0, 0.3]), np.array([0.0, 0.9]), 1.0, -0.1),
    ],
    praise="Two pictures that share most of their light share most of every step.",
    mistakes={
        "The bias takes a step as well, of −ηδ, whatever the picture is.": lambda x, other, eta, delta: (
            -eta * delta * np.dot(x, other)
        ),
        "The size is right, but a step goes against the gradient.": lambda x, other, eta, delta: (
            eta * delta * (np.dot(x, other) + 1)
        ),
        "That is the change on the picture x itself. The moved weights now meet the other picture.": (
            lambda x, other, eta, delta: -eta * delta * (np.dot(x, x) + 1)
        ),
    },
    hints=[
        "The gradient by the weights is δ x, and by the bias it is δ. Write down what each of them becomes.",
        "The weights change by −η δ x and the bias by −η δ. Put both into w · x′ + b.",
    ],
)


def _read_digit(mean, std, x, digit, z, eta):
    w = mean + std * z  # sample
    p = 1 / (1 + np.exp(-w @ x))  # predict
    y = np.arange(len(mean)) == digit
    w_new = w - eta * np.outer(p - y, x)  # step
    a = stretch(z, (w_new - mean) / std)  # flow
    return np.argmax(p), w_new - a * (w - mean), a * std


def _with(label=None, rate=1.0, drawn=True, after=None):
    """Return a round with a different label, step or predictor, or with something else in place of the flow."""

    def read_digit(mean, std, x, digit, z, eta):
        w = mean + std * z
        p, y = 1 / (1 + np.exp(-w @ x)), np.arange(10) == digit if label is None else label
        w_new = w - rate * eta * np.outer(p - y, x)
        a = stretch(z, (w_new - mean) / std)
        moved = (w_new - a * (w - mean), a * std) if after is None else after(mean, std, w, w_new)
        return np.argmax(p if drawn else mean @ x), *moved

    return read_digit


def _case(seed, digit):
    """Return ten beliefs over 65 weights, a picture with dark pixels, and the normals of a round."""
    rng = np.random.default_rng(seed)
    x = np.append(np.where(rng.random(64) < 0.5, 0, rng.random(64)), 1.0)
    mean, std = 0.3 * rng.normal(size=(10, 65)), rng.uniform(0.1, 0.4, (10, 65))
    return mean, std, x, digit, rng.normal(size=(10, 65)), 0.1


read_digit = Exercise(
    "7.3",
    right=_read_digit,
    cases=[_case(3, 3), _case(5, 8)],
    praise="Ten flows of your own are ready to read handwriting.",
    mistakes={
        "Every flow heard the label 1. The label is 1 for the flow of the true digit and 0 for the nine others.": (
            _with(label=1.0)
        ),
        "The steps go uphill: it should be w_new = w − η (p − y) x.": _with(rate=-1.0),
        "The widths are what they were, so this is SGD around a moving mean. Let the beliefs flow.": _with(
            after=lambda mean, std, w, w_new: (mean + w_new - w, std)
        ),
        "The widths are right, but the new mean is not the moved weight: μ′ = w′ − a (w − μ).": _with(
            after=lambda mean, std, w, w_new: (w_new, stretch((w - mean) / std, (w_new - mean) / std) * std)
        ),
        "The beliefs are right. Predict the digit with the weights that were drawn, not with the means.": (
            _with(drawn=False)
        ),
    },
    hints=[
        "p = sigmoid(w @ x) has ten numbers, and np.outer(p − y, x) has a row for each flow, as w has.",
        "y = np.arange(10) == digit; w_new = w − eta * np.outer(p − y, x); then flow(mean, std, w, w_new) as in "
        "lesson 5.",
    ],
    otherwise="Check it line by line: ten labels, ten steps, and a stretch for each of the 650 weights.",
)
