"""The command where things are not as usual: other encodings, no home, no folder, names with signs in them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bflo_viz import cli

ROOT = Path(__file__).parents[1]
BFLO = [sys.executable, "-m", "bflo_viz"]


def bflo(*arguments, cwd=ROOT, **environment):
    """The command with other variables; what it writes, as bytes."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | environment
    return subprocess.run([*BFLO, *arguments], cwd=cwd, env=environment, capture_output=True)


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
@pytest.mark.parametrize("kind", ["text", "markdown", "html"])
def test_commands_write_utf8(encoding, kind):
    """Whatever the system would have: signs of a table are never what a command dies of."""
    done = bflo("table", "table1", "--format", kind, PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (0, b"")
    assert "±" in done.stdout.decode("utf-8")


@pytest.mark.slow
def test_names_that_are_no_text_can_be_told():
    """A file system may have any bytes as a name."""
    done = bflo("bundle", "--student", b"/nowhere/\xff.zip", PYTHONIOENCODING="ascii")
    assert done.returncode == 1
    assert done.stderr.startswith(b"bflo: ") and b"Traceback" not in done.stderr


@pytest.mark.parametrize("port", ["-1", "65536", "1e3", ""])
def test_a_port_that_is_none_gets_a_sentence(port, capsys):
    """Before Jupyter sees it."""
    with pytest.raises(SystemExit):
        cli.main(["lab", "--port", port])
    assert capsys.readouterr().err.endswith(f"a port is a number from 0 to 65535, but it was '{port}'\n")


def test_lab_in_a_folder_that_was_deleted(tmp_path, monkeypatch, capsys):
    """It says so."""
    monkeypatch.chdir(tmp_path)
    tmp_path.rmdir()
    assert cli.main(["lab"]) == 1
    assert capsys.readouterr().err == (
        "bflo: this folder has been deleted: change to the folder of the course and try again.\n"
    )


def test_lab_without_a_home_that_can_be_written(tmp_path, monkeypatch, capsys):
    """Jupyter would end in a traceback."""
    (tmp_path / "file").touch()
    for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "file"))
    monkeypatch.setattr(os, "execv", lambda *_: pytest.fail("Jupyter was started"))
    assert cli.main(["lab"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("bflo: JupyterLab needs a home folder that can be written (")
    assert said.endswith("run  export HOME=FOLDER  and try again.\n")


def test_lab_starts_without_launchers(monkeypatch, tmp_path):
    """Those of a folder such as `My $course` do not start: a shell would read its name."""
    started = []
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr(os, "execv", lambda _, command: started.extend(command) or sys.exit(0))
    with pytest.raises(SystemExit):
        cli.main(["lab", "--no-browser"])
    assert started[:4] == [sys.executable, "-P", "-m", "jupyterlab"]
