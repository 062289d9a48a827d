"""In a browser: a course that does without what Pyodide does not have."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
ABSENT = ("numba", "joblib", "pooch", "requests", "sklearn", "distributed", "jupyterlab", "nbformat", "platformdirs")
EARLY = sorted((ROOT / "notebooks").glob("0[0-5]_*.ipynb"))


WORK = """
import numpy as np
from bflo_viz import BeliefFlow, DynamicsExplorer, FlowExplorer, OnlineExplorer, PseudoDatasetExplorer, RegimeExplorer
from bflo_viz.figures.gallery import make

explorers = RegimeExplorer(), FlowExplorer(), PseudoDatasetExplorer(), OnlineExplorer(), DynamicsExplorer(round=20)
print([bool(explorer.state) and len(explorer.figure().axes) > 0 for explorer in explorers])
X = np.random.default_rng(0).normal(size=(300, 3))
record = BeliefFlow(DiagonalBelief(np.zeros(3), 0.5), eta=0.1).run(X, X[:, 0] > 0, np.random.default_rng(1))
print(0 < record.error < 0.4, len(make("flow_types").axes) > 0, check.past_the_mean("narrower").right)
"""


@pytest.mark.slow
def test_the_lessons_work_without_what_a_browser_lacks():
    """Every name that notebooks 00 to 05 import; five explorers, a learner, a figure, a check."""
    cells = [cell for path in EARLY for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    nodes = [node for cell in cells for node in ast.parse(cell.source).body if isinstance(node, ast.ImportFrom)]
    lines = sorted({ast.unparse(node) for node in nodes if node.module.startswith("bflo_viz")})
    assert len(lines) > 15
    block = f"import sys\nfor name in {ABSENT}: sys.modules[name] = None\n"
    command = [sys.executable, "-W", "error", "-c", block + "\n".join(lines) + WORK]
    run = subprocess.run(command, env=os.environ | {"MPLBACKEND": "agg"}, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout == "[True, True, True, True, True]\nTrue True True\n"


def test_a_notebook_for_the_browser_installs_the_package_before_its_first_code(tmp_path):
    """And nothing else of it changes but the kernel that it asks for."""
    subprocess.run([sys.executable, ROOT / "tools" / "lite.py", "--contents", tmp_path / "contents"], check=True)
    for path in EARLY:
        before = nbformat.read(path, as_version=4)
        after = nbformat.read(tmp_path / "contents" / path.name, as_version=4)
        nbformat.validate(after)
        codes = [cell for cell in after.cells if cell.cell_type == "code"]
        assert codes[0].source.startswith("%pip install -q bflo-viz")
        assert [cell for cell in after.cells if cell.id != codes[0].id] == before.cells
        assert after.metadata.kernelspec.name == "python"
