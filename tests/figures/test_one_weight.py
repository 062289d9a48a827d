"""One weight: landscapes, maps and updates are the closed form, and the pictures show them."""

import numpy as np
import pytest
from looks import line, made
from oracles import printed_stretch
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from bflo_viz import regime
from bflo_viz.figures import draw_kl_landscape, draw_one_update, palette
from bflo_viz.figures.one_weight import kl_landscape, one_d_updates, regime_map

PAIRS = ((1.0, 0.5), (1.0, -2.0), (1.0, 2.0))


def integral_kl(a, u, v):
    """KL of N(v − a u, a²) from N(0, 1), integrated."""
    post = norm(v - a * u, abs(a))
    reach = (post.mean() - 10 * abs(a), post.mean() + 10 * abs(a))
    return quad(lambda w: post.pdf(w) * (post.logpdf(w) - norm.logpdf(w)), *reach, epsabs=1e-10)[0]


def closed_form(u, v):
    """Posterior mean and width of N(0, 1), by the paper's formula."""
    a = printed_stretch(u, v)
    return v - a * u, a


@pytest.mark.parametrize("place", range(3))
def test_the_landscape_is_the_kl_divergence(place):
    """Against the divergence as an integral, term by term; infinite at 0; both minima by scipy's minimiser."""
    (u, v), panel = PAIRS[place], kl_landscape(*PAIRS[place])
    a = panel.stretch
    assert np.isinf(panel.kl[a == 0]).all() and (a == 0).sum() == 1
    some = np.flatnonzero(np.abs(a) > 0.02)[::60]
    np.testing.assert_allclose(panel.kl[some], [integral_kl(a[k], u, v) for k in some], atol=1e-7)
    np.testing.assert_allclose(panel.width_term[some], [integral_kl(a[k], 0, 0) for k in some], atol=1e-7)
    np.testing.assert_allclose(panel.mean_term, (v - a * u) ** 2 / 2)
    for lowest, bounds in ((panel.picked, (1e-3, 4)), (panel.reflected, (-4, -1e-3))):
        best = minimize_scalar(integral_kl, bounds=bounds, args=(u, v), method="bounded", options={"xatol": 1e-5})
        assert lowest[0] == pytest.approx(best.x, abs=1e-4) and lowest[1] == pytest.approx(best.fun, abs=1e-7)


def test_the_landscape_is_drawn_and_erratum_4_is_there_to_see():
    """u = 1, v = −2: a = 0.366 at 3.371 nats is picked, a = −1.366 at 0.322 nats is not, and the title says so."""
    figure = made("kl_landscape")
    for ax, panel in zip(figure.axes, [kl_landscape(*pair) for pair in PAIRS], strict=True):
        np.testing.assert_array_equal(line(ax, "KL").get_data(), (panel.stretch, panel.kl))
        for name, lowest in (("_picked", panel.picked), ("_mirror", panel.reflected)):
            assert tuple(line(ax, name).get_xydata()[0]) == tuple(lowest)
            full = line(ax, name).get_markerfacecolor() == palette.POSTERIOR
            assert full == (name == "_picked")
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert [title.split(":")[0] for title in titles] == ["Contracting", "Crossing", "Expanding"]
    assert ["takes the lower" in title for title in titles] == [True, False, True]
    assert "pays 3.05 nats more" in titles[1]
    assert "picked\na = 0.37\n3.37 nats" in [text.get_text() for text in figure.axes[1].texts]
    assert "picks a = 0.366 at 3.371 nats, its mirror is a = −1.366 at 0.322 nats" in figure.alt_text
    (tie,) = draw_kl_landscape([(0.0, 2.0)]).axes
    assert "valleys cost the same" in tie.get_title(loc="left")


def test_the_map_is_the_closed_form():
    found = regime_map(points=41)
    np.testing.assert_allclose(
        [found.mean, found.std], closed_form(*np.meshgrid(found.delta, found.delta)), atol=1e-13
    )


def test_the_map_is_drawn_the_right_way_up():
    """Δ across and Δ' up, white at what does not change, every contour on its level, regimes named inside them."""
    figure = made("regime_map")
    found = regime_map()
    step = found.delta[1] - found.delta[0]
    for ax, values, still, k in zip(figure.axes[:2], (found.mean, found.std), (0.0, 1.0), (0, 1), strict=True):
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


def test_updates_are_the_closed_form_and_drawn_where_they_are():
    """Densities, means, widths and what pays for the mean, for a weight away from the mean and one near it."""
    found, figure = one_d_updates(), made("one_d_updates")
    for panel, w, ax in zip(found.panels, (1.0, 0.2), figure.axes, strict=True):
        mean, std = closed_form(w, w + found.displacements)
        np.testing.assert_allclose([panel.means, panel.stds], [mean, std], rtol=1e-12)
        for density, m, s in zip(panel.densities, mean, std, strict=True):
            np.testing.assert_allclose(density, norm.pdf(found.x, m, s), rtol=1e-10, atol=1e-300)
        for_mean, for_width = mean**2 / 2, (std**2 - 1) / 2 - np.log(std)
        np.testing.assert_allclose(panel.mean_share, for_mean / (for_mean + for_width), rtol=1e-10)
        # Posteriors have a dash each and are named on their curve; a weight is hollow before its step, full after it.
        curves = {name: line(ax, name) for name in ("−4", "−2", "+2", "+4")}
        np.testing.assert_array_equal([curve.get_ydata() for curve in curves.values()], panel.densities)
        assert len({str(curve._unscaled_dash_pattern) for curve in curves.values()}) == 4
        assert line(ax, "w").get_markerfacecolor() == palette.PAPER
        after = [line(ax, f"w{name}") for name in curves]
        np.testing.assert_allclose([upright.get_xdata() for upright in after], np.transpose([panel.moved] * 2))
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert "1σ" in titles[0] and "changes its width" in titles[0]
    assert "0.2σ" in titles[1] and "mostly shifts" in titles[1]


@pytest.mark.parametrize(
    ("w_new", "words"), [(1.0, "narrows"), (-1.0, "narrows"), (3.0, "widens"), (1.5, "keeps its width")]
)
def test_one_update_shows_densities_and_weights(w_new, words):
    """scipy's densities of prior and posterior; the title says what became of the width."""
    (ax,) = draw_one_update([(1.5, w_new)]).axes
    mean, std = closed_form(1.5, w_new)
    for name, (middle, width) in (("prior", (0, 1)), ("posterior", (mean, std))):
        x, y = line(ax, name).get_data()
        np.testing.assert_allclose(y, norm.pdf(x, middle, width), rtol=1e-9, atol=1e-14)
        assert y.max() < ax.get_ylim()[1]
    assert set(line(ax, "w").get_xdata()) == {1.5}
    assert set(line(ax, "w′").get_xdata()) == {w_new}
    assert ax.get_title(loc="left").startswith(str(regime(1.5, w_new)).capitalize())
    assert words in ax.get_title(loc="left")
