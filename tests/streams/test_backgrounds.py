"""Digits on noise and on photographs: the recipe, the determinism, and wrong photographs."""

import io
import itertools
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import stream_files as files

from bflo_viz.streams import (
    Stream,
    StreamError,
    backgrounds,
    datasets,
    load_stream,
    on_noise,
    on_photographs,
    sources,
)
from bflo_viz.streams.datasets import Arrays

COUNT = 3000


def rng(seed=0):
    return np.random.default_rng(seed)


def digits(count=COUNT):
    """Pictures that are black but for a bright box, and labels."""
    pictures = np.zeros((count, 28, 28), np.uint8)
    pictures[:, 8:20, 10:18] = rng().integers(200, 256, (count, 12, 8))
    return Stream(pictures.reshape(count, 784), rng().integers(0, 10, count))


def black(count):
    return Stream(np.zeros((count, 784), np.uint8), np.zeros(count))


def photograph(seed, shape):
    """Noise: all patches differ, so they can be found again."""
    return rng(seed).integers(0, 256, shape).astype(np.uint8)


@pytest.mark.parametrize(
    "put", [on_noise, lambda s, rng, join: on_photographs(s, [photograph(1, (40, 40))], rng, join=join)]
)
def test_digit_and_background_are_joined(put):
    """The brighter pixel; the background where a digit is black; or the sum, up to white: of one background."""
    plain, behind = digits(500), put(black(500), rng(), join="maximum").X.astype(int)
    made = {join: put(plain, rng(), join=join) for join in backgrounds.JOINS}
    assert all(stream.X.dtype == np.uint8 and np.array_equal(stream.y, plain.y) for stream in made.values())
    assert np.array_equal(made["maximum"].X, np.maximum(plain.X, behind))
    assert put is not on_noise or behind.astype(np.uint8).tobytes() == rng().bytes(behind.size)
    assert np.array_equal(made["replace"].X, np.where(plain.X > 0, plain.X, behind))
    assert np.array_equal(made["add"].X, np.minimum(255, plain.X.astype(int) + behind))


def test_every_background_is_a_patch_of_a_photograph():
    """All photographs equally likely, all places possible, and no patch that is flat."""
    photographs = [photograph(1, (30, 31)), photograph(2, (29, 40)), np.full((50, 60), 128, np.uint8)]
    photographs[2][:, 30:] = photograph(3, (50, 30))
    made = on_photographs(black(2000), photographs, rng()).X
    patches = {
        picture[row : row + 28, column : column + 28].tobytes(): (which, row, column)
        for which, picture in enumerate(photographs)
        for row in range(picture.shape[0] - 27)
        for column in range(picture.shape[1] - 27)
    }
    drawn = [patches[patch.tobytes()] for patch in made]
    assert (made.std(axis=1) >= backgrounds.LEAST_STD).all()
    assert {place[1:] for place in drawn if place[0] == 0} == {*itertools.product(range(3), range(4))}
    windows = np.lib.stride_tricks.sliding_window_view(photographs[2], (28, 28))
    flat = np.mean(windows.std(axis=(2, 3)) < backgrounds.LEAST_STD)
    expected = np.array([1, 1, 1 - flat]) / (3 - flat)
    assert flat > 0 and np.allclose(np.bincount([which for which, _, _ in drawn]) / 2000, expected, atol=0.04)
    photographs[2] = np.add.outer(np.arange(60), np.arange(60)).astype(np.uint8)  # every patch deviates by 11
    assert (on_photographs(black(200), photographs, rng(), least_std=12).X.std(axis=1) > 50).all()
    assert (on_photographs(black(200), photographs, rng()).X.std(axis=1) < 12).any()


