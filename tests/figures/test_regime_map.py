"""The map of the regimes shows the closed form, where nothing changes, and that crossing narrows."""

import numpy as np
import pytest
from looks import inside, overlapping_words, words
from matplotlib.figure import Figure

from bflo_viz import SphericalBelief, regime
from bflo_viz.figures import palette
from bflo_viz.figures.regime_map import draw_regime_map, draw_regime_variants
from bflo_viz.figures.style import STYLES, alt_text
from bflo_viz.scenes.one_dimension import RegimeVariants, regime_map, regime_variants

SCENE = regime_map(points=81)
EVERY = regime_variants(points=41)
VARIANTS = EVERY.maps


def closed_form(u, v, kind="diagonal", branch=1, non_expansive=False):
    """Posterior mean and width of N(0, 1), by the paper's formula."""
    turn = np.where(u * v < 0, -1.0, 1.0) if kind == "spherical" else 1.0
    x, y = (np.abs(u), np.abs(v)) if kind == "spherical" else (u, v)
    a = (x * y + branch * np.sqrt(4 + x**2 * (4 + y**2))) / (2 * (1 + x**2))
    if non_expansive:
        a = np.clip(a, -1, 1)
    return v - turn * a * u, np.abs(a)


def grid(scene):
    return np.meshgrid(scene.delta, scene.delta)


def bold(ax, level):
    """Vertices of one contour of a map."""
    found = [
        path.vertices
        for contours in ax.collections
        for at, path in zip(contours.levels, contours.get_paths(), strict=True)
        if np.isclose(at, level)
    ]
    return np.concatenate(found)


@pytest.mark.parametrize("scene", VARIANTS, ids=lambda scene: scene.name)
def test_values_are_the_closed_form(scene):
    """Every variant holds the paper's formula at every point of its grid."""
    mean, std = closed_form(*grid(scene), scene.kind, scene.branch, scene.non_expansive)
    np.testing.assert_allclose(scene.mean, mean, atol=1e-13)
    np.testing.assert_allclose(scene.std, std, atol=1e-13)


def test_values_at_known_points():
    """Pulled onto the mean, crossing it, moved away from it: three values that can be checked by hand."""
    scene = regime_map(points=9)
    at = {(u, v): scene.std[v + 4, u + 4] for u in range(-4, 5) for v in range(-4, 5)}
    assert at[1, 0] == pytest.approx(np.sqrt(0.5))
    assert at[1, -2] == pytest.approx((np.sqrt(3) - 1) / 2)
    assert at[1, 2] == pytest.approx((np.sqrt(3) + 1) / 2)
    assert scene.mean[-2 + 4, 1 + 4] == pytest.approx(-2 - (np.sqrt(3) - 1) / 2)
    assert scene.mean[3 + 4, 0 + 4] == pytest.approx(3)


@pytest.mark.parametrize("scene", [s for s in VARIANTS if s.kind == "spherical"], ids=lambda scene: scene.name)
def test_spherical_maps_are_those_of_the_spherical_belief(scene):
    """A handful of points of each spherical map, against the flow of a one-dimensional spherical belief."""
    prior, rng = SphericalBelief([0.0], 1.0), np.random.default_rng(0)
    for i, j in rng.integers(0, scene.delta.size, (60, 2)):
        u, v = scene.delta[[j, i]]
        post = prior.flow([u], [v], branch=scene.branch, non_expansive=scene.non_expansive)
        assert scene.mean[i, j] == pytest.approx(post.mean[0], abs=1e-13)
        assert scene.std[i, j] == pytest.approx(post.std, abs=1e-13)


def test_images_hold_the_maps_the_right_way_up():
    """The filled maps are the arrays, Δ across and Δ' up, white at what does not change."""
    mean, std = (ax.images[0] for ax in draw_regime_map(SCENE).axes[:2])
    for image, values, still in ((mean, SCENE.mean, 0.0), (std, SCENE.std, 1.0)):
        np.testing.assert_array_equal(image.get_array(), values)
        assert image.origin == "lower"
        assert image.norm(still) == pytest.approx(0.5)
        assert image.get_cmap().name == palette.AROUND
    assert std.norm(0.5) + std.norm(2.0) == pytest.approx(1)  # half and double are equally far from no change


