"""Two sliders that move one weight, and a picture of what the belief makes of it."""

from base64 import b64encode
from io import BytesIO
from typing import Any

import ipywidgets

from bflo_viz.beliefs import DiagonalBelief
from bflo_viz.figures.one_update import UpdateView
from bflo_viz.figures.style import look, new_figure
from bflo_viz.flows import Regime, regime

_WHY = {
    Regime.CONTRACTING: "The weight moved towards the mean: the belief narrows, and its mean moves the same way.",
    Regime.CROSSING: "The weight moved past the mean: the belief narrows all the more, and its mean follows.",
    Regime.EXPANDING: "The weight moved away from the mean: the belief widens, and its mean follows.",
    Regime.UNCHANGED: "The weight did not move, or it was the mean itself: the belief keeps its width.",
}


class UpdateSliders(ipywidgets.VBox):  # type: ignore[misc]
    """Move Δ and Δ' and watch a standard normal belief flow: sliders, one persistent figure, one sentence.

    Where no widget can run, a notebook shows the picture that was saved with it.
    """

    def __init__(self, delta: float = 1.5, delta_new: float = 0.5) -> None:
        self.prior = DiagonalBelief([0.0], [1.0])
        self.posterior = self.prior
        self.delta = _slider("Δ before", "where the sampled weight was, relative to the mean", delta)
        self.delta_new = _slider("Δ′ after", "where its gradient step took it, relative to the mean", delta_new)
        with look():
            # A layout that is fixed: working it out anew takes longer than drawing.
            self.figure = new_figure(7, 3.4, layout="none")
            self.view = UpdateView(self.figure.add_subplot())
            self.figure.subplots_adjust(left=0.1, right=0.98, top=0.9, bottom=0.28)
            self.figure.legend(handles=self.view.ax.get_lines(), loc="lower center", ncols=4)
        self.picture = ipywidgets.HTML()  # not widgets.Image, which has no alt text
        self.sentence = ipywidgets.HTML()
        self._draw()
        for slider in (self.delta, self.delta_new):
            slider.observe(self._draw, "value")
        super().__init__([self.delta, self.delta_new, self.picture, self.sentence])

    def _draw(self, _: Any = None) -> None:
        w, w_new = self.delta.value, self.delta_new.value
        self.posterior = self.prior.flow([w], [w_new])
        self.view.show(self.prior, self.posterior, w, w_new)
        self.picture.value = (
            f'<img alt="{self.view.alt}" src="data:image/png;base64,{self._png()}" style="max-width: 100%">'
        )
        self.sentence.value = (
            f"<div role='status'>{_WHY[regime(w, w_new)]} Mean 0 → {self.posterior.mean[0]:.2f}, "
            f"standard deviation 1 → {self.posterior.std[0]:.2f}, KL {self.posterior.kl(self.prior):.2f} nats.</div>"
        )

    def _png(self) -> str:
        buffer = BytesIO()
        self.figure.savefig(buffer, format="png", dpi=100, pil_kwargs={"compress_level": 1})
        return b64encode(buffer.getvalue()).decode()

    def __repr__(self) -> str:
        """Stable words for where only text can be shown."""
        return f"Sliders for Δ and Δ′. {self.view.alt}"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        bundle["text/plain"] = repr(self)
        bundle["image/png"] = self._png()
        return bundle


def _slider(name: str, tooltip: str, value: float) -> Any:
    return ipywidgets.FloatSlider(
        value, min=-4, max=4, step=0.1, description=name, tooltip=tooltip, layout={"width": "min(100%, 34rem)"}
    )
