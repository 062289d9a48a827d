"""What ``ipywidgets.interact`` would redraw: plain matplotlib, with the same content as the explorers.

Each picture has a strip on top whose colour tells the moved value, so that a browser can see which value it shows.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from bflo_viz import DiagonalBelief, FullBelief, SphericalBelief, stretch, stretch_kl
from bflo_viz.figures import palette

LOW, STEP = -4.0, 0.1
_GRID = np.linspace(-4, 4, 81)
_AROUND = np.linspace(0, 2 * np.pi, 65)
_CIRCLE = np.stack([np.cos(_AROUND), np.sin(_AROUND)])


def regimes(delta: float = 1.5, delta_new: float = 0.5) -> None:
    """The maps of mean and width with their contours, one update, and its KL landscape."""
    figure, ((means, widths), (update, landscape)) = plt.subplots(2, 2, figsize=(9, 7))
    before, after = np.meshgrid(_GRID, _GRID)
    a = stretch(before, after)
    for ax, values, levels in ((means, after - a * before, np.arange(-3, 4)), (widths, np.log2(a), np.arange(-3, 4))):
        ax.imshow(values, cmap=palette.AROUND, extent=(-4, 4, -4, 4), origin="lower")
        ax.contour(_GRID, _GRID, values, levels=levels, colors=palette.INK, linewidths=0.7)
        ax.plot([delta], [delta_new], "o", color=palette.WEIGHT)
        ax.set(xlabel="Δ", ylabel="Δ′")
    post = DiagonalBelief([0.0], [1.0]).flow([delta], [delta_new])
    mean, std = post.mean[0], post.std[0]
    x = np.linspace(-6, 6, 241)
    update.plot(x, np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi), "--", color=palette.PRIOR, label="prior")
    density = np.exp(-0.5 * ((x - mean) / std) ** 2) / (std * np.sqrt(2 * np.pi))
    update.plot(x, density, color=palette.POSTERIOR, label="posterior")
    update.axvline(delta, color=palette.WEIGHT, linestyle="--")
    update.axvline(delta_new, color=palette.WEIGHT)
    update.legend()
    stretches = np.concatenate([np.linspace(-3, -0.02, 150), np.linspace(0.02, 3, 150)])
    landscape.plot(stretches, stretch_kl(stretches, delta, delta_new), color=palette.INK)
    landscape.plot([std], [post.kl(DiagonalBelief([0.0], [1.0]))], "o", color=palette.POSTERIOR)
    landscape.set(ylim=(0, 8), xlabel="stretch a", ylabel="KL (nats)")
    figure.tight_layout(rect=(0, 0, 1, 0.95))
    _strip(figure, delta)
    plt.show()


def flows(w: float = 1.8, w_new: float = 0.8) -> None:
    """Three posteriors of one prior side by side, each with its flow field."""
    figure, axes = plt.subplots(1, 3, figsize=(12, 4.5))
    moved = (np.array([w, -0.4]), np.array([w_new, 0.9]))
    grid = np.stack(np.meshgrid(np.linspace(-3, 3, 13), np.linspace(-3, 3, 13)), axis=-1).reshape(-1, 2)
    priors = SphericalBelief([0.0, 0.0], 1.0), DiagonalBelief([0.0, 0.0], [1.0, 1.0]), FullBelief([0, 0], np.eye(2))
    for ax, prior in zip(axes, priors, strict=True):
        post = prior.flow(*moved)
        A, b = prior.affine_map(*moved)
        step = grid @ A.T + b - grid
        ax.quiver(*grid.T, *step.T, angles="xy", scale_units="xy", scale=4, color=palette.FAINT, width=0.006)
        for belief, color, dashes in ((prior, palette.PRIOR, "--"), (post, palette.POSTERIOR, "-")):
            for k in (1, 2):
                ring = belief.mean[:, None] + k * np.linalg.cholesky(belief.covariance) @ _CIRCLE
                ax.plot(*ring, dashes, color=color)
        ax.annotate("", moved[1], moved[0], arrowprops={"arrowstyle": "->", "color": palette.WEIGHT})
        ax.plot(*np.stack(moved).T, "o", color=palette.WEIGHT)
        ax.set(xlim=(-4, 4), ylim=(-4, 4), aspect="equal", xlabel="first weight", ylabel="second weight")
        ax.set_title(f"KL {post.kl(prior):.3f}, entropy {post.entropy() - prior.entropy():+.3f} nats")
    figure.tight_layout(rect=(0, 0, 1, 0.95))
    _strip(figure, w)
    plt.show()


def _strip(figure: Any, value: float) -> None:
    """A strip over the whole width: red 3 for each step of the value, and as much less blue."""
    red = 3 * round((value - LOW) / STEP) / 255
    figure.patches.append(plt.Rectangle((0, 0.97), 1, 0.03, color=(red, 0, 1 - red), transform=figure.transFigure))
