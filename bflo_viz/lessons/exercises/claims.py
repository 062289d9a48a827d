"""Judges of the claims of notebook 09 about formulas: each judges the evidence for or against, not an opinion."""

from typing import Any

import numpy as np

from bflo_viz import DiagonalBelief, FullBelief, SphericalBelief, stretch, stretch_kl
from bflo_viz.lessons.exercise import array, call, close, hint_by_result, hint_if, number, pair

_SWAPPED = "Both numbers are right, but the other way round: the first is of what the paper prints."
_SIGNS = (1, 1), (1, -1), (-1, 1), (-1, -1)


def _two(answer: Any, *case: Any, names: tuple[str, str]) -> Any:
    """The two numbers that a check returns."""
    found = call(answer, *case)
    parts = pair(list(found) if isinstance(found, np.ndarray) and found.ndim else found, " and ".join(names))
    return np.array([number(part, name) for part, name in zip(parts, names, strict=True)])


def derivative_in_the_appendix(answer: Any) -> None:
    """Judge how far two derivatives are off, in two and in three dimensions."""
    plane = [[1.1, 0.2], [-0.3, 0.9]], [1.0, -0.5], [0.4, 0.8], [[1.5, 0.4], [0.4, 0.8]]
    mirrored = [[-1.6, 0.3, 0.0], [0.1, 0.8, 0.2], [0.4, 0.0, 1.1]]  # the largest term of this one is negative
    space = mirrored, [0.5, 1.1, -1.0], [1.0, 0.2, 0.3], [[1.0, 0.2, 0.0], [0.2, 1.2, 0.1], [0.0, 0.1, 0.9]]
    results, ways = [], []
    for case in (plane, space):
        A, before, after, covariance = (np.array(part) for part in case)
        names = "the error with minus", "the error with plus"
        results.append(_two(answer, A, before, after, covariance, names=names))
        precision, inverse, pull = np.linalg.inv(covariance), np.linalg.inv(A), after - A @ before
        mean, width, volume = -precision @ np.outer(pull, before), precision @ A @ covariance, -inverse.T
        largest = 2 * abs(width).max()
        way = {"": (largest, 0.0), _SWAPPED: (0.0, largest)}
        way["Take absolute values before you look for the largest: errors may be negative."] = (-2 * width).max(), 0.0
        way["Those are means; take the largest of all entries."] = 2 * abs(width).mean(), 0.0
        slips = {
            "The last term is A⁻ᵀ, the inverse *transposed*.": (mean, width, -inverse),
            "The outer product is (Δ′ − AΔ)Δᵀ, with Δ last.": (-precision @ np.outer(before, pull), width, volume),
            "The first term begins with a minus: −Σ⁻¹(Δ′ − AΔ)Δᵀ.": (-mean, width, volume),
            "It is Σ⁻¹AΣ, with Σ⁻¹ first.": (mean, covariance @ A @ precision, volume),
        }
        for words, (first, second, third) in slips.items():
            off = first + third - (mean + width + volume)
            way[words] = abs(off - second).max(), abs(off + second).max()
        ways.append(way)
    otherwise = (
        f"For one matrix the derivatives are off by {ways[0][''][0]:.3f} with minus and by 0 with plus; "
        f"yours by {results[0][0]:.3f} and {results[0][1]:.3f}."
    )
    hint_by_result(results, ways, otherwise, tolerance=1e-3)


