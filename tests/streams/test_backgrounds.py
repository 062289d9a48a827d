"""Digits on noise and on photographs, against the bytes that are drawn and a plain loop over them."""

import numpy as np
import pytest
from scipy.ndimage import zoom
from sklearn.datasets import load_sample_image

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


def test_noise_is_the_bytes_that_are_drawn():
    """The brighter of two pixels is seen."""
    plain = digits()
    behind = np.frombuffer(rng().bytes(plain.X.size), np.uint8).reshape(plain.X.shape)
    assert np.array_equal(on_noise(plain, rng()).X, np.maximum(plain.X, behind))


def test_every_background_is_a_patch_that_a_plain_loop_draws():
    """Photograph, top and left edge of all digits; then anew those of the digits whose patch was flat."""
    photographs = [photograph(1, (30, 31)), 120 + photograph(4, (50, 60)) // 16, photograph(2, (29, 40))]
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
    monkeypatch.setattr(load, "load_arrays", lambda dataset: (plain.X, plain.y))
    one, two, other = (load_stream(name, rng=rng(seed), rows=2000) for seed in (1, 1, 2))
    assert np.array_equal(one.X, two.X) and not np.array_equal(one.y, other.y) and one.name == name
    rows = load.subsample(Stream(np.arange(3000)[:, None], plain.y), 2000, rng(1)).X.ravel()
    assert np.array_equal(one.y, plain.y[rows]) and (plain.X[rows] <= one.X).all()


def test_enlarged_digits_are_those_of_scikit_learn():
    """As large and as bright as MNIST's, interpolated, and black around."""
    small = load_stream("digits")
    pictures = zoom(small.X.reshape(-1, 8, 8) * (255 / 16), (1, 2.5, 2.5), order=1)
    framed = np.pad(pictures, ((0, 0), (4, 4), (4, 4))).reshape(-1, 784)
    assert np.abs(backgrounds.enlarge(small).X - framed).max() <= 0.5 + 1e-9


def test_photographs_of_installed_packages():
    """Twenty grey regions, which together are three pictures."""
    regions, _ = backgrounds.photographs()
    assert len(regions) == 20 and min(min(region.shape) for region in regions) >= 28
    china = np.vstack([np.hstack(regions[:4]), np.hstack(regions[4:8])])
    colours = load_sample_image("china.jpg") @ [0.299, 0.587, 0.114]
    assert china.shape == colours.shape and np.abs(china - colours).max() < 1


def test_photos_npz_comes_first_and_must_be_the_known_one(data):
    (data / "photos.npz").write_bytes(b"torn")
    with pytest.raises(StreamError, match=r"photos\.npz is not the known set of photographs: replace or delete it"):
        backgrounds.photographs()


def test_backgrounds_are_for_pictures_and_photographs_must_have_texture():
    with pytest.raises(ValueError, match="pictures of 28 x 28 pixels from 0 to 255"):
        on_noise(load_stream("digits"), rng())
    with pytest.raises(ValueError, match="hardly any patch has a deviation of 10"):
        on_photographs(digits(20), [np.full((40, 40), 9, np.uint8)], rng())
