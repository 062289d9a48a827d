"""Bundles: complete enough to work in, and the students' one has no solution anywhere."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from bflo_viz.classroom import bundle
from bflo_viz.cli import main
from bflo_viz.lessons import check
from bflo_viz.lessons.exercises import BOOK

ROOT = Path(__file__).parents[2]
EXERCISES = list(BOOK.values()) if dir(check) else []
FOLDER = "bflo_viz-course/"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Both bundles, unpacked in memory: their files by name."""
    folder, files = tmp_path_factory.mktemp("bundles"), {}
    for whom in ("student", "instructor"):
        assert main(["bundle", f"--{whom}", str(folder / f"{whom}.zip")]) == 0
        with zipfile.ZipFile(folder / f"{whom}.zip") as archive:
            files[whom] = {name.removeprefix(FOLDER): archive.read(name) for name in archive.namelist()}
    return folder, files


def one_line(text):
    return " ".join(text.split())


def texts(value):
    """Every text in parsed JSON; a text that the format stores line by line comes in one piece."""
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        return ["".join(value)]
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in texts(part)]


def readable(name, content):
    """All that a file says, on one line."""
    text = content.decode(errors="ignore")
    return one_line(" ".join(texts(json.loads(text))) if name.endswith(".ipynb") else text)


def telling(exercise):
    """Lines of the solution that the stub has not (without comments), and its reasons, by sentences."""
    stub = [one_line(line) for line in exercise.stub.splitlines()]
    new = [line for line in exercise.solution.splitlines() if one_line(line) not in stub]
    lines = [re.sub(r"\s+#.*", "", line).strip() for line in new if "belief.sample(" not in line]  # questions have it
    return lines, [one for one in re.split(r"(?<=[.?!]) ", one_line(exercise.why)) if len(one) > 12]


def test_no_solution_is_in_any_file_of_the_students(made):
    """Not a line of code, not a sentence of the reason; neither in the package nor in cells or outputs."""
    everything = {name: readable(name, content) for name, content in made[1]["student"].items()}
    assert len(everything) > 150
    for exercise in EXERCISES:
        lines, reasons = telling(exercise)
        assert lines and reasons
        for words in lines + reasons:
            assert not [name for name, text in everything.items() if words in text], (exercise.number, words)


def test_no_judge_has_the_solution_as_code(made):
    """What a check computes to compare with is not written as the student would have to write it."""
    judges = " ".join(
        one_line(content.decode()) for name, content in made[1]["student"].items() if "lessons/exercises/" in name
    )
    for exercise in EXERCISES:
        for line in telling(exercise)[0]:
            code = re.sub(r"^(return|[\w, .]+ =) ", "", line)
            assert code.startswith('"') or len(code) < 8 or code not in judges, (exercise.number, code)


def test_the_same_search_finds_the_solutions_of_the_instructor(made):
    """The search can find: all that it looks for is in the other bundle, in the notebooks."""
    notebooks = {n[10:12]: readable(n, c) for n, c in made[1]["instructor"].items() if n.endswith(".ipynb")}
    for exercise in EXERCISES:
        lines, reasons = telling(exercise)
        assert all(words in notebooks[exercise.number[:2]] for words in lines + reasons)


def test_notebooks_have_stubs_or_solutions_that_were_not_run(made):
    """Cells of exercises are those of the book; everything else is as stored."""
    for whom, part in (("student", "stub"), ("instructor", "solution")):
        found = {}
        for name in (name for name in made[1][whom] if name.endswith(".ipynb")):
            stored = {cell["id"]: cell for cell in json.loads((ROOT / name).read_text())["cells"]}
            for cell in json.loads(made[1][whom][name])["cells"]:
                if cell["cell_type"] == "code" and cell["id"].startswith("exercise-"):
                    found[cell["id"][9:].replace("-", ".")] = "".join(cell["source"])
                    assert cell["outputs"] == [] or part == "stub"
                elif cell["id"] in stored:
                    assert cell == stored[cell["id"]]
        assert found == {one.number: getattr(one, part) for one in EXERCISES}


def test_a_bundle_has_what_the_readme_names_and_nothing_of_the_workshop(made):
    """`make lab` needs these; links of the README lead somewhere; no caches, no tests."""
    for files in made[1].values():
        needed = {"Makefile", "pyproject.toml", "constraints.txt", "environment.yml", "tools/environment.sh"}
        assert needed <= set(files)
        links = re.findall(r"\]\(([^)#]+)\)", files["README.md"].decode())
        there = {*files, "docs/INSTRUCTORS.md"}  # students are told that they have it not
        assert all(link in there for link in links if "://" not in link)
        assert not [name for name in files if re.search(r"__pycache__|(^|/)\.|^tests|^benchmarks|\.sqlite", name)]
        assert b"tests, benchmarks and the tools" in files["ABOUT_THIS_COPY.md"]
    students = set(made[1]["student"])
    only = {name for name in made[1]["instructor"] if name not in students}
    assert {name for name in only if not name.startswith("bflo_viz/lessons/solutions/")} == {"docs/INSTRUCTORS.md"}
    assert {f"bflo_viz/lessons/solutions/0{n}.toml" for n in range(1, 9)} <= only


def test_the_script_can_be_run_and_the_same_course_gives_the_same_bytes(made, capsys):
    """Its permission survives; making the bundle again replaces it by the same one."""
    path = made[0] / "student.zip"
    with zipfile.ZipFile(path) as archive:
        assert archive.getinfo(f"{FOLDER}tools/environment.sh").external_attr >> 16 == 0o755
    before = path.read_bytes()
    assert main(["bundle", "--student", str(path)]) == 0
    assert path.read_bytes() == before
    assert "no solutions" in capsys.readouterr().out


