"""Exercises of notebook 02: the slope of the KL, the regimes, the two branches, and a root that does not cancel."""

from typing import Any

from bflo_viz import Regime, RegimeExplorer, stretch
from bflo_viz.lessons.exercise import call, close, exercise, hint_if, number, one_of, traits

_SLOPE = '''
    def slope(a, u, v):
        """Derivative by a of ½ (v − a u)² + ½ (a² − 1 − log a²)."""
        return ...


    check.slope_of_the_kl(slope)
'''
_ROOT = '''
    def root(u, v):
        """The positive root of (1 + u²) a² − u v a − 1 = 0, to full precision."""
        large = abs(u * v) + np.sqrt((u * v) ** 2 + 4 * (1 + u**2))  # nothing cancels here
        if u * v >= 0:
            return large / (2 * (1 + u**2))
        return ...


    check.without_cancelling(root)
'''


def _slopes(a: float, u: float, v: float) -> dict[str, float]:
    """The slope (no words), and what comes out of slips on the way to it."""
    mean = -u * (v - a * u)
    return {
        "": mean + a - 1 / a,
        "That is how the Appendix prints it, and the sign of a is a misprint: ½ a² grows with a.": mean - a - 1 / a,
        "Look at the first term: v − a u falls as a grows (for u > 0), so a sign is missing.": -mean + a - 1 / a,
        "Look at the first term: the chain rule wants the derivative of v − a u, which is −u.": a * u - v + a - 1 / a,
        "Look at the logarithm: it stands with a minus, and so does its derivative.": mean + a + 1 / a,
        "Everything is twice too large: both terms begin with ½.": 2 * (mean + a - 1 / a),
    }


@exercise(
    "02.1",
    kind="complete",
    title="the slope of the landscape",
    prompt=r"Complete the derivative of $D(a) = \tfrac12 (v - a u)^2 + \tfrac12 (a^2 - 1 - \log a^2)$ by $a$.",
    stub=_SLOPE,
    right="This is the slope of the landscape.",
    hints=(
        "Take the two terms one at a time; the first is a square, so the chain rule applies.",
        "The derivative of v − a u by a is −u, and log a² = 2 log |a|.",
    ),
)
def slope_of_the_kl(answer: Any) -> None:
    """Judge a derivative by its values at a few places."""
    places = ((0.5, 1.0, 2.0), (1.3, 0.7, -1.1), (2.0, -1.5, 0.4), (-0.6, 1.2, 0.9))
    found = [number(call(answer, *place), "the slope") for place in places]
    ways = [_slopes(*place) for place in places]
    reached = [words for words in ways[0] if close(found, [way[words] for way in ways])]
    there = f"At a = 1.3, u = 0.7, v = −1.1 the slope is {ways[1]['']:.3f}, but yours is {found[1]:.3f}."
    hint_if((not reached, there), (reached != [""], "".join(reached)))


@exercise(
    "02.2",
    kind="predict",
    title="past the mean",
    prompt=r"""
        A standard normal belief; the sampled weight is at $\Delta = 1$, and its step takes it past the mean, to
        $\Delta' = -1$. With $\delta = +1$, will the belief be `"narrower"`, `"the same"` or `"wider"` than before?
        Commit to an answer before you read on.
    """,
    stub='answer = None  # "narrower", "the same" or "wider"\ncheck.past_the_mean(answer)',
    right="The next cell shows how much, and the text after it says why.",
    hints=(
        "Put u = 1 and v = −1 into the quadratic (1 + u²) a² − u v a − 1 = 0.",
        "It becomes 2a² + a − 1 = 0. Is its positive root below 1?",
    ),
)
def past_the_mean(answer: Any) -> None:
    """Judge the prediction of what crossing the mean does."""
    found = one_of(answer, "narrower", "the same", "wider")
    hint_if(
        (
            found == "the same",
            "To keep its width it would have to shift by −2, for 2 nats; the quadratic does better.",
        ),
        (found == "wider", "A belief widens when the weight moves away on its own side of the mean; here u v < 0."),
    )


@exercise(
    "02.3",
    kind="find",
    title="half as wide, without crossing",
    prompt="""
        Move the ring (or the sliders) of the explorer above until the belief is half as wide as before, give or take
        one per cent, although the weight does *not* cross the mean. Stay on the branch $+1$.
    """,
    stub="# move Δ and Δ′ until σ′ = σ/2 without crossing, then run this cell\ncheck.halve_the_width(explorer)",
    right="Half as wide, and the weight stayed on its side: that takes one at least √3 σ from the mean.",
    hints=(
        "Find the contour 0.5 on the right map of Figure 2b. Where does it run through a region called contracting?",
        "Pulled onto the mean, a weight leaves the width at 1/√(1 + u²): for which u is that a half or less?",
        "Put a = ½ and u = 2 into (1 + u²) a² − u v a − 1 = 0 and solve for v.",
    ),
    setup="explorer = RegimeExplorer(delta=1.5, delta_new=0.5)",
)
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


@exercise(
    "02.4",
    kind="find",
    title="a step that changes nothing",
    prompt=r"""
        The explorer above is on the reflected branch. Find a step of at least half a standard deviation that leaves
        the belief as it was, its mean *and* its width (to two per cent of $\sigma$).
    """,
    stub="# move Δ′ until the belief is where and as it was, then run this cell\ncheck.leave_it_as_it_was(mirror)",
    right="Every weight but the mean changed sides, and the belief is as it was: the KL is 0.",
    hints=(
        "On this branch the belief is turned over. What does a Gaussian turned over at its mean look like?",
        "Turned over at the mean, a weight at Δ lands at −Δ.",
    ),
    setup="mirror = RegimeExplorer(delta=1.0, delta_new=-2.0, branch=-1)",
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


@exercise(
    "02.5",
    kind="complete",
    title="a root that does not cancel",
    prompt="""
        For $uv < 0$ the formula subtracts two numbers that are nearly equal. The product of the two roots is
        $-1/(1 + u^2)$: use it to write the positive root without a difference. Complete the last line.
    """,
    stub=_ROOT,
    right="Exact to the last digits, for v = −10⁹ too; stretch does the same.",
    hints=(
        "Where u v < 0, large / (2 (1 + u²)) is one of the two roots, but for its sign. Which?",
        "It is minus the negative root. Divide −1/(1 + u²) by the negative root.",
    ),
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
