"""The wheel in a new environment: it has what it needs, and brings the course along."""

import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from bflo_viz import cli

ROOT = Path(__file__).parents[2]


def built(folder):
    """The wheel, as pip builds it."""
    code = "import sys; sys.path[:0] = ['tools']; import backend; print(backend.build_wheel(sys.argv[1]))"
    run = subprocess.run([sys.executable, "-c", code, folder], cwd=ROOT, capture_output=True, text=True, check=True)
    return folder / run.stdout.strip()


def test_the_wheel_is_pure_python_with_all_its_files(tmp_path):
    """Numba is asked for in extras only: Pyodide, which runs Python in a browser, has none."""
    wheel = built(tmp_path)
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
    course = [*ROOT.glob("notebooks/[0-9][0-9]_*.ipynb"), *ROOT.glob("results/*.*")]
    wanted = {path.relative_to(ROOT).as_posix() for path in package}
    wanted |= {f"bflo_viz/course/{path.relative_to(ROOT).as_posix()}" for path in course}
    assert wanted == {n for n in names if n.startswith("bflo_viz/")}
    assert {n.rpartition("/")[2] for n in names if "/licenses/" in n} == {"LICENSE", "THIRD_PARTY.md"}
    assert wheel.stat().st_size < 10e6


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="paths of another kind")
def test_an_installed_copy_works_from_any_folder_without_a_network(tmp_path):
    """It shares the packages of this environment, but not its bflo_viz; `make release` has an empty environment."""
    home = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    [packages] = home.glob("lib/python*/site-packages")
    (packages / "shared.pth").write_text(sysconfig.get_path("purelib"))
    install = [home / "bin/pip", "install", "-q", "--no-deps", "--no-index", built(tmp_path)]
    subprocess.run(install, check=True)
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "smoke.py", home / "bin/python"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "the course in JupyterLab, from a copy"


def test_the_course_is_copied_over_nothing(tmp_path, monkeypatch, capsys):
    """Lessons that are new come; one that was worked in stays, and is named; a file in the way gets a sentence."""
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr(os, "execv", lambda _, command: sys.exit(command[4]))
    mine = tmp_path / "mine"
    for words in (": 11 lessons copied.\n", ": nothing new to copy.\nKept, as they differ from version"):
        with pytest.raises(SystemExit, match=f"root_dir={re.escape(str(mine))}"):
            cli.main(["lab", str(mine), "--no-browser"])
        assert f"{mine}{words}" in capsys.readouterr().out
        assert len(list(mine.rglob("*"))) == 12
        worked_in = mine / "notebooks" / "02_one_dimension.ipynb"
        worked_in.write_text("my work")
    assert worked_in.read_text() == "my work"
    (tmp_path / "file").touch()
    assert cli.main(["lab", str(tmp_path / "file")]) == 1
    assert "could not be copied" in capsys.readouterr().err
