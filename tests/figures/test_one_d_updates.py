"""The one-dimensional updates are the closed form, and the weights stand where they moved."""

import numpy as np
import pytest
from looks import inside, overlapping_words
from matplotlib.figure import Figure
from scipy.stats import norm

from bflo_viz.figures import palette
from bflo_viz.figures.one_d_updates import draw_one_d_updates
from bflo_viz.figures.style import STYLES, alt_text
from bflo_viz.scenes.one_dimension import one_d_updates

WEIGHTS, STEPS = (1.0, 0.2), (-4, -2, 2, 4)
SCENE = one_d_updates()


def closed_form(u, v):
    """Posterior mean and width of N(0, 1), by the paper's formula."""
    a = (u * v + np.sqrt(4 + u**2 * (4 + v**2))) / (2 * (1 + u**2))
    return v - a * u, a


def lines(ax, beginning):
    return [line for line in ax.get_lines() if line.get_label().startswith(beginning)]


def panels():
    return zip(draw_one_d_updates(SCENE).axes, WEIGHTS, strict=True)


def test_curves_are_the_densities_of_the_closed_form():
    """Prior and four posteriors a panel are scipy's normal densities."""
    for ax, w in panels():
        (prior,) = lines(ax, "prior")
        np.testing.assert_allclose(prior.get_ydata(), norm.pdf(prior.get_xdata()), rtol=1e-12)
        posteriors = lines(ax, "posterior")
        assert len(posteriors) == 4
        for line, d in zip(posteriors, STEPS, strict=True):
            x, y = line.get_data()
            np.testing.assert_allclose(y, norm.pdf(x, *closed_form(w, w + d)), rtol=1e-10, atol=1e-300)


def test_curves_are_told_apart_without_colour():
    """Each posterior has its own line style, is filled, and has the displacement written beside it."""
    for ax, _ in panels():
        posteriors = lines(ax, "posterior")
        assert len({str(line._unscaled_dash_pattern) for line in posteriors}) == 4
        assert {line.get_color() for line in posteriors} == {palette.POSTERIOR}
        assert len(ax.collections) == 4
        assert {"−4", "−2", "+2", "+4", "prior"} <= {text.get_text() for text in ax.texts}


def test_labels_touch_their_curves():
    """The point that each displacement is written at lies on the posterior of that displacement."""
    for ax, w in panels():
        for text in ax.texts:
            if text.get_text() in ("−4", "−2", "+2", "+4"):
                x, y = text.xy
                d = float(text.get_text().replace("−", "-"))
                assert y == pytest.approx(norm.pdf(x, *closed_form(w, w + d)))


def test_verticals_stand_where_the_weight_was_and_went():
    """One dashed vertical with a hollow dot for the weight before, four with full dots for after."""
    for ax, w in panels():
        (before,) = lines(ax, "weight before")
        after = lines(ax, "weight after")
        assert set(before.get_xdata()) == {w}
        assert [line.get_xdata()[0] for line in after] == [line.get_xdata()[1] for line in after]
        np.testing.assert_allclose([line.get_xdata()[0] for line in after], [w + d for d in STEPS])
        assert before.get_markerfacecolor() == "white"
        assert {line.get_markerfacecolor() for line in after} == {palette.WEIGHT}
        assert {line.get_linestyle() for line in (before, *after)} == {"--"}


def test_near_the_mean_it_is_mostly_a_shift():
    """A σ away widths go from 0.28 to 2.69; at σ/5 all are nearer to 1, and the titles say so."""
    away, near = SCENE.panels
    assert (np.abs(np.log(near.stds)) < np.abs(np.log(away.stds))).all()
    for panel, w in zip(SCENE.panels, WEIGHTS, strict=True):
        mean, std = closed_form(w, w + np.array(STEPS))
        np.testing.assert_allclose([panel.means, panel.stds], [mean, std], rtol=1e-12)
        for_mean, for_width = mean**2 / 2, (std**2 - 1) / 2 - np.log(std)
        np.testing.assert_allclose(panel.mean_share, for_mean / (for_mean + for_width), rtol=1e-10)
    titles = [ax.get_title(loc="left") for ax, _ in panels()]
    assert "1σ" in titles[0] and "width changes too" in titles[0]
    assert "0.2σ" in titles[1] and "mostly shifts" in titles[1]


def test_alt_text_has_the_numbers():
    """Mean and width of every posterior are in the alt text."""
    said = alt_text(draw_one_d_updates(SCENE))
    for w in WEIGHTS:
        for d in STEPS:
            mean, std = closed_form(w, w + d)
            assert f"mean {mean:.2f} and standard deviation {std:.2f}".replace("-", "−") in said
    assert "At least 98%" in said


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_there_is_room_for_all_of_it(style):
    """Nothing outside, no word on another, one scale for both panels, axes labelled."""
    figure = draw_one_d_updates(SCENE, style=style)
    assert inside(figure)
    assert not overlapping_words(figure)
    assert len({ax.get_ylim() for ax in figure.axes}) == len({ax.get_xlim() for ax in figure.axes}) == 1
    assert all("standard deviations" in ax.get_xlabel() for ax in figure.axes)
    assert figure.axes[0].get_ylabel() == "density"
    for ax in figure.axes:
        assert max(line.get_ydata().max() for line in ax.get_lines()) < ax.get_ylim()[1]


def test_given_axes_are_drawn_on():
    """Axes that are passed in are used; a wrong number of them is refused."""
    figure = Figure(figsize=(8, 3))
    axes = figure.subplots(1, 2)
    assert draw_one_d_updates(SCENE, axes=axes) is figure
    assert len(lines(axes[1], "posterior")) == 4
    with pytest.raises(ValueError, match="axes must be 2"):
        draw_one_d_updates(SCENE, axes=axes[0])
