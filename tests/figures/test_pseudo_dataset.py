"""The picture of a pseudo dataset shows what a run adds and removes, all of it or one round."""

import numpy as np
import pytest
from looks import inside, overlapping_words
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from bflo_viz.figures import draw_pseudo_dataset, palette
from bflo_viz.figures.style import STYLES
from bflo_viz.scenes import pseudo_dataset
from bflo_viz.scenes.pseudo_points import FLOWS


def made(seed=1, flow="spherical", **settings):
    return pseudo_dataset(np.random.default_rng(seed), flow, **settings)


def rings(ax, color):
    """Middle and area of every circle of a colour, those of discs left out."""
    outlines = (c for c in ax.collections if isinstance(c, LineCollection) and to_hex(c.get_color()[0]) == color)
    closed = [path.vertices for c in outlines for path in c.get_paths() if len(path.vertices) == 33]
    return np.array([(*ring[:-1].mean(axis=0), np.pi / 4 * np.ptp(ring[:, 0]) ** 2) for ring in closed])


@pytest.mark.parametrize("whole", [True, False])
def test_marks_stand_where_the_points_are_and_area_is_precision(whole):
    """Added ones blue, removed ones red, one factor from precision to area; only discs are filled."""
    scene = made()
    ax = draw_pseudo_dataset(scene, whole=whole).axes[0]
    near = np.abs(scene.places[:, 0]).max(axis=1) < 9
    areas = []
    for sign, color in ((1, palette.ADDED), (-1, palette.REMOVED)):
        chosen = near & (sign * scene.precisions[:, 0] > 0)
        drawn = rings(ax, color)
        np.testing.assert_allclose(drawn[:, :2], scene.places[chosen, 0], atol=1e-9)
        areas.append(drawn[:, 2] / np.abs(scene.precisions[chosen, 0]))
    np.testing.assert_allclose(np.concatenate(areas), areas[0][0])
    filled = [c for c in ax.collections if isinstance(c, PolyCollection) and len(c.get_paths())]
    assert {to_hex(c.get_facecolor()[0]) for c in filled} == {palette.ADDED}


def test_the_whole_run_goes_from_the_prior_to_the_last_belief():
    """All marks alike, the path through the mean of every round, no step of a single weight."""
    scene = made()
    ax = draw_pseudo_dataset(scene).axes[0]
    drawn = {line.get_label(): line.get_xydata() for line in ax.lines}
    np.testing.assert_array_equal(drawn["path of the mean"], scene.means)
    np.testing.assert_array_equal(drawn["prior mean"], scene.means[[0]])
    np.testing.assert_array_equal(drawn["posterior mean"], scene.means[[-1]])
    assert "weight before" not in drawn


@pytest.mark.parametrize(("now", "style"), [(0, "paper"), (1, "slides"), (60, "paper"), (60, "slides")])
@pytest.mark.parametrize("flow", FLOWS)
def test_a_round_stands_out(flow, now, style):
    """The belief before and after it, the step of its weight, a cursor at the round; no words on words."""
    scene = made(0, flow, turn=180.0).at(now)
    figure = draw_pseudo_dataset(scene, whole=False, style=style)
    plane, total = figure.axes
    drawn = {line.get_label(): line.get_xydata() for line in plane.lines}
    assert len(drawn["path of the mean"]) == now + 1
    np.testing.assert_array_equal(drawn["prior mean"], scene.means[[max(0, now - 1)]])
    np.testing.assert_array_equal(drawn["posterior mean"], scene.means[[now]])
    if now:
        np.testing.assert_array_equal(drawn["weight before"], scene.weights[[now - 1]])
        np.testing.assert_array_equal(drawn["weight after"], scene.moved[[now - 1]])
    here = [line.get_xydata()[0] for line in total.lines if line.get_marker() == "s"]
    np.testing.assert_allclose(here, [(now, value) for value in scene.totals[now]])
    assert inside(figure)
    assert not overlapping_words(figure)


@pytest.mark.parametrize("flow", FLOWS)
def test_circles_of_the_belief_lie_on_the_sum(flow):
    """Read off the beliefs by inverses here."""
    scene = made(2, flow)
    total = draw_pseudo_dataset(scene).axes[1]
    inverses = np.array([np.linalg.inv(belief.covariance) for belief in scene.beliefs])
    wanted = {
        "spherical": inverses[:, :1, 0],
        "diagonal": np.diagonal(inverses, axis1=1, axis2=2),
        "full": np.trace(inverses, axis1=1, axis2=2)[:, None],
    }[flow]
    circles = [line.get_ydata() for line in total.lines if line.get_label() == "_1/std²"]
    np.testing.assert_allclose(np.transpose(circles), wanted, rtol=1e-8)
    lines = [line.get_ydata() for line in total.lines if line.get_label().startswith("precision")]
    np.testing.assert_allclose(np.transpose(lines), wanted, rtol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("settings", [{}, {"std": 0.5, "eta": 1.0, "rule": "exact"}, {"non_expansive": True}])
def test_everything_fits(style, settings):
    """Nothing is cut off and no words overlap."""
    figure = draw_pseudo_dataset(made(**settings), style=style)
    assert inside(figure)
    assert not overlapping_words(figure)


def test_draws_on_given_axes():
    """Two axes of another figure are used."""
    mine = Figure(figsize=(6, 9))
    assert draw_pseudo_dataset(made(rounds=10), axes=mine.subplots(2, 1)) is mine
