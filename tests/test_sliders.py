"""The slider pair of the first notebook: moving a slider moves belief, picture and words."""

import base64
import re
from io import BytesIO

import matplotlib.image
import numpy as np
import pytest

from bflo_viz import DiagonalBelief
from bflo_viz.lessons.sliders import UpdateSliders


def pixels(sliders):
    return matplotlib.image.imread(BytesIO(base64.b64decode(re.search('base64,([^"]+)', sliders.picture.value)[1])))


def test_moving_a_slider_moves_everything():
    """The posterior is that of the new pair, the picture changes, the sentence tells the new numbers."""
    sliders = UpdateSliders(1.5, 0.5)
    before = pixels(sliders)
    sliders.delta_new.value = -2.0
    wanted = DiagonalBelief([0.0], [1.0]).flow([1.5], [-2.0])
    assert sliders.posterior.std[0] == wanted.std[0]
    assert np.abs(pixels(sliders) - before).max() > 0.5
    assert f"standard deviation 1 → {wanted.std[0]:.2f}" in sliders.sentence.value
    assert "past the mean" in sliders.sentence.value
    assert 'alt="Prior' in sliders.picture.value
    assert "to -2.00 (crossing)" in sliders.picture.value


def test_the_figure_persists():
    """A hundred moves use the same figure and the same artists."""
    sliders = UpdateSliders()
    figure, artists = sliders.figure, sliders.view.ax.get_children()
    for value in np.linspace(-4, 4, 100):
        sliders.delta.value = value
    assert sliders.figure is figure
    assert sliders.view.ax.get_children() == artists


@pytest.mark.parametrize("delta", [-4.0, 0.0, 0.1, 4.0])
@pytest.mark.parametrize("delta_new", [-4.0, 0.0, 0.1, 4.0])
def test_every_corner_of_the_sliders_draws(delta, delta_new):
    """No position of the sliders raises or hides the posterior."""
    sliders = UpdateSliders(delta, delta_new)
    assert np.isfinite(sliders.view.ax.get_ylim()).all()
    assert pixels(sliders).std() > 0.05


def test_without_widgets_there_is_a_picture_and_stable_words():
    """What a notebook stores beside the view: a PNG, and words with no address in them."""
    bundle = UpdateSliders(1.5, 0.5)._repr_mimebundle_()
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    assert bundle["text/plain"] == repr(UpdateSliders(1.5, 0.5))
    assert "contracting" in bundle["text/plain"]
    assert "application/vnd.jupyter.widget-view+json" in bundle
