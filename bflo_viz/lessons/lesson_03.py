"""Reference solutions, typical mistakes and hints for lesson 3, "Many weights: flow types"."""

import numpy as np

from bflo_viz.beliefs import FullBelief
from bflo_viz.lessons.exercise import Bet, Exercise
from bflo_viz.lessons.lesson_02 import _printed, _with_stretch

quarter_turn = Bet(
    "3a",
    title="Which flows leave the belief as it was?",
    right="full and spherical",
    replies={
        "none": "Two of them do: they turn the belief, and a round belief looks the same from all sides.",
        "only the full flow": "It does, and so does the spherical one, whose maps a U contain every turn.",
        "full and spherical": "Both turn the plane by 90°, and a round belief looks the same from all sides.",
        "all three": "The diagonal flow cannot turn. It has to pull one weight in and slide the other one up.",
    },
)


def _diagonal_flow(mean, std, w, w_new):
    u, v = (w - mean) / std, (w_new - mean) / std
    large = np.abs(u * v) + np.sqrt((u * v) ** 2 + 4 * (1 + u**2))
    a = np.where(u * v >= 0, large / (2 * (1 + u**2)), 2 / large)
    return w_new - a * (w - mean), a * std


_three = (np.array([0.5, -1.0, 0.2]), np.array([1.0, 0.5, 2.0]))

diagonal_flow = Exercise(
    "3.1",
    right=_diagonal_flow,
    cases=[
        (*_three, np.array([1.5, -1.8, -1.0]), np.array([0.9, -0.4, -3.0])),  # in, past the mean, and out
        (*_three, np.array([0.5, -0.5, 2.2]), np.array([0.9, -0.5, -2e9])),  # from the mean, still, and very far
    ],
    praise="This is the diagonal flow of the paper's experiments. In the next cell it learns.",
    mistakes={
        "Each weight has its own signed u and v. Lengths of whole vectors are for the other two flows.": (
            _with_stretch(lambda d, d_new, std: _printed(np.linalg.norm(d / std), np.linalg.norm(d_new / std)))
        ),
        "Right for ordinary steps, but where a weight lands 10⁹ away past the mean, its std comes out as 0. Choose "
        "between two forms of the root with np.where, as in exercise 2.4.": _with_stretch(
            lambda d, d_new, std: _printed(d / std, d_new / std)
        ),
        "Both are right, but in the wrong order: return the means first.": lambda *case: _diagonal_flow(*case)[::-1],
    },
    hints=[
        "Only the `if` does not work on arrays. Compute both forms of the root, and choose with np.where.",
        "a = np.where(u * v >= 0, large / (2 * (1 + u**2)), 2 / large); all other lines of `flow` stay as they are.",
    ],
)


def _free_step():
    # (2 cos t, ½ sin t) for any t: as many standard deviations from the mean as (2, 0).
    return 0.0, 0.5


def _price(answer):
    """Return the KL of the full flow that takes (2, 0) to the answer, and whether this is a step of at least 1."""
    place = answer() if callable(answer) else answer
    step = np.asarray(place, float) - [2.0, 0.0]
    prior = FullBelief([0.0, 0.0], [[4.0, 0.0], [0.0, 0.25]])
    return prior.flow([2.0, 0.0], place).kl(prior), np.linalg.norm(step) >= 1


free_step = Exercise(
    "3.2",
    right=_free_step,
    cases=[()],
    praise="The weight is as many standard deviations from the mean as before: it glided along the outline.",
    mistakes={
        "On paper that is as far from the mean as before, but it is 4 standard deviations away.": lambda: (0.0, 2.0),
        "That costs nothing, but it hardly moved. Take a step of at least 1.": lambda: (2.0, 0.0),
        "0.25 is the variance of the second weight. How large is its standard deviation?": lambda: (0.0, 0.25),
    },
    hints=[
        "How many standard deviations is (2, 0) from the mean? Which other places are as far, in that sense?",
        "All of (2 cos t, ½ sin t) are 1 standard deviation away. Try a quarter turn, t = 90°.",
    ],
    otherwise="That step is shorter than 1 or costs more than 0.001 nats. Drag w′ along the outline of the belief.",
    ask=_price,
    rtol=0.0,
    atol=1e-3,
)


def _new_covariance(covariance, moved, a, v):
    # S Sᵀ = Σ, and S e = Δ′/v.
    return covariance + (a**2 - 1) / v**2 * np.outer(moved, moved)


