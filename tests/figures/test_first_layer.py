"""The first layer as pictures: every pixel where it belongs, and what was never on still as in the prior."""

import gzip
import struct
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from looks import inside, overlapping_words
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from bflo_viz import MLP, BeliefFlow, DiagonalBelief, Logistic, SphericalBelief, _places
from bflo_viz.figures import palette
from bflo_viz.figures.first_layer import draw_first_layer
from bflo_viz.figures.style import alt_text
from bflo_viz.scenes.network import FirstLayer, first_layer
from bflo_viz.streams import enlarge, load_stream, to_unit

SIDE, GAP, ABOVE = 28, 3, 6


@pytest.fixture(scope="module")
def scene():
    """As the gallery makes it, smaller; there are no downloads, as for every figure."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(_places.DATA_VARIABLE, raising=False)
        patch.setattr(_places, "cache_folder", lambda: Path("no such folder"))
        return first_layer(np.random.default_rng(0), hidden=16, rounds=300, units=5)


@pytest.fixture
def tiny():
    """A belief over 4 pixels and 3 units of which everything is known: unit 2 moved most, unit 1 not at all."""
    model = MLP((4, 3, 2))
    mean, std = np.zeros(model.size(4)), np.full(model.size(4), 0.2)
    block, widths = model.unflatten(mean)[0], model.unflatten(std)[0]
    block[:4, 2] = [0.3, 0.0, -0.1, 0.0]
    widths[:4, 2] = [0.1, 0.2, 0.15, 0.2]
    block[0, 0] = 0.05
    block[4] = 9.0  # biases are none of the pixels
    return FirstLayer.of(DiagonalBelief(mean, std), model, 0.2, 2), model


def test_pixels_that_were_never_on_keep_the_prior_to_the_bit(scene):
    """By the digits themselves: around them four rows and columns are always zero."""
    pictures = to_unit(enlarge(load_stream("digits"))).X.reshape(-1, SIDE, SIDE)
    never = ~pictures.any(axis=0)
    assert never[:4].all() and never[:, -4:].all() and not never[14, 14]
    assert scene.dark[never].all() and scene.dark_kept_the_prior
    assert (scene.mean[:, never] == 0.0).all() and (scene.std[:, never] == 0.5).all()
    assert scene.kept[scene.dark].all()


def test_pixels_that_were_on_have_learned(scene):
    """Every weight from the middle moved, and flows that never expand leave no width above the prior."""
    assert (scene.mean[:, 12:16, 12:16] != 0).all() and (scene.std[:, 12:16, 12:16] < 0.5).all()
    assert scene.std.max() == 0.5 and not scene.kept[~scene.dark].any()


def test_it_is_the_learner_that_it_says():
    """The same rounds done by hand, step by step."""
    made = first_layer(np.random.default_rng(3), hidden=6, rounds=12, units=6)
    rng = np.random.default_rng(3)
    stream = to_unit(enlarge(load_stream("digits")))
    order = rng.permutation(stream.rows)[:12]
    model = MLP((784, 6, 10))
    learner = BeliefFlow(
        DiagonalBelief(np.zeros(model.size(784)), 0.5), model, eta=0.2, updates=5, non_expansive=True
    )
    for i in order:
        learner.step(stream.X[i], int(stream.y[i]), rng)
    block = model.unflatten(learner.belief.mean)[0]
    for picture, unit in zip(made.mean, made.chosen, strict=True):
        np.testing.assert_allclose(picture.ravel(), block[:784, unit], atol=1e-5)


def test_units_that_learned_most_come_first(tiny):
    """KL of each unit's weights from the prior, added up by hand; biases do not count."""
    scene, _ = tiny
    assert scene.chosen.tolist() == [2, 0] and scene.hidden == 3

    def kl(mean, std):
        return mean**2 / (2 * 0.04) + (std / 0.2) ** 2 / 2 - 0.5 - np.log(std / 0.2)

    np.testing.assert_allclose(scene.learned, [kl(0.3, 0.1) + kl(-0.1, 0.15), kl(0.05, 0.2)], rtol=1e-12)
    np.testing.assert_array_equal(scene.mean[0], [[0.3, 0.0], [-0.1, 0.0]])
    np.testing.assert_array_equal(scene.std[0], [[0.1, 0.2], [0.15, 0.2]])
    np.testing.assert_array_equal(scene.kept, [[False, True], [False, True]])