@pytest.mark.parametrize("name", ["mnist-random", "mnist-images"])
def test_the_same_seed_gives_the_same_digits(monkeypatch, name):
    """In the order of MNIST, none twice, labels with their digits; another seed gives others."""
    plain = digits()
    tiny = files.dataset(plain.X, plain.y, dtype="uint8", kind="idx")
    monkeypatch.setitem(datasets.FROM_FILES, "mnist", tiny)
    sources._keep(tiny, Arrays(plain.X, plain.y))
    one, two, other = (load_stream(name, rng=rng(seed), rows=2000) for seed in (1, 1, 2))
    assert np.array_equal(one.X, two.X) and np.array_equal(one.y, two.y)
    assert not np.array_equal(one.y, other.y)
    drawn = rng(1).bytes(8 * COUNT)
    keys = [int.from_bytes(drawn[8 * i : 8 * i + 8], "little") for i in range(COUNT)]
    rows = sorted(sorted(range(COUNT), key=keys.__getitem__)[:2000])
    assert np.array_equal(one.y, plain.y[rows]) and (plain.X[rows] <= one.X).all()
    assert one.name == name and one.source.startswith("here, on ") and "Larochelle" in one.citation
    with pytest.raises(ValueError, match="rows must be at most 3,000, but it was 3,001"):
        load_stream(name, rows=COUNT + 1)


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


def test_photographs_of_installed_packages(monkeypatch):
    """Twenty grey regions, and no package is imported to find them; fewer photographs are cut up more."""
    code = (
        "import sys; from bflo_viz.streams.backgrounds import photographs; p, what = photographs();"
        "print(len(p), min(min(x.shape) for x in p) >= 28, min(x.std() for x in p) > 5, 'regions' in what,"
        "[m for m in ('sklearn', 'matplotlib') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "20 True True True []\n"
    monkeypatch.setattr(backgrounds, "_INSTALLED", (*backgrounds._INSTALLED[-1:], ("no_such_package", "x.jpg")))
    regions, _ = backgrounds.photographs()
    assert len(regions) == 20 and min(min(region.shape) for region in regions) >= 28
    monkeypatch.setattr(backgrounds, "_INSTALLED", ())
    with pytest.raises(StreamError, match="no photograph is here"):
        backgrounds.photographs()


def archive(save=np.savez, notes=b"", **pictures):
    content = io.BytesIO()
    save(content, **pictures)
    if notes:
        with zipfile.ZipFile(content, "a") as file:
            file.writestr("notes.txt", notes)
    return content.getvalue()


def test_photos_npz_comes_first_and_must_be_the_known_one(tmp_path, monkeypatch):
    """Its content is checked as that of every file is; a wrong one is renamed, and then the others serve."""
    path, pictures = tmp_path / "photos.npz", {"b": photograph(1, (30, 40)), "a": photograph(2, (50, 30))}
    monkeypatch.setenv("BFLO_DATA", str(tmp_path))
    monkeypatch.setattr(backgrounds, "_PHOTOS_SHA256", backgrounds.photo_fingerprint(pictures))
    path.write_bytes(archive(**pictures))
    known, what = backgrounds.photographs()
    assert what == "the 20 photographs of photos.npz"
    assert np.array_equal(known[0], pictures["a"]) and np.array_equal(known[1], pictures["b"])
    packed, other = archive(np.savez_compressed, **pictures), {**pictures, "a": pictures["a"] + np.uint8(1)}
    wrong = {
        b"nothing": "zip",
        archive(**other): "the SHA-256 of its content is another",
        archive(**pictures, notes=b"no picture"): "the SHA-256 of its content is another",
        packed[:300] + b"x" * 90 + packed[390:]: "",
        packed[:-90]: "zip",
        archive(np.savez_compressed, a=np.zeros((5000, 5000), np.uint8)): "it unpacks to too much",
    }
    for content, words in wrong.items():
        path.write_bytes(content)
        with pytest.raises(StreamError, match=rf"is not the known set .*{words}.*renamed to photos\.npz\.rejected"):
            backgrounds.photographs()
        assert "regions" in backgrounds.photographs()[1]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: on_photographs(s, [np.full((40, 40), 9, np.uint8)], rng()), "hardly a patch has a deviation of"),
        (lambda s: on_photographs(s, [np.zeros((27, 90), np.uint8)], rng()), "at least 28 x 28 grey pixels"),
        (lambda s: on_photographs(s, [], rng()), "at least 28 x 28"),
        (lambda s: on_noise(s, rng(), join="blend"), "'maximum' or 'replace' or 'add', but it was 'blend'"),
        (lambda s: on_noise(load_stream("digits"), rng()), "pictures of 28 x 28 pixels from 0 to 255"),
        (backgrounds.enlarge, "enlarge is for square pictures"),
    ],
)
def test_a_mistake_gets_a_sentence(call, words):
    """Photographs that cannot serve, pictures that are no digits."""
    with pytest.raises(ValueError, match=words):
        call(digits(20))
