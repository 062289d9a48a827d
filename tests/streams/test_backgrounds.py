"""Digits on noise and on photographs, against the bytes that are drawn and a plain loop over them."""

import subprocess
import sys

import numpy as np
import pytest

from bflo_viz.streams import Stream, StreamError, backgrounds, load, load_stream, on_noise, on_photographs


def rng(seed=0):
    return np.random.default_rng(seed)


def digits(count=500):
    """Pictures that are black but for a bright box, and labels."""
    pictures = np.zeros((count, 28, 28), np.uint8)
    pictures[:, 8:20, 10:18] = rng().integers(200, 256, (count, 12, 8))
    return Stream(pictures.reshape(count, 784), rng().integers(0, 10, count))


def photograph(seed, shape):
    return rng(seed).integers(0, 256, shape).astype(np.uint8)


def test_a_digit_is_joined_with_its_noise():
    """The brighter pixel; the background where a digit is black; or the sum, up to white."""
    plain = digits()
    behind = np.frombuffer(rng().bytes(plain.X.size), np.uint8).reshape(plain.X.shape)
    made = {join: on_noise(plain, rng(), join=join).X for join in ("maximum", "replace", "add")}
    assert np.array_equal(made["maximum"], np.maximum(plain.X, behind))
    assert np.array_equal(made["replace"], np.where(plain.X > 0, plain.X, behind))
    assert np.array_equal(made["add"], np.minimum(255, plain.X.astype(int) + behind))


def test_every_background_is_a_patch_that_a_plain_loop_draws():
    """Photograph, top and left edge of all digits; then anew those of the digits whose patch was flat."""
    photographs = [photograph(1, (30, 31)), np.full((50, 60), 128, np.uint8), photograph(2, (29, 40))]
    photographs[1][:, 30:] = photograph(3, (50, 30))
    plain, draws, expected, left = digits(300), rng(), {}, list(range(300))
    while left:
        drawn = draws.bytes(24 * len(left))
        numbers = [int.from_bytes(drawn[8 * i : 8 * i + 8], "little") for i in range(3 * len(left))]
        for digit, place in zip(left, np.reshape(np.array(numbers, object), (3, -1)).T, strict=True):
            picture = photographs[place[0] % 3]
            top, edge = (n % (size - 27) for n, size in zip(place[1:], picture.shape, strict=True))
            expected[digit] = picture[top : top + 28, edge : edge + 28].ravel()
        left = [digit for digit in left if expected[digit].std() < 10]
    made = on_photographs(plain, photographs, rng())
    assert np.array_equal(made.X, [np.maximum(x, expected[i]) for i, x in enumerate(plain.X)])
    assert np.array_equal(made.y, plain.y)


@pytest.mark.parametrize("name", ["mnist-random", "mnist-images"])
def test_the_same_seed_gives_the_same_digits(monkeypatch, name):
    """Labels go with their digits, in the order of MNIST; another seed gives other digits."""
    plain = digits(3000)
    monkeypatch.setattr(load, "load_arrays", lambda dataset, download: (plain.X, plain.y))
    one, two, other = (load_stream(name, rng=rng(seed), rows=2000) for seed in (1, 1, 2))
    assert np.array_equal(one.X, two.X) and not np.array_equal(one.y, other.y)
    rows = load.subsample(Stream(np.arange(3000)[:, None], plain.y), 2000, rng(1)).X.ravel()
    assert np.array_equal(one.y, plain.y[rows]) and (plain.X[rows] <= one.X).all()
    assert one.name == name and "Larochelle" in one.citation


def test_enlarged_digits_are_those_of_scikit_learn():
    """As large as MNIST's, black around; a corner pixel keeps its value, and one in between is a mean."""
    small = load_stream("digits")
    pictures = backgrounds.enlarge(small).X.reshape(-1, 28, 28)
    framed = np.pad(pictures[:, 4:24, 4:24], ((0, 0), (4, 4), (4, 4)))
    assert pictures.max() == 255 and np.array_equal(pictures, framed)
    rows = small.X.reshape(-1, 8, 8) * (255 / 16)
    for corner, place in (((4, 4), (0, 0)), ((23, 23), (7, 7)), ((4, 23), (0, 7))):
        assert np.abs(pictures[:, *corner] - rows[:, *place]).max() <= 0.5
    share = 7 * 10 / 19 % 1  # column 10 of 20 lies so far between columns 3 and 4 of 8
    assert np.abs(pictures[:, 4, 14] - ((1 - share) * rows[:, 0, 3] + share * rows[:, 0, 4])).max() <= 0.5 + 1e-9


def test_photographs_of_installed_packages(monkeypatch):
    """Twenty grey regions, and no package is imported to find them; fewer photographs are cut up more."""
    code = (
        "import sys; from bflo_viz.streams.backgrounds import photographs; p, what = photographs();"
        "print(len(p), min(min(x.shape) for x in p) >= 28, {'sklearn', 'matplotlib'} & {*sys.modules})"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "20 True set()\n"
    monkeypatch.setattr(backgrounds, "_INSTALLED", (*backgrounds._INSTALLED[-1:], ("no_such_package", "x.jpg")))
    assert len(backgrounds.photographs()[0]) == 20


def test_photos_npz_comes_first_and_must_be_the_known_one(data):
    """A different or torn file gets a sentence, and is not used."""
    np.savez(data / "photos.npz", a=photograph(1, (30, 40)))
    for content in ((data / "photos.npz").read_bytes(), b"torn"):
        (data / "photos.npz").write_bytes(content)
        with pytest.raises(StreamError, match=r"photos\.npz is not the known set of photographs: replace it"):
            backgrounds.photographs()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: on_photographs(s, [np.full((40, 40), 9, np.uint8)], rng()), "hardly a patch has a deviation of"),
        (lambda s: on_photographs(s, [np.zeros((27, 90), np.uint8)], rng()), "at least 28 x 28 grey pixels"),
        (lambda s: on_noise(load_stream("digits"), rng()), "pictures of 28 x 28 pixels from 0 to 255"),
        (backgrounds.enlarge, "enlarge is for square pictures"),
    ],
)
def test_a_mistake_gets_a_sentence(call, words):
    with pytest.raises(ValueError, match=words):
        call(digits(20))
