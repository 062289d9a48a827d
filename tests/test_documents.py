"""The documents keep what they promise: their programs run, their links lead somewhere, their commands exist."""

import re
import shlex
import subprocess
import sys

import pytest
from documents import ROOT, programs

from bflo_viz.cli import _parser

DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")), ROOT / "results" / "README.md"]
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in DOCUMENTS if path.name != "CHANGELOG.md")
TEXT += "\n".join(path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("notebooks/*.ipynb")))
PROGRAMS = [
    pytest.param(path, code, printed, id=f"{path.stem}-{n}")
    for path in [ROOT / "README.md", *(ROOT / f"docs/{name}.md" for name in ("EXPERIMENTS", "EXTENDING"))]
    for n, (code, printed) in enumerate(programs(path))
    if "js/views/" not in code  # that one needs a browser: tests/explorers/test_views.py
]


@pytest.mark.parametrize(("path", "code", "printed"), PROGRAMS)
def test_a_program_runs_and_prints_what_the_document_says(tmp_path, path, code, printed):
    (tmp_path / "program.py").write_text(code, encoding="utf-8")
    command = [sys.executable, "-W", "error", "program.py"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert printed in (None, run.stdout)


def anchors(path):
    """What a link can name in a document: its headings, as code-hosting pages write them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_and_pictures_exist(path):
    """Files, and headings in them; and files that are named, but for those that a list of changes says are gone."""
    text = path.read_text(encoding="utf-8")
    for name in re.findall(r"`((?:tests|tools|benchmarks|bflo_viz|docs)/[\w./-]+)`", text):
        assert (ROOT / name).exists() or "NN" in name or path.name == "CHANGELOG.md", name
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        name, _, anchor = link.partition("#")
        if "://" not in link:
            target = path.parent / name if name else path
            assert target.exists(), link
            assert not anchor or anchor in anchors(target), link


def test_every_make_target_that_a_document_names_exists():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:`|^)make ([a-z]+)", TEXT, re.MULTILINE))
    assert {"lab", "test"} <= named <= targets


def test_every_bflo_command_that_a_document_names_is_understood():
    """Its words are those that the command takes; `bflo run` alone names the command."""
    named = {line.strip() for line in re.findall(r"(?:`|^|&& )bflo( [^`\n\\]+)", TEXT, re.MULTILINE)}
    assert len(named) > 12
    for line in named:
        words = shlex.split(line, comments=True)
        words += ["table1"] if words in (["run"], ["table"]) else []
        assert _parser().parse_args(words), line


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_bytes()) <= 7000


def test_the_page_of_speeds_is_made_by_make_bench(tmp_path, monkeypatch):
    """A benchmark's reports become a table under what it says of itself; one that reports nothing is named, too."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "benchmarks"))
    import run

    quick = tmp_path / "bench_quick_one.py"
    quick.write_text(
        '"""Two against three."""\n'
        "from side_by_side import report\n"
        "report('two', 2, 3, at_most=True)\n"
        "report('four', 4, 3, at_most=True, unit='s')\n"
    )
    section = run.section(quick, run.measured(quick))
    assert section.startswith("## quick one\n\nTwo against three.\n")
    assert "| two | 2.00 x | at most 3 | ok |\n| four | 4.00 s | at most 3 | MISSED |" in section
    assert "Not measured" in run.section(quick, [])
    assert all(word in run.circumstances(0.1) for word in ("date", "processor", "command", "numpy"))
