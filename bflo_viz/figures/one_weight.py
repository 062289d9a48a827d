"""One weight: what a step makes of its belief, what a stretch costs, and the map of regimes (Figures 2b and 2c)."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import DiagonalBelief
from bflo_viz.figures import palette
from bflo_viz.figures.marks import halo, number, signed
from bflo_viz.figures.style import COLUMN, figure, panels
from bflo_viz.flows import Regime, regime, stretch, stretch_kl

WIDTHS = (0.125, 0.25, 0.5, 0.8, 1.0, 1.25, 2.0)  # contours of the standard deviation; 1 is no change
_SAME = 1 - 1e-9  # just below 1: found even where a map is 1 all over
_PLACES = ((0.66, 0.2), (0.55, -0.55), (0.36, 0.6))  # of the names of regimes, as parts of the span, on both sides
_PEAK = 1 / np.sqrt(2 * np.pi)  # of the density of N(0, 1)
_DASHES = ((0, (4, 1.2)), "-", (0, (6, 1.2, 1, 1.2)), (0, (1, 1)))  # one for each displacement, in turn


@figure("One update in each regime")
def draw_one_update(
    pairs: Sequence[tuple[float, float]] = ((1.5, 0.5), (1.0, -0.6), (1.0, 2.2)),
) -> tuple[Figure, str]:
    """Draw how N(0, 1) changes as a sampled weight moves, side by side for each pair of weights."""
    picture, places = panels(1, len(pairs), (min(COLUMN, 1.0 + 2.6 * len(pairs)), 2.6), sharex=True, sharey=True)
    mean, std = _posterior(*np.asarray(pairs, dtype=np.float64).T)
    x, top, found = np.linspace(-4.2, 4.2, 1001), 1.3 * _PEAK / min(1.0, std.min()), []
    for ax, (w, w_new), m, s in zip(places, pairs, mean.tolist(), std.tolist(), strict=True):
        _draw_beliefs(ax, x, {"prior": density(x), "posterior": density(x, m, s)})
        for at, name in ((w, "w"), (w_new, "w′")):
            _draw_weight(ax, at, 0.88 * top, name)
        kind = Regime(regime(w, w_new))
        change = "keeps its width" if s == 1 else f"{'narrows' if s < 1 else 'widens'} to {s:.0%}"
        ax.set(title=f"{kind.capitalize()}:\nthe belief {change}", xlabel="weight (prior std)", ylim=(0, top))
        found.append(f"from {short(w)} to {short(w_new)} ({kind}) it {change}")
    places[0].set_ylabel("density")
    _write(places[0], 1.6, float(density(1.6)), "prior", palette.PRIOR, side=1)
    _write(places[0], mean[0], _PEAK / std[0], "posterior", palette.POSTERIOR, side=-1)
    return picture, f"As a sampled weight moves, a standard normal belief changes its width: {'; '.join(found)}."


class Landscape(NamedTuple):
    """KL in nats over every stretch, for a weight that moves from ``u`` to ``v`` prior std from the mean."""

    u: float
    v: float
    stretch: Floats
    mean_term: Floats
    width_term: Floats
    picked: tuple[float, float]  # stretch and KL at the lowest point on the side of the update
    reflected: tuple[float, float]  # and on the other side

    @property
    def kl(self) -> Floats:
        """The sum of both terms."""
        return self.mean_term + self.width_term


def kl_landscape(u: float, v: float, span: float = 2.5) -> Landscape:
    """Return the KL of every stretch from −span to span."""
    # Dense around 0, where the KL goes to infinity, but so slowly that an even grid would cut it off.
    side = np.concatenate([np.geomspace(1e-9, 0.01, 40)[:-1], np.linspace(0.01, span, 250)])
    a = np.concatenate([-side[::-1], [0.0], side])
    least = [float(stretch(u, v, branch=branch)) for branch in (1, -1)]
    picked, reflected = ((at, float(stretch_kl(at, u, v))) for at in least)
    return Landscape(u, v, a, 0.5 * (v - a * u) ** 2, stretch_kl(a, 0.0, 0.0), picked, reflected)


@figure("The KL of a stretch, its two valleys, and the one that is taken")
def draw_kl_landscape(
    pairs: Iterable[tuple[float, float]] = ((1.0, 0.5), (1.0, -2.0), (1.0, 2.0)),
) -> tuple[Figure, str]:
    """Draw the KL by stretch of each pair: a full dot where the update goes, a hollow one at the reflection."""
    every = [kl_landscape(float(u), float(v)) for u, v in pairs]
    picture, places = panels(1, len(every), (min(COLUMN, 1.2 + 2.4 * len(every)), 3.1), sharey=True)
    top = max([9.0, *(1.8 * kl for each in every for _, kl in (each.picked, each.reflected))])
    found = []
    for ax, each in zip(places, every, strict=True):
        ax.plot(each.stretch, each.kl, color=palette.INK, label="KL")
        ax.plot(each.stretch, each.mean_term, color=palette.FOR_MEAN, ls="--", label="its price of the mean")
        ax.plot(each.stretch, each.width_term, color=palette.FOR_WIDTH, ls=":", label="its price of the width")
        for (a, kl), name in ((each.picked, "picked"), (each.reflected, "mirror")):
            face = palette.POSTERIOR if name == "picked" else palette.PAPER
            dot: dict[str, Any] = {"color": palette.POSTERIOR, "mfc": face, "mew": 1.5, "ls": "none", "zorder": 3}
            ax.plot([a], [kl], marker="o", label=f"_{name}", clip_on=False, **dot)
            _name_minimum(ax, f"{name}\na = {number(a, 2)}\n{number(kl, 2)} nats", a, kl, top)
        saved = each.picked[1] - each.reflected[1]
        words = f"pays {saved:.2f} nats more" if saved > 0 else "takes the lower valley"
        words = "valleys cost the same" if abs(saved) < 1e-9 else words
        kind = Regime(regime(each.u, each.v)).capitalize()
        ax.set_title(f"{kind}: {short(each.u)} to {short(each.v)}\n{words}")
        ax.set(ylim=(0, top), xlim=each.stretch[[0, -1]], xlabel="stretch a", xticks=(-2, -1, 0, 1, 2))
        picked, mirrored = (f"a = {short(a)} at {short(kl)} nats" for a, kl in (each.picked, each.reflected))
        found.append(f"from {short(each.u)} to {short(each.v)} the update picks {picked}, its mirror is {mirrored}")
    places[0].set_ylabel("KL divergence (nats)")
    picture.legend(handles=places[0].get_lines()[:3], loc="outside lower center", ncols=3)
    return picture, f"The KL over the stretch a has a valley on either side of 0: {'; '.join(found)}."


def _name_minimum(ax: Axes, words: str, a: float, kl: float, top: float) -> None:
    """Write the numbers of a lowest point high up in its valley, with a thin line down to it."""
    leader = {"arrowstyle": "-", "color": palette.POSTERIOR, "lw": 0.8, "shrinkB": rcParams["lines.markersize"]}
    look: dict[str, Any] = {"fontsize": "small", "ha": "center", "va": "center", "zorder": 5, "arrowprops": leader}
    at = (float(np.copysign(max(abs(a), 0.9), a)), 0.86 * top)
    ax.annotate(words, (a, kl), at, path_effects=halo(), **look)


class RegimeMap(NamedTuple):
    """Posterior mean and standard deviation of N(0, 1) over Δ (columns) and Δ′ (rows), both along ``delta``."""

    delta: Floats
    mean: Floats
    std: Floats


def regime_map(points: int = 161, span: float = 4.0) -> RegimeMap:
    """Update a standard normal for each pair (Δ, Δ′) on a square grid of ``points`` a side, from −span to span."""
    delta = np.linspace(-span, span, points)
    return RegimeMap(delta, *_posterior(*np.meshgrid(delta, delta)))


def _posterior(before: Floats, after: Floats) -> tuple[Floats, Floats]:
    """Return mean and width for each pair: the weights of a diagonal belief do not know of each other."""
    post = DiagonalBelief(np.zeros(before.size), 1.0).flow(before.ravel(), after.ravel())
    return post.mean.reshape(before.shape), post.std.reshape(before.shape)


@figure("Posterior mean and width over where the weight was and went (Fig. 2b)")
def draw_regime_map() -> tuple[Figure, str]:
    """Draw the maps of the posterior mean and of the posterior standard deviation, with the regimes named."""
    found = regime_map()
    picture, (left, right) = panels(1, 2, (COLUMN, 4.5), sharey=True)
    for ax, what in ((left, "mean"), (right, "std")):
        image = _draw_values(ax, found, what)
        for x, y in (side * found.delta[-1] * np.array(at) for at in _PLACES for side in (1, -1)):
            look: dict[str, Any] = {"ha": "center", "va": "center", "weight": "bold", "fontsize": "small"}
            ax.text(x, y, str(regime(x, y)), path_effects=halo(2.5, 0.85), zorder=5, **look)
        ax.set_xlabel("Δ: weight before its step (prior std)")
        _bar(image, ax=ax, location="bottom", aspect=25, pad=0.02)
    left.set_ylabel("Δ′: weight after its step (prior std)")
    left.set_title("The mean goes with the step,\nand never further")
    right.set_title("The belief widens only if the\nweight moves away from it")
    crossing = found.std[np.multiply.outer(found.delta, found.delta) < 0]
    return picture, (
        f"The posterior mean goes with the step of the weight, at most to {found.mean.max():.1f}, and the standard "
        f"deviation exceeds 1 only where the weight moves away from the mean, up to {found.std.max():.1f}, and lies "
        f"between {crossing.min():.2f} and {crossing.max():.2f} where the weight crosses the mean."
    )


def _draw_values(ax: Axes, found: RegimeMap, what: str) -> AxesImage:
    """Draw colours, contours, and dotted lines where the weight stays (diagonal) and where it was the mean."""
    delta, values = found.delta, getattr(found, what)
    low, high, half = delta[0], delta[-1], (delta[1] - delta[0]) / 2
    reach = float(np.abs(values).max())
    norm = LogNorm(1 / 8, 8) if what == "std" else Normalize(-reach, reach)
    smooth: dict[str, Any] = {"origin": "lower", "interpolation": "bilinear", "zorder": 0}
    edges = (low - half, high + half, low - half, high + half)
    image = ax.imshow(values, cmap=palette.AROUND, norm=norm, extent=edges, **smooth)
    for x in ((low, high), (0, 0)):
        ax.plot(x, (low, high), color=palette.INK, lw=0.6 * rcParams["lines.linewidth"], ls=":")
    ticks = np.linspace(low, high, 5)
    ax.set(xlim=(low, high), ylim=(low, high), xticks=ticks, yticks=ticks)
    ax.spines[["top", "right"]].set_visible(True)
    ax.tick_params(pad=0.5 * rcParams["font.size"])
    same, levels = 0.0, np.arange(-np.floor(reach), np.floor(reach) + 1)
    if what == "std":
        same, levels = _SAME, np.where(np.equal(WIDTHS, 1), _SAME, WIDTHS)
    _contours(ax, delta, values, levels[(levels >= values.min()) & (levels <= values.max())], same)
    return image


def _contours(ax: Axes, delta: Floats, values: Floats, levels: Floats, same: float) -> None:
    """Draw lines of equal value: dashed below what does not change, solid above it, and bold on it."""
    bold = np.isclose(levels, same)
    widths = (rcParams["lines.linewidth"] * np.where(bold, 1.25, 0.5)).tolist()
    styles = ["-" if level >= same else "--" for level in levels]
    lines = ax.contour(delta, delta, values, levels=levels, colors=palette.INK, linewidths=widths, linestyles=styles)
    spots = []  # where contours leave the map on the left and on the right: the names of regimes are further in
    for path in np.array(lines.get_paths())[~bold]:
        points = path.vertices[np.abs(path.vertices).max(axis=1) < 0.9 * delta[-1]]
        sides = (points[side * points[:, 0] > 0.3 * delta[-1]] for side in (-1, 1))
        spots += [half[np.abs(half[:, 0]).argmax()] for half in sides if len(half)]
    ax.clabel(lines, manual=spots, fmt=short, fontsize="small", inline_spacing=2)
    for text in lines.labelTexts:  # legible on the darkest colour, too
        text.set_path_effects(halo(1.5, 0.7))


def _bar(image: AxesImage, **place: Any) -> None:
    """Explain the colours; the widths have a logarithmic scale, on which half and double are equally far."""
    add = image.figure.colorbar
    if not isinstance(image.norm, LogNorm):
        add(image, label="posterior mean (prior std)", **place)
        return
    bar = add(image, extend="min", label="posterior std (prior std)", **place)
    bar.set_ticks([1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8], labels=["1/8", "1/4", "1/2", "1", "2", "4", "8"], minor=False)
    bar.minorticks_off()


class MovedWeight(NamedTuple):
    """One sampled weight, where each displacement takes it, and the posterior of each; densities in rows."""

    weight: float
    moved: Floats
    means: Floats
    stds: Floats
    densities: Floats
    mean_share: Floats  # part of the KL that pays for the mean; the rest pays for the width


class OneDUpdates(NamedTuple):
    """Densities over the weights ``x``: of a standard normal prior, and of its posteriors for each sampled weight."""

    x: Floats
    displacements: Floats
    panels: tuple[MovedWeight, ...]


def one_d_updates(
    weights: Sequence[float] = (1.0, 0.2), displacements: Sequence[float] = (-4.0, -2.0, 2.0, 4.0)
) -> OneDUpdates:
    """Update N(0, 1) as each weight moves by each displacement, all in prior standard deviations."""
    steps, starts = check.vector("displacements", displacements), check.vector("weights", weights)
    before, after = np.broadcast_arrays(starts[:, None], starts[:, None] + steps)
    means, stds = _posterior(before, after)
    low, high = min(-2.5, (means - 2.5 * stds).min()), max(2.5, (means + 2.5 * stds).max())
    x = np.linspace(np.floor(low), np.ceil(high), 701)
    densities, kl = density(x, means[..., None], stds[..., None]), stretch_kl(stds, before, after)
    share = np.divide(0.5 * means**2, kl, out=np.ones_like(kl), where=kl > 0)
    rows = zip(starts.tolist(), after, means, stds, densities, share, strict=True)
    return OneDUpdates(x, steps, tuple(MovedWeight(*row) for row in rows))


@figure("Updates of one weight, near the mean and a standard deviation away (Fig. 2c)")
def draw_one_d_updates() -> tuple[Figure, str]:
    """Draw the prior and the posterior of each displacement, a panel for each sampled weight, on a common scale."""
    found = one_d_updates()
    picture, places = panels(1, len(found.panels), (COLUMN, 2.9), sharey=True)
    peak = max(_PEAK, *(float(panel.densities.max()) for panel in found.panels))
    for ax, panel in zip(places, found.panels, strict=True):
        names = [signed(d, 0) for d in found.displacements]
        curves = dict(zip(["prior", *names], [density(found.x), *panel.densities], strict=True))
        _draw_beliefs(ax, found.x, curves, [panel.weight, *panel.moved])
        for d, name in ((0.0, ""), *zip(found.displacements, names, strict=True)):
            _draw_weight(ax, panel.weight + d, 1.16 * peak, f"w{name}")
        shifts = "mostly shifts" if panel.mean_share.min() >= 0.9 else "shifts and changes its width"
        ax.set_title(f"A weight {abs(panel.weight):g}σ from the mean:\nthe belief {shifts}")
        ax.set(xlim=found.x[[0, -1]], ylim=(0, 1.32 * peak), xlabel="weight (prior std)")
    places[0].set_ylabel("density")
    widths = " and ".join(
        f"{each.stds.min():.2f} to {each.stds.max():.2f} for a weight {each.weight:g} std from the mean"
        for each in found.panels
    )
    return picture, f"The further a sampled weight is from the mean, the more its steps change the width: {widths}."


def _draw_beliefs(ax: Axes, x: Floats, curves: dict[str, Floats], uprights: Sequence[float] | Floats = ()) -> None:
    """Draw a prior and posteriors; where there are upright lines, each with its name, beside them and high up."""
    for k, (name, curve) in enumerate(curves.items()):
        color = palette.POSTERIOR if k else palette.PRIOR
        if k:
            ax.fill_between(x, curve, color=color, alpha=0.15, linewidth=0)
        ax.plot(x, curve, color=color, ls=_DASHES[k % len(_DASHES)] if len(curves) > 2 and k else "-", label=name)
        at = int((curve - np.max([other for o, other in curves.items() if o != name], axis=0)).argmax())
        if len(uprights):
            near = min(np.asarray(uprights) - x[at], key=abs)
            _write(ax, x[at], curve[at], name, color, side=0 if abs(near) > 0.8 else -1 if near > 0 else 1)


def _draw_weight(ax: Axes, at: float, top: float, name: str) -> None:
    """Draw a dashed upright with its name: a hollow dot for the weight before its step, a full one after it."""
    face = palette.PAPER if name == "w" else palette.WEIGHT
    dash: dict[str, Any] = {"color": palette.WEIGHT, "ls": "--", "lw": 0.7 * rcParams["lines.linewidth"]}
    ax.plot([at, at], [0, top], marker="o", markevery=[1], mfc=face, label=name, **dash)
    _write(ax, at, 1.02 * top, name, palette.WEIGHT)


def _write(ax: Axes, x: float, y: float, words: str, color: str, side: int = 0) -> None:
    """Write just above a point, in front of all lines: over it, or to its left (-1) or right (+1)."""
    align = ("center", "left", "right")[side]
    look: dict[str, Any] = {"color": color, "fontsize": "small", "path_effects": halo(2.5), "zorder": 5}
    ax.annotate(words, (x, y), (2 * side, 3), textcoords="offset points", ha=align, va="bottom", **look)


def density(x: Any, mean: Any = 0.0, std: Any = 1.0) -> Floats:
    """Return the density of a normal distribution at the places ``x``."""
    z = (x - mean) / std
    return np.asarray(np.exp(-0.5 * z * z) / (std * np.sqrt(2 * np.pi)))


def short(x: float) -> str:
    """Return a number with three decimals at most.

    >>> short(-0.5), short(2.0)
    ('−0.5', '2')
    """
    return f"{x:.3f}".rstrip("0").rstrip(".").replace("-", "−")
