"""`bflo data` as a person runs it: list, fetch, verify; with files, and with nothing at all."""

from dataclasses import replace

import numpy as np
import pytest
import stream_files as files
from stream_server import serving

from bflo_viz import cli
from bflo_viz.streams import NAMES, datasets, load_stream, sources
from bflo_viz.streams.datasets import Arrays

X, Y = files.rows()


@pytest.fixture
def tiny(monkeypatch):
    """A registry with two streams of files, a9a and mnist, and a server that has them."""
    with serving(files.libsvm(X, Y)) as server:
        dataset = replace(files.dataset(X, Y, urls={"tiny": server.url("fine")}), name="a9a")
        for name in list(datasets.FROM_FILES):
            monkeypatch.delitem(datasets.FROM_FILES, name)
        monkeypatch.setitem(datasets.FROM_FILES, "a9a", dataset)
        monkeypatch.setitem(datasets.FROM_FILES, "mnist", replace(dataset, name="mnist"))
        yield dataset


def bflo(capsys, *arguments):
    code = cli.main(["data", *arguments])
    return code, *capsys.readouterr()


def test_the_list_with_nothing_here(capsys, cache):
    """What works now, what must be fetched, and where to put which files by hand."""
    code, out, _ = bflo(capsys)
    now, need, by_hand = out.split("\n\n")
    assert code == 0 and all(name in now + need for name in NAMES)
    for name in ("digits", "breast-cancer", "two-gaussians", "demo-2d", "drifting", "sparse-logistic"):
        assert name in now and name not in need
    assert "581,012 x 54" in need and "11.2 MB to fetch" in need and "CC BY 4.0" in need
    for words in ("BFLO_DATA", str(cache), "EEG Eye State.arff", "ijcnn1.t.bz2", "t10k-labels-idx1-ubyte.gz"):
        assert words in by_hand
    assert max(map(len, out.splitlines())) < 140


def test_what_is_here_is_listed_with_its_place_and_size(capsys, tmp_path, cache, monkeypatch, tiny):
    """In the folder that was given; or, parsed, in the cache folder."""
    monkeypatch.setenv("BFLO_DATA", str(tmp_path))
    (tmp_path / "tiny").write_bytes(files.libsvm(X, Y) + b" " * 2_000_000)
    now = bflo(capsys)[1].split("\n\n")[0]
    assert f"a9a                   50 x 7  MIT           {tmp_path} (2.0 MB)" in now
    (tmp_path / "tiny").unlink()
    sources._keep(tiny, Arrays(X.astype(np.int16), Y.astype(np.uint8)))
    assert str(cache) in bflo(capsys)[1].split("\n\n")[0]


def test_fetch_and_verify(capsys, tiny, cache):
    """It is downloaded, checked and kept, and then it works with no network."""
    assert bflo(capsys, "verify", "a9a") == (1, "", "bflo: a9a is not here.\n")
    code, out, err = bflo(capsys, "fetch", "a9a", "digits")
    assert (code, err) == (0, "") and "a9a" in out and "digits" in out
    assert np.array_equal(load_stream("a9a", download=False).X, X)
    code, out, err = bflo(capsys, "verify", "a9a")
    assert (code, err) == (0, "")
    counts = f"class 0 {(Y == 0).sum()}, class 1 {(Y == 1).sum()}"
    assert f"a9a             ok: 50 x 7; {counts}; sha256 {tiny.sha256[:12]}; {cache} and its parsed form" in out


def test_fetch_of_several_goes_on_after_a_failure(capsys, monkeypatch, tiny):
    """Each failure gets a line, and the exit code tells."""
    gone = replace(files.dataset(X, Y), name="eeg", sha256="0" * 64)
    monkeypatch.setitem(datasets.FROM_FILES, "eeg", gone)
    code, out, err = bflo(capsys, "fetch", "eeg", "a9a")
    assert code == 1 and "a9a" in out and err.count("\n") == 1
    assert err.startswith("bflo: eeg is not here and could not be downloaded (127.0.0.1:9: the connection failed")


def test_verify_finds_a_wrong_file_and_a_wrong_parsed_form(capsys, tmp_path, monkeypatch, tiny):
    """Both are looked at, whatever the other says."""
    monkeypatch.setenv("BFLO_DATA", str(tmp_path))
    sources._keep(tiny, Arrays(X.astype(np.int16), Y.astype(np.uint8)))
    (tmp_path / "tiny").write_bytes(files.libsvm(X, 1 - Y))
    code, _, err = bflo(capsys, "verify", "a9a")
    assert code == 1 and "class 'class 0' has" in err and (tmp_path / "tiny.rejected").exists()
    assert bflo(capsys, "verify", "a9a")[0] == 0  # the parsed form is right
    changed = X.astype(np.int16)
    changed[0, 0] += 1
    sources._keep(tiny, Arrays(changed, Y.astype(np.uint8)))
    code, _, err = bflo(capsys, "verify", "a9a")
    assert code == 1 and "SHA-256" in err and "removed" in err
    assert not sources.cache_path(tiny).exists()


def test_verify_without_names_passes_over_what_is_not_here(capsys):
    """The bundled ones are right, and nothing is wrong."""
    code, out, err = bflo(capsys, "verify")
    assert (code, err) == (0, "")
    assert out.count(" ok: ") == 2 and out.count("is not here") == 8


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fetch"], "name the streams to fetch, or say --all"),
        (["fetch", "a9b"], "did you mean 'a9a'"),
        (["verify", "nothing"], "there is no stream 'nothing'"),
        ([], "names /nowhere/at/all, which is not a folder: correct it, or unset it."),
    ],
)
def test_a_mistake_gets_a_sentence(capsys, monkeypatch, arguments, words):
    """One line on stderr, and exit code 1."""
    monkeypatch.setenv("BFLO_DATA", "/nowhere/at/all")
    code, out, err = bflo(capsys, *arguments)
    assert (code, out) == (1, "") and words in err and err.count("\n") == 1
