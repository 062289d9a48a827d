"""Digits and networks as pictures: every pixel where it belongs, and what was never on still as in the prior."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from looks import inside, overlapping_words

from bflo_viz import MLP, SGD, BeliefFlow, DiagonalBelief, _places
from bflo_viz.figures import alt_text, draw_activity, draw_digits, draw_film, draw_first_layer, draw_opinions, palette
from bflo_viz.scenes import Film, FirstLayer, Opinions, constant_share, digits, first_layer, network
from bflo_viz.scenes.network import STILL
from bflo_viz.streams import Stream, enlarge, load_stream, to_unit

MODEL = MLP((16, 6, 3))
SIDE = 28


def learned(rounds, rng=0):
    """A small network that has learned from pictures of 4 x 4 pixels whose first row is always dark."""
    rng = np.random.default_rng(rng)
    X, y = rng.random((rounds, 16)), rng.integers(0, 3, rounds)
    X[:, :4] = 0
    learner = BeliefFlow(DiagonalBelief(np.zeros(MODEL.size(16)), 0.5), MODEL, eta=0.5, non_expansive=True)
    learner.run(X, y, rng)
    return learner, X, y


@pytest.fixture(scope="module")
def scene():
    """As the gallery makes it, smaller; there are no downloads, as for every figure."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(_places.DATA_VARIABLE, raising=False)
        patch.setattr(_places, "cache_folder", lambda: Path("no such folder"))
        return first_layer(np.random.default_rng(0), hidden=16, rounds=300, units=5)


@pytest.fixture(scope="module")
def film():
    """Three moments; the units that learned most in the end differ from those at first."""
    beliefs = {f"{rounds} rounds": learned(rounds)[0].belief for rounds in (2, 20, 60)}
    return Film.of(beliefs, MODEL, 0.5, 4, seen=learned(60)[1]), beliefs


@pytest.fixture(scope="module")
def opinions():
    """Seven networks about three pictures."""
    learner, X, y = learned(30)
    return Opinions.of(learner, X[:3], y[:3], np.random.default_rng(1), 7)


@pytest.fixture
def mnist(monkeypatch):
    """Twenty pictures in the place of MNIST."""
    pictures = np.random.default_rng(0).integers(0, 256, (20, SIDE, SIDE)).astype(np.uint8)
    pictures[:, 3, 5] = 0
    stream = Stream(pictures.reshape(20, -1), np.arange(20) % 10, maximum=255)
    monkeypatch.setattr(network, "is_here", lambda name: True)
    monkeypatch.setattr(network, "load_stream", lambda name: {"mnist": stream}[name])
    return pictures


def test_the_same_digits_three_times():
    """No pixel is darker than in the plain digit, around the digits there is noise or a photograph; in its row."""
    scene = digits(np.random.default_rng(0), examples=4)
    assert (scene.random >= scene.plain).all() and (scene.images >= scene.plain).all()
    edge = scene.random[:, :, :4]
    assert abs(edge.mean() - 127.5) < 6 and edge.max() > 250
    assert scene.plain[:, :, :4].max() == 0 and scene.images.reshape(40, -1).std(axis=1).min() > 9
    assert "scikit-learn" in scene.about and "regions of 3 photographs" in scene.behind
    small = load_stream("digits")
    for label in range(10):
        known = small.X[small.y == label].reshape(-1, 8, 8)
        corners = {tuple(picture[[0, 0, 7, 7], [0, 7, 0, 7]]) for picture in known}
        for picture in scene.plain[label]:
            assert tuple(np.rint(picture[[4, 4, 23, 23], [4, 23, 4, 23]] * 16 / 255).astype(int)) in corners
    figure = draw_digits(scene)
    for ax, pictures in zip(figure.axes, (scene.plain, scene.random, scene.images), strict=True):
        sheet = ax.images[0].get_array()
        assert sheet.shape == (10 * 30 - 2, 4 * 30 - 2)
        assert np.array_equal(sheet[90:118, 60:88], pictures[3, 2]) and (sheet[28::30] == 255).all()
        assert f"{pictures.mean():.0f}" in alt_text(figure)
    assert inside(figure) and not overlapping_words(figure)


def test_with_mnist_the_digits_are_mnist(mnist):
    """Files of that name are used, after the checks that every stream gets."""
    made = digits(np.random.default_rng(0), examples=2)
    assert made.about == "Digits of MNIST"
    for label in range(10):
        assert {p.tobytes() for p in made.plain[label]} == {mnist[i].tobytes() for i in (label, label + 10)}
    layer = first_layer(np.random.default_rng(0), hidden=3, rounds=20, units=2)
    assert layer.about == "20 digits of MNIST" and np.argwhere(layer.dark).tolist() == [[3, 5]]
    assert layer.dark_kept_the_prior


