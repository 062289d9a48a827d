"""Judges of corrected code: three implementations with one bug each, a sign, a rounding, a choice of coordinates."""

import math
from typing import Any

import numpy as np

from bflo_viz import DiagonalBelief, FullBelief, Logistic, stretch
from bflo_viz._checks import Floats
from bflo_viz.lessons.exercise import Hint, array, call, close, hint_by_result, hint_if
from bflo_viz.lessons.exercises.builds import by_hand, posterior

# Notebook 02: the sign in the Appendix

_PAIRS = ((1.5, 0.75), (0.5, 1.5), (1.0, -1.1), (1.2, -1.5), (0.8, 0.8))


def wrong_valley(answer: Any) -> None:
    """Judge where a descent on the KL ends, for steps of every regime."""
    by_hand(answer)
    ends = [_end(answer, *pair) for pair in _PAIRS]
    floors = [stretch(*pair) for pair in _PAIRS]
    if close(ends, floors, 1e-3):
        return
    ways = [{words: _descent(*signs, *pair) for words, signs in _SIGNS.items()} for pair in _PAIRS]
    held = [min(max(end, 0.0), 1.0) for end in (way[_AS_PRINTED] for way in ways)]
    cut = "That cuts off what runs away, and hides the bug: without the cut it must end in the valley by itself."
    hint_if(
        (close(ends, held, 1e-3) or close(ends, np.minimum(floors, 1.0), 1e-3), cut),
        (close(ends, 1.0, 1e-9), "It never leaves its start, a = 1: is the slope used at all?"),
    )
    off, (u, v) = max((abs(end - floor), pair) for end, floor, pair in zip(ends, floors, _PAIRS, strict=True))
    near = (
        f"Downhill, and not there yet: for u = {u:g}, v = {v:g} it is off by {off:.2g}. Leave steps and rate alone."
    )
    hint_if((off < 0.3 and all(end > 0 for end in ends), near))
    at = (
        f"For u = {u:g}, v = {v:g} the valley is at a = {stretch(u, v):.3f}, but yours ends at {_shown(answer, u, v)}"
    )
    hint_by_result(ends, ways, f"{at}. Take the derivative of each term of the KL once more.")


_AS_PRINTED = (
    "For u = 0.5 it runs away, and for u = 1.5 it stops at 1.450 and not at 0.754: a term of the slope pushes uphill."
)
# Signs of the terms −u (v − a u), a and 1/a: the right slope has +, + and −.
_SIGNS = {
    _AS_PRINTED: (1, -1, -1),
    "The sign of a is right now, but 1/a has changed its sign, too: −log a falls with a.": (1, 1, 1),
    "Now both terms of the width are upside down: of a and 1/a, one sign was right.": (1, -1, 1),
    "The first term was right: v − a u falls as a grows, hence −u (v − a u).": (-1, 1, -1),
    "Two signs are wrong now: the first term was right, and that of a still is not.": (-1, -1, -1),
    "With all signs turned over it still goes uphill: only one of the three was wrong.": (-1, 1, 1),
    "The term of a is gone now; it belongs there, with another sign.": (1, 0, -1),
    "The term of 1/a is gone now; it was right, and it keeps a away from 0.": (1, 1, 0),
}


def _end(answer: Any, u: float, v: float) -> float:
    """Where a descent ends; 10⁹ stands for what ran away."""
    with np.errstate(all="ignore"):
        try:
            value = call(answer, u, v)
        except Hint as hint:
            hint_if(("OverflowError" in str(hint) or "ZeroDivision" in str(hint), _AS_PRINTED))
            raise
    end = array(value, np.shape(value), "what your function returns") if _finite(value) else 1e9
    if np.size(end) != 1:
        raise Hint("Your function should return one number, the stretch a.")
    return float(np.clip(np.reshape(end, ()), -1e9, 1e9))


def _finite(value: Any) -> bool:
    return not (isinstance(value, float | np.ndarray) and np.asarray(value).dtype.kind == "f") or bool(
        np.isfinite(value).all()
    )


def _shown(answer: Any, u: float, v: float) -> str:
    end = _end(answer, u, v)
    return "nowhere" if abs(end) >= 1e6 else f"{end:.3f}"


