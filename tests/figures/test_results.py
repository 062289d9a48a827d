"""The tables as pictures: every mark where its number is, what is missing said, titles by the numbers."""

import itertools

import numpy as np
import pytest
from experiments.fake_results import results_of, write_csv
from looks import inside, overlapping_words
from matplotlib.colors import same_color
from test_palette import lab

from bflo_viz import _places
from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.tables import MEASURES, printed_errors, printed_ranks
from bflo_viz.figures import alt_text, draw_kept_runs, draw_results, palette
from bflo_viz.scenes import kept_runs, results

ROWS = 10_000  # so that an error of two decimals is a whole number of mistakes


def made(experiment, protocol="inferred", *, runs=3, off=None, extras=(), quick=False):
    """Results of runs that err as the paper prints (20 % where it has nothing), give or take 0.1, plus ``off``.

    ``off`` has deviations in points by measure, stream, learner and noise.
    """

    def mistakes(measure):
        def count(trial):
            printed = printed_errors(experiment, measure, trial.noise).get(trial.learner, {}).get(trial.stream, 20.0)
            error = printed + (off or {}).get((measure, trial.stream, trial.learner, trial.noise), 0.0)
            return round(ROWS * (error + 0.1 * (trial.run - (runs - 1) / 2)) / 100)

        return count

    settings = load_protocol(experiment, protocol, quick=quick).with_extras(extras)
    counts = {measure: mistakes(measure) for measure in MEASURES}
    return results_of(settings, runs, rounds=ROWS, test_rows=ROWS, **counts)


@pytest.fixture(scope="module")
def rows():
    return made("table1")


@pytest.fixture(scope="module")
def scene(rows):
    return results("table1", results=rows)


def marks(ax, label):
    """Where the marks of a name are, from top to bottom."""
    bars = [container.lines[0] for container in ax.containers if container.get_label() == label]
    lines = [line for line in ax.get_lines() if line.get_label() == label]
    return sorted(((line.get_ydata()[0], line.get_xdata()[0]) for line in [*bars, *lines]), key=lambda mark: mark[0])


def bars(ax, learner):
    """The containers of a learner: of each an error bar, and its mark."""
    return [container for container in ax.containers if container.get_label() == learner]


def grid(figure, columns):
    return np.array(figure.axes, dtype=object).reshape(2, columns)


def test_every_number_is_where_it_belongs_with_the_look_of_its_learner(scene):
    """Ours: the mean of three runs, 0.1 apart, with a bar of 0.1 / sqrt(3). The paper's: as printed, without."""
    panels = grid(draw_results(scene), 6)
    looks = {"AROW": "AROW", "SGD": "SGD", "BLANG": "Langevin", "BFLO": "diagonal"}
    assert [ax.get_title(loc="left") for ax in panels[0]] == [*scene.table.streams, "mean rank"]
    assert [text.get_text() for text in panels[1, 0].get_yticklabels()] == list(looks)
    for above, below in panels.T:
        assert above.get_xlim() == below.get_xlim() and above.yaxis_inverted()
    for i, measure in enumerate(("online", "final")):
        for (j, stream), (k, learner) in itertools.product(enumerate(scene.table.streams), enumerate(looks)):
            printed = [printed_errors("table1", measure, noise)[learner][stream] for noise in (0.0, 0.2)]
            for label in (learner, f"{learner}, paper"):
                (high, first), (low, second) = marks(panels[i, j], label)
                assert k - 0.5 < high < k < low < k + 0.5
                np.testing.assert_allclose([first, second], printed, atol=0.006)
            series = palette.SERIES[looks[learner]]
            faces = (series.color, palette.PAPER)  # filled without flipped labels, hollow with
            for bar, value, face in zip(bars(panels[i, j], learner), printed, faces, strict=True):
                (segment,) = bar.lines[2][0].get_segments()
                np.testing.assert_allclose(segment[:, 0], [value - 0.1 / 3**0.5, value + 0.1 / 3**0.5], atol=0.011)
                assert bar.lines[0].get_marker() == series.marker
                assert same_color(bar.lines[0].get_markerfacecolor(), face)
        ranks = [printed_ranks("table1", measure, noise)["BFLO"] for noise in (0.0, 0.2)]
        assert [x for _, x in marks(panels[i, 5], "BFLO, paper")] == ranks


