"""The picture of one update shows what the update is."""

import numpy as np
import pytest
from looks import inside, overlapping_words
from matplotlib.figure import Figure
from scipy.stats import norm

from bflo_viz import DiagonalBelief
from bflo_viz.figures.one_update import UpdateView, draw_updates
from bflo_viz.figures.scenes.one_update import regimes

PRIOR = DiagonalBelief([0.5], [0.8])


def shown(w, w_new):
    view = UpdateView(Figure().add_subplot())
    view.show(PRIOR, PRIOR.flow([w], [w_new]), w, w_new)
    return view


def test_the_curves_are_the_densities():
    """Prior and posterior lines hold the normal densities (scipy's) of prior and posterior."""
    view = shown(1.5, -0.5)
    posterior = PRIOR.flow([1.5], [-0.5])
    for line, belief in zip(view.ax.get_lines(), (PRIOR, posterior), strict=False):
        x, y = line.get_data()
        np.testing.assert_allclose(y, norm.pdf(x, belief.mean[0], belief.std[0]), rtol=1e-12)


def test_the_weights_stand_where_they_are():
    """Dashed verticals stand at the weight before and after."""
    before, after = shown(1.5, -0.5).ax.get_lines()[2:]
    assert set(before.get_xdata()) == {1.5}
    assert set(after.get_xdata()) == {-0.5}


@pytest.mark.parametrize(
    ("w_new", "words"), [(1.0, "narrows"), (-1.0, "narrows"), (3.0, "widens"), (1.5, "keeps its width")]
)
def test_title_and_alt_text_say_what_is_seen(w_new, words):
    """The title names what the belief does; the alt text holds the numbers of the picture."""
    view = shown(1.5, w_new)
    assert words in view.ax.get_title(loc="left")
    assert f"from 1.50 to {w_new:.2f}" in view.alt
    assert f"to {PRIOR.flow([1.5], [w_new]).std[0]:.2f}" in view.alt


def test_showing_again_draws_nothing_anew():
    """The artists are moved, not made again: a slider leaks nothing."""
    view = shown(1.5, 0.5)
    artists = view.ax.get_children()
    view.show(PRIOR, PRIOR.flow([1.0], [2.0]), 1.0, 2.0)
    assert view.ax.get_children() == artists


def test_both_curves_fit_into_the_axes():
    """Even a belief that narrows twenty-fold stays below the top."""
    view = shown(3.0, -4.0)
    assert view.ax.get_ylim()[1] > max(line.get_ydata().max() for line in view.ax.get_lines()[:2])


def test_beliefs_of_more_weights_are_refused():
    """One weight is what this picture can show."""
    two = DiagonalBelief([0.0, 0.0], 1.0)
    with pytest.raises(ValueError, match="one weight"):
        UpdateView(Figure().add_subplot()).show(two, two, 0.0, 0.0)


def test_side_by_side_each_regime_has_its_panel_on_a_common_scale():
    """Three panels, one regime each, one scale, axes labelled, nothing outside of the figure."""
    figure = draw_updates(regimes())
    axes = figure.get_axes()
    titles = [ax.get_title(loc="left").split(":")[0] for ax in axes]
    assert titles == ["Contracting", "Crossing", "Expanding"]
    assert len({ax.get_ylim() for ax in axes}) == 1
    assert axes[0].get_ylabel()
    assert all(ax.get_xlabel() for ax in axes)
    assert inside(figure)
    assert not overlapping_words(figure)
