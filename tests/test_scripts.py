"""The scripts of the docs: short, and they run as they stand."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "SCRIPTS.md"
SCRIPTS = re.findall(
    r"^## (.+?)$.*?^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)


def test_every_script_has_a_title_of_its_own():
    """One a section: none is missed below."""
    assert PAGE.read_text(encoding="utf-8").count("```python") == len(SCRIPTS) >= 3


@pytest.mark.parametrize(("title", "script"), SCRIPTS, ids=[title for title, _ in SCRIPTS])
def test_a_script_runs(tmp_path, title, script):
    """In an empty folder, without a word but what it prints; at most 15 lines."""
    assert len(script.splitlines()) <= 15
    (tmp_path / "script.py").write_text(script, encoding="utf-8")
    command = [sys.executable, "-W", "error", "script.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.strip()
