"""``bflo doctor`` on a healthy set-up and on broken ones: each problem has its cure, which fits and does no harm."""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from importlib.machinery import ModuleSpec
from pathlib import Path

import matplotlib
import pytest

from bflo_viz.classroom import doctor

ROOT = Path(__file__).parents[2]
BFLO = [sys.executable, "-c", "import sys; from bflo_viz.cli import main; sys.exit(main())"]


@pytest.fixture
def examined(tmp_path):
    """Run the doctor as a person does, with a home of its own and other changes; its exit code and words."""

    def run(**changed):
        own = {"HOME": tmp_path, "XDG_CACHE_HOME": tmp_path / "cache", "JUPYTER_DATA_DIR": tmp_path / "data"}
        own |= {"MPLCONFIGDIR": matplotlib.get_cachedir()}  # or it looks at every font anew
        inherited = {k: v for k, v in os.environ.items() if k not in ("BFLO_DATA", "JUPYTER_PATH", "PYTHONPATH")}
        environment = inherited | {k: str(v) for k, v in (own | changed).items()}
        done = subprocess.run([*BFLO, "doctor"], cwd=ROOT, env=environment, capture_output=True, text=True)
        assert done.stderr == "" and "Traceback" not in done.stdout
        return done.returncode, done.stdout

    return run


@pytest.fixture
def told(monkeypatch):
    """What the doctor says of some checks, and whether all is well."""

    def run(**checks):
        monkeypatch.setattr(doctor, "CHECKS", checks)
        lines = []
        well = doctor.examine(tell=lines.append)
        return "\n".join(lines), well

    return run


def cure_of(said, problem):
    """The line below the one that has the words of a problem."""
    lines = said.splitlines()
    (place,) = [i for i, line in enumerate(lines) if line.startswith("✗") and problem in line]
    assert lines[place + 1].startswith("    → ")
    return lines[place + 1].removeprefix("    → ")


def test_a_healthy_set_up(examined, tmp_path):
    code, said = examined()
    assert code == 0 and "✗" not in said
    assert said.endswith("\nAll is well.\n")
    for words in ("✓ Python 3", "✓ all packages for site", "✓ a flow is its closed form", "✓ a run", "✓ an explorer"):
        assert words in said
    assert "covtype" in said  # here or not
    assert not (tmp_path / "cache" / "bflo-viz").exists()  # looking changes nothing


def test_a_numpy_that_cannot_be_imported_and_a_version_out_of_range(examined, tmp_path):
    """Told what hides numpy; what needs it is not tried, and nothing crashes. Another package is too old."""
    hiding = tmp_path / "path" / "numpy"
    hiding.mkdir(parents=True)
    (hiding / "__init__.py").write_text("raise RuntimeError('half of me is missing')\n")
    old = hiding.with_name("joblib-1.0.0.dist-info")
    old.mkdir()
    (old / "METADATA").write_text("Metadata-Version: 2.1\nName: joblib\nVersion: 1.0.0\n")
    code, said = examined(PYTHONPATH=hiding.parent)
    assert code == 1
    assert cure_of(said, "numpy cannot be imported: half of me is missing").startswith(f"mv {hiding} ")
    assert "-m pip install 'joblib<2,>=" in cure_of(said, "joblib 1.0.0 is not in the range")
    assert "– the self-test: not tried until the above is repaired" in said
    assert said.splitlines()[-1] == "2 problems: see the lines with ✗."


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
    assert cure_of(said, "the cache folder cannot be written").startswith("export XDG_CACHE_HOME=")


def test_a_check_that_fails_itself_is_a_line(told):
    """The doctor does not fall ill: the first failure is a problem, those after it may be its consequences."""

    def no_place():
        yield "✓", "so far", ""
        raise PermissionError(13, "Permission denied", "/mnt/locked")

    def no_package():
        raise AttributeError("half of a module")
        yield

    said, well = told(disk=no_place, other=no_package)
    assert not well and [line[:1] for line in said.splitlines()] == ["✓", "✗", " ", "–", "", "1"]
    assert "→ see that '/mnt/locked' is there and that you may use it" in said
    assert "pip install --force-reinstall" in told(other=no_package)[0]  # only what may be broken is installed again


def test_folders_that_cannot_be_written_are_left_to_their_owners(told, monkeypatch):
    """Another folder helps; taking the root of the disk from the system does not."""

    def refused(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.chdir("/")
    monkeypatch.setenv("XDG_CACHE_HOME", "/nonexistent/cache")
    monkeypatch.setattr(tempfile, "TemporaryFile", refused)
    said, _ = told(writing=doctor._writing)
    assert "this folder cannot be written: '/' (Permission denied)\n    → cd FOLDER " in said
    assert "'/nonexistent/cache/bflo-viz' (Permission denied)\n    → export XDG_CACHE_HOME=FOLDER " in said
    assert "chown" not in said and "sudo" not in said


@pytest.mark.parametrize("home", ["nowhere", "/nonexistent"])
def test_users_without_a_home_are_told_to_name_one(told, monkeypatch, home):
    """Those of a system, and of containers: what Jupyter says later is only a consequence."""
    monkeypatch.setenv("HOME", home)
    assert f"✗ there is no home folder: HOME is '{home}'\n    → export HOME=FOLDER " in told(it=doctor._home)[0]


def test_a_folder_that_was_deleted_is_told(told, monkeypatch, tmp_path):
    """In the line of the course, with its cure; and what else fails is a consequence."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    said, well = told(course=doctor._course, writing=doctor._writing)
    assert not well and "– writing: not tried" in said
    assert "this folder has been deleted" in said and "\n    → cd FOLDER-OF-THE-COURSE" in said


@pytest.mark.parametrize("why", ["nowhere", "locked"])
def test_a_wrong_folder_of_data_is_told_even_if_nobody_needs_it(told, monkeypatch, tmp_path, why):
    """All streams may be in the cache; who set BFLO_DATA meant something else."""
    monkeypatch.setattr("bflo_viz.streams.load.is_here", lambda name: True)
    monkeypatch.setenv("BFLO_DATA", str(tmp_path / "nowhere" if why == "nowhere" else tmp_path))
    monkeypatch.setattr(os, "access", lambda *_: False)
    said, well = told(it=doctor._data)
    assert not well
    assert cure_of(said, "BFLO_DATA is wrong") == "unset BFLO_DATA"


def test_cures_can_be_pasted(monkeypatch):
    hiding = "/home/x/Kurs $1/numpy"
    monkeypatch.setattr(doctor, "find_spec", lambda _: ModuleSpec("numpy", None, origin=f"{hiding}/__init__.py"))
    assert shlex.split(doctor._cure("numpy"), comments=True) == ["mv", hiding, f"{hiding}.away"]
