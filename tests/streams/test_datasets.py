"""Files into verified arrays, against tiny files in the real formats, written and hashed without the package."""

import bz2
import gzip
import hashlib
import os
import struct
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
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
X = RNG.integers(-300, 300, (50, 7)) * (RNG.random((50, 7)) < 0.4)
Y = RNG.integers(0, 2, 50)
FLOATS = np.round(X / 7.0, 6)
PICTURES, DIGITS = RNG.integers(0, 256, (9, 3, 4)), np.array([3, 1, 4, 1, 5, 9, 2, 6, 5])
PACK = {"plain": bytes, "gz": gzip.compress, "bz2": bz2.compress}


def sha256(X, y, dtype):
    """The fingerprint, number by number."""
    digest = hashlib.sha256(f"{len(X)} {len(X[0])} {dtype}\n".encode())
    for value in np.ravel(X).tolist():
        digest.update(struct.pack("<" + {"uint8": "B", "int16": "h", "float64": "d"}[dtype], value or 0))
    return (digest.update(bytes(y.tolist())), digest.hexdigest())[1]


def dataset(X, y, kind="libsvm", *, dtype="int16", labels=None, urls=("tiny",), **options):
    """What the table would say of these rows."""
    classes = {f"class {label}": int((y == label).sum()) for label in range(max(2, y.max() + 1))}
    labels = labels or [[label] for label in range(len(classes))]
    urls = urls if isinstance(urls, dict) else {name: f"http://127.0.0.1:9/{name}" for name in urls}
    about = {"source": "here", "licence": "MIT", "citation": "nobody", "format": kind, "labels": labels, "urls": urls}
    return Dataset("tiny", classes, X.shape[1], dtype, sha256(X, y, dtype), **about, **options)


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
    return struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape) + array.astype(np.uint8).tobytes()


ARFF = b"@RELATION TINY\n\n@ATTRIBUTE V NUMERIC\n@ATTRIBUTE class {0,1}\n\n@DATA\n"
SEVEN = np.where(Y == 1, 2, 1 + 2 * (np.arange(50) % 4))  # seven labels for two classes, as in covtype
CASES = {
    "libsvm": (dataset(X, Y, labels=[[-1], [1]]), [libsvm(X, 2 * Y - 1)]),
    "two files": (dataset(X, Y, urls=("a", "b")), [libsvm(X[:20], Y[:20]), libsvm(X[20:], Y[20:])]),
    "csv": (dataset(X, Y, "csv", labels=[[1, 3, 4, 5, 6, 7], [2]]), [csv(X, SEVEN)]),
    "arff": (dataset(FLOATS, Y, "arff", dtype="float64"), [ARFF + csv(FLOATS, Y)]),
    "idx": (
        dataset(PICTURES.reshape(9, 12), DIGITS, "idx", dtype="uint8", urls="abcd"),
        [idx(part) for part in (PICTURES[:6], DIGITS[:6], PICTURES[6:], DIGITS[6:])],
    ),
}
EXPECTED = {"arff": (FLOATS, Y), "idx": (PICTURES.reshape(9, 12), DIGITS)}


def place(folder, dataset, contents):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in zip(dataset.urls, contents, strict=True):
        (folder / name).write_bytes(content)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("pack", PACK.values(), ids=PACK)
def test_every_format_is_read_packed_or_not(data, cache, name, pack):
    """From the folder of BFLO_DATA, before the cache folder, and with no download."""
    tiny, contents = CASES[name]
    place(data, tiny, map(pack, contents))
    place(cache, tiny, [b"wrong"] * len(contents))
    examples, labels = load_arrays(tiny, download=False)
    X_expected, y_expected = EXPECTED.get(name, (X, Y))
    assert np.array_equal(examples, X_expected) and np.array_equal(labels, y_expected)
    assert examples.dtype == tiny.dtype and labels.dtype == np.uint8


def test_a_sparse_dataset_stores_no_zeros(data):
    tiny = dataset(X, Y, sparse=True)
    place(data, tiny, [libsvm(X, Y)])
    examples, _ = load_arrays(tiny)
    assert (
        isinstance(examples, csr_array)
        and examples.nnz == np.count_nonzero(X)
        and np.array_equal(examples.toarray(), X)
    )


@pytest.mark.parametrize(
    ("name", "damage", "words"),
    [
        ("libsvm", lambda content: content.replace(b" 1:", b" 2:", 1), "tiny"),
        (
            "libsvm",
            lambda content: content[: content.rindex(b"\n", 0, -1) + 1],
            "its 49 x 7 numbers have the SHA-256",
        ),
        ("libsvm", lambda content: content.replace(b"-1 ", b"5 ", 1), "have the SHA-256"),
        ("libsvm", lambda content: content.replace(b" 7:", b" 99:"), "tiny: .*99 features"),
        ("libsvm", lambda content: b"<html>Please log in.</html>", "tiny: "),
        ("libsvm", lambda content: gzip.compress(content)[:-20], "tiny: "),
        ("libsvm", lambda content: bz2.compress(content)[:-20], "tiny: "),
        ("csv", lambda content: content.replace(b",", b",99999", 1), "tiny: "),
        ("arff", lambda content: content[:-9], "is not tiny"),
        ("idx", lambda content: content[:-1], "d: cannot reshape"),
        ("idx", lambda content: b"", "d: "),
    ],
)
def test_a_wrong_or_torn_file_gets_one_sentence(data, name, damage, words):
    """It says which file is wrong and what to do, and the right file in its place is used."""
    tiny, contents = CASES[name]
    place(data, tiny, [*contents[:-1], damage(contents[-1])])
    with pytest.raises(StreamError, match=words) as error:
        load_arrays(tiny)
    sentence = str(error.value)
    assert str(data / list(tiny.urls)[-1]) in sentence and "\n" not in sentence
    assert sentence.endswith(": delete it, then run  bflo data fetch tiny.")
    place(data, tiny, contents)
    assert len(load_arrays(tiny)[0]) == sum(tiny.classes.values())


