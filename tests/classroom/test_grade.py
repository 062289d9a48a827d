"""Marks: right is told from wrong, and a notebook that is broken or hostile gets a line and harms nothing.

Each submission is a small notebook with exercises of lesson 02, run as `bflo grade` runs it, with short limits.
"""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bflo_viz.classroom import fence, grade
from bflo_viz.cli import main
from bflo_viz.lessons.exercises import BOOK

ROOT = Path(__file__).parents[2]
FIRST = "import numpy as np\nfrom bflo_viz import RegimeExplorer\nfrom bflo_viz.lessons import check"
ASKED = ("02.1", "02.2", "02.3")
SETUP = BOOK["02.3"].setup  # the explorer of that exercise
WRONG = "def slope(a, u, v):\n    return a - 1 / a\n\n\ncheck.slope_of_the_kl(slope)"


def record(**parts):
    """An output that carries a record, as a saved bet or check has it."""
    return {"output_type": "display_data", "data": {grade.ANSWERED: parts, "text/plain": "x"}, "metadata": {}}


def submission(path, *cells):
    """A notebook of cells, each a source, or a source, an id and outputs; its path comes back."""
    made = []
    for n, cell in enumerate(cells):
        source, name, outputs = (cell, f"cell-{n}", []) if isinstance(cell, str) else cell
        made.append({"cell_type": "code", "id": name, "source": source, "outputs": outputs, "metadata": {}})
    path.write_text(json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return path


def exercise(number, source=None, *outputs):
    """The cell of an exercise: its stub, or another source."""
    return source or BOOK[number].stub, f"exercise-{number.replace('.', '-')}", list(outputs)


def solved(number):
    return exercise(number, BOOK[number].solution)


def marked(paths, out, **settings):
    """The table of marks as it was written, a line for each file; nothing is left behind."""
    before = set(Path("/tmp").glob("bflo-grade-*"))
    settings = {"seconds": 40, "memory": 2, "only": ASKED, "tell": lambda _: None} | settings
    grade.grade(paths, out, **settings)
    with out.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert len(out.read_text("utf-8").splitlines()) == len(lines) + 1 == len(paths) + 1
    assert set(Path("/tmp").glob("bflo-grade-*")) <= before
    return lines


def test_right_answers_get_their_marks_and_what_was_saved_is_read(tmp_path):
    """The first bet counts, right or wrong; a setting found by hand counts as it was saved, and the line says so."""
    path = submission(
        tmp_path / "=anna.ipynb",
        FIRST,
        (BOOK["02.1"].solution, "exercise-02-1", [record(exercise="02.1", right=True, attempts=3)]),
        ('bet = str\nbet("02.2")', "x", [record(exercise="02.2", first="wider", reason="it moves")]),
        ("", "y", [record(exercise="02.2", first="narrower")]),
        SETUP,
        exercise("02.3", None, record(exercise="02.3", right=True, attempts=2)),
        exercise("02.4", "%precision 3\n!true\n" + BOOK["02.4"].solution),
    )
    (line,) = marked([path], tmp_path / "marks.csv", only=[*ASKED, "02.4", "02.5"])
    assert line["file"].endswith("=anna.ipynb") and line["lesson"] == "02"
    assert [line[f"02.1 {part}"] for part in ("answer", "attempts", "marks")] == ["right", "3", "2"]
    assert [line[f"02.2 {part}"] for part in ("first answer", "right", "marks")] == ["wider", "no", "1"]
    assert [line[f"02.3 {part}"] for part in ("answer", "attempts", "marks")] == ["right (as saved)", "2", "2"]
    assert line["02.4 answer"] == "no answer" and line["02.5 answer"] == "missing"  # `mirror` was never made
    assert (line["marks"], line["of"]) == ("5", "9")
    assert "NameError" in line["remark"] and "missing: 02.5" in line["remark"]


def test_no_marks_for_wrong_answers_untouched_stubs_and_bets_that_were_not_made(tmp_path):
    """What was saved as right does not help where it can be run again; a bet must be one of the words."""
    path = submission(
        tmp_path / "ben.ipynb",
        FIRST,
        exercise("02.1", WRONG, record(exercise="02.1", right=True, attempts=1)),
        exercise("02.2", "", record(exercise="02.2", first="=HYPERLINK(1)")),
        SETUP,
        exercise("02.3"),
    )
    (line,) = marked([path], tmp_path / "marks.csv")
    assert [line[f"{number} marks"] for number in ASKED] == ["0", "0", "0"]
    assert (line["02.1 answer"], line["02.3 answer"]) == ("wrong", "no answer")
    assert line["02.2 first answer"] == "'=HYPERLINK(1)"
    assert "02.1 was saved as right, but is not when it is run again" in line["remark"]


def test_a_bet_may_have_to_be_right(tmp_path):
    """A bet can also be typed: as the second thing that `bet` is given, or as the answer of a check."""
    cells = [
        exercise("02.2", 'answer = "wider"\ncheck.past_the_mean(answer)'),
        exercise("03.1", 'bet = print\nbet("03.1", "full and " + "spherical")'),
    ]
    path = submission(tmp_path / "a.ipynb", FIRST, *cells)
    (line,) = marked([path], tmp_path / "marks.csv", only=["02.2", "03.1"], right_bets=True)
    assert (line["02.2 first answer"], line["02.2 right"], line["02.2 marks"]) == ("wider", "no", "0")
    assert (line["03.1 first answer"], line["03.1 right"], line["marks"]) == ("full and spherical", "yes", "1")


BROKEN = {
    "empty.ipynb": ("", "the file is empty"),
    "broken.ipynb": ('{"cells": [', "it is no notebook: its JSON is broken"),
    "deep.ipynb": ("[" * 100_000, "it is no notebook: its JSON is broken"),
    "bytes.ipynb": ("\udcff", "it is no notebook: its JSON is broken"),
    "list.ipynb": ("[]", "it is no notebook of version 4: have it saved anew in Jupyter"),
    "cells.ipynb": ('{"cells": [1, {"cell_type": "code", "source": 3}]}', "no exercise of the course is in it"),
    "none.ipynb": ('{"cells": []}', "there is no code in it"),
}


def test_files_that_are_no_submission_get_a_line_that_says_so(tmp_path):
    """Empty, broken, of another kind, not there, too large: one line each, and none is run."""
    for name, (content, _) in BROKEN.items():
        (tmp_path / name).write_text(content, errors="surrogateescape")
    with (tmp_path / "flood.ipynb").open("wb") as file:
        file.truncate(60 * 2**20)
    wanted = {name: words for name, (_, words) in BROKEN.items()} | {
        "flood.ipynb": "it is larger than 50 MB: ask for one with its outputs cleared",
        "nowhere.ipynb": "it cannot be read (No such file or directory)",
    }
    lines = marked([tmp_path / name for name in wanted], tmp_path / "marks.csv")
    assert {Path(line["file"]).name: line["remark"] for line in lines} == wanted
    assert {line["marks"] for line in lines} == {"0"}


def test_an_endless_loop_is_stopped_and_the_rest_is_judged(tmp_path):
    """The cell is stopped after its part of the time; before and after it, answers count."""
    loop = "import time\nwhile True:\n    try:\n        time.sleep(1)\n    except Exception:\n        pass"
    path = submission(tmp_path / "loop.ipynb", FIRST, solved("02.1"), loop, SETUP, solved("02.3"))
    (line,) = marked([path], tmp_path / "marks.csv", seconds=15)
    assert (line["02.1 answer"], line["02.3 answer"]) == ("right", "right")
    assert "code cell 3 took too long and was stopped" in line["remark"]


def test_exits_and_floods_keep_what_came_before(tmp_path):
    """`os._exit`, after more than a million characters: what was judged before counts, and the line says the rest."""
    path = submission(tmp_path / "exit.ipynb", FIRST, solved("02.1"), "import os\nos._exit(3)", SETUP, solved("02.3"))
    (line,) = marked([path], tmp_path / "marks.csv")
    assert (line["02.1 answer"], line["02.3 answer"], line["marks"]) == ("right", "not reached", "2")
    assert "its process ended by itself before the last cell (exit code 3)" in line["remark"]


def test_memory_and_output_are_bounded(tmp_path):
    """More memory than allowed is an error of that cell; a flood of output is counted and dropped."""
    flood = "for _ in range(300):\n    print('x' * 10_000)\nimport sys\nsys.__stdout__.write('y' * 10**6)"
    eater = "kept = []\nwhile True:\n    kept.append(bytearray(2**30))"
    path = submission(tmp_path / "m.ipynb", FIRST, eater, "kept = None", flood, solved("02.1"))
    (line,) = marked([path], tmp_path / "marks.csv")
    assert line["02.1 answer"] == "right"
    assert "it asked for more memory than it may have" in line["remark"]
    assert "it prints more than a million characters, which were dropped" in line["remark"]


EDITS = [
    "class check:\n    slope_of_the_kl = staticmethod(lambda answer: '✓ Right.')\ncheck.slope_of_the_kl(1)",
    "import bflo_viz.lessons.exercise as e\ne.close = lambda *_: True\ne.Exercise.check = lambda *_: e.Verdict(True)",
    "from bflo_viz.lessons.exercises import BOOK, one_update\nobject.__setattr__(BOOK['02.1'], 'judge', print)",
    "one_update.slope_of_the_kl.__code__ = (lambda slope: None).__code__\nnp.allclose = lambda *_, **__: True",
]


def test_edited_checks_convince_nobody(tmp_path):
    """Checks replaced, judges rewritten, solutions looked for: the answer stays wrong, and the line names edits."""
    look = "from bflo_viz.lessons import solution\nshown = str(solution('02.1'))\nassert 'no solutions' in shown"
    path = submission(tmp_path / "edit.ipynb", FIRST, look, *EDITS, exercise("02.1", WRONG), solved("02.3"))
    (line,) = marked([path], tmp_path / "marks.csv")
    assert line["02.1 answer"] == "wrong"
    for name in ("check", "bflo_viz.lessons.exercise.close", "Exercise.check", "numpy.allclose"):
        assert name in line["remark"]
    assert "1 of 8 code cells" in line["remark"]  # the last one, without its explorer: the solutions were not there


def test_mistakes_get_a_sentence(tmp_path, capsys):
    """A table that would replace something else, no notebook, no such exercise, no time."""
    path = submission(tmp_path / "a.ipynb", FIRST)
    for options, words in [
        (["--out", str(path)], "exists and is no table of marks: name another file"),
        (["--out", str(tmp_path / "no" / "m.csv")], "cannot be written (No such file or directory)"),
        (["--only", "02.1,99.9"], "there is no exercise '99.9'; there are 01.1"),
        (["--seconds", "0"], "--seconds must be a number above 0"),
    ]:
        assert main(["grade", str(path), *options]) == 1
        error = capsys.readouterr().err
        assert words in error and error.startswith("bflo: ") and error.count("\n") == 1
    (tmp_path / "none").mkdir()
    assert main(["grade", str(tmp_path / "none")]) == 1
    assert "there is no notebook in" in capsys.readouterr().err


def test_what_keeps_a_notebook_in_is_said(monkeypatch):
    """By the kernel, or only by Python: an instructor reads which."""
    run = fence.Run([{"fence": 0}], "")
    monkeypatch.setattr(fence, "alone", lambda: ())
    assert "only Python's own connections were refused" in grade._fence_words(run)
    assert "refused by the kernel" in grade._fence_words(fence.Run([{"fence": 6}], ""))
    monkeypatch.setattr(fence, "alone", lambda: ("unshare",))
    assert "cut off" in grade._fence_words(run)


def test_every_kind_of_exercise_has_marks():
    assert {one.kind for one in BOOK.values()} <= set(grade.MARKS)


HOSTILE = """
import os, shutil, signal, socket, subprocess, sys
done = []
def tried(name, act):
    try:
        act()
        done.append(name)
    except BaseException:
        pass
tried("delete", lambda: os.remove({victim!r}))
tried("write", lambda: open({victim!r}, "a").write("!"))
tried("neighbour", lambda: open({victim!r}).read())
tried("tree", lambda: shutil.rmtree({folder!r}))
tried("network", lambda: socket.create_connection(("127.0.0.1", {port}), timeout=2))
tried("signal", lambda: os.kill({pid}, signal.SIGTERM))
tried("secret", lambda: os.environ["BFLO_TEST_SECRET"])
for _ in range(3):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", "{mark}"], start_new_session=True)
if not os.fork():
    os.setsid()
    if not os.fork():
        while True:
            os.environ.clear()
    os._exit(0)
def slope(a, u, v):
    return a - 1 / a if done else -u * (v - a * u) + a - 1 / a
check.slope_of_the_kl(slope)
"""


@pytest.mark.slow
@pytest.mark.parametrize("namespaces", [True, False])
def test_a_hostile_notebook_harms_nothing(tmp_path, monkeypatch, namespaces):
    """It can neither delete, read nor write what is outside, reach the network or others; and leaves no process.

    Whether it could is told by its answer: it is right only if all attempts have failed.
    """
    if not namespaces:
        monkeypatch.setattr(fence, "alone", lambda: ())
    elif not fence.alone():
        pytest.skip("this system allows no namespaces")
    victim, mark = tmp_path / "victim.txt", f"bflo-{os.getpid()}-{namespaces}"
    victim.write_text("mine")
    monkeypatch.setenv("BFLO_TEST_SECRET", "42")
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        parts = {"victim": str(victim), "folder": str(tmp_path), "mark": mark, "pid": os.getpid()}
        path = submission(
            tmp_path / "h.ipynb",
            FIRST,
            exercise("02.1", HOSTILE.format(port=server.getsockname()[1], **parts)),
        )
        (line,) = marked([path], tmp_path / "marks.csv")
    assert victim.read_text() == "mine"
    assert line["02.1 answer"] == "right", line
    time.sleep(0.5)
    left = subprocess.run(["ps", "axww", "-o", "args"], capture_output=True, text=True).stdout
    assert mark not in left


@pytest.mark.slow
def test_a_run_that_is_killed_keeps_whole_lines(tmp_path):
    """Two notebooks are done when the third hangs and the command is killed; a second run replaces the table."""
    good = submission(tmp_path / "good.ipynb", FIRST, solved("02.1"))
    stuck = submission(tmp_path / "stuck.ipynb", FIRST, "import time\ntime.sleep(1000)", exercise("02.1"))
    out = tmp_path / "marks.csv"
    command = [sys.executable, "-m", "bflo_viz", "grade", str(good), str(good), str(stuck), "--seconds", "30"]
    command += ["--out", str(out)]
    for how in (signal.SIGKILL, signal.SIGINT):
        run = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while not out.exists() or out.read_text().count("\n") < 3:
            time.sleep(0.1)
        time.sleep(1)
        run.send_signal(how)
        errors = run.communicate()[1]
        assert "Traceback" not in errors
        lines = out.read_text().splitlines(keepends=True)
        assert len(lines) == 3 and all(line.endswith("\n") for line in lines)
        out.unlink()
    assert "stopped; " in errors


@pytest.mark.slow
@pytest.mark.parametrize("number", [f"{n:02d}" for n in (*range(1, 9), 10)])
def test_the_instructors_own_notebook_gets_full_marks(tmp_path, number):
    """Every lesson with its solutions: all that can be run again is right, and nothing is remarked."""
    import nbformat

    from bflo_viz.lessons.instructor import fill

    (path,) = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
    nbformat.write(fill(nbformat.read(path, as_version=4), solved=True), tmp_path / path.name)
    (line,) = marked([tmp_path / path.name], tmp_path / "marks.csv", only=(), seconds=300, memory=4)
    bets = sum(one.kind == "predict" for one in BOOK.values() if one.number[:2] == number)
    assert line["remark"] == ""
    assert int(line["marks"]) >= int(line["of"]) - bets
