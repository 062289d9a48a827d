"""The figure of the results panel: made once, then moved. No artist is made or thrown away afterwards.

Two thirds of the time that matplotlib takes to draw go into ticks and their labels. These depend only on where the
axes end, so they are drawn once for each stream and kept; what moves is drawn on top of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from matplotlib.text import Annotation
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, MaxNLocator
from PIL import Image

from bflo_viz._checks import Floats
from bflo_viz.experiments.curves import Curve
from bflo_viz.experiments.tables import Cell
from bflo_viz.figures import palette
from bflo_viz.figures.curves import apart
from bflo_viz.figures.style import look, new_figure, set_alt_text

SIZE = (9.6, 4.8)  # inches; as many pixels as a cell of JupyterLab has on most screens
_DPI = 100
_COLOURS = 192  # plenty for lines; a picture of so many is smaller and sooner compressed
_KEPT = 12  # backgrounds, of 2 MB each
_STEPS = (1, 2, 2.5, 5, 10)
_TICKS = 12  # of an axis, made in advance: later ones would not have the look of the house


@dataclass(frozen=True)
class Shown:
    """What is shown of a learner: its curve, and its final error beside the paper's; None where there is none."""

    curve: Curve | None
    final: Cell | None


@dataclass(frozen=True)
class Limits:
    """Ends of the axes: rounds, mistakes, final errors, entropy."""

    rounds: float
    mistakes: float
    final: tuple[float, float]
    entropy: tuple[float, float]


def limits(shown: Iterable[Shown]) -> Limits:
    """Room for all of these, and a little more."""
    every = list(shown)
    curves = [one.curve for one in every if one.curve is not None]
    finals = [end for one in every if one.final is not None for end in _ends(one.final)]
    entropies = np.concatenate([curve.entropy for curve in curves] or [np.empty(0)])
    entropies = entropies[np.isfinite(entropies)]
    highest = max((float((curve.mistakes + curve.mistakes_error).max()) for curve in curves), default=1.0)
    return Limits(
        rounds=max((float(curve.ends[-1]) for curve in curves), default=1.0),
        mistakes=1.05 * highest or 1.0,
        final=_with_room(finals or [0.0, 1.0]),
        entropy=_with_room(entropies.tolist() or [0.0, 1.0]),
    )


def _ends(cell: Cell) -> list[float]:
    error = cell.error or 0.0
    ours = [] if cell.ours is None else [cell.ours - error, cell.ours + error]
    return [*ours, *([] if cell.paper is None else [cell.paper])]


