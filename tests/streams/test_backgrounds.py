"""Digits on noise and on photographs: the recipe, the determinism, and the memory."""

import subprocess
import sys

import numpy as np
import pytest
import stream_files as files

from bflo_viz.streams import (
    Stream,
    StreamError,
    backgrounds,
    load_stream,
    on_noise,
    on_photographs,
    registry,
    sources,
)
from bflo_viz.streams.parsers import Arrays

COUNT = 3000


def digits(count=COUNT, seed=0):
    """Pictures that are black but for a bright box, and labels."""
    rng = np.random.default_rng(seed)
    pictures = np.zeros((count, 28, 28), np.uint8)
    pictures[:, 8:20, 10:18] = rng.integers(200, 256, (count, 12, 8))
    return pictures.reshape(count, 784), rng.integers(0, 10, count).astype(np.uint8)


def stream(X, y):
    names = tuple(f"pixel {i}" for i in range(X.shape[1]))
    return Stream(X, y, names, tuple("0123456789"), "digits", "here", "MIT", "nobody")


@pytest.fixture
def mnist(monkeypatch):
    """A small MNIST whose parsed form is kept."""
    X, y = digits()
    tiny = files.dataset(X, y, dtype="uint8", kind="idx")
    monkeypatch.setitem(registry.FROM_FILES, "mnist", tiny)
    sources._keep(tiny, Arrays(X, y))
    return X, y


def test_noise_is_uniform_and_joined_by_the_maximum():
    """Where a digit is black there is noise from 0 to 255, all equally often; a pixel never gets darker."""
    X, y = digits()
    made = on_noise(stream(X, y), np.random.default_rng(0))
    background = made.X[X == 0]
    counts = np.bincount(background, minlength=256)
    expected = len(background) / 256
    assert ((counts - expected) ** 2 / expected).sum() < 255 + 5 * np.sqrt(2 * 255)  # chi squared
    assert (made.X >= X).all() and made.X.dtype == np.uint8
    assert abs(np.corrcoef(made.X[:, 0], made.X[:, 1])[0, 1]) < 0.06
    bright = X == 255
    assert (made.X[bright] == 255).all()


def test_other_ways_to_join():
    """Replaced where a digit is black, or added up to white; both from the background that the maximum has."""
    X, y = digits(500)
    noise = on_noise(stream(np.zeros_like(X), y), np.random.default_rng(0)).X.astype(int)
    made = {join: on_noise(stream(X, y), np.random.default_rng(0), join=join).X for join in backgrounds.JOINS}
    assert np.array_equal(made["maximum"], np.maximum(X, noise))
    assert np.array_equal(made["replace"], np.where(X > 0, X, noise))
    assert np.array_equal(made["add"], np.minimum(255, X.astype(int) + noise))
    with pytest.raises(ValueError, match="join must be 'maximum' or 'replace' or 'add', but it was 'blend'"):
        on_noise(stream(X, y), np.random.default_rng(0), join="blend")


def test_how_flat_a_patch_may_be_can_be_said():
    """No patch below the limit that is asked for; a photograph without such patches is refused."""
    black = stream(np.zeros((200, 784), np.uint8), np.zeros(200, np.uint8))
    smooth = np.add.outer(np.arange(60), np.arange(60)).astype(np.uint8)  # every patch deviates by 11
    rough = numbered(1, (60, 60))
    made = on_photographs(black, [smooth, rough], np.random.default_rng(0), least_std=12)
    assert (made.X.std(axis=1) > 50).all()
    made = on_photographs(black, [smooth, rough], np.random.default_rng(0))
    assert (made.X.std(axis=1) < 12).any()
    with pytest.raises(ValueError, match="hardly a patch has a deviation of 12"):
        on_photographs(black, [smooth], np.random.default_rng(0), least_std=12)


