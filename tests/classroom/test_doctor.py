"""``bflo doctor`` on a healthy set-up, and on set-ups that are really broken: each problem is told with its cure."""

import json
import os
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest

from bflo_viz.classroom import doctor, doctor_packages
from bflo_viz.classroom.doctor_findings import fine, wrong

ROOT = Path(__file__).parents[2]
BFLO = [sys.executable, "-c", "import sys; from bflo_viz.cli import main; sys.exit(main())"]


@pytest.fixture
def examined(tmp_path):
    """Run the doctor as a person does, with a home of its own and other changes; its exit code and words."""

    def run(**changed):
        own = {"HOME": tmp_path, "XDG_CACHE_HOME": tmp_path / "cache", "JUPYTER_DATA_DIR": tmp_path / "data"}
        own |= {"MPLCONFIGDIR": matplotlib.get_cachedir()}  # or it looks at every font anew
        kept = {k: v for k, v in os.environ.items() if k not in ("BFLO_DATA", "JUPYTER_PATH", "PYTHONPATH")}
        done = subprocess.run(
            [*BFLO, "doctor"],
            cwd=ROOT,
            env=kept | {k: str(v) for k, v in (own | changed).items()},
            capture_output=True,
            text=True,
        )
        assert done.stderr == "" and "Traceback" not in done.stdout
        return done.returncode, done.stdout

    return run


def cure_of(said, problem):
    """The line below the one that has the words of a problem."""
    lines = said.splitlines()
    (place,) = [i for i, line in enumerate(lines) if line.startswith("✗") and problem in line]
    assert lines[place + 1].startswith("    → ")
    return lines[place + 1].removeprefix("    → ")


def test_a_healthy_set_up(examined, tmp_path):
    """Every part is told, none is wrong, and the last line says so."""
    code, said = examined()
    assert code == 0 and "✗" not in said
    assert said.endswith("\nAll is well.\n")
    for words in (
        "✓ Python 3",
        "✓ needed: numpy",
        "✓ numba compiles",
        "✓ a flow is its closed form",
        "✓ a figure is",
    ):
        assert words in said
    assert "covtype" in said  # here or not
    assert not (tmp_path / "cache" / "bflo-viz").exists()  # looking changes nothing


def hide(folder, name):
    """Put a package that cannot be imported before the installed one."""
    hiding = folder / "path" / name
    hiding.mkdir(parents=True)
    (hiding / "__init__.py").write_text("raise RuntimeError('half of me is missing')\n")
    return hiding


def test_a_numpy_that_cannot_be_imported_and_a_version_out_of_range(examined, tmp_path):
    """Told what hides numpy; what needs it is not tried, and nothing crashes. Another package is too old."""
    hiding = hide(tmp_path, "numpy")
    old = hiding.with_name("joblib-1.0.0.dist-info")
    old.mkdir()
    (old / "METADATA").write_text("Metadata-Version: 2.1\nName: joblib\nVersion: 1.0.0\n")
    code, said = examined(PYTHONPATH=hiding.parent)
    assert code == 1
    assert cure_of(said, "numpy cannot be imported").startswith(f"mv {hiding} ")
    assert "half of me is missing" in said
    assert "-m pip install 'joblib<2,>=1.4'" in cure_of(said, "joblib 1.0.0 is not in the range")
    assert "– the self-test: not tried until the above is mended" in said
    assert "– scipy: not tried until numpy is mended" in said
    assert said.splitlines()[-1] == "2 problems: joblib 1.0.0; numpy cannot be imported."


@pytest.mark.slow
def test_a_matplotlib_that_cannot_be_imported_and_data_that_are_nowhere(examined, tmp_path):
    """What does not draw still works; BFLO_DATA names no folder."""
    code, said = examined(PYTHONPATH=hide(tmp_path, "matplotlib").parent, BFLO_DATA=tmp_path / "nowhere")
    assert code == 1
    assert "✓ numba compiles" in said
    assert cure_of(said, "nowhere, which is not a folder") == "unset BFLO_DATA"
    assert said.splitlines()[-1] == "2 problems: matplotlib cannot be imported; BFLO_DATA is wrong."


@pytest.mark.slow
def test_a_kernel_of_another_python_and_a_cache_that_cannot_be_made(examined, tmp_path):
    """The kernel that notebooks start in is that of another environment; a file is where the cache has to be."""
    spec = tmp_path / "jupyter" / "kernels" / "python3"
    spec.mkdir(parents=True)
    argv = ["/opt/other/bin/python", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (spec / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "Python 3", "language": "python"}))
    (tmp_path / "cache").write_text("not a folder")
    code, said = examined(JUPYTER_PATH=tmp_path / "jupyter")
    assert code == 1
    assert cure_of(said, "/opt/other/bin/python, not this Python").endswith("kernelspec remove -y python3")
    assert f"{tmp_path / 'cache'} is a file" in said
    assert cure_of(said, "the cache folder cannot be made").startswith("export XDG_CACHE_HOME=")


def test_a_wrong_folder_of_data_is_told_even_if_nobody_needs_it(monkeypatch, tmp_path):
    """All streams may be in the cache; whoever set BFLO_DATA meant something else."""
    monkeypatch.setattr("bflo_viz.streams.load.is_here", lambda name: True)
    monkeypatch.setenv("BFLO_DATA", str(tmp_path / "nowhere"))
    well, lines = told(monkeypatch, {"the data": doctor._data})
    assert not well
    assert "nowhere, which is not a folder" in "\n".join(lines)


def told(monkeypatch, checks):
    monkeypatch.setattr(doctor, "CHECKS", checks)
    lines = []
    return doctor.examine(tell=lines.append), lines


def test_a_check_that_fails_itself_is_a_line(monkeypatch):
    """The doctor does not fall ill: the first failure is a problem, those after it may be its consequences."""

    def broken():
        yield fine("so far")
        raise OSError(5, "Input/output error")

    well, lines = told(monkeypatch, {"a disk": broken, "another": broken})
    assert not well
    assert [line[0] for line in lines] == ["✓", "✗", " ", "✓", "–", "\n"]
    assert lines[-1] == "\n1 problem: a disk."


def test_a_version_that_is_not_pinned_is_a_note(monkeypatch, tmp_path):
    """In its range, but not what the course was tested with: no problem."""
    (tmp_path / "constraints.txt").write_text("joblib==1.4.1\nnumpy==1.0 ; python_version < '3'\n")
    monkeypatch.setattr(doctor_packages, "course_folder", lambda: tmp_path)
    found = list(doctor_packages.versions())
    (other,) = [one for one in found if "not as tested" in one.text]
    assert other.mark == "–" and "(pinned 1.4.1)" in other.text and "numpy" not in other.text
    assert all(one.mark != "✗" for one in found)


def test_what_can_be_done_without_is_a_note(monkeypatch):
    """Without numba all works, only slower."""

    def without(name):
        if name == "numba":
            raise ModuleNotFoundError("No module named 'numba'", name="numba")

    monkeypatch.setattr(doctor_packages, "import_module", without)
    first, *_ = doctor_packages.imports()
    assert first.mark == "–" and "forty times slower" in first.text and first.cure.endswith("install numba")


def test_problems_are_counted(monkeypatch):
    """The last line names them."""
    checks = {
        "one": lambda: iter([wrong("a leg", " hurts", "rest")]),
        "two": lambda: iter([wrong("an ear", "", "x")]),
    }
    well, lines = told(monkeypatch, checks)
    assert not well and lines == [
        "✗ a leg hurts",
        "    → rest",
        "✗ an ear",
        "    → x",
        "\n2 problems: a leg; an ear.",
    ]
