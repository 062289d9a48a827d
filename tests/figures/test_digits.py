"""The contact sheet of digits: the same digits three times, and every pixel where it belongs."""

import gzip
import struct

import numpy as np
import pytest
from looks import inside, overlapping_words
from matplotlib.figure import Figure

from bflo_viz import _places
from bflo_viz.figures.digits import draw_digits
from bflo_viz.figures.style import alt_text
from bflo_viz.scenes.digit_sheets import digits
from bflo_viz.streams import load_stream


@pytest.fixture
def scene():
    """As the gallery makes it, with fewer examples."""
    return digits(np.random.default_rng(0), examples=4)


def test_the_same_digits_three_times(scene):
    """No pixel is darker than in the plain digit, and around the digits there is noise or a photograph."""
    assert scene.plain.shape == scene.random.shape == scene.images.shape == (10, 4, 28, 28)
    assert (scene.random >= scene.plain).all() and (scene.images >= scene.plain).all()
    edge = scene.random[:, :, :4]
    assert abs(edge.mean() - 127.5) < 6 and edge.max() > 250
    assert scene.plain[:, :, :4].max() == 0
    assert scene.images.reshape(40, -1).std(axis=1).min() > 9


def test_without_mnist_the_digits_are_those_of_scikit_learn(scene):
    """Enlarged so that corners stay corners, a class a row, and the figure says so."""
    small = load_stream("digits")
    for label in range(10):
        corners = {
            tuple(picture[[0, 0, 7, 7], [0, 7, 0, 7]]) for picture in small.X[small.y == label].reshape(-1, 8, 8)
        }
        for picture in scene.plain[label]:
            found = np.rint(picture[[4, 4, 23, 23], [4, 23, 4, 23]] * 16 / 255).astype(int)
            assert tuple(found) in corners
    assert "scikit-learn" in scene.about and "regions of 3 photographs" in scene.behind


def test_with_mnist_the_digits_are_mnist(tmp_path, monkeypatch):
    """Files of that name are used, after the checks that every stream gets."""
    from bflo_viz.streams import registry, stream

    pictures = np.random.default_rng(0).integers(0, 256, (20, 28, 28)).astype(np.uint8)
    labels = (np.arange(20) % 10).astype(np.uint8)
    parts = {"images": pictures, "labels": labels}
    for split, rows in (("train", slice(0, 12)), ("t10k", slice(12, 20))):
        for kind, array in parts.items():
            part = array[rows]
            header = struct.pack(f">BBBB{part.ndim}I", 0, 0, 8, part.ndim, *part.shape)
            name = f"{split}-{kind}-idx{part.ndim}-ubyte.gz"
            (tmp_path / name).write_bytes(gzip.compress(header + part.tobytes()))
    from dataclasses import replace

    recipe = replace(
        registry.FROM_FILES["mnist"],
        classes={str(label): 2 for label in range(10)},
        sha256=stream.fingerprint(pictures.reshape(20, 784), labels),
    )
    monkeypatch.setitem(registry.FROM_FILES, "mnist", recipe)
    monkeypatch.setenv(_places.DATA_VARIABLE, str(tmp_path))
    made = digits(np.random.default_rng(0), examples=2)
    assert made.about == "Digits of MNIST"
    for label in range(10):
        assert {p.tobytes() for p in made.plain[label]} == {pictures[i].tobytes() for i in (label, label + 10)}


@pytest.mark.parametrize("style", ["paper", "slides"])
def test_every_digit_is_drawn_in_its_row(scene, style):
    """Pixel for pixel, white between the pictures, rows named by their digit."""
    figure = draw_digits(scene, style=style)
    assert inside(figure) and not overlapping_words(figure)
    for ax, pictures in zip(figure.axes, (scene.plain, scene.random, scene.images), strict=True):
        sheet = ax.images[0].get_array()
        assert sheet.shape == (10 * 30 - 2, 4 * 30 - 2)
        for label in range(10):
            for example in range(4):
                part = sheet[30 * label : 30 * label + 28, 30 * example : 30 * example + 28]
                assert np.array_equal(part, pictures[label, example])
        assert (sheet[28::30] == 255).all() and (sheet[:, 29::30] == 255).all()
        assert [text.get_text() for text in ax.get_yticklabels()] == list("0123456789")
        assert f"{pictures.mean():.0f} of 255" in ax.get_xlabel()


def test_alt_text_has_the_numbers_of_the_data(scene):
    """How many digits, how grey, which photographs."""
    words = alt_text(draw_digits(scene))
    assert "same 4 examples" in words and scene.behind in words
    assert all(f"{pictures.mean():.0f}" in words for pictures in (scene.plain, scene.random, scene.images))


def test_draws_on_given_axes(scene):
    """Three axes of another figure are used, and that figure comes back."""
    mine = Figure()
    assert draw_digits(scene, axes=mine.subplots(1, 3)) is mine


def test_the_same_seed_gives_the_same_digits(scene):
    """And another seed gives others."""
    again, other = (digits(np.random.default_rng(seed), examples=4) for seed in (0, 1))
    assert np.array_equal(again.images, scene.images) and not np.array_equal(other.plain, scene.plain)
