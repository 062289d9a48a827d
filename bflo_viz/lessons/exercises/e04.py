"""Judges of the exercises of notebook 04: Bayes backwards, a centre of mass, and a round to find."""

from typing import Any

import numpy as np

from bflo_viz import PseudoDatasetExplorer
from bflo_viz.lessons.exercise import array, call, hint_by_result, hint_if, traits


def bayes_backwards(answer: Any) -> None:
    """Judge a pseudo-point for beliefs that narrowed and widened."""
    cases = ((0.0, 2.0, 2.4, 0.8), (1.0, 1.0, 1.5, 1.3), (-1.0, 0.5, -0.6, 0.4))
    points = [array(call(answer, *case), (2,), "what it returns") for case in cases]
    ways = [_points(*case) for case in cases]
    x, R = ways[1][""]
    wrong = f"From N(1, 1²) to N(1.5, 1.3²) x should be {x:.3f} and R {R:.3f}, but yours are {points[1].round(3)}."
    hint_by_result(points, ways, wrong)


def _points(mean: float, std: float, new_mean: float, new_std: float) -> dict[str, tuple[float, float]]:
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


def centre_of_mass(answer: Any) -> None:
    """Judge the mean after points added and removed."""
    points, precisions = np.array([[1.0, 0.0], [-0.5, 2.0], [0.3, -1.0]]), np.array([2.0, -0.1, 0.5])
    cases = [(np.array([-1.0, 0.5]), std, points, precisions) for std in (0.5, 2.0)]
    means = [array(call(answer, *case), (2,), "the mean") for case in cases]
    ways = [_centres(*case) for case in cases]
    right, yours = ways[0][""].round(3), means[0].round(3)
    hint_by_result(means, ways, f"In one of the cases the mean should be at {right}, but yours is at {yours}.")


def _centres(mean: Any, std: float, points: Any, precisions: Any) -> dict[str, Any]:
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
