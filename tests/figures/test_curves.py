"""Curves over runs: what is drawn are the means of the runs, named at their ends, and the words have the numbers."""

import numpy as np
import pytest
from looks import inside, line, overlapping_words
from matplotlib.colors import same_color
from scipy.optimize import minimize

from bflo_viz.figures import Panel, draw_panels, palette
from bflo_viz.figures.curves import band
from bflo_viz.figures.marks import apart

RUNS = {"SGD": [[1.0, 2.0, 30.0], [3.0, 2.0, 10.0]], "mine": [[5.0, np.nan, 4.0], [7.0, np.nan, np.nan]]}


def panel(**options):
    return Panel([10, 20, 40], RUNS, **{"title": "Mistakes", "xlabel": "round", "ylabel": "mistakes (%)"} | options)


def test_bands_are_one_standard_error():
    """Of the runs that have a number, by hand: 1 and 3 have the standard error 1, a single number has none."""
    np.testing.assert_allclose(band(RUNS["SGD"]), [[2, 2, 20], [1, 2, 10], [3, 2, 30]])
    np.testing.assert_allclose(band(RUNS["mine"]), [[6, np.nan, 4], [5, np.nan, 4], [7, np.nan, 4]])


def test_names_are_moved_apart_and_no_further_than_needed():
    """Against a search over all shifts; names of curves that end together keep their order, from below."""
    places = np.array([3.0, 0.0, 0.5, 3.2, 9.0])
    moved, order = apart(places, 1.0), np.argsort(places, kind="stable")
    assert (np.diff(moved[order]) >= 1 - 1e-12).all()
    gaps = {"type": "ineq", "fun": lambda x: np.diff(x[order]) - 1}
    best = minimize(lambda x: ((x - places) ** 2).sum(), places + np.linspace(0, 1, 5), constraints=gaps, tol=1e-12)
    np.testing.assert_allclose(moved, best.x, atol=1e-5)
    np.testing.assert_allclose(apart(np.array([9.0, 1.0, 1.0, 1.0]), 1.0), [9.0, 0.0, 1.0, 2.0])


def test_panels_draw_means_the_ideal_and_events():
    """NaN where no run has a number; thin lines have no name at their end; a name looks the same in all panels."""
    other = Panel([1, 2], {"mine": [[1.0, 2.0]], "yours": [[2.0, 3.0]]}, "Other", "round", "nats")
    figure = draw_panels(panel(ideal=[0, 1, 2], events=[15, 30]), other)
    one, two = figure.axes
    np.testing.assert_allclose(line(one, "SGD").get_xydata(), [[10, 2], [20, 2], [40, 20]])
    np.testing.assert_allclose(line(one, "mine").get_ydata(), [6, np.nan, 4])
    np.testing.assert_allclose(line(one, "ideal").get_ydata(), [0, 1, 2])
    assert {text.get_text() for text in one.texts} == {"SGD", "mine", "ideal"}
    assert line(one, "mine").get_color() == line(two, "mine").get_color() != line(two, "yours").get_color()
    assert figure.alt_text == (
        "Mistakes, in mistakes (%) over round 10 to 40: SGD from 2 to 20, mine from 6 to 4; "
        "Other, in nats over round 1 to 2: mine from 1 to 2, yours from 2 to 3."
    )
    hills = Panel([1, 2, 3], {"SGD": [[2.0, 48.0, 3.0]], "own": [[40.0, 1.0, 39.0]]}, "After a jump", "round", "%")
    assert draw_panels(hills).alt_text.endswith(
        "SGD from 2 up to 48 and back to 3, own from 40 down to 1 and back to 39."
    )
    for text in (*one.texts, *two.texts):
        assert text.xy == tuple(line(text.axes, text.get_text()).get_xydata()[-1]) or text.get_text() == "mine"
    with pytest.raises(ValueError, match="one to three panels, but it got 4"):
        draw_panels(*[other] * 4)
    with pytest.raises(ValueError, match=r"curves\['SGD'\] must have a row for each run and 2 columns"):
        Panel([1, 2], RUNS, "", "", "")


def test_runs_of_one_learner_differ_in_shade_and_dashes_and_marker():
    """In every panel alike, and each name is led to by a piece of its line."""
    names = ("diagonal", "diagonal, non-expansive", "diagonal, by the mean", "full", "own", "like √T")
    figure = draw_panels(Panel([1, 2], {name: [[k, k + 1.0]] for k, name in enumerate(names)}, "", "", ""))
    (ax,) = figure.axes
    curves = [line(ax, name) for name in names]
    looks = {(curve.get_color(), str(curve._unscaled_dash_pattern), curve.get_marker()) for curve in curves}
    assert len(looks) == len(names)
    assert (curves[0].get_color(), curves[3].get_color()) == (palette.SERIES["diagonal"].color, "#e69f00")
    for text, curve in zip(ax.texts, curves, strict=True):
        assert text.get_text().replace("\n", " ") == curve.get_label()
        assert same_color(text.arrow_patch.get_edgecolor(), curve.get_color())
        assert (text.arrow_patch.get_linestyle() == "-") == (curve.get_ls() == "-")


def test_panels_that_measure_the_same_have_the_same_scale():
    """Unless they need not, or measure something else; also on a logarithmic scale nothing is cut off."""
    small = Panel([1, 2], {"SGD": [[1.0, 2.0]]}, "Small", "round", "mistakes (%)")
    other = Panel([1, 2], {"SGD": [[1.0, 2.0]]}, "Other", "round", "nats")
    figure = draw_panels(panel(log=True), small, other)
    one, two, three = figure.axes
    assert one.get_ylim() == two.get_ylim() != three.get_ylim()
    assert [text.get_text() for text in one.get_xticklabels()] == ["10", "20", "40"]
    assert inside(figure) and not overlapping_words(figure)
    one, two = draw_panels(panel(), small, same_scale=False).axes
    assert one.get_ylim() != two.get_ylim()