def test_contour_of_unchanged_width_is_the_diagonal_and_the_vertical():
    """Each vertex of the drawn contour at 1 lies on Δ' = Δ or on Δ = 0, and all of both lines is covered."""
    x, y = bold(draw_regime_map(SCENE).axes[1], 1.0).T
    step = SCENE.delta[1] - SCENE.delta[0]
    on_diagonal, on_vertical = np.abs(x - y) < step / 2, np.abs(x) < step / 2
    assert (on_diagonal | on_vertical).all()
    for covered in (x[on_diagonal], y[on_vertical]):
        assert np.diff(np.sort(covered)).max() < 2.5 * step
        assert covered.min() < -3.9
        assert covered.max() > 3.9


def test_contour_of_unchanged_mean_is_the_diagonal():
    """The mean stays only where the weight does."""
    x, y = bold(draw_regime_map(SCENE).axes[0], 0.0).T
    np.testing.assert_allclose(x, y, atol=SCENE.delta[1] - SCENE.delta[0])
    assert np.ptp(x) > 7.9


def test_thin_contours_lie_on_their_levels():
    """The closed form at the vertices of every contour of the width is the level it is labelled with."""
    (contours,) = draw_regime_map(regime_map()).axes[1].collections
    for level, path in zip(contours.levels, contours.get_paths(), strict=True):
        u, v = path.vertices.T
        np.testing.assert_allclose(closed_form(u, v)[1], level, rtol=0.03)
    assert len(contours.levels) == 8


def test_erratum_5_the_whole_crossing_region_narrows():
    """Crossing narrows everywhere, contracting too; expanding widens; the further the step, the more."""
    u, v = grid(SCENE)
    assert SCENE.std[u * v < 0].max() < 1
    assert SCENE.std[(u * v >= 0) & (u * v < u * u)].max() < 1
    assert SCENE.std[u * v > u * u].min() > 1
    right, left = SCENE.delta > 0, SCENE.delta < 0
    assert (np.diff(SCENE.std[:, right], axis=0) > 0).all()
    assert (np.diff(SCENE.std[:, left], axis=0) < 0).all()
    assert SCENE.std[u * v < 0].min() < SCENE.std[u * v >= 0].min()  # and nowhere is it narrower
    assert "crosses the mean always narrows the belief: to between 0.059 and 0.99" in alt_text(draw_regime_map(SCENE))


def test_variants_differ_as_the_paper_and_its_errata_say():
    """Non-expansive never widens; the reflected branch is the mirrored map; spherical crossing reflects."""
    by_name = {scene.name: scene for scene in VARIANTS}
    plain, mirrored = by_name["diagonal, δ = +1"], by_name["diagonal, δ = −1"]
    np.testing.assert_allclose(plain.std, mirrored.std[::-1], atol=1e-13)
    for scene in VARIANTS:
        if scene.non_expansive:
            assert scene.std.max() <= 1
    spherical, (u, v) = by_name["spherical, δ = +1"], grid(plain)
    np.testing.assert_array_equal(spherical.std[u * v < 0], mirrored.std[u * v < 0])
    np.testing.assert_array_equal(spherical.std[u * v >= 0], plain.std[u * v >= 0])


def test_lines_and_regimes_are_named_where_they_are():
    """Each regime is named inside its region, and both lines are drawn and named on themselves."""
    for ax in draw_regime_map(SCENE).axes[:2]:
        places = {}
        for text in ax.texts:
            places.setdefault(text.get_text(), []).append(text.get_position())
        for name in ("contracting", "crossing", "expanding"):
            assert [regime(*place) for place in places[name]] == [name, name]
        assert places["Δ = 0"][0][0] == 0
        assert len(set(places["Δ′ = Δ"][0])) == 1
        lines = {tuple(map(tuple, line.get_xydata())) for line in ax.get_lines()}
        assert lines == {((-4, -4), (4, 4)), ((0, -4), (0, 4))}


