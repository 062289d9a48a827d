"""A figure that moves: what is said to move does, what is kept stays, and where no widget runs there is a picture."""

import base64
import io

import numpy as np
from PIL import Image

from bflo_viz.figures import LiveFigure, draw_one_update


def test_only_what_moves_is_drawn_anew():
    """A line that is given new numbers moves; the same numbers again give the same picture; the rest stays."""
    figure = draw_one_update([(1.0, 2.0)])
    (panel,) = figure.axes
    _, curve, _, after = panel.lines
    live = LiveFigure(figure, [curve, after])

    def shown():
        return np.asarray(Image.open(io.BytesIO(live.children[-1].value)), dtype=int)

    first = shown()
    after.set_xdata([0.5, 0.5])
    live.redraw()
    moved = shown()
    assert first.shape == moved.shape and (first != moved).any()
    panel.set_xlabel("not one of those that move")
    after.set_xdata([2.0, 2.0])
    live.redraw({"new": 2.0})  # as a slider calls it
    np.testing.assert_array_equal(shown(), first)


def test_it_has_words_and_a_picture_where_no_widget_runs():
    figure = draw_one_update([(1.0, 2.0)])
    live = LiveFigure(figure, figure.axes[0].lines)
    data, about = live._repr_mimebundle_()
    assert data["text/plain"].startswith("LiveFigure. Prior and posterior density of one weight.")
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert about["image/png"]["alt"]
