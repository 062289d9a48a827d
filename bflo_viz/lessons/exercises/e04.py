"""Exercises of notebook 04: Bayes backwards, a side to bet on, a centre of mass, and a round to find."""

from typing import Any

import numpy as np

from bflo_viz import PseudoDatasetExplorer
from bflo_viz.lessons.exercise import Hint, array, call, close, exercise, hint_if, one_of, traits

_POINT = '''
    def pseudo_point(mean, std, new_mean, new_std):
        """The point x, and its noise variance R, that turn N(mean, std²) into N(new_mean, new_std²)."""
        precision = ...  # what the point adds to the precision
        natural = ...  # what it adds to the natural parameter
        return natural / precision, 1 / precision


    check.bayes_backwards(pseudo_point)
'''
_CENTRE = '''
    def centre_of_mass(mean, std, points, precisions):
        """Mean of a spherical belief after all points: their places in rows, and their precisions."""
        total = ...  # precision of the belief after all of them
        weighted = ...  # its natural parameter
        return weighted / total


    check.centre_of_mass(centre_of_mass)
'''
_UNFILLED = "There are still three dots in your function: put in what is missing, and run the cell again."


def _pair(function: Any, what: str, *arguments: Any) -> Any:
    """The two numbers that the student's function returns; three dots left in it get a sentence of their own."""
    try:
        return array(call(function, *arguments), (2,), what)
    except Hint as problem:
        raise (Hint(_UNFILLED) if "llipsis" in str(problem) else problem) from None


def _judge(found: list[Any], ways: list[dict[str, Any]], otherwise: str) -> None:
    """Raise the words of the slip by which all that was found can be reached; the right way has none."""
    for words in ways[0]:
        if close(found, [way[words] for way in ways]):
            return hint_if((words != "", words))
    raise Hint(otherwise)


def _points(mean: float, std: float, new_mean: float, new_std: float) -> dict[str, tuple[float, float]]:
    """The pseudo-point (no words), and what comes out of slips on the way to it."""
    s, t = std**2, new_std**2
    rho, h = 1 / t - 1 / s, new_mean / t - mean / s
    rho_std, h_std = 1 / new_std - 1 / std, new_mean / new_std - mean / std
    return {
        "": (h / rho, 1 / rho),
        "The place is right, but not the sign of R: take old from new, not new from old.": (h / rho, -1 / rho),
        "x is on the wrong side: take old from new in both differences.": (-h / rho, -1 / rho),
        "A precision is one over a variance: square the standard deviations.": (h_std / rho_std, 1 / rho_std),
        "You subtract variances; what Bayes' rule adds up are precisions, 1/std².": (h / (t - s), 1 / (t - s)),
        "R is right. The natural parameter is mean / std², not the mean.": ((new_mean - mean) / rho, 1 / rho),
    }


@exercise(
    "04.1",
    kind="complete",
    title="Bayes backwards",
    prompt="Complete the two lines: what did the point add, if the belief went from the old one to the new one?",
    stub=_POINT,
    right="These are equations 7 and 8 for one weight. They hold for any two Gaussians whose widths differ.",
    hints=(
        "Look at the two equations of section 1, and solve each for its last term.",
        "The precision of a belief is 1 / std**2, and its natural parameter is mean / std**2.",
        "The point adds the new precision minus the old one; natural is a difference of the same kind.",
    ),
)
def bayes_backwards(answer: Any) -> None:
    """Judge a pseudo-point for beliefs that narrowed and widened."""
    cases = ((0.0, 2.0, 2.4, 0.8), (1.0, 1.0, 1.5, 1.3), (-1.0, 0.5, -0.6, 0.4))
    found, ways = [_pair(answer, "what it returns", *case) for case in cases], [_points(*case) for case in cases]
    x, R = ways[1][""]
    there = f"From N(1, 1²) to N(1.5, 1.3²) x should be {x:.3f} and R {R:.3f}, but yours are {found[1].round(3)}."
    _judge(found, ways, there)