def test_a_prior_that_single_precision_rounds_is_still_the_prior():
    """Compiled passes compute in float32, in which 0.1 is another number."""
    model = MLP((4, 3, 2))
    learner = BeliefFlow(DiagonalBelief(np.zeros(model.size(4)), 0.1), model, eta=0.2, updates=2)
    X = np.array([[1.0, 0.0, 0.5, 0.0]] * 8)
    learner.run(X, np.zeros(8, np.int64), np.random.default_rng(0))
    scene = FirstLayer.of(learner.belief, model, 0.1, seen=X)
    assert scene.kept.tolist() == [[False, True], [False, True]] and scene.dark_kept_the_prior
    assert np.isfinite(scene.learned).all()


def test_it_can_be_looked_at_while_it_learns():
    """Before the first round everything is the prior, with one width for all weights or each its own."""
    model = MLP((784, 6, 10))
    for belief in (DiagonalBelief(np.zeros(model.size(784)), 0.3), SphericalBelief(np.zeros(model.size(784)), 0.3)):
        scene = FirstLayer.of(belief, model, 0.3, 4)
        assert scene.kept.all() and scene.dark is None and (scene.learned == 0).all()
        figure = draw_first_layer(scene)
        assert inside(figure) and not overlapping_words(figure)
        assert "weights of 784 pixels are still at the prior's" in figure.get_suptitle()


@pytest.mark.parametrize("style", ["paper", "slides"])
def test_every_weight_is_drawn_in_its_tile(scene, style):
    """Pixel for pixel, units in their order with their numbers above, nothing between them."""
    figure = draw_first_layer(scene, style=style)
    assert inside(figure) and not overlapping_words(figure)
    for ax, pictures in zip(figure.axes[:2], (scene.mean, scene.std), strict=True):
        sheet = np.ma.filled(ax.images[0].get_array(), np.nan)
        assert sheet.shape == (2 * (SIDE + ABOVE), 3 * (SIDE + GAP) - GAP)
        left_over = np.ones(sheet.shape, dtype=bool)
        for i, picture in enumerate(pictures):
            part = np.s_[
                i // 3 * (SIDE + ABOVE) + ABOVE : (i // 3 + 1) * (SIDE + ABOVE),
                i % 3 * (SIDE + GAP) : i % 3 * (SIDE + GAP) + SIDE,
            ]
            assert np.array_equal(sheet[part], picture)
            left_over[part] = False
        assert np.isnan(sheet[left_over]).all()
        assert [text.get_text() for text in ax.texts] == [f"unit {unit}" for unit in scene.chosen]


def test_colours_say_what_they_should(scene):
    """Means: white at 0, both signs equally far. Widths: a map that grows, up to the prior. Bars have labels."""
    figure = draw_first_layer(scene)
    means, widths = (ax.images[0] for ax in figure.axes[:2])
    low, high = means.get_clim()
    assert means.get_cmap().name == palette.AROUND and -low == high == np.abs(scene.mean).max()
    assert min(means.to_rgba(0.0)) > 0.95
    assert widths.get_cmap().name == palette.GROWING and widths.get_clim() == (scene.std.min(), 0.5)
    bars = [ax.child_axes[0].get_ylabel() for ax in figure.axes[:2]]
    assert bars == ["mean of a weight", "standard deviation of a weight"]


def test_a_line_is_around_what_was_never_on(scene):
    """In each tile as many edges as pixels that differ from a neighbour; for a square of 2 in 4 these are 8."""
    edges = sum(int((np.diff(scene.dark, axis=axis)).sum()) for axis in (0, 1))
    for ax in draw_first_layer(scene).axes[:2]:
        (lines,) = ax.collections
        assert len(lines.get_segments()) == edges * len(scene.chosen)
        assert tuple(lines.get_color()[0]) == to_rgba(palette.INK)
    dark = np.ones((4, 4), dtype=bool)
    dark[1:3, 1:3] = False
    small = replace(
        scene, mean=np.zeros((1, 4, 4)), std=np.ones((1, 4, 4)), dark=dark, kept=dark, chosen=np.array([0])
    )
    (lines,) = draw_first_layer(small).axes[0].collections
    ends = np.array(lines.get_segments()) - (-0.5, ABOVE - 0.5)
    assert len(ends) == 8 and ends.min() == 1 and ends.max() == 3


