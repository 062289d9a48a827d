"""Learning curves of any recorded runs; and what curves of learners share: bands, and names at their ends."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from numpy.typing import ArrayLike

from bflo_viz._checks import Floats
from bflo_viz.figures import palette
from bflo_viz.figures.scenes.learning_curves import Curves, LearningCurves, learning_curves
from bflo_viz.figures.style import look, new_figure, set_alt_text
from bflo_viz.learners import Record

_SIZES = {"paper": (8.4, 3.2), "slides": (14.5, 5.8)}


def draw_learning_curves(
    scene: LearningCurves | Mapping[str, Record | Sequence[Record]],
    *,
    axes: Sequence[Axes] | None = None,
    style: str = "paper",
) -> Figure:
    """Draw mistakes and entropy of each learner, the mean of its runs with a band of one standard error.

    ``scene`` may also be the records themselves, by the names of learners; ``axes``, if given, are two.
    """
    if not isinstance(scene, LearningCurves):
        scene = learning_curves(scene)
    styles = series_for(scene.curves)
    with look(style):
        if axes is None:
            figure = new_figure(*_SIZES[style])
            axes = [figure.add_subplot(1, 2, i + 1) for i in range(2)]
        mistakes, entropies = axes
        figure = mistakes.get_figure(root=True)  # type: ignore[assignment]
        note = _band_note(scene)
        for name, curves in scene.curves.items():
            draw_band(mistakes, curves.ends, *mean_and_error(curves.error), name, styles[name])
            if not np.isnan(curves.entropy).all():
                draw_band(entropies, curves.ends, *mean_and_error(curves.entropy), name, styles[name])
        mistakes.set(xlabel="round", ylabel=f"mistakes in a block (%)\n{note}", title=_title(scene))
        mistakes.set_ylim(bottom=0)
        entropies.set(xlabel="round", ylabel=f"entropy of the belief (nats)\n{note}", title=_entropy_title(scene))
        if not entropies.get_lines():
            entropies.set(xticks=[], yticks=[])
        name_ends(axes)
    set_alt_text(figure, _in_words(scene))
    return figure


def series_for(names: Iterable[str]) -> dict[str, palette.Series]:
    """How each learner looks: those the palette knows as always, others by the next style that is free."""
    found = {name: palette.series(name) for name in names}
    free = [one for one in palette.SERIES.values() if one not in found.values()] or list(palette.SERIES.values())
    others = [name for name, one in found.items() if one == palette.OTHER]
    return {**found, **{name: free[i % len(free)] for i, name in enumerate(others)}}


def mean_and_error(runs: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean over runs (rows), and the ends of a band of one standard error; a single run has no band."""
    mean = runs.mean(axis=0)
    error = runs.std(axis=0, ddof=1) / np.sqrt(len(runs)) if len(runs) > 1 else np.zeros_like(mean)
    return mean, mean - error, mean + error


def draw_band(
    ax: Axes, x: ArrayLike, middle: Floats, low: Floats, high: Floats, name: str, series: palette.Series
) -> None:
    """Draw a curve with a band around it, and a marker where it ends."""
    if not np.array_equal(low, high):
        ax.fill_between(np.asarray(x), low, high, color=series.color, alpha=0.2, lw=0, label=f"{name}, band")
    ax.plot(x, middle, color=series.color, ls=series.linestyle, marker=series.marker, markevery=[-1], label=name)


def name_ends(axes: Sequence[Axes]) -> None:
    """Write the name of each curve at its right end; call it when all is drawn, as it needs the final layout."""
    beside: dict[str, Any] = {"xytext": (0.8 * rcParams["font.size"], 0.0), "textcoords": "offset points"}
    for ax in axes:
        for line in _curves(ax):
            ax.annotate(str(line.get_label()), _end(line), va="center", annotation_clip=False, **beside)
    axes[0].get_figure(root=True).draw_without_rendering()  # type: ignore[union-attr]
    keep_names_apart(axes)


def keep_names_apart(axes: Sequence[Axes]) -> None:
    """Put each name where its curve ends now, apart from the other names, neither above nor below the axes."""
    size = float(rcParams["font.size"])
    for ax in axes:
        point = ax.figure.dpi / 72
        low, high = ax.bbox.y0 / point + size / 2, ax.bbox.y1 / point - size / 2
        names = {text.get_text(): text for text in ax.texts if isinstance(text, Annotation)}
        lines = _curves(ax)
        ends = np.array([_end(line) for line in lines]).reshape(-1, 2)
        heights = ax.transData.transform(ends)[:, 1] / point
        places = apart(heights, 1.25 * size)
        if len(places):
            places += max(0.0, low - places.min()) - max(0.0, places.max() - high)
        for line, end, here, there in zip(lines, ends, heights, places, strict=True):
            name = names[str(line.get_label())]
            name.xy = tuple(end.tolist())
            name.set_position((0.8 * size, there - here))