def _descent(first: int, second: int, third: int, u: float, v: float) -> float:
    a = 1.0
    for _ in range(2000):
        if not 1e-9 < abs(a) < 1e9:
            return 1e9
        a -= 0.02 * (first * -u * (v - a * u) + second * a + third / a)
    return a


# Notebook 03: singular values in the wrong coordinates


def nowhere_wider(answer: Any) -> None:
    """Judge limited full flows: of a weight that glides along its outline, of others that move out and in."""
    by_hand(answer)
    oval = FullBelief([0.0, 0.0], [[4.0, 0.0], [0.0, 0.25]])
    tilted = FullBelief([0.5, -1.0, 0.0], [[2.0, 0.9, 0.0], [0.9, 1.0, 0.3], [0.0, 0.3, 0.5]])
    cases = [
        (oval, np.array([2.0, 0.0]), np.array([math.sqrt(3.0), 0.25])),
        (oval, np.array([1.0, 0.2]), np.array([0.5, -0.9])),
        (tilted, np.array([1.0, 0.5, -0.4]), np.array([2.0, -0.5, 1.0])),
        (tilted, np.array([2.0, 0.5, 0.7]), np.array([0.6, -0.8, 0.3])),
    ]
    results, ways = [], []
    for prior, w, w_new in cases:
        mean, covariance = posterior(_bound(answer, prior), w, w_new, what="the new mean and the new covariance")
        mean = array(mean, (prior.dim,), "the new mean")
        results.append(np.vstack([mean, array(covariance, (prior.dim, prior.dim), "the new covariance")]))
        ways.append(_limits(prior, w, w_new))
    for (prior, _, _), new in zip(cases, results, strict=True):
        wider = float(np.linalg.eigvalsh(_symmetric(new[1:]) - prior.covariance).max())
        known = any(close(new, way, 1e-6) for limits in ways for way in limits.values() if way.shape == new.shape)
        if wider > 1e-9 and not known:
            raise Hint(f"Still wider somewhere: Σ′ − Σ has an eigenvalue of +{wider:.3f}, and none may be above 0.")
    narrow = (
        "Nowhere wider now, but narrower than it has to be: limit only what exceeds 1, where the belief is a ball."
    )
    hint_by_result(results, ways, narrow)


def _bound(answer: Any, prior: FullBelief) -> Any:
    return (lambda w, w_new: answer(prior, w, w_new)) if callable(answer) else answer


def _symmetric(matrix: Floats) -> Floats:
    return (matrix + matrix.T) / 2


def _limits(prior: FullBelief, w: Floats, w_new: Floats) -> dict[str, Floats]:
    """What repairs lead to, by the words of their hint: the mean as a row above the covariance."""
    A, S, T = prior.affine_map(w, w_new).A, prior.factor, prior.inverse_factor

    def by(A: Floats, mean_by: Any = None) -> Floats:
        mean = (A if mean_by is None else mean_by) @ (prior.mean - w) + w_new
        return np.vstack([mean, A @ prior.covariance @ A.T])

    def cut(A: Floats, at: Any = lambda sizes: np.minimum(sizes, 1)) -> Floats:
        left, sizes, right = np.linalg.svd(A)
        return np.asarray((left * at(sizes)) @ right)

    post = prior.flow(w, w_new, non_expansive=True)
    back = S @ cut(T @ A @ S) @ T
    return {
        "": np.vstack([post.mean, post.covariance]),
        "The weight glided along its outline, and nothing had to be limited; still it is cut. In which coordinates "
        "does a singular value of 1 mean 'as wide as before'?": by(cut(A)),
        "Now nothing is limited: a weight that moves away widens the belief.": by(A),
        "Whitened and limited, but not taken back: the last line wants A in the coordinates of the weights.": by(
            cut(T @ A @ S)
        ),
        "That whitens the wrong way round: the map goes into the ball by S⁻¹ on the left and S on the right.": by(
            T @ cut(S @ A @ T) @ S
        ),
        "The limit is right, but the mean is still that of the map before it: the weight no longer arrives.": by(
            back, A
        ),
        "All singular values are 1 now, so that nothing narrows either: limit only those above 1.": by(
            S @ cut(T @ A @ S, np.ones_like) @ T
        ),
        "Dividing the whole map by its largest singular value narrows every direction: limit each by itself.": by(
            S @ cut(T @ A @ S, lambda sizes: sizes / max(sizes.max(), 1)) @ T
        ),
        "Dividing all of A by its largest singular value narrows every direction, and in the wrong coordinates.": by(
            cut(A, lambda sizes: sizes / max(sizes.max(), 1))
        ),
        "Half of the way: both S⁻¹ on the left and S on the right, and the reverse on the way back.": by(
            S @ cut(T @ A)
        ),
    }


