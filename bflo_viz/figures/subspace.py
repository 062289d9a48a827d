"""A full flow acts in one plane only (the illustration that is commented out in the paper's source)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.colors import LightSource
from matplotlib.figure import Figure

from bflo_viz._checks import Floats
from bflo_viz.figures import palette
from bflo_viz.figures.ellipses import draw_move, write_beside
from bflo_viz.figures.style import SCALE, draws, new_figure, panels
from bflo_viz.scenes.plane import Subspace, subspace

_POSTERIOR_SKIN = "#f8d9c4"  # the posterior's colour, thinned: a filling that lines stand out from
_ABOVE = 25.0  # degrees above S from which it is seen


@draws(subspace)
def draw_subspace(scene: Subspace, *, axes: Sequence[Axes] | None = None, style: str = "paper") -> Figure:
    """Draw the flow in weight space and in its plane; ``axes``, if given, are two, the first with projection "3d"."""
    if axes is None:
        figure = new_figure(9.2 * SCALE[style], 4.7 * SCALE[style], layout="compressed")
        grid = figure.add_gridspec(1, 2, width_ratios=(1.1, 1))
        axes = [figure.add_subplot(grid[0], projection="3d"), figure.add_subplot(grid[1])]
    figure, places = panels(axes, (1, 2), (0, 0), style)
    _draw_space(places[0], scene)
    _draw_plane(places[1], scene)
    return figure


def _draw_space(ax: Any, scene: Subspace) -> None:
    """Draw prior, posterior and S in weight space; what is in front is decided here, not by matplotlib."""
    ax.computed_zorder = False
    right, up, light = _set_view(ax, scene)
    wide = rcParams["lines.linewidth"]
    middle = len(scene.prior_surface) // 2
    # S is seen from above: what is below it, then S, then what is above it.
    below, above = scene.posterior_surface[: middle + 1], scene.posterior_surface[middle:]
    smooth: dict[str, Any] = {"rstride": 1, "cstride": 1, "lw": 0.2, "rasterized": True}
    skin = smooth | {"color": _POSTERIOR_SKIN, "lightsource": light}
    ax.plot_surface(*np.moveaxis(below, -1, 0), zorder=1, label="posterior", **skin)
    sheet = np.moveaxis(scene.plane[[[0, 1], [3, 2]]], -1, 0)
    ax.plot_surface(*sheet, color=palette.FAINT, alpha=0.5, shade=False, zorder=2, label="S", **smooth)
    ax.plot_surface(*np.moveaxis(above, -1, 0), zorder=3, label="posterior", **skin)
    every = {"rstride": len(scene.prior_surface) // 6, "cstride": scene.prior_surface.shape[1] // 4}
    wire = np.moveaxis(scene.prior_surface, -1, 0)
    ax.plot_wireframe(*wire, color=palette.PRIOR, lw=0.35 * wide, zorder=4, label="prior", **every)
    for belief, surface, top, color, inside in (
        (scene.posterior, scene.posterior_surface, scene.posterior_top, palette.POSTERIOR, palette.POSTERIOR),
        (scene.prior, scene.prior_surface, scene.prior_top, palette.PRIOR, "white"),
    ):
        ax.plot(*surface[middle].T, color=color, lw=wide, zorder=5, label="section")
        ax.plot(*np.array([belief.mean, top]).T, color=color, lw=wide, zorder=6, label="extent")
        ax.plot(*top[:, None], marker="_", color=color, ms=2.4 * rcParams["lines.markersize"], mew=wide, zorder=6)
        ax.plot(*belief.mean[:, None], marker="s", color=color, mfc=inside, zorder=7)
    ax.plot(*np.array([scene.w, scene.w_new]).T, ls="--", color=palette.WEIGHT, zorder=8, label="step")
    for point, name, inside in ((scene.w, "$w$", "white"), (scene.w_new, "$w'$", palette.WEIGHT)):
        ax.plot(*point[:, None], marker="o", color=palette.WEIGHT, mfc=inside, zorder=9)
        _write(ax, name, point + 0.17 * right, color=palette.WEIGHT)
    corner = int(np.argmax(scene.plane @ (right + 3 * up)))  # the far one on the right
    _write(ax, "S", 0.95 * scene.plane[corner] + 0.05 * scene.plane[corner - 2])
    side = np.sign((scene.prior.mean - scene.posterior.mean) @ right) or 1.0
    for belief, name, color, sign in (
        (scene.prior, "prior", palette.PRIOR, side),
        (scene.posterior, "posterior", palette.POSTERIOR, -side),
    ):
        towards = sign * right + up
        rim = belief.covariance @ towards / np.sqrt(towards @ belief.covariance @ towards)
        _write(ax, name, belief.mean + 1.1 * rim, color=color, ha="left" if sign > 0 else "right", va="bottom")
    ax.set_title(f"Outside S nothing changes: height {scene.posterior_extent:.2f} stays")


def _write(ax: Any, words: str, point: Floats, **look: Any) -> None:
    ax.text(*point, words, **{"ha": "center", "va": "center", "zorder": 10, **look})


def _set_view(ax: Any, scene: Subspace) -> tuple[Floats, Floats, LightSource]:
    """Look at S from above, across the direction that is stretched; returns what is right and up, and a light."""
    across = np.cross(scene.normal, scene.w_new - scene.prior.mean)
    across *= np.sign(across @ (scene.w - scene.prior.mean)) / np.linalg.norm(across)
    eye = np.cos(np.radians(_ABOVE)) * across + np.sin(np.radians(_ABOVE)) * scene.normal
    ax.view_init(elev=float(np.degrees(np.arcsin(eye[2]))), azim=float(np.degrees(np.arctan2(eye[1], eye[0]))))
    right = np.cross([0.0, 0.0, 1.0], eye)
    right /= np.linalg.norm(right)
    up = np.cross(eye, right)
    points = np.vstack([scene.plane, scene.prior_surface.reshape(-1, 3), scene.posterior_surface.reshape(-1, 3)])
    low, high = points.min(axis=0), points.max(axis=0)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    ax.set_box_aspect(high - low, zoom=1.75)
    ax.set_axis_off()
    # Three arrows at the lower left stand for the axes: they leave more room than a box would.
    reach = [float(((points - scene.prior.mean) @ screen).min()) for screen in (right, up)]
    corner = scene.prior.mean + 0.95 * reach[0] * right + (reach[1] - 0.35) * up
    for i, tip in enumerate(0.4 * np.eye(3)):
        ax.quiver(*corner, *tip, color=palette.INK, lw=0.6 * rcParams["lines.linewidth"], arrow_length_ratio=0.2)
        _write(ax, f"$w_{i + 1}$", corner + 1.5 * tip)
    light = eye + 0.5 * up - 0.5 * right
    azimuth, altitude = np.arctan2(light[0], light[1]), np.arctan2(light[2], np.hypot(light[0], light[1]))
    return right, up, LightSource(float(np.degrees(azimuth)), float(np.degrees(altitude)))


def _draw_plane(ax: Axes, scene: Subspace) -> None:
    """Draw what the flow does inside of S, whitened: the unit circle and its image."""
    edge = 0.8 * rcParams["lines.linewidth"]
    skin = (palette.POSTERIOR, 0.25)
    ax.fill(*scene.image.T, fc=skin, ec=palette.POSTERIOR, lw=edge, zorder=2, label="posterior")
    ax.plot(*scene.circle.T, color=palette.PRIOR, lw=edge, zorder=3, label="prior")
    ax.plot(0, 0, "s", color=palette.PRIOR, mfc="white", zorder=5)
    ax.plot(*scene.shift, "s", color=palette.POSTERIOR, zorder=5)
    before, after = np.array([scene.u, 0.0]), np.array([scene.v_parallel, scene.v_perp])
    for name, tip, side in ((r"$\hat{\mu}$", (1.0, 0.0), (1.0, 0.0)), (r"$\hat{\nu}$", (0.0, 1.0), (0.0, 1.0))):
        arrow = {"arrowstyle": "-|>", "color": palette.INK, "lw": edge, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", tip, (0, 0), arrowprops=arrow, zorder=4)
        write_beside(ax, name, np.array(tip), np.array(side))
    draw_move(ax, before, after, ("", ""))
    write_beside(ax, r"$u\hat{\mu}$", before, np.array([0.0, -1.0]), color=palette.WEIGHT)
    write_beside(ax, r"$v_\parallel\hat{\mu}+v_\perp\hat{\nu}$", after, after, color=palette.WEIGHT)
    write_beside(ax, "prior", np.array([-0.6, 0.8]), np.array([-0.6, 0.8]), color=palette.PRIOR)
    ax.annotate(
        "posterior",
        tuple(scene.shift),
        (0, -rcParams["font.size"]),
        textcoords="offset points",
        ha="center",
        va="top",
    )
    ax.set_title(f"Inside S: turn by {scene.turn:.0f}°, stretch by {scene.stretch:.2f}")
    ax.set(
        xlabel=r"along $\hat{\mu}$ (prior standard deviations)",
        ylabel=r"along $\hat{\nu}$ (prior standard deviations)",
    )
    points = np.vstack([scene.circle, scene.image, after, before])
    middle, half = (points.min(axis=0) + points.max(axis=0)) / 2, 0.58 * float(np.ptp(points, axis=0).max())
    ax.set(
        xlim=(middle[0] - half, middle[0] + half),
        ylim=(middle[1] - half, middle[1] + half),
        aspect="equal",
        anchor="N",
    )
    ax.locator_params(nbins=6, steps=[1, 2, 5, 10])
    columns = (
        rf"$A_{{2\times2}}\hat{{\{name}}}$ = ({x:.2f}, {y:.2f})"
        for name, (x, y) in zip(("mu", "nu"), scene.A.T, strict=True)
    )
    ax.text(0.97, 0.03, "\n".join(columns).replace("-", "−"), transform=ax.transAxes, linespacing=1.4, ha="right")
