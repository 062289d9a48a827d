"""A file is written whole, or not at all."""

import os

import pytest

from bflo_viz._places import write_whole


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path):
    path = tmp_path / "table.csv"
    write_whole(path, b"old")
    write_whole(path, b"new")
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("table.csv", b"new")]


def test_a_failure_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    write_whole(path, b"old")

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, "rename", full)
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="no space"):
        write_whole(path, b"new")
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("table.csv", b"old")]


def test_a_link_of_the_temporary_name_is_not_followed(tmp_path):
    other = tmp_path / "other"
    other.write_bytes(b"precious")
    (tmp_path / f".page.{os.getpid()}.part").symlink_to(other)
    write_whole(tmp_path / "page", b"new")
    assert other.read_bytes() == b"precious"
