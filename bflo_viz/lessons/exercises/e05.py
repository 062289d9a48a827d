"""Exercises of notebook 05: a round by Thompson sampling, two bets on a world that changes, and keeping up."""

from typing import Any

import numpy as np

from bflo_viz import DiagonalBelief, FullBelief, OnlineExplorer
from bflo_viz.lessons.exercise import Hint, array, call, close, exercise, hint_if, number, one_of, traits

_ROUND = '''def thompson_round(belief, x, rng):
    """The weight to try in this round, and the label (0 or 1) that it predicts for x."""
    w = ...
    label = ...
    return w, label


check.thompson_round(thompson_round)
'''
_BELOW = 14.0  # per cent of mistakes
_TURN, _FLIP = 20.0, 0.2  # degrees in 100 rounds, share of wrong labels


@exercise(
    "05.1",
    kind="complete",
    title="try a weight",
    prompt=r"""
        Put in the weight to try and the label that it predicts: 1 if $P(y = 1 \mid x) > \tfrac12$, that is if
        $w \cdot x > 0$, else 0. (`belief.sample(rng)` draws a weight.)
    """,
    stub=_ROUND,
    right="One weight, drawn once: it predicts, and it will take the step that the belief follows.",
    hints=(
        "Draw one weight from the belief, with the generator that is given.",
        "The weight predicts label 1 on one side of a line: where w · x is positive.",
        "belief.sample(rng) draws it; w @ x is w · x, and int(...) makes a 1 of True.",
    ),
)
def thompson_round(answer: Any) -> None:
    """Judge which weights were tried, and which ones predicted, on two beliefs and several draws."""
    beliefs = (FullBelief([0.3, -0.2], [[1.0, 0.4], [0.4, 0.8]]), DiagonalBelief([-0.4, 0.2], [0.5, 1.5]))
    x, found, tried = np.array([1.0, 0.5]), [], []
    ways: dict[str, list[bool]] = {name: [] for name in ("drawn", "again", "mean")}
    for n in range(24):
        belief, rng = beliefs[n % 2], np.random.default_rng(n)
        value = call(answer, belief, x, np.random.default_rng(n))
        if not isinstance(value, tuple | list) or len(value) != 2:
            raise Hint("Your function should return two things, the weight and the label, in this order.")
        hint_if(
            (
                any(part is ... for part in value),
                "There are still three dots in your function: put in what is missing.",
            )
        )
        w, mean = belief.sample(rng), belief.mean
        given = array(value[0], (2,), "the weight")
        tried.append("drawn" if close(given, w) else "mean" if close(given, mean) else "other")
        yes_or_no = isinstance(value[1], bool | np.bool_)
        found.append(float(value[1]) if yes_or_no else number(value[1], "the label"))
        for name, weight in (("drawn", w), ("again", belief.sample(rng)), ("mean", mean)):
            ways[name].append(bool(weight @ x > 0))
    hint_if(
        ("mean" in tried, "At the mean itself u = 0 and a = 1: the width of the belief would never change."),
        ("other" in tried, "The weight should be drawn from the belief, once: belief.sample(rng)."),
        (not set(found) <= {0, 1}, "The label should be 0 or 1, and no probability."),
        (found == [not one for one in ways["drawn"]], "The labels are the wrong way round: 1 is where w · x > 0."),
        (found == ways["mean"], "This predicts by the mean: let the weight that was drawn predict."),
        (found == ways["again"], "A second weight was drawn to predict: let the first one do that, too."),
        (found != ways["drawn"], "The label should be 1 exactly where w @ x > 0, with the w that was drawn."),
    )


@exercise(
    "05.2",
    kind="predict",
    title="without sampling",
    prompt=r"""
        Suppose that in every round the learner tried the mean itself, $w = \mu$, in place of a drawn weight. After
        1,000 rounds, would its belief be `"narrower"`, `"the same"` or `"wider"` than the prior?
    """,
    stub='answer = None  # "narrower", "the same" or "wider"\ncheck.without_sampling(answer)',
    right="Its mean goes like SGD, and its width learns nothing.",
    hints=(
        "Which u does a weight have that is the mean? Notebook 02 had this case, at its edges.",
        "Put u = 0 into the stretch: what is a*?",
    ),
)
def without_sampling(answer: Any) -> None:
    """Judge the prediction of what becomes of a width that is never looked at."""
    found = one_of(answer, "narrower", "the same", "wider")
    hint_if(
        (found == "narrower", "A flow narrows by its stretch alone, not by what the data say. What is a* at u = 0?"),
        (found == "wider", "Nothing moves away from the mean if the mean itself moves. What is a* at u = 0?"),
    )


