"""Advice to install something names this Python, and nothing that whoever owns a name on an index could fill."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from bflo_viz import _advice

PACKAGE = Path(_advice.__file__).parent
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="its shell quotes otherwise")


def advised(sentence):
    """The command in a sentence, as a shell reads it."""
    return shlex.split(re.fullmatch(r"run  (.*)  and try again\.", sentence)[1])


def test_a_checkout_is_installed_from_its_folder(monkeypatch, tmp_path):
    """With its extra and its pins, wherever one stands, whatever the folders are called."""
    home = tmp_path / "My $Kurs"
    home.mkdir()
    (home / "pyproject.toml").touch()
    monkeypatch.setattr(_advice, "HOME", home)
    monkeypatch.setattr(sys, "executable", "/opt/my python/bin/python")
    words = [
        "/opt/my python/bin/python",
        "-m",
        "pip",
        "install",
        "-c",
        f"{home}/constraints.txt",
        "-e",
        f"{home}[lab]",
    ]
    assert advised(_advice.missing("jupyterlab", "lab")) == words


def test_without_the_folder_only_the_package_is_named(monkeypatch, tmp_path):
    """As for a copy that was installed from a wheel."""
    monkeypatch.setattr(_advice, "HOME", tmp_path)
    assert advised(_advice.missing("mistune", "classroom")) == [sys.executable, "-m", "pip", "install", "mistune"]
    assert _advice.install_course("lab").startswith("cd FOLDER-OF-THE-COURSE && ")


def test_no_advice_names_the_course_as_a_package_or_any_python():
    """Nobody has it on an index, so anybody could; and `python` is often another one."""
    for path in PACKAGE.rglob("*.py"):
        assert not re.search(r"bflo-viz\[|\bpython3? -m pip|[\"' ]pip install", path.read_text()), path
