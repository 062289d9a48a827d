"""Exercises of notebook 01: Bayes' rule for one example, Algorithm 1 for another loss, and three surfaces."""

from typing import Any

import numpy as np

from bflo_viz import DiagonalBelief, DynamicsExplorer, FullBelief
from bflo_viz.lessons.exercise import array, call, close, exercise, hint_if, one_of, traits

_ADDS = '''
    def example_adds(x, y, noise):
        """What the example adds to Σ⁻¹ (a matrix), and what it adds to Σ⁻¹ μ (a vector); noise is s."""
        return ...


    check.example_adds(example_adds)
'''
_ROUND = '''
    def absolute_round(belief, w, x, y, eta):
        """The belief after one round of Algorithm 1 with the loss |w · x − y|; w has been drawn already."""
        return ...


    check.another_loss(absolute_round)
'''
_TOO_SURE = 3.0  # so many standard deviations from the optimum, as the explorer has it


@exercise(
    "01.1",
    kind="complete",
    title="what an example adds",
    prompt="Write down the two terms, separated by a comma. (`np.outer(x, x)` is $x x^T$.)",
    stub=_ADDS,
    right="Example after example, this is the whole of Bayesian filtering.",
    hints=(
        "Both terms stand in the two equations above; s is called noise here.",
        "The first is np.outer(x, x) / noise**2. The second has the same denominator.",
    ),
)
def example_adds(answer: Any) -> None:
    """Judge what two examples add to the precision, and to precision times mean."""
    examples: tuple[Any, ...] = ((np.array([1.0, 2.0]), 1.5, 0.7), (np.array([-0.5, 0.3]), -2.0, 2.0))
    found = []
    for example in examples:
        value = call(answer, *example)
        hint_if((not isinstance(value, tuple | list) or len(value) != 2, "Return two things, separated by a comma."))
        found.append((array(value[0], (2, 2), "the first term"), array(value[1], (2,), "the second term")))

    def like(part: int, term: Any) -> bool:
        return all(close(mine[part], term(*its)) for mine, its in zip(found, examples, strict=True))

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


@exercise(
    "01.2",
    kind="complete",
    title="Algorithm 1 for another loss",
    prompt=r"""
        The square makes much of a gross error. Take the loss $\ell = |w \cdot x - y|$ in its place, and write what is
        left of a round once $w$ is drawn: local flow, then global flow. (`np.sign` gives the sign of a number.)
    """,
    stub=_ROUND,
    right="One line differs, and the belief learns from another loss.",
    hints=(
        "Two lines of the cell above do it. Only the gradient is another one: which?",
        "Chain rule: the slope of |e| is 1 or −1, the sign of e; the derivative of e = w · x − y by w is x.",
        "The step goes against that gradient, eta times as long; then the flow takes w and where it went.",
    ),
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


@exercise(
    "01.3",
    kind="predict",
    title="who is last?",
    prompt=r"""
        All three see the same twenty examples, and $\eta$ is the same for the two that have one. Who is furthest from
        the optimum then: the point of `"sgd"`, the mean of `"bayes"` or the mean of the `"flow"`?
    """,
    stub='answer = None  # "sgd", "bayes" or "flow"\ncheck.who_is_last(answer)',
    right="The explorer shows it, and the cell after it by how much.",
    hints=(
        "Which one knows most about how the examples are made? It should not be last.",
        "SGD moves its point by the whole step. What does a belief flow do with the step of a weight?",
    ),
)
def who_is_last(answer: Any) -> None:
    """Judge the prediction of who is furthest from the optimum."""
    found = one_of(answer, "sgd", "bayes", "flow")
    hint_if(
        (found == "bayes", "Bayes' rule knows how the examples are made, noise and all; that makes it the first."),
        (found == "sgd", "SGD moves its point by the whole step of every example. Who does less than that?"),
    )


@exercise(
    "01.4",
    kind="find",
    title="since when?",
    prompt="""
        Since when is the belief flow in the ravine too sure? Move the explorer above to the *first* round in which it
        says so. (On the slider, the arrow keys go one round at a time.)
    """,
    stub="# go to the first round in which the flow is too sure, then run this cell\ncheck.too_sure_since(ravine)",
    right="Narrowing was quicker than arriving.",
    hints=(
        "Where it is too sure, the sentence about the belief flow ends in these words. Go back from round 150.",
        "It begins early. Go to round 0, and then forward one round at a time.",
    ),
    setup='ravine = DynamicsExplorer(surface="ravine", seed=3, round=150)',
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


@exercise(
    "01.5",
    kind="predict",
    title="where does it end?",
    prompt="""
        The belief flow is a single Gaussian that begins across both wells. After 150 rounds, will it most likely lie
        `"across both"` as before, have shrunk `"on the ridge"` between them, or be `"in one well"`?
    """,
    stub='answer = None  # "across both", "on the ridge" or "in one well"\ncheck.where_it_ends(answer)',
    right="Into which of the two is another question.",
    hints=(
        "Samples on the right are pulled to the right well, samples on the left to the left one.",
        "What happens once the mean is, by chance, a little to the right? From where do most samples come then?",
    ),
)
def where_it_ends(answer: Any) -> None:
    """Judge the prediction of what becomes of one Gaussian with two wells."""
    found = one_of(answer, "across both", "on the ridge", "in one well")
    hint_if(
        (found == "across both", "So it does for a while. If chance brings it to one side, is it pushed back or on?"),
        (found == "on the ridge", "On the ridge the slope leads away from it, to either side."),
    )
