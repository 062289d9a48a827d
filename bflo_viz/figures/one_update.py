"""One flow in one dimension: prior, posterior, and the sampled weight before and after its step."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bflo_viz._checks import Floats
from bflo_viz.beliefs import DiagonalBelief
from bflo_viz.figures import palette
from bflo_viz.figures.style import look, new_figure, set_alt_text
from bflo_viz.flows import regime


class UpdateView:
    """A picture of one update on given axes. `show` moves what is drawn; nothing is drawn anew.

    Parameters
    ----------
    ax
        Where to draw.
    span
        Range of weights to show.
    """

    def __init__(self, ax: Axes, span: tuple[float, float] = (-5.0, 5.0)) -> None:
        self.ax = ax
        self.alt = ""
        self._x = np.linspace(*span, 501)
        still = np.zeros_like(self._x)
        self._title = ax.set_title(" ", loc="left")  # made once: its size is that of the style it was made in
        ax.set(xlim=span, xlabel="weight (prior standard deviations)", ylabel="density")
        self._fill = ax.fill_between(self._x, still, color=palette.POSTERIOR, alpha=0.25, linewidth=0)
        (self._prior,) = ax.plot(self._x, still, color=palette.PRIOR, label="prior")
        (self._posterior,) = ax.plot(self._x, still, color=palette.POSTERIOR, label="posterior")
        mark: dict[str, Any] = {
            "color": palette.WEIGHT,
            "ls": "--",
            "lw": 1.4,
            "marker": "o",
            "markevery": [1],
            "ms": 7,
            "clip_on": False,
        }
        (self._before,) = ax.plot([0, 0], [0, 1], mfc="white", label="weight before", **mark)
        (self._after,) = ax.plot([0, 0], [0, 1], label="weight after", **mark)

    def show(
        self, prior: DiagonalBelief, posterior: DiagonalBelief, w: float, w_new: float, *, branch: int = 1
    ) -> None:
        """Show the update of a one-dimensional prior to its posterior as ``w`` moved to ``w_new``.

        The regimes are those of branch +1; on the other branch the title says that the belief was reflected.
        """
        if prior.dim != 1 or posterior.dim != 1:
            raise ValueError(f"prior and posterior must have one weight, but have {prior.dim} and {posterior.dim}.")
        old, new = self._density(prior), self._density(posterior)
        top = 1.15 * max(float(old.max()), float(new.max()))
        self._prior.set_ydata(old)
        self._posterior.set_ydata(new)
        self._fill.set_data(self._x, new, 0)
        for line, at in ((self._before, w), (self._after, w_new)):
            line.set_data([at, at], [0, 0.93 * top])
        self.ax.set_ylim(0, top)
        name = "reflected" if branch < 0 else regime(w - prior.mean[0], w_new - prior.mean[0]).value
        a = posterior.std[0] / prior.std[0]
        self._title.set_text(f"{name.capitalize()}: the belief {_verb(a)}")
        self.alt = (
            f"Prior and posterior density of one weight. The sampled weight moved from {w:.2f} to {w_new:.2f} "
            f"({name}); the mean moved from {prior.mean[0]:.2f} to {posterior.mean[0]:.2f} "
            f"and the standard deviation from {prior.std[0]:.2f} to {posterior.std[0]:.2f}."
        )

    def _density(self, belief: DiagonalBelief) -> Floats:
        z = (self._x - belief.mean[0]) / belief.std[0]
        return np.asarray(np.exp(-0.5 * z * z) / (belief.std[0] * np.sqrt(2 * np.pi)))


def draw_updates(pairs: Sequence[tuple[float, float]], *, style: str = "paper") -> Figure:
    """Draw the update of a standard normal for each pair (Δ, Δ'), side by side and on one scale."""
    with look(style):
        scale = 1.0 if style == "paper" else 1.6
        figure = new_figure(3.5 * scale * len(pairs), 2.9 * scale)
        prior = DiagonalBelief([0.0], [1.0])
        views = []
        for i, (delta, delta_new) in enumerate(pairs):
            view = UpdateView(figure.add_subplot(1, len(pairs), i + 1), span=(-4.2, 4.2))
            view.show(prior, prior.flow([delta], [delta_new]), delta, delta_new)
            views.append(view)
        top = max(view.ax.get_ylim()[1] for view in views)
        for view in views:
            view.ax.set_ylim(0, top)
            view.ax.label_outer()
        figure.legend(handles=views[0].ax.get_lines(), loc="outside lower center", ncols=4)
    set_alt_text(figure, " ".join(view.alt for view in views))
    return figure


def _verb(a: float) -> str:
    if a == 1:
        return "keeps its width"
    return f"narrows to {a:.0%}" if a < 1 else f"widens to {a:.0%}"