# Notebook 05: u in floating point


def width_comes_back(answer: Any) -> None:
    """Judge one round of a diagonal flow: of an ordinary belief, of a thin one, and of one far below rounding."""
    ordinary = [_round(answer, [0.3, -0.2], [0.8, 0.5], seed) for seed in range(4)]
    yours, right, second = (np.array(part) for part in zip(*ordinary, strict=True))
    again = any(close(yours[:, 1], second[:, n]) for n in (0, 1))
    hint_if(
        (again, "u is drawn a second time: it must be the normal that the weight was made of."),
        (not close(yours, right), "For an ordinary belief, std about ½, the round was right before; now it is not."),
    )
    at = [_round(answer, [1.0, -1.2], [1e-20, 1e-20], seed) for seed in range(4)]
    yours, right, _ = (np.array(part) for part in zip(*at, strict=True))
    opened, seen = right[:, 1].max(), yours[:, 1].flat[right[:, 1].argmax()]
    thin = [_round(answer, [0.3, -0.2], [1e-6, 1e-6], seed) for seed in range(4)]
    narrow = np.array([(mine[1], ours[1]) for mine, ours, _ in thin])
    where = "With mean 1 and std 1e-20 one of the steps goes outwards, and should open the width"
    hint_if(
        (np.isnan(yours).any(), f"{where}; yours is not a number: some 0 divides."),
        (
            not np.allclose(narrow[:, 0], narrow[:, 1], rtol=1e-3, atol=0),
            f"A floor, or something added to std, makes it another belief: from 1e-6 it should go to "
            f"{narrow[:, 1].min():.1e}, but yours goes to {narrow[:, 0].flat[narrow[:, 1].argmin()]:.1e}.",
        ),
        (
            not np.allclose(yours[:, 1], right[:, 1], rtol=1e-6, atol=1e-30),
            f"{where} to {opened:.3f}; yours stays at {seen:.0e}. What is w − mean there, and what should it be?",
        ),
        (
            not close(yours[:, 0], right[:, 0], 1e-9),
            "The width comes back, but the mean goes with it where it should step aside: a (w − mean) is 0, too.",
        ),
    )


def _round(answer: Any, mean: Any, std: Any, seed: int) -> tuple[Floats, Floats, Floats]:
    """The new means and widths: the student's, and ours; and the widths if u is drawn a second time."""
    x, y, eta = np.array([1.0, -0.7]), seed % 2, 0.2
    prior, rng = DiagonalBelief(mean, std), np.random.default_rng(seed)

    def seeded(*arguments: Any) -> Any:  # without the generator, no hint names it: its address differs
        return answer(*arguments, x, y, eta, np.random.default_rng(seed))

    both = posterior(
        seeded if callable(answer) else answer, prior.mean, prior.std, what="the new mean and the new std"
    )
    new = []
    for part, what in zip(both, ("the new mean", "the new std"), strict=True):
        ok = isinstance(part, np.ndarray) and part.dtype.kind == "f" and part.shape == (2,)
        new.append(part if ok else array(part, (2,), what))
    z = rng.standard_normal(2)
    step = -eta * Logistic().gradient(prior.weight(z), x, y)
    post = prior.flow(prior.weight(z), prior.weight(z) + step, z=z)
    again = rng.standard_normal(2)
    twice = [prior.std * stretch(again, first + step / prior.std) for first in (z, again)]
    return np.array(new), np.array([post.mean, post.std]), np.array(twice)
