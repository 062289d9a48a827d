"""Exercises of notebook 08: a belief narrow enough to follow, a borrowed momentum, whom to ask, whom to trust."""

from typing import Any

import numpy as np

from bflo_viz import FullBelief, SphericalBelief
from bflo_viz.lessons.exercise import Hint, call, exercise, hint_if, number, one_of

_WEIGHTS, _STEP = 50, 0.1  # of exercise 08.1
_LEAST, _MOST = 0.5, 0.7

_QUERY = '''def most_disputed(belief, X, rng):
    """The place (0, 1, …) of the row of X on whose label fifty weights disagree most."""
    place = ...
    return place


check.most_disputed(most_disputed)
'''


def _seeded(function: Any, seed: int) -> Any:
    """The function with its generator: so no hint names one, whose address differs from run to run."""
    return lambda belief, X: function(belief, X, np.random.default_rng(seed))


@exercise(
    "08.1",
    kind="find",
    title="narrow enough to follow",
    prompt=f"""
        A round belief over {_WEIGHTS} weights may not widen. A sampled weight takes a step of length {_STEP:g}. Find
        a width σ for which the mean follows at least {100 * _LEAST:g} % of the step, on average, but no more than
        {100 * _MOST:g} %: narrow enough, and not narrower than it has to be.
    """,
    stub="std = None  # the width σ\ncheck.narrow_enough(std)",
    right="Half a step's length from the mean, and no more: then the step moves the mean, too.",
    hints=(
        "How far from the mean is a sample of 50 weights, in σ? Compare that with the length of the step.",
        "It is about 7σ away. If that is much longer than the step, the step only turns the sample around the mean.",
        "Choose σ so that 7σ is about half of the step: 7σ = 0.05.",
    ),
)
def narrow_enough(answer: Any) -> None:
    """Judge a width by how much of a step the mean follows, on average over samples and directions."""
    std = number(answer, "the width")
    hint_if((std <= 0, "A width must be above 0."))
    if std < 1e-9:
        raise Hint("The mean follows 100 % of the step: that is narrower than it has to be.")
    belief, rng, parts = SphericalBelief(np.zeros(_WEIGHTS), std), np.random.default_rng(0), []
    for z, way in rng.standard_normal((300, 2, _WEIGHTS)):
        w, step = belief.weight(z), _STEP * way / np.linalg.norm(way)
        parts.append(belief.flow(w, w + step, z=z, non_expansive=True).mean @ step / _STEP**2)
    followed, away = float(np.mean(parts)), std * np.sqrt(_WEIGHTS)
    says = f"The mean follows {100 * followed:.0f} % of the step"
    hint_if(
        (
            followed < _LEAST and away > 2 * _STEP,
            f"{says}: a sample lies {away:.2g} from the mean, so a step of {_STEP:g} only turns it. Narrower!",
        ),
        (followed < _LEAST, f"{says}: a sample lies {away:.2g} from the mean, about as far as it steps. Nearly!"),
        (followed > _MOST, f"{says}: that is narrower than it has to be."),
    )


@exercise(
    "08.2",
    kind="predict",
    title="a borrowed momentum",
    prompt=r"""
        Momentum with decay 0.9, and a learning rate ten times smaller to make up for it: after a while the mean
        travels as far in a round as with plain steps. In 300 rounds, will the belief narrow `"faster"`, `"as fast"`
        or `"slower"` than with plain steps? (In logarithms: does $\log\sigma$ fall faster?)
    """,
    stub='answer = None  # "faster", "as fast" or "slower"\ncheck.borrowed_momentum(answer)',
    right="Ten times slower, even. The next cell measures it.",
    hints=(
        "A belief narrows when weights far from the mean are pulled in. Which part of a step depends on this weight?",
        "The velocity was earned by earlier samples, which were elsewhere. Only the newest gradient is its own.",
        "A tenth of the step depends on the weight. What does the rest do: stretch, or shift?",
    ),
)
def borrowed_momentum(answer: Any) -> None:
    """Judge the bet on what momentum does to a width."""
    found = one_of(answer, "faster", "as fast", "slower")
    hint_if(
        (
            found == "faster",
            "Nine tenths of the velocity belong to other weights: what do they say of this one's pull?",
        ),
        (found == "as fast", "That is so for the mean. But which part of the step tells the width anything?"),
    )


@exercise(
    "08.3",
    kind="complete",
    title="whom to ask",
    prompt="""
        Draw fifty weights, `belief.sample(rng, 50)`, one a row. Each says 0 or 1 for every row of `X`: `w` says
        1 where $w \\cdot x > 0$. Return the place of the row on which they disagree most, that is, where the
        votes are nearest to half and half.
    """,
    stub=_QUERY,
    right="You ask where the vote is split. Now see whether that helps.",
    hints=(
        "weights @ X.T > 0 has the vote of each weight (rows) on each example (columns).",
        "The mean over axis=0 is the share of weights that say 1. Where is it nearest to one half?",
        "np.argmin gives the place of the smallest of some numbers; here, of the distances of the shares from ½.",
    ),
)
def most_disputed(answer: Any) -> None:
    """Judge the choice out of two pools in which each typical mistake has a row of its own."""
    belief = FullBelief([1.0, 0.0], np.diag([0.01, 4.0]))
    rows = {
        "agreed": (-5.0, 0.0),
        "ones": (5.0, 0.1),
        "margin": (0.004, 0.0),
        "spread": (40.0, 6.0),
        "probability": (2.0, 1.0),
        "disputed": (0.01, 0.1),
    }
    for n, pool in enumerate(([*rows][:2] + [*rows][:1:-1], [*rows])):
        ask = _seeded(answer, n) if callable(answer) else answer
        place = number(call(ask, belief, np.array([rows[name] for name in pool])))
        if place not in range(len(pool)):
            raise Hint(f"{place:g} is no place of a row: they are 0 to {len(pool) - 1}. np.argmin gives places.")
        found = pool[int(place)]
        hint_if(
            (found == "agreed", "This is where the weights agree most. You want the vote nearest to half and half."),
            (found == "ones", "This is a row on which they all say 1. You want the vote nearest to half and half."),
            (found == "margin", "This asks the mean: a tiny x is near its boundary, yet all weights agree on it."),
            (found == "spread", "This goes by the spread of w · x, which is large for a huge x, whatever they vote."),
            (found == "probability", "This goes by the spread of the probabilities. Count votes: w · x > 0, or not."),
        )


@exercise(
    "08.4",
    kind="predict",
    title="whose probability",
    prompt="""
        A fifth of the labels is wrong, in the part to learn from as well as in the part to test on. After long steps,
        whose probabilities on new examples have the smallest log loss: those of the `"mean"` of the belief, of one
        `"sample"`, or of an `"ensemble"`, the average over fifty samples?
    """,
    stub='answer = None  # "mean", "sample" or "ensemble"\ncheck.whose_probability(answer)',
    right="Averaging probabilities takes back some of the false certainty.",
    hints=(
        "The log loss is large for whoever is sure and wrong. Which of the three is the least sure?",
        "Average 0.99 and 0.3. What happens to the certainty where samples disagree?",
        "An average lies between what it averages: it can only be less extreme.",
    ),
)
def whose_probability(answer: Any) -> None:
    """Judge the bet on calibration."""
    found = one_of(answer, "mean", "sample", "ensemble")
    hint_if(
        (found == "mean", "The mean often has the right side, but after long steps it is too sure of it."),
        (found == "sample", "One sample is as sure as the mean, with errors of its own on top."),
    )