def test_what_is_nowhere_gets_one_sentence(cache):
    """It names the command, the files and both folders; one of two files is as good as none."""
    tiny, contents = CASES["two files"]
    place(cache, dataset(X, Y, urls=("a",)), contents[:1])
    with pytest.raises(
        StreamError, match="tiny is not here: run  bflo data fetch tiny, or put a and b into"
    ) as error:
        load_arrays(tiny, download=False)
    assert "BFLO_DATA" in str(error.value) and str(cache) in str(error.value)


@pytest.fixture
def server():
    """The address of a server that sends the right file, half of it, another one, or none."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *arguments): ...

        def do_GET(self):
            right = libsvm(X, Y)
            sent = {"/torn": right[:200], "/cut": right[:200], "/wrong": b"<html>"}.get(self.path, right)
            self.send_response(404 if self.path == "/missing" else 200)
            if self.path != "/cut":  # a cut file whose length was not announced looks complete
                self.send_header("Content-Length", str(len(right if self.path == "/torn" else sent)))
            self.end_headers()
            self.wfile.write(sent)

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("torn", r"could not be downloaded \(.*/torn: ChunkedEncodingError\): put tiny into"),
        ("missing", r"could not be downloaded \(.*/missing: HTTPError\): put tiny into"),
        ("cut", "tiny is not tiny .*: it was deleted, so try again, or put tiny into"),
        ("wrong", "tiny is not tiny .*: it was deleted, so try again, or put tiny into"),
    ],
)
def test_a_download_that_fails_leaves_nothing(server, cache, path, words):
    """And the right one, later, is kept and not fetched again."""
    with pytest.raises(StreamError, match=words):
        load_arrays(dataset(X, Y, urls={"tiny": f"{server}/{path}"}))
    assert list(cache.iterdir()) == []
    tiny = dataset(X, Y, urls={"tiny": f"{server}/right"})
    assert np.array_equal(load_arrays(tiny)[0], X)
    assert np.array_equal(load_arrays(tiny, download=False)[0], X) and os.listdir(cache) == ["tiny"]


def test_the_fingerprint_is_of_the_content_alone():
    """Dense or sparse, either byte order, any memory order, and zero with a sign or without."""
    signed, y = np.where(FLOATS == 0, -0.0, FLOATS), Y.astype(np.uint8)
    expected = sha256(FLOATS, Y, "float64")
    for same in (FLOATS, signed, np.asfortranarray(FLOATS), FLOATS.astype(">f8"), csr_array(FLOATS)):
        assert fingerprint(same, y) == expected
    changed = FLOATS.copy()
    changed[3, 4] = np.nextafter(changed[3, 4], 1e9)
    for other, labels in ((changed, y), (FLOATS, 1 - y), (FLOATS[::-1], y), (FLOATS.astype(np.float32), y)):
        assert fingerprint(other, labels) != expected


@pytest.mark.skipif(not Path(REAL, "covtype.data.gz").is_file(), reason="BFLO_DATA has no real files")
def test_the_real_files_are_the_papers_datasets(monkeypatch):
    """Their SHA-256 was compared; here are numbers that everyone can look up."""
    monkeypatch.setenv("BFLO_DATA", REAL)
    streams = {name: load_stream(name, download=False) for name in FROM_FILES}
    for name, stream in streams.items():
        assert stream.class_counts == FROM_FILES[name].classes and stream.X.dtype == FROM_FILES[name].dtype
    assert streams["mnist"].y[:5].tolist() == [5, 0, 4, 1, 9]
    assert streams["covtype"].X[0, :3].tolist() == [2596, 51, 3]
    assert streams["eeg"].X[0, :3].tolist() == [4329.23, 4009.23, 4289.23]


def test_the_command_lists_every_stream(capsys, cache):
    assert cli.main(["data"]) == 0
    now, need = capsys.readouterr().out.split("These need a download")
    assert "sparse-logistic" in now and "digits" in now and "581,012 x 54" in need and "mnist-images" in need
    assert "BFLO_DATA" in need and str(cache) in need


def test_the_command_fetches_and_verifies(capsys, monkeypatch, server):
    """Each failure gets a line, the others go on, and the exit code tells."""
    monkeypatch.setitem(datasets.FROM_FILES, "a9a", dataset(X, Y, urls={"tiny": f"{server}/right"}))
    monkeypatch.setitem(datasets.FROM_FILES, "eeg", dataset(X, Y, urls={"other": f"{server}/missing"}))
    assert cli.main(["data", "fetch", "eeg", "a9a"]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("a9a ") and " ok: " in out and err.count("\n") == 1 and "could not be downloaded" in err
    assert cli.main(["data", "verify", "a9a", "digits"]) == 0
    assert capsys.readouterr().out.count(" ok: ") == 2
