"""Bars and tables of the notebooks, what is installed, and claims about rows that only the real data has."""

import os

import numpy as np
import pytest

from bflo_viz import SGD, Logistic, load_stream
from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.results import committed
from bflo_viz.experiments.tables import make_table
from bflo_viz.lessons import bar_of_runs, experiment, installation, progress, ready, show_table
from bflo_viz.lessons.protocols import changes_of, live_table, settings_of, with_variants
from bflo_viz.streams import flip_labels, shuffle, split


@pytest.fixture(scope="module")
def table():
    """The table that comes with the course."""
    return make_table(load_protocol("table1"), committed("table1"))


def test_a_table_shows_as_html_and_as_text(table):
    """All of it, or one measure at one share of flipped labels; no colour is fixed, so both themes can show it."""
    whole = show_table(table)._repr_mimebundle_()
    assert whole["text/html"].count("<table>") == 4
    assert "color" not in whole["text/html"].replace("currentColor", "")
    assert whole["text/plain"] == repr(show_table(table))
    part = show_table(table, "final", 0.2)
    assert repr(part).count("error (%)") == 1 and "Final error (%), 20 % of labels flipped" in repr(part)
    assert part._repr_mimebundle_()["text/html"].count("<table>") == 1


def test_what_a_table_does_not_have_is_told(table):
    with pytest.raises(ValueError, match="measure must be 'online' or 'final', but it was 'best'"):
        show_table(table, "best")
    with pytest.raises(ValueError, match=r"noise must be 0 or 0\.2 in this table, but it was 0\.4"):
        show_table(table, noise=0.4)


@pytest.fixture
def shown(monkeypatch):
    """What a notebook is shown."""
    bundles = []
    monkeypatch.setattr(experiment, "get_ipython", lambda: object())
    monkeypatch.setattr(experiment, "display", lambda bundle, raw: bundles.append(bundle))
    return bundles


def test_a_loop_goes_on_as_without_it_and_the_bar_goes_away(shown):
    """It stores no words in the notebook; where there is no notebook, it shows nothing."""
    loop = progress(range(4), "streams")
    assert "streams" in str(loop)
    assert list(loop) == [0, 1, 2, 3]
    assert loop.container.layout.visibility == "hidden"
    assert [list(bundle) for bundle in shown] == [["application/vnd.jupyter.widget-view+json"]]


def test_outside_of_a_notebook_nothing_is_shown(capsys):
    assert list(progress(range(3))) == [0, 1, 2] and capsys.readouterr() == ("", "")


def test_the_bar_counts_runs(shown, monkeypatch):
    """Runs that were stored before took no time; the last one ends the bar."""
    bar = progress("runs")
    monkeypatch.setattr(experiment, "progress", lambda what: bar)
    bar_of_runs()(3, 8)
    assert (bar.n, bar.total, bar.initial) == (3, 8, 3)
    bar(8, 8)
    assert bar.container.layout.visibility == "hidden"


@pytest.mark.parametrize("seed", range(4))
def test_wrong_labels_keep_weights_small(seed):
    rng = np.random.default_rng(seed)
    stream = load_stream("sparse-logistic", rng=rng, rows=16_000, features=120, nonzero=14)
    lengths = []
    for shown in (stream, flip_labels(stream, 0.2, rng)):
        learner = SGD(stream.features, eta=0.001)
        learner.run(shown.X, shown.y, rng)
        lengths.append(np.linalg.norm(learner.weights))
    assert lengths[1] < 0.75 * lengths[0]


