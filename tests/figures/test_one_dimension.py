"""One weight: landscapes, maps and updates are the closed form, and the pictures show them."""

import numpy as np
import pytest
from looks import inside, line, made
from matplotlib.figure import Figure
from oracles import printed_stretch
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from bflo_viz import SphericalBelief, regime
from bflo_viz.figures import alt_text, draw_kl_landscape, draw_regime_map, draw_update, palette
from bflo_viz.figures.one_dimension import draw_beliefs
from bflo_viz.figures.style import look
from bflo_viz.scenes import UpdateScene, kl_landscape, one_d_updates, regime_map, regime_variants

PAIRS = ((1.0, 0.5), (1.0, -2.0), (1.0, 2.0))
MAP = regime_map(points=81)
VARIANTS = regime_variants(points=41).maps


def integral_kl(a, u, v):
    """KL of N(v − a u, a²) from N(0, 1), integrated."""
    post = norm(v - a * u, abs(a))
    reach = (post.mean() - 10 * abs(a), post.mean() + 10 * abs(a))
    return quad(lambda w: post.pdf(w) * (post.logpdf(w) - norm.logpdf(w)), *reach, epsabs=1e-10)[0]


def closed_form(u, v, kind="diagonal", branch=1, non_expansive=False):
    """Posterior mean and width of N(0, 1), by the paper's formula."""
    turn = np.where(u * v < 0, -1.0, 1.0) if kind == "spherical" else 1.0
    x, y = (np.abs(u), np.abs(v)) if kind == "spherical" else (u, v)
    a = printed_stretch(x, y, branch)
    if non_expansive:
        a = np.clip(a, -1, 1)
    return v - turn * a * u, np.abs(a)


def grid(scene):
    return np.meshgrid(scene.delta, scene.delta)


# The KL of a stretch


@pytest.mark.parametrize("place", range(3))
def test_the_landscape_is_the_kl_divergence(place):
    """Against the divergence as an integral, term by term; infinite at 0; both minima by scipy's minimiser."""
    (u, v), panel = PAIRS[place], kl_landscape(PAIRS).panels[place]
    a = panel.stretch
    assert np.isinf(panel.kl[a == 0]).all() and (a == 0).sum() == 1
    some = np.flatnonzero(np.abs(a) > 0.02)[::60]
    np.testing.assert_allclose(panel.kl[some], [integral_kl(a[k], u, v) for k in some], atol=1e-7)
    np.testing.assert_allclose(panel.width_term[some], [integral_kl(a[k], 0, 0) for k in some], atol=1e-7)
    np.testing.assert_allclose(panel.mean_term, (v - a * u) ** 2 / 2)
    for lowest, bounds in ((panel.picked, (1e-3, 4)), (panel.reflected, (-4, -1e-3))):
        best = minimize_scalar(integral_kl, bounds=bounds, args=(u, v), method="bounded", options={"xatol": 1e-5})
        assert lowest.stretch == pytest.approx(best.x, abs=1e-4) and lowest.kl == pytest.approx(best.fun, abs=1e-7)


def test_the_landscape_is_drawn_and_erratum_4_is_there_to_see():
    """u = 1, v = −2: a = 0.366 at 3.371 nats is picked, a = −1.366 at 0.322 nats is not, and the title says so."""
    figure = made("kl_landscape")
    for ax, panel in zip(figure.axes, figure.scene.panels, strict=True):
        np.testing.assert_array_equal(line(ax, "KL").get_data(), (panel.stretch, panel.kl))
        for name, lowest, face in (
            ("picked", panel.picked, palette.POSTERIOR),
            ("reflected", panel.reflected, "white"),
        ):
            assert tuple(line(ax, name).get_xydata()[0]) == tuple(lowest)
            assert line(ax, name).get_markerfacecolor() == face
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert [title.split(",")[0] for title in titles] == ["Contracting", "Crossing", "Expanding"]
    assert ["picks the lowest" in title for title in titles] == [True, False, True]
    assert "reflecting would cost 3.05 nats less" in titles[1]
    assert "a = 0.366\nKL = 3.371" in [text.get_text() for text in figure.axes[1].texts]
    assert "picks a = 0.366 at 3.371 nats; the reflected minimum is a = −1.366 at 0.322 nats" in alt_text(figure)
    (tie,) = draw_kl_landscape([(0.0, 2.0)]).axes
    assert "both sides cost the same" in tie.get_title(loc="left")


# The map of regimes


