"""One picture, many opinions: what weights drawn from the belief over a network say of the same digit."""

from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from bflo_viz.figures import palette
from bflo_viz.figures.style import draws, panels
from bflo_viz.scenes.predictions import Opinions


@draws(Opinions.of)
def draw_opinions(scene: Opinions, *, axes: Any = None, style: str = "paper") -> Figure:
    """Draw each picture above a map of the outputs, a sample a row, a class a column; a dot is on each vote.

    ``axes``, if given, are those of all pictures, then those of all maps.
    """
    count = len(scene.pictures)
    figure, places = panels(axes, (2, count), (2.0 * count + 0.5, 4.1), style, height_ratios=(1, 1.5))
    for i, (picture, outputs) in enumerate(zip(places[:count], places[count:], strict=True)):
        picture.imshow(scene.pictures[i], cmap="gray", vmin=0, vmax=1, interpolation="nearest")
        picture.set(title=f"a {scene.truth[i]}", xticks=[], yticks=[])
        picture.spines[:].set_visible(False)
        image = outputs.imshow(scene.outputs[i], cmap=palette.GROWING, vmin=0, vmax=1, aspect="auto")
        votes = scene.outputs[i].argmax(axis=1)
        size = 0.7 * rcParams["lines.markersize"]
        outputs.plot(votes, np.arange(len(votes)), ls="none", marker="o", ms=size, color=palette.POSTERIOR)
        outputs.set(xticks=range(scene.outputs.shape[2]), yticks=[], xlabel=scene.tally(i))
        outputs.tick_params(length=0)
    places[count].set_ylabel("a drawn weight a row\ndot: its vote")
    figure.colorbar(image, ax=places[-1], label="output", fraction=0.1)
    return figure
