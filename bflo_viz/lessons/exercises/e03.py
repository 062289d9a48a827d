"""Exercises of notebook 03: what turns, what a full flow does not pay for, its rank, and its limit."""

from typing import Any

from bflo_viz import FlowExplorer, FullBelief, stretch
from bflo_viz.lessons.exercise import array, call, close, exercise, hint_if, one_of, traits

_UPDATE = '''
    def new_covariance(covariance, moved, a, v):
        """Σ′ from Σ, the vector Δ′ (moved), the stretch a along it, and its whitened length v."""
        return ...


    check.rank_one(new_covariance)
'''


def _length(vector: Any) -> float:
    return float(sum(x * x for x in vector) ** 0.5)


def _step(state: Any) -> tuple[Any, Any, float]:
    """Whitened by the prior of the full flow, the weight before and after its step; and the length of the step."""
    full = state.belief["full"]
    before, after = (point - full.mean for point in (state.w, state.w_new))
    return full.inverse_factor @ before, full.inverse_factor @ after, _length(after - before)


@exercise(
    "03.1",
    kind="predict",
    title="a quarter of a turn",
    prompt=r"""
        A round belief, $\Sigma = I$, and a weight that goes a quarter of a turn around the mean, from
        $\Delta = (1.5, 0)$ to $\Delta' = (0, 1.5)$. Which flows leave the belief exactly as it was: `"none"`,
        `"full"`, `"full and diagonal"`, `"full and spherical"` or `"all"`?
    """,
    stub='answer = None  # such as "full and diagonal"\ncheck.quarter_turn(answer)',
    right="The explorer below opens on this step: two flows cost nothing, and the third pays for what it cannot do.",
    hints=(
        "What does a round belief look like after it was turned about its mean?",
        "Exactly as before. So: which of the three forms of A has a quarter turn among its matrices?",
    ),
)
def quarter_turn(answer: Any) -> None:
    """Judge the prediction of which flows a turn costs nothing."""
    wrong = {
        "none": "Look at a round belief that is turned about its mean: what is different afterwards?",
        "full": "The full flow, yes; but the spherical flow may turn, too: A = aU.",
        "full and diagonal": "A diagonal matrix cannot turn anything: trade it for the form that can.",
        "all": "There is no turn among the diagonal matrices: they must stretch and shift instead.",
    }
    found = one_of(answer, "full and spherical", *wrong)
    hint_if((found in wrong, wrong.get(found, "")))


@exercise(
    "03.2",
    kind="find",
    title="where the diagonal flow is the full flow",
    prompt="""
        Move the explorer above until the diagonal and the full flow make the *same* posterior (mean and covariance to
        0.02), though the weight moves by 0.5 or more and the width of the belief changes.
    """,
    stub="# move w and w′ until the first two panels agree, then run this cell\ncheck.two_flows_in_one(explorer)",
    right="Nothing to turn, and only one weight concerned: there the two are one flow.",
    hints=(
        "The diagonal flow cannot turn. Let the weight go straight towards the mean, or away: then nobody has to.",
        "Diagonal matrices stretch along axes: put w and w′ on one axis through the mean, on the same side of it.",
    ),
    setup="explorer = FlowExplorer(w=[1.5, 0.0], w_new=[0.0, 1.5])",
)
def two_flows_in_one(answer: Any) -> None:
    """Judge whether the diagonal and the full posterior agree, in more than a shift."""
    prior, (full, diagonal, _) = traits(answer, FlowExplorer).belief, answer.posterior.values()
    before, after, length = _step(answer)
    apart = max(abs(full.mean - diagonal.mean).max(), abs(full.covariance - diagonal.covariance).max()) > 0.02
    size = _length(before) * _length(after)
    cosine = float(before @ after) / size if size > 1e-9 else 1.0
    same_width = abs(full.entropy() - prior["full"].entropy()) < 0.02
    tilted = not close(prior["full"].covariance, prior["diagonal"].covariance, 1e-3)
    hint_if(
        (length < 0.5, f"The weight moves by {length:.2f} only: take a longer step, of 0.5 or more."),
        (tilted, "The ellipse is tilted: the diagonal flow starts from another prior. Set the angle to 0 or ±90."),
        (apart and cosine < -0.99, "w and w′ are on two sides of the mean: there the full flow turns by half."),
        (apart and cosine < 0.99, "Seen from the mean, the weight has to turn, and the diagonal flow cannot."),
        (apart, "Nothing has to turn, but this step happens to both weights: let it happen to only one of them."),
        (same_width, "They agree, but the flow only shifts the belief: start further out (and not non-expansive)."),
    )


