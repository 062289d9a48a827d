"""tools/environment.sh: set up once, then at once; and say what is missing in words."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows sets up by the two lines of the README")


@pytest.fixture
def folder(tmp_path):
    """A copy of what the script reads, in a folder of its own."""
    for name in ("pyproject.toml", "constraints.txt", "tools"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    return tmp_path


@pytest.fixture
def commands(tmp_path_factory):
    """A PATH with the few commands that the script needs, and no Python."""
    path = tmp_path_factory.mktemp("bin")
    for name in ("sh", "cat", "cksum", "dirname", "grep", "mkdir", "rm"):
        (path / name).symlink_to(shutil.which(name))
    return path


def script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def run(folder, commands, extras="lab"):
    return subprocess.run(
        [folder / "tools" / "environment.sh", extras], env={"PATH": str(commands)}, capture_output=True, text=True
    )


def test_without_python_it_says_what_to_install(folder, commands):
    """No Python at all: a sentence and the package, no traceback, nothing left behind."""
    result = run(folder, commands)
    assert result.returncode == 1
    assert "No Python 3.11 or newer was found" in result.stderr
    assert "apt install python3 python3-venv" in result.stderr
    assert not (folder / ".venv").exists()


def test_an_old_python_is_not_taken(folder, commands):
    """A Python below 3.11 counts as none."""
    script(commands / "python3", "exit 1")
    assert "No Python 3.11 or newer was found" in run(folder, commands).stderr


def test_without_venv_it_names_the_package(folder, commands):
    """Debian splits venv off: the message names its package for this very version."""
    script(
        commands / "python3",
        f'case "$2" in *ensurepip*) exit 1;; esac\nexec "{sys.executable}" "$@"',
    )
    result = run(folder, commands)
    assert result.returncode == 1
    assert f"python{sys.version_info.major}.{sys.version_info.minor}-venv" in result.stderr


@pytest.fixture
def fake_python(commands):
    """A Python whose venv is quick to make and whose pip only writes down what it was asked to do."""
    script(
        commands / "python3",
        f"""
        if [ "$1" = -m ] && [ "$2" = venv ]; then
            mkdir -p "$3/bin" && cat "$0" > "$3/bin/python" && /bin/chmod +x "$3/bin/python"; exit
        fi
        if [ "$1" = -m ] && [ "$2" = pip ]; then
            echo "$@" >> "{commands}/pip.log"; [ ! -e "{commands}/no-network" ]; exit
        fi
        exec "{sys.executable}" "$@"
        """,
    )
    return commands


def installs(commands):
    log = commands / "pip.log"
    return [line for line in log.read_text().splitlines() if " install " in line] if log.exists() else []


def test_it_installs_once_and_again_only_when_the_pins_change(folder, fake_python):
    """A second run does nothing; changed pins, or extras that are not there yet, install again."""
    assert run(folder, fake_python, "lab").returncode == 0
    assert run(folder, fake_python, "lab").returncode == 0
    assert len(installs(fake_python)) == 1
    assert "-c constraints.txt -e .[lab]" in installs(fake_python)[0]
    run(folder, fake_python, "test")
    run(folder, fake_python, "lab")  # test includes lab
    assert len(installs(fake_python)) == 2
    with (folder / "constraints.txt").open("a") as pins:
        pins.write("another==1.0\n")
    run(folder, fake_python, "test")
    assert len(installs(fake_python)) == 3


def test_a_failed_install_is_said_and_tried_again(folder, fake_python):
    """No network: the last words are a sentence, and the next run starts over rather than trusting half a set."""
    (fake_python / "no-network").touch()
    result = run(folder, fake_python)
    assert result.returncode == 1
    assert "could not be installed" in result.stderr.splitlines()[-2]
    (fake_python / "no-network").unlink()
    assert run(folder, fake_python).returncode == 0
    assert (folder / ".venv" / "bflo-installed").exists()


def test_an_environment_made_for_another_folder_is_made_anew(folder, fake_python, tmp_path_factory):
    """A folder that was moved gets a new .venv: its scripts name the old place."""
    run(folder, fake_python)
    moved = tmp_path_factory.mktemp("moved") / "there"
    shutil.move(folder, moved)
    (moved / ".venv" / "old").touch()
    assert run(moved, fake_python).returncode == 0
    assert not (moved / ".venv" / "old").exists()


def test_an_environment_that_is_not_ours_is_kept(folder, fake_python):
    """A .venv that somebody made by hand is used, never deleted."""
    subprocess.run(
        [fake_python / "python3", "-m", "venv", folder / ".venv"], env={"PATH": str(fake_python)}, check=True
    )
    (folder / ".venv" / "mine").touch()
    assert run(folder, fake_python).returncode == 0
    assert (folder / ".venv" / "mine").exists()
