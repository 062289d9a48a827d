"""Curves over several runs, of anything that was measured."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter
from numpy.typing import ArrayLike

from bflo_viz._checks import Floats
from bflo_viz.figures import palette
from bflo_viz.figures.marks import draw_band, name_ends, plain_ticks
from bflo_viz.figures.style import COLUMN, figure, panels


@dataclass(frozen=True, eq=False)
class Panel:
    """One panel: curves over the same ``x``, each the mean of its runs with a band of one standard error."""

    x: ArrayLike  # where it was measured
    curves: Mapping[str, ArrayLike]  # a row for each run, a number for each place of x; NaN where a run has none
    title: str
    xlabel: str
    ylabel: str
    ideal: ArrayLike | None = None  # what would be perfect at each x: a thin line of that name
    events: Sequence[float] = ()  # where something happened: thin vertical lines
    log: bool = False  # a logarithmic horizontal axis
    bottom: float | None = None  # where the vertical axis begins, if not near the lowest curve
    log_y: bool = False

    def __post_init__(self) -> None:
        """Check that every curve has a number for each place."""
        if not self.curves:
            raise ValueError("curves must have at least one curve, but there is none.")
        for name, runs in self.curves.items():
            if np.ndim(runs) != 2 or np.shape(runs)[1] != len(self.places):
                raise ValueError(
                    f"curves[{name!r}] must have a row for each run and {len(self.places)} columns, one per place, "
                    f"but it has shape {np.shape(runs)}."
                )

    @property
    def places(self) -> Floats:
        """Where it was measured, as an array."""
        return np.asarray(self.x, dtype=np.float64)

    def runs_in_words(self) -> str:
        """Return what a curve and its band are, by how many runs each has; a single curve speaks for itself."""
        counts = {len(np.asarray(runs)) for runs in self.curves.values()}
        if counts == {1}:
            return ""
        return f"(mean of {f'{counts.pop()} ' if len(counts) == 1 else ''}runs ± standard error)"

    def in_words(self) -> str:
        """Return the panel in a clause: from which mean to which each curve goes, and how far up or down between."""
        means = {name: mean[~np.isnan(mean)] for name, runs in self.curves.items() for mean in [band(runs)[0]]}
        far = 0.25 * np.ptp(np.concatenate(list(means.values())))
        ways = []
        for name, mean in ((name, mean) for name, mean in means.items() if mean.size):
            first, last, top, low = map(_three_digits, (mean[0], mean[-1], mean.max(), mean.min()))
            up, down = mean.max() - max(mean[0], mean[-1]) > far, min(mean[0], mean[-1]) - mean.min() > far
            turn = f" up to {top} and back" if up else f" down to {low} and back" if down else ""
            ways.append(f"{name} from {first}{turn} to {last}")
        start, end = map(_three_digits, self.places[[0, -1]])
        return f"{self.title}, in {self.ylabel} over {self.xlabel} {start} to {end}: {', '.join(ways)}"


def band(runs: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Return the mean over runs (rows), and the ends of a band of one standard error; a single run has no band.

    NaN is what a run has no number for.
    """
    columns = [column[~np.isnan(column)] for column in np.asarray(runs, dtype=np.float64).T]
    mean = np.array([column.mean() if column.size else np.nan for column in columns])
    with np.errstate(invalid="ignore"):  # an infinite mean has no standard error
        error = np.nan_to_num([x.std(ddof=1) / x.size**0.5 if x.size > 1 else 0.0 for x in columns])
    return mean, mean - error, mean + error


@figure()
def draw_panels(*found: Panel, same_scale: bool = True) -> tuple[Figure, str]:
    """Draw one to three panels side by side; a name looks the same in all of them.

    ``same_scale`` gives panels that measure the same (the same ``ylabel``) the same scale.
    """
    if not 1 <= len(found) <= 3:
        raise ValueError(f"draw_panels draws one to three panels, but it got {len(found)}.")
    styles = palette.series_for(name for panel in found for name in panel.curves)
    picture, places = panels(1, len(found), (4.4 if len(found) == 1 else COLUMN, 2.7))
    said = {panel.runs_in_words() for panel in found}
    for ax, panel in zip(places, found, strict=True):
        _draw_panel(ax, panel, styles, width=(45, 36, 24)[len(found) - 1])
        several = len(said) > 1 or len(found) == 1
        ax.set_xlabel(f"{panel.xlabel}\n{panel.runs_in_words()}".strip() if several else panel.xlabel)
    if len(said) == 1 and len(found) > 1 and (words := said.pop()):
        picture.supxlabel(words, fontsize=rcParams["xtick.labelsize"])
    for label in {panel.ylabel for panel in found} if same_scale else ():
        alike = [ax for ax, panel in zip(places, found, strict=True) if panel.ylabel == label]
        low, high = zip(*(ax.get_ylim() for ax in alike), strict=True)
        for ax in alike:
            ax.set_ylim(min(low), max(high))
    name_ends(places)
    return picture, f"{'; '.join(panel.in_words() for panel in found)}."


def _draw_panel(ax: Axes, panel: Panel, styles: dict[str, palette.Series], width: int) -> None:
    for at in panel.events:
        ax.axvline(at, color=palette.FAINT, lw=0.8, zorder=0)
    if panel.ideal is not None:
        ax.plot(panel.places, np.asarray(panel.ideal), color=palette.PRIOR, lw=0.8, label="ideal", zorder=0)
    for name, runs in panel.curves.items():
        draw_band(ax, panel.places, *band(runs), name, styles[name])
    if panel.log:
        plain_ticks(ax, panel.places.tolist())
    elif panel.places.max() >= 1000:
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.set(ylabel=panel.ylabel, title=textwrap.fill(panel.title, width))
    if panel.log_y:
        ax.set_yscale("log")
        low, high = ax.get_ylim()
        ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 50 * low else (1.0,)))
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        ax.yaxis.set_minor_formatter(NullFormatter())
    ax.set_ylim(bottom=panel.bottom)


def _three_digits(value: float) -> str:
    """Return three digits, without an exponent where it can be."""
    return (f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}").replace("-", "−")
