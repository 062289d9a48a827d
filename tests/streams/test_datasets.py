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
from sklearn.datasets import dump_svmlight_file

from bflo_viz import cli
from bflo_viz.streams import StreamError, datasets, load_stream
from bflo_viz.streams.datasets import FROM_FILES, Dataset, load_arrays
from bflo_viz.streams.stream import fingerprint

REAL = os.environ.get("BFLO_DATA", "")
RNG = np.random.default_rng(0)
X, Y = RNG.integers(-300, 300, (50, 7)) * (RNG.random((50, 7)) < 0.4), RNG.integers(0, 2, 50)
FLOATS = np.round(X / 7.0, 6)
PICTURES, DIGITS = RNG.integers(0, 256, (9, 12)), np.array([3, 1, 4, 1, 5, 9, 2, 6, 5])
ROWS = {"libsvm": (X, Y), "arff": (FLOATS, Y), "idx": (PICTURES, DIGITS)}


def sha256(X, y, dtype):
    """The fingerprint, number by number."""
    digest = hashlib.sha256(f"{len(X)} {len(X[0])} {dtype}\n".encode())
    for value in np.ravel(X).tolist():
        digest.update(struct.pack("<" + np.dtype(dtype).char, value or 0))
    digest.update(bytes(y.tolist()))
    return digest.hexdigest()


def dataset(X, y, kind, urls, *, dtype="int16", labels=((0,), (1,)), sparse=False):
    """What the table would say of these rows, in files by their addresses."""
    about = {"sparse": sparse, "format": kind, "labels": labels, "urls": urls}
    return Dataset("tiny", {}, X.shape[1], dtype, sha256(X, y, dtype), "MIT", **about)


def written(folder, kind):
    """Write rows in one of the formats, as others do, and return what the table would say of them."""
    if kind == "libsvm":
        with bz2.open(folder / "a.bz2", "wb") as file:
            dump_svmlight_file(X[:20], 2 * Y[:20] - 1, file, zero_based=False)
        dump_svmlight_file(X[20:], 2 * Y[20:] - 1, str(folder / "b"), zero_based=False)
        return dataset(X, Y, kind, {"a.bz2": "", "b": ""}, labels=[[-1], [1]], sparse=True)
    if kind == "arff":
        seven = np.where(Y == 1, 2, 1 + 2 * (np.arange(50) % 4))  # labels for two classes, as in covtype
        table, header = np.column_stack([FLOATS, seven]), "@RELATION TINY\n\n@ATTRIBUTE V NUMERIC\n\n@DATA"
        np.savetxt(folder / "a.gz", table, "%.17g", ",", header=header, comments="")
        return dataset(FLOATS, Y, kind, {"a.gz": ""}, dtype="float64", labels=[[1, 3, 5, 7], [2]])
    pictures = PICTURES.reshape(9, 3, 4).astype(np.uint8)
    for name, part in zip("abcd", (pictures[:6], DIGITS[:6], pictures[6:], DIGITS[6:]), strict=True):
        header = struct.pack(f">BBBB{part.ndim}I", 0, 0, 8, part.ndim, *part.shape)
        (folder / name).write_bytes(gzip.compress(header + part.astype(np.uint8).tobytes()))
    return dataset(PICTURES, DIGITS, kind, dict.fromkeys("abcd", ""), dtype="uint8", labels=np.arange(10)[:, None])


@pytest.mark.parametrize("kind", ROWS)
def test_every_format_is_read(data, cache, kind):
    """From the folder of BFLO_DATA, before the cache folder, and with no download; sparse rows store no zeros."""
    (X, y), tiny = ROWS[kind], written(data, kind)
    cache.mkdir(parents=True)
    (cache / list(tiny.urls)[-1]).write_bytes(b"wrong")
    examples, labels = load_arrays(tiny)
    assert examples.dtype == tiny.dtype and np.array_equal(labels, y) and labels.dtype == np.uint8
    assert not tiny.sparse or (isinstance(examples, csr_array) and examples.nnz == np.count_nonzero(X))
    assert np.array_equal(examples.toarray() if tiny.sparse else examples, X)


@pytest.mark.parametrize(
    ("kind", "damage", "words"),
    [
        ("libsvm", lambda content: content[: content.rindex(b"\n", 0, -1) + 1], "49 x 7 numbers have the SHA-256"),
        ("libsvm", lambda content: b"<html>Please log in.</html>", "could not convert"),
        ("arff", lambda content: content[:-20], "ended before"),
        ("idx", lambda content: gzip.compress(gzip.decompress(content)[:-1]), "cannot reshape"),
    ],
)
def test_a_wrong_or_torn_file_gets_one_sentence(data, kind, damage, words):
    """It says what to do, and the right file in its place is used."""
    tiny = written(data, kind)
    file = data / list(tiny.urls)[-1]
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(StreamError, match=words) as error:
        load_arrays(tiny)
    sentence = str(error.value)
    assert str(file) in sentence and sentence.endswith(": delete it, then run  bflo data fetch tiny.")
    assert "\n" not in sentence and len(load_arrays(written(data, kind))[1]) == len(ROWS[kind][1])


@pytest.fixture
def server(tmp_path):
    """The address of a server that has the file ``right``, and no other."""

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *arguments): ...

    dump_svmlight_file(X, Y, str(tmp_path / "right"), zero_based=False)
    with HTTPServer(("127.0.0.1", 0), partial(Handler, directory=tmp_path)) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_the_fingerprint_is_of_the_content_alone():
    """Dense or sparse, either byte order, any memory order, and zero with a sign or without."""
    signed, y = np.where(FLOATS == 0, -0.0, FLOATS), Y.astype(np.uint8)
    expected = sha256(FLOATS, Y, "float64")
    for same in (FLOATS, signed, np.asfortranarray(FLOATS), FLOATS.astype(">f8"), csr_array(FLOATS)):
        assert fingerprint(same, y) == expected


@pytest.mark.skipif(not Path(REAL, "covtype.data.gz").is_file(), reason="BFLO_DATA has no real files")
def test_the_real_files_are_the_papers_datasets(monkeypatch):
    """Their SHA-256 is compared; here are numbers that everyone can look up."""
    monkeypatch.setenv("BFLO_DATA", REAL)
    for name, dataset in FROM_FILES.items():
        assert np.bincount(load_stream(name).y).tolist() == [*dataset.classes.values()]


def test_the_command_fetches_and_verifies(capsys, monkeypatch, server, cache):
    """Each failure gets a line, the others go on, and the exit code tells; what is here is not fetched again."""
    monkeypatch.setitem(datasets.FROM_FILES, "a9a", dataset(X, Y, "libsvm", {"tiny": f"{server}/right"}))
    monkeypatch.setitem(datasets.FROM_FILES, "eeg", dataset(X, Y, "libsvm", {"other": f"{server}/no"}))
    assert cli.main(["data", "fetch", "eeg", "a9a"]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("a9a ") and " ok: " in out and err.count("\n") == 1
    assert f"could not be downloaded ({server}/no: HTTPError): put other into {cache}, or where BFLO_DATA says" in err
    again, _ = load_arrays(dataset(X, Y, "libsvm", {"tiny": "http://127.0.0.1:9/"}))
    assert os.listdir(cache) == ["tiny"] and np.array_equal(again, X)
    for name in datasets.FROM_FILES.keys() - {"a9a"}:
        monkeypatch.delitem(datasets.FROM_FILES, name)
    assert cli.main(["data", "fetch", "--all"]) == 0 and capsys.readouterr().out.startswith("a9a ")