@pytest.mark.parametrize("scene", VARIANTS, ids=lambda scene: scene.name)
def test_maps_are_the_closed_form(scene):
    """Every variant holds the paper's formula at every point; spherical ones are those of a spherical belief."""
    mean, std = closed_form(*grid(scene), scene.kind, scene.branch, scene.non_expansive)
    np.testing.assert_allclose(scene.mean, mean, atol=1e-13)
    np.testing.assert_allclose(scene.std, std, atol=1e-13)
    if scene.kind == "spherical":
        prior = SphericalBelief([0.0], 1.0)
        for i, j in np.random.default_rng(0).integers(0, scene.delta.size, (60, 2)):
            u, v = scene.delta[[j, i]]
            post = prior.flow([u], [v], branch=scene.branch, non_expansive=scene.non_expansive)
            assert scene.mean[i, j] == pytest.approx(post.mean[0], abs=1e-13)
            assert scene.std[i, j] == pytest.approx(post.std, abs=1e-13)


def test_erratum_5_the_whole_crossing_region_narrows():
    """Crossing narrows everywhere, contracting too; expanding widens; and the words say so."""
    u, v = grid(MAP)
    assert MAP.std[u * v < 0].max() < 1
    assert MAP.std[(u * v >= 0) & (u * v < u * u)].max() < 1
    assert MAP.std[u * v > u * u].min() > 1
    assert "where the weight crosses the mean, 0.059 to 0.99" in MAP.words()
    said = {scene.name: (scene.about_mean, scene.about_std) for scene in VARIANTS}
    assert said["diagonal, δ = +1"] == ("goes with the step, never further", "grows only if the weight moves away")
    assert said["spherical, δ = +1"] == ("may go against the step", "grows only when crossing or expanding")
    assert said["diagonal, δ = −1"][1] == "grows only if the weight crosses"
    assert said["spherical, δ = −1"][1] == said["diagonal, δ = +1, non-expansive"][1] == "never grows"
    with pytest.raises(ValueError, match="kind must be"):
        regime_map(kind="full")


def test_the_map_is_drawn_the_right_way_up():
    """Δ across and Δ' up, white at what does not change, every contour on its level, regimes named inside them."""
    figure = made("regime_map")
    scene, step = figure.scene, figure.scene.delta[1] - figure.scene.delta[0]
    for ax, values, still, k in zip(figure.axes[:2], (scene.mean, scene.std), (0.0, 1.0), (0, 1), strict=True):
        (image,) = ax.images
        np.testing.assert_array_equal(image.get_array(), values)
        assert image.origin == "lower" and image.norm(still) == pytest.approx(0.5)
        (contours,) = ax.collections
        for level, path in zip(contours.levels, contours.get_paths(), strict=True):
            x, y = path.vertices.T
            if np.isclose(level, still):  # where nothing changes: the diagonal and, for the width, the vertical
                away = np.abs(x - y) if k == 0 else np.minimum(np.abs(x - y), np.abs(x))
                assert away.max() < step and np.ptp(y) > 7.8
            else:
                np.testing.assert_allclose(closed_form(x, y)[k], level, rtol=0.03, atol=0.03)
        names = [text for text in ax.texts if text.get_text() in ("contracting", "crossing", "expanding")]
        assert len(names) == 6
        assert all(regime(*text.get_position()) == text.get_text() for text in names)
        numbers = [float(text.get_text().replace("−", "-")) for text in contours.labelTexts]
        assert len(numbers) >= 6 and set(np.abs(numbers)) <= {1, 2, 3, 4} | {0.125, 0.25, 0.5, 0.8, 1.25, 2}


def test_no_contour_lies_where_a_spherical_mean_jumps():
    scene = VARIANTS[1]
    assert scene.kind == "spherical"
    lines = draw_regime_map(scene).axes[0].collections
    heights = np.concatenate([path.vertices[:, 1] for each in lines for path in each.get_paths()])
    assert len(heights) > 40 and np.abs(heights).min() > 0.99 * (scene.delta[1] - scene.delta[0])


def test_names_on_the_reflected_map_are_where_they_belong():
    """Each where the update has it, once the belief is turned over; the mean's map has the same."""
    scene = regime_map(branch=-1, points=41)
    for ax in draw_regime_map(scene).axes[:2]:
        names = {text.get_position(): text.get_text() for text in ax.texts if text.get_text().isalpha()}
        assert len(names) == 6
        assert all(regime(*at, branch=-1) == name for at, name in names.items())


# Updates


