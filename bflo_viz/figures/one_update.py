"""One flow in one dimension: prior and posterior, where the update lies on the map, and what it costs."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bflo_viz.figures import palette
from bflo_viz.figures.regime_map import PLACES, draw_reference_lines, draw_regime_map, draw_std_map
from bflo_viz.figures.style import SCALE, draws, new_figure, panels
from bflo_viz.flows import stretch_kl
from bflo_viz.scenes.base import number
from bflo_viz.scenes.one_dimension import UpdateScene, UpdatesScene, density, one_update

_DOT: dict[str, Any] = {"marker": "o", "color": palette.POSTERIOR, "ls": "none", "mew": 1.5, "clip_on": False}


@draws(UpdateScene)
def draw_update(scene: UpdateScene, *, small: bool = False, style: str = "paper") -> Figure:
    """Draw the maps with the update on them, the beliefs and the landscape, all in prior standard deviations.

    ``small`` leaves the map of the width and the beliefs: it is drawn quickly, and small enough for a notebook.
    """
    if small:
        figure = new_figure(9.0 * SCALE[style], 3.6 * SCALE[style], layout="none")
        width, beliefs = figure.subplots(1, 2, width_ratios=(1, 1.5))
        figure.subplots_adjust(left=0.06, right=0.98, top=0.91, bottom=0.14, wspace=0.18)
        maps = [width]
        _draw_small_map(width, scene)
    else:
        figure = new_figure(9.6 * SCALE[style], 7.4 * SCALE[style], layout="none")
        (mean, width), (beliefs, landscape) = figure.subplots(2, 2)
        figure.subplots_adjust(left=0.07, right=0.92, top=0.92, bottom=0.08, wspace=0.42, hspace=0.4)
        maps = [mean, width]
        draw_regime_map(scene.map, axes=maps, style=style)
        _draw_landscape(landscape, scene)
    here = scene.whitened
    for ax in maps:
        ax.plot(
            [here.delta], [here.delta_new], "o", ms=11, mew=2.2, color=palette.INK, mfc="none", zorder=6, label="here"
        )
    reach = max(5.0, 1.1 * abs(here.delta), 1.1 * abs(here.delta_new))
    draw_beliefs(beliefs, here, reach)
    beliefs.legend(loc="best")
    return figure


@draws(one_update)
def draw_one_update(scene: UpdatesScene, *, axes: Any = None, style: str = "paper") -> Figure:
    """Draw several updates of a standard normal side by side and on one scale; ``axes``, if given, are one each."""
    count = len(scene.updates)
    figure, places = panels(axes, (1, count), (3.5 * count, 2.9), style)
    for ax, update in zip(places, scene.updates, strict=True):
        draw_beliefs(ax, update, 4.2)
    top = max(ax.get_ylim()[1] for ax in places)
    for ax in places:
        ax.set_ylim(0, top)
        ax.label_outer()
    if axes is None:
        figure.legend(handles=places[0].get_lines(), loc="outside lower center", ncols=4)
    return figure


def draw_beliefs(ax: Axes, scene: UpdateScene, reach: float) -> None:
    """Draw the densities of prior and posterior, and the weight before and after its step."""
    x = np.linspace(-reach, reach, 501)
    prior, posterior = scene.prior, scene.posterior
    old, new = density(prior, x), density(posterior, x)
    top = 1.15 * max(float(old.max()), float(new.max()))
    ax.fill_between(x, new, color=palette.POSTERIOR, alpha=0.25, linewidth=0)
    ax.plot(x, old, color=palette.PRIOR, label="prior")
    ax.plot(x, new, color=palette.POSTERIOR, label="posterior")
    mark: dict[str, Any] = {"color": palette.WEIGHT, "ls": "--", "lw": 1.4, "marker": "o", "markevery": [1], "ms": 7}
    for at, name, face in ((scene.delta, "before", "white"), (scene.delta_new, "after", palette.WEIGHT)):
        ax.plot([at, at], [0, 0.93 * top], mfc=face, label=f"weight {name}", clip_on=False, **mark)
    name = "reflected" if scene.branch < 0 else scene.regime.value
    ax.set_title(f"{name.capitalize()}: the belief {_verb(float(posterior.std[0] / prior.std[0]))}")
    ax.set(xlim=(-reach, reach), ylim=(0, top), xlabel="weight (prior standard deviations)", ylabel="density")


def _verb(ratio: float) -> str:
    if ratio == 1:
        return "keeps its width"
    return f"narrows to {ratio:.0%}" if ratio < 1 else f"widens to {ratio:.0%}"


def _draw_small_map(ax: Axes, scene: UpdateScene) -> None:
    draw_std_map(ax, scene.map)
    draw_reference_lines(ax, scene.map)
    for name, place in PLACES.items():
        x, y = scene.map.delta[-1] * np.array(place)
        for side in (1, -1):
            ax.text(side * x, side * y, name.value, ha="center", va="center", fontsize="small", weight="bold")
    ax.set(xlabel="Δ: weight before (prior std)", ylabel="Δ′: weight after (prior std)")
    ax.set_title("Posterior std: orange narrower, violet wider")


def _draw_landscape(ax: Axes, scene: UpdateScene) -> None:
    """KL by stretch: the point that was taken is full, the lowest point of the other branch hollow."""
    panel, taken = scene.landscape, scene.stretch
    other = panel.reflected if scene.branch > 0 else panel.picked
    cost = float(stretch_kl(taken, panel.u, panel.v))
    ax.plot(panel.stretch, panel.kl, color=palette.INK, label="KL")
    ax.plot(panel.stretch, panel.mean_term, color=palette.PRIOR, ls="--", lw=1, label="its part for the mean")
    ax.plot([taken], [cost], label="taken", ms=8, zorder=3, **_DOT)
    ax.plot([other.stretch], [other.kl], label="other branch", mfc="white", ms=8, zorder=3, **_DOT)
    ax.set(xlim=panel.stretch[[0, -1]], ylim=(0, max(4.0, 1.5 * float(np.max([cost, other.kl])))))
    ax.set(xlabel="stretch a; |a| = posterior std / prior std", ylabel="KL divergence (nats)")
    ax.set_title(f"Stretch a = {number(taken, 3)} costs {number(cost, 3)} nats")
    ax.legend(loc="best")
