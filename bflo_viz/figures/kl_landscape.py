"""KL against the stretch: the two lowest points, and which of them the update picks."""

from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from bflo_viz._checks import Floats
from bflo_viz.figures import palette
from bflo_viz.figures.style import draws, panels
from bflo_viz.flows import Minimum
from bflo_viz.scenes.one_dimension import LandscapePanel, LandscapeScene, kl_landscape, short

_TOP = 7.0  # nats: what is shown, unless a lowest point lies higher
_PAD = 0.01  # between a word and what is next to it, in parts of the panel


@draws(kl_landscape)
def draw_kl_landscape(scene: LandscapeScene, *, axes: Any = None, style: str = "paper") -> Figure:
    """Draw the landscape of each pair: a full dot where the update goes, a hollow one at the reflection.

    Given axes must be as many as the pairs of the scene.
    """
    count = len(scene.panels)
    figure, places = panels(axes, (1, count), (0.6 + max(2.65 * count, 4.0), 3.6), style, sharey=True)
    top = max([_TOP] + [1.6 * float(lowest.kl) for panel in scene.panels for lowest in _minima(panel)])
    for ax, panel in zip(places, scene.panels, strict=True):
        _Words(ax, panel, _draw(ax, panel, top)).write()
        if axes is None:
            ax.label_outer()
    return figure


def _minima(panel: LandscapePanel) -> tuple[Minimum, Minimum]:
    return panel.picked, panel.reflected


def _draw(ax: Axes, panel: LandscapePanel, top: float) -> dict[str, Floats]:
    """Draw curves and dots; return the curves by name, in parts of the panel."""
    thin: dict[str, Any] = {"linewidth": 0.7 * rcParams["lines.linewidth"], "color": palette.PRIOR}
    (mean,) = ax.plot(panel.stretch, panel.mean_term, linestyle="--", label="mean term", **thin)
    (width,) = ax.plot(panel.stretch, panel.width_term, linestyle=":", label="width term", **thin)
    (total,) = ax.plot(panel.stretch, panel.kl, color=palette.INK, label="KL")
    ax.axvline(0, color=palette.FAINT, linewidth=1.0, zorder=0)
    for lowest, name, face in zip(_minima(panel), ("picked", "reflected"), (palette.POSTERIOR, "white"), strict=True):
        dot: dict[str, Any] = {
            "color": palette.POSTERIOR,
            "markerfacecolor": face,
            "markeredgewidth": 1.5,
            "zorder": 3,
        }
        ax.plot([lowest.stretch], [lowest.kl], "o", label=name, clip_on=False, **dot)
    low, high = panel.stretch[[0, -1]]
    ax.set(xlim=(low, high), ylim=(0, top), xlabel="stretch a; |a| = posterior std / prior std")
    ax.set(ylabel="KL divergence (nats)", title=_title(panel))
    scale = np.array([high - low, top])
    curves = {}
    for line in (mean, width, total):
        curve = (np.asarray(line.get_xydata(), dtype=float) - (low, 0)) / scale
        curves[str(line.get_label())] = _evenly(curve[curve[:, 1] <= 1.1])
    return curves


def _evenly(curve: Floats) -> Floats:
    """Points of a curve at even distances, so that no word slips through between two of them."""
    along = np.append(0.0, np.cumsum(np.hypot(*np.diff(curve, axis=0).T)))
    even = np.linspace(0, along[-1], 160)
    return np.column_stack([np.interp(even, along, column) for column in curve.T])


