"""A page to hand out: the idea in three steps, three pictures, the words, and what holds up."""

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

from bflo_viz.figures.flow_types import draw_flows, name_flows
from bflo_viz.figures.pseudo_dataset import draw_points
from bflo_viz.figures.regime_map import draw_map
from bflo_viz.figures.style import look, new_figure, set_alt_text
from bflo_viz.scenes.one_dimension import regime_map
from bflo_viz.scenes.pseudo_points import pseudo_dataset
from bflo_viz.scenes.two_dimensions import flow_types

_LEFT, _RIGHT = 0.065, 0.55  # of the page: where its two columns begin
_SMALL: Any = {"font.size": 7.2, "axes.titlesize": 8, "axes.labelsize": 7.2} | {
    f"{axis}tick.labelsize": 6.4 for axis in "xy"
}


def draw_handout(rng: np.random.Generator, *, style: str = "paper") -> Figure:
    """Draw the page; it is for print, in any style, and can be read in black and white."""
    flows, regimes, points = flow_types(), regime_map(points=81), pseudo_dataset(rng)
    text = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    with look("paper"), rc_context(_SMALL):
        page = new_figure(8.27, 11.69, layout="none")  # A4
        page.suptitle(text["title"], x=_LEFT, y=0.975, ha="left", va="top", size=17, weight="bold")
        page.text(_LEFT, 0.951, text["paper"], size=8, va="top")
        for place, step in zip((0.065, 0.36, 0.655), text["steps"], strict=True):
            page.text(place, 0.927, step["title"], size=11, weight="bold", va="top")
            page.text(place, 0.907, step["formula"], size=12, va="top")
            page.text(place, 0.886, step["words"], size=8.5, va="top", linespacing=1.3)
        page.text(_LEFT, 0.837, text["update"], size=8.5, va="top")
        page.text(0.5, 0.817, text["formula"], size=13, va="top", ha="center")
        _head(page, _LEFT, 0.763, text["three"])
        draw_flows([page.add_axes((0.105 + 0.3 * i, 0.553, 0.275, 0.187)) for i in range(3)], flows)
        name_flows(page, page.axes, loc="center", bbox_to_anchor=(0.5, 0.515), fontsize=7)
        _head(page, _LEFT, 0.485, text["one"])
        ax = page.add_axes((0.115, 0.277, 0.275, 0.195))
        draw_map(ax, regimes, "std")
        ax.set_title("")
        _head(page, _RIGHT, 0.485, text["run"])
        draw_points(page.add_axes((0.6, 0.277, 0.33, 0.195)), points)
        _write_columns(page, text["words"], text["lists"])
    steps = " ".join(f"{step['title']}: {step['words']}" for step in text["steps"])
    lists = " ".join(f"{title}: {' '.join(lines)}" for title, lines in text["lists"].items())
    set_alt_text(page, f"A page that sums up belief flows. {steps} {flows.words()} {text['maps']} {lists}")
    return page


def _write_columns(page: Figure, words: dict[str, str], lists: dict[str, list[str]]) -> None:
    heights = {_LEFT: _head(page, _LEFT, 0.222, "Words"), _RIGHT: 0.222}
    for word, meaning in words.items():
        page.text(_LEFT, heights[_LEFT], word, size=8, weight="bold")
        heights[_LEFT] = _write(page, _LEFT + 0.195, heights[_LEFT], meaning)
    heights[_LEFT] -= 0.006
    for x, (title, lines) in zip((_RIGHT, _RIGHT, _LEFT), lists.items(), strict=True):
        height = _head(page, x, heights[x], title)
        for line in lines:
            page.text(x, height, "•", size=8)
            height = _write(page, x + 0.015, height, line)
        heights[x] = height - 0.006


def _write(page: Figure, x: float, y: float, words: str) -> float:
    """Write lines, the first one at this height; return where the next ones begin."""
    for n, line in enumerate(words.splitlines()):
        page.text(x, y - 0.0125 * n, line, size=8)
    return y - 0.0165 - 0.0125 * n


def _head(page: Figure, x: float, y: float, words: str) -> float:
    """Write a heading, its last line at this height; return where the text below it begins."""
    page.text(x, y, words, size=9.5, weight="bold", linespacing=1.2)
    return y - 0.019