def test_contour_labels_say_the_value_there():
    """Every number written on a map is the value of the closed form at its place."""
    for ax, k in zip(draw_regime_map(regime_map()).axes[:2], (0, 1), strict=True):
        numbers = [text for text in ax.texts if text.get_text().lstrip("−").replace(".", "").isdigit()]
        assert len(numbers) >= 6
        for text in numbers:
            value = float(text.get_text().replace("−", "-"))
            assert closed_form(*text.get_position())[k] == pytest.approx(value, rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("scene", VARIANTS[:5], ids=lambda scene: scene.name)
def test_map_has_room_for_all_of_it(scene, style):
    """Nothing outside of the figure and no word on another, whatever the update and in both styles."""
    figure = draw_regime_map(scene, style=style)
    assert inside(figure)
    assert not overlapping_words(figure)
    assert f"({scene.name})" in alt_text(figure)
    if scene is not VARIANTS[0]:
        assert scene.name.capitalize() in [word for word, _ in words(figure)]


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_variants_have_room_for_all_of_them(style):
    """Sixteen titled panels, two labelled colour bars, nothing outside and no word on another."""
    figure = draw_regime_variants(EVERY, style=style)
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert sum(bool(title) for title in titles) == 2 * len(VARIANTS)
    assert len(set(titles) - {""}) == len(VARIANTS)
    shown = [word for word, _ in words(figure)]
    assert "posterior std (prior std)" in shown
    assert "posterior mean (prior std)" in shown
    assert inside(figure)
    assert not overlapping_words(figure)
    for scene, std, mean in zip(VARIANTS, figure.axes[:8], figure.axes[8:16], strict=True):
        np.testing.assert_array_equal(std.images[0].get_array(), scene.std)
        np.testing.assert_array_equal(mean.images[0].get_array(), scene.mean)
        assert f"{scene.name}: {scene.std.min():.2f} to {scene.std.max():.2f}" in alt_text(figure)


def test_titles_and_alt_text_follow_the_data():
    """Titles say what is true of this map: where it widens, and whether the mean follows."""
    said = {scene.name: (scene.about_mean, scene.about_std) for scene in VARIANTS}
    assert said["diagonal, δ = +1"] == (
        "goes with the step, never further",
        "grows only where the weight moves away",
    )
    assert said["spherical, δ = +1"] == (
        "may go against the step",
        "grows only when crossing or expanding",
    )
    assert said["diagonal, δ = −1"][1] == "grows only where the weight crosses"
    assert said["spherical, δ = −1"][1] == said["diagonal, δ = +1, non-expansive"][1] == "never grows"
    figure = draw_regime_map(SCENE)
    assert "moves away" in figure.axes[1].get_title(loc="left")
    assert f"from {SCENE.mean.min():.2f} to {SCENE.mean.max():.2f}" in alt_text(figure)


def test_given_axes_are_drawn_on():
    """Axes that are passed in are used and their figure returned; a wrong number of them is refused."""
    figure = Figure(figsize=(9, 4))
    axes = figure.subplots(1, 3)
    assert draw_regime_map(SCENE, axes=axes[:2]) is figure
    assert axes[0].images
    assert not axes[2].images
    with pytest.raises(ValueError, match="axes must be 2"):
        draw_regime_map(SCENE, axes=axes)
    other = Figure(figsize=(6, 6))
    assert draw_regime_variants(RegimeVariants(VARIANTS[:2]), axes=other.subplots(2, 2)) is other


def test_wrong_kind_is_refused():
    """One sentence names what is wrong."""
    with pytest.raises(ValueError, match="kind must be"):
        regime_map(kind="full")
