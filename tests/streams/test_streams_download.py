"""Downloads from a server that misbehaves on purpose."""

import gzip
from dataclasses import replace

import numpy as np
import pytest
import stream_files as files
from stream_server import serving

from bflo_viz.streams import StreamError, store
from bflo_viz.streams.progress import Progress
from bflo_viz.streams.sources import obtain

X, Y = files.rows()
CONTENT = files.libsvm(X, Y)


@pytest.fixture
def server():
    """It serves the right content, if it is asked to."""
    with serving(CONTENT) as server:
        yield server


def fetch(server, *behaviours, **options):
    """Fetch a stream from one address after the other."""
    recipe = files.recipe(X, Y, urls=[server.url(behaviours[0])], **options)
    ways = [files.recipe(X, Y, urls=[server.url(behaviour)]).ways[0] for behaviour in behaviours]
    return obtain(replace(recipe, ways=tuple(ways)))


@pytest.mark.parametrize(
    ("behaviour", "requests"),
    [
        ("fine", 1),
        ("failing", 3),
        ("moved", 1),
        ("resuming", 3),
        ("confused", 3),
        ("stingy", 3),
        ("slow", 1),
        ("encoded", 1),
    ],
)
def test_a_download_that_ends_well(server, cache, behaviour, requests):
    """Right at once; after errors; somewhere else; after cut lines; and whatever the headers say."""
    arrays = fetch(server, behaviour)
    assert np.array_equal(arrays.X, X) and np.array_equal(arrays.y, Y)
    assert server.times(behaviour) == requests
    assert (cache / "tiny").read_bytes() == CONTENT
    assert sorted(path.suffix for path in cache.iterdir()) == ["", ".arrays"]


def test_what_is_here_already_is_not_fetched_again(server):
    """A cut line is resumed where it was cut."""
    fetch(server, "resuming")
    third = len(CONTENT) // 3 + 1
    assert [asked for _, asked in server.asked] == [None, f"bytes={third}-", f"bytes={2 * third}-"]
    fetch(server, "resuming")
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("behaviour", "requests", "words"),
    [
        ("truncated", 3, "the line was cut"),
        ("missing", 1, "the server answers 404"),
        ("broken", 3, "the server answers 503"),
        ("hanging", 3, "the server is silent"),
        ("endless", 1, "the file is larger than 1 MB, so it cannot be right"),
        ("circle", None, "the server sends one in circles"),
        ("wrong", 1, "damaged or of another format"),
        ("other", 1, "SHA-256"),
    ],
)
def test_a_download_that_ends_badly(server, cache, behaviour, requests, words):
    """One sentence says what went wrong and what to do; nothing that is not whole and right stays in its place."""
    with pytest.raises(StreamError) as error:
        fetch(server, behaviour)
    sentence = str(error.value)
    assert sentence.startswith("tiny is not here and could not be downloaded (") and words in sentence
    assert f"put tiny into the folder that BFLO_DATA names, or into {cache} (" in sentence
    assert "\n" not in sentence
    assert requests is None or server.times(behaviour) == requests
    assert [path.name for path in cache.glob("*")] in ([], ["tiny.rejected"])
    assert store.load(files.recipe(X, Y)) is None


def test_a_bomb_is_refused(cache):
    """A small download that unpacks to much: refused, and put aside."""
    with (
        serving(gzip.compress(b"\n" * 5_000_000)) as server,
        pytest.raises(StreamError, match="unpacks to more than 1 MB"),
    ):
        fetch(server, "fine")
    assert (cache / "tiny.rejected").exists()


@pytest.mark.parametrize("first", ["missing", "truncated", "wrong", "other", "broken"])
def test_the_second_address_helps_out(server, first):
    """Whatever was wrong with the first one."""
    assert np.array_equal(fetch(server, first, "fine").X, X)


def test_all_addresses_are_told(server):
    """Each with what went wrong there."""
    with pytest.raises(StreamError, match=r"answers 404; .*answers 503"):
        fetch(server, "missing", "broken")


def test_no_network_is_noticed_at_once(monkeypatch):
    """Nobody listens: no second try, one sentence."""
    monkeypatch.setattr("time.sleep", lambda seconds: pytest.fail("it waits for a second try"))
    with pytest.raises(StreamError, match=r"\(127\.0\.0\.1:9: no connection\): put tiny into"):
        obtain(files.recipe(X, Y, urls=["http://127.0.0.1:9/tiny"]))


def test_a_folder_that_cannot_be_written_gets_a_sentence(server, cache):
    """A file where the cache folder should be."""
    cache.parent.mkdir(parents=True)
    cache.write_text("in the way")
    with pytest.raises(StreamError, match=r"cannot be written: .*put tiny into the folder that BFLO_DATA names"):
        fetch(server, "fine")


def test_progress_tells_how_long_it_will_take():
    """Half of it took four seconds: the other half takes four more; what was there before counts for nothing."""
    bar = Progress("tiny", 10_000_000, "MB")
    bar.update(0)
    assert bar.line(5_000_000, 4.0) == "tiny [##########          ]  50 % (5.0 of 10.0 MB, 4 s left)"
    resumed = Progress("tiny", 10_000_000, "MB")
    resumed.update(5_000_000)
    assert "(7.5 of 10.0 MB, 3 s left)" in resumed.line(7_500_000, 3.0)
    assert Progress("tiny", None, "MB").line(1_500_000, 1.0) == "tiny: 1.5 MB"
    assert Progress("tiny", 4000, "rows").line(4000, 1.0).endswith("100 % (4,000 of 4,000 rows)")


def test_progress_is_shown_to_people_only(monkeypatch, capsys):
    """On a terminal a line is written over and removed at the end; in a log there is nothing."""
    monkeypatch.setattr("bflo_viz.streams.progress._BEFORE", 0.0)
    monkeypatch.setattr("bflo_viz.streams.progress._BETWEEN", 0.0)
    for terminal in (False, True):
        monkeypatch.setattr("sys.stderr.isatty", lambda is_one=terminal: is_one, raising=False)
        monkeypatch.delitem(__import__("sys").modules, "ipykernel", raising=False)
        with Progress("tiny", 100, "rows") as bar:
            bar.update(50)
        shown = capsys.readouterr().err
        assert ("50 %" in shown) == terminal
        assert not shown or shown.endswith("\r")