def test_pixels_that_were_never_on_keep_the_prior_to_the_bit(scene):
    """By the digits themselves: around them four rows and columns are always zero. All others have learned."""
    never = ~to_unit(enlarge(load_stream("digits"))).X.reshape(-1, SIDE, SIDE).any(axis=0)
    assert never[:4].all() and never[:, -4:].all() and not never[14, 14]
    assert scene.dark[never].all() and scene.dark_kept_the_prior
    assert (scene.mean[:, never] == 0.0).all() and (scene.std[:, never] == 0.5).all()
    assert (scene.mean[:, 12:16, 12:16] != 0).all() and (scene.std[:, 12:16, 12:16] < 0.5).all()
    assert scene.std.max() == 0.5 and not scene.kept[~scene.dark].any()


def test_the_first_layer_is_that_of_the_learner():
    """The same rounds done by hand, step by step; another seed gives another layer."""
    made, other = (first_layer(np.random.default_rng(seed), hidden=6, rounds=12, units=6) for seed in (3, 4))
    rng, model, data = np.random.default_rng(3), MLP((784, 6, 10)), to_unit(enlarge(load_stream("digits")))
    prior = DiagonalBelief(np.zeros(model.size(784)), 0.5)
    learner = BeliefFlow(prior, model, eta=0.2, updates=5, non_expansive=True)
    for i in rng.permutation(data.rows)[:12]:
        learner.step(data.X[i], int(data.y[i]), rng)
    block = model.unflatten(learner.belief.mean)[0]
    for picture, unit in zip(made.mean, made.chosen, strict=True):
        np.testing.assert_allclose(picture.ravel(), block[:784, unit], atol=1e-5)
    assert not np.array_equal(made.mean, other.mean)


def test_units_that_learned_most_come_first():
    """By the KL of each unit's weights from the prior; biases do not count."""
    model = MLP((4, 3, 2))
    mean, std = np.zeros(model.size(4)), np.full(model.size(4), 0.2)
    block, widths = model.unflatten(mean)[0], model.unflatten(std)[0]
    block[:4, 2], widths[:4, 2] = [0.1, 0.0, -0.1, 0.0], [0.1, 0.2, 0.15, 0.2]  # 0.64 nats
    block[0, 0] = 0.21  # 0.55 nats
    block[4] = 9.0
    scene = FirstLayer.of(DiagonalBelief(mean, std), model, 0.2, 2)
    assert scene.chosen.tolist() == [2, 0] and scene.hidden == 3
    np.testing.assert_array_equal(scene.mean[0], [[0.1, 0.0], [-0.1, 0.0]])
    np.testing.assert_array_equal(scene.std[0], [[0.1, 0.2], [0.15, 0.2]])
    np.testing.assert_array_equal(scene.kept, [[False, True], [False, True]])
    assert scene.finding() == "The weights of 2 pixels are still at the prior's mean 0 and width 0.2"
    assert replace(scene, kept=np.zeros((2, 2), bool)).finding().startswith("No pixel has kept")


def test_a_prior_that_single_precision_rounds_is_still_the_prior():
    """Compiled passes compute in float32, in which 0.1 is another number."""
    model = MLP((4, 3, 2))
    learner = BeliefFlow(DiagonalBelief(np.zeros(model.size(4)), 0.1), model, eta=0.2, updates=2)
    X = np.array([[1.0, 0.0, 0.5, 0.0]] * 8)
    learner.run(X, np.zeros(8, np.int64), np.random.default_rng(0))
    scene = FirstLayer.of(learner.belief, model, 0.1, seen=X)
    assert scene.kept.tolist() == [[False, True], [False, True]] and scene.dark_kept_the_prior


def test_every_weight_is_drawn_in_its_tile_and_a_line_is_around_what_was_never_on(scene):
    """Pixel for pixel with the unit's number above; a line goes between what was on and what never was."""
    figure = draw_first_layer(scene)
    assert inside(figure) and not overlapping_words(figure)
    for ax, pictures in zip(figure.axes[:2], (scene.mean, scene.std), strict=True):
        sheet = np.ma.filled(ax.images[0].get_array(), np.nan)
        for i, picture in enumerate(pictures):
            down, across = i // 3 * (SIDE + 7), i % 3 * (SIDE + 3)
            assert np.array_equal(sheet[down : down + SIDE, across : across + SIDE], picture)
        assert np.isfinite(sheet).sum() == pictures.size
        assert [text.get_text() for text in ax.texts] == [f"unit {unit}" for unit in scene.chosen]
        points = np.vstack([path.vertices for path in ax.collections[0].get_paths()])
        first = points[(points < SIDE).all(axis=1)]  # of the first tile: each lies between a dark and another pixel
        assert len(first) > 50 and len(points) > 4 * len(first)
        for low, high in zip(np.floor(first).astype(int), np.ceil(first).astype(int), strict=True):
            assert scene.dark[low[1], low[0]] != scene.dark[high[1], high[0]]
    means, widths = (ax.images[0] for ax in figure.axes[:2])
    assert means.get_clim() == (-np.abs(scene.mean).max(), np.abs(scene.mean).max())
    assert widths.get_cmap().name == palette.GROWING and widths.get_clim() == (scene.std.min(), 0.5)
    assert f"The {scene.dark.sum()} pixels that were never on teach nothing" in figure.get_suptitle()
    assert figure.get_suptitle() in alt_text(figure) and f"{scene.mean.max():.2f}" in alt_text(figure)


