"""Digits and networks as pictures: every pixel where it belongs, and what was never on still as in the prior."""

import numpy as np
import pytest
from looks import inside, overlapping_words

from bflo_viz import MLP, SGD, BeliefFlow, DiagonalBelief
from bflo_viz.figures import draw_activity, draw_digits, draw_film, draw_opinions
from bflo_viz.figures.network import STILL, Opinions, constant_share, first_layer

MODEL = MLP((16, 6, 3))


def learned(rounds, rng=0):
    """A small network that has learned from pictures of 4 x 4 pixels whose first row is always dark."""
    rng = np.random.default_rng(rng)
    X, y = rng.random((rounds, 16)), rng.integers(0, 3, rounds)
    X[:, :4] = 0
    learner = BeliefFlow(DiagonalBelief(np.zeros(MODEL.size(16)), 0.5), MODEL, eta=0.5, non_expansive=True)
    learner.run(X, y, rng)
    return learner, X, y


def test_each_digit_is_in_its_place_on_each_background():
    rng = np.random.default_rng(0)
    sheets = {name: rng.integers(0, 256, (10, 4, 28, 28)).astype(np.uint8) for name in ("PLAIN", "RANDOM")}
    figure = draw_digits(sheets)
    for ax, pictures in zip(figure.axes, sheets.values(), strict=True):
        sheet = ax.images[0].get_array()
        assert sheet.shape == (10 * 30 - 2, 4 * 30 - 2)
        assert np.array_equal(sheet[90:118, 60:88], pictures[3, 2]) and (sheet[28::30] == 255).all()
        assert f"{pictures.mean():.0f}" in figure.alt_text
    assert inside(figure) and not overlapping_words(figure)


def test_units_that_learned_most_come_first():
    """By the KL of each unit's weights from the prior; biases do not count."""
    model = MLP((4, 3, 2))
    mean, std = np.zeros(model.size(4)), np.full(model.size(4), 0.2)
    block, widths = model.unflatten(mean)[0], model.unflatten(std)[0]
    block[:4, 2], widths[:4, 2] = [0.1, 0.0, -0.1, 0.0], [0.1, 0.2, 0.15, 0.2]  # 0.64 nats
    block[0, 0] = 0.21  # 0.55 nats
    block[4] = 9.0
    layer = first_layer(DiagonalBelief(mean, std), model, 0.2, 2)
    assert layer.chosen.tolist() == [2, 0]
    np.testing.assert_array_equal(layer.mean[0], [[0.1, 0.0], [-0.1, 0.0]])
    np.testing.assert_array_equal(layer.std[0], [[0.1, 0.2], [0.15, 0.2]])
    np.testing.assert_array_equal(layer.kept, [[False, True], [False, True]])


def test_a_prior_that_single_precision_rounds_is_still_the_prior():
    """Compiled passes compute in float32, in which 0.1 is another number."""
    model = MLP((4, 3, 2))
    learner = BeliefFlow(DiagonalBelief(np.zeros(model.size(4)), 0.1), model, eta=0.2, updates=2)
    X = np.array([[1.0, 0.0, 0.5, 0.0]] * 8)
    learner.run(X, np.zeros(8, np.int64), np.random.default_rng(0))
    assert first_layer(learner.belief, model, 0.1, 3).kept.tolist() == [[False, True], [False, True]]


def test_a_film_shows_the_same_units_at_each_moment():
    """Each picture is the column of its unit in the block of weights, whatever order the units had."""
    beliefs = {f"{rounds} rounds": learned(rounds)[0].belief for rounds in (2, 20, 60)}
    seen = learned(60)[1]
    figure = draw_film(beliefs, MODEL, 0.5, 4, seen=seen)
    layer = first_layer(beliefs["60 rounds"], MODEL, 0.5, 4)
    sheets = [np.ma.filled(ax.images[0].get_array(), np.nan) for ax in figure.axes[:2]]
    for i, belief in enumerate(beliefs.values()):
        mean, std = MODEL.unflatten(belief.mean)[0], MODEL.unflatten(belief.std)[0]
        for j, unit in enumerate(layer.chosen):
            part = np.s_[7 * i : 7 * i + 4, 7 * j : 7 * j + 4]
            assert np.array_equal(sheets[0][part].ravel(), mean[:16, unit])
            assert np.array_equal(sheets[1][part].ravel(), std[:16, unit])
    assert layer.kept.ravel().tolist() == [True] * 4 + [False] * 12
    for shown, words in ((figure, "were on"), (draw_film(beliefs, MODEL, 0.5, 4), "left the prior")):
        (line,) = shown.axes[1].collections  # between the first row of pixels and the others, in every tile
        ends = np.vstack([path.vertices for path in line.get_paths()])[:, 1] % 7
        assert set(np.round(ends, 9)) == {0.5} and words in shown.axes[1].get_xlabel()
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == list(beliefs)
    assert inside(figure) and not overlapping_words(figure)


def test_opinions_count_votes():
    """Each of seven drawn networks has one vote on each picture, for its largest output, and a dot on it."""
    learner, X, y = learned(30)
    opinions = Opinions.of(learner, X[:3], y[:3], np.random.default_rng(1), 7)
    assert opinions.outputs.shape == (3, 7, 3) and (opinions.votes.sum(axis=1) == 7).all()
    first = opinions.outputs[0].argmax(axis=1)
    assert opinions.votes[0].tolist() == [int((first == k).sum()) for k in range(3)]
    figure = draw_opinions(opinions)
    for ax, outputs in zip(figure.axes[3:6], opinions.outputs, strict=True):
        assert ax.get_lines()[0].get_xdata().tolist() == outputs.argmax(axis=1).tolist()
    assert "7 networks drawn" in figure.alt_text and inside(figure) and not overlapping_words(figure)
    wrong = opinions.votes.argmax(axis=1) != opinions.truth
    assert opinions.missed_at_the_ends(1.0) == (wrong.mean(), wrong.mean())

    learner, X, y = SGD(16, MODEL), *learned(20)[1:]  # a point agrees with itself
    assert (Opinions.of(learner, X, y, np.random.default_rng(1), 5).votes.max(axis=1) == 5).all()
    with pytest.raises(ValueError, match="square picture"):
        Opinions.of(learner, X[:, :15], y, np.random.default_rng(1), 5)


def test_activity_is_sorted_by_mean_and_constant_units_are_counted():
    """Dark units left, bright ones right; a unit that deviates by little is constant."""
    swing = np.array([[-1.0], [1.0]]) * np.array([0, 0.99 * STILL, 1.01 * STILL, 0.4])
    assert constant_share(0.5 + swing) == 0.5
    alive, dead = np.random.default_rng(0).random((30, 8)), np.tile(np.array([0.9, 0.1, 0.5]), (30, 1))
    figure = draw_activity({"alive": alive, "dead": dead})
    assert figure.axes[1].get_images()[0].get_array()[0].tolist() == [0.1, 0.5, 0.9]
    assert "alive, 0%; dead, 100%" in figure.alt_text and inside(figure) and not overlapping_words(figure)
    with pytest.raises(ValueError, match="at least one"):
        draw_activity({})
    with pytest.raises(ValueError, match="one row per picture"):
        constant_share([0.5, 0.5])
