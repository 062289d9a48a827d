"""The picture of the plane S shows what a full flow does inside and outside of it."""

import numpy as np
import pytest
from looks import inside, overlapping_words
from matplotlib.figure import Figure

from bflo_viz.figures import palette
from bflo_viz.figures.style import STYLES, alt_text
from bflo_viz.figures.subspace import draw_subspace
from bflo_viz.scenes.plane import subspace

TILTED = {
    "mean": np.array([0.4, -0.3, 0.2]),
    "covariance": np.array([[1.3, 0.3, -0.2], [0.3, 0.8, 0.1], [-0.2, 0.1, 0.6]]),
    "w": np.array([2.0, 0.4, 0.5]),
    "w_new": np.array([0.9, 0.8, -0.4]),
}
ROUND = {
    "mean": np.zeros(3),
    "covariance": np.eye(3),
    "w": np.array([1.9, -0.6, -0.5]),
    "w_new": np.array([0.8, 0.6, 0.0]),
}
CASES = [ROUND, TILTED]


def theorem(mean, covariance, w, w_new):
    """Theorem 1 by the book, with an eigendecomposition: u, v_parallel, v_perp, A₂ₓ₂, a, and the posterior."""
    variances, U = np.linalg.eigh(covariance)
    white = np.diag(variances**-0.5) @ U.T
    before, after = white @ (w - mean), white @ (w_new - mean)
    u, v = np.linalg.norm(before), np.linalg.norm(after)
    mu = before / u
    par = after @ mu
    perp = np.linalg.norm(after - par * mu)
    nu = (after - par * mu) / perp
    a = (u * v + np.sqrt(4 + u * u * (4 + v * v))) / (2 * (1 + u * u))
    A2 = np.array([[a * par, -perp], [a * perp, par]]) / v
    pair = np.column_stack([mu, nu])
    color = U @ np.diag(variances**0.5)
    A = np.eye(3) + color @ pair @ (A2 - np.eye(2)) @ pair.T @ white
    return u, par, perp, A2, a, A @ (mean - w) + w_new, A @ covariance @ A.T


def normal(mean, w, w_new, **_):
    n = np.cross(w - mean, w_new - mean)
    return n / np.linalg.norm(n)


def labelled(ax, label):
    return [artist for artist in ax.get_children() if artist.get_label() == label]


def vertices(surface):
    """Corners of a 3-D surface's faces, as they were given."""
    return np.concatenate([np.asarray(face) for face in surface._faces]).reshape(-1, 3)


