"""Learning curves of any recorded runs."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from bflo_viz.figures.curves import draw_band, mean_and_band, name_ends, series_for
from bflo_viz.figures.style import draws, panels
from bflo_viz.scenes.curves import LearningCurves, learning_curves


@draws(learning_curves)
def draw_learning_curves(scene: LearningCurves, *, axes: Any = None, style: str = "paper") -> Figure:
    """Draw mistakes and entropy of each learner, the mean of its runs with a band of one standard error.

    In place of a scene it takes the records themselves, by the names of learners; ``axes``, if given, are two.
    """
    styles = series_for(scene.curves)
    figure, places = panels(axes, (1, 2), (8.4, 3.2), style)
    mistakes, entropies = places
    note = scene.runs_in_words()
    for name, curves in scene.curves.items():
        draw_band(mistakes, curves.ends, *mean_and_band(curves.error), name, styles[name])
        if not np.isnan(curves.entropy).all():
            draw_band(entropies, curves.ends, *mean_and_band(curves.entropy), name, styles[name])
    mistakes.set(xlabel="round", ylabel=f"mistakes in a block (%)\n{note}", title=_title(scene))
    mistakes.set_ylim(bottom=0)
    entropies.set(xlabel="round", ylabel=f"entropy of the belief (nats)\n{note}", title=_entropy_title(scene))
    if not entropies.get_lines():
        entropies.set(xticks=[], yticks=[])
    name_ends(places)
    return figure


def _title(scene: LearningCurves) -> str:
    if len(scene.curves) == 1:
        (curves,) = scene.curves.values()
        return f"From {curves.error[:, 0].mean():.0f} % mistakes to {curves.error[:, -1].mean():.0f} %"
    overall = {name: curves.overall for name, curves in scene.curves.items()}
    return f"{min(overall, key=overall.__getitem__)} errs least: {min(overall.values()):.1f} % overall"


def _entropy_title(scene: LearningCurves) -> str:
    change = {n: float((c.entropy[:, -1] - c.entropy[:, 0]).mean()) for n, c in scene.curves.items()}
    change = {name: by for name, by in change.items() if not np.isnan(by)}
    if not change:
        return "No learner here has a belief"
    most = min(change, key=change.__getitem__)
    if max(change.values()) >= 0:
        return "Entropy of the beliefs"
    return "The belief narrows" if len(change) == 1 else f"Beliefs narrow, {most} most"
