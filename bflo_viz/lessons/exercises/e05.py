"""Judges of the exercises of notebook 05: a round by Thompson sampling, and keeping up."""

from typing import Any

import numpy as np

from bflo_viz import DiagonalBelief, FullBelief, OnlineExplorer
from bflo_viz.lessons.exercise import array, call, close, hint_if, number, pair, traits

_BELOW = 14.0  # per cent of mistakes
_TURN, _FLIP = 20.0, 0.2  # degrees in 100 rounds, share of wrong labels


def thompson_round(answer: Any) -> None:
    """Judge which weights were tried, and which ones predicted, on two beliefs and several draws."""
    beliefs = (FullBelief([0.3, -0.2], [[1.0, 0.4], [0.4, 0.8]]), DiagonalBelief([-0.4, 0.2], [0.5, 1.5]))
    x, labels, tried = np.array([1.0, 0.5]), [], []
    ways: dict[str, list[bool]] = {name: [] for name in ("drawn", "again", "mean")}
    for n in range(24):
        belief, rng = beliefs[n % 2], np.random.default_rng(n)
        weight, label = pair(call(answer, belief, x, np.random.default_rng(n)), "the weight and the label")
        w, mean = belief.sample(rng), belief.mean
        weight = array(weight, (2,), "the weight")
        tried.append("drawn" if close(weight, w) else "mean" if close(weight, mean) else "other")
        labels.append(float(label) if isinstance(label, bool | np.bool_) else number(label, "the label"))
        for name, predicts in (("drawn", w), ("again", belief.sample(rng)), ("mean", mean)):
            ways[name].append(bool(predicts @ x > 0))
    hint_if(
        ("mean" in tried, "At the mean itself u = 0 and a = 1: the width of the belief would never change."),
        ("other" in tried, "The weight should be drawn from the belief, once: belief.sample(rng)."),
        (not set(labels) <= {0, 1}, "The label should be 0 or 1, not a probability."),
        (labels == [not label for label in ways["drawn"]], "The labels are swapped: it should be 1 where w · x > 0."),
        (labels == ways["mean"], "This predicts by the mean: let the weight that was drawn predict."),
        (labels == ways["again"], "A second weight was drawn to predict: let the first one do that, too."),
        (labels != ways["drawn"], "The label should be 1 exactly where w @ x > 0, with the w that was drawn."),
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
        (abs(state.drift - _TURN) > 0.01, f"Set the drift back to {_TURN:g}°: the world must stay as it is."),
        (
            abs(state.flip - _FLIP) > 0.001,
            f"Set the wrong labels back to {100 * _FLIP:g} %: the world must stay as it is.",
        ),
        (failed and free and short, f"{at}. The boundaries lag behind the truth: try longer steps first."),
        (
            failed and free,
            f"{at}. The steps are long now, but a part of each goes into the width. What forbids that?",
        ),
        (failed and short, f"{at}. Nothing goes into the width now, but the steps are still too short."),
        (failed, f"{at}. Nearly: what is lost is lost in the first rounds. Would a narrower prior help?"),
    )
