"""A bundle has what is on its list: not what else lies there, and nothing that a link leads to."""

import shutil
import zipfile
from pathlib import Path

import pytest

from bflo_viz.classroom import bundle

ROOT = Path(__file__).parents[2]


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A small copy of the course, with other papers of an instructor beside it."""
    home = tmp_path / "course"
    for name in ("notebooks/00_start_here.ipynb", "results/README.md", "bflo_viz/__init__.py", *bundle._FILES):
        if "*" not in name:
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, home / name)
    (tmp_path / "secret.txt").write_text("grades")
    monkeypatch.chdir(home)
    return home


def names(path):
    with zipfile.ZipFile(path) as archive:
        return {name.partition("/")[2] for name in archive.namelist()}


def test_papers_of_an_instructor_stay_where_they_are(course):
    """The folder of the documents is one where people put things."""
    (course / "docs" / "exam_answers.md").write_text("All of them are 42.")
    (course / "docs" / "notes.txt").symlink_to("../../secret.txt")
    bundle.write(course / "out.zip", solved=False, tell=print)
    assert {name for name in names(course / "out.zip") if name.startswith("docs/")} == {
        "docs/ARCHITECTURE.md",
        "docs/EXPERIMENTS.md",
        "docs/EXTENDING.md",
        "docs/SPEED.md",
        "docs/dynamics.gif",
        "docs/flow_types.png",
        "docs/handout.pdf",
        "docs/regime_explorer.png",
    }


@pytest.mark.parametrize("name", ["bflo_viz/more.py", "results/more.csv", "docs/handout.pdf"])
def test_links_are_refused(course, name):
    """By name, and nothing is written."""
    (course / name).unlink(missing_ok=True)
    (course / name).symlink_to("../../secret.txt")
    with pytest.raises(
        ValueError, match=rf"{name}' is a link to another file: remove it, or put the file itself there"
    ):
        bundle.write(course / "out.zip", solved=False, tell=print)
    assert not (course / "out.zip").exists()