def test_enlarged_digits_are_those_of_scikit_learn():
    """As large as MNIST's, black around; a corner pixel keeps its value, and one in between is a mean."""
    small = load_stream("digits")
    large = backgrounds.enlarge(small)
    pictures = large.X.reshape(-1, 28, 28)
    assert pictures.max() == 255 and np.array_equal(large.y, small.y)
    inside = np.zeros((28, 28), bool)
    inside[4:24, 4:24] = True
    assert not pictures[:, ~inside].any()
    rows = small.X.reshape(-1, 8, 8) * (255 / 16)
    for corner, place in (((4, 4), (0, 0)), ((23, 23), (7, 7)), ((4, 23), (0, 7))):
        assert np.abs(pictures[:, *corner] - rows[:, *place]).max() <= 0.5
    share = 7 * 10 / 19 % 1  # column 10 of 20 lies so far between columns 3 and 4 of 8
    assert np.abs(pictures[:, 4, 14] - ((1 - share) * rows[:, 0, 3] + share * rows[:, 0, 4])).max() <= 0.5 + 1e-9
    with pytest.raises(ValueError, match="enlarge is for square pictures"):
        backgrounds.enlarge(large)


def numbered(seed, shape):
    """A photograph whose patches can be found again."""
    return np.random.default_rng(seed).integers(0, 256, shape).astype(np.uint8)


def test_every_background_is_a_patch_of_a_photograph():
    """All photographs equally likely, all places possible, and no patch that is flat."""
    photographs = [numbered(1, (30, 31)), numbered(2, (29, 40)), np.full((50, 60), 128, np.uint8)]
    photographs[2][:, 30:] = numbered(3, (50, 30))
    black = np.zeros((2000, 784), np.uint8)
    made = on_photographs(stream(black, np.zeros(2000, np.uint8)), photographs, np.random.default_rng(0)).X
    where = {}
    for which, photograph in enumerate(photographs):
        for row in range(photograph.shape[0] - 27):
            for column in range(photograph.shape[1] - 27):
                where[photograph[row : row + 28, column : column + 28].tobytes()] = which, row, column
    found = [where[patch.tobytes()] for patch in made]
    assert (made.std(axis=1) >= backgrounds.LEAST_STD).all()
    assert {(row, column) for which, row, column in found if which == 0} == {
        (r, c) for r in range(3) for c in range(4)
    }
    share = np.bincount([which for which, _, _ in found]) / 2000
    flat = np.mean([patch_is_flat(photographs[2], r, c) for r in range(23) for c in range(33)])
    expected = np.array([1, 1, 1 - flat]) / (3 - flat)
    assert flat > 0 and np.allclose(share, expected, atol=0.04)


def patch_is_flat(photograph, row, column):
    return photograph[row : row + 28, column : column + 28].std() < backgrounds.LEAST_STD


def test_digits_stay_the_brighter_of_both():
    """The maximum of digit and patch, for each pixel."""
    X, y = digits(300)
    photographs = [numbered(1, (40, 40))]
    behind = on_photographs(stream(np.zeros_like(X), y), photographs, np.random.default_rng(5)).X
    assert np.array_equal(
        on_photographs(stream(X, y), photographs, np.random.default_rng(5)).X, np.maximum(X, behind)
    )


@pytest.mark.parametrize("name", ["mnist-random", "mnist-images"])
def test_the_same_seed_gives_the_same_digits(mnist, name):
    """In the order of MNIST, none twice, labels with their digits; another seed gives others."""
    X, y = mnist
    one, two, other = (load_stream(name, rng=np.random.default_rng(seed), rows=2000) for seed in (1, 1, 2))
    assert np.array_equal(one.X, two.X) and np.array_equal(one.y, two.y)
    assert not np.array_equal(one.y, other.y)
    drawn = np.random.default_rng(1).bytes(8 * COUNT)
    keys = [int.from_bytes(drawn[8 * i : 8 * i + 8], "little") for i in range(COUNT)]
    kept = sorted(sorted(range(COUNT), key=keys.__getitem__)[:2000])
    assert np.array_equal(one.y, y[kept]) and (X[kept] <= one.X).all()