def apart(places: Floats, room: float) -> Floats:
    """Places moved as little as needed (in squares, in their order) so that neighbours are ``room`` apart."""
    order = np.argsort(places, kind="stable")
    steps = room * np.arange(len(places))
    groups: list[tuple[float, int]] = []  # pooled neighbours: their mean, and how many
    for mean in places[order] - steps:
        count = 1
        while groups and groups[-1][0] > mean:
            other, size = groups.pop()
            mean, count = (mean * count + other * size) / (count + size), count + size
        groups.append((float(mean), count))
    moved = np.empty_like(places)
    moved[order] = np.repeat([mean for mean, _ in groups], [count for _, count in groups]) + steps
    return moved


def number(value: float) -> str:
    """A number with one decimal and a true minus sign."""
    return f"{value:.1f}".replace("-", "−").replace("inf", "∞")


def _curves(ax: Axes) -> list[Line2D]:
    """The lines that have a name, and an end."""
    named = [line for line in ax.get_lines() if not str(line.get_label()).startswith("_")]
    return [line for line in named if np.isfinite(np.asarray(line.get_ydata(), dtype=float)).any()]


def _end(line: Line2D) -> tuple[float, float]:
    x, y = np.asarray(line.get_xdata(), dtype=float), np.asarray(line.get_ydata(), dtype=float)
    last = np.flatnonzero(np.isfinite(y))[-1]
    return float(x[last]), float(y[last])


def _band_note(scene: LearningCurves) -> str:
    runs = {len(curves.error) for curves in scene.curves.values()}
    if runs == {1}:
        return "one run"
    return f"mean of {runs.pop()} runs ± standard error" if len(runs) == 1 else "mean of runs ± standard error"


def _title(scene: LearningCurves) -> str:
    if len(scene.curves) == 1:
        (curves,) = scene.curves.values()
        return f"From {curves.error[:, 0].mean():.0f} % mistakes to {curves.error[:, -1].mean():.0f} %"
    overall = {name: _overall(curves) for name, curves in scene.curves.items()}
    return f"{min(overall, key=overall.__getitem__)} errs least: {min(overall.values()):.1f} % overall"


def _overall(curves: Curves) -> float:
    # From whole numbers of mistakes: a mean of means may fall on either side of a rounding tie.
    mistakes = np.rint(curves.error / 100 * np.diff(curves.ends, prepend=0)).sum()
    return float(100 * mistakes / (len(curves.error) * curves.ends[-1]))


def _entropy_title(scene: LearningCurves) -> str:
    change = {n: float((c.entropy[:, -1] - c.entropy[:, 0]).mean()) for n, c in scene.curves.items()}
    change = {name: by for name, by in change.items() if not np.isnan(by)}
    if not change:
        return "No learner here has a belief"
    most = min(change, key=change.__getitem__)
    if max(change.values()) >= 0:
        return "Entropy of the beliefs"
    return "The belief narrows" if len(change) == 1 else f"Beliefs narrow, {most} most"


def _in_words(scene: LearningCurves) -> str:
    about = f" in {scene.about}" if scene.about else ""
    errors = ", ".join(
        f"{name} from {c.error[:, 0].mean():.1f} % to {c.error[:, -1].mean():.1f} % ({_overall(c):.1f} % overall)"
        for name, c in scene.curves.items()
    )
    beliefs = {n: c.entropy.mean(axis=0) for n, c in scene.curves.items() if not np.isnan(c.entropy).all()}
    entropies = ", ".join(f"{name} from {number(e[0])} to {number(e[-1])}" for name, e in beliefs.items())
    without = [name for name in scene.curves if name not in beliefs]
    rest = f" {' and '.join(without)} {'has' if len(without) == 1 else 'have'} no belief." if without else ""
    return f"""Two panels of learning curves over rounds{about} ({_band_note(scene)}). Left, the share of mistakes
        from the first block of rounds to the last: {errors}. Right, the entropy of the beliefs in nats from the end
        of the first block to the end of the last: {entropies or "none"}.{rest}"""