@pytest.mark.skipif(not os.environ.get("BFLO_DATA"), reason="needs BFLO_DATA, the folder of the real data")
@pytest.mark.parametrize("name", ["BFLO", "BLANG"])
def test_on_a9a_flipped_labels_make_a_slow_learner_say_yes_more_often(name):
    """What notebook 06 and the solution of exercise 06.4 say, with sixty runs."""
    protocol = load_protocol("table1")
    recipe, settings = protocol.streams["A9A"], protocol.learners[name]
    train, test = split(recipe.prepare(recipe.read()), recipe.share)
    says, errors = np.empty((2, 2, 60))
    for i, seed in np.ndindex(2, 60):
        rng = np.random.default_rng(seed)
        shown, learner = shuffle(train, rng), settings.build(train.features, Logistic(), len(train))
        learner.run(shown.X, (flip_labels(shown, 0.2, rng) if i else shown).y, rng)
        predicted = test.X @ learner.weights_for_prediction(rng if settings.final == "sample" else None) > 0
        says[i, seed], errors[i, seed] = predicted.mean(), np.mean(predicted != test.y)
    assert says[0].mean() < says[1].mean() < test.y.mean() and 0.7 < 1 - train.y.mean() < 0.8
    gain = errors[0].mean() - errors[1].mean()
    assert gain > 4 * np.sqrt(errors.var(axis=1, ddof=1).sum() / 60)


@pytest.mark.skipif(not os.environ.get("BFLO_DATA"), reason="needs BFLO_DATA, the folder of the real data")
def test_the_files_have_the_order_that_the_text_tells_of():
    """COVTYPE goes from reserve to reserve; in the last fifth of EEG the eyes are nearly always open."""
    covtype = load_stream("covtype")
    parts = [covtype.X[rows, 10:14].mean(axis=0) for rows in np.array_split(np.arange(covtype.rows), 10)]
    assert [int(np.argmax(part)) for part in parts] == [0, 0, 0, 0, 2, 2, 2, 2, 2, 2]
    before, last = split(load_stream("eeg"), 0.8)
    assert 0.45 < before.y.mean() < 0.6 and last.y.mean() < 0.15
    recipe = load_protocol("table1").streams["IJCNN"]
    before, last = split(recipe.prepare(recipe.read()), recipe.share)
    assert 0.5 < before.y.mean() < 0.7 and not last.y.any()


def test_what_is_missing_is_named_with_what_is_lost_and_the_cure(monkeypatch):
    """One line for each part, and one command; everything is here in the environment of the tests."""
    assert repr(ready()) == "✓ Everything is here."
    missing = ("numba", "sklearn")
    monkeypatch.setattr(installation, "find_spec", lambda name: None if name in missing else name)
    words = repr(ready())
    assert "✗ numba is missing (speed: without it" in words
    assert words.endswith("%pip install numba scikit-learn  in a cell, then restart the kernel.")


def test_what_a_protocol_sets_and_changes_is_told():
    """One line for each learner, and for each stream or learner that another protocol sets otherwise."""
    printed, inferred = (load_protocol("table1", name) for name in ("printed", "inferred"))
    assert settings_of(printed).splitlines()[1] == "SGD       eta 0.001, std 0.2, test by mean"
    changes = changes_of(printed, inferred).splitlines()
    assert "EEG       shuffle False -> True" in changes and "MUSHROOM  split shuffled -> order" in changes
    assert "SGD       std 0.2 -> 0, test noise none -> 0.1" in changes and changes_of(printed, printed) == ""


def test_a_variant_is_one_of_the_learners_with_other_settings(tmp_path, capsys):
    quick = load_protocol("table1", quick=True).select(streams=["CANCER"], learners=["SGD"])
    more = with_variants(quick, {"SGD, plain test": {"final_noise": 0.0}, "SGD, slow": {"eta": 0.0001}})
    assert list(more.learners) == ["SGD", "SGD, plain test", "SGD, slow"] and not more.fitted
    table = live_table(more, tmp_path / "runs.db", runs=2)
    again = live_table(more, tmp_path / "runs.db", runs=2)
    assert capsys.readouterr().out == "12 runs done.\n0 runs done (12 were there before).\n"
    assert table.cells == again.cells
    one, plain = (table.cells["online", 0.0, name, "CANCER"].ours for name in ("SGD", "SGD, plain test"))
    assert one == plain and table.cells["online", 0.0, "SGD, slow", "CANCER"].ours != one


def test_what_is_beyond_chance_is_told(table):
    """By more than three standard errors of a difference of two numbers that have the same."""
    far = table.beyond_chance()
    assert 0 < len(far) < len(table.cells) == 80
    for place, cell in table.cells.items():
        assert (place in far) == (abs(cell.deviation) / (2 * cell.error**2) ** 0.5 > 3)
