"""Cures of the doctor that do no harm and fit the fault."""

import shlex
import tempfile
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from bflo_viz.classroom import doctor, doctor_packages


@pytest.fixture
def told(monkeypatch):
    """What the doctor says of one check."""

    def run(check):
        monkeypatch.setattr(doctor, "CHECKS", {"it": check})
        lines = []
        doctor.examine(tell=lines.append)
        return "\n".join(lines)

    return run


def test_folders_that_cannot_be_written_are_left_to_their_owners(told, monkeypatch):
    """Another folder helps; taking the root of the disk from the system does not."""

    def refused(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.chdir("/")
    monkeypatch.setenv("XDG_CACHE_HOME", "/nonexistent/cache")
    monkeypatch.setattr(tempfile, "TemporaryFile", refused)
    said = told(doctor._writing)
    assert "this folder cannot be written: '/' (Permission denied)\n    → cd FOLDER " in said
    assert "'/nonexistent/cache/bflo-viz' (Permission denied)\n    → export XDG_CACHE_HOME=FOLDER " in said
    assert "chown" not in said and "sudo" not in said


@pytest.mark.parametrize("home", ["", "/nonexistent", None])
def test_users_without_a_home_are_told_to_name_one(told, monkeypatch, home):
    """Those of a system, and of containers: what Jupyter says later is only a consequence."""

    def nobody():
        raise RuntimeError("Could not determine home directory.")

    if home is None:
        monkeypatch.delenv("HOME", raising=False)
        monkeypatch.setattr(Path, "home", nobody)
    else:
        monkeypatch.setenv("HOME", home)
    assert f"✗ there is no home folder: HOME is '{home or ''}'\n    → export HOME=FOLDER " in told(doctor._folders)


def test_a_folder_that_was_deleted_is_told_once(told, monkeypatch, tmp_path):
    """The rest is examined from elsewhere."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert "✗ this folder has been deleted\n    → cd FOLDER-OF-THE-COURSE" in told(doctor._folders)
    assert Path.cwd().is_dir()


def test_data_that_may_not_be_read_are_no_fault_of_the_installation(told, monkeypatch, tmp_path):
    """BFLO_DATA is to be corrected."""

    def refused(_):
        raise PermissionError(13, "Permission denied", str(tmp_path))

    monkeypatch.setenv("BFLO_DATA", str(tmp_path))
    monkeypatch.setattr(Path, "iterdir", refused)
    said = told(doctor._data)
    assert "✗ BFLO_DATA is wrong: [Errno 13] Permission denied" in said
    assert "→ unset BFLO_DATA" in said


def test_only_what_is_broken_is_installed_again(told):
    """A place that fails is named; any other failure may be one of the packages."""

    def no_place():
        raise PermissionError(13, "Permission denied", "/mnt/locked")

    def no_package():
        raise AttributeError("half of a module")

    assert "→ see that '/mnt/locked' is there and that you may use it" in told(no_place)
    assert "pip install --force-reinstall" in told(no_package)


def test_cures_can_be_pasted(monkeypatch):
    """Whatever a folder is called."""
    hiding = "/home/x/Kurs $1/numpy"
    monkeypatch.setattr(
        doctor_packages, "find_spec", lambda _: ModuleSpec("numpy", None, origin=f"{hiding}/__init__.py")
    )
    cure = doctor_packages._mended("numpy", "numpy")
    assert shlex.split(cure, comments=True) == ["mv", hiding, f"{hiding}.away"]
