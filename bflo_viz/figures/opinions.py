"""One picture, many opinions: what weights drawn from the belief over a network say of the same digit."""

from collections.abc import Sequence

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bflo_viz.figures import palette
from bflo_viz.figures.scenes.opinions import Opinions
from bflo_viz.figures.style import look, new_figure, set_alt_text

_SIZES = {"paper": (2.0, 4.1), "slides": (3.3, 6.6)}  # of one picture and what is said of it


def draw_opinions(scene: Opinions, *, axes: Sequence[Axes] | None = None, style: str = "paper") -> Figure:
    """Draw each picture above a map of the outputs, a sample a row, a class a column; a dot is on each vote.

    ``axes``, if given, are those of all pictures, then those of all maps.
    """
    count = len(scene.pictures)
    with look(style):
        if axes is None:
            wide, tall = _SIZES[style]
            figure = new_figure(wide * count + 0.5, tall)
            axes = list(figure.subplots(2, count, squeeze=False, height_ratios=(1, 1.5)).ravel())
        figure = axes[0].get_figure(root=True)  # type: ignore[assignment]
        for i in range(count):
            picture, said = axes[i], axes[count + i]
            picture.imshow(scene.pictures[i], cmap="gray", vmin=0, vmax=1, interpolation="nearest")
            picture.set(title=f"a {scene.truth[i]}", xticks=[], yticks=[])
            picture.spines[:].set_visible(False)
            image = said.imshow(scene.outputs[i], cmap=palette.GROWING, vmin=0, vmax=1, aspect="auto")
            chosen = scene.outputs[i].argmax(axis=1)
            size = 0.7 * rcParams["lines.markersize"]
            said.plot(chosen, np.arange(len(chosen)), ls="none", marker="o", ms=size, color=palette.POSTERIOR)
            said.set(xticks=range(scene.outputs.shape[2]), yticks=[], xlabel=_tally(scene, i))
            said.tick_params(length=0)
        axes[count].set_ylabel("a drawn weight a row\ndot: its vote")
        figure.colorbar(image, ax=axes[-1], label="output", fraction=0.1)
    set_alt_text(figure, _in_words(scene))
    return figure


def _tally(scene: Opinions, i: int) -> str:
    """The votes that were cast, most first."""
    votes = scene.votes[i]
    order = [k for k in np.argsort(-votes, kind="stable") if votes[k]]
    shown = ", ".join(f"{votes[k]} for {k}" for k in order[:3])
    return shown + (" …" if len(order) > 3 else "")


def _in_words(scene: Opinions) -> str:
    said = "; ".join(f"a {truth}: {_tally(scene, i)}" for i, truth in enumerate(scene.truth))
    return f"""{len(scene.pictures)} pictures of digits; below each, a map of the ten outputs of the network with
        {scene.outputs.shape[1]} weights drawn from the belief, one a row, and a dot on the largest output. Votes of
        {said}."""