def spherical_stretch(answer: Any) -> None:
    """Judge the KL of the printed stretch and the least KL, from one dimension to a thousand."""
    results, ways = [], []
    for d in (1, 10, 1000):
        results.append(_two(answer, d, names=("the cost of the printed stretch", "the least cost")))
        u, v = d**0.5, 0.9 * d**0.5
        dear, least = _stretch_kls(d, u, v)
        narrow = stretch_kl(stretch(u, v), u, v)
        way = {
            "": (dear, least),
            "The weight is at u = √d: take a root.": _stretch_kls(d, d, 0.9 * d),
            _SWAPPED: (least, dear),
            "These are the stretches themselves: what do they cost?": (stretch(u, v), stretch(u, v, dim=d)),
            "The width changes in all d directions, and costs d times as much as in one.": (narrow, narrow),
            "The first is right; the second counts the width of one direction only.": (dear, narrow),
            "The first is right. For the second, search again: the printed stretch is not the best.": (dear, dear),
            "Everything is twice as large: the KL begins with ½.": (2 * dear, 2 * least),
            "v is 0.9 u, not 0.9: the step brings the weight one tenth nearer.": _stretch_kls(d, u, 0.9),
        }
        ways.append(way)
    otherwise = (
        f"For d = 10 the printed stretch costs {ways[1][''][0]:.4f} nats and the best one {ways[1][''][1]:.4f}; "
        f"yours are {results[1][0]:.4f} and {results[1][1]:.4f}."
    )
    hint_by_result(results, ways, otherwise, tolerance=1e-4)


def _stretch_kls(d: int, u: float, v: float) -> tuple[float, float]:
    """The KL in d dimensions of the stretch that is printed, and of the best."""
    printed, best = stretch_kl(np.array([stretch(u, v), stretch(u, v, dim=d)]), u, v, dim=d)
    return float(printed), float(best)


def four_solutions(answer: Any) -> None:
    """Judge the KLs of the four maps, and one more map that is as good as the best of them."""
    prior = FullBelief([0.5, -1.0, 0.2], [[1.5, 0.4, 0.2], [0.4, 0.8, -0.1], [0.2, -0.1, 0.6]])
    ways, found, others = [], [], []
    for w, w_new in np.array([[[1.4, -0.3, 0.9], [0.9, -0.9, 1.2]], [[0.0, 0.5, 1.0], [1.5, -0.5, -1.0]]]):
        both = pair(call(answer, prior, w, w_new), "four KLs and one more matrix A")
        found.append(array(both[0], (4,), "the first thing"))
        four = [prior.affine_map(w, w_new, branch=one, rotation=two).A for one, two in _SIGNS]
        others.append((array(both[1], (3, 3), "the second thing"), four, w, w_new))
        low, high = (_map_kl(prior, four[n], w, w_new)[0] for n in (0, 2))
        turned = [_backward_kl(prior, A, w, w_new) for A in four]
        alone = [_map_kl(prior, A, w, w_new)[1] for A in four]
        ways.append(
            {
                "": [low, low, high, high],
                "The order is (δ₁, δ₂) = (1, 1), (1, −1), (−1, 1), (−1, −1).": [low, high, low, high],
                "These all have δ₁ = +1: pass it on as branch.": [low, low, low, low],
                "These are KL[prior ‖ posterior]; the paper's is KL[posterior ‖ prior].": turned,
                "The mean moves, too: the first term of the KL is missing.": alone,
            }
        )
    first = ways[0][""]
    otherwise = (
        f"One step has the KLs {first[0]:.3f} (twice) and {first[2]:.3f} (twice); yours are {found[0].round(3)}."
    )
    hint_by_result(found, ways, otherwise)
    for other, four, w, w_new in others:
        cost, least = _map_kl(prior, other, w, w_new)[0], _map_kl(prior, four[0], w, w_new)[0]
        known = any(close(other, A, 1e-3) for A in four)
        hint_if(
            (known, "The KLs are right. But the other matrix is one of the four: find one that is none of them."),
            (
                not close(cost, least, 1e-5),
                f"The KLs are right. But the other matrix costs {cost:.3f} nats, and the least is {least:.3f}: "
                "turn after the flow, in whitened coordinates, and leave the direction of Δ′ where it is.",
            ),
        )


def _moments(prior: FullBelief, A: Any, w: Any, w_new: Any) -> tuple[Any, Any]:
    return w_new + A @ (prior.mean - w), A @ prior.covariance @ A.T


def _map_kl(prior: FullBelief, A: Any, w: Any, w_new: Any) -> tuple[float, float]:
    """KL[posterior ‖ prior] of a map that carries w to w_new, by the textbook; and its part for the width."""
    mean, covariance = _moments(prior, A, w, w_new)
    ratio = np.linalg.solve(prior.covariance, covariance)
    width = 0.5 * (np.trace(ratio) - np.linalg.slogdet(ratio)[1] - len(ratio))
    shift = mean - prior.mean
    return float(0.5 * shift @ np.linalg.solve(prior.covariance, shift) + width), float(width)


