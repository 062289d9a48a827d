"""A game of levers: what is believed of them, what was won or missed, and who pulled which."""

from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bflo_viz.figures import palette
from bflo_viz.figures.style import draws, new_panels
from bflo_viz.scenes.levers import CLIPPED, LANE, PLAYERS, SERIES, TITLES, YOU, LeversScene, play_levers

_NAMES = (YOU, *PLAYERS)


@draws(play_levers)
def draw_levers(scene: LeversScene, *, style: str = "paper") -> Figure:
    """Draw beliefs at the round, the curves, and the pulls; odds and what is to come only where they may be seen."""
    figure, (believed, score, pulled) = new_panels((1, 3), (10.4, 3.9), style)
    _draw_beliefs(believed, scene)
    _draw_score(score, scene)
    _draw_pulls(pulled, scene)
    figure.legend(*score.get_legend_handles_labels(), loc="outside lower center", ncols=len(_NAMES))
    return figure


def _look(name: str) -> dict[str, Any]:
    series = palette.series(SERIES[name])
    width = {"lw": 2 * rcParams["lines.linewidth"]} if name == YOU else {}
    return {"color": series.color, "ls": series.linestyle, **width}


def _mark(name: str) -> dict[str, Any]:
    """The mark of a player; that of the flow which may not widen has the colour of the other, and is hollow."""
    series = palette.series(SERIES[name])
    return {"marker": series.marker, "mfc": palette.PAPER if name == CLIPPED else series.color}


def _beside(name: str) -> float:
    """Where a player has its place in the room of a lever."""
    return LANE * ((_NAMES.index(name) + 0.5) / len(_NAMES) - 0.5)


def _draw_beliefs(ax: Axes, scene: LeversScene) -> None:
    places = np.arange(1, scene.odds.shape[1] + 1)
    if scene.open:
        odds = scene.odds[max(0, scene.now - 1)]
        ax.hlines(odds, places - LANE / 2, places + LANE / 2, color=palette.FAINT, lw=5, label="true odds")
        ax.legend(loc="best")
    for name in scene.names:
        low, middle, high = scene.interval(name)
        color = palette.series(SERIES[name]).color
        ax.vlines(places + _beside(name), low, high, color=color)
        dots: dict[str, Any] = {"color": color, "ls": "", "ms": 1.2 * rcParams["lines.markersize"]}
        ax.plot(places + _beside(name), middle, **dots, **_mark(name))
    ax.set(xlabel="lever", ylabel="chance to pay", xlim=(0.5, len(places) + 0.5), ylim=(0, 1), xticks=places)
    ax.set_title(TITLES["believed"])


def _draw_score(ax: Axes, scene: LeversScene) -> None:
    """Regret of all rounds where it may be told; else the share of rounds won so far."""
    for name in scene.names:
        played = scene.played(name)
        if scene.open:
            _draw_curve(ax, np.arange(len(scene.regret(name))), scene.regret(name), played, name)
        else:
            rounds = np.arange(played + 1)
            _draw_curve(ax, rounds, 100 * scene.wins(name)[: played + 1] / np.maximum(1, rounds), played, name)
    ax.axvline(scene.now, color=palette.INK, lw=0.8)
    ax.set(xlabel="round", ylabel=TITLES["missed" if scene.open else "share"], xlim=(0, scene.reach))
    ax.set_ylim(0, None if scene.open else 100)
    ax.set_title(TITLES["regret"] if scene.open else TITLES["wins"])


def _draw_curve(ax: Axes, x: Any, y: Any, now: int, name: str) -> None:
    """Draw what has been, with a mark at its end, and faintly what is to come."""
    marker: dict[str, Any] = _mark(name) | {"markevery": slice(max(0, now), None), "clip_on": False}
    ax.plot(x[x <= now], y[x <= now], **_look(name), **marker, label=name)
    ax.plot(x[x >= now], y[x >= now], **_look(name), alpha=0.3)


def _draw_pulls(ax: Axes, scene: LeversScene) -> None:
    """Draw a line for each stretch of pulls; behind them the lever that was the best, where it may be seen."""
    last = scene.rounds if scene.open else scene.now
    if scene.open:
        for lever, start, stop in _stretches(scene.odds.argmax(axis=1)):
            ax.fill_between([start, stop], lever + 0.55, lever + 1.45, color=palette.FAINT, alpha=0.35, lw=0)
    for name in scene.names:
        runs = _stretches(scene.pulls[name][:last])
        color = palette.series(SERIES[name]).color
        for lever, start, stop in runs:
            height = lever + 1 + _beside(name)
            ax.plot([start, stop], [height, height], color=color, lw=3, solid_capstyle="butt")
            if name == CLIPPED:  # hollow, as its mark is
                ax.plot([start, stop], [height, height], color=palette.PAPER, lw=1.2, solid_capstyle="butt")
    ax.axvline(scene.now, color=palette.INK, lw=0.8)
    count = scene.odds.shape[1]
    ax.set(xlabel="round", ylabel="lever", xlim=(0, scene.reach), ylim=(count + 0.5, 0.5))
    ax.set_yticks(range(1, count + 1))
    ax.set_title(TITLES["pulled"])


def _stretches(values: Any) -> list[tuple[int, int, int]]:
    """Stretches of rounds in which a value stays the same: the value, the first round, and that after the last."""
    ends = [*(np.flatnonzero(np.diff(values)) + 1).tolist(), len(values)] if len(values) else []
    return [(int(values[start]), start, stop) for start, stop in zip([0, *ends], ends, strict=False)]
