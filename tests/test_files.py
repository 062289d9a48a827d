"""A file is written whole, or not at all."""

from pathlib import Path

import pytest

from bflo_viz._places import write_whole


def test_a_file_is_replaced_whole_or_left_as_it_was(tmp_path, monkeypatch):
    """A disk that is full at the last moment leaves the old file, and nothing beside it."""
    path = tmp_path / "table.csv"
    write_whole(path, b"old")
    write_whole(path, b"new")

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="no space"):
        write_whole(path, b"newer")
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {"table.csv": b"new"}
