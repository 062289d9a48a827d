"""The progress bar of long cells, and the check of the installation."""

import importlib

import pytest

from bflo_viz.lessons import bar, installation, progress, ready


@pytest.fixture
def shown(monkeypatch):
    """What a notebook would be shown; time passes by a second a look."""
    bundles, clock = [], iter(range(10_000))
    monkeypatch.setattr(bar, "get_ipython", lambda: object())
    monkeypatch.setattr(bar, "display", lambda bundle, raw: bundles.append(bundle))
    monkeypatch.setattr(bar.time, "monotonic", lambda: float(next(clock)))
    return bundles


def test_a_loop_goes_on_as_without_it_and_the_bar_goes_away(shown):
    """It tells how far it is and how much time is left, and stores no words in the notebook."""
    loop, said = progress(range(4), "streams"), []
    for number in loop:
        said.append((number, loop._bar.description))
    assert [number for number, _ in said] == [0, 1, 2, 3]
    assert said[0][1] == "streams: 0 of 4"
    assert said[2][1] == "streams: 2 of 4, 3 s left"  # three seconds for two of four
    assert loop._bar is None
    assert [list(bundle) for bundle in shown] == [["application/vnd.jupyter.widget-view+json"]]


def test_a_loop_that_ends_early_takes_its_bar_along(shown):
    """A bar that stands still for ever would be a lie."""
    loop = progress(range(4))
    going = iter(loop)
    next(going)
    assert loop._bar is not None
    going.close()  # as a break or an error does
    assert loop._bar is None


def test_a_run_reports_to_it(shown):
    """As `learner.run` calls it."""
    report = progress("learning")
    report(10, 40)
    assert report._bar.description.startswith("learning: 10 of 40, ")
    assert report._bar.value == 10
    report(40, 40)
    assert report._bar is None


def test_outside_of_a_notebook_nothing_is_shown():
    """A script, a test."""
    assert list(progress(range(3))) == [0, 1, 2]


def test_everything_is_here():
    """In the environment of the tests."""
    assert repr(ready()) == "✓ Everything is here."


def test_what_is_missing_is_named_with_what_is_lost_and_the_cure(monkeypatch):
    """One line a part, and one command."""
    found = importlib.import_module

    def without(name):
        if name in ("numba", "sklearn"):
            raise ImportError(name)
        return found(name)

    monkeypatch.setattr(installation, "import_module", without)
    said = str(ready())
    assert "✗ numba is missing (speed: without it" in said
    assert said.endswith(" -m pip install numba scikit-learn  in a terminal, then restart the kernel.")
    assert repr(ready()) == said
