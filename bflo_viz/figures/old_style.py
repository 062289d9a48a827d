"""The way in which figures of scenes are drawn; it goes with the last scene."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bflo_viz.figures.style import Shown as _Shown
from bflo_viz.figures.style import look
from bflo_viz.scenes.base import Scene

SCALE = {"paper": 1.0, "slides": 15 / 9}  # as their letters are


def draws(compute: Callable[..., Scene]) -> Callable[[Callable[..., Figure]], Callable[..., Figure]]:
    """Make ``draw_x`` of a function that draws a scene: it takes a scene ``x``, or what ``x`` itself takes.

    What it draws has the look of the house, and the scene's words as its alt text; ``figure.scene`` is the scene.
    """

    def decorate(draw: Callable[..., Figure]) -> Callable[..., Figure]:
        _, *own = inspect.signature(draw).parameters

        @functools.wraps(draw)
        def draw_scene(*given: Any, **named: Any) -> Figure:
            options = {name: named.pop(name) for name in own if name in named}
            if not (given and isinstance(given[0], Scene)):
                scene = compute(*given, **named)
            elif len(given) == 1 and not named:
                scene = given[0]
            else:
                name = getattr(draw, "__name__", "it")
                raise ValueError(f"{name} must be given a scene or the settings of one, but it was given both.")
            with look(options.get("style", "paper")):
                figure = draw(scene, **options)
            figure.alt_text = " ".join(scene.words().split())  # type: ignore[attr-defined]
            figure.scene = scene  # type: ignore[attr-defined]
            return figure

        return draw_scene

    return decorate


def new_panels(
    shape: tuple[int, int], size: tuple[float, float], style: str, *, layout: str = "constrained", **options: Any
) -> tuple[Figure, list[Axes]]:
    """A figure of rows and columns of axes, larger for slides as the text is, and its axes row by row."""
    figure = new_figure(*(SCALE[style] * inches for inches in size), layout=layout)
    return figure, list(np.ravel(figure.subplots(*shape, **options)))


def new_figure(width: float, height: float, **options: Any) -> Figure:
    """A figure of this size in inches."""
    return _Shown(figsize=(width, height), **{"layout": "constrained", **options})
