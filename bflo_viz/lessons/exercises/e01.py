"""Judges of the exercises of notebook 01: what an example adds, another loss, and a belief that is too sure."""

from typing import Any

import numpy as np

from bflo_viz import DiagonalBelief, DynamicsExplorer, FullBelief
from bflo_viz.lessons.exercise import array, call, close, hint_if, pair, traits

_TOO_SURE = 3.0  # so many standard deviations from the optimum, as the explorer has it


def example_adds(answer: Any) -> None:
    """Judge what two examples add to the precision, and to precision times mean."""
    examples: tuple[Any, ...] = ((np.array([1.0, 2.0]), 1.5, 0.7), (np.array([-0.5, 0.3]), -2.0, 2.0))
    terms = []
    for example in examples:
        first, second = pair(call(answer, *example), "separated by a comma")
        terms.append((array(first, (2, 2), "the first term"), array(second, (2,), "the second term")))

    def like(part: int, term: Any) -> bool:
        return all(close(mine[part], term(*its)) for mine, its in zip(terms, examples, strict=True))

    def both(factor: Any) -> bool:
        first = like(0, lambda x, y, s: np.outer(x, x) * factor(s))
        return first and like(1, lambda x, y, s: y * x * factor(s))

    hint_if(
        (both(lambda s: 1 / s), "Precisions are one over variances: divide by noise**2, not by noise."),
        (both(lambda s: s**2), "The noisier an example, the less it tells: divide by noise**2, do not multiply."),
        (both(lambda s: 1), "The noise is missing: what an example adds is divided by noise**2."),
        (like(0, lambda x, y, s: np.diag(x * x) / s**2), "The first term forgets how the weights go together."),
        (not like(0, lambda x, y, s: np.outer(x, x) / s**2), "The first one is not right: it is x xᵀ over s²."),
        (not like(1, lambda x, y, s: y * x / s**2), "The first one is right; the second is not: it is y x over s²."),
    )


def another_loss(answer: Any) -> None:
    """Judge rounds that err to either side, by more and by less than 1, with a full and a diagonal belief."""
    beliefs = FullBelief([0.5, -1.0], [[2.0, 0.6], [0.6, 1.0]]), DiagonalBelief([0.3, 0.0], [1.0, 0.5])
    w, x, eta = np.array([1.0, 0.5]), np.array([0.8, -1.5]), 0.3
    cases = [(belief, y) for belief in beliefs for y in (3.0, -0.4)]
    found = [call(answer, belief, w, x, y, eta) for belief, y in cases]
    alike = [type(mine) is type(belief) for mine, (belief, _) in zip(found, cases, strict=True)]
    hint_if((not all(alike), "Your function should return a belief, the one that belief.flow gives."))

    def made_of(gradient: Any) -> bool:
        wanted = [belief.flow(w, w - eta * gradient(w @ x - y)) for belief, y in cases]
        pairs = list(zip(found, wanted, strict=True))
        return all(close(a.mean, b.mean) and close(a.covariance, b.covariance) for a, b in pairs)

    another = f"For w · x = {w @ x:.2f} the gradient is −x if y = 3, and x if y = −0.4; yours is another one."
    hint_if(
        (made_of(lambda e: e * x), "This is still the gradient of the squared loss, which grows with the error."),
        (made_of(lambda e: -np.sign(e) * x), "This goes uphill: take the sign of w · x − y, not of y − w · x."),
        (made_of(np.sign), "The slope of |e| is there; the chain rule wants another factor."),
        (made_of(lambda e: np.sign(e) * x / eta), "The gradient is right, but the learning rate is missing."),
        (made_of(lambda e: abs(e) * x), "That is the loss itself, times x. What is the slope of |e|?"),
        (not made_of(lambda e: np.sign(e) * x), another),
    )


def too_sure_since(answer: Any) -> None:
    """Judge the round of the explorer: too sure for the first time, with any seed."""
    state = traits(answer, DynamicsExplorer)
    hint_if((state.surface != "ravine", "Set the surface back to the ravine: the question is about that one."))
    far, now = state.scene.facts["flow_far"], int(state.round)
    hint_if(
        (far.max() <= _TOO_SURE, "With this seed it never is, which is rare: take another seed."),
        (far[now] <= _TOO_SURE, f"Here it is not too sure: the optimum is {far[now]:.1f} standard deviations away."),
        ((far[:now] > _TOO_SURE).any(), "It is too sure here, but not for the first time: go further back."),
    )
