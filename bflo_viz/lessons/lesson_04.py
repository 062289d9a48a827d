"""Reference solutions, typical mistakes and hints for lesson 4, "Pseudo-datasets"."""

import numpy as np

from bflo_viz.lessons.exercise import Bet, Exercise


def _pseudo_point(mean, std, new_mean, new_std):
    rho = 1 / new_std**2 - 1 / std**2
    natural = new_mean / new_std**2 - mean / std**2
    return natural / rho, 1 / rho


pseudo_point = Exercise(
    "4.1",
    right=_pseudo_point,
    cases=[(0.0, 2.0, 2.4, 0.8), (1.0, 0.5, 0.6, 0.4), (-1.0, 1.0, 0.5, 1.5)],
    praise="In the last of our tests the belief widens, and R is negative. Section 2 asks what that means.",
    mistakes={
        "Both numbers are right, but in the wrong order: return the point first.": lambda *case: _pseudo_point(*case)[
            ::-1
        ],
        "x is right. The second number is the precision that was added, and R is one over it.": lambda *case: (
            _pseudo_point(*case)[0],
            1 / _pseudo_point(*case)[1],
        ),
        "R is right. The first number is what the natural parameter gained, ρ x: divide it by ρ.": lambda *case: (
            _pseudo_point(*case)[0] / _pseudo_point(*case)[1],
            _pseudo_point(*case)[1],
        ),
        "A precision is one over the variance, which is the square of std.": lambda mean, std, new_mean, new_std: (
            _pseudo_point(mean, std**0.5, new_mean, new_std**0.5)
        ),
    },
    hints=[
        "How much did the precision gain, and how much the natural parameter? The first is 1/R, and the second x/R.",
        "With rho = 1 / new_std**2 - 1 / std**2, x = (new_mean / new_std**2 - mean / std**2) / rho, R = 1 / rho.",
    ],
)

which_point = Bet(
    "4a",
    title="Which point explains it?",
    right="removed below",
    replies={
        "added above": "An added point narrows the belief, but this one became wider. A point below was removed.",
        "added below": "An added point narrows the belief, but this one became wider. The point was removed.",
        "removed above": "Removed, yes. But the mean moves away from such a point, and this one has moved up.",
        "removed below": "A wider belief has lost a point; the mean moved up, so the point had pulled it down.",
    },
)

same_draw = Bet(
    "4b",
    title="What is different about the two points?",
    right="only their precision",
    replies={
        "only their place": "The other way round: their place is the same, and their precision differs.",
        "only their precision": "The draw had decided their place, and only the precision was left to the example.",
        "both": "Their precision differs, but seen from the new mean both lie at the same place.",
        "neither": "They cannot be the same, because one example may narrow the belief and the other widen it.",
    },
)


def _place(new_mean, new_std, w_new):
    # Opposite to the moved weight; the product of the two distances is new_std².
    away = w_new - new_mean
    return new_mean - new_std**2 / (away @ away) * away


place = Exercise(
    "4.2",
    right=_place,
    cases=[
        (np.array([0.5, -1.0]), 0.7, np.array([1.5, 0.2])),
        (np.array([-0.3, 0.4]), 1.2, np.array([0.1, -0.8])),
    ],
    praise="Moved weight, new mean and pseudo-point lie on one line, in this order.",
    mistakes={
        "That is on the side of the moved weight. The point lies on the other side of the new mean.": (
            lambda new_mean, new_std, w_new: 2 * new_mean - _place(new_mean, new_std, w_new)
        ),
        "That is the mirror image of the moved weight. The product of the two distances has to be new_std².": (
            lambda new_mean, new_std, w_new: 2 * new_mean - w_new
        ),
        "That is where it lies as seen from the new mean. Add the new mean.": lambda new_mean, new_std, w_new: (
            _place(new_mean, new_std, w_new) - new_mean
        ),
        "The distances are in new standard deviations: their product is new_std², not 1.": (
            lambda new_mean, new_std, w_new: _place(new_mean, 1.0, w_new)
        ),
    },
    hints=[
        "Let away = w_new − new_mean. How far from the new mean does the point lie, in the direction −away?",
        "Its distance is new_std² / |away|. Times the unit vector −away/|away|, that is −new_std² away / |away|².",
    ],
)


def _centre(mean, std, points, rho):
    total = 1 / std**2 + np.sum(rho)
    return (mean / std**2 + rho @ points) / total


_points = np.array([[1.0, 0.0], [-2.0, 0.5], [0.3, 3.0], [0.5, -1.0]])
_rho = np.array([2.0, -0.1, 0.5, -0.4])

centre = Exercise(
    "4.3",
    right=_centre,
    cases=[(np.array([0.5, -1.0]), 2.0, _points, _rho), (np.array([-1.0, 1.0]), 0.8, _points[:2], _rho[:2])],
    praise="A removed point is a negative mass, and the prior is one more point, at its mean.",
    mistakes={
        "The prior is missing. It is a point at its mean with precision 1/std².": lambda mean, std, points, rho: (
            rho @ points / np.sum(rho)
        ),
        "The prior counts in the denominator but is missing from the numerator.": lambda mean, std, points, rho: (
            rho @ points / (1 / std**2 + np.sum(rho))
        ),
        "That is the natural parameter of the belief. Divide by its precision.": lambda mean, std, points, rho: (
            mean / std**2 + rho @ points
        ),
        "The mass of the prior is its precision, 1/std².": lambda mean, std, points, rho: _centre(
            mean, 1.0, points, rho
        ),
    },
    hints=[
        "Add up the precisions, then precision times place, the prior included, and divide.",
        "The precision is 1/std² + Σ rho, the natural parameter is mean/std² + rho @ points.",
    ],
)


def _share(prior_precision, rho):
    return -rho / (prior_precision + np.cumsum(rho) - rho)


def _forgot_most(prior_precision, rho):
    before = prior_precision + np.cumsum(rho) - rho  # the precision before each round
    share = -rho / before
    return np.argmax(share), np.max(share)


forgot_most = Exercise(
    "4.4",
    right=_forgot_most,
    cases=[(1.0, np.array([3.0, -2.0, 8.0, -3.0, 1.0, 2.0, -2.5])), (4.0, np.array([-1.0, 5.0, -1.5, 0.2]))],
    praise="However much a flow forgets, its share stays below 1.",
    mistakes={
        "That round lost the most, but not the largest share of what it had.": lambda prior_precision, rho: (
            np.argmin(rho),
            _share(prior_precision, rho)[np.argmin(rho)],
        ),
        "Divide by the precision before the round. You divided by the one after it.": lambda prior_precision, rho: (
            np.argmax(-rho / (prior_precision + np.cumsum(rho))),
            np.max(-rho / (prior_precision + np.cumsum(rho))),
        ),
        "The prior has a precision as well, so start the sum with it.": lambda prior_precision, rho: _forgot_most(
            1e-9, rho
        ),
        "That is the largest gain. A loss is a negative rho.": lambda prior_precision, rho: (
            np.argmax(-_share(prior_precision, rho)),
            np.max(-_share(prior_precision, rho)),
        ),
    },
    hints=[
        "Before round n the precision is that of the prior and of all points before it. np.cumsum adds them up.",
        "before = prior_precision + np.cumsum(rho) - rho; the shares are -rho / before. Use np.argmax and np.max.",
    ],
)
