"""Judges of what students build of one update: a flow of one weight, a diagonal flow, a full flow by rank one.

Right is what moves the belief as the package does, in whatever way it was written. A slip is known by where it leads:
``_Way`` says what each of them does differently.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bflo_viz import FullBelief, stretch
from bflo_viz._checks import Floats
from bflo_viz.lessons.exercise import Hint, array, call, close, hint_by_result, hint_if, norm, number, pair

_OURS = {
    "stretch",
    "flow",
    "flow_field",
    "DiagonalBelief",
    "SphericalBelief",
    "FullBelief",
    "BeliefFlow",
}
_BOTH = "the new mean and the new standard deviation"
_ORDER = "These two are in the other order: the mean comes first."


def by_hand(answer: Any) -> None:
    """Ask that a function, or a class, does not call what it is to replace."""
    code = [getattr(part, "__code__", None) for part in (answer, *getattr(answer, "__dict__", {}).values())]
    while code:
        if (part := code.pop()) is None:
            continue
        code += [constant for constant in part.co_consts if hasattr(constant, "co_names")]
        if used := sorted(_OURS.intersection(part.co_names) - {part.co_name}):
            raise Hint(f"That calls the package's {used[0]}: do it without, from the formulas.")


def posterior(answer: Any, *arguments: Any, what: str) -> tuple[Any, Any]:
    """The two things that a function makes of its arguments, which must be afterwards what they were."""
    seen: list[Any] = []

    def watched(*given: Any) -> Any:
        seen[:] = given
        return answer(*given)

    with np.errstate(all="ignore"):
        both = pair(call(watched if callable(answer) else answer, *arguments), what)
    kept = all(np.array_equal(now, before) for now, before in zip(seen, arguments, strict=True))
    hint_if((not kept, "Your function changes the arrays that it is given (by += or the like): make new ones."))
    return both


class _Way(NamedTuple):
    """What a slip does differently: the stretch, the new width and the new mean, of Δ, Δ′, σ and the stretch."""

    a: Callable[[Any, Any], Any] = stretch
    u: Callable[..., Any] = lambda d, d_new, s, m: d / s
    v: Callable[..., Any] = lambda d, d_new, s, m: d_new / s
    width: Callable[..., Any] = lambda s, a: s * a
    shift: Callable[..., Any] = lambda d, d_new, a, s, m: d_new - a * d

    def leads_to(self, mean: Any, std: Any, w: Any, w_new: Any) -> Floats:
        """The new mean, and the new standard deviation."""
        d, d_new = w - mean, w_new - mean
        with np.errstate(all="ignore"):
            a = self.a(self.u(d, d_new, std, mean), self.v(d, d_new, std, mean))
            return np.array([mean + self.shift(d, d_new, a, std, mean), self.width(std, a)])


def _printed(u: Any, v: Any, *, four: float = 4.0, two: float = 2.0, sign: int = 1) -> Any:
    """The printed root, with constants that are easily mistaken."""
    return (u * v + sign * np.sqrt(u * u * v * v + four * (1 + u * u))) / (two * (1 + u * u))


_EACH_WEIGHT = {
    "": _Way(),
    "The width is right. The mean stayed: it has to go the rest of the way, Δ′ − a Δ.": _Way(
        shift=lambda d, d_new, a, s, m: 0.0 * d
    ),
    "The width is right. The mean is not where the weight went, unless the weight was the mean.": _Way(
        shift=lambda d, d_new, a, s, m: d_new
    ),
    "The width is right. The mean went the wrong way: Δ′ − a Δ, not a Δ − Δ′.": _Way(
        shift=lambda d, d_new, a, s, m: a * d - d_new
    ),
    "The width is right. Δ′ − a Δ is by how much the mean moves: add the old mean.": _Way(
        shift=lambda d, d_new, a, s, m: d_new - a * d - m
    ),
    "The width is right. The mean moves by (v − a u) standard deviations: multiply by std.": _Way(
        shift=lambda d, d_new, a, s, m: (d_new - a * d) / s
    ),
    "The width is right. The mean moves by Δ′ − a Δ; the stretch belongs to Δ, not to Δ′.": _Way(
        shift=lambda d, d_new, a, s, m: a * d_new - d
    ),
    "The width is right. The mean moves by Δ′ − a Δ: the stretch of Δ is missing.": _Way(
        shift=lambda d, d_new, a, s, m: d_new - d
    ),
    "The mean is right. The width is the old one times a, not a itself.": _Way(width=lambda s, a: a + 0 * s),
    "The mean is right. a stretches the standard deviation; a² would be for the variance.": _Way(
        width=lambda s, a: s * a**2
    ),
    "The mean is right. That is the new variance: return its root, the standard deviation.": _Way(
        width=lambda s, a: (s * a) ** 2
    ),
    "The mean is right. The width is multiplied by a; you divide by it.": _Way(width=lambda s, a: s / a),
    "The mean is right. The width stayed: it is multiplied by a.": _Way(width=lambda s, a: s + 0 * a),
    "u and v are swapped: u is where the weight was, v where it went.": _Way(a=lambda u, v: stretch(v, u)),
    "v is made of w once more: it is where the weight went, w_new.": _Way(v=lambda d, d_new, s, m: d / s),
    "v is made of the step: like u, it is a distance from the old mean.": _Way(
        v=lambda d, d_new, s, m: (d_new - d) / s
    ),
    "u and v must keep their signs: with abs, a weight that crosses the mean looks like one that stays.": _Way(
        a=lambda u, v: stretch(np.abs(u), np.abs(v))
    ),
    "u and v are in standard deviations: divide both by std.": _Way(
        u=lambda d, d_new, s, m: d, v=lambda d, d_new, s, m: d_new
    ),
    "You divide by the variance: u and v are Δ and Δ′ over the standard deviation.": _Way(
        u=lambda d, d_new, s, m: d / s**2, v=lambda d, d_new, s, m: d_new / s**2
    ),
    "u and v are distances from the mean: subtract it from w and from w_new.": _Way(
        u=lambda d, d_new, s, m: (d + m) / s, v=lambda d, d_new, s, m: (d_new + m) / s
    ),
    "That is the root with δ = −1: take the positive one.": _Way(a=lambda u, v: stretch(u, v, branch=-1)),
    "That is the root with δ = −1, made positive: take the other root.": _Way(
        a=lambda u, v: stretch(u, v, branch=-1), width=lambda s, a: s * np.abs(a)
    ),
    "That stretches by v / u, so that the mean need not move. The flow of least KL shares the work.": _Way(
        a=lambda u, v: v / u
    ),
    "The denominator is 2 (1 + u²): the 2 is missing.": _Way(a=lambda u, v: _printed(u, v, two=1.0)),
    "Under the root it is u² v² + 4 (1 + u²): the 4 is missing.": _Way(a=lambda u, v: _printed(u, v, four=1.0)),
    "In the denominator it is 1 + u², as under the root; you have v there.": _Way(
        a=lambda u, v: _printed(u, v) * (1 + u * u) / (1 + v * v)
    ),
    "Under the root it is 4 + u² (4 + v²): a square is missing.": _Way(
        a=lambda u, v: (u * v + np.sqrt(4 + u * (4 + v * v))) / (2 * (1 + u * u))
    ),
}


def build_one_weight(answer: Any) -> None:
    """Judge a flow of one weight: in every regime, at the edges, and where the printed form cancels."""
    cases = ((1.0, 2.0, 4.0, 2.5), (-0.5, 0.4, -0.9, -1.5), (0.3, 0.7, 1.0, -0.6), (2.0, 3.0, -1.0, 4.0))
    by_hand(answer)
    results = [_one_weight(answer, *case) for case in cases]
    ways = [{words: way.leads_to(*case) for words, way in _EACH_WEIGHT.items()} for case in cases]
    ways = [{"": way[""], _ORDER: way[""][::-1], **way} for way in ways]
    hint_by_result(
        results, ways, _numbers(ways[0][""], results[0], "From N(1, 2²), as the weight moves from 4 to 2.5")
    )
    at_mean, onto, still = (_one_weight(answer, *case) for case in ((1.0, 0.5, 1.0, 1.8), (0, 1, 1, 0), (0, 2, 3, 3)))
    far = _one_weight(answer, 0.0, 1.0, 1.0, -1e9)
    past = (
        f"For u = 1 and v = −10⁹ the width should be 10⁻⁹, but yours is {far[1]:.3g}: the printed root cancels there."
    )
    hint_if(
        (not close(at_mean, [1.8, 0.5]), "At u = 0, a weight drawn at the mean, a is 1: the belief shifts as it is."),
        (not close(onto, [-math.sqrt(0.5), math.sqrt(0.5)]), "At v = 0 it goes wrong: nothing may be divided by v."),
        (not close(still, [0.0, 2.0]), "A weight that stays where it is must leave the belief as it is."),
        (not close(far[1] * 1e9, 1.0, 1e-6), past),
    )


def _one_weight(answer: Any, mean: float, std: float, w: float, w_new: float) -> Floats:
    both = posterior(answer, mean, std, w, w_new, what=_BOTH)
    if any(np.size(part) == 1 and np.isnan(np.asarray(part, float)).any() for part in both if _numeric(part)):
        raise Hint(
            f"For mean {mean:g}, std {std:g}, w {w:g}, w_new {w_new:g} yours is not a number: a 0 divides there."
        )
    return np.array([number(both[0], "the new mean"), number(both[1], "the new std")])


def _numeric(part: Any) -> bool:
    return isinstance(part, int | float | np.ndarray | np.number) and np.asarray(part).dtype.kind in "iuf"


def _numbers(right: Floats, yours: Floats, where: str) -> str:
    return (
        f"{where}, it is mean {right[0]:.3f} and std {right[1]:.3f}, but yours are {yours[0]:.3f} and {yours[1]:.3f}."
    )


# Many weights


def _lengths(a: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda u, v: a(norm(u), norm(v)) + 0 * u


_MANY_WEIGHTS = _EACH_WEIGHT | {
    "One stretch for all weights, made of lengths: that is a spherical flow. Each weight has its own.": _Way(
        a=_lengths(stretch)
    ),
    "One stretch for all weights, made of the averages of u and v: each weight has its own.": _Way(
        a=lambda u, v: stretch(u.mean(), v.mean()) + 0 * u
    ),
    "All weights got the stretch of the first one: each has its own.": _Way(
        a=lambda u, v: stretch(u[0], v[0]) + 0 * u
    ),
    "The product u v belongs to each weight by itself; u @ v adds them up.": _Way(
        a=lambda u, v: (u @ v + np.sqrt((u @ v) ** 2 + 4 * (1 + u * u))) / (2 * (1 + u * u))
    ),
}


def build_diagonal(answer: Any) -> None:
    """Judge a diagonal flow on vectors whose weights contract, cross and expand at the same time."""
    by_hand(answer)
    cases = (
        ([0.5, -1.0, 0.2], [1.0, 0.5, 2.0], [1.5, -1.8, -1.0], [0.9, -0.4, -3.0]),
        ([0.0, 0.4], [0.3, 1.2], [0.2, -1.0], [0.5, 1.4]),
    )
    given = [tuple(np.array(part) for part in case) for case in cases]
    results = [_many_weights(answer, *case) for case in given]
    ways = [{words: way.leads_to(*case) for words, way in _MANY_WEIGHTS.items()} for case in given]
    ways = [{"": way[""], _ORDER: way[""][::-1], **way} for way in ways]
    row, column = np.unravel_index(np.argmax(np.abs(results[0] - ways[0][""])), results[0].shape)
    what = ("mean", "std")[int(row)]
    wrong = f"In one of the flows the new {what} of weight {column} should be {ways[0][''][row, column]:.3f}"
    hint_by_result(results, ways, f"{wrong}, but yours is {results[0][row, column]:.3f}.")
    whole = tuple(np.array(part) for part in ([0, 1], [1, 2], [2, 3], [1, 0]))
    cut = _many_weights(answer, *whole)
    right = _EACH_WEIGHT[""].leads_to(*whole)
    edges = [np.array(part) for part in ([1.0, 0.0, 0.0], [0.5, 1.0, 1.0], [1.0, 1.0, 1.0], [1.8, 1.0, -1e9])]
    mean, std = _many_weights(answer, *edges)
    hint_if(
        (
            not close(cut, right),
            "Given whole numbers, yours is cut off: an array made like mean holds whole numbers only.",
        ),
        (not close([mean[0], std[0]], [1.8, 0.5]), "A weight drawn at its mean, u = 0, has a = 1, and shifts."),
        (not close([mean[1], std[1]], [0, 1]), "A weight that stays where it is must keep its mean and its width."),
        (
            not close(std[2] * 1e9, 1.0),
            "For u = 1 and v = −10⁹ the root cancels: use the other form where u v < 0, by np.where.",
        ),
    )


def _many_weights(answer: Any, *case: Any) -> Floats:
    mean, std = posterior(answer, *case, what="the new means and the new standard deviations")
    for part, what in ((mean, "the new mean"), (std, "the new std")):
        if _numeric(part) and np.isnan(part).any():
            raise Hint(f"There is a NaN in {what}: somewhere a 0 divides.")
    shape = case[0].shape
    return np.array([array(mean, shape, "the new mean"), array(std, shape, "the new std")])


# The full flow


def build_full(answer: Any) -> None:
    """Judge a full flow by its mean and its covariance, at its edges too."""
    by_hand(answer)
    two = FullBelief([0.0, 1.0], [[1.0, 0.6], [0.6, 2.0]])
    three = FullBelief([0.2, 1.0, -0.4], [[2.0, 0.5, 0.0], [0.5, 1.0, 0.3], [0.0, 0.3, 1.0]])
    cases = [
        (two, [1.0, 1.5], [-0.8, 2.5]),
        (three, [1.0, 3.0, 0.0], [1.0, 0.5, 1.0]),
        (two, [0.5, 0.2], [1.5, -0.8]),
    ]
    results = [_full(answer, *case) for case in cases]
    ways = [_full_ways(prior, np.array(w) - prior.mean, np.array(moved) - prior.mean) for prior, w, moved in cases]
    row, column = np.unravel_index(np.argmax(np.abs(results[0] - ways[0][""])), results[0].shape)
    what = f"entry {column} of the mean" if row == 0 else f"entry [{row - 1}, {column}] of the covariance"
    wrong = f"In one of the flows {what} should be {ways[0][''][row, column]:.3f}"
    hint_by_result(results, ways, f"{wrong}, but yours is {results[0][row, column]:.3f}.")
    onto = two.mean.tolist()
    for w, w_new, words in (
        (onto, [0.7, 0.3], "At u = 0, a weight drawn at the mean, the belief shifts as it is: μ′ = w′ and Σ′ = Σ."),
        (
            [1.0, 1.5],
            onto,
            "At v = 0, the weight pulled onto the mean, Δ′ has no direction: take that of Δ, with 1/u².",
        ),
        (onto, onto, "At u = v = 0 nothing moved: the belief must stay as it is."),
    ):
        post = two.flow(w, w_new)
        new = _full(answer, two, w, w_new, words)
        hint_if((not close(new, np.vstack([post.mean, post.covariance])), words))


def _full(answer: Any, prior: FullBelief, w: Any, w_new: Any, undefined: str = "") -> Floats:
    """The new mean as a row above the new covariance."""
    arguments = prior.mean, prior.covariance, np.array(w), np.array(w_new)
    mean, covariance = posterior(answer, *arguments, what="the new mean and the new covariance")
    size = prior.dim
    hint_if((np.shape(mean) == (size, size) and np.shape(covariance) == (size,), _ORDER))
    if any(_numeric(part) and not np.isfinite(part).all() for part in (mean, covariance)):
        raise Hint(undefined or "There is a NaN in what your function returns: somewhere a 0 divides.")
    return np.vstack([array(mean, (size,), "the new mean"), array(covariance, (size, size), "the new covariance")])


def _full_ways(prior: FullBelief, d: Floats, d_new: Floats) -> dict[str, Floats]:
    """What slips lead to: the mean as a row above the covariance, by the words of their hint."""
    mean, cov, white = prior.mean, prior.covariance, prior.inverse_factor
    u, v = norm(white @ d), norm(white @ d_new)
    a, outer = stretch(u, v), np.outer(d_new, d_new)

    def made(a: float = a, u: float = u, v: float = v, gain: Any = None, shift: Any = None) -> Floats:
        gain = (a**2 - 1) / v**2 * outer if gain is None else gain
        return np.vstack([mean + ((1 - a * u / v) * d_new if shift is None else shift), cov + gain])

    def by(lengths: Callable[[Floats], float]) -> Floats:
        u, v = lengths(d), lengths(d_new)
        return made(stretch(u, v), u, v)

    lower = np.linalg.cholesky(cov)
    product = d @ np.linalg.solve(cov, d_new)
    signed = (product + math.sqrt(product**2 + 4 * (1 + u * u))) / (2 * (1 + u * u))
    new = cov + (a**2 - 1) / v**2 * outer
    return {
        "": made(),
        "u and v are lengths in whitened coordinates, √(Δᵀ Σ⁻¹ Δ): you measured Δ as it is.": by(norm),
        "Whitening takes the inverse: u² = Δᵀ Σ⁻¹ Δ, not Δᵀ Σ Δ.": by(lambda x: math.sqrt(x @ cov @ x)),
        "Δᵀ Σ⁻¹ Δ is u²: take its root.": by(lambda x: float(x @ np.linalg.solve(cov, x))),
        "Dividing by the standard deviations forgets how the weights go together: whiten with all of Σ.": by(
            lambda x: norm(x / np.sqrt(np.diag(cov)))
        ),
        "cholesky gives L with L Lᵀ = Σ: whiten by solving with L, not with its transpose.": by(
            lambda x: norm(np.linalg.solve(lower.T, x))
        ),
        "In a full flow u and v are lengths, without a sign; you took the product of two vectors for u v.": made(
            float(signed)
        ),
        "u and v are swapped: u belongs to w, v to w_new.": made(stretch(v, u), v, u),
        "In the stretch u and v are swapped: u belongs to w, v to w_new.": made(stretch(v, u)),
        "The stretch goes along Δ′, to where the weight went; yours goes along Δ.": made(
            gain=(a**2 - 1) / u**2 * np.outer(d, d)
        ),
        "Σ′ has (a² − 1)/v²; with a − 1 it would be the factor S that changes.": made(gain=(a - 1) / v**2 * outer),
        "In the covariance Δ′Δ′ᵀ is divided by v²: it is missing.": made(gain=(a**2 - 1) * outer),
        "In the covariance Δ′Δ′ᵀ is divided by v², not by v.": made(gain=(a**2 - 1) / v * outer),
        "Check the sign of a² − 1: for a > 1 the belief gets wider.": made(gain=-(a**2 - 1) / v**2 * outer),
        "Of a² only the difference to 1 is new: a² − 1.": made(gain=a**2 / v**2 * outer),
        "Δ′ * Δ′ multiplies entry by entry; a column times a row is np.outer.": made(
            gain=(a**2 - 1) / v**2 * d_new * d_new
        ),
        "That stretches all directions; a full flow stretches only along Δ′.": made(gain=(a**2 - 1) * cov),
        "The covariance is right. The mean moves by Δ′ − a Δ on a line; here the belief turns, and Δ with it: "
        "(1 − a u/v) Δ′.": made(shift=d_new - a * d),
        "The covariance is right. The mean stayed: it moves by (1 − a u/v) Δ′.": made(shift=0 * d),
        "The covariance is right. The mean moves by (1 − a u/v) Δ′: by less than all of Δ′.": made(shift=d_new),
        "The covariance is right. In the mean it is a u/v, not a v/u.": made(shift=(1 - a * v / u) * d_new),
        "The covariance is right. The mean moves along Δ′, not along Δ.": made(shift=(1 - a * u / v) * d),
        "The covariance is right. (1 − a u/v) Δ′ is by how much the mean moves: add the old mean.": made(
            shift=(1 - a * u / v) * d_new - mean
        ),
        "The covariance stayed as it was: it gains (a² − 1)/v² · Δ′Δ′ᵀ.": made(gain=0 * outer),
        "That is what the covariance gains: add it to the old one.": made(gain=new - cov - cov),
        "The mean is right. That is a factor S′ of the covariance: return S′S′ᵀ.": made(
            gain=(prior.factor + (a - 1) / v**2 * np.outer(d_new, white @ d_new)) - cov
        ),
    }
