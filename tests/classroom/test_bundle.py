"""Bundles: complete enough to work in, and the students' one has no solution anywhere."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from itertools import pairwise
from pathlib import Path

import pytest

from bflo_viz.classroom import bundle
from bflo_viz.cli import main
from bflo_viz.lessons.exercises import BOOK

ROOT = Path(__file__).parents[2]
EXERCISES = list(BOOK.values())
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
    """Lines of the solution that the stub has not (without comments), and its reasons, by sentences.

    Of what is built from an empty cell, two lines in a row: a single one is a formula of the course.
    """
    stub = [one_line(line) for line in exercise.stub.splitlines()]
    lines = [] if exercise.kind == "explain" else exercise.solution.splitlines()  # a check shows its model answer
    new = [line for line in lines if one_line(line) not in stub]
    lines = [re.sub(r"\s+#.*", "", line).strip() for line in new if "belief.sample(" not in line]  # questions have it
    if exercise.kind == "build":
        both = (f"{first} {second}" for first, second in pairwise(lines))
        lines = [words for words in both if words in one_line(exercise.solution)]
    return lines, [one for one in re.split(r"(?<=[.?!]) ", one_line(exercise.why)) if len(one) > 12]


def test_no_solution_is_in_any_file_of_the_students(made):
    """Not a line of code, not a sentence of the reason; neither in the package nor in cells or outputs."""
    everything = {name: readable(name, content) for name, content in made[1]["student"].items()}
    assert len(everything) > 150
    for exercise in EXERCISES:
        lines, reasons = telling(exercise)
        assert reasons and (lines or exercise.kind == "explain")
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
    settings = {"cwd": home, "env": environment, "capture_output": True, "text": True, "check": True}
    run = subprocess.run([sys.executable, "-c", code], **settings)
    place, judged, hinted, refused = run.stdout.splitlines()
    assert place == str(home / "bflo_viz" / "__init__.py")
    assert judged.startswith("False That is the slope of the second term")
    assert hinted.endswith("(the last)")
    assert refused == "This copy of the course has no solutions: ask your instructor, who has a copy with them."
    assert "bflo: this copy of the course has no solutions" in run.stderr
    assert not (home / "out.zip").exists()


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the course in which one may write, cut down to two notebooks."""
    for pattern in bundle._FILES:
        for path in (path for path in ROOT.glob(pattern) if path.is_file()):
            if not re.search(r"0[13-9]_|/table|__pycache__", path.as_posix()):
                (tmp_path / path.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, tmp_path / path.relative_to(ROOT))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(path, sentence, *, solved=False):
    """The bundle is refused with this sentence, and nothing is written."""
    before = sorted(path.parent.glob("*.zip*"))
    with pytest.raises(ValueError, match=sentence):
        bundle.write(path, solved=solved, tell=print)
    assert sorted(path.parent.glob("*.zip*")) == before


def test_answers_in_the_instructors_own_notebook_do_not_get_out(copy):
    """Typed over a stub, they are gone, and so is what they printed; in another cell, the bundle is refused."""
    path, solved = copy / "notebooks" / "02_one_dimension.ipynb", BOOK["02.1"].solution
    content = json.loads(path.read_text())
    cells = {cell["id"]: cell for cell in content["cells"] if cell["cell_type"] == "code"}
    printed = [{"name": "stdout", "output_type": "stream", "text": [solved]}]
    cells["exercise-02-1"] |= {"source": [solved], "outputs": printed}
    path.write_text(json.dumps(content))
    bundle.write(copy / "out.zip", solved=False, tell=print)
    with zipfile.ZipFile(copy / "out.zip") as archive:
        made = json.loads(archive.read(f"{FOLDER}notebooks/{path.name}"))["cells"]
    cell = next(cell for cell in made if cell["id"] == "exercise-02-1")
    assert "".join(cell["source"]) == BOOK["02.1"].stub and cell["outputs"] == []

    other = next(name for name in cells if "exercise" not in name)
    cells[other] |= {"source": ['solution("02.1")'], "outputs": printed}
    path.write_text(json.dumps(content))
    refused(copy / "other.zip", r"02_one_dimension.ipynb has the solution of exercise 02.1 in it")


def test_papers_of_an_instructor_stay_where_they_are_and_links_are_refused(copy):
    """The folder of the documents is one where people put things; what is linked may be anything."""
    (copy / "docs" / "exam_answers.md").write_text("All of them are 42.")
    (copy / "docs" / "notes.txt").symlink_to("/etc/hostname")
    bundle.write(copy / "out.zip", solved=False, tell=print)
    with zipfile.ZipFile(copy / "out.zip") as archive:
        names = {name.removeprefix(FOLDER) for name in archive.namelist()}
    listed = {name for name in bundle._FILES if name.startswith("docs/")} - {"docs/INSTRUCTORS.md"}
    assert {name for name in names if name.startswith("docs/")} == listed
    for name in ("bflo_viz/more.py", "results/more.csv", "docs/handout.pdf"):
        (copy / name).unlink(missing_ok=True)
        (copy / name).symlink_to("/etc/hostname")
        refused(copy / "out2.zip", rf"{name}' is a link to another file: remove it, or put the file itself")
        (copy / name).unlink()


def test_mistakes_get_a_sentence(copy):
    """A file that is no bundle, a folder that is not there, a course that is not whole: nothing is written."""
    with zipfile.ZipFile(copy / "mine.zip", "w") as other:
        other.writestr("thesis.txt", "mine")
    refused(copy / "mine.zip", r"mine\.zip exists and is no bundle: name another file", solved=True)
    assert zipfile.ZipFile(copy / "mine.zip").namelist() == ["thesis.txt"]
    nowhere = r"could not be written \(No such file or directory\): name a file"
    refused(copy / "nowhere" / "out.zip", nowhere, solved=True)
    (copy / "pyproject.toml").unlink()
    refused(copy / "out.zip", r"is no whole copy of the course, pyproject\.toml is missing", solved=True)