def _with_room(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    room = 0.08 * (high - low) or max(0.5, 0.02 * abs(high))  # of a single number, so that ticks can be told apart
    return low - room, high + room


class _Artists:
    """All that is drawn of one learner."""

    def __init__(self, name: str, mistakes: Axes, final: Axes, entropy: Axes) -> None:
        series, size = palette.series(name), rcParams["lines.markersize"]
        series = series._replace(color=palette.line_color(series.color))
        self.curves = {ax: _curve(ax, name, series) for ax in (mistakes, entropy)}
        plain: dict[str, Any] = {"color": series.color, "ls": "none"}
        stroke: dict[str, Any] = {"color": palette.INK, "marker": "|", "ms": 2.6 * size, "mew": 0.3 * size}
        (self.error,) = final.plot([], [], color=series.color, lw=0.3 * size, solid_capstyle="butt")
        (self.paper,) = final.plot([], [], ls="none", **stroke)
        (self.ours,) = final.plot([], [], marker=series.marker, ms=1.4 * size, **plain)
        (self.collapse,) = entropy.plot([], [], marker="v", ms=1.6 * size, clip_on=False, **plain)
        for artist in self.every():
            artist.set_animated(True)  # it is not part of the background

    def every(self) -> list[Any]:
        """Each of them, those below first."""
        lines, bands, names = zip(*self.curves.values(), strict=True)
        return [*bands, *lines, self.error, self.paper, self.ours, self.collapse, *names]

    def set_visible(self, visible: bool) -> None:
        """Show them or hide them all."""
        for artist in self.every():
            artist.set_visible(visible)


def _curve(ax: Axes, name: str, series: palette.Series) -> tuple[Line2D, Polygon, Annotation]:
    """A line with a marker where it ends, a band around it, and its name beside its end."""
    style: dict[str, Any] = {"color": series.color, "ls": series.linestyle, "marker": series.marker}
    (line,) = ax.plot([], [], markevery=[-1], clip_on=False, label=name, **style)
    band = Polygon(np.zeros((1, 2)), closed=True, color=series.color, alpha=0.2, lw=0)
    ax.add_patch(band)
    place: dict[str, Any] = {"xytext": (0.8 * rcParams["font.size"], 0.0), "textcoords": "offset points"}
    text = ax.annotate(name, (0.0, 0.0), va="center", annotation_clip=False, **place)
    return line, band, text


class PanelFigure:
    """Mistakes, final errors and entropy of some learners, out of all that it was made for."""

    def __init__(self, learners: Sequence[str]) -> None:
        with look():
            self.figure = new_figure(*SIZE, layout="none", dpi=_DPI)
            self._canvas: Any = FigureCanvasAgg(self.figure)
            self._letters = float(rcParams["font.size"])
            self.mistakes = self.figure.add_axes((0.04, 0.1, 0.395, 0.77))
            self.final = self.figure.add_axes((0.645, 0.57, 0.345, 0.3))
            self.entropy = self.figure.add_axes((0.645, 0.1, 0.235, 0.3))
            self._page = page = self.figure.add_axes((0, 0, 1, 1))
            page.set_axis_off()
            self._heading = page.text(0.008, 0.985, "", va="top", size=rcParams["axes.titlesize"], animated=True)
            self._message = page.text(0.5, 0.5, "", ha="center", va="center", size=12, animated=True)
            self.artists = {name: _Artists(name, self.mistakes, self.final, self.entropy) for name in learners}
            self._prepare(len(learners))
        self._frames: dict[bool, Any] = {}
        self._backgrounds: dict[Any, Any] = {}
        self._background: Any = None

    def _prepare(self, learners: int) -> None:
        """Titles, labels and ticks; where they are is said once, as to find out takes long."""
        titles = {
            self.mistakes: "Mistakes in a block of rounds (%)",
            self.final: "Final error (%): marks ours, strokes the paper's",
            self.entropy: "Entropy of the belief (nats); ▼ a width is exactly 0",
        }
        for ax, title in titles.items():
            high = ax.get_position().height * SIZE[1] * 72  # points
            ax.set_title(title, y=1 + 6 / high, pad=0, fontsize=self._letters)
            ax.xaxis.set_label_coords(0.5, -22 / high)
            ax.xaxis.set_major_locator(MaxNLocator(5 if ax is self.mistakes else 4, steps=_STEPS))
            ax.yaxis.set_major_locator(MaxNLocator(5 if ax is self.mistakes else 3, steps=_STEPS))
            ax.set_autoscale_on(False)
            ax.xaxis.set_animated(True)
            ax.yaxis.set_animated(True)
            ax.xaxis.get_major_ticks(_TICKS)
            ax.yaxis.get_major_ticks(max(_TICKS, learners))
        thousands = FuncFormatter(lambda value, _: f"{value:,.0f}".replace("-", "−"))
        for axis in (self.mistakes.xaxis, self.entropy.xaxis, self.entropy.yaxis):
            axis.set_major_formatter(thousands)
        self.mistakes.set_xlabel("round")
        self.entropy.set_xlabel("round")
        self.final.tick_params(axis="y", length=0)
        self.final.grid(axis="x", color=palette.FAINT, lw=0.5, ls=":")

    @property
    def axes(self) -> tuple[Axes, Axes, Axes]:
        """Learning curves, final errors, entropy."""
        return self.mistakes, self.final, self.entropy

    def show(self, heading: str, shown: Mapping[str, Shown], room: Limits, message: str, words: str) -> None:
        """Move everything to its new place; with a message, say that instead."""
        self._heading.set_text(heading)
        self._message.set_text(message)
        for ax in self.axes:
            ax.set_visible(not message)
        self.mistakes.set(xlim=(0, room.rounds), ylim=(0, room.mistakes))
        self.entropy.set(xlim=(0, room.rounds), ylim=room.entropy)
        self.final.set(xlim=room.final, ylim=(max(len(shown), 1) - 0.5, -0.5))
        self.final.yaxis.set_major_locator(FixedLocator(range(len(shown))))
        self.final.yaxis.set_major_formatter(FixedFormatter(list(shown)))
        for name, artists in self.artists.items():
            artists.set_visible(name in shown and not message)
        for row, (name, one) in enumerate(shown.items()):
            self._move(self.artists[name], row, one, room)
        for ax in (self.mistakes, self.entropy):
            self._name_ends(ax, list(shown))
        set_alt_text(self.figure, words)
        self._background = (tuple(shown), room, bool(message))

    def _move(self, artists: _Artists, row: int, one: Shown, room: Limits) -> None:
        curve, cell = one.curve, one.final or Cell(None, None, None, 0)
        nothing = np.empty(0)
        if curve is None:
            _place(artists.curves[self.mistakes], nothing, nothing, nothing)
            _place(artists.curves[self.entropy], nothing, nothing, nothing)
        else:
            _place(artists.curves[self.mistakes], curve.ends, curve.mistakes, curve.mistakes_error)
            _place(artists.curves[self.entropy], curve.entropy_rounds, curve.entropy, curve.entropy_error)
        fallen = None if curve is None else curve.collapse
        artists.collapse.set_data(*_points((fallen, room.entropy[0])))
        artists.ours.set_data(*_points((cell.ours, row)))
        artists.paper.set_data(*_points((cell.paper, row)))
        known = cell.ours is not None and cell.error is not None
        ends = [(cell.ours - cell.error, row), (cell.ours + cell.error, row)] if known else []  # type: ignore[operator]
        artists.error.set_data(*_points(*ends))

    def _name_ends(self, ax: Axes, names: list[str]) -> None:
        """Names beside the ends of their curves, apart from each other."""
        there = [name for name in names if len(self.artists[name].curves[ax][0].get_xydata())]  # type: ignore[arg-type]
        lines = [self.artists[name].curves[ax][0] for name in there]
        ends = np.array([np.asarray(line.get_xydata())[-1] for line in lines]).reshape(-1, 2)
        heights = ax.transData.transform(ends)[:, 1] * 72 / self.figure.dpi
        places = apart(heights, 1.2 * self._letters)
        for name in names:
            self.artists[name].curves[ax][2].set_visible(name in there)
        for name, end, here, place in zip(there, ends, heights, places, strict=True):
            text = self.artists[name].curves[ax][2]
            text.xy = tuple(end.tolist())
            # All names stand in a column right of the axes, also of curves that end early.
            text.xyann = (0.8 * self._letters, float(place - here))

    def png(self) -> bytes:
        """The picture as it is now."""
        with look():
            self._restore_background()
            for artists in self.artists.values():
                for artist in artists.every():
                    if artist.get_visible() and artist.axes.get_visible():
                        artist.axes.draw_artist(artist)
            for words in (self._heading, self._message):
                self._page.draw_artist(words)
        file = BytesIO()
        image = Image.frombuffer("RGBA", self._canvas.get_width_height(), self._canvas.buffer_rgba()).convert("RGB")
        image.quantize(_COLOURS, method=Image.Quantize.FASTOCTREE).save(file, "png", compress_level=1)
        return file.getvalue()

    def _restore_background(self) -> None:
        """Axes with their ticks: drawn anew only if they were never as they are now, or long ago."""
        kept = self._backgrounds.pop(self._background, None)
        if kept is None:
            self._restore_frames()
            for ax in self.axes:
                if ax.get_visible():
                    ax.draw_artist(ax.xaxis)
                    ax.draw_artist(ax.yaxis)
            kept = self._canvas.copy_from_bbox(self.figure.bbox)
        else:
            self._canvas.restore_region(kept)
        self._backgrounds[self._background] = kept  # the last to be dropped
        if len(self._backgrounds) > _KEPT:
            del self._backgrounds[next(iter(self._backgrounds))]

    def _restore_frames(self) -> None:
        """What never changes: titles and the lines of the axes; nothing, where there is a message."""
        message = not self.mistakes.get_visible()
        if message in self._frames:
            self._canvas.restore_region(self._frames[message])
        else:
            self._canvas.draw()
            self._frames[message] = self._canvas.copy_from_bbox(self.figure.bbox)


def _place(artists: tuple[Line2D, Polygon, Annotation], x: Floats, middle: Floats, error: Floats) -> None:
    """Move a line and its band; what is not finite is left out."""
    finite = np.isfinite(middle)
    x, middle, error = x[finite], middle[finite], error[finite]
    line, band, _ = artists
    line.set_data(x, middle)
    around = np.append(np.c_[x, middle - error], np.c_[x, middle + error][::-1], axis=0)
    band.set_xy(around if len(around) else np.zeros((1, 2)))
    band.set_visible(bool(error.any()))


def _points(*points: tuple[float | None, float]) -> tuple[list[float], list[float]]:
    there = [(x, y) for x, y in points if x is not None]
    return [x for x, _ in there], [y for _, y in there]