def test_updates_are_the_closed_form():
    """Densities, means, widths and what pays for the mean, for a weight away from the mean and one near it."""
    scene = one_d_updates()
    for panel, w in zip(scene.panels, (1.0, 0.2), strict=True):
        mean, std = closed_form(w, w + scene.displacements)
        np.testing.assert_allclose([panel.means, panel.stds], [mean, std], rtol=1e-12)
        for density, m, s in zip(panel.densities, mean, std, strict=True):
            np.testing.assert_allclose(density, norm.pdf(scene.x, m, s), rtol=1e-10, atol=1e-300)
            assert f"mean {m:.2f} and standard deviation {s:.2f}".replace("-", "−") in scene.words()
        for_mean, for_width = mean**2 / 2, (std**2 - 1) / 2 - np.log(std)
        np.testing.assert_allclose(panel.mean_share, for_mean / (for_mean + for_width), rtol=1e-10)
    assert "At least 98%" in scene.words()


def test_updates_are_drawn_where_they_are():
    """Posteriors with a style each and named on their curve; weights as uprights, hollow before and full after."""
    figure = made("one_d_updates")
    scene = figure.scene
    for ax, panel in zip(figure.axes, scene.panels, strict=True):
        curves = {name: line(ax, f"posterior {name}") for name in ("−4", "−2", "+2", "+4")}
        np.testing.assert_array_equal([curve.get_ydata() for curve in curves.values()], panel.densities)
        assert len({str(curve._unscaled_dash_pattern) for curve in curves.values()}) == 4
        assert line(ax, "weight before").get_markerfacecolor() == "white"
        after = [upright for upright in ax.get_lines() if upright.get_label() == "weight after"]
        np.testing.assert_allclose([upright.get_xdata() for upright in after], np.transpose([panel.moved] * 2))
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert "1σ" in titles[0] and "width changes too" in titles[0]
    assert "0.2σ" in titles[1] and "mostly shifts" in titles[1]


@pytest.mark.parametrize(
    ("w_new", "words"), [(1.0, "narrows"), (-1.0, "narrows"), (3.0, "widens"), (1.5, "keeps its width")]
)
def test_one_update_shows_densities_and_weights(w_new, words):
    """scipy's densities of prior and posterior; the title says what became of the width."""
    for branch in (1, -1):
        scene, ax = UpdateScene(1.5, w_new, branch=branch), Figure().add_subplot()
        with look():
            draw_beliefs(ax, scene, 5.0)
        for name, belief in (("prior", scene.prior), ("posterior", scene.posterior)):
            x, y = line(ax, name).get_data()
            np.testing.assert_allclose(y, norm.pdf(x, belief.mean[0], belief.std[0]), rtol=1e-12, atol=1e-14)
            assert y.max() < ax.get_ylim()[1]
        assert set(line(ax, "weight before").get_xdata()) == {1.5}
        assert set(line(ax, "weight after").get_xdata()) == {w_new}
        title = ax.get_title(loc="left")
        assert title.startswith(scene.regime.capitalize())
        assert words in title if branch > 0 else "widens" not in title


@pytest.mark.parametrize("small", [True, False])
@pytest.mark.parametrize(
    "settings",
    [
        (1.5, 0.5),
        (4.0, -4.0, 0.6),
        (1.5, 4.0, 1.0, -1, True),
        (0.25, -4.0, 0.25),
    ],
)
def test_one_update_lies_on_the_maps_and_on_the_landscape(settings, small):
    """The ring lies at the point; the stretch that was taken is the ratio of the widths, at its cost."""
    scene = UpdateScene(*settings)
    figure = draw_update(scene, small=small)
    for ax in figure.axes[: 1 if small else 2]:
        np.testing.assert_allclose(line(ax, "here").get_xydata()[0] * scene.std, [scene.delta, scene.delta_new])
    assert alt_text(figure) == scene.words()
    assert inside(figure)
    if not small:
        ((a, kl),) = line(figure.axes[3], "taken").get_xydata()
        assert abs(a) == pytest.approx(scene.posterior.std[0] / scene.std)
        u, v = scene.delta / scene.std, scene.delta_new / scene.std
        assert kl == pytest.approx(integral_kl(a, u, v), abs=1e-8) == pytest.approx(scene.posterior.kl(scene.prior))
        assert scene.posterior.mean[0] == pytest.approx(scene.delta_new - a * scene.delta)
        for name in ("taken", "other branch"):
            (at,) = line(figure.axes[3], name).get_xdata()
            assert figure.axes[3].get_xlim()[0] <= at <= figure.axes[3].get_xlim()[1]