class _Words:
    """The words of one panel, each put where there is room; all places in parts of the panel."""

    def __init__(self, ax: Axes, panel: LandscapePanel, curves: dict[str, Floats]) -> None:
        self.ax, self.panel, self.curves = ax, panel, curves
        low, high = ax.get_xlim()
        dots = [((m.stretch - low) / (high - low), m.kl / ax.get_ylim()[1]) for m in _minima(panel)]
        self.dots = np.array(dots, dtype=float)
        self.taken = np.concatenate([*curves.values(), self.dots])

    def write(self) -> None:
        """Name the two lowest points with their values, the two terms, and what happens between the branches."""
        for lowest, name, dot in zip(_minima(self.panel), ("picked", "reflected"), self.dots, strict=True):
            self._name_minimum(f"{name}\na = {short(lowest.stretch)}\nKL = {short(lowest.kl)}", dot)
        for name, curve in self.curves.items():
            spike = np.abs(curve[:, 0] - 0.5) < 0.1
            if name == "KL":
                self._name_curve(("KL → ∞",), curve[spike & (curve[:, 1] > 0.7)])
            else:
                self._name_curve((name.replace(" ", "\n"), name, name.split()[0]), curve[~spike])

    def _name_minimum(self, words: str, dot: Floats) -> None:
        """Write as near to a dot as there is room, and lead a thin line to it."""
        text, half = self._text(words, color=palette.INK)
        places = np.stack(np.meshgrid(np.linspace(0, 1, 41), np.linspace(0, 1, 31)), axis=-1).reshape(-1, 2)
        places = places[_within(places, half) & ((places[:, 0] > 0.5) == (dot[0] > 0.5))]
        room = _room(places, half, self.taken)
        free = places[room >= min(2 * _PAD, float(room.max()))]
        spot = free[int(np.hypot(*(free - dot).T).argmin())]
        self._settle(text, spot, half)
        edge = np.clip(dot, spot - half, spot + half)
        leader = edge + np.linspace(0, 0.8, 20)[:, None] * (dot - edge)
        self.taken = np.concatenate([self.taken, leader])
        self.ax.plot(*leader.T, color=palette.POSTERIOR, linewidth=0.8, transform=self.ax.transAxes, label="_leader")

    def _name_curve(self, options: tuple[str, ...], curve: Floats) -> None:
        """Write the first of the options that has room beside a curve, where all else is far."""
        is_own = (self.taken[:, None] == curve).all(axis=2).any(axis=1)
        sides = np.array([(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y])
        for words in options:
            text, half = self._text(words, color=palette.PRIOR)
            offsets = np.concatenate([sides * (half + k * _PAD) for k in (0.5, 1, 2)])
            places = (curve[::3, None] + offsets).reshape(-1, 2)
            places = places[_within(places, half)]
            own, others = (_room(places, half, self.taken[which]) for which in (is_own, ~is_own))
            fits = (own > 0) & (own < others)
            score = np.minimum(others, 0.15) - own - np.where(fits, 0, 1)
            if fits.any() or words == options[-1]:
                self._settle(text, places[int(score.argmax())], half)
                break
            text.remove()

    def _text(self, words: str, **options: Any) -> tuple[Text, Floats]:
        where: dict[str, Any] = {"ha": "center", "va": "center", "transform": self.ax.transAxes}
        text = self.ax.text(0.5, 0.5, words, fontsize="small", **where, **options)
        box, frame = text.get_window_extent(), self.ax.get_window_extent()
        return text, np.array([box.width / frame.width, box.height / frame.height]) / 2 + _PAD / 2

    def _settle(self, text: Text, spot: Floats, half: Floats) -> None:
        text.set_position((float(spot[0]), float(spot[1])))
        ticks = np.linspace(-1, 1, 7)
        mine = spot + half * np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
        self.taken = np.concatenate([self.taken, mine])


def _within(places: Floats, half: Floats) -> Any:
    return ((places - half >= 0) & (places + half <= 1)).all(axis=1)


def _room(places: Floats, half: Floats, others: Floats) -> Floats:
    """How far boxes around places are from the nearest of other points."""
    across, up = (np.maximum(np.abs(others[:, k] - places[:, k, None]) - half[k], 0) for k in (0, 1))
    return np.asarray(np.sqrt((across * across + up * up).min(axis=1)))


def _title(panel: LandscapePanel) -> str:
    saved = panel.picked.kl - panel.reflected.kl
    words = f"reflecting would cost {saved:.2f} nats less" if saved > 0 else "the update picks the lowest point"
    if abs(saved) < 1e-9:
        words = "both sides cost the same"
    return f"{panel.regime.capitalize()}, u = {short(panel.u)}, v = {short(panel.v)}:\n{words}"
