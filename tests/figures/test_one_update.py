"""The picture of one update shows what the update is."""

import numpy as np
import pytest
from looks import inside, overlapping_words
from matplotlib.figure import Figure
from scipy.stats import norm

from bflo_viz.figures import alt_text, draw_one_update, draw_update
from bflo_viz.figures.one_update import draw_beliefs
from bflo_viz.figures.style import look
from bflo_viz.scenes import UpdateScene


def shown(w, w_new, **options):
    ax = Figure().add_subplot()
    with look():
        draw_beliefs(ax, UpdateScene(w, w_new, **options), 5.0)
    return ax


def test_the_curves_are_the_densities():
    """Prior and posterior lines hold the normal densities (scipy's) of prior and posterior, below the top."""
    scene = UpdateScene(3.0, -4.0)
    ax = shown(3.0, -4.0)  # the belief narrows twenty-fold
    for line, belief in zip(ax.get_lines(), (scene.prior, scene.posterior), strict=False):
        x, y = line.get_data()
        np.testing.assert_allclose(y, norm.pdf(x, belief.mean[0], belief.std[0]), rtol=1e-12, atol=1e-14)
        assert y.max() < ax.get_ylim()[1]


def test_the_weights_stand_where_they_are():
    """Dashed verticals stand at the weight before and after, a hollow dot on the first."""
    before, after = shown(1.5, -0.5).get_lines()[2:]
    assert set(before.get_xdata()) == {1.5} and before.get_markerfacecolor() == "white"
    assert set(after.get_xdata()) == {-0.5} and after.get_markerfacecolor() != "white"


@pytest.mark.parametrize(
    ("w_new", "words"), [(1.0, "narrows"), (-1.0, "narrows"), (3.0, "widens"), (1.5, "keeps its width")]
)
def test_the_title_says_what_is_seen(w_new, words):
    """By the widths; the reflected branch is named."""
    assert words in shown(1.5, w_new).get_title(loc="left")
    assert shown(1.5, w_new, branch=-1).get_title(loc="left").startswith("Reflected")


def test_side_by_side_each_regime_has_its_panel_on_a_common_scale():
    """Three panels, one regime each, one scale, axes labelled, nothing outside of the figure."""
    figure = draw_one_update()
    axes = figure.get_axes()
    titles = [ax.get_title(loc="left").split(":")[0] for ax in axes]
    assert titles == ["Contracting", "Crossing", "Expanding"]
    assert len({ax.get_ylim() for ax in axes}) == 1
    assert axes[0].get_ylabel()
    assert all(ax.get_xlabel() for ax in axes)
    assert inside(figure)
    assert not overlapping_words(figure)


@pytest.mark.parametrize(
    "settings",
    [
        (1.5, 0.5),
        (4.0, -4.0, 0.6),
        (0.0, 0.0),
        (1.5, 4.0, 1.0, -1, True),
    ],
)
def test_one_update_lies_on_both_maps_and_on_the_landscape(settings):
    """The ring lies at the point; the stretch that was taken is the ratio of the widths, at its cost."""
    scene = UpdateScene(*settings)
    figure = draw_update(scene)
    for ax in figure.axes[:2]:
        ring = next(line for line in ax.lines if line.get_label() == "here")
        np.testing.assert_allclose(np.ravel(ring.get_data()) * scene.std, [scene.delta, scene.delta_new])
    taken = next(line for line in figure.axes[3].lines if line.get_label() == "taken")
    assert abs(taken.get_xdata()[0]) == pytest.approx(scene.posterior.std[0] / scene.std)
    assert taken.get_ydata()[0] == pytest.approx(scene.posterior.kl(scene.prior))
    assert alt_text(figure) == scene.words()
    assert inside(figure)
    # The box around the word on the diagonal is larger than the word, which is turned.
    assert not [pair for pair in overlapping_words(figure) if "Δ′ = Δ" not in pair]


def test_the_small_picture_has_the_same_update():
    """One map and the beliefs, with the same words."""
    scene = UpdateScene(1.0, 2.0, 2.0)
    figure = draw_update(scene, small=True)
    ring = next(line for line in figure.axes[0].lines if line.get_label() == "here")
    np.testing.assert_allclose(np.ravel(ring.get_data()), [0.5, 1.0])
    assert figure.axes[1].get_title(loc="left").startswith("Expanding")
    assert alt_text(figure) == scene.words()
    assert inside(figure)
    assert not overlapping_words(figure)