def test_titles_and_alt_text_have_the_numbers_of_the_data(scene, tiny):
    """What is claimed is what was checked: with other data the title says something else."""
    figure = draw_first_layer(scene)
    words = alt_text(figure)
    assert f"The {scene.dark.sum()} pixels that were never on teach nothing" in figure.get_suptitle()
    assert figure.get_suptitle() in words and "5 of 16 units after 300 digits of scikit-learn" in words
    for value in (scene.mean.min(), scene.mean.max(), scene.std.min(), scene.std[:, ~scene.kept].mean()):
        assert f"{value:.2f}".replace("-", "−") in words
    assert all(str(unit) in words for unit in scene.chosen)
    assert f"from {scene.learned[0]:.0f} to {scene.learned[-1]:.0f} nats" in words
    wrong = replace(scene, kept=np.zeros((28, 28), dtype=bool))
    assert "No pixel has kept" in draw_first_layer(wrong).get_suptitle()
    known, model = tiny
    assert (
        "weights of 2 pixels are still at the prior's mean 0 and width 0.2" in draw_first_layer(known).get_suptitle()
    )
    everything = FirstLayer.of(DiagonalBelief(np.ones(model.size(4)), 0.1), model, 0.2, 3)
    assert "all 3 units" in draw_first_layer(everything).axes[0].get_xlabel()


def test_with_mnist_the_digits_are_mnist(tmp_path, monkeypatch):
    """Files of that name are used, after the checks that every stream gets."""
    from bflo_viz.streams import registry, stream

    pictures = np.random.default_rng(0).integers(0, 256, (20, 28, 28)).astype(np.uint8)
    pictures[:, 3, 5] = 0
    labels = (np.arange(20) % 10).astype(np.uint8)
    for split, rows in (("train", slice(0, 12)), ("t10k", slice(12, 20))):
        for kind, array in (("images", pictures), ("labels", labels)):
            part = array[rows]
            header = struct.pack(f">BBBB{part.ndim}I", 0, 0, 8, part.ndim, *part.shape)
            name = f"{split}-{kind}-idx{part.ndim}-ubyte.gz"
            (tmp_path / name).write_bytes(gzip.compress(header + part.tobytes()))
    sha = stream.fingerprint(pictures.reshape(20, 784), labels)
    recipe = replace(registry.FROM_FILES["mnist"], classes={str(label): 2 for label in range(10)}, sha256=sha)
    monkeypatch.setitem(registry.FROM_FILES, "mnist", recipe)
    monkeypatch.setenv(_places.DATA_VARIABLE, str(tmp_path))
    made = first_layer(np.random.default_rng(0), hidden=3, rounds=20, units=2)
    assert made.about == "20 digits of MNIST" and np.argwhere(made.dark).tolist() == [[3, 5]]
    assert made.dark_kept_the_prior


@pytest.mark.parametrize(
    ("belief_of", "model", "options", "words"),
    [
        (4, Logistic(), {}, "model must be an MLP"),
        (0, MLP((5, 3, 2)), {}, "square picture"),
        (0, MLP((4, 3, 2)), {"prior_std": 0.0}, "prior_std must be positive"),
        (0, MLP((4, 3, 2)), {"units": 0}, "units must be a whole number"),
        (0, MLP((4, 3, 2)), {"seen": np.zeros((3, 5))}, "seen must have 4 pixels a row"),
        (7, MLP((4, 3, 2)), {}, "must hold 23 weights"),
    ],
)
def test_a_mistake_gets_a_sentence(belief_of, model, options, words):
    """Another model, a picture that is no square, and so on."""
    dim = belief_of or model.size(model.sizes[0])
    with pytest.raises(ValueError, match=words):
        FirstLayer.of(DiagonalBelief(np.zeros(dim), 0.5), model, **{"prior_std": 0.5, **options})


def test_no_more_digits_than_there_are():
    """1,797 of scikit-learn."""
    with pytest.raises(ValueError, match="at most the 1,797 digits"):
        first_layer(np.random.default_rng(0), rounds=2000)


def test_draws_on_given_axes(scene):
    """Two axes of another figure are used, and that figure comes back."""
    mine = Figure()
    assert draw_first_layer(scene, axes=mine.subplots(1, 2)) is mine
    assert not mine.get_suptitle()


def test_the_same_seed_gives_the_same_layer():
    """And another seed gives another."""
    one, again, other = (first_layer(np.random.default_rng(s), hidden=4, rounds=30) for s in (0, 0, 1))
    assert np.array_equal(one.mean, again.mean) and not np.array_equal(one.mean, other.mean)


def test_the_scene_needs_no_matplotlib():
    """It computes; drawing is another file."""
    assert "matplotlib" not in vars(sys.modules["bflo_viz.scenes.network"])
