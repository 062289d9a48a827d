"""The scripts in examples/ run as they are, and show what they say they show."""

import re
import subprocess
import sys

import pytest
from documents import ROOT


def said_by(name, folder):
    """What an example prints, without a warning."""
    command = [sys.executable, "-W", "error", str(ROOT / "examples" / name)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_in_scikit_learn_a_pipeline_a_grid_search_and_calibration_work(tmp_path):
    """Short steps need no calibration; long ones do, and it helps them."""
    said = said_by("scikit_learn.py", tmp_path)
    assert float(re.search(r"pipeline: (\S+)% right", said)[1]) > 95
    assert float(re.search(r"grid search: .*log loss (\S+)", said)[1]) < 0.15
    (short, _), (before, after) = re.findall(r"log loss (\S+) before, (\S+) after", said)
    assert float(short) < float(after) < float(before) / 2


def test_in_river_drift_is_overcome(tmp_path):
    """Fewer are right after the change, and then as many as before; a detector makes the way back shorter."""
    pytest.importorskip("river")
    lines = said_by("river_drift.py", tmp_path).splitlines()
    (before, soon, later), (_, sooner, again) = ([int(n) for n in re.findall(r"(\d+)%", line)] for line in lines)
    assert before > 80 and later > 80 and again > 80
    assert 50 < soon < sooner - 5 < before


def test_in_marimo_a_cell_reads_the_explorer(tmp_path):
    code = "from marimo_regime import app; print(app.run()[1]['said'])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "examples", capture_output=True, text=True)
    assert done.stdout.startswith("crossing: the belief becomes ") and done.returncode == 0, done.stderr
