"""A figure that moves in a notebook: drawn once, and then only what changes is drawn anew."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any

import ipywidgets as widgets
import numpy as np
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from bflo_viz.figures.style import about_png, alt_text, png

_DPI = 160  # twice that of the page: it is sharp


class LiveFigure(widgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """A figure below its controls, as a widget; ``redraw`` shows what has become of the artists that move.

    Everything else is drawn once and kept as a picture, which makes it several times as fast as plotting anew. Keep
    the limits of the axes: they belong to what is kept.
    """

    def __init__(self, figure: Figure, moving: Sequence[Artist], controls: Sequence[widgets.Widget] = ()) -> None:
        self.figure, self._moving = figure, list(moving)
        canvas: Any = FigureCanvasAgg(figure)
        self._canvas = canvas
        figure.set_dpi(_DPI)
        canvas.draw()  # with all that moves, so that there is room for it
        figure.set_layout_engine("none")
        for artist in self._moving:
            artist.set_animated(True)
        canvas.draw()
        self._kept = canvas.copy_from_bbox(figure.bbox)
        width = about_png(figure)["width"]
        self._picture = widgets.Image(width=width, layout=widgets.Layout(max_width="100%", object_fit="contain"))
        super().__init__([*controls, self._picture])
        self.redraw()

    def redraw(self, *_: Any) -> None:
        """Show the artists as they are now; it can be what a control calls when it moves."""
        self._canvas.restore_region(self._kept)
        for artist in self._moving:
            self.figure.draw_artist(artist)
        drawn = BytesIO()
        Image.fromarray(np.asarray(self._canvas.buffer_rgba())).convert("RGB").save(drawn, "png", compress_level=1)
        self._picture.value = drawn.getvalue()

    def __repr__(self) -> str:
        """Words for where only text can be shown."""
        return f"{type(self).__name__}. {alt_text(self.figure)}"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """The widget and, where none can run, a picture."""
        bundle = dict(super()._repr_mimebundle_(**options) or {})
        for artist in self._moving:
            artist.set_animated(False)
        bundle |= {"text/plain": repr(self), "image/png": png(self.figure)}
        for artist in self._moving:
            artist.set_animated(True)
        return bundle, {"image/png": about_png(self.figure)}
