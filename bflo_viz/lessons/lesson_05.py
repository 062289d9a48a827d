"""Lesson 5: Algorithm 1, what sampling costs, what the width means, and how a belief follows a change."""

import numpy as np

from bflo_viz.flows import stretch
from bflo_viz.lessons.exercise import Bet, Exercise
from bflo_viz.lessons.lesson_03 import _diagonal_flow as flow  # the notebook defines it as well
from bflo_viz.models import sigmoid


def _one_round(mean, std, x, y, eta, rng):
    w = mean + std * rng.standard_normal(len(mean))  # sample
    p = sigmoid(w @ x)  # predict
    q = sigmoid(mean @ x)  # ask the mean
    w_new = w - eta * (p - y) * x  # step
    mean, std = flow(mean, std, w, w_new)  # flow
    return mean, std, p, q


def _round_with(predict=sigmoid, power=1, sign=-1, peek=False, swap=False, blame_mean=False):
    """Return a version of `_one_round` with one part of it different."""

    def one_round(mean, std, x, y, eta, rng):
        w = mean + std**power * rng.standard_normal(len(mean)) * (power > 0)
        p, q = predict(w @ x), sigmoid(mean @ x)
        w_new = w + sign * eta * ((q if blame_mean else p) - y) * x
        mean, std = flow(mean, std, w, w_new)
        q = sigmoid(mean @ x) if peek else q
        return (mean, std, q, p) if swap else (mean, std, p, q)

    return one_round


one_round = Exercise(
    "5.1",
    right=_one_round,
    cases=[
        (*map(np.array, ([0.5, -0.2], [1.0, 0.4], [1.0, -2.0])), 0, 0.5, np.random.default_rng(1)),
        (*map(np.array, ([0.0, 0.1], [0.3, 2.0], [0.1, -1.5])), 1, 2.0, np.random.default_rng(2)),
    ],
    praise="That is Algorithm 1 for a diagonal belief. `BeliefFlow` runs the same lines, compiled.",
    mistakes={
        "Your weight walks uphill: the step goes against the gradient (p − y) x.": _round_with(sign=1),
        "You rounded p to a label. That is the perceptron's rule, but logistic regression needs the probability "
        "itself.": _round_with(predict=lambda t: float(t > 0)),
        "You let the mean take the step. Then u = 0 and the width never changes, so draw a weight around the "
        "mean.": _round_with(power=0),
        "You asked the mean after it had seen the label. Ask the old one, before the flow.": _round_with(peek=True),
        "You returned the two probabilities in the other order: the sample's comes first.": _round_with(swap=True),
        "The gradient needs p, the probability by the sample that steps. You took q.": _round_with(blame_mean=True),
    },
    hints=[
        "The weight is the mean plus std times the normal numbers, and both probabilities are sigmoids.",
        "w = mean + std * rng.standard_normal(len(mean)), p = sigmoid(w @ x), w_new = w − eta (p − y) x.",
    ],
    otherwise="One of the lines is different from Algorithm 1. Compare them with the four lines above, one by one.",
)


def _seen_errors(e, flip):
    return e * (1 - flip) + (1 - e) * flip  # wrong and shown as such, or right and called wrong


seen_errors = Exercise(
    "5.2",
    right=_seen_errors,
    cases=[(0.1, 0.4), (0.0, 0.2), (0.3, 0.5), (1.0, 0.25)],
    praise="With 40 % flips it is 0.4 + 0.2 e, so ten points of true error look like two.",
    mistakes={
        "A wrong prediction agrees with a flipped label, so such rounds do not count.": lambda e, f: e + (1 - e) * f,
        "The shares do not simply add up: a wrong prediction may meet a flipped label.": lambda e, f: e + f,
        "Add the wrong predictions whose label is shown as it is.": lambda e, f: (1 - e) * f,
        "Add the right predictions whose label is flipped, because they disagree as well.": lambda e, f: e * (1 - f),
    },
    hints=[
        "There are two ways to disagree with the label that is shown: wrong and not flipped, or right and flipped.",
        "The first has the share e (1 − flip), and the second (1 − e) flip.",
    ],
)


def _narrowing(u, pull):
    return np.mean(np.log(stretch(u, (1 - pull) * u))) / np.log(1 - pull)