@exercise(
    "05.3",
    kind="predict",
    title="after the jump",
    prompt="""
        In the 2,000 rounds after the jump, who makes fewer mistakes: the flow that may widen (`"expansive"`), the one
        that may not (`"non-expansive"`), or is there no telling (`"neither"`)? Commit before you run the next cell.
    """,
    stub='answer = None  # "expansive", "non-expansive" or "neither"\ncheck.after_the_jump(answer)',
    right="It is surprising, and it holds for all three flows. The next cells show by how much, and why.",
    hints=(
        "A mistake is made by a weight near the mean. So what has to move, and how fast does it?",
        "A step is divided between the mean and the width. What if there is no width left to take its part?",
    ),
)
def after_the_jump(answer: Any) -> None:
    """Judge the bet on drift where every label is seen."""
    found = one_of(answer, "expansive", "non-expansive", "neither")
    hint_if(
        (found == "expansive", "So the paper expects, too (section 2.3). But whose mean goes further in a step?"),
        (found == "neither", "With the same random numbers the difference is plain. Whose mean goes further?"),
    )


@exercise(
    "05.4",
    kind="find",
    title="keep up",
    prompt=f"""
        In the explorer above the truth turns by {_TURN:g}° in 100 rounds and {100 * _FLIP:g} % of the labels are
        wrong. Leave it so, and find a *learner* that keeps up: all three flows below {_BELOW:g} % mistakes in the
        2,000 rounds.
    """,
    stub="# change η, σ or what flows may do, not the world; then run this cell\ncheck.keep_up(turning)",
    right="Long steps, and all of them for the mean: that keeps up with what turns.",
    hints=(
        "Look at the curves. Do the learners suffer from lag (too slow) or from noise (too nervous)?",
        "It is lag: take longer steps. For the diagonal flow that is enough; what do the other two do with theirs?",
        "Forbid them to widen: tick non-expansive, with η near 0.1.",
    ),
    setup="turning = OnlineExplorer(drift=20, flip=0.2, seed=4)",
)
def keep_up(answer: Any) -> None:
    """Judge a run under drift by its mistakes."""
    state = traits(answer, OnlineExplorer)
    run = state.scene
    errors = {flow: run.error(flow, len(run.X)) for flow in ("full", "diagonal", "spherical")}
    worst = max(errors, key=errors.__getitem__)
    at = f"The {worst} flow is at {errors[worst]:.0f} %"
    failed, short = errors[worst] >= _BELOW, state.eta < 0.06
    free = not state.non_expansive
    hint_if(
        (abs(state.drift - _TURN) > 0.01, f"Set the drift back to {_TURN:g}°: the world is not to change."),
        (
            abs(state.flip - _FLIP) > 0.001,
            f"Set the wrong labels back to {100 * _FLIP:g} %: the world is not to change.",
        ),
        (failed and free and short, f"{at}. The boundaries lag behind the truth: try longer steps first."),
        (failed and free, f"{at}. The steps are long now, but a part of each goes into the width. Who forbids that?"),
        (failed and short, f"{at}. Nothing goes into the width now, but the steps are still too short."),
        (failed, f"{at}. Nearly: what is lost is lost in the first rounds. Would a narrower prior help?"),
    )


@exercise(
    "05.5",
    kind="predict",
    title="a silent change",
    prompt=r"""
        With long steps, $\eta = 1$: who will pull the lever that has become the better one more often, the flow that
        may widen (`"expansive"`), the one that may not (`"non-expansive"`), or is there no telling (`"neither"`)?
    """,
    stub='answer = None  # "expansive", "non-expansive" or "neither"\ncheck.silent_change(answer)',
    right="Here the width is worth something. Look how much, and at which steps.",
    hints=(
        "How does a learner get to know of the change, if it never pulls the other lever?",
        "It pulls it when the weight it draws for it is the larger one. What if both beliefs are points?",
    ),
)
def silent_change(answer: Any) -> None:
    """Judge the bet on drift where one sees only what one tries."""
    found = one_of(answer, "expansive", "non-expansive", "neither")
    hint_if(
        (found == "non-expansive", "It won where the labels came by themselves. Here only what is tried is seen."),
        (found == "neither", "Nobody is told, but one of them still tries: which belief keeps a width?"),
    )
