"""Files into verified arrays, against tiny files in the real formats, written and hashed without the package."""

import bz2
import gzip
import hashlib
import os
import struct
import threading
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from bflo_viz import cli
from bflo_viz.streams import StreamError, datasets, load_stream
from bflo_viz.streams.datasets import FROM_FILES, Dataset, load_arrays
from bflo_viz.streams.stream import fingerprint

REAL = os.environ.get("BFLO_DATA", "")
RNG = np.random.default_rng(0)
X, Y = RNG.integers(-300, 300, (50, 7)) * (RNG.random((50, 7)) < 0.4), RNG.integers(0, 2, 50)
FLOATS = np.round(X / 7.0, 6)
PICTURES, DIGITS = RNG.integers(0, 256, (9, 12)), np.array([3, 1, 4, 1, 5, 9, 2, 6, 5])


def sha256(X, y, dtype):
    """The fingerprint, number by number."""
    digest = hashlib.sha256(f"{len(X)} {len(X[0])} {dtype}\n".encode())
    for value in np.ravel(X).tolist():
        digest.update(struct.pack("<" + {"uint8": "B", "int16": "h", "float64": "d"}[dtype], value or 0))
    digest.update(bytes(y.tolist()))
    return digest.hexdigest()


def dataset(X, y, kind, urls, *, dtype="int16", labels=None, sparse=False):
    """What the table would say of these rows; ``urls`` are file names, or addresses by them."""
    classes = {f"class {label}": int((y == label).sum()) for label in range(max(2, y.max() + 1))}
    labels = labels or [[label] for label in range(len(classes))]
    urls = urls if isinstance(urls, dict) else {name: f"http://127.0.0.1:9/{name}" for name in urls}
    about = {"sparse": sparse, "format": kind, "labels": labels, "urls": urls}
    return Dataset("tiny", classes, X.shape[1], dtype, sha256(X, y, dtype), "MIT", **about)


def served(address):
    """A dataset in one file, from this address."""
    return dataset(X, Y, "libsvm", {"tiny": address})


def libsvm(X, labels):
    """Rows as LIBSVM writes them, with the blank at the end of each line."""
    rows = (" ".join(f"{i}:{value}" for i, value in enumerate(row, 1) if value) for row in X.tolist())
    return "".join(f"{label} {row} \n" for label, row in zip(labels, rows, strict=True)).encode()


def csv(X, labels):
    """Rows as UCI writes covtype.data, the label last."""
    rows = zip(X.tolist(), labels.tolist(), strict=True)
    return "".join(",".join(map(repr, [*row, label])) + "\n" for row, label in rows).encode()


def idx(array):
    """An idx file of unsigned bytes."""
    header = struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape)
    return gzip.compress(header + array.astype(np.uint8).tobytes())


HEADER = b"@RELATION TINY\n\n@ATTRIBUTE V NUMERIC\n@ATTRIBUTE class {0,1}\n\n@DATA\n"
SIGNS = 2 * Y - 1
SEVEN = np.where(Y == 1, 2, 1 + 2 * (np.arange(50) % 4))  # seven labels for two classes, as in covtype
CASES = {
    "libsvm": (
        *(X, Y, dataset(X, Y, "libsvm", ["a.bz2", "b"], labels=[[-1], [1]], sparse=True)),
        [bz2.compress(libsvm(X[:20], SIGNS[:20])), libsvm(X[20:], SIGNS[20:])],
    ),
    "arff": (
        *(FLOATS, Y, dataset(FLOATS, Y, "arff", ["a.gz"], dtype="float64", labels=[[1, 3, 5, 7], [2]])),
        [gzip.compress(HEADER + csv(FLOATS, SEVEN))],
    ),
    "idx": (
        *(PICTURES, DIGITS, dataset(PICTURES, DIGITS, "idx", "abcd", dtype="uint8")),
        [
            idx(part)
            for part in (PICTURES[:6].reshape(6, 3, 4), DIGITS[:6], PICTURES[6:].reshape(3, 3, 4), DIGITS[6:])
        ],
    ),
}


def place(folder, dataset, contents):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in zip(dataset.urls, contents, strict=True):
        (folder / name).write_bytes(content)


@pytest.mark.parametrize("name", CASES)
def test_every_format_is_read(data, cache, name):
    """From the folder of BFLO_DATA, before the cache folder, and with no download; sparse rows store no zeros."""
    X, y, tiny, contents = CASES[name]
    place(data, tiny, contents)
    place(cache, tiny, [b"wrong"] * len(contents))
    examples, labels = load_arrays(tiny)
    assert isinstance(examples, csr_array) == tiny.sparse and (not tiny.sparse or examples.nnz == np.count_nonzero(X))
    assert np.array_equal(examples.toarray() if tiny.sparse else examples, X) and np.array_equal(labels, y)
    assert examples.dtype == tiny.dtype and labels.dtype == np.uint8


