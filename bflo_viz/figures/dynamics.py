"""Stochastic gradient descent, Bayesian filtering and belief flows on one error landscape (Figure 1 of the paper)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from bflo_viz._checks import Floats
from bflo_viz.beliefs import FullBelief
from bflo_viz.figures import palette
from bflo_viz.figures.ellipses import covariance_ellipse, write_beside
from bflo_viz.figures.scenes.dynamics import Dynamics
from bflo_viz.figures.style import look, new_figure, set_alt_text

_SIZES = {"paper": (9.6, 3.15), "slides": (15.0, 5.1)}
_SIGMAS = 2.0  # of the ellipses
_ROOM = np.array([1.9, 0.45])  # that the name of a round takes, in prior standard deviations
_MARGIN = 2.5  # of the landscape around the prior's mean, in standard deviations


def draw_dynamics(scene: Dynamics, *, axes: Sequence[Axes] | None = None, style: str = "paper") -> Figure:
    """Draw what each learner has done by round ``scene.now``; ``axes``, if given, are three."""
    with look(style):
        if axes is None:
            figure = new_figure(*_SIZES[style], layout="compressed")
            axes = [figure.add_subplot(1, 3, i + 1) for i in range(3)]
        figure = axes[0].get_figure(root=True)  # type: ignore[assignment]
        for ax in axes:
            _draw_landscape(ax, scene)
        _draw_point(axes[0], scene)
        _draw_posterior(axes[1], scene)
        _draw_ensemble(axes[2], scene)
        axes[0].set_ylabel("second weight\n(prior standard deviations)")
        axes[1].set_xlabel("first weight (prior standard deviations)")
        for ax in axes[1:]:
            ax.tick_params(labelleft=False)
    set_alt_text(figure, _in_words(scene))
    return figure


def _draw_landscape(ax: Axes, scene: Dynamics) -> None:
    low = np.minimum(0, scene.optimum) - _MARGIN * np.array([1.16, 0.6])
    high = np.maximum(0, scene.optimum) + _MARGIN * np.array([1.0, 0.95])
    x, y = np.linspace(low[0], high[0], 90), np.linspace(low[1], high[1], 90)
    error = scene.error(np.stack(np.meshgrid(x, y), axis=-1))
    # Equal steps of the distance, so that the lines are evenly spaced from the optimum out.
    levels = 0.5 * scene.noise**2 + 0.5 * np.square(np.arange(0.6, 12, 0.6))
    thin = 0.5 * rcParams["lines.linewidth"]
    ax.contour(x, y, error, levels=levels[levels < error.max()], colors=palette.FAINT, linewidths=thin, zorder=0)
    ax.plot(*scene.optimum, "+", color=palette.INK, ms=2.2 * rcParams["lines.markersize"], zorder=5, label="optimum")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MultipleLocator(2))
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")


def _draw_point(ax: Axes, scene: Dynamics) -> None:
    ax.set_title("(a) Stochastic gradient descent:\na point moves")
    color, path = palette.SERIES["SGD"].color, scene.points[: scene.now + 1]
    ax.plot(*path.T, color=color, lw=0.6 * rcParams["lines.linewidth"], zorder=3, label="path")
    ax.plot(*path[0], "o", color=color, mfc="white", zorder=4, label="start")
    ax.plot(*path[-1], "o", color=color, zorder=4, label="end")
    if scene.now in (0, scene.rounds):
        write_beside(ax, "round 0", path[0], np.array([-0.4, 1.0]))
    if scene.now:
        write_beside(ax, f"round {scene.now}", path[-1], np.array([1.0, 0.35]))
    write_beside(ax, "optimum", scene.optimum, np.array([-0.2, -1.0]))
    note = ax.text(
        0.03, 0.04, "grey: equal expected error", transform=ax.transAxes, fontsize=rcParams["xtick.labelsize"]
    )
    note.set_bbox({"fc": "white", "ec": "none", "alpha": 0.85, "pad": 1.5})


def _draw_posterior(ax: Axes, scene: Dynamics) -> None:
    ax.set_title(f"(b) Bayesian filtering:\na posterior {_verb(scene.posteriors)}")
    _draw_path(ax, scene.posteriors, scene.now)
    shown = _shown(scene.posteriors_at, scene.now)
    for round_ in shown:
        _draw_belief(ax, scene.posteriors[round_], round_, scene)
    _name_rounds(ax, scene.posteriors, shown, scene)


def _draw_ensemble(ax: Axes, scene: Dynamics) -> None:
    ax.set_title(f"(c) Belief flows:\nan ensemble moves and {_verb(scene.beliefs)}")
    _draw_path(ax, scene.beliefs, scene.now)
    small = 0.4 * rcParams["lines.markersize"]
    shown = _shown(scene.clouds_at, scene.now)
    for round_ in shown:
        color = palette.POSTERIOR if round_ else palette.PRIOR
        full = color if round_ == scene.now else "white"
        cloud = scene.clouds[round_]
        ax.plot(*cloud.T, "o", ms=small, color=color, mfc=full, mew=0.3 * small, zorder=2, label=f"ensemble {round_}")
        _draw_belief(ax, scene.beliefs[round_], round_, scene)
    _name_rounds(ax, scene.beliefs, shown, scene)


def _draw_path(ax: Axes, beliefs: Sequence[FullBelief], now: int) -> None:
    means = np.array([belief.mean for belief in beliefs[: now + 1]])
    ax.plot(*means.T, color=palette.INK, lw=0.6 * rcParams["lines.linewidth"], zorder=3.5, label="mean")


def _draw_belief(ax: Axes, belief: FullBelief, round_: int, scene: Dynamics) -> None:
    """The prior as an outline, the present belief filled, and those between dashed."""
    edge: dict[str, Any]
    if round_ == 0:
        edge = {"ec": palette.PRIOR, "fc": "none"}
    elif round_ == scene.now:
        edge = {"ec": palette.POSTERIOR, "fc": (palette.POSTERIOR, 0.25)}
    else:
        edge = {"ec": palette.POSTERIOR, "fc": "none", "ls": "--"}
    covariance_ellipse(ax, belief.mean, belief.covariance, _SIGMAS, zorder=3, label=f"round {round_}", **edge)


def _name_rounds(ax: Axes, beliefs: Sequence[FullBelief], shown: Sequence[int], scene: Dynamics) -> None:
    """Write the rounds beside their ellipses, the present one first; where two would meet, one is left out."""
    named: list[Floats] = []
    for round_ in sorted(shown, reverse=True) if scene.now == scene.rounds else [scene.now]:
        towards = np.array([0.85, 0.55]) if round_ else np.array([-0.1, -1.0])
        place = _border(beliefs[round_], towards)
        if all((np.abs(place - other) > _ROOM).any() for other in named):
            write_beside(ax, f"round {round_}", place, towards)
            named.append(place)


def _border(belief: FullBelief, towards: Floats) -> Floats:
    """The point of the ellipse that lies furthest in a direction."""
    reach = belief.covariance @ towards
    return np.asarray(belief.mean + _SIGMAS * reach / np.sqrt(towards @ reach))


def _shown(rounds: Sequence[int], now: int) -> list[int]:
    return sorted({round_ for round_ in rounds if round_ < now} | {now})


def _verb(beliefs: Sequence[FullBelief]) -> str:
    return "shrinks" if beliefs[-1].entropy() < beliefs[0].entropy() else "widens"


def _in_words(scene: Dynamics) -> str:
    now, belief, posterior = scene.now, scene.beliefs[scene.now], scene.posteriors[scene.now]

    def away(w: Floats) -> str:
        return f"{np.hypot(*(w - scene.optimum)):.2f}"

    def width(b: FullBelief) -> str:
        return f"{np.sqrt(np.linalg.det(b.covariance)) ** 0.5:.2f}"

    return f"""Three panels show the same error landscape of two weights, its contour lines and its lowest point, and
        three learners that see the same {now} examples from a start {away(scene.points[0])} prior standard deviations
        from the optimum. Stochastic gradient descent: the path of a point, which ends {away(scene.points[now])} from
        the optimum. Bayesian filtering: ellipses of two standard deviations of the posterior, whose width goes from
        1 to {width(posterior)} (geometric mean of both axes) and whose mean ends {away(posterior.mean)} from the
        optimum. Belief flow: an ensemble of {scene.clouds.shape[1]} points and its ellipse, carried along by each
        step of one sampled weight; its width goes from 1 to {width(belief)}, its mean ends {away(belief.mean)} from
        the optimum."""
