"""Judges of the exercises of notebook 02: the slope of the KL, two settings, and a root that does not cancel."""

from typing import Any

from bflo_viz import Regime, RegimeExplorer, stretch
from bflo_viz.lessons.exercise import call, close, hint_by_result, hint_if, number, traits


def slope_of_the_kl(answer: Any) -> None:
    """Judge a derivative by its values at a few places."""
    places = ((0.5, 1.0, 2.0), (1.3, 0.7, -1.1), (2.0, -1.5, 0.4), (-0.6, 1.2, 0.9))
    slopes, ways = (
        [number(call(answer, *place), "the slope") for place in places],
        [_slopes(*place) for place in places],
    )
    wrong = f"At a = 1.3, u = 0.7, v = −1.1 the slope is {ways[1]['']:.3f}, but yours is {slopes[1]:.3f}."
    hint_by_result(slopes, ways, wrong)


def _slopes(a: float, u: float, v: float) -> dict[str, float]:
    mean = -u * (v - a * u)
    return {
        "": mean + a - 1 / a,
        "That is how the Appendix prints it, and the sign of a is a misprint: ½ a² grows with a.": mean - a - 1 / a,
        "Look at the first term: v − a u falls as a grows (for u > 0), so a sign is missing.": -mean + a - 1 / a,
        "Look at the first term: the chain rule wants the derivative of v − a u, which is −u.": a * u - v + a - 1 / a,
        "Look at the logarithm: it stands with a minus, and so does its derivative.": mean + a + 1 / a,
        "Everything is twice as large as it should be: both terms begin with ½.": 2 * (mean + a - 1 / a),
    }


def halve_the_width(answer: Any) -> None:
    """Judge where the ring is: half as wide, contracting, on the identity branch."""
    state = traits(answer, RegimeExplorer)
    ratio = float(state.posterior.std[0] / state.std)
    halved, past = abs(ratio - 0.5) <= 0.01, state.regime == Regime.CROSSING
    far_in = abs(state.delta_new) < 0.05 * state.std and not halved
    hint_if(
        (state.branch < 0, "Set the branch to +1 first: this is about the update that the paper takes."),
        (halved and past, "Half as wide, but the weight crossed the mean; it can be done without."),
        (past, "Δ and Δ′ are on two sides of the mean: bring Δ′ back to the side of Δ."),
        (ratio >= 1, "The belief is no narrower than before: Δ′ should lie between 0 and Δ."),
        (ratio < 0.49, f"Now it is too narrow, {ratio:.0%} of what it was: pull the weight less far."),
        (far_in, f"As far in as it goes, and still {ratio:.0%} of the width: start with a weight further out."),
        (not halved, f"Narrower, but still {ratio:.0%} of the width: pull the weight further in."),
    )


def leave_it_as_it_was(answer: Any) -> None:
    """Judge where the ring is: moved, reflected, and the belief unchanged."""
    state = traits(answer, RegimeExplorer)
    moved, ratio = float(state.posterior.mean[0] / state.std), float(state.posterior.std[0] / state.std)
    hint_if(
        (state.branch > 0, "Set the branch to −1: on +1, only a weight that stays put leaves the belief as it was."),
        (abs(state.delta_new - state.delta) < 0.5 * state.std, "Take a longer step, of half a σ or more."),
        (ratio > 1.02, f"The belief is wider than it was ({ratio:.0%}): Δ′ is too far from the mean."),
        (ratio < 0.98, f"The belief is narrower than it was ({ratio:.0%}): Δ′ is too near to the mean."),
        (abs(moved) > 0.02, f"The width is kept, but the mean moved by {moved:.2f} σ: how far from it are Δ and Δ′?"),
    )


def without_cancelling(answer: Any) -> None:
    """Judge a root on both sides, and far out on the side where the printed form cancels."""

    def off(*pairs: tuple[float, float], branch: int = 1, factor: float = 1.0) -> bool:
        parts = [number(call(answer, u, v), "the root") / (factor * stretch(u, v, branch=branch)) for u, v in pairs]
        return not close(parts, 1.0, 1e-8)

    same, past = ((1.0, 2.0), (-0.5, -3.0), (0.0, 2.0)), ((1.0, -2.0), (-0.5, 3.0))
    hint_if(
        (off(*same), "For u v ≥ 0 the line that was already there is right: leave it as it is."),
        (not off(*past, branch=-1, factor=-1.0), "That is how far the other branch stretches. Use the product."),
        (not off(*past, factor=0.5), "Half of what it should be: a factor of 2 was lost on the way."),
        (off(*past), "For u = 1, v = −2 this does not solve the quadratic: its positive root is 0.366."),
        (off((1.0, -1e9), (3.0, -1e7)), "Right for short steps, but it still subtracts: try u = 1, v = −10⁹."),
    )
