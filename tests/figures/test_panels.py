"""Panels of curves: what is drawn are the means of the runs, and the alt text says them."""

import numpy as np
import pytest
from looks import inside, overlapping_words
from matplotlib.figure import Figure

from bflo_viz.figures import palette
from bflo_viz.figures.panels import draw_panels
from bflo_viz.figures.style import alt_text
from bflo_viz.scenes.curves import Panel

NAN = np.nan
RUNS = {"SGD": [[1.0, 2.0, 30.0], [3.0, 2.0, 10.0]], "mine": [[5.0, NAN, 4.0], [7.0, NAN, NAN]]}


def panel(**options):
    about = {"title": "Mistakes", "xlabel": "round", "ylabel": "mistakes (%)"} | options
    return Panel([10, 20, 40], RUNS, **about)


def line(ax, label):
    (found,) = [line for line in ax.get_lines() if line.get_label() == label]
    return found


def test_curves_are_means_over_the_runs_that_have_a_number():
    """By hand; NaN where no run has one."""
    (ax,) = draw_panels(panel()).get_axes()
    np.testing.assert_array_equal(line(ax, "SGD").get_xdata(), [10, 20, 40])
    np.testing.assert_allclose(line(ax, "SGD").get_ydata(), [2, 2, 20])
    np.testing.assert_allclose(line(ax, "mine").get_ydata(), [6, NAN, 4])
    assert line(ax, "SGD").get_color() == palette.SERIES["SGD"].color


def test_bands_are_one_standard_error():
    """Two runs of 1 and 3 have the standard error 1; a single number has none."""
    mean, error = panel().summary("SGD")
    np.testing.assert_allclose(error, [1, 0, 10])
    mean, error = panel().summary("mine")
    np.testing.assert_allclose((mean[0], error[0], mean[2], error[2]), (6, 1, 4, 0))
    (ax,) = draw_panels(panel()).get_axes()
    (band,) = [patch for patch in ax.collections if patch.get_label() == "SGD, band"]
    vertices = band.get_paths()[0].vertices
    last = vertices[vertices[:, 0] == 40, 1]
    assert (last.min(), last.max()) == (pytest.approx(10), pytest.approx(30))


def test_the_ideal_and_the_events_are_drawn_and_told():
    """Thin lines without a name at their end."""
    figure = draw_panels(panel(ideal=[0, 1, 2], events=[15, 30]))
    (ax,) = figure.get_axes()
    np.testing.assert_allclose(line(ax, "_ideal").get_ydata(), [0, 1, 2])
    assert {text.get_text() for text in ax.texts} == {"SGD", "mine"}
    assert "A thin line shows what would be perfect. Vertical lines are at 15, 30." in alt_text(figure)


def test_alt_text_has_the_first_and_the_last_number_of_each_curve():
    """And what is on the axes, and how many runs there were."""
    words = alt_text(draw_panels(panel()))
    assert words.startswith("Mistakes: mistakes (%) over round, 10 to 40 (mean of 2 runs ± standard error):")
    assert "SGD from 2 to 20, mine from 6 to 4." in words
    one = Panel([1, 2], {"SGD": [[-0.123, 1234.0]]}, "T", "x", "y")
    assert "(one run): SGD from −0.123 to 1234." in alt_text(draw_panels(one))


def test_panels_that_measure_the_same_have_the_same_scale():
    """Unless they need not, or measure something else."""
    small = Panel([1, 2], {"SGD": [[1.0, 2.0]]}, "Small", "round", "mistakes (%)")
    other = Panel([1, 2], {"SGD": [[1.0, 2.0]]}, "Other", "round", "nats")
    one, two, three = draw_panels(panel(), small, other).get_axes()
    assert one.get_ylim() == two.get_ylim() != three.get_ylim()
    one, two = draw_panels(panel(), small, same_scale=False).get_axes()
    assert one.get_ylim() != two.get_ylim()


def test_a_name_looks_the_same_in_all_panels():
    """Also one that the palette does not know, and that comes second in one of them."""
    other = Panel([1, 2], {"mine": [[1.0, 2.0]], "yours": [[2.0, 3.0]]}, "Other", "round", "nats")
    one, two = draw_panels(panel(), other).get_axes()
    assert line(one, "mine").get_color() == line(two, "mine").get_color()
    assert line(two, "mine").get_color() != line(two, "yours").get_color()


@pytest.mark.parametrize("style", ["paper", "slides"])
def test_nothing_is_cut_off_and_no_words_meet(style):
    """In both styles, also on a logarithmic scale."""
    figure = draw_panels(panel(log=True), panel(title="Again", events=[20]), style=style)
    assert inside(figure)
    assert not overlapping_words(figure)
    assert [text.get_text() for text in figure.get_axes()[0].get_xticklabels()] == ["10", "20", "40"]


def test_it_draws_on_given_axes():
    """Of someone else's figure, which it returns."""
    figure = Figure(figsize=(5, 3))
    assert draw_panels(panel(), axes=[figure.add_subplot()]) is figure


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Panel([1], {}, "T", "x", "y"), r"at least one curve, but there is none\.$"),
        (lambda: Panel([1], {"a": [1.0]}, "T", "x", "y"), r"1 columns, as x has places, but it has shape \(1,\)\.$"),
        (
            lambda: Panel([1, 2], {"a": [[1.0]]}, "T", "x", "y"),
            r"curves\['a'\] must have one row a run and 2 columns",
        ),
        (draw_panels, r"at least one, but there is none\.$"),
    ],
)
def test_wrong_panels_get_one_sentence(make, sentence):
    """No curves, curves of the wrong shape, no panels."""
    with pytest.raises(ValueError, match=sentence):
        make()