def test_photographs_of_installed_packages():
    """Twenty grey regions, with texture, and no package is imported to find them."""
    code = (
        "import sys; from bflo_viz.streams.backgrounds import photographs; p, what = photographs();"
        "print(len(p), min(min(x.shape) for x in p) >= 28, 'regions' in what,"
        "[m for m in ('sklearn', 'matplotlib') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "20 True True []\n"
    assert all(picture.std() > 5 for picture in backgrounds.photographs()[0])


def test_with_fewer_packages_there_are_still_twenty_regions(monkeypatch):
    """One photograph is cut up more; without any, a sentence says so."""
    monkeypatch.setattr(backgrounds, "_INSTALLED", (*backgrounds._INSTALLED[-1:], ("no_such_package", "x.jpg")))
    regions, _ = backgrounds.photographs()
    assert len(regions) == 20 and min(min(region.shape) for region in regions) >= 28
    monkeypatch.setattr(backgrounds, "_INSTALLED", ())
    with pytest.raises(StreamError, match="no photograph is here"):
        backgrounds.photographs()


def test_photos_npz_comes_first_and_must_be_the_known_one(tmp_path, monkeypatch):
    """Its content is checked as that of every file is; a wrong one is renamed aside, and then the others serve."""
    pictures = {"b": numbered(1, (30, 40)), "a": numbered(2, (50, 30))}
    np.savez(tmp_path / "photos.npz", **pictures)
    monkeypatch.setenv("BFLO_DATA", str(tmp_path))
    monkeypatch.setattr(backgrounds, "_PHOTOS_SHA256", backgrounds.photo_fingerprint(pictures))
    found, what = backgrounds.photographs()
    assert what == "the 20 photographs of photos.npz"
    assert np.array_equal(found[0], pictures["a"]) and np.array_equal(found[1], pictures["b"])
    np.savez_compressed(tmp_path / "packed.npz", **pictures)
    packed = (tmp_path / "packed.npz").read_bytes()
    pictures["a"][0, 0] += 1
    np.savez(tmp_path / "changed.npz", **pictures)
    changed = (tmp_path / "changed.npz").read_bytes()
    for bad in (b"nothing", changed, packed[:300] + b"x" * 90 + packed[390:], packed[:-90]):
        (tmp_path / "photos.npz").write_bytes(bad)
        with pytest.raises(StreamError, match=r"photos\.npz is not the known set .*renamed to photos\.npz\.rejected"):
            backgrounds.photographs()
        assert "regions" in backgrounds.photographs()[1]


def test_a_bomb_of_photographs_is_refused(tmp_path, monkeypatch):
    """What it would unpack to is asked first."""
    np.savez_compressed(tmp_path / "photos.npz", a=np.zeros((5000, 5000), np.uint8))
    monkeypatch.setenv("BFLO_DATA", str(tmp_path))
    monkeypatch.setattr(np, "load", lambda *arguments, **options: pytest.fail("it was unpacked"))
    with pytest.raises(StreamError, match="unpacks to too much"):
        backgrounds.photographs()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s, rng: on_photographs(s, [np.full((40, 40), 9, np.uint8)], rng), "photographs must have texture"),
        (lambda s, rng: on_photographs(s, [np.zeros((27, 90), np.uint8)], rng), "at least 28 x 28 grey pixels"),
        (lambda s, rng: on_photographs(s, [], rng), "at least 28 x 28"),
        (lambda s, rng: on_noise(s.take(slice(5)), 0), r"numpy\.random\.Generator"),
        (lambda s, rng: on_noise(load_stream("digits"), rng), "pictures of 28 x 28 pixels from 0 to 255"),
    ],
)
def test_a_mistake_gets_a_sentence(call, words):
    """Photographs that cannot serve, pictures that are no digits."""
    with pytest.raises(ValueError, match=words):
        call(stream(*digits(20)), np.random.default_rng(0))


def test_more_digits_than_there_are(mnist):
    """They are drawn without replacement."""
    with pytest.raises(ValueError, match="rows must be at most 3,000, but it was 3,001"):
        load_stream("mnist-random", rows=COUNT + 1)
