"""Results in CSV files: what is written can be read, and what cannot be read gets one sentence."""

import math
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_store import fewer, result, results, same

from bflo_viz.experiments.result import COLUMNS, Result, read_csv, write_csv


@fewer
@given(st.lists(results(), max_size=4))
def test_what_is_written_can_be_read(rows):
    """Every column: seconds to the millisecond, memory to the megabyte, the rest as in a store."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.csv"
        write_csv(path, rows)
        found = read_csv(path)
        text = path.read_bytes()
        write_csv(path, found)
        assert path.read_bytes() == text  # a second time nothing is rounded any more
    assert len(found) == len(rows)
    for one, other in zip(rows, found, strict=True):
        assert math.isnan(one.seconds) or abs(one.seconds - other.seconds) <= 0.0006
        assert math.isnan(one.memory_mb) or abs(one.memory_mb - other.memory_mb) <= 0.6
        times = {"seconds": 0.0, "memory_mb": 0.0}
        same(Result(**(vars(one) | times)), Result(**(vars(other) | times)))


def test_names_with_signs_of_csv(tmp_path):
    """Commas, quotes and the ends of lines stay what they are."""
    row = result(learner='a, "b"\nc', stream=" ", protocol="=1+1", machine="", memory_mb=3.0)
    write_csv(tmp_path / "results.csv", [row])
    same(row, read_csv(tmp_path / "results.csv")[0])


def test_an_empty_list(tmp_path):
    """Is a file with a header."""
    write_csv(tmp_path / "results.csv", [])
    assert (tmp_path / "results.csv").read_text() == ",".join(COLUMNS) + "\n"
    assert read_csv(tmp_path / "results.csv") == []


def broken(tmp_path, change):
    """A file of two rows, changed."""
    path = tmp_path / "results.csv"
    write_csv(path, [result(0), result(1)])
    path.write_bytes(change(path.read_bytes()))
    return path


CHANGES = {
    "nothing in it": (lambda text: b"", "does not begin with the names of the columns"),
    "no header": (lambda text: text.partition(b"\n")[2], "does not begin with the names of the columns"),
    "another header": (lambda text: text.replace(b"rounds", b"laps"), "does not begin with the names"),
    "cut in a row": (lambda text: text[:-60], "line 3: .* is "),
    "a column too many": (lambda text: text[:-1] + b",more\n", "line 3: there are more values than columns"),
    "a word for a number": (lambda text: text.replace(b",100,", b",many,", 1), "line 2: rounds is 'many'"),
    "an impossible count": (lambda text: text.replace(b",20,3,", b",20,30,", 1), "line 2: counts of mistakes are"),
    "a curve that does not add up": (lambda text: text.replace(b"3 4", b"3 5", 1), "line 2: the learning curve"),
    "an open quote": (lambda text: text.replace(b"text", b'"text', 1), "line 1: unexpected end of data|line .*"),
    "no text": (lambda text: text + b"\xff\xfe", "it is not text"),
}


@pytest.mark.parametrize(("change", "saying"), CHANGES.values(), ids=CHANGES)
def test_a_broken_file_gets_one_sentence(tmp_path, change, saying):
    """With the line that is wrong, where there is one."""
    path = broken(tmp_path, change)
    with pytest.raises(ValueError, match=rf"results.csv is not a file of results: .*{saying}") as caught:
        read_csv(path)
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")


def test_a_file_that_is_not_there(tmp_path):
    """Or is a folder; and one that cannot be written."""
    for path, why in ((tmp_path / "no.csv", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(ValueError, match=f"{path} could not be read: {why}"):
            read_csv(path)
    with pytest.raises(ValueError, match=r"no/results.csv could not be written: No such file"):
        write_csv(tmp_path / "no" / "results.csv", [])


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    """Something goes wrong in the middle: the old rows are still there, and nothing else."""
    path = tmp_path / "results.csv"
    write_csv(path, [result(1)])

    def rows():
        yield result(2)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_csv(path, rows())
    assert [row.run for row in read_csv(path)] == [1]
    assert os.listdir(tmp_path) == ["results.csv"]