new_covariance = Exercise(
    "3.3",
    right=_new_covariance,
    cases=[
        (np.array([[1.0, 0.6], [0.6, 2.0]]), np.array([0.5, 1.5]), 0.8, 1.06),
        (np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.3], [0.0, 0.3, 1.0]]), np.array([1.0, -1.0, 1.0]), 1.4, 1.9),
    ],
    praise="Together with the mean, this is all that Theorem 1 does to a belief.",
    mistakes={
        "S e is Δ′/v, so Δ′Δ′ᵀ has to be divided by v².": lambda old, moved, a, v: _new_covariance(
            old, moved, a, 1.0
        ),
        "moved @ moved is a single number. You want the matrix np.outer(moved, moved).": (
            lambda covariance, moved, a, v: covariance + (a**2 - 1) / v**2 * (moved @ moved)
        ),
        "a stretches the standard deviation, so along e the variance goes from 1 to a².": (
            lambda covariance, moved, a, v: covariance + (a - 1) / v**2 * np.outer(moved, moved)
        ),
    },
    hints=[
        "The product has two terms: S I Sᵀ, and (a² − 1) times (S e)(S e)ᵀ.",
        "S I Sᵀ = Σ, and (S e)(S e)ᵀ = Δ′Δ′ᵀ/v², which is np.outer(moved, moved) / v**2.",
    ],
)


def _limited_flow(prior, w, w_new):
    S, T = prior.factor, prior.inverse_factor
    left, sizes, right = np.linalg.svd(T @ prior.affine_map(w, w_new).A @ S)  # in whitened coordinates
    A = S @ (left * np.minimum(sizes, 1)) @ right @ T  # and back
    return A @ (prior.mean - w) + w_new, A @ prior.covariance @ A.T


def _limited_by(factor):
    """Return a version of `_limited_flow` that whitens with another matrix than S."""

    def flow(prior, w, w_new):
        S, T = factor(prior), np.linalg.inv(factor(prior))
        left, sizes, right = np.linalg.svd(T @ prior.affine_map(w, w_new).A @ S)
        A = S @ (left * np.minimum(sizes, 1)) @ right @ T
        return A @ (prior.mean - w) + w_new, A @ prior.covariance @ A.T

    return flow


_oval = FullBelief([0.0, 0.0], [[4.0, 0.0], [0.0, 0.25]])
_tilted = FullBelief([0.5, -1.0], [[2.0, 0.9], [0.9, 1.0]])

limited_flow = Exercise(
    "3.4",
    right=_limited_flow,
    cases=[
        (_oval, np.array([2.0, 0.0]), np.array([3**0.5, 0.25])),  # glides
        (_oval, np.array([1.0, 0.2]), np.array([0.5, -0.9])),
        (_tilted, np.array([1.0, 0.5]), np.array([2.0, -1.5])),
        (_tilted, np.array([2.0, 0.5]), np.array([0.6, -0.8])),
    ],
    praise="No direction is wider than before, and where nothing has to be cut, nothing is.",
    mistakes={
        "That is the limit as printed, which cuts a weight that only glides. Whiten the map before you look at its "
        "singular values.": _limited_by(lambda prior: np.eye(2)),
        "That whitens the wrong way round. A weight goes into the ball by S⁻¹, so the map there is S⁻¹ A S.": (
            _limited_by(lambda prior: prior.inverse_factor)
        ),
        "This flow can still widen.": lambda prior, *step: (prior.flow(*step).mean, prior.flow(*step).covariance),
    },
    hints=[
        "Where does a singular value of 1 mean 'as wide as before'? In coordinates where the belief is a ball.",
        "Take the singular values of S⁻¹ A S, limit them, put the matrix together again, and go back: A = S (…) S⁻¹.",
    ],
    otherwise="In one of the flows the belief is still wider somewhere, or narrower than it has to be.",
    rtol=1e-5,
    atol=1e-8,
)

fifty_weights = Bet(
    "3b",
    title="Whose mean makes the fewest mistakes?",
    right="the diagonal flow's",
    replies={
        "the full flow's": "It changes the belief least: with 50 weights its mean hardly moves, so it barely learns.",
        "the diagonal flow's": "It changes the belief most, and so its mean has to follow.",
        "the spherical flow's": "It can turn as freely as the full flow, and it learns just as little.",
        "all about the same": "They differ a lot: one of the three has to follow, because it cannot turn.",
    },
)
