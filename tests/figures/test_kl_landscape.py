"""The landscape is the KL divergence, and its dots are at its lowest points."""

import numpy as np
import pytest
from looks import inside, overlapping_words, words
from matplotlib.figure import Figure
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from bflo_viz.figures import palette
from bflo_viz.figures.kl_landscape import draw_kl_landscape
from bflo_viz.figures.style import STYLES, alt_text
from bflo_viz.scenes.one_dimension import kl_landscape

PAIRS = ((1.0, 0.5), (1.0, -2.0), (1.0, 2.0))
SCENE = kl_landscape(PAIRS)


def integral_kl(a, u, v):
    """KL of N(v − a u, a²) from N(0, 1), integrated."""
    post = norm(v - a * u, abs(a))
    reach = (post.mean() - 10 * abs(a), post.mean() + 10 * abs(a))
    return quad(lambda w: post.pdf(w) * (post.logpdf(w) - norm.logpdf(w)), *reach, epsabs=1e-10)[0]


def line(ax, label):
    (found,) = (line for line in ax.get_lines() if line.get_label() == label)
    return found


def test_curve_is_the_kl_divergence():
    """The drawn curve, at stretches on both sides, against the divergence as an integral."""
    for ax, (u, v) in zip(draw_kl_landscape(SCENE).axes, PAIRS, strict=True):
        a, kl = line(ax, "KL").get_data()
        for k in np.flatnonzero(np.abs(a) > 0.02)[::90]:
            assert kl[k] == pytest.approx(integral_kl(a[k], u, v), abs=1e-7)


def test_curve_is_infinite_at_zero_and_reaches_the_top():
    """The branches are apart at a = 0, and both go up as far as the panel shows."""
    for ax in draw_kl_landscape(SCENE).axes:
        a, kl = line(ax, "KL").get_data()
        assert np.isinf(kl[a == 0]).all() and (a == 0).sum() == 1
        assert kl[(a > 0).argmax()] > ax.get_ylim()[1]
        assert kl[(a < 0).sum() - 1] > ax.get_ylim()[1]


def test_terms_add_up():
    """The two thin lines are the costs of the mean and of the width, and their sum is the curve."""
    for ax, (u, v) in zip(draw_kl_landscape(SCENE).axes, PAIRS, strict=True):
        a, mean = line(ax, "mean term").get_data()
        width = line(ax, "width term").get_ydata()
        np.testing.assert_allclose(mean, (v - a * u) ** 2 / 2)
        some = np.flatnonzero(np.abs(a) > 0.02)[::60]
        np.testing.assert_allclose(width[some], [integral_kl(a[k], 0, 0) for k in some], atol=1e-7)
        np.testing.assert_allclose(mean + width, line(ax, "KL").get_ydata())
        assert line(ax, "mean term").get_linestyle() != line(ax, "width term").get_linestyle()


@pytest.mark.parametrize(("name", "bounds"), [("picked", (1e-3, 4)), ("reflected", (-4, -1e-3))])
def test_dots_are_at_the_lowest_points(name, bounds):
    """Each dot is where scipy's minimiser ends on its side; full for the one picked, hollow for the other."""
    for ax, (u, v) in zip(draw_kl_landscape(SCENE).axes, PAIRS, strict=True):
        best = minimize_scalar(integral_kl, bounds=bounds, args=(u, v), method="bounded", options={"xatol": 1e-5})
        ((a, kl),) = line(ax, name).get_xydata()
        assert a == pytest.approx(best.x, abs=1e-4)
        assert kl == pytest.approx(best.fun, abs=1e-7)
        assert line(ax, name).get_markerfacecolor() == ("white" if name == "reflected" else palette.POSTERIOR)


def test_erratum_4_is_there_to_see():
    """u = 1, v = −2: a = 0.366 at 3.371 nats is picked, a = −1.366 at 0.322 nats is not, and the title says so."""
    figure = draw_kl_landscape(kl_landscape(((1.0, -2.0),)))
    shown = [word for word, _ in words(figure)]
    assert "picked\na = 0.366\nKL = 3.371" in shown
    assert "reflected\na = −1.366\nKL = 0.322" in shown
    assert "reflecting would cost 3.05 nats less" in figure.axes[0].get_title(loc="left")
    for words_of_it in ("picks a = 0.366 at 3.371 nats", "a = −1.366 at 0.322 nats", "crossing"):
        assert words_of_it in alt_text(figure)


def test_other_regimes_pick_the_lowest():
    """Where the weight stays on its side, the title says that the lowest point is the one picked."""
    titles = [ax.get_title(loc="left") for ax in draw_kl_landscape(SCENE).axes]
    assert ["picks the lowest" in title for title in titles] == [True, False, True]
    assert [title.split(",")[0] for title in titles] == ["Contracting", "Crossing", "Expanding"]


def test_a_tie_is_called_a_tie():
    """A weight at the mean could as well be reflected, and the title says so."""
    (ax,) = draw_kl_landscape(kl_landscape(((0.0, 2.0),))).axes
    assert "both sides cost the same" in ax.get_title(loc="left")


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("pairs", [PAIRS, PAIRS[1:2], ((1, -0.5), (-2, 1), (0.2, 3), (3, -3))])
def test_there_is_room_for_all_of_it(pairs, style):
    """Nothing outside, no word on another, terms named in each panel, axes labelled."""
    figure = draw_kl_landscape(kl_landscape(pairs), style=style)
    assert inside(figure)
    assert not overlapping_words(figure)
    for ax in figure.axes:
        named = {text.get_text().split()[0] for text in ax.texts}
        assert named == {"picked", "reflected", "mean", "width", "KL"}
        assert ax.get_xlabel()
    assert "nats" in figure.axes[0].get_ylabel()


@pytest.mark.parametrize("style", STYLES)
def test_words_do_not_lie_on_the_curves(style):
    """In the default figure no curve runs through a word."""
    figure = draw_kl_landscape(SCENE, style=style)
    list(words(figure))
    for ax in figure.axes:
        for name in ("KL", "mean term", "width term"):
            a, y = line(ax, name).get_data()
            fine = np.linspace(a[0], a[-1], 8000)
            fine = fine[fine != 0]
            points = ax.transData.transform(np.column_stack([fine, np.interp(fine, a[a != 0], y[a != 0])]))
            for text in ax.texts:
                box = text.get_window_extent()
                across = (points[:, 0] > box.x0) & (points[:, 0] < box.x1)
                up = (points[:, 1] > box.y0 + 2) & (points[:, 1] < box.y1 - 2)
                assert not (across & up).any(), (text.get_text(), name)


def test_given_axes_are_drawn_on():
    """A single pair takes single axes; a wrong number of axes is refused."""
    figure = Figure(figsize=(4, 4))
    ax = figure.subplots()
    assert draw_kl_landscape(kl_landscape(((1.0, 2.0),)), axes=ax) is figure
    assert line(ax, "picked")
    with pytest.raises(ValueError, match="axes must be 3"):
        draw_kl_landscape(SCENE, axes=ax)