def test_one_share_of_flipped_labels_keeps_its_mark(rows):
    """Alone, 20 % is hollow as beside 0 %, in the middle of its row, and the legend has no other."""
    scene = results("table1", results=rows, noise=0.2)
    figure = draw_results(scene)
    ax = figure.axes[0]
    assert scene.table.noise == (0.2,)
    assert marks(ax, "SGD") == [(1.0, pytest.approx(11.05, abs=0.006))]
    assert all(same_color(box.lines[0].get_markerfacecolor(), palette.PAPER) for box in ax.containers)
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend[:2] == ["ours, 20 % of labels flipped", "the paper"]


def test_titles_are_computed_from_what_is_drawn():
    """One number is 2 points off: a mean of 2 / 40 online, nothing final, and its name."""
    rows = made("table1", off={("online", "EEG", "SGD", 0.2): -2.0})
    title = draw_results(results("table1", results=rows)).get_suptitle()
    assert "On average 0.05 points from the printed errors online, 0.00 final" in title
    assert "farthest SGD on EEG, online, 20 % flipped: −2.00" in title
    assert "Table 1, protocol inferred (fitted to the printed numbers); mean ± standard error of 3 runs" in title
    assert "On average 0.10 points" in results("table1", results=rows, noise=0.2).finding()
    assert "On average 0.00 points" in results("table1", results=rows, noise=[0.0]).finding()


def test_printed_ranks_that_do_not_follow_from_the_printed_errors_are_ringed(scene):
    """Table 1, online without noise: BLANG and BFLO are swapped; ours are where the errors put them."""
    figure = draw_results(scene)
    online, final = grid(figure, 6)[:, 5]
    rings = [x for _, x in marks(online, "by the paper's errors")]
    np.testing.assert_allclose(sorted(rings), [1.5, 2.9, 3.2, 3.8])
    assert marks(final, "by the paper's errors") == []
    assert marks(online, "BLANG")[0][1] == pytest.approx(3.8) and marks(online, "BLANG, paper")[0][1] == 3.2
    assert any("where not as printed" in text.get_text() for text in figure.legends[0].get_texts())


@pytest.mark.parametrize("style", ["paper", pytest.param("slides", marks=pytest.mark.slow)])
def test_what_is_missing_is_said(rows, style):
    """Streams are empty but for the command that makes them; a learner without runs is named so."""
    some = [row for row in rows if row.stream in ("IJCNN", "A9A") and row.learner != "SGD"]
    figure = draw_results(results("table1", results=some), style=style)
    assert inside(figure) and not overlapping_words(figure)
    panels = grid(figure, 6)
    for ax in panels[:, [0, 1, 3]].ravel():
        assert [text.get_text() for text in ax.texts] == ["missing:\nbflo run table1\nmakes it"]
        assert not ax.containers
    assert not panels[0, 2].texts and len(panels[0, 2].containers) == 6
    assert "SGD\nno runs" in [text.get_text() for text in panels[0, 0].get_yticklabels()]
    words = alt_text(figure)
    assert "3 of 5 streams missing" in words and "Missing: MUSHROOM, COVTYPE, EEG, SGD; bflo run table1" in words
    # runs without flipped labels do not fill panels of those with
    clean = results("table1", results=[row for row in rows if row.noise == 0.0 or row.stream == "EEG"], noise=0.2)
    assert clean.table.missing_streams == ("MUSHROOM", "COVTYPE", "IJCNN", "A9A")


@pytest.mark.parametrize(
    ("experiment", "protocol", "command"),
    [("table1", "printed", "bflo run table1\n--protocol printed"), ("demo", "inferred", "bflo run demo")],
)
def test_without_any_results_it_says_how_to_make_them(experiment, protocol, command):
    """Every stream is missing."""
    figure = draw_results(results(experiment, protocol, results=[]))
    assert inside(figure) and not overlapping_words(figure)
    assert f"No results are here: {command} makes them".replace("\n", " ") in alt_text(figure)
    assert figure.axes[0].texts[0].get_text() == f"missing:\n{command}\nmakes it"
    assert "Missing:" not in alt_text(figure) and not any(ax.containers for ax in figure.axes)


