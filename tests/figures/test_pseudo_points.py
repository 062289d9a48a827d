"""A belief flow read as points: its marks against Bayes' rule by the book, and where they are drawn."""

import numpy as np
import pytest
from looks import line
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import same_color, to_hex

from bflo_viz import SphericalBelief
from bflo_viz.figures import draw_pseudo_dataset, palette
from bflo_viz.figures.pseudo_points import FLOWS, marks_of, pseudo_dataset

ROUNDS = 120
PROBLEMS = {"separable": {"noise": 0.0}, "noisy labels": {"noise": 0.15}, "drifting": {"noise": 0.0, "turn": 180.0}}


@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_bayes_rule_makes_the_same_beliefs_from_the_marks(problem, flow):
    """A point adds precision in all directions, a line across itself; in every round their sum is the belief."""
    run = pseudo_dataset(np.random.default_rng(0), flow, rounds=ROUNDS, eta=0.3, **PROBLEMS[problem])
    precision, natural = np.eye(2), np.array([-1.0, 0.5])
    for r in range(ROUNDS):
        before = run.beliefs[r].mean
        for place, across, strength in zip(run.places[r], run.directions[r], run.precisions[r], strict=True):
            if np.isnan(strength):
                continue
            if flow == "spherical":
                gain = strength * np.eye(2)
                assert not across.any()
            else:
                gain = strength * np.outer(across, across)
                assert np.hypot(*across) == pytest.approx(1)
                off = place - before  # the nearest point of the line lies straight across from the mean
                assert off[0] * across[1] - off[1] * across[0] == pytest.approx(0, abs=1e-9 * (1 + np.hypot(*off)))
            precision, natural = precision + gain, natural + gain @ place
        belief = run.beliefs[r + 1]
        np.testing.assert_allclose(np.linalg.inv(precision), belief.covariance, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(np.linalg.solve(precision, natural), belief.mean, rtol=1e-7, atol=1e-9)
        # 1/std², of each weight for a diagonal flow; the trace of the inverse covariance for a full one
        wanted = np.trace(np.linalg.inv(belief.covariance)) if flow == "full" else belief.std**-2.0
        np.testing.assert_allclose([run.totals[r + 1], run.own_precisions[r + 1]], [np.ravel(wanted)] * 2, rtol=1e-8)


def test_a_belief_that_only_moves_has_no_point():
    """Its precision is 0; a run without any point has a size for them all the same."""
    (mark,) = marks_of(SphericalBelief([0.0, 0.0], 1.0), SphericalBelief([1.0, 0.5], 1.0))
    assert mark[2] == 0
    runs = [pseudo_dataset(np.random.default_rng(seed), rounds=1, non_expansive=True) for seed in range(20)]
    (nothing, *_) = (run for run in runs if np.isnan(run.precisions).all())
    assert nothing.large == 1.0
    np.testing.assert_array_equal(nothing.totals, [[1.0], [1.0]])


def rings(ax, color):
    """Middle and area of every circle of a colour, those of discs left out."""
    outlines = (c for c in ax.collections if isinstance(c, LineCollection) and to_hex(c.get_color()[0]) == color)
    closed = [path.vertices for c in outlines for path in c.get_paths() if len(path.vertices) == 33]
    return np.array([(*ring[:-1].mean(axis=0), np.pi / 4 * np.ptp(ring[:, 0]) ** 2) for ring in closed])


def test_marks_stand_where_the_points_are_and_area_is_precision():
    """Added ones blue, removed ones red, one factor from precision to area; only discs are filled."""
    found = pseudo_dataset(np.random.default_rng(1))
    ax, total = draw_pseudo_dataset(found).axes
    near = np.abs(found.places[:, 0]).max(axis=1) < 9
    areas = []
    for sign, color in ((1, palette.ADDED), (-1, palette.REMOVED)):
        chosen = near & (sign * found.precisions[:, 0] > 0)
        drawn = rings(ax, color)
        np.testing.assert_allclose(drawn[:, :2], found.places[chosen, 0], atol=1e-9)
        lines = (c for c in ax.collections if isinstance(c, LineCollection) and len(c.get_paths()))
        faint = [c.get_alpha() for c in lines if to_hex(c.get_color()[0]) == color]
        assert set(faint) >= {0.3, 1.0}  # long past, and not
        areas.append(drawn[:, 2] / np.abs(found.precisions[chosen, 0]))
    np.testing.assert_allclose(np.concatenate(areas), areas[0][0])
    filled = [c for c in ax.collections if isinstance(c, PolyCollection) and len(c.get_paths())]
    assert {to_hex(c.get_facecolor()[0]) for c in filled} == {palette.ADDED}
    own = line(total, "belief").get_ydata()
    np.testing.assert_allclose(own, [belief.std**-2.0 for belief in found.beliefs])
    for bar in total.patches:  # from the precision before a round to the one after it
        n, up = round(bar.get_x() + 0.4), same_color(bar.get_edgecolor(), palette.ADDED)
        np.testing.assert_allclose([bar.get_y(), bar.get_y() + bar.get_height()], own[n - 1 : n + 1], rtol=1e-6)
        assert up == (own[n] > own[n - 1]) == (bar.get_facecolor()[3] > 0)
    assert len(total.patches) == found.rounds
    with pytest.raises(ValueError, match="flow must be 'spherical'"):
        draw_pseudo_dataset(pseudo_dataset(np.random.default_rng(0), "full", rounds=3))
