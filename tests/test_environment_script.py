"""tools/environment.sh: set up once, then at once; and say what is missing or goes wrong in words."""

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


def script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def commands(tmp_path):
    """A PATH with few commands, and a Python whose venv may wait at a gate, and whose pip only keeps a log."""
    path = tmp_path / "bin"
    path.mkdir()
    for name in ("sh", "cat", "cksum", "dirname", "grep", "mkdir", "rm", "make"):
        (path / name).symlink_to(shutil.which(name))
    script(
        path / "python3",
        f"""
        if [ "$1" = -m ] && [ "$2" = venv ]; then
            if [ -e "{path}/gate" ]; then echo waits; read line < "{path}/gate"; fi
            mkdir -p "$3/bin" && cat "$0" > "$3/bin/python" && /bin/chmod +x "$3/bin/python"; exit
        fi
        if [ "$1" = -m ] && [ "$2" = pip ]; then
            echo "$@" >> "{path}/pip.log"; [ ! -e "{path}/no-network" ]; exit
        fi
        exec "{sys.executable}" "$@"
        """,
    )
    return path


@pytest.fixture
def start(folder, commands):
    """Starts the script, in a session of its own that ends with the test; all that it says comes in order."""
    processes = []

    def start(extras="lab", home=folder, **variables):
        command = ["sh", home / "tools" / "environment.sh", extras]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "start_new_session": True}
        processes.append(subprocess.Popen(command, env={"PATH": str(commands), **variables}, **pipes))
        return processes[-1]

    yield start
    for process in processes:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def finish(process):
    """Exit code and words of a set-up."""
    words, _ = process.communicate()
    return process.returncode, words


def installs(commands):
    return [line for line in (commands / "pip.log").read_text().splitlines() if " install " in line]


@pytest.mark.parametrize("python", [None, "exit 1"], ids=["none", "an old one"])
def test_without_python_it_says_what_to_install(folder, commands, start, python):
    """A sentence and the package, nothing left behind; a Python below 3.11 counts as none."""
    (commands / "python3").unlink()
    if python:
        script(commands / "python3", python)
    code, words = finish(start())
    assert code == 1 and "No Python 3.11 or newer was found" in words and "apt install python3 python3-venv" in words
    assert not (folder / ".venv").exists()


def test_without_venv_it_names_the_package(commands, start):
    """Debian splits venv off: the message names its package for this very version."""
    script(commands / "python3", f'case "$2" in *ensurepip*) exit 1;; esac\nexec "{sys.executable}" "$@"')
    code, words = finish(start())
    assert code == 1 and f"python{sys.version_info.major}.{sys.version_info.minor}-venv" in words


def test_it_installs_once_and_again_only_when_the_pins_change(folder, commands, start):
    """A second run does nothing; extras that are not there yet, changed pins, or a moved folder install again."""
    assert finish(start("lab"))[0] == 0
    assert finish(start("lab")) == (0, "")
    assert len(installs(commands)) == 1 and "-c constraints.txt -e .[lab]" in installs(commands)[0]
    finish(start("test"))
    assert finish(start("lab")) == (0, "")  # test includes lab
    assert len(installs(commands)) == 2
    with (folder / "constraints.txt").open("a") as pins:
        pins.write("another==1.0\n")
    finish(start("test"))
    assert len(installs(commands)) == 3
    (folder / ".venv" / "old").touch()
    moved = folder.rename(folder.with_name("moved"))
    assert finish(start("test", moved))[0] == 0 and not (moved / ".venv" / "old").exists()  # its scripts name a place


def test_a_failed_install_is_said_and_tried_again(folder, commands, start):
    """No network: the last words are a sentence, and the next run starts over rather than trusting half a set."""
    (commands / "no-network").touch()
    code, words = finish(start())
    assert code == 1 and "could not be installed" in words.splitlines()[-2]
    (commands / "no-network").unlink()
    assert finish(start())[0] == 0 and (folder / ".venv" / "bflo-installed").exists()


def test_an_environment_that_is_not_ours_is_kept(folder, commands, start):
    """A .venv that somebody made by hand is used, never deleted."""
    subprocess.run([commands / "python3", "-m", "venv", folder / ".venv"], env={"PATH": str(commands)}, check=True)
    (folder / ".venv" / "mine").touch()
    assert finish(start())[0] == 0 and (folder / ".venv" / "mine").exists()


def test_a_second_set_up_waits_for_the_first(commands, start):
    """It says so, and then finds all done: one environment, one installation."""
    os.mkfifo(commands / "gate")
    first = start()
    while first.stdout.readline() != "waits\n":
        assert first.poll() is None
    second = start()
    assert second.stdout.readline() == "Another set-up is at work in this folder: waiting until it has ended.\n"
    (commands / "gate").write_text("go\n")
    assert finish(first)[0] == 0 and finish(second) == (0, "")
    assert len(installs(commands)) == 1


def test_a_set_up_that_was_killed_blocks_nobody(folder, commands, start):
    """Its lock ends with it, and what it left is made anew."""
    os.mkfifo(commands / "gate")
    first = start()
    while first.stdout.readline() != "waits\n":
        assert first.poll() is None
    os.killpg(first.pid, signal.SIGKILL)
    finish(first)
    (commands / "gate").unlink()
    assert finish(start())[0] == 0 and (folder / ".venv" / "bflo-installed").exists()


@pytest.mark.parametrize("text", [None, "exit 1", "exit 0"], ids=["missing", "old", "no Python"])
def test_a_python_that_was_named_is_not_replaced(folder, start, text):
    """One that does not do is told by its name, though there is another one that would."""
    named = folder / "my python"
    if text:
        script(named, text)
    sentence = f"PYTHON names '{named}', which is no Python 3.11 or newer: name another one, or none."
    assert finish(start(PYTHON=str(named))) == (1, f"\n{sentence}\n")
    assert not (folder / ".venv").exists()


def test_a_python_that_was_named_is_used(folder, commands, start):
    """With a space in its path, and no other; an environment of another Python is not taken for its own."""
    named = folder / "my python"
    (commands / "python3").rename(named)
    assert finish(start(PYTHON=str(named)))[0] == 0 and (folder / ".venv" / "bflo-installed").exists()
    other = folder / "other"
    script(other, 'case "$2" in *base_prefix*) echo elsewhere;; *) echo True;; esac')
    code, words = finish(start(PYTHON=str(other)))
    assert code == 1
    assert "but .venv was made with another one: remove the folder .venv first, or name none." in words


def test_make_needs_no_permission_to_run_the_script(folder, commands):
    """Some programs that unpack a ZIP file drop it; and launchers, which fail in this folder, are not used."""
    (folder / ".venv").mkdir()  # not ours, and empty: so the script comes as far as pip, which is not there
    made = subprocess.run(["make", "lab"], cwd=folder, env={"PATH": str(commands)}, capture_output=True, text=True)
    assert "Setting up .venv" in made.stdout and "denied" not in made.stderr
    assert not re.search(r"^\t@?(tools/|\$\(bin\)/bflo)", (ROOT / "Makefile").read_text(), re.MULTILINE)