@exercise(
    "03.3",
    kind="find",
    title="a step that costs nothing",
    prompt="""
        Above, the belief is an ellipse. Move $w'$ until the *full* flow costs less than 0.001 nats, though the weight
        moves by 1 or more. Keep the ellipse an ellipse: one axis at least one and a half times the other.
    """,
    stub="# move w′ until the KL of the full flow is below 0.001, then run this cell\ncheck.free_step(ellipse)",
    right="Every weight glides along its own outline, and the ellipse stays as it was: v = u.",
    hints=(
        "In whitened coordinates the ellipse is a circle, and a turn about its centre costs nothing.",
        "w lies on the outer outline of the prior, 2 σ from the mean. Which other points are as many σ away?",
        "Drag w′ onto the outer grey outline, anywhere at least 1 away from w.",
    ),
    setup="ellipse = FlowExplorer(axes=[1.5, 0.6], angle=30, w=[2.55, 0.78], w_new=[-0.78, 2.55])",
)
def free_step(answer: Any) -> None:
    """Judge whether the full flow left an ellipse as it was, though its weight moved."""
    state = traits(answer, FlowExplorer)
    full, (before, after, length) = state.belief["full"], _step(state)
    cost, u, v = state.posterior["full"].kl(full), _length(before), _length(after)
    far, ends = f"w is {u:.2f} σ out, w′ is {v:.2f} σ", [_length(x - full.mean) for x in (state.w, state.w_new)]
    hint_if(
        (max(state.axes) < 1.5 * min(state.axes), "The belief is nearly round: make one axis 1.5 times the other."),
        (length < 1, f"The weight moves by {length:.2f} only: take a longer step, of 1 or more."),
        (cost >= 1e-3 and close(ends[0], ends[1], 0.02), f"On the circle through w, but not on its ellipse: {far}."),
        (cost >= 1e-3 and v < u, f"It costs {cost:.3f} nats: {far}. Go further out."),
        (cost >= 1e-3, f"It costs {cost:.3f} nats: {far}. Come further in."),
    )


@exercise(
    "03.4",
    kind="complete",
    title="the covariance by rank one",
    prompt=r"""
        Complete the covariance of the full flow, $\Sigma' = S\,(I + (a^2 - 1)\,e e^T)\,S^T$, without $S$: use
        $S S^T = \Sigma$ and $S e = \Delta'/v$.
    """,
    stub=_UPDATE,
    right="Σ′ = Σ + (a² − 1)/v² · Δ′Δ′ᵀ: the covariance of the full flow, and no two matrices were multiplied.",
    hints=(
        "Multiply out the brackets: S I Sᵀ is one of the things that you are given.",
        "S e eᵀ Sᵀ = (S e)(S e)ᵀ, and S e = Δ′/v. A column times a row is np.outer.",
    ),
)
def rank_one(answer: Any) -> None:
    """Judge an update of the covariance by two flows, of two and of three weights."""
    three = FullBelief([0.0, 1.0, 0.0], [[2.0, 0.5, 0.0], [0.5, 1.0, 0.3], [0.0, 0.3, 1.0]])
    two = FullBelief([0.0, 1.0], [[1.0, 0.6], [0.6, 2.0]])
    for prior, w, w_new in ((two, [1.0, 1.0], [0.5, 2.5]), (three, [1.0, 3.0, 0.0], [1.0, 0.0, 1.0])):
        old, moved, new = prior.covariance, w_new - prior.mean, prior.flow(w, w_new).covariance[0, 0]
        v = _length(prior.inverse_factor @ moved)
        a = stretch(_length(prior.inverse_factor @ (w - prior.mean)), v)
        outer, gain = moved[:, None] * moved / v**2, a**2 - 1
        changes = {  # what is added, by what to say of it
            "": gain * outer,
            "e = S⁻¹Δ′/v has length one: with Δ′ in its place, something must be divided by v².": gain * outer * v**2,
            "a stretches the standard deviation; along e the variance goes from 1 to a².": (a - 1) * outer,
            "Check the sign: for a > 1 the belief gets wider, so something is added.": -gain * outer,
            "For a = 1 nothing may change, but yours does: of a², only the difference to 1 is new.": a**2 * outer,
            "That adds the inner product, one number, everywhere; you want np.outer.": gain * outer.trace(),
            "That stretches all directions, as a spherical flow; here only one is stretched.": gain * old,
        }
        found = array(call(answer, old.copy(), moved.copy(), a, v), old.shape, "the new covariance")
        seen = [words for words, change in changes.items() if close(found, old + change)]
        there = f"For one of the flows the first variance is {new:.3f}, but yours is {found[0, 0]:.3f}."
        hint_if((not seen, there), (seen != [""], "".join(seen)))


@exercise(
    "03.5",
    kind="predict",
    title="what the mean has to do",
    prompt="""
        A weight moves away from the mean: the flow would widen the belief, but a non-expansive flow may not. Will it
        move the mean `"less far"`, `"as far"` or `"further"`, to carry the weight to the same $w'$?
    """,
    stub='answer = None  # "less far", "as far" or "further"\ncheck.without_widening(answer)',
    right="What stretching may no longer do, the mean has to: it moves by v − u in place of v − a u.",
    hints=(
        "Stretching takes the weight from u to a u, and the mean has to go the rest of the way, v − a u.",
        "Without the limit a is larger than 1, and with it a is 1. For which of the two is v − a u larger?",
    ),
)
def without_widening(answer: Any) -> None:
    """Judge the prediction of what a limit to the width does to the mean."""
    found = one_of(answer, "less far", "as far", "further")
    hint_if(
        (found == "less far", "It sounds careful, but the opposite is true: what is not stretched must be carried."),
        (found == "as far", "Then the weight would fall short: if stretching covers less, who goes the rest?"),
    )