def _backward_kl(prior: FullBelief, A: Any, w: Any, w_new: Any) -> float:
    mean, covariance = _moments(prior, A, w, w_new)
    ratio, shift = np.linalg.solve(covariance, prior.covariance), mean - prior.mean
    width = np.trace(ratio) - np.linalg.slogdet(ratio)[1] - len(ratio)
    return float(0.5 * (shift @ np.linalg.solve(covariance, shift) + width))


def special_case(answer: Any) -> None:
    """Judge both formulas in one dimension, on both sides of the mean."""
    cases = ((1.0, 0.5), (1.0, -2.0), (-0.7, 1.5), (-1.0, -2.0))
    results = [_two(answer, u, v, names=("the diagonal a", "that of the full flow")) for u, v in cases]
    ways = []
    for u, v in cases:
        diagonal, full, length = stretch(u, v), np.sign(u * v) * stretch(abs(u), abs(v)), stretch(abs(u), abs(v))
        ways.append(
            {
                "": (diagonal, full),
                "The first is of Theorem 1, the second is the diagonal one: swap them.": (full, diagonal),
                "These are always equal. In Theorem 1 u and the root of v∥² + v⊥² are lengths, never negative.": (
                    diagonal,
                    diagonal,
                ),
                "The first should keep the signs of u and v: only Theorem 1 has lengths.": (length, full),
                "Theorem 1 has one factor more: v∥ over the root of v∥² + v⊥², here 1 or −1.": (diagonal, length),
                "μ̂ points to the weight, so u is a length, and v∥ counts along μ̂: mind a weight at u < 0.": (
                    diagonal,
                    np.sign(v) * stretch(u, abs(v)),
                ),
                "These are the other roots: take δ = +1 in both.": (
                    stretch(u, v, branch=-1),
                    np.sign(u * v) * stretch(abs(u), abs(v), branch=-1),
                ),
            }
        )
    (a, b), yours = ways[1][""], results[1]
    otherwise = f"For u = 1, v = −2 the two are {a:.3f} and {b:.3f}; yours are {yours[0]:.3f} and {yours[1]:.3f}."
    hint_by_result(results, ways, otherwise)


def mainly_a_translation(answer: Any) -> None:
    """Judge the stretch of a crossing, and which share of its KL is for the mean."""
    cases = ((1.0, -2.0), (0.5, -1.0), (-1.5, 1.0), (3.0, -1.0))
    results = [_two(answer, u, v, names=("the stretch", "the share of the mean")) for u, v in cases]
    ways = []
    for u, v in cases:
        a, mirror = stretch(u, v), stretch(u, v, branch=-1)
        mean, all_of_it, shift = 0.5 * (v - a * u) ** 2, stretch_kl(a, u, v), 0.5 * (v - u) ** 2
        width, share = all_of_it - mean, mean / all_of_it
        ways.append(
            {
                "": (a, share),
                "The stretch is right; the other number is the share of the width.": (a, 1 - share),
                "The order is: the stretch, then the share.": (share, a),
                "That is the mean's part over the width's; divide by the whole KL.": (a, mean / width),
                "A share lies between 0 and 1: leave it as it is, not in per cent.": (a, 100 * share),
                "The mean moves by v − a u, not by v − u: the weight moves by v − u.": (a, shift / (shift + width)),
                "Both parts of the KL begin with ½; one of yours does not.": (a, 2 * mean / (2 * mean + width)),
                "The stretch is of the branch δ = −1; the paper takes +1.": (
                    mirror,
                    0.5 * (v - mirror * u) ** 2 / stretch_kl(mirror, u, v),
                ),
            }
        )
    (a, share), yours = ways[0][""], results[0]
    otherwise = (
        f"For u = 1, v = −2 the stretch is {a:.3f}, the share {share:.3f}; yours {yours[0]:.3f} and {yours[1]:.3f}."
    )
    hint_by_result(results, ways, otherwise)


