"""The ensemble that a belief stands for: where it goes, how much of that a flow follows, and where it settles."""

from collections.abc import Sequence

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator, NullLocator

from bflo_viz._checks import Floats
from bflo_viz.figures import palette
from bflo_viz.figures.curves import draw_band, name_ends
from bflo_viz.figures.ellipses import covariance_ellipse, write_beside
from bflo_viz.figures.style import draws, new_panels
from bflo_viz.scenes.ensemble import (
    Cloud,
    Contraction,
    Equilibrium,
    TrueEnsemble,
    contraction,
    equilibrium,
    step_shares,
    true_ensemble,
    width_law,
)
from bflo_viz.scenes.online import quantiles

_SIGMAS = 2.0  # of the ellipses
_ON_THE_WAY = (0, 5)  # steps that are drawn beside the last
_WINDOW = (-4.8, 2.6), (-2.4, 4.4)


@draws(true_ensemble)
def draw_true_ensemble(scene: TrueEnsemble, *, style: str = "paper") -> Figure:
    """Draw the true ensemble and both flows before the first step, after some steps and after the last."""
    figure, places = new_panels((1, 3), (9.6, 3.5), style, sharex=True, sharey=True, layout="compressed")
    names = {"true": "True ensemble", "diagonal": "Diagonal flow", "full": "Full flow"}
    for ax, (name, cloud) in zip(places, scene.clouds.items(), strict=True):
        along, across = cloud.widths[-1]
        _draw_cloud(ax, scene, cloud)
        ax.set_title(f"{names[name]}\n{along:.2g} wide along, {across:.2g} across")
        ax.set_xlabel("first weight")
    places[0].set_ylabel("second weight")
    return figure


def _draw_cloud(ax: Axes, scene: TrueEnsemble, cloud: Cloud) -> None:
    width, small = rcParams["lines.linewidth"], 0.4 * rcParams["lines.markersize"]
    last, (x, y) = len(cloud.means) - 1, (np.linspace(*side, 61) for side in _WINDOW)
    loss = 0.5 * np.add.outer(scene.pull[1] * y**2, scene.pull[0] * x**2)
    levels = np.square([0.15, 0.35, 0.6, 0.9, 1.2, 1.5]) / 2
    ax.contour(x, y, loss, levels, colors=palette.FAINT, linewidths=0.5 * width, zorder=0)
    ax.plot(0, 0, "+", color=palette.INK, ms=2.2 * rcParams["lines.markersize"], zorder=5, label="optimum")
    for step in (*_ON_THE_WAY, last):
        color, filled = palette.POSTERIOR if step else palette.PRIOR, step == last
        ax.plot(*cloud.members[step].T, "o", ms=small, color=color, alpha=1.0 if filled else 0.35, mew=0, zorder=2)
        look = {"fc": (color, 0.25 if filled else 0.0), "ls": "-" if filled or not step else "--"}
        covariance_ellipse(ax, cloud.means[step], cloud.covariances[step], _SIGMAS, ec=color, zorder=3, **look)
        towards = np.array([0.0, -1.0] if filled else [0.8, 0.6] if step else [-0.7, 0.7])
        reach = cloud.covariances[step] @ towards
        edge = cloud.means[step] + _SIGMAS * reach / np.sqrt(towards @ reach)
        write_beside(ax, f"step {step}" if step else "before", edge, towards, color=color)
    ax.set(aspect="equal", xlim=_WINDOW[0], ylim=_WINDOW[1])
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MultipleLocator(2))


