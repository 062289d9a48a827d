"""The ensemble that a belief stands for: moved by plain linear algebra, its laws held to quadrature, and drawn."""

import math

import mpmath
import numpy as np
import pytest
from looks import line
from matplotlib.patches import Ellipse
from oracles import printed_stretch

from bflo_viz.figures import draw_contraction, draw_equilibrium, draw_true_ensemble
from bflo_viz.figures.ensemble import contraction, equilibrium, step_shares, true_ensemble, width_law
from bflo_viz.figures.marks import quantiles


def test_the_true_ensemble_moves_by_its_gradients():
    """Each weight by a gradient step of its own; mean and covariance as the matrix I − ηH moves them."""
    true = true_ensemble(np.random.default_rng(0), mean=(1.0, -2.0), pull=(0.1, 0.3), steps=6, members=50)["true"]
    H, w = np.diag([0.5, 1.5]), true.members[0]  # eta 0.2
    for members, mean, covariance in zip(true.members, true.means, true.covariances, strict=True):
        np.testing.assert_allclose(members, w, atol=1e-12)
        w = w - 0.2 * w @ H
        steps = round(math.log(mean[0]) / math.log(0.9))
        A = np.linalg.matrix_power(np.eye(2) - 0.2 * H, steps)
        np.testing.assert_allclose(mean, A @ [1.0, -2.0])
        np.testing.assert_allclose(covariance, A @ A.T)
    np.testing.assert_allclose(true.widths[-1], [0.9**6, 0.7**6])


def test_flows_carry_their_ensembles_along():
    """They begin where the true one does; seen from the belief, in its widths, weights stay as far out."""
    clouds = true_ensemble(np.random.default_rng(1), steps=10, members=40)
    assert list(clouds) == ["true", "diagonal", "full"]
    for cloud in clouds.values():
        np.testing.assert_array_equal(cloud.members[0], clouds["true"].members[0])
        lengths = []
        for step in (0, 10):
            offsets = cloud.members[step] - cloud.means[step]
            whitened = np.linalg.solve(np.linalg.cholesky(cloud.covariances[step]), offsets.T)
            lengths.append(np.linalg.norm(whitened, axis=0))
        np.testing.assert_allclose(*lengths, rtol=1e-9)
    assert clouds["full"].covariances[-1][0, 1] != 0 == clouds["diagonal"].covariances[-1][0, 1]


@pytest.mark.parametrize("dim", [1, 2, 3, 4, 7, 10, 25, 100])
def test_shares_are_means_over_the_lengths_of_normal_vectors(dim):
    half = mpmath.mpf(dim) / 2

    def density(square):
        return square ** (half - 1) * mpmath.exp(-square / 2) / (2**half * mpmath.gamma(half))

    ends = [0, 1, 4, 16, dim + 30, dim + 200, dim + 2000]
    mean = mpmath.quad(lambda s: 2 / (2 + s) * density(s), ends) / dim
    width = mpmath.quad(lambda s: s / (2 + s) * density(s), ends) / dim
    assert step_shares(dim) == (pytest.approx(float(mean), rel=1e-9), pytest.approx(float(width), rel=1e-9))
    assert sum(step_shares(dim)) == pytest.approx(1 / dim)