def test_a_film_shows_the_same_units_at_each_moment(film):
    """Each picture is the column of its unit in the block of weights, whatever order the units had."""
    scene, beliefs = film
    figure = draw_film(scene)
    sheets = [np.ma.filled(ax.images[0].get_array(), np.nan) for ax in figure.axes[:2]]
    for i, (belief, layer) in enumerate(zip(beliefs.values(), scene.layers.values(), strict=True)):
        mean, std = MODEL.unflatten(belief.mean)[0], MODEL.unflatten(belief.std)[0]
        for j, unit in enumerate(layer.chosen):
            part = np.s_[7 * i : 7 * i + 4, 7 * j : 7 * j + 4]
            assert np.array_equal(sheets[0][part].ravel(), mean[:16, unit])
            assert np.array_equal(sheets[1][part].ravel(), std[:16, unit])
    assert layer.dark.ravel().tolist() == [True] * 4 + [False] * 12 and layer.kept.sum() == 4
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == list(beliefs)
    assert inside(figure) and not overlapping_words(figure)


def test_opinions_count_votes(opinions):
    """Each drawn network has one vote on each picture, for its largest output, and a dot on it."""
    assert opinions.outputs.shape == (3, 7, 3) and (opinions.votes.sum(axis=1) == 7).all()
    first = opinions.outputs[0].argmax(axis=1)
    assert opinions.votes[0].tolist() == [int((first == k).sum()) for k in range(3)]
    figure = draw_opinions(opinions)
    for ax, outputs in zip(figure.axes[3:6], opinions.outputs, strict=True):
        assert ax.get_lines()[0].get_xdata().tolist() == outputs.argmax(axis=1).tolist()
    assert "7 networks drawn" in alt_text(figure) and inside(figure) and not overlapping_words(figure)


def test_opinions_of_a_point_all_agree():
    _, X, y = learned(20)
    learner = SGD(16, MODEL, eta=0.1, std=0.3)
    learner.run(X, y, np.random.default_rng(0))
    assert (Opinions.of(learner, X, y, np.random.default_rng(1), 5).votes.max(axis=1) == 5).all()
    with pytest.raises(ValueError, match="square picture"):
        Opinions.of(learner, X[:, :15], y, np.random.default_rng(1), 5)


@pytest.mark.parametrize("bias", [True, False])
def test_hidden_activity_is_what_the_outputs_are_made_of(bias):
    """Fed through the second layer, it gives the prediction of the model."""
    model = MLP((16, 6, 3), bias=bias)
    rng = np.random.default_rng(0)
    w, X = rng.standard_normal(model.size(16)), rng.random((5, 16))
    hidden, last = model.hidden(w, X), model.unflatten(w)[1]
    logits = hidden @ last[:6] + (last[6] if bias else 0)
    np.testing.assert_allclose(1 / (1 + np.exp(-logits)), model.predict_many(w, X), rtol=1e-12)
    with pytest.raises(ValueError, match=r"shape \(n, 16\)"):
        model.hidden(w, X[:, :3])


def test_activity_is_sorted_by_mean_and_constant_units_are_counted():
    """Dark units left, bright ones right; a unit that deviates by little is constant."""
    swing = np.array([[-1.0], [1.0]]) * np.array([0, 0.99 * STILL, 1.01 * STILL, 0.4])
    assert constant_share(0.5 + swing) == 0.5
    alive, dead = np.random.default_rng(0).random((30, 8)), np.tile(np.array([0.9, 0.1, 0.5]), (30, 1))
    figure = draw_activity({"alive": alive, "dead": dead})
    assert figure.axes[1].get_images()[0].get_array()[0].tolist() == [0.1, 0.5, 0.9]
    assert "alive, 0%; dead, 100%" in alt_text(figure) and inside(figure) and not overlapping_words(figure)
    with pytest.raises(ValueError, match="at least one"):
        draw_activity({})
    with pytest.raises(ValueError, match="a picture a row"):
        constant_share([0.5, 0.5])