@pytest.mark.slow
def test_the_students_copy_works(made, tmp_path):
    """Unpacked, it judges and hints; a solution is refused in one sentence, and so is the instructor's bundle."""
    shutil.unpack_archive(made[0] / "student.zip", tmp_path)
    code = """
from bflo_viz.lessons import check, hint, solution
import bflo_viz
print(bflo_viz.__file__)
print(check.slope_of_the_kl(None).right, check.slope_of_the_kl(lambda a, u, v: a - 1 / a).words)
print([hint("02.1") for _ in range(3)][-1])
print(solution("02.1"))
from bflo_viz.cli import main
main(["bundle", "--instructor", "out.zip"])
"""
    home = tmp_path / FOLDER
    environment = os.environ | {"PYTHONPATH": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=home, env=environment, capture_output=True, text=True, check=True
    )
    place, judged, hinted, refused = run.stdout.splitlines()
    assert place == str(home / "bflo_viz" / "__init__.py")
    assert judged.startswith("False At a = 1.3")
    assert hinted.endswith("(the last)")
    assert refused == "This copy of the course has no solutions: ask your instructor, who has a copy with them."
    assert "bflo: this copy of the course has no solutions" in run.stderr
    assert not (home / "out.zip").exists()


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the course in which one may write, cut down to two notebooks."""
    ignored = shutil.ignore_patterns("0[13-9]_*", "table*", "__pycache__")
    for name in ("bflo_viz", "notebooks", "docs", "results", "tools"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    for path in ROOT.glob("*.*"):
        if path.is_file():
            shutil.copy(path, tmp_path)
    for name in ("LICENSE", "Makefile"):
        shutil.copy(ROOT / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def typed(notebook, cell_id, source, printed):
    """Put an answer and what it printed into a cell of a notebook."""
    content = json.loads(notebook.read_text())
    cell = next(cell for cell in content["cells"] if cell["id"] == cell_id)
    cell["source"], cell["outputs"] = [source], [{"name": "stdout", "output_type": "stream", "text": [printed]}]
    notebook.write_text(json.dumps(content))
    return content


def test_answers_in_the_instructors_own_notebook_do_not_get_out(copy):
    """Typed over a stub, they are gone, and so is what they printed; in another cell, the bundle is refused."""
    notebook, solved = copy / "notebooks" / "02_one_dimension.ipynb", BOOK["02.1"].solution
    stored = notebook.read_text()
    typed(notebook, "exercise-02-1", solved, "✓ Right.")
    bundle.write(copy / "out.zip", solved=False, tell=print)
    with zipfile.ZipFile(copy / "out.zip") as archive:
        cells = json.loads(archive.read(f"{FOLDER}notebooks/{notebook.name}"))["cells"]
    cell = next(cell for cell in cells if cell["id"] == "exercise-02-1")
    assert "".join(cell["source"]) == BOOK["02.1"].stub
    assert cell["outputs"] == []

    notebook.write_text(stored)
    cells = json.loads(stored)["cells"]
    other = next(cell["id"] for cell in cells if cell["cell_type"] == "code" and "exercise" not in cell["id"])
    typed(notebook, other, 'solution("02.1")', solved)
    with pytest.raises(ValueError, match=r"02_one_dimension.ipynb has the solution of exercise 02.1 in it"):
        bundle.write(copy / "other.zip", solved=False, tell=print)
    assert not list(copy.glob("*other.zip*"))


def test_papers_of_an_instructor_stay_where_they_are(copy):
    """The folder of the documents is one where people put things."""
    (copy / "docs" / "exam_answers.md").write_text("All of them are 42.")
    (copy / "docs" / "notes.txt").symlink_to("/etc/hostname")
    bundle.write(copy / "out.zip", solved=False, tell=print)
    with zipfile.ZipFile(copy / "out.zip") as archive:
        names = {name.removeprefix(FOLDER) for name in archive.namelist()}
    listed = {name for name in bundle._FILES if name.startswith("docs/")} - {"docs/INSTRUCTORS.md"}
    assert {name for name in names if name.startswith("docs/")} == listed


@pytest.mark.parametrize("name", ["bflo_viz/more.py", "results/more.csv", "docs/handout.pdf"])
def test_links_are_refused(copy, name):
    """By name, and nothing is written."""
    (copy / name).unlink(missing_ok=True)
    (copy / name).symlink_to("/etc/hostname")
    with pytest.raises(ValueError, match=rf"{name}' is a link to another file: remove it, or put the file itself"):
        bundle.write(copy / "out.zip", solved=False, tell=print)
    assert not (copy / "out.zip").exists()


def test_mistakes_get_a_sentence(copy):
    """A file that is no bundle, a folder that is not there, a course that is not whole: nothing is written."""
    (copy / "mine.zip").write_text("something else")
    with pytest.raises(ValueError, match=r"mine\.zip exists and is no bundle: name another file"):
        bundle.write(copy / "mine.zip", solved=True, tell=print)
    assert (copy / "mine.zip").read_text() == "something else"
    with pytest.raises(ValueError, match=r"could not be written \(No such file or directory\): name a file"):
        bundle.write(copy / "nowhere" / "out.zip", solved=True, tell=print)
    (copy / "pyproject.toml").unlink()
    with pytest.raises(ValueError, match=r"is no whole copy of the course, pyproject\.toml is missing"):
        bundle.write(copy / "out.zip", solved=True, tell=print)