def test_contraction_is_that_of_the_ensemble_and_of_single_flows():
    found = contraction(np.random.default_rng(3), pull=0.1, steps=12, runs=30, dims=(1, 4), draws=500)
    np.testing.assert_allclose(found.true, 0.9 ** np.arange(13))
    assert {kind: rows.shape for kind, rows in found.widths.items()} == {"diagonal": (30, 13), "full": (30, 13)}
    for rows in found.widths.values():
        assert np.all(rows[:, 0] == 1) and np.median(rows[:, -1]) > 2 * found.true[-1]
    slow = np.log(found.widths["diagonal"][:, -1]).mean() / math.log(found.true[-1])
    assert slow == pytest.approx(0.242, abs=0.05)
    assert np.all(abs(found.measured - found.law) < 5 * found.errors)
    ravine, shares = draw_contraction(found).axes
    np.testing.assert_array_equal(line(ravine, "true ensemble").get_ydata(), found.true)
    for kind, rows in found.widths.items():
        np.testing.assert_allclose(line(ravine, kind).get_ydata(), quantiles(rows)[1])
        assert ((rows <= quantiles(rows)[0]).mean(axis=0)[1:] == 0.1).all()
    np.testing.assert_allclose(line(ravine, "_law of small steps").get_ydata(), found.true**0.24212784, rtol=1e-6)
    both, mean, width = (line(shares, name).get_ydata() for name in ("mean + width", "mean", "width"))
    np.testing.assert_allclose(mean + width, both)
    assert both[-1] == pytest.approx(1 / 4) and width[-1] == pytest.approx(found.law[-1])


def test_the_width_settles_at_about_half_of_the_jitter_of_sgd():
    """In the middle and as a distribution."""
    found = equilibrium(np.random.default_rng(4), etas=(0.05, 0.2), runs=600)
    np.testing.assert_allclose(found.exact, np.sqrt([0.05 / 1.95, 0.2 / 1.8]))
    np.testing.assert_allclose(found.jitter, found.exact, rtol=0.12)
    np.testing.assert_allclose(found.medians / found.exact, 0.52, atol=0.08)
    np.testing.assert_allclose(found.medians[0] / found.exact[0], width_law().median(), atol=0.08)
    low, high = np.quantile(found.widths[0] / found.exact[0], [0.1, 0.9])
    assert 0.05 < low < 0.25 and 0.85 < high < 1.25


def test_the_law_of_the_width_balances_pull_and_noise():
    """The logarithm of the root, a step s on: u s/(2 + u²) − u⁴ s²/(2 (2 + u²)³); its means by quadrature."""
    for u in (0.3, -1.2, 2.5):
        log = np.log(printed_stretch(u, u + 1e-3)), np.log(printed_stretch(u, u - 1e-3))
        assert log[0] - log[1] == pytest.approx(2e-3 * u / (2 + u * u), rel=1e-5)
        assert log[0] + log[1] == pytest.approx(-1e-6 * u**4 / (2 + u * u) ** 3, rel=1e-3)

    def mean(function):
        return float(mpmath.quad(lambda u: function(u) * mpmath.npdf(u), [-20, -4, 0, 4, 20]))

    drift = mean(lambda u: u**4 / (2 * (2 + u**2) ** 3))
    spread = mean(lambda u: u**2 / (2 + u**2) ** 2)
    pull = mean(lambda u: u**2 / (2 + u**2))
    law = width_law()
    shape, _ = law.args
    assert (shape, law.kwds["scale"] ** 2) == (pytest.approx(1 - drift / spread), pytest.approx(2 * spread / pull))


def test_clouds_are_drawn_before_on_the_way_and_in_the_end():
    """Ellipses are two standard deviations; the last is filled, those on the way are dashed: never colour alone."""
    clouds = true_ensemble(np.random.default_rng(0))
    figure = draw_true_ensemble(clouds)
    for ax, cloud in zip(figure.axes, clouds.values(), strict=True):
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
        assert f"{cloud.widths[-1][1]:.2g} wide across" in ax.get_title("left")


def test_equilibrium_draws_what_was_measured_and_the_law():
    found = equilibrium(np.random.default_rng(5), runs=400)
    levels, spread = draw_equilibrium(found).axes
    np.testing.assert_array_equal(line(levels, "SGD").get_ydata(), found.jitter)
    np.testing.assert_array_equal(line(levels, "belief").get_ydata(), found.medians)
    x, y = line(spread, "law of small steps").get_data()
    np.testing.assert_allclose(y, width_law().pdf(x))
    heights = np.array([bar.get_height() * bar.get_width() for bar in spread.patches])
    assert heights.sum() == pytest.approx(1)
