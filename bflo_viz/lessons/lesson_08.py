"""Reference solutions, typical mistakes and hints for lesson 8, "Workshop"."""

import numpy as np

from bflo_viz.lessons.exercise import Bet, Exercise

never_wider = Bet(
    "8a",
    title="On how many of the ten does never widening pay?",
    right="all ten",
    replies={
        "about half": "It is not a matter of chance: never widening pays on all ten.",
        "most": "Nearly, but there is not a single exception: it pays on all ten.",
        "all ten": "With right labels and with flipped ones, on every stream.",
    },
)

deeper_well = Bet(
    "8b",
    title="In what share of the runs does the mean end in the deeper well?",
    right="nearly all",
    replies={
        "about a quarter": "That would be so if each run followed its first sample. But it draws 500 of them.",
        "about half": "That is what a coin would do. The samples, however, are pulled harder to the deeper side.",
        "nearly all": "The samples visit both wells, and the deeper one wins. Open the answer below.",
    },
)


def _price(a, u, v, d):
    # The mean moves along one axis, while the width changes along all d of them.
    return 0.5 * (v - a * u) ** 2 + 0.5 * d * (a**2 - 1 - np.log(a**2))


price = Exercise(
    "8.1",
    right=_price,
    cases=[(0.8, 1.0, 0.5, 1), (0.9, 3.0, 2.0, 10), (1.2, 30.0, 33.0, 1000)],
    praise="Now compare its minimum with the printed stretch, in one dimension and in a thousand.",
    mistakes={
        "That is the price in one dimension. In how many directions does the width of a ball change?": (
            lambda a, u, v, d: 0.5 * (v - a * u) ** 2 + 0.5 * (a**2 - 1 - np.log(a**2))
        ),
        "The mean moves along one direction only, so its price counts once.": lambda a, u, v, d: (
            d * (0.5 * (v - a * u) ** 2 + 0.5 * (a**2 - 1 - np.log(a**2)))
        ),
        "That is the price of the width. The slide of the mean by v − a u is missing.": lambda a, u, v, d: (
            0.5 * d * (a**2 - 1 - np.log(a**2))
        ),
        "The factor ½ is missing.": lambda a, u, v, d: (v - a * u) ** 2 + d * (a**2 - 1 - np.log(a**2)),
    },
    hints=[
        "Write the KL of lesson 2 as a price of the mean and a price of the width. Which of them does d multiply?",
        "½ (v − a u)² for the mean, and ½ (a² − 1 − log a²) for the width in each of d directions.",
    ],
)


def _two_rules(u, v):
    root = np.sqrt(u**2 + 4 * (1 + u**2) / v**2)
    both = [(u + sign * root) / (2 * (1 + u**2)) * v for sign in (1, -1)]
    return both[0], max(both)


two_rules = Exercise(
    "8.2",
    right=_two_rules,
    cases=[(1.0, -2.0), (1.0, 3.0), (0.5, -0.3)],
    praise="For v > 0 the two rules agree. For v < 0 they contradict each other: compare with stretch(u, v).",
    mistakes={
        "These are the two roots α. A is α times v.": lambda u, v: tuple(a / v for a in _two_rules(u, v)),
        "Both of your numbers follow the first rule. By the second, A itself has to be positive.": lambda u, v: (
            _two_rules(u, v)[0],
            _two_rules(u, v)[0],
        ),
        "Both of your numbers follow the second rule. By the first, α is positive, whatever the sign of v.": (
            lambda u, v: (_two_rules(u, v)[1], _two_rules(u, v)[1])
        ),
        "The two are in the wrong order: first by the positive root, then by the positive diagonal.": lambda u, v: (
            _two_rules(u, v)[::-1]
        ),
    },
    hints=[
        "The positive root has the plus sign. What are the signs of A = α v for the two roots if v is negative?",
        "Compute A for both roots. The first number has the plus, and the second is the larger of the two.",
    ],
)


def _ranks(errors):
    from scipy.stats import rankdata

    return rankdata(errors, axis=0).mean(axis=1)


def _ranked(method, axis=0, sign=1):
    """Return mean ranks with a different rule for ties, along a different axis or from the largest error."""

    def ranks(errors):
        from scipy.stats import rankdata

        return rankdata(sign * np.asarray(errors), method, axis=axis).mean(axis=1 if axis == 0 else 0)

    return ranks


ranks = Exercise(
    "8.3",
    right=_ranks,
    cases=[
        (np.array([[5.0, 2.0, 7.0], [4.0, 2.0, 9.0], [6.0, 3.0, 7.0]]),),
        (np.array([[1.0, 3.0, 3.0], [2.0, 3.0, 1.0], [2.0, 0.5, 1.0]]),),
    ],
    praise="Now the printed column can be checked against the printed errors.",
    mistakes={
        "You ranked the datasets of one learner. The competitors are the learners on one dataset, a column.": (
            _ranked("average", axis=1)
        ),
        "Rank 1 belongs to the smallest error.": _ranked("average", sign=-1),
        "Equal errors share the average of their places: rankdata does so by default.": _ranked("min"),
        "Equal errors share the average of their places, which sorting alone does not give them.": _ranked("ordinal"),
    },
    hints=[
        "Along which axis do you go from learner to learner?",
        "rankdata(errors, axis=0) ranks within each column; then take the mean of each row.",
    ],
)