@exercise(
    "04.2",
    kind="predict",
    title="which point, and where?",
    prompt=r"""
        A standard normal belief; the sampled weight is at $\Delta = 1$, and its step takes it *away* from the mean,
        to $\Delta' = 2$. Was a point added or removed, and did it lie above or below the old mean? Commit yourself to
        `"added above"`, `"added below"`, `"removed above"` or `"removed below"`.
    """,
    stub='answer = None  # such as "added above"\ncheck.which_point(answer)',
    right="What had held the belief down is gone. The next cell has the numbers.",
    hints=(
        "First the width: does a belief widen or narrow when the weight moves away from the mean (notebook 02)?",
        "It widens, so a point is gone. Then the mean: it goes up. Which point, no longer pulling, lets it go up?",
    ),
)
def which_point(answer: Any) -> None:
    """Judge the prediction of what a step away from the mean does."""
    found = one_of(answer, "added above", "added below", "removed above", "removed below")
    hint_if(
        (found == "added above", "That would pull the mean up, but it would also narrow the belief. Did it narrow?"),
        (found == "added below", "That would narrow the belief and pull the mean down: both the wrong way."),
        (found == "removed above", "Removed, yes. It no longer pulls, and the mean goes up: on which side was it?"),
    )


def _centres(mean: Any, std: float, points: Any, precisions: Any) -> dict[str, Any]:
    """The mean (no words), and what comes out of slips on the way to it."""

    def way(own: float, rho: Any = precisions) -> Any:
        return (own * mean + rho @ points) / (own + rho.sum())

    return {
        "": way(std**-2),
        "The prior is missing: it counts like one more point, at mean, with precision 1 / std**2.": way(0.0),
        "The precision of the prior is 1 / std**2, not 1.": way(1.0),
        "Removed points have a negative precision, and pull the other way: keep its sign.": way(
            std**-2, abs(precisions)
        ),
        "Points count by their precision, not all the same.": way(std**-2, np.ones(len(points))),
    }


@exercise(
    "04.3",
    kind="complete",
    title="the centre of mass",
    prompt="""
        Complete the mean of a spherical belief after a whole pseudo-dataset. `points` has one point a row,
        `precisions` one number a point, negative where it was removed.
    """,
    stub=_CENTRE,
    right="The prior is one more point, and removed points are negative masses.",
    hints=(
        "The prior behaves like a point at its mean, with its own precision: the total is 1 / std**2 plus a sum.",
        "precisions @ points is the sum over all points of precision × place.",
    ),
)
def centre_of_mass(answer: Any) -> None:
    """Judge the mean after points added and removed."""
    points, precisions = np.array([[1.0, 0.0], [-0.5, 2.0], [0.3, -1.0]]), np.array([2.0, -0.1, 0.5])
    cases = [(np.array([-1.0, 0.5]), std, points, precisions) for std in (0.5, 2.0)]
    found, ways = [_pair(answer, "the mean", *case) for case in cases], [_centres(*case) for case in cases]
    there = f"In one of the cases the mean should be at {ways[0][''].round(3)}, but yours is at {found[0].round(3)}."
    _judge(found, ways, there)


@exercise(
    "04.4",
    kind="find",
    title="the round that forgot most",
    prompt="""
        With the spherical flow, drag the line on the right (or step) to the round that forgot the largest *share* of
        the precision that the belief had. The axis is logarithmic: equal shares are equal heights.
    """,
    stub="# go to the round that lost the largest share, then run this cell\ncheck.forgot_most(explorer)",
    right="No other round of this run forgot so large a share.",
    hints=(
        "Look for the steepest step down of the curve on the right; the line must be at its lower end.",
        "explorer.scene.totals[:, 0] has the precision after every round: where does its logarithm fall most?",
    ),
    setup='explorer = PseudoDatasetExplorer(problem="noisy labels", seed=5, round=68)',
)
def forgot_most(answer: Any) -> None:
    """Judge which round the explorer is at."""
    state = traits(answer, PseudoDatasetExplorer)
    total, at = state.scene.totals[:, 0], state.round
    lost = 1 - total[1:] / total[:-1]
    best, here = 1 + int(np.argmax(lost)), lost[at - 1] if at else 0.0
    where = "A later" if best > at else "An earlier"
    hint_if(
        (state.flow != "spherical", "Set the flow to spherical: this is about its single curve."),
        (at == 0, "Round 0 is the prior, before anything happened: step on, or drag the line."),
        (here <= 0, f"In round {at} a point was added, and nothing forgotten: look where the curve steps down."),
        (at != best, f"Round {at} forgot {here:.0%} of the precision. {where} round forgot more: {lost.max():.0%}."),
    )
