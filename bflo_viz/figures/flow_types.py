"""Flows in weight space: three kinds side by side (Figure 2a), and the plane of a full flow (Theorem 1)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.colors import LightSource
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from bflo_viz._checks import Floats
from bflo_viz.figures import palette
from bflo_viz.figures.ellipses import covariance_ellipse, draw_move, draw_posterior, draw_prior, write_beside
from bflo_viz.figures.old_style import SCALE, draws, new_figure, new_panels
from bflo_viz.scenes.base import minus, signed
from bflo_viz.scenes.two_dimensions import (
    HESSIANS,
    SHORTENED,
    TITLES,
    Flow,
    FlowTypes,
    QuadraticLoss,
    Subspace,
    flow_types,
    subspace,
)

_POSTERIOR_SKIN = "#f8d9c4"  # the posterior's colour, thinned: a filling that lines stand out from
_ARROW = 0.5  # length of those that stand for the axes, in weights
_ABOVE = np.radians(25.0)  # above S, from where it is seen


@draws(flow_types)
def draw_flow_types(scene: FlowTypes, *, style: str = "paper") -> Figure:
    """Draw the three posteriors, their flow fields, and the loss if there is one."""
    figure, places = new_panels((1, 3), (9.6, 4.7), style, layout="compressed")
    draw_flows(places, scene)
    name_flows(figure, places, loc="outside lower center")
    return figure


def name_flows(figure: Figure, axes: Sequence[Axes], **place: Any) -> None:
    """Say below the flows what their outlines and arrows are: names among them would lie on outlines."""
    known = {str(patch.get_label()): patch for ax in axes for patch in ax.patches}
    arrow = Line2D([], [], color=palette.FAINT, marker=">", label=f"flow, arrows at 1/{SHORTENED} of their length")
    every = {"prior": "prior, 1 and 2 std", "posterior": "posterior, 1 and 2 std", "ellipse": "the full flow's prior"}
    names = {name: words for name, words in every.items() if name in known}
    handles = [*(known[name] for name in names), arrow]
    labels = [*names.values(), str(arrow.get_label())]
    figure.legend(handles, labels, ncols=len(handles), **place)


def draw_flows(axes: Sequence[Axes], scene: FlowTypes) -> None:
    """Draw each flow on its axes."""
    full = scene.flows[0]
    for ax, flow in zip(axes, scene.flows, strict=True):
        _draw_flow(ax, scene, flow)
        if not scene.is_isotropic and flow is not full:
            for sigmas in (1.0, 2.0):  # a diagonal or a spherical belief can only come near to the full prior
                dashed = {"ec": palette.PRIOR, "fc": "none", "ls": (0, (4, 3)), "zorder": 2.9, "label": "ellipse"}
                covariance_ellipse(ax, full.prior.mean, full.prior.covariance, sigmas, **dashed)
        if scene.loss is not None:
            _draw_loss(ax, scene, scene.loss)
        if ax is not axes[0]:
            ax.tick_params(labelleft=False)
    axes[0].set_ylabel(_unit(scene, "second"))


def _draw_flow(ax: Axes, scene: FlowTypes, flow: Flow) -> None:
    step = (flow.moved - scene.grid).reshape(-1, 2)
    arrows: dict[str, Any] = {"angles": "xy", "scale_units": "xy", "scale": SHORTENED, "width": 0.004}
    ax.quiver(*scene.grid.reshape(-1, 2).T, *step.T, color=palette.FAINT, zorder=1, label="flow", **arrows)
    draw_prior(ax, flow.prior)
    draw_posterior(ax, flow.posterior)
    draw_move(ax, scene.w, scene.w_new)
    size = abs(flow.angle)
    turn = "none" if size == 0 else "hardly any" if size < 0.05 else "turns"
    words = TITLES[turn].format(turn=f"{size:.{int(size < 1)}f}°")
    title = TITLES["title" if scene.is_isotropic else "own"]
    ax.set_title(title.format(name=flow.name.capitalize(), turn=words, rank=scene.rank(flow)))
    ax.set_xlabel(_unit(scene, "first"))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10]))
    below = 0.2 * float(scene.high[0] - scene.low[0])  # room for the numbers
    ax.set(xlim=(scene.low[0], scene.high[0]), ylim=(scene.low[1] - below, scene.high[1]), aspect="equal")
    words = f"KL {flow.kl:.3f} nats\nentropy changes by {signed(flow.entropy_change, 3)} nats"
    ax.text(0.03, 0.02, words, transform=ax.transAxes, linespacing=1.4)


def _draw_loss(ax: Axes, scene: FlowTypes, loss: QuadraticLoss) -> None:
    """Levels of the loss, one unit apart where it is steepest, and a cross at its lowest point."""
    limits = ax.get_xlim(), ax.get_ylim()
    field = Rectangle(scene.low.tolist(), *(scene.high - scene.low).tolist(), transform=ax.transData)
    shape = np.asarray(np.linalg.inv(HESSIANS[loss.name]), dtype=np.float64)
    thin = {"ec": (palette.INK, 0.45), "fc": "none", "lw": 0.6, "zorder": 0.9, "label": "loss"}
    for level in range(1, 9):
        line = covariance_ellipse(ax, np.array(loss.optimum), shape, level, **thin)
        line.set_clip_path(field)  # below the field there are words
    ax.plot(*loss.optimum, "+", color=palette.INK, ms=11, mew=1.8, zorder=4.2, label="optimum")
    ax.set(xlim=limits[0], ylim=limits[1])


def _unit(scene: FlowTypes, which: str) -> str:
    std = scene.flows[0].prior.covariance[0, 0] ** 0.5
    return f"{which} weight (prior std {std:g})" if scene.is_isotropic else f"{which} weight"


@draws(subspace)
def draw_subspace(scene: Subspace, *, style: str = "paper") -> Figure:
    """Draw the flow in weight space and in its plane (an illustration commented out in the paper's source)."""
    figure = new_figure(9.2 * SCALE[style], 4.7 * SCALE[style], layout="compressed")
    grid = figure.add_gridspec(1, 2, width_ratios=(1.1, 1))
    _draw_space(figure.add_subplot(grid[0], projection="3d"), scene)
    _draw_plane(figure.add_subplot(grid[1]), scene)
    return figure


def _draw_space(ax: Any, scene: Subspace) -> None:
    """Draw prior, posterior and S in weight space; what is in front is decided here, not by matplotlib."""
    ax.computed_zorder = False
    right, up, light = _set_view(ax, scene)
    wide = rcParams["lines.linewidth"]
    middle = len(scene.prior_surface) // 2
    # S is seen from above: what is below it, then S, then what is above it.
    smooth: dict[str, Any] = {"rstride": 1, "cstride": 1, "lw": 0.2, "rasterized": True}
    skin = smooth | {"color": _POSTERIOR_SKIN, "lightsource": light, "label": "posterior"}
    ax.plot_surface(*np.moveaxis(scene.posterior_surface[: middle + 1], -1, 0), zorder=1, **skin)
    sheet = np.moveaxis(scene.plane[[[0, 1], [3, 2]]], -1, 0)
    ax.plot_surface(*sheet, color=palette.FAINT, alpha=0.5, shade=False, zorder=2, label="S", **smooth)
    ax.plot_surface(*np.moveaxis(scene.posterior_surface[middle:], -1, 0), zorder=3, **skin)
    wire = {"color": palette.PRIOR, "lw": 0.35 * wide, "rstride": 4, "cstride": 18, "label": "prior"}
    ax.plot_wireframe(*np.moveaxis(scene.prior_surface, -1, 0), zorder=4, **wire)
    side = np.sign((scene.prior.mean - scene.posterior.mean) @ right) or 1.0
    for name, belief, surface, color, inside, sign in (
        ("posterior", scene.posterior, scene.posterior_surface, palette.POSTERIOR, palette.POSTERIOR, -side),
        ("prior", scene.prior, scene.prior_surface, palette.PRIOR, "white", side),
    ):
        top = surface[-1, 0]
        ax.plot(*surface[middle].T, color=color, lw=wide, zorder=5, label="section")
        ax.plot(*np.array([belief.mean, top]).T, color=color, lw=wide, zorder=6, label="extent")
        ax.plot(*top[:, None], marker="_", color=color, ms=2.4 * rcParams["lines.markersize"], mew=wide, zorder=6)
        ax.plot(*belief.mean[:, None], marker="s", color=color, mfc=inside, zorder=7)
        towards = sign * right + up
        rim = belief.covariance @ towards / np.sqrt(towards @ belief.covariance @ towards)
        _write(ax, name, belief.mean + 1.1 * rim, color=color, ha="left" if sign > 0 else "right", va="bottom")
    ax.plot(*np.array([scene.w, scene.w_new]).T, ls="--", color=palette.WEIGHT, zorder=8, label="step")
    for point, name, inside in ((scene.w, "$w$", "white"), (scene.w_new, "$w'$", palette.WEIGHT)):
        ax.plot(*point[:, None], marker="o", color=palette.WEIGHT, mfc=inside, zorder=9)
        _write(ax, name, point + 0.17 * right, color=palette.WEIGHT)
    corner = int(np.argmax(scene.plane @ (right + 3 * up)))  # the far one on the right
    _write(ax, "S", 0.95 * scene.plane[corner] + 0.05 * scene.plane[corner - 2])
    ax.set_title(f"Outside S nothing changes: height {scene.posterior_extent:.2f} stays")


def _write(ax: Any, words: str, point: Floats, **look: Any) -> None:
    ax.text(*point, words, **{"ha": "center", "va": "center", "zorder": 10, **look})


def _set_view(ax: Any, scene: Subspace) -> tuple[Floats, Floats, LightSource]:
    """Look at S from above, across the direction that is stretched; returns what is right and up, and a light."""
    across = np.cross(scene.normal, scene.w_new - scene.prior.mean)
    across *= np.sign(across @ (scene.w - scene.prior.mean)) / np.linalg.norm(across)
    eye = np.cos(_ABOVE) * across + np.sin(_ABOVE) * scene.normal
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
    reach = ((points - scene.prior.mean) @ np.array([right, up]).T).min(axis=0)
    corner = scene.prior.mean + 0.95 * reach[0] * right + (reach[1] - 0.35) * up
    for i, tip in enumerate(_ARROW * np.eye(3)):
        ax.quiver(*corner, *tip, color=palette.INK, lw=0.6 * rcParams["lines.linewidth"], arrow_length_ratio=0.2)
        _write(ax, f"$w_{i + 1}$", corner + 1.5 * tip)
    _write(ax, f"arrows: {_ARROW:g} long", corner - 0.25 * up, ha="left", va="top")
    x, y, z = eye + 0.5 * up - 0.5 * right
    return right, up, LightSource(*np.degrees([np.arctan2(x, y), np.arctan2(z, np.hypot(x, y))]).tolist())


def _draw_plane(ax: Axes, scene: Subspace) -> None:
    """Draw what the flow does inside of S, whitened: the unit circle and its image."""
    edge = 0.8 * rcParams["lines.linewidth"]
    skin = (palette.POSTERIOR, 0.25)
    ax.fill(*scene.image.T, fc=skin, ec=palette.POSTERIOR, lw=edge, zorder=2, label="posterior")
    ax.plot(*scene.circle.T, color=palette.PRIOR, lw=edge, zorder=3, label="prior")
    ax.plot(0, 0, "s", color=palette.PRIOR, mfc="white", zorder=5)
    ax.plot(*scene.shift, "s", color=palette.POSTERIOR, zorder=5)
    for name, tip in (("mu", np.array([1.0, 0.0])), ("nu", np.array([0.0, 1.0]))):
        arrow = {"arrowstyle": "-|>", "color": palette.INK, "lw": edge, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", tuple(tip), (0, 0), arrowprops=arrow, zorder=4)
        write_beside(ax, rf"$\hat{{\{name}}}$", tip, tip)
    before, after = np.array([scene.u, 0.0]), np.array([scene.v_parallel, scene.v_perp])
    draw_move(ax, before, after, ("", ""))
    down = np.array([0.0, -1.0])
    write_beside(ax, r"$u\hat{\mu}$", before, down, color=palette.WEIGHT)
    write_beside(ax, r"$v_\parallel\hat{\mu}+v_\perp\hat{\nu}$", after, after, color=palette.WEIGHT)
    write_beside(ax, "prior", np.array([-0.6, 0.8]), np.array([-0.6, 0.8]), color=palette.PRIOR)
    write_beside(ax, "posterior", scene.shift, down)
    ax.set_title(f"Inside S: turn by {scene.turn:.0f}°, stretch by {scene.stretch:.2f}")
    std = "(prior standard deviations)"
    ax.set(xlabel=rf"along $\hat{{\mu}}$ {std}", ylabel=rf"along $\hat{{\nu}}$ {std}")
    points = np.vstack([scene.circle, scene.image, after, before])
    middle, half = (points.min(axis=0) + points.max(axis=0)) / 2, 0.58 * float(np.ptp(points, axis=0).max())
    (left, right), (bottom, top) = np.transpose([middle - half, middle + half])
    ax.set(xlim=(left, right), ylim=(bottom, top), aspect="equal", anchor="N")
    ax.locator_params(nbins=6, steps=[1, 2, 5, 10])
    columns = (
        rf"$A_{{2\times2}}\hat{{\{name}}}$ = ({x:.2f}, {y:.2f})"
        for name, (x, y) in zip(("mu", "nu"), scene.A.T, strict=True)
    )
    ax.text(0.97, 0.03, minus("\n".join(columns)), transform=ax.transAxes, linespacing=1.4, ha="right")
