"""Panels of curves: what was measured in several runs, over anything (rounds, weights, labels, probabilities)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from bflo_viz._checks import Floats
from bflo_viz.figures import palette
from bflo_viz.figures.learning_curves import draw_band, name_ends, series_for
from bflo_viz.figures.style import look, new_figure, set_alt_text

_SIZES = {"paper": (4.2, 3.2), "slides": (7.25, 5.8)}  # of one panel


@dataclass(frozen=True, eq=False)
class Panel:
    """One panel: curves over the same ``x``, each the mean of its runs with a band of one standard error.

    Attributes
    ----------
    x
        Where it was measured.
    curves
        By their names: one row a run, one number a place of ``x``. NaN is what a run has no number for.
    title, xlabel, ylabel
        Words on the panel.
    ideal
        What would be perfect at each ``x``, drawn as a thin line; None if there is no such thing.
    events
        Where something happened: thin vertical lines.
    log
        Whether ``x`` is on a logarithmic scale.
    """

    x: ArrayLike
    curves: Mapping[str, ArrayLike]
    title: str
    xlabel: str
    ylabel: str
    ideal: ArrayLike | None = None
    events: Sequence[float] = ()
    log: bool = False

    def __post_init__(self) -> None:
        """Check that every curve has a number for each place."""
        if not self.curves:
            raise ValueError("curves must have at least one curve, but there is none.")
        for name, runs in self.curves.items():
            if np.ndim(runs) != 2 or np.shape(runs)[1] != len(self.places):
                raise ValueError(
                    f"curves[{name!r}] must have one row a run and {len(self.places)} columns, as x has places, "
                    f"but it has shape {np.shape(runs)}."
                )

    @property
    def places(self) -> Floats:
        """Where it was measured, as an array."""
        return np.asarray(self.x, dtype=np.float64)

    def summary(self, name: str) -> tuple[Floats, Floats]:
        """Mean over the runs of a curve, and its standard error (0 for one run); NaN where no run has a number."""
        runs = np.asarray(self.curves[name], dtype=np.float64)
        there = ~np.isnan(runs)
        count = there.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(there, runs, 0.0).sum(axis=0) / count
            square = np.where(there, (runs - mean) ** 2, 0.0).sum(axis=0)
            error = np.where(count > 1, np.sqrt(square / (count - 1) / count), 0.0)
        return mean, error


def draw_panels(
    *panels: Panel, same_scale: bool = True, axes: Sequence[Axes] | None = None, style: str = "paper"
) -> Figure:
    """Draw panels side by side; a name looks the same in all of them.

    ``same_scale`` gives panels that measure the same (the same ``ylabel``) the same scale. ``axes``, if given, are
    one a panel.
    """
    if not panels:
        raise ValueError("panels must be at least one, but there is none.")
    styles = series_for(dict.fromkeys(name for panel in panels for name in panel.curves))
    with look(style):
        if axes is None:
            width, height = _SIZES[style]
            figure = new_figure(width * len(panels), height)
            axes = [figure.add_subplot(1, len(panels), i + 1) for i in range(len(panels))]
        figure = axes[0].get_figure(root=True)  # type: ignore[assignment]
        for ax, panel in zip(axes, panels, strict=True):
            _draw(ax, panel, styles)
        for label in {panel.ylabel for panel in panels} if same_scale else ():
            _scale_alike([ax for ax, panel in zip(axes, panels, strict=True) if panel.ylabel == label])
        name_ends(axes)
    set_alt_text(figure, " ".join(_in_words(panel) for panel in panels))
    return figure


def _draw(ax: Axes, panel: Panel, styles: dict[str, palette.Series]) -> None:
    for place in panel.events:
        ax.axvline(place, color=palette.FAINT, lw=0.8, zorder=0)
    if panel.ideal is not None:
        ax.plot(panel.places, np.asarray(panel.ideal), color=palette.PRIOR, lw=0.8, label="_ideal", zorder=0)
    for name in panel.curves:
        mean, error = panel.summary(name)
        draw_band(ax, panel.places, mean, mean - error, mean + error, name, styles[name])
    if panel.log:
        ax.set_xscale("log")
        ax.set_xticks(panel.places, [f"{place:g}" for place in panel.places])
        ax.set_xticks([], minor=True)
    ax.set(xlabel=panel.xlabel, ylabel=f"{panel.ylabel}\n{_note(panel)}", title=panel.title)


def _scale_alike(axes: Sequence[Axes]) -> None:
    limits = np.array([ax.get_ylim() for ax in axes])
    for ax in axes:
        ax.set_ylim(limits[:, 0].min(), limits[:, 1].max())


def _note(panel: Panel) -> str:
    runs = {len(np.asarray(rows)) for rows in panel.curves.values()}
    if runs == {1}:
        return "one run"
    return f"mean of {runs.pop()} runs ± standard error" if len(runs) == 1 else "mean of runs ± standard error"


def _in_words(panel: Panel) -> str:
    ends = []
    for name in panel.curves:
        mean, _ = panel.summary(name)
        known = np.flatnonzero(~np.isnan(mean))
        if len(known):
            ends.append(f"{name} from {_number(mean[known[0]])} to {_number(mean[known[-1]])}")
    low, high = panel.places[0], panel.places[-1]
    ideal = " A thin line shows what would be perfect." if panel.ideal is not None else ""
    where = ", ".join(f"{place:g}" for place in panel.events)
    events = f" Vertical lines are at {where}." if where else ""
    return f"""{panel.title}: {panel.ylabel} over {panel.xlabel}, {_number(low)} to {_number(high)}
        ({_note(panel)}): {", ".join(ends)}.{ideal}{events}"""


def _number(value: float) -> str:
    """Three digits, without an exponent where it can be, and with a true minus sign."""
    return (f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}").replace("-", "−")