@pytest.mark.parametrize("case", CASES)
def test_the_plane_is_the_one_of_both_weights(case):
    """The drawn sheet holds mean, w and w', and is orthogonal to (w − mean) × (w' − mean)."""
    (sheet,) = labelled(draw_subspace(subspace(**case)).axes[0], "S")
    corners = vertices(sheet)
    n = normal(**case)
    np.testing.assert_allclose((corners - case["mean"]) @ n, 0, atol=1e-12)
    assert np.ptp(corners, axis=0).max() > 1
    np.testing.assert_allclose(np.abs(subspace(**case).normal @ n), 1, atol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_ellipsoids_are_the_beliefs(case):
    """Drawn points of prior and posterior are one standard deviation from their means, by independent formulas."""
    ax = draw_subspace(subspace(**case)).axes[0]
    *_, mean, covariance = theorem(**case)
    skins = labelled(ax, "posterior")
    assert len(skins) == 2
    offsets = np.vstack([vertices(skin) for skin in skins]) - mean
    np.testing.assert_allclose(np.einsum("ij,ij->i", offsets @ np.linalg.inv(covariance), offsets), 1, atol=1e-9)
    (wire,) = labelled(ax, "prior")
    offsets = np.vstack(wire._segments3d) - case["mean"]
    form = np.einsum("ij,ij->i", offsets @ np.linalg.inv(case["covariance"]), offsets)
    np.testing.assert_allclose(form, 1, atol=1e-9)
    after, before = labelled(ax, "section")
    for line, color in ((before, palette.PRIOR), (after, palette.POSTERIOR)):
        assert line.get_color() == color
        np.testing.assert_allclose((np.transpose(line.get_data_3d()) - case["mean"]) @ normal(**case), 0, atol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_nothing_changes_outside_of_the_plane(case):
    """Both posts are as high above S as the belief is wide along the normal, before and after."""
    figure = draw_subspace(subspace(**case))
    n = normal(**case)
    width = np.sqrt(n @ case["covariance"] @ n)
    np.testing.assert_allclose(np.sqrt(n @ theorem(**case)[-1] @ n), width, rtol=1e-12)
    posts = labelled(figure.axes[0], "extent")
    assert len(posts) == 2
    for post in posts:
        foot, top = np.transpose(post.get_data_3d())
        np.testing.assert_allclose((foot - case["mean"]) @ n, 0, atol=1e-12)
        np.testing.assert_allclose(abs((top - case["mean"]) @ n), width, rtol=1e-12)
    assert f"height {width:.2f} stays" in figure.axes[0].get_title(loc="left") + figure.axes[0].get_title()
    assert f"{width:.2f} and {width:.2f}" in alt_text(figure)


@pytest.mark.parametrize("case", CASES)
def test_inside_of_the_plane_it_is_theorem_one(case):
    """Circle, image, weights and the columns of A₂ₓ₂ are those of Theorem 1."""
    scene = subspace(**case)
    figure = draw_subspace(scene)
    ax = figure.axes[1]
    u, par, perp, A2, a, *_ = theorem(**case)
    (circle,) = labelled(ax, "prior")
    np.testing.assert_allclose(np.hypot(*circle.get_data()), 1, atol=1e-12)
    (image,) = labelled(ax, "posterior")
    middle = np.array([par, perp]) - A2 @ [u, 0]
    offsets = (image.get_xy() - middle) @ np.linalg.inv(A2).T
    np.testing.assert_allclose(np.hypot(*offsets.T), 1, atol=1e-9)
    np.testing.assert_allclose(offsets[: len(scene.circle)], scene.circle, atol=1e-9)
    np.testing.assert_allclose(labelled(ax, "weight before")[0].get_xydata(), [[u, 0]], atol=1e-12)
    np.testing.assert_allclose(labelled(ax, "weight after")[0].get_xydata(), [[par, perp]], atol=1e-12)
    np.testing.assert_allclose(scene.A, A2, atol=1e-12)
    words = " ".join(text.get_text() for text in ax.texts)
    for column in A2.T:
        assert "({:.2f}, {:.2f})".format(*column).replace("-", "−") in words
    for symbol in (r"$\hat{\mu}$", r"$\hat{\nu}$", r"$u\hat{\mu}$", r"$v_\parallel\hat{\mu}+v_\perp\hat{\nu}$"):
        assert symbol in words
    title = ax.get_title(loc="left")
    assert f"turn by {np.degrees(np.arctan2(perp, par)):.0f}°" in title and f"stretch by {a:.2f}" in title
    assert f"from ({u:.2f}, 0.00) to ({par:.2f}, {perp:.2f})" in alt_text(figure)


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("case", CASES)
def test_everything_fits(style, case):
    """Nothing is cut off, no words overlap, and the plane is not distorted."""
    figure = draw_subspace(subspace(**case), style=style)
    assert inside(figure)
    assert not overlapping_words(figure)
    assert figure.axes[1].get_aspect() == 1
    assert "standard deviations" in figure.axes[1].get_xlabel()


def test_draws_on_given_axes():
    """Two axes of another figure are used, and that figure comes back."""
    mine = Figure(figsize=(10, 5))
    axes = [mine.add_subplot(121, projection="3d"), mine.add_subplot(122)]
    assert draw_subspace(subspace(), axes=axes) is mine
    assert labelled(axes[0], "S") and labelled(axes[1], "posterior")


@pytest.mark.parametrize("w_new", [(0.95, -0.3, -0.25), (0.0, 0.0, 0.0), (-1.9, 0.6, 0.5)])
def test_no_plane_no_picture(w_new):
    """Weights on one line with the mean span no plane, and a sentence says so."""
    with pytest.raises(ValueError, match="span a plane"):
        subspace(w_new=w_new)
