"""The tables as pictures: every mark where its number is, what is missing said, titles by the numbers."""

import itertools

import numpy as np
import pytest
from experiments.fake_results import results_of, write_csv
from looks import inside, overlapping_words
from matplotlib.colors import same_color

from bflo_viz import _places
from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.tables import MEASURES, printed_errors, printed_ranks
from bflo_viz.figures import draw_results, palette
from bflo_viz.figures.tables import compare

ROWS = 10_000  # so that an error of two decimals is a whole number of mistakes


def made(experiment, protocol="inferred", *, runs=3, off=None, extras=()):
    """Results of runs that err as the paper prints (20 % where it has nothing), give or take 0.1, plus ``off``.

    ``off`` has deviations in points by measure, stream, learner and noise.
    """

    def mistakes(measure):
        def count(trial):
            printed = printed_errors(experiment, measure, trial.noise).get(trial.learner, {}).get(trial.stream, 20.0)
            error = printed + (off or {}).get((measure, trial.stream, trial.learner, trial.noise), 0.0)
            return round(ROWS * (error + 0.1 * (trial.run - (runs - 1) / 2)) / 100)

        return count

    settings = load_protocol(experiment, protocol).with_extras(extras)
    counts = {measure: mistakes(measure) for measure in MEASURES}
    return results_of(settings, runs, rounds=ROWS, test_rows=ROWS, **counts)


@pytest.fixture(scope="module")
def rows():
    return made("table1")


def marks(ax, label):
    """Where the marks of a name are, from top to bottom."""
    bars = [container.lines[0] for container in ax.containers if container.get_label() == label]
    lines = [line for line in ax.get_lines() if line.get_label() == label]
    return sorted(((line.get_ydata()[0], line.get_xdata()[0]) for line in [*bars, *lines]), key=lambda mark: mark[0])


def grid(figure, columns):
    return np.array(figure.axes, dtype=object).reshape(2, columns)


def test_every_number_is_where_it_belongs_with_the_look_of_its_learner(rows):
    """Ours: the mean of three runs, 0.1 apart, with a bar of 0.1 / sqrt(3). The paper's: as printed, without."""
    table = compare("table1", results=rows)
    panels = grid(draw_results("table1", results=rows), 6)
    looks = {"AROW": "AROW", "SGD": "SGD", "BLANG": "Langevin", "BFLO": "diagonal"}
    assert [ax.get_title(loc="left") for ax in panels[0]] == [*table.streams, "mean rank"]
    assert [text.get_text() for text in panels[1, 0].get_yticklabels()] == list(looks)
    for above, below in panels.T:
        assert above.get_xlim() == below.get_xlim() and above.yaxis_inverted()
    for i, measure in enumerate(("online", "final")):
        for (j, stream), (k, learner) in itertools.product(enumerate(table.streams), enumerate(looks)):
            printed = [printed_errors("table1", measure, noise)[learner][stream] for noise in (0.0, 0.2)]
            for label in (learner, f"{learner}, paper"):
                (high, first), (low, second) = marks(panels[i, j], label)
                assert k - 0.5 < high < k < low < k + 0.5
                np.testing.assert_allclose([first, second], printed, atol=0.006)
            series = palette.SERIES[looks[learner]]
            faces = (series.color, palette.PAPER)  # filled without flipped labels, hollow with
            bars = [container for container in panels[i, j].containers if container.get_label() == learner]
            for bar, value, face in zip(bars, printed, faces, strict=True):
                (segment,) = bar.lines[2][0].get_segments()
                np.testing.assert_allclose(segment[:, 0], [value - 0.1 / 3**0.5, value + 0.1 / 3**0.5], atol=0.011)
                assert bar.lines[0].get_marker() == series.marker
                assert same_color(bar.lines[0].get_markerfacecolor(), face)
        ranks = [printed_ranks("table1", measure, noise)["BFLO"] for noise in (0.0, 0.2)]
        assert [x for _, x in marks(panels[i, 5], "BFLO, paper")] == ranks


def test_titles_are_computed_from_what_is_drawn():
    """One number is 2 points off: a mean of 2 / 40 online, nothing final, and its name."""
    rows = made("table1", off={("online", "EEG", "SGD", 0.2): -2.0})
    figure = draw_results("table1", results=rows)
    assert "On average 0.05 points from the printed errors online, 0.00 final" in figure.get_suptitle()
    assert "farthest SGD on EEG, online, 20 % of labels flipped: −2.00" in figure.alt_text
    about = "Table 1, protocol inferred (fitted to the printed numbers); mean ± standard error of 3 runs"
    assert about in figure.get_suptitle()


def test_what_is_missing_is_said(rows):
    """Streams without runs are empty, and so is a learner; both are named so."""
    some = [row for row in rows if row.stream in ("IJCNN", "A9A") and row.learner != "SGD"]
    figure = draw_results("table1", results=some)
    assert inside(figure) and not overlapping_words(figure)
    panels = grid(figure, 6)
    for ax in panels[:, [0, 1, 3]].ravel():
        assert [text.get_text() for text in ax.texts] == ["no runs"]
        assert not ax.containers
    assert not panels[0, 2].texts and len(panels[0, 2].containers) == 6
    assert "SGD\nno runs" in [text.get_text() for text in panels[0, 0].get_yticklabels()]
    none = draw_results("demo", "printed", results=[])
    assert "No results are here." in none.alt_text
    assert inside(none) and not overlapping_words(none)


def test_extra_learners_are_shown_where_there_are_runs():
    """NHERD, not in the paper: if asked for, a row of its own without strokes, out of the ranks."""
    rows = made("table1", extras=["NHERD"])
    panels = grid(draw_results("table1", results=rows, extras=True), 6)
    assert compare("table1", results=rows).learners == ("AROW", "SGD", "BLANG", "BFLO")
    assert compare("table1", results=rows, extras=True).learners == ("AROW", "SGD", "BLANG", "BFLO", "NHERD")
    assert len(marks(panels[0, 0], "NHERD")) == 2 and not marks(panels[0, 0], "NHERD, paper")
    assert not marks(panels[0, 5], "NHERD") and panels[0, 5].get_xlim() == (0.6, 4.4)


def test_a_single_stream_has_no_ranks_and_one_run_no_bar():
    """Two panels; a learner that the paper lacks has no stroke; a protocol that is not fitted is not called so."""
    figure = draw_results("demo", "printed", results=made("demo", "printed", runs=1))
    online, final = figure.axes
    assert len(marks(online, "spherical exact")) == 1 and not marks(online, "spherical exact, paper")
    assert marks(final, "full, paper") == [(1.0, 7.78)]
    assert "fitted" not in figure.get_suptitle() and "one run" in figure.get_suptitle()
    assert all(box.lines[2] == () for ax in figure.axes for box in ax.containers)


def test_results_that_come_with_the_course_are_read(tmp_path, monkeypatch):
    """From the folder of the course; where there is no file of that protocol, all is missing."""
    monkeypatch.setattr(_places, "results_folder", lambda: tmp_path)
    write_csv(tmp_path / "table2-inferred.csv", made("table2"))
    assert not compare("table2").missing_streams and "of 3 runs" in draw_results("table2").alt_text
    assert len(compare("table1").missing_streams) == 5
