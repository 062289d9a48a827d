"""The wheel in an empty environment."""

import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
UPDATE = """
from bflo_viz import DiagonalBelief, RegimeExplorer, __file__
print(DiagonalBelief([0.0], 1.0).flow([1.0], [0.0]).std ** 2, __file__)
RegimeExplorer(delta=1.0, delta_new=-2.0).save_html("regime.html")
"""


@pytest.mark.slow
def test_the_wheel_runs_an_update_in_an_empty_environment(tmp_path):
    """With what it asks for, it needs nothing of this folder, and neither numba nor JupyterLab."""
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", tmp_path, ROOT]
    subprocess.run(build, check=True)
    [wheel] = tmp_path.glob("bflo_viz-*-py3-none-any.whl")
    venv.create(tmp_path / "empty", with_pip=True)
    python = tmp_path / "empty" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", wheel], check=True)
    done = subprocess.run([python, "-I", "-c", UPDATE], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.startswith(f"[0.5] {tmp_path}/empty"), done.stderr
    assert '"delta":1.0' in (tmp_path / "regime.html").read_text(encoding="utf-8")