@draws(contraction)
def draw_contraction(scene: Contraction, *, style: str = "paper") -> Figure:
    """Draw widths over steps, and the shares of mean and width over the number of weights."""
    figure, (ravine, shares) = new_panels((1, 2), (9.0, 3.5), style)
    steps = np.arange(len(scene.true))
    ravine.plot(steps, scene.true, color=palette.INK, label="true ensemble")
    for kind, rows in scene.widths.items():
        low, middle, high = quantiles(rows)
        draw_band(ravine, steps, middle, low, high, kind, palette.SERIES[kind])
    slow = scene.true ** step_shares(1)[1]
    ravine.plot(steps, slow, color=palette.PRIOR, lw=0.8, zorder=3, label="_law of small steps")
    ravine.set(yscale="log", xlabel="step", ylabel="width across the ravine\nmedian, 10th to 90th percentile")
    ravine.set_title("A flow narrows much more slowly")
    dims = np.unique(np.geomspace(1, scene.dims[-1], 40).round().astype(int))
    mean, width = np.array([step_shares(int(dim)) for dim in dims]).T
    full = palette.SERIES["full"]
    shares.plot(dims, 1 / dims, color=palette.FAINT, lw=0.8, label="mean + width")
    shares.plot(dims, width, color=full.color, label="width")
    shares.plot(dims, mean, color=palette.PRIOR, ls=":", label="mean")
    shares.errorbar(
        scene.dims,
        scene.measured,
        scene.errors,
        fmt=full.marker,
        color=full.color,
        mec=palette.INK,
        label="_measured",
    )
    shares.set(xscale="log", yscale="log", ylim=(5e-4, 1.4), xlabel="number of weights d", ylabel="share of a step")
    _plain_ticks(shares, scene.dims)
    shares.set_title("A full flow learns one part in d")
    name_ends([ravine, shares])
    return figure


@draws(equilibrium)
def draw_equilibrium(scene: Equilibrium, *, style: str = "paper") -> Figure:
    """Draw where SGD and beliefs settle over the learning rate, and how their widths are distributed."""
    figure, (levels, spread) = new_panels((1, 2), (9.0, 3.4), style)
    etas, law = scene.etas, width_law()
    for factor in (1.0, law.median()):
        levels.plot(etas, factor * scene.exact, color=palette.PRIOR, lw=0.8, zorder=0, label="_law")
    for name, values, series in (
        ("SGD", scene.jitter, palette.SERIES["SGD"]),
        ("belief", scene.medians, palette.SERIES["diagonal"]),
    ):
        levels.plot(etas, values, series.marker, color=series.color, label=name)
    levels.set(xscale="log", yscale="log", xlabel="learning rate η", ylabel="standard deviation\nin weights")
    _plain_ticks(levels, etas.tolist())
    ticks = [tick for tick in (0.02, 0.05, 0.1, 0.2, 0.5, 1.0) if scene.medians.min() <= 1.2 * tick]
    levels.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    levels.yaxis.set_minor_locator(NullLocator())
    levels.set_ylim(0.8 * scene.medians.min(), 1.25 * scene.jitter.max())
    levels.set_title("The belief is about half as wide as SGD's jitter")
    _draw_spread(spread, scene.widths[0] / scene.exact[0])
    spread.set_title(f"Widths vary: η = {etas[0]:g}")
    name_ends([levels])
    return figure


def _draw_spread(ax: Axes, ratios: Floats) -> None:
    """A histogram of widths, and the law of small steps."""
    law, x = width_law(), np.linspace(0.005, 1.8, 300)
    color = palette.SERIES["diagonal"].color
    ax.hist(ratios, np.linspace(0, 1.8, 31).tolist(), density=True, color=color, alpha=0.35, label="beliefs")
    ax.plot(x, law.density(x), color=palette.INK, label="law of small steps")
    ax.axvline(law.median(), color=palette.PRIOR, ls="--", lw=0.8, label=f"its median, {law.median():.2f}")
    ax.set(xlabel="width of the belief / SGD's standard deviation", ylabel="density", xlim=(0, 1.8))
    ax.set_yticks([])  # only the shape matters
    ax.legend(loc="upper right")


def _plain_ticks(ax: Axes, places: Sequence[float]) -> None:
    """Ticks at these places of a logarithmic axis, written as plain numbers, and a little room at its ends."""
    ax.set_xticks(places, [f"{place:g}" for place in places])
    ax.xaxis.set_minor_locator(NullLocator())
    low, high = min(places), max(places)
    room = (high / low) ** 0.06
    ax.set_xlim(low / room, high * room)
