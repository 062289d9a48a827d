"""Files and folders that are not as they should be: the right one is named, and nothing else is touched."""

import gzip
import io
import os
import subprocess
import sys
import tempfile
import threading
import zipfile

import numpy as np
import pytest
import stream_files as files
from stream_server import Handler, serving

from bflo_viz.streams import StreamError, backgrounds, download, parsers
from bflo_viz.streams.sources import obtain, set_aside

X, Y = files.rows()


def idx(magic, array):
    head = magic.to_bytes(4, "big") + b"".join(side.to_bytes(4, "big") for side in array.shape)
    return gzip.compress(head + array.astype(np.uint8).tobytes())


PICTURES, LABELS = np.arange(6 * 4).reshape(6, 2, 2), np.array([0, 1, 0, 1, 1, 0])
IDX = {
    "a.gz": idx(0x803, PICTURES[:4]),
    "b.gz": idx(0x801, LABELS[:4]),
    "c.gz": idx(0x803, PICTURES[4:]),
    "d.gz": idx(0x801, LABELS[4:]),
}
LINES = {"one": files.libsvm(X[:20], Y[:20]), "two": files.libsvm(X[20:], Y[20:])}


@pytest.mark.parametrize(
    ("content", "bad", "damage", "words"),
    [
        *((IDX, name, lambda data: data[:-9], "it is cut off") for name in IDX),
        (IDX, "b.gz", lambda data: b"<html>", "b.gz is no idx file of labels"),
        (LINES, "two", lambda data: data.replace(b" 1:", b" 99:"), "it has a feature 99"),
        (LINES, "one", lambda data: b"<html>", "another format"),
        (LINES, "two", lambda data: b"", "it is cut off"),
    ],
)
def test_only_the_file_that_is_wrong_is_renamed(tmp_path, monkeypatch, content, bad, damage, words):
    """Of four, of two; the sentence names it, and the others stay."""
    monkeypatch.setenv("BFLO_DATA", str(tmp_path))
    for name, data in content.items():
        (tmp_path / name).write_bytes(damage(data) if name == bad else data)
    rows, kind = (PICTURES.reshape(6, 4), "idx") if content is IDX else (X, "libsvm")
    recipe = files.recipe(
        rows,
        LABELS if kind == "idx" else Y,
        kind=kind,
        names=tuple(content),
        dtype="uint8" if kind == "idx" else "int16",
    )
    with pytest.raises(StreamError, match=words) as caught:
        obtain(recipe)
    assert str(caught.value).startswith(f"{bad} in {tmp_path} is not a part of the stream tiny: ")
    assert sorted(os.listdir(tmp_path)) == sorted({*content, f"{bad}.rejected"} - {bad})
    (tmp_path / bad).write_bytes(content[bad])
    assert obtain(recipe).X.shape == rows.shape


def test_an_older_file_that_was_wrong_keeps_its_name(tmp_path):
    """So that it can still be looked at."""
    for number in range(3):
        (tmp_path / "odd[1]").write_text(f"version {number}")
        set_aside([tmp_path / "odd[1]"])
    names = ["odd[1].rejected", "odd[1].rejected-2", "odd[1].rejected-3"]
    assert [(tmp_path / name).read_text() for name in names] == ["version 0", "version 1", "version 2"]


UNPRIVILEGED = """
import os
from bflo_viz import _places
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)  # root may enter every folder
try:
    _places.data_folder()
except ValueError as problem:
    print(problem)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="folders have other permissions there")
@pytest.mark.parametrize("inside", [False, True])
def test_a_folder_that_one_may_not_enter(inside):
    """One sentence, whether it is the folder itself or one above it."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        closed = os.path.join(folder, "closed")
        os.makedirs(os.path.join(closed, "data"))
        os.chmod(closed, 0)
        named = os.path.join(closed, "data") if inside else closed
        command = [sys.executable, "-c", UNPRIVILEGED]
        told = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "BFLO_DATA": named})
        os.chmod(closed, 0o700)
    why = "is not a folder: correct it" if inside else "you may not enter: ask its owner"
    assert (told.stdout, told.stderr) == (f"BFLO_DATA names {named}, which {why}, or unset it.\n", "")


def test_photographs_with_a_part_that_is_no_array(tmp_path, monkeypatch):
    """One sentence, and it is renamed."""
    packed = io.BytesIO()
    np.savez(packed, one=np.zeros((30, 30), np.uint8))
    with zipfile.ZipFile(packed, "a") as archive:
        archive.writestr("notes.txt", "no picture")
    (tmp_path / "photos.npz").write_bytes(packed.getvalue())
    monkeypatch.setenv("BFLO_DATA", str(tmp_path))
    with pytest.raises(
        StreamError, match="not the known set of photographs: a part of it is no array, so it was renamed"
    ):
        backgrounds.photographs()


def test_a_line_without_end_is_refused_before_it_is_parsed(tmp_path, monkeypatch):
    """Of a file that is otherwise not too large."""
    monkeypatch.setattr(parsers, "_BLOCK", 1000)
    monkeypatch.setattr(parsers, "_LINE", 3000)
    (tmp_path / "tiny").write_bytes(b"1," * 50_000)
    recipe = files.recipe(X, Y, kind="csv")
    with pytest.raises(parsers.ContentError, match="it has a line of more than 0 MB"):
        parsers.read(recipe, recipe.ways[0], [tmp_path / "tiny"])


def test_a_line_that_only_drips_is_given_up(monkeypatch, cache):
    """One byte at a time, and never silent for long: told, and not waited for until the file is whole."""
    content = files.libsvm(X, Y)
    sent = []

    def do_dripping(self, content):
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        for place in range(len(content)):
            self.wfile.write(content[place : place + 1])
            sent.append(place)
            stopped.wait(0.01)

    stopped = threading.Event()
    monkeypatch.setattr(Handler, "do_dripping", do_dripping, raising=False)
    monkeypatch.setattr(download, "PATIENCE", 0.0)
    monkeypatch.setattr(download, "SLOWEST", 1e9)
    with serving(content) as server:
        recipe = files.recipe(X, Y, urls=[server.url("dripping")])
        with pytest.raises(StreamError, match=r"127\.0\.0\.1:\d+: the line is too slow, \d+ bytes a second"):
            obtain(recipe)
        stopped.set()
    assert len(sent) < len(content) and server.times("dripping") == 1