narrowing = Exercise(
    "5.3",
    right=_narrowing,
    cases=[(np.random.default_rng(2).standard_normal(20_000), pull) for pull in (0.01, 0.5)],
    rtol=0.02,
    praise="About 0.242: a belief over one weight narrows at a quarter of the rate of its ensemble.",
    mistakes={
        "That is the share of the mean. The width gets what is left.": lambda u, pull: 1 - _narrowing(u, pull),
        "The pull takes u to (1 − pull) u.": lambda u, p: np.mean(np.log(stretch(u, p * u))) / np.log(1 - p),
        "Divide by log(1 − pull), as for the ensemble.": lambda u, p: _narrowing(u, p) * np.log(1 - p),
        "You took the logarithm of the average. Take the logarithms first, and then average them, as successive "
        "stretches multiply.": lambda u, p: np.log(np.mean(stretch(u, (1 - p) * u))) / np.log(1 - p),
    },
    hints=[
        "First a = stretch(u, (1 − pull) u), for all weights at once. Then average the logarithms.",
        "np.mean(np.log(a)) / np.log(1 − pull)",
    ],
    otherwise="The share should be near 0.24 for a pull of 0.01 and near 0.18 for a pull of 0.5, but yours is not.",
)


def _rate(width, noise, curvature):
    return 2 * curvature * (width / (0.54 * noise)) ** 2  # solve width = 0.54 noise √(η/2h) for η


rate = Exercise(
    "5.4",
    right=_rate,
    cases=[(0.05, 2.0, 1.0), (0.1, 0.5, 0.25)],
    rtol=5e-3,
    praise="Half the width takes a quarter of the rate. The number of examples does not appear.",
    mistakes={
        "At this rate SGD jitters by that much, and the belief less.": lambda s, n, h: 2 * h * (s / n) ** 2,
        "The rate grows like the square of the width.": lambda s, n, h: 2 * h * s / (0.54 * n),
        "In a steeper bowl the same width takes a higher rate.": lambda s, n, h: 2 * (s / (0.54 * n)) ** 2 / h,
    },
    hints=[
        "The belief settles at width = 0.54 τ, with τ = noise · √(η / (2 · curvature)).",
        "Square both sides: width² = 0.54² · noise² · η / (2 · curvature). Now solve for η.",
    ],
)


def _capped_flow(mean, std, w, w_new, floor):
    a = np.minimum(stretch((w - mean) / std, (w_new - mean) / std), 1)  # no weight may spread
    return w_new - a * (w - mean), np.maximum(a * std, floor)


def _capped_with(cap=1, least=0, width=lambda a, std, floor: np.maximum(a * std, floor)):
    """Return a version of `_capped_flow` with another cap of the mean, a least stretch or another floor."""

    def capped_flow(mean, std, w, w_new, floor):
        a = np.maximum(stretch((w - mean) / std, (w_new - mean) / std), least * floor)
        return w_new - np.minimum(a, cap) * (w - mean), width(np.minimum(a, 1), std, floor)

    return capped_flow


capped_flow = Exercise(
    "5.5",
    right=_capped_flow,
    cases=[
        (*map(np.array, ([0.0, 1.0, 0.0], [1.0, 2.0, 0.1], [1.0, 4.0, 0.2], moved)), 0.09)
        for moved in ([2.0, 2.5, 0.05], [-20.0, 7.0, -0.3])
    ],
    praise="Where a is capped at 1, the mean takes the whole step. A narrow belief therefore moves like SGD.",
    mistakes={
        "The std is right, but the mean still uses the stretch without its cap. Cap a before you compute "
        "either.": _capped_with(cap=np.inf),
        "The floor is missing: one of the widths ends below it.": _capped_with(width=lambda a, std, _: a * std),
        "You took the smaller of std and floor, which makes the floor a ceiling.": _capped_with(
            width=lambda a, std, floor: np.minimum(a * std, floor)
        ),
        "The floor is for the standard deviation, not for the stretch.": _capped_with(
            least=1, width=lambda a, std, _: a * std
        ),
        "The mean is right, but the floor is for a · std and not for a.": _capped_with(
            width=lambda a, std, floor: np.maximum(a, floor) * std
        ),
    },
    hints=[
        "Compute the stretches a as in `flow`, cap them, and only then compute mean and std.",
        "a = np.minimum(a, 1); the mean is w_new − a (w − mean), and the std np.maximum(a · std, floor).",
    ],
    otherwise="At least one of your six numbers is different. Check the order: stretch, cap, mean, std, floor.",
)

more_examples = Bet(
    "5a",
    title="Four times as many examples: how wide is the belief?",
    right="the same",
    replies={
        "a quarter": "Not even Bayes' rule is that quick, and a belief flow counts no examples.",
        "a half": "By Bayes' rule it would be, but a belief flow counts no examples.",
        "the same": "The width depends on the noise, the curvature and the learning rate, and on nothing else.",
    },
)

_WHOLE = "A narrow belief has nothing left to stretch or turn, so its mean follows the whole step."
after_the_jump = Bet(
    "5b",
    title="Whose means recover sooner after the jump?",
    right="those that cannot widen",
    replies={
        "those that can widen": f"A filter would need to. {_WHOLE}",
        "those that cannot widen": _WHOLE,
        "no clear difference": f"There is one. {_WHOLE}",
    },
)
