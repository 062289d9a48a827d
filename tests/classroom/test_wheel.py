"""``pip install .`` into a new environment: the copy has what it needs, and finds the course."""

import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]


def test_the_wheel_is_pure_python_with_all_its_files(tmp_path):
    """Numba is asked for in extras only: Pyodide, which runs Python in a browser, has none."""
    code = "import sys; from flit_core.buildapi import build_wheel; print(build_wheel(sys.argv[1]))"
    run = subprocess.run([sys.executable, "-c", code, tmp_path], cwd=ROOT, capture_output=True, text=True, check=True)
    wheel = tmp_path / run.stdout.strip()
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        metadata = archive.read(next(name for name in names if name.endswith("METADATA"))).decode()
    needs = [Requirement(line) for line in re.findall(r"^Requires-Dist: (.*)$", metadata, re.MULTILINE)]
    always = {need.name for need in needs if need.marker is None or need.marker.evaluate({"extra": ""})}
    assert "numpy" in always and "anywidget" in always
    assert not always & {"numba", "scikit-learn", "jupyterlab", "distributed", "nbconvert"}
    package = (
        path for path in (ROOT / "bflo_viz").rglob("*") if path.is_file() and path.parent.name != "__pycache__"
    )
    assert {path.relative_to(ROOT).as_posix() for path in package} == {n for n in names if n.startswith("bflo_viz/")}


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="paths of another kind")
def test_a_copy_works_from_any_folder(tmp_path):
    """It shares the packages of this environment, but not its bflo_viz."""
    home, elsewhere = tmp_path / "environment", tmp_path / "elsewhere"
    elsewhere.mkdir()
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    [packages] = home.glob("lib/python*/site-packages")
    (packages / "shared.pth").write_text(sysconfig.get_path("purelib"))
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "PYTHON"))}

    def run(*command):
        return subprocess.run(
            command,
            cwd=elsewhere,
            env=inherited | {"HOME": str(elsewhere)},
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        ).stdout

    run(home / "bin/pip", "install", "-q", "--no-deps", "--no-build-isolation", "--no-index", ROOT)
    assert run(home / "bin/python", "-c", "import bflo_viz; print(bflo_viz.__file__)").startswith(str(packages))
    bflo = home / "bin" / "bflo"
    said = run(bflo, "doctor")
    assert f"✓ the course is in {ROOT}\n" in said and said.endswith("All is well.\n")
    assert run(bflo, "slides", "02", "--out", "deck").startswith("02_one_dimension.html  25 slides\n")
    # As far as the start of JupyterLab, which has a test of its own.
    stopped = "import os, sys; os.execv = lambda _, command: sys.exit(print(*command))"
    command = run(
        home / "bin/python", "-c", f"{stopped}; from bflo_viz.cli import main; main(['lab', '--no-browser'])"
    )
    assert f" -m jupyterlab --ServerApp.root_dir={ROOT} " in command
