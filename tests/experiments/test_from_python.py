"""An experiment from Python, as a newcomer writes it."""

import subprocess
import sys

import pytest

from bflo_viz import experiments
from bflo_viz.experiments import load_protocol, run, table
from bflo_viz.experiments.results import Store, StoreError


def test_runs_and_their_table_by_the_name_of_a_file(tmp_path):
    """The same numbers as with a store that is open; the table prints as `bflo table` shows it."""
    protocol = load_protocol("demo").only(learners=["SGD"])
    path = tmp_path / "runs.sqlite"
    assert run(protocol, path, runs=2).done == 2 and run(protocol, str(path), runs=2).kept == 2
    with Store(path) as store:
        assert run(protocol, store, runs=2).kept == 2
    made = table(protocol, str(path), runs=2)
    assert made.found == made.expected == 2
    assert str(made) == repr(made) and str(made).startswith("Demonstration, protocol inferred") and "SGD" in str(made)
    with pytest.raises(StoreError, match="there is no store"):
        table(protocol, tmp_path / "none.sqlite")


def test_the_names_are_loaded_when_they_are_used():
    """Importing the package of experiments loads nothing else; a name that is not there is told as Python does."""
    code = "import bflo_viz.experiments, sys; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
    with pytest.raises(AttributeError, match=r"'bflo_viz\.experiments' has no attribute 'tabel'"):
        experiments.tabel  # noqa: B018
    assert all(callable(getattr(experiments, name)) for name in experiments.__all__)
