"""Pictures of the ensemble: what they draw is the scene, and they are stored sharp enough for a projector."""

import struct
from base64 import b64decode

import numpy as np
import pytest
from looks import inside, line, made, overlapping_words
from matplotlib.patches import Ellipse

from bflo_viz.figures import draw_contraction, draw_true_ensemble
from bflo_viz.scenes import contraction, true_ensemble, width_law


def test_clouds_are_drawn_before_on_the_way_and_in_the_end():
    """Ellipses are two standard deviations; the last is filled, those on the way are dashed: never colour alone."""
    figure = made("true_ensemble")
    for ax, cloud in zip(figure.axes, figure.scene.clouds.values(), strict=True):
        drawn = [patch for patch in ax.patches if isinstance(patch, Ellipse)]
        assert len(drawn) == 3 and ax.get_aspect() == 1
        for patch, step in zip(drawn, (0, 5, 40), strict=True):
            np.testing.assert_allclose(patch.center, cloud.means[step])
            sides = sorted([patch.width / 4, patch.height / 4])
            np.testing.assert_allclose(sides, np.sqrt(np.linalg.eigvalsh(cloud.covariances[step])), atol=1e-9)
        assert [patch.get_linestyle() for patch in drawn] == ["-", "--", "-"]
        assert [patch.get_facecolor()[3] > 0 for patch in drawn] == [False, False, True]
        dots = [one.get_xydata() for one in ax.get_lines() if len(one.get_xydata()) == 200]
        for points, step in zip(dots, (0, 5, 40), strict=True):
            np.testing.assert_array_equal(points, cloud.members[step])
        assert "{:.2g} wide along, {:.2g} across".format(*cloud.widths[-1]) in ax.get_title("left")


def test_contraction_draws_widths_and_shares():
    scene = contraction(np.random.default_rng(5), steps=10, runs=13, dims=(1, 3, 8), draws=60)
    figure = draw_contraction(scene)
    ravine, shares = figure.axes
    np.testing.assert_array_equal(line(ravine, "true ensemble").get_ydata(), scene.true)
    for kind, rows in scene.widths.items():
        np.testing.assert_allclose(line(ravine, kind).get_ydata(), np.median(rows, axis=0))
    np.testing.assert_allclose(line(ravine, "_law of small steps").get_ydata(), scene.true**0.24212784, rtol=1e-6)
    both, mean, width = (line(shares, name).get_ydata() for name in ("mean + width", "mean", "width"))
    np.testing.assert_allclose(mean + width, both)
    assert both[-1] == pytest.approx(1 / 8) and width[-1] == pytest.approx(scene.law[-1])
    assert inside(figure) and not overlapping_words(figure)


def test_equilibrium_draws_what_was_measured_and_the_law():
    figure = made("equilibrium")
    scene, (levels, spread) = figure.scene, figure.axes
    np.testing.assert_array_equal(line(levels, "SGD").get_ydata(), scene.jitter)
    np.testing.assert_array_equal(line(levels, "belief").get_ydata(), scene.medians)
    x, y = line(spread, "law of small steps").get_data()
    np.testing.assert_allclose(y, width_law().density(x))
    heights = np.array([bar.get_height() * bar.get_width() for bar in spread.patches])
    assert heights.sum() == pytest.approx(1)


def test_a_notebook_stores_it_at_twice_the_size_at_which_it_is_shown():
    figure = draw_true_ensemble(true_ensemble(np.random.default_rng(6), members=20))
    data, about = figure._repr_mimebundle_()
    pixels = struct.unpack(">II", b64decode(data["image/png"])[16:24])
    shown = about["image/png"]
    assert pixels == (2 * shown["width"], 2 * shown["height"]) and shown["alt"] in data["text/plain"]
