"""A file is written whole, or not at all."""

import os

import pytest

from bflo_viz._places import write_whole


def test_a_file_is_replaced_whole_or_left_as_it_was(tmp_path, monkeypatch):
    """Nothing else is left, and a link of the temporary name is not followed."""
    path, other = tmp_path / "table.csv", tmp_path / "other"
    other.write_bytes(b"precious")
    (tmp_path / f".table.csv.{os.getpid()}.part").symlink_to(other)
    write_whole(path, b"old")
    write_whole(path, b"new")

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, "rename", full)
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="no space"):
        write_whole(path, b"newer")
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {
        "table.csv": b"new",
        "other": b"precious",
    }
