"""Judges of the exercises of notebooks 01 to 04: what one update does to a belief, and how it can be read."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from bflo_viz import (
    DiagonalBelief,
    DynamicsExplorer,
    FlowExplorer,
    FullBelief,
    PseudoDatasetExplorer,
    Regime,
    RegimeExplorer,
    stretch,
)
from bflo_viz.figures.three_ways import TOO_SURE
from bflo_viz.lessons.exercise import array, call, close, hint_by_result, hint_if, norm, number, pair, traits

# Notebook 01: three ways to learn


def example_adds(answer: Any) -> None:
    """Judge what two examples add to the precision, and to precision times mean."""
    first, second, ways = [], [], []
    for x, y, s in ((np.array([1.0, 2.0]), 1.5, 0.7), (np.array([-0.5, 0.3]), -2.0, 2.0)):
        terms = pair(call(answer, x, y, s), "separated by a comma")
        first.append(array(terms[0], (2, 2), "the first term"))
        second.append(array(terms[1], (2,), "the second term"))
        parts = np.outer(x, x), y * x
        slips = {
            "Precisions are one over variances: divide by noise**2, not by noise.": 1 / s,
            "The noisier an example, the less it tells: divide by noise**2, do not multiply.": s**2,
            "The noise is missing: what an example adds is divided by noise**2.": 1.0,
        }
        ways.append([{words: part * factor for words, factor in {"": s**-2, **slips}.items()} for part in parts])
        ways[-1][0]["The first term forgets how the weights go together."] = np.diag(x * x) * s**-2
    hint_by_result(first, [way for way, _ in ways], "The first one is not right: it is x xᵀ over s².")
    wrong = "The first one is right; the second is not: it is y x over s²."
    hint_by_result(second, [way for _, way in ways], wrong)


def another_loss(answer: Any) -> None:
    """Judge rounds that err to either side, by more and by less than 1, with a full and a diagonal belief."""
    beliefs = FullBelief([0.5, -1.0], [[2.0, 0.6], [0.6, 1.0]]), DiagonalBelief([0.3, 0.0], [1.0, 0.5])
    w, x, eta = np.array([1.0, 0.5]), np.array([0.8, -1.5]), 0.3
    results, ways = [], []
    for belief, y in ((belief, y) for belief in beliefs for y in (3.0, -0.4)):
        post, again = call(answer, belief, w, x, y, eta), call(answer, belief, w, x, y, eta)
        hint_if(
            (type(post) is not type(belief), "Your function should return a belief, the one that belief.flow gives.")
        )
        results.append(np.vstack([post.mean, post.covariance]))
        drawn = not close(post.mean, again.mean)
        hint_if((drawn, "Asked twice, it does not give the same: w has been drawn already, so draw no other."))
        ways.append({words: np.vstack([new.mean, new.covariance]) for words, new in _losses(belief, w, x, y, eta)})
    mean, yours = ways[0][""][0].round(2), results[0][0].round(2)
    wrong = (
        f"In one of the rounds the mean should come to {mean}, but yours comes to {yours}: check w_new, then flow."
    )
    hint_by_result(results, ways, wrong)


def _losses(belief: Any, w: Any, x: Any, y: float, eta: float) -> Iterator[tuple[str, Any]]:
    """Beliefs after a round, by the words of a hint: slips of the gradient, and of the flow."""
    e = w @ x - y
    gradients = {
        "": np.sign(e) * x,
        "This is still the gradient of the squared loss, which grows with the error.": e * x,
        "This goes uphill: take the sign of w · x − y, not of y − w · x.": -np.sign(e) * x,
        "The slope of |e| is there; the chain rule wants another factor.": np.sign(e),
        "The gradient is right, but the learning rate is missing.": np.sign(e) * x / eta,
        "That is the loss itself, times x. What is the slope of |e|?": abs(e) * x,
    }
    yield from ((words, belief.flow(w, w - eta * gradient)) for words, gradient in gradients.items())
    mean, step = belief.mean, -eta * np.sign(e) * x
    wants = "The step is right, but flow takes the two places of the weight, w and w + step: you gave it w and"
    yield (
        "The step is right, but flow takes first where the weight was, then where it went.",
        belief.flow(w + step, w),
    )
    yield f"{wants} the step alone.", belief.flow(w, step)
    yield f"{wants} eta times the gradient.", belief.flow(w, -step)
    yield "The belief came back as it was: return what belief.flow gives.", belief
    yield (
        "That moves the mean in place of w: it is the drawn weight that takes the step.",
        belief.flow(mean, mean + step),
    )
    yield "The weight went from w, not from the mean: flow(w, w_new).", belief.flow(mean, w + step)


def too_sure_since(answer: Any) -> None:
    """Judge the round of the explorer: too sure for the first time, with any seed."""
    state = traits(answer, DynamicsExplorer)
    hint_if((state.surface != "ravine", "Set the surface back to the ravine: the question is about that one."))
    far, now = state.scene.facts["flow_far"], int(state.round)
    hint_if(
        (far.max() <= TOO_SURE, "With this seed it never is, which is rare: take another seed."),
        (far[now] <= TOO_SURE, f"Here it is not too sure: the optimum is {far[now]:.1f} standard deviations away."),
        ((far[:now] > TOO_SURE).any(), "It is too sure here, but not for the first time: go further back."),
    )


# Notebook 02: one weight


def slope_of_the_kl(answer: Any) -> None:
    """Judge a derivative by its values at a few places."""
    places = ((0.5, 1.0, 2.0), (1.3, 0.7, -1.1), (2.0, -1.5, 0.4), (-0.6, 1.2, 0.9))
    slopes = [number(call(answer, *place), "the slope") for place in places]
    ways = [_slopes(*place) for place in places]
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
        "The ½ before the second bracket is forgotten: ½ a² has the slope a, and ½ log a² the slope 1/a.": mean
        + 2 * a
        - 2 / a,
        "The ½ before the square is forgotten: the 2 of the chain rule cancels it.": 2 * mean + a - 1 / a,
        "Look at the logarithm: log a² = 2 log a has the slope 2/a, not 1/a².": mean + a - 0.5 / a**2,
        "Look at the logarithm: its chain rule gives 2a/a² = 2/a, and half of that is 1/a.": mean + a - 0.5 / a,
        "Well seen: that is a times the slope, the quadratic that comes next. The slope itself is not multiplied.": a
        * mean
        + a * a
        - 1,
        "That is the slope of the second term, for the width: the first one is missing.": a - 1 / a,
        "That is the slope of the first term, for the mean: the second one is missing.": mean,
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
        (not off(*past, factor=-1.0), "The size is right, but not the sign: minus divided by minus is plus."),
        (not off(*past, factor=0.5), "Half of what it should be: a factor of 2 was lost on the way."),
        (off(*past), "For u = 1, v = −2 this does not solve the quadratic: its positive root is 0.366."),
        (off((1.0, -1e9), (3.0, -1e7)), "Right for short steps, but it still subtracts: try u = 1, v = −10⁹."),
    )


# Notebook 03: many weights


def _step(state: Any) -> tuple[Any, Any, float]:
    """Whitened by the prior of the full flow, the weight before and after its step; and the length of the step."""
    full = state.belief["full"]
    before, after = (point - full.mean for point in (state.w, state.w_new))
    return full.inverse_factor @ before, full.inverse_factor @ after, norm(after - before)


def two_flows_in_one(answer: Any) -> None:
    """Judge whether the diagonal and the full posterior agree, in more than a shift."""
    prior, (full, diagonal, _) = traits(answer, FlowExplorer).belief, answer.posterior.values()
    before, after, length = _step(answer)
    apart = max(abs(full.mean - diagonal.mean).max(), abs(full.covariance - diagonal.covariance).max()) > 0.02
    size = norm(before) * norm(after)
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
    cost, u, v = state.posterior["full"].kl(full), norm(before), norm(after)
    far, ends = f"w is {u:.2f} σ out, w′ is {v:.2f} σ", [norm(x - full.mean) for x in (state.w, state.w_new)]
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
        u, v = (norm(prior.inverse_factor @ x) for x in (w - prior.mean, moved))
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
            "moved * moved.T multiplies entry by entry, as a vector has no .T; you want np.outer.": gain
            * (moved * moved)
            / v**2,
            "That is the change alone: the old covariance is missing.": gain * outer - old,
            "Δ′ occurs in two factors, and each of them is divided by v.": gain * outer * v,
        }
        ways.append({words: old + change for words, change in changes.items()})
    row, column = np.unravel_index(np.argmax(np.abs(new[0] - ways[0][""])), new[0].shape)
    right, yours = ways[0][""][row, column], new[0][row, column]
    otherwise = f"In one of the flows entry [{row}, {column}] should be {right:.3f}, but yours is {yours:.3f}."
    hint_by_result(new, ways, otherwise)


def kl_by_columns(answer: Any) -> None:
    """Judge the KL of a map by its columns: a map that turns, stretches and shears, and one that mirrors."""
    results, ways = [], []
    sheared = np.array([[0.8, 0.3, 0.0], [-0.4, 1.2, 0.5], [0.2, 0.0, 0.9]])
    mirrored = np.array([[0.5, 1.0], [0.7, -0.6]])
    for C, u, target in ((sheared, 1.3, np.array([0.4, -1.1, 0.8])), (mirrored, 0.6, np.array([1.0, 0.5]))):
        results.append(number(call(answer, C, u, target), "the KL"))
        first = C.T[0]
        shift, size, half = target - u * first, (C * C).sum() / 2, len(C) / 2
        volume = np.linalg.slogdet(C)[1]
        away = shift @ shift / 2
        right = away + size - volume - half
        ways.append(
            {
                "": right,
                "The image of the first basis vector is the first *column*, C[:, 0], not a row.": right
                - away
                + np.sum((target - u * C[0]) ** 2) / 2,
                "The volume is counted twice: log det(C Cᵀ) = 2 log |det C|, and it has a half before it.": right
                - volume,
                "A map that changes nothing must cost nothing: look at the last term.": right + half,
                "There is a half before the squares.": right + away + size,
                "Check the sign of the logarithm: a map that shrinks everything is expensive.": right + 2 * volume,
                "The length of the shift: each part is squared before they are added.": right
                - away
                + shift.sum() ** 2 / 2,
                "The squared lengths of all columns count, not only that of the first.": right
                - size
                + first @ first / 2,
                "That is the bound of line 4; line 2 has the determinant.": right
                + volume
                - np.log(np.prod(np.linalg.norm(C, axis=0))),
            }
        )
    wrong = f"One of these maps costs {ways[0]['']:.3f} nats, but yours gives {results[0]:.3f}."
    hint_by_result(results, ways, wrong)


# Notebook 04: pseudo-points


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
        "x and R are there, in the other order: natural / precision comes first.": (1 / rho, h / rho),
        "Upside down: x is natural / precision, and R is 1 / precision.": (rho / h, rho),
        "R is right. The natural parameter is mean / std², not the mean.": ((new_mean - mean) / rho, 1 / rho),
    }


def centre_of_mass(answer: Any) -> None:
    """Judge the mean after points added and removed."""
    points, rho = np.array([[1.0, 0.0], [-0.5, 2.0], [0.3, -1.0]]), np.array([2.0, -0.1, 0.5])
    mean, means, ways = np.array([-1.0, 0.5]), [], []
    for std in (0.5, 2.0):
        means.append(array(call(answer, mean, std, points, rho), (2,), "the mean"))
        own = std**-2
        counted = {
            "": (own, rho),
            "The prior is missing: it counts like one more point, at mean, with precision 1 / std**2.": (0, rho),
            "The precision of the prior is 1 / std**2, not 1.": (1, rho),
            "Removed points have a negative precision, and pull the other way: keep its sign.": (own, abs(rho)),
            "Points count by their precision, not all the same.": (own, np.ones(3)),
        }
        ways.append({words: (p * mean + each @ points) / (p + each.sum()) for words, (p, each) in counted.items()})
    right, yours = ways[0][""].round(3), means[0].round(3)
    hint_by_result(means, ways, f"In one of the cases the mean should be at {right}, but yours is at {yours}.")


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