def test_streams_that_the_paper_does_not_have():
    """No strokes, no deviations; who is best is said instead."""
    off = {("online", stream, "BFLO", 0.0): -3.0 for stream in ("CANCER", "DIGITS", "SPARSE", "CLOUDS", "DRIFT")}
    off |= {("final", stream, "SGD", noise): -4.0 for _, stream, _, noise in off}
    figure = draw_results(results("table1", results=made("table1", off=off, quick=True), quick=True))
    assert figure.get_suptitle().startswith("Best: online BFLO, final SGD; the paper has no numbers")
    assert not any(str(line.get_label()).endswith("paper") for ax in figure.axes for line in ax.get_lines())
    assert "stroke" not in alt_text(figure)


def test_extra_learners_are_shown_where_there_are_runs():
    """NHERD, not in the paper: a row of its own without strokes, out of the ranks; its thin lines are not yellow."""
    scene = results("table1", results=made("table1", extras=["NHERD"]))
    panels = grid(draw_results(scene), 6)
    assert scene.table.learners == ("AROW", "SGD", "BLANG", "BFLO", "NHERD")
    assert len(marks(panels[0, 0], "NHERD")) == 2 and not marks(panels[0, 0], "NHERD, paper")
    assert not marks(panels[0, 5], "NHERD") and panels[0, 5].get_xlim() == (0.6, 4.4)
    luminance = ((lab(bars(panels[0, 0], "NHERD")[0].lines[0].get_color(), "usual")[0] + 16) / 116) ** 3
    assert 1.05 / (luminance + 0.05) > 3


def test_a_single_stream_has_no_ranks_and_one_run_no_bar():
    """Two panels; a learner that the paper lacks has no stroke; a protocol that is not fitted is not called so."""
    figure = draw_results(results("demo", "printed", results=made("demo", "printed", runs=1)))
    online, final = figure.axes
    assert len(marks(online, "spherical exact")) == 1 and not marks(online, "spherical exact, paper")
    assert marks(final, "full, paper") == [(1.0, 7.78)]
    assert "fitted" not in figure.get_suptitle() and "one run" in figure.get_suptitle()
    assert all(box.lines[2] == () for ax in figure.axes for box in ax.containers)


def test_kept_runs_are_drawn_as_the_scene_has_them():
    """Curves to the last digit, marks and strokes, and a mark where a width became 0."""
    scene = kept_runs(stream="EEG", noise=0.2, learners=["SGD", "BFLO"])
    figure = draw_kept_runs(scene)
    mistakes, final, entropy = figure.axes
    for row, (name, shown) in enumerate(scene.shown.items()):
        (curve,) = [each for each in mistakes.get_lines() if each.get_label() == name]
        assert curve.get_xydata() == pytest.approx(np.c_[shown.curve.ends, shown.curve.mistakes])
        assert marks(final, name) == [(row, shown.final.ours)]
        assert marks(final, f"{name}, paper") == [(row, shown.final.paper)]
    assert [each.get_label() for each in entropy.get_lines()] == ["BFLO", "_collapse"]
    assert entropy.get_lines()[1].get_xdata()[0] == scene.shown["BFLO"].curve.collapse
    assert inside(figure) and not overlapping_words(figure)
    (message,) = draw_kept_runs(learners=[]).texts[1:]
    assert message.get_text().startswith("No learner is chosen")


def test_a_share_that_is_not_there_gets_a_sentence():
    """Experiments and protocols that are not there are refused where they are loaded."""
    with pytest.raises(ValueError, match=r"noise must be one of 0, 0\.2 in table1, but it was 0\.3\.$"):
        results(noise=0.3)


def test_results_that_come_with_the_course_are_read(tmp_path, monkeypatch):
    """From the folder of the course; where there is none, or no file of that protocol, all is missing."""
    monkeypatch.setattr(_places, "results_folder", lambda: tmp_path)
    write_csv(tmp_path / "table2-inferred.csv", made("table2"))
    assert results("table2").runs == (3, 3) and not results("table2").missing
    assert results("table1").runs == (0, 0) and len(results("table1").table.missing_streams) == 5

    def nowhere():
        raise ValueError("not here")

    monkeypatch.setattr(_places, "results_folder", nowhere)
    assert results("table2").runs == (0, 0)
    assert results("table2", "shared", quick=True).command == "bflo run table2 --protocol shared --quick"
