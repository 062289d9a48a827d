"""Learning curves: what is drawn are the numbers of the records."""

import numpy as np
import pytest
from looks import inside, overlapping_words
from matplotlib.figure import Figure

from bflo_viz import Record
from bflo_viz.figures import palette
from bflo_viz.figures.curves import apart, series_for
from bflo_viz.figures.learning_curves import draw_learning_curves
from bflo_viz.figures.style import alt_text
from bflo_viz.scenes.curves import learning_curves


def record(mistakes, entropy=None, rounds=(10, 10, 5)):
    entropy = [np.nan] * len(rounds) if entropy is None else entropy
    return Record(np.array(rounds), np.array(mistakes), np.zeros(len(rounds)), np.array(entropy))


RECORDS = {
    "SGD": [record([5, 2, 1]), record([7, 4, 0])],
    "diagonal": [record([6, 3, 2], [1.0, 0.5, -2.0]), record([8, 1, 1], [1.2, 0.3, -1.0])],
    "my own": [record([9, 9, 4], [2.0, 1.0, 0.0])],
}


def line(ax, label):
    (found,) = [line for line in ax.get_lines() if line.get_label() == label]
    return found


@pytest.fixture(scope="module")
def default():
    return learning_curves(rng=np.random.default_rng(0))


def test_curves_are_the_numbers_of_the_records():
    """Share of mistakes of each block, not summed up, at the round where it ends; a single run has no band."""
    mistakes, entropies = draw_learning_curves(RECORDS).get_axes()
    np.testing.assert_array_equal(line(mistakes, "SGD").get_xdata(), [10, 20, 25])
    np.testing.assert_allclose(line(mistakes, "SGD").get_ydata(), [60, 30, 10])
    np.testing.assert_allclose(line(mistakes, "diagonal").get_ydata(), [70, 20, 30])
    np.testing.assert_allclose(line(entropies, "diagonal").get_ydata(), [1.1, 0.4, -1.5])
    np.testing.assert_allclose(line(entropies, "my own").get_ydata(), [2, 1, 0])
    assert {str(patch.get_label()) for patch in mistakes.collections} == {"SGD, band", "diagonal, band"}


def test_bands_are_one_standard_error():
    """Two runs of 50 and 70 %: the mean is 60 and its standard error 10."""
    mistakes, _ = draw_learning_curves(RECORDS).get_axes()
    (band,) = [patch for patch in mistakes.collections if patch.get_label() == "SGD, band"]
    vertices = band.get_paths()[0].vertices
    first = vertices[vertices[:, 0] == 10, 1]
    assert (first.min(), first.max()) == (pytest.approx(50), pytest.approx(70))


def test_a_learner_without_a_belief_has_no_entropy():
    """SGD is on the left only, and the alt text says why."""
    figure = draw_learning_curves(RECORDS)
    assert "SGD" not in [line.get_label() for line in figure.get_axes()[1].get_lines()]
    assert "SGD has no belief." in alt_text(figure)
    only = draw_learning_curves({"SGD": RECORDS["SGD"]})
    assert only.get_axes()[1].get_title(loc="left") == "No learner here has a belief"


def test_known_names_keep_their_style_and_others_get_a_free_one():
    """No two look the same, as long as there are styles."""
    styles = series_for(["mine", "SGD", "yours", "full"])
    assert styles["SGD"] is palette.SERIES["SGD"] and styles["full"] is palette.SERIES["full"]
    assert len({style.marker for style in styles.values()}) == 4
    assert len(series_for([f"learner {i}" for i in range(20)])) == 20


def test_every_curve_is_named_at_its_end(default):
    """A name beside the last point of each curve, in both panels."""
    for ax, names in zip(
        draw_learning_curves(default).get_axes(), [{"SGD", "AROW", "diagonal"}, {"AROW", "diagonal"}], strict=True
    ):
        assert {text.get_text() for text in ax.texts} == names
        for text in ax.texts:
            x, y = line(ax, text.get_text()).get_data()
            assert text.xy == (x[-1], y[-1])


def test_names_are_moved_apart_and_no_further_than_needed():
    """Against a search over all shifts: least squares with neighbours at least so far apart."""
    from scipy.optimize import minimize

    places = np.array([3.0, 0.0, 0.5, 3.2, 9.0])
    found = apart(places, 1.0)
    order = np.argsort(places, kind="stable")
    assert (np.diff(found[order]) >= 1 - 1e-12).all()
    gaps = {"type": "ineq", "fun": lambda x: np.diff(x[order]) - 1}
    best = minimize(lambda x: ((x - places) ** 2).sum(), places + np.linspace(0, 1, 5), constraints=gaps, tol=1e-12)
    np.testing.assert_allclose(found, best.x, atol=1e-5)


def test_names_of_curves_that_end_together_keep_their_order():
    """From below, as they are listed: the same in every panel and in every run."""
    np.testing.assert_allclose(apart(np.array([9.0, 1.0, 1.0, 1.0]), 1.0), [9.0, 0.0, 1.0, 2.0])


def test_titles_and_alt_text_say_who_errs_least(default):
    """The share over all rounds, blocks weighted by their length."""
    figure = draw_learning_curves(RECORDS)
    # mistakes of 50 rounds: SGD 19 (38 %), diagonal 21 (42 %); of 25: my own 22
    assert figure.get_axes()[0].get_title(loc="left") == "SGD errs least: 38.0 % overall"
    assert "diagonal from 70.0 % to 30.0 % (42.0 % overall)" in alt_text(figure)
    assert figure.get_axes()[1].get_title(loc="left") == "Beliefs narrow, diagonal most"
    words = alt_text(draw_learning_curves(default))
    assert "breast-cancer" in words and "mean of 10 runs ± standard error" in words


def test_the_default_runs_learn(default):
    """Each of the three errs less in the last quarter than in the first, and beliefs narrow."""
    for curves in default.curves.values():
        assert curves.error.shape[0] == 10
        assert curves.error[:, -5:].mean() < curves.error[:, :5].mean()
    assert (np.diff(default.curves["AROW"].entropy.mean(axis=0)) < 0).all()


@pytest.mark.parametrize(
    ("records", "sentence"),
    [
        ({}, r"at least one learner, but there is none\.$"),
        ({"a": []}, r"records\['a'\] must be one or more Records"),
        (
            {"a": [record([1, 1, 1]), record([1, 1], rounds=(10, 10))]},
            r"the same blocks in each run, but they differ\.$",
        ),
        (None, r"rng must be given for the default runs"),
    ],
)
def test_wrong_records_get_one_sentence(records, sentence):
    """Nothing to draw, no records, runs of different blocks."""
    with pytest.raises(ValueError, match=sentence):
        learning_curves(records)


@pytest.mark.slow
@pytest.mark.parametrize("style", ["paper", "slides"])
@pytest.mark.parametrize("records", [None, RECORDS, {"SGD": record([3, 2, 1])}], ids=["default", "small", "one"])
def test_nothing_is_cut_off_and_no_words_meet(default, records, style):
    """In both styles, for several learners and for one."""
    figure = draw_learning_curves(default if records is None else records, style=style)
    assert inside(figure)
    assert not overlapping_words(figure)


def test_it_draws_on_given_axes():
    """On two axes of someone else's figure, which it returns."""
    figure = Figure(figsize=(9, 3))
    assert draw_learning_curves(RECORDS, axes=[figure.add_subplot(1, 2, i + 1) for i in range(2)]) is figure
