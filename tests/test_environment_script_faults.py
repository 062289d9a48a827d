"""tools/environment.sh where something goes wrong: two at once, one that was killed, a Python that does not do."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows sets up by the two lines of the README")


@pytest.fixture
def folder(tmp_path):
    """A copy of what the script reads, in a folder with an odd name, without permission to run it."""
    home = tmp_path / "My $course"
    (home / "tools").mkdir(parents=True)
    for name in ("pyproject.toml", "constraints.txt", "Makefile", "tools/environment.sh"):
        shutil.copyfile(ROOT / name, home / name)
    return home


@pytest.fixture
def commands(tmp_path):
    """A PATH with few commands, and a Python whose venv waits at a gate, and whose pip writes down what it does."""
    path = tmp_path / "bin"
    path.mkdir()
    for name in ("sh", "cat", "cksum", "dirname", "grep", "mkdir", "rm", "make"):
        (path / name).symlink_to(shutil.which(name))
    fake(
        path / "python3",
        f"""
        if [ "$1" = -m ] && [ "$2" = venv ]; then
            if [ -e "{path}/gate" ]; then echo waits; read line < "{path}/gate"; fi
            mkdir -p "$3/bin" && cat "$0" > "$3/bin/python" && /bin/chmod +x "$3/bin/python"; exit
        fi
        if [ "$1" = -m ] && [ "$2" = pip ]; then
            echo "$@" >> "{path}/pip.log"; exit
        fi
        exec "{sys.executable}" "$@"
        """,
    )
    return path


def fake(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def started(folder, commands):
    """Starts the script, in a session of its own that ends with the test; all that it says comes in order."""
    processes = []

    def start(**variables):
        processes.append(
            subprocess.Popen(
                ["sh", folder / "tools" / "environment.sh", "lab"],
                env={"PATH": str(commands), **variables},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
        )
        return processes[-1]

    yield start
    for process in processes:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def done(process):
    said, _ = process.communicate()
    return process.returncode, said


def at_the_gate(started, commands):
    """A set-up that is half-way: it waits until someone writes to the gate."""
    os.mkfifo(commands / "gate")
    first = started()
    while first.stdout.readline() != "waits\n":
        assert first.poll() is None
    return first


def test_a_second_set_up_waits_for_the_first(started, commands):
    """It says so, and then finds all done: one environment, one installation."""
    first = at_the_gate(started, commands)
    second = started()
    assert second.stdout.readline() == "Another set-up is at work in this folder: waiting until it has ended.\n"
    (commands / "gate").write_text("go\n")
    assert done(first)[0] == 0
    assert done(second) == (0, "")
    installed = [line for line in (commands / "pip.log").read_text().splitlines() if " install " in line]
    assert len(installed) == 1


def test_a_set_up_that_was_killed_blocks_nobody(folder, started, commands):
    """Its lock ends with it, and what it left is made anew."""
    first = at_the_gate(started, commands)
    os.killpg(first.pid, signal.SIGKILL)
    done(first)
    (commands / "gate").unlink()
    assert done(started())[0] == 0
    assert (folder / ".venv" / "bflo-installed").exists()


@pytest.mark.parametrize("kind", ["missing", "old", "no program", "no Python"])
def test_a_python_that_was_named_is_not_replaced(folder, started, kind):
    """One that does not do is told by its name, though there is another one that would."""
    named = folder / "my python"
    if kind == "old":
        fake(named, "exit 1")
    elif kind == "no Python":
        fake(named, "exit 0")
    elif kind == "no program":
        named.mkdir()
    code, said = done(started(PYTHON=str(named)))
    assert code == 1
    assert said == f"\nPYTHON names '{named}', which is no Python 3.11 or newer: name another one, or none.\n"
    assert not (folder / ".venv").exists()


def test_a_python_with_a_space_in_its_path_is_used(folder, started, commands):
    """And no other."""
    named = folder / "my python"
    (commands / "python3").rename(named)
    assert done(started(PYTHON=str(named)))[0] == 0
    assert (folder / ".venv" / "bflo-installed").exists()


def test_an_environment_of_another_python_is_told(folder, started):
    """It is not taken for the one that was named."""
    assert done(started())[0] == 0
    other = folder / "other"
    fake(other, 'case "$2" in *base_prefix*) echo elsewhere;; *) echo True;; esac')
    code, said = done(started(PYTHON=str(other)))
    assert code == 1
    assert "but .venv was made with another one: remove the folder .venv first, or name none." in said


def test_make_needs_no_permission_to_run_the_script(folder, commands):
    """Some programs that unpack a ZIP file drop it; and launchers, which fail in this folder, are not used."""
    (folder / ".venv").mkdir()  # not ours, and empty: so the script comes as far as pip, which is not there
    made = subprocess.run(["make", "lab"], cwd=folder, env={"PATH": str(commands)}, capture_output=True, text=True)
    assert "Setting up .venv" in made.stdout
    assert "denied" not in made.stderr
    recipes = (ROOT / "Makefile").read_text()
    assert not re.search(r"^\t@?(tools/|\$\(bin\)/bflo)", recipes, re.MULTILINE)
