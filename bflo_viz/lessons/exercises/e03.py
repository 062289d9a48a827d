"""Judges of the exercises of notebook 03: where two flows are one, a step that costs nothing, and rank one."""

from typing import Any

from bflo_viz import FlowExplorer, FullBelief, stretch
from bflo_viz.lessons.exercise import array, call, close, hint_by_result, hint_if, traits


def _length(vector: Any) -> float:
    return float(sum(x * x for x in vector) ** 0.5)


def _step(state: Any) -> tuple[Any, Any, float]:
    """Whitened by the prior of the full flow, the weight before and after its step; and the length of the step."""
    full = state.belief["full"]
    before, after = (point - full.mean for point in (state.w, state.w_new))
    return full.inverse_factor @ before, full.inverse_factor @ after, _length(after - before)


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


def rank_one(answer: Any) -> None:
    """Judge an update of the covariance by two flows, of two and of three weights."""
    three = FullBelief([0.0, 1.0, 0.0], [[2.0, 0.5, 0.0], [0.5, 1.0, 0.3], [0.0, 0.3, 1.0]])
    two = FullBelief([0.0, 1.0], [[1.0, 0.6], [0.6, 2.0]])
    new, ways = [], []
    for prior, w, w_new in ((two, [1.0, 1.0], [0.5, 2.5]), (three, [1.0, 3.0, 0.0], [1.0, 0.0, 1.0])):
        old, moved = prior.covariance, w_new - prior.mean
        u, v = (_length(prior.inverse_factor @ x) for x in (w - prior.mean, moved))
        a = stretch(u, v)
        new.append(array(call(answer, old, moved, a, v), old.shape, "the new covariance"))
        outer, gain = moved[:, None] * moved / v**2, a**2 - 1
        changes = {
            "": gain * outer,
            "e = S⁻¹Δ′/v has length one: with Δ′ in its place, something must be divided by v².": gain * outer * v**2,
            "a stretches the standard deviation; along e the variance goes from 1 to a².": (a - 1) * outer,
            "Check the sign: for a > 1 the belief gets wider, so something is added.": -gain * outer,
            "For a = 1 nothing may change, but yours does: of a², only the difference to 1 is new.": a**2 * outer,
            "That adds the inner product, one number, everywhere; you want np.outer.": gain * outer.trace(),
            "That stretches all directions, as a spherical flow does; here only one is stretched.": gain * old,
        }
        ways.append({words: old + change for words, change in changes.items()})
    right, yours = ways[0][""][0, 0], new[0][0, 0]
    hint_by_result(new, ways, f"For one of the flows the first variance is {right:.3f}, but yours is {yours:.3f}.")