@pytest.mark.parametrize(
    ("name", "damage", "words"),
    [
        ("libsvm", lambda content: content[: content.rindex(b"\n", 0, -1) + 1], "49 x 7 numbers have the SHA-256"),
        ("libsvm", lambda content: b"<html>Please log in.</html>", "could not convert"),
        ("arff", lambda content: content[:-20], "ended before"),
        ("idx", lambda content: gzip.compress(gzip.decompress(content)[:-1]), "cannot reshape"),
    ],
)
def test_a_wrong_or_torn_file_gets_one_sentence(data, name, damage, words):
    """It says what to do, and the right file in its place is used."""
    _, y, tiny, contents = CASES[name]
    place(data, tiny, [*contents[:-1], damage(contents[-1])])
    with pytest.raises(StreamError, match=words) as error:
        load_arrays(tiny)
    sentence = str(error.value)
    assert str(data / list(tiny.urls)[-1]) in sentence and "\n" not in sentence
    assert sentence.endswith(": delete it, then run  bflo data fetch tiny.")
    place(data, tiny, contents)
    assert np.array_equal(load_arrays(tiny)[1], y)


@pytest.fixture
def server(tmp_path):
    """The address of a server that has the file ``right``, and no other."""

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *arguments): ...

    (tmp_path / "right").write_bytes(libsvm(X, Y))
    with HTTPServer(("127.0.0.1", 0), partial(Handler, directory=tmp_path)) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_download_is_kept_and_one_that_fails_leaves_nothing(server, cache):
    """It says where files may be put by hand; and the right one, later, is not fetched again."""
    words = (
        rf"tiny could not be downloaded \({server}/no: HTTPError\): put tiny into {cache}, or where BFLO_DATA says"
    )
    with pytest.raises(StreamError, match=words):
        load_arrays(served(f"{server}/no"))
    assert list(cache.iterdir()) == []
    for address in (f"{server}/right", "http://127.0.0.1:9/"):
        assert np.array_equal(load_arrays(served(address))[0], X)
    assert os.listdir(cache) == ["tiny"]


def test_the_fingerprint_is_of_the_content_alone():
    """Dense or sparse, either byte order, any memory order, and zero with a sign or without."""
    signed, y = np.where(FLOATS == 0, -0.0, FLOATS), Y.astype(np.uint8)
    expected = sha256(FLOATS, Y, "float64")
    for same in (FLOATS, signed, np.asfortranarray(FLOATS), FLOATS.astype(">f8"), csr_array(FLOATS)):
        assert fingerprint(same, y) == expected
    for other, labels in ((FLOATS, 1 - y), (FLOATS[::-1], y), (FLOATS.astype(np.float32), y)):
        assert fingerprint(other, labels) != expected


@pytest.mark.skipif(not Path(REAL, "covtype.data.gz").is_file(), reason="BFLO_DATA has no real files")
def test_the_real_files_are_the_papers_datasets(monkeypatch):
    """Their SHA-256 was compared; here are numbers that everyone can look up."""
    monkeypatch.setenv("BFLO_DATA", REAL)
    streams = {name: load_stream(name) for name in FROM_FILES}
    for name, stream in streams.items():
        assert np.bincount(stream.y).tolist() == [*FROM_FILES[name].classes.values()]
    assert streams["mnist"].y[:5].tolist() == [5, 0, 4, 1, 9]


def test_the_command_lists_every_stream(capsys, cache):
    assert cli.main(["data"]) == 0
    now, need = capsys.readouterr().out.split("These need a download")
    assert "sparse-logistic" in now and "digits" in now and "581,012 x 54" in need and "mnist-images" in need
    assert "BFLO_DATA" in need and str(cache) in need


def test_the_command_fetches_and_verifies(capsys, monkeypatch, server):
    """Each failure gets a line, the others go on, and the exit code tells."""
    monkeypatch.setitem(datasets.FROM_FILES, "a9a", served(f"{server}/right"))
    monkeypatch.setitem(datasets.FROM_FILES, "eeg", dataset(X, Y, "libsvm", {"other": f"{server}/missing"}))
    assert cli.main(["data", "fetch", "eeg", "a9a"]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("a9a ") and " ok: " in out and err.count("\n") == 1 and "could not be downloaded" in err
    assert cli.main(["data", "verify", "eeg", "a9a", "digits"]) == 1
    out, err = capsys.readouterr()
    assert out.count(" ok: ") == 2 and "eeg is not here: run  bflo data fetch eeg." in err