def point_for_every_flow(answer: Any) -> None:
    """Judge the relative singular values of the change of precision, for a flow of each type."""
    w, w_new = np.array([1.0, -0.5, 0.4]), np.array([0.6, -0.9, 0.7])
    ball, box = SphericalBelief(np.zeros(3), 1.0), DiagonalBelief(np.zeros(3), [1.0, 0.5, 0.8])
    full = FullBelief(np.zeros(3), [[1.0, 0.3, 0.0], [0.3, 0.8, 0.2], [0.0, 0.2, 0.6]])
    found, ways = [], []
    for prior in (ball, box, full):
        post = prior.flow(w, w_new)
        found.append(array(call(answer, prior, post), (3,), "the singular values"))
        old, new = (np.linalg.inv(belief.covariance) for belief in (prior, post))
        change = new - old
        sizes = np.linalg.svd(change, compute_uv=False)
        other = np.linalg.svd(post.covariance - prior.covariance, compute_uv=False)
        signed = np.linalg.eigvalsh(change)
        ways.append(
            {
                "": sizes / sizes[0],
                "Divide by the largest, so that flows can be compared.": sizes,
                "That is the change of the covariance; equation (8) has that of the precision.": other / other[0],
                "Sort them, the largest first.": sizes[::-1] / sizes[0],
                "These are eigenvalues with their signs; take their sizes.": np.sort(signed / sizes[0])[::-1],
            }
        )
        if prior is not full:
            ways[-1]["That is R itself. Whether the change can be inverted is the question: do not invert it."] = (
                sizes[-1] / sizes[::-1]
            )
    wrong = f"For a diagonal flow they are {ways[1][''].round(3)}; yours are {found[1].round(3)}."
    hint_by_result(found[:2], ways[:2], wrong)
    hint_by_result(
        found[2:], ways[2:], f"For a full flow they are {ways[2][''].round(3)}; yours {found[2].round(3)}."
    )


def entropies_settle(answer: Any) -> None:
    """Judge two medians of made-up records: one that settles but for dips, one that falls, one with few runs."""
    rng = np.random.default_rng(9)
    fall, jitter = np.linspace(3, -60, 400) ** 3 / 900, rng.normal(0, 0.3, (8, 400))
    settled = -2.5 + 5 * np.exp(-np.arange(400) / 40) + jitter
    settled[2, 250:290] -= 70.0  # dips, deep and short
    settled[5, 350:360] -= 90.0
    results, ways = [], []
    for record in (settled, fall + jitter, settled[:4, ::2]):
        results.append(_two(answer, record, names=("the median of the third quarter", "that of the fourth")))
        size = record.shape[1] // 4
        parts = [record[:, n * size : (n + 1) * size] for n in range(4)]
        runs = len(record) // 4
        middle = np.median(parts[2]), np.median(parts[3])
        ways.append(
            {
                "": middle,
                "The order is: the third quarter, then the fourth.": middle[::-1],
                "Single runs dip, deep and for a short time, and pull a mean along: take medians.": (
                    parts[2].mean(),
                    parts[3].mean(),
                ),
                "These are the halves of the record: the beginning, where the belief narrows, is in it.": (
                    np.median(record[:, : 2 * size]),
                    np.median(record[:, 2 * size :]),
                ),
                "That is one round at the end of each quarter: take all rounds of it.": (
                    np.median(parts[2][:, -1]),
                    np.median(parts[3][:, -1]),
                ),
                "You cut the runs into quarters; the rounds go along the second axis.": (
                    np.median(record[2 * runs : 3 * runs]),
                    np.median(record[3 * runs :]),
                ),
                "That is the first quarter and the last: of course it fell in between.": (
                    np.median(parts[0]),
                    np.median(parts[3]),
                ),
            }
        )
    right, yours = ways[0][""], results[0]
    otherwise = (
        f"For one record the medians are {right[0]:.3f} and {right[1]:.3f}, yours {yours[0]:.3f} and {yours[1]:.3f}."
    )
    hint_by_result(results, ways, otherwise, tolerance=0.02)
