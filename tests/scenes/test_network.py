"""A network at work as data: its first layer moment by moment, opinions of drawn weights, constant units."""

import numpy as np
import pytest

from bflo_viz import MLP, SGD, BeliefFlow, DiagonalBelief
from bflo_viz.scenes import Film, Opinions, constant_share
from bflo_viz.scenes.predictions import STILL

MODEL = MLP((16, 6, 3))


def learned(rounds, rng=0):
    """A small network that has learned from pictures of 4 x 4 pixels whose first row is always dark."""
    rng = np.random.default_rng(rng)
    X, y = rng.random((rounds, 16)), rng.integers(0, 3, rounds)
    X[:, :4] = 0
    learner = BeliefFlow(DiagonalBelief(np.zeros(MODEL.size(16)), 0.5), MODEL, eta=0.5, non_expansive=True)
    learner.run(X, y, rng)
    return learner, X, y


@pytest.fixture
def film():
    """Three moments; the units that learned most in the end differ from those at first."""
    _, X, _ = learned(60)
    beliefs = {f"{rounds} rounds": learned(rounds)[0].belief for rounds in (2, 20, 60)}
    return Film.of(beliefs, MODEL, 0.5, 4, seen=X), beliefs


@pytest.fixture
def opinions():
    """Seven networks about three pictures."""
    learner, X, y = learned(30)
    return Opinions.of(learner, X[:3], y[:3], np.random.default_rng(1), 7)


def test_a_film_shows_the_same_units_at_each_moment(film):
    """Each picture is the column of its unit in the block of weights, whatever order the units had."""
    scene, beliefs = film
    for i, belief in enumerate(beliefs.values()):
        mean, std = MODEL.unflatten(belief.mean)[0], MODEL.unflatten(belief.std)[0]
        for j, unit in enumerate(scene.chosen):
            assert np.array_equal(scene.mean[i, j].ravel(), mean[:16, unit])
            assert np.array_equal(scene.std[i, j].ravel(), std[:16, unit])
    assert scene.dark.ravel().tolist() == [True] * 4 + [False] * 12
    assert scene.kept[-1] == 4 and scene.hidden == 6


def test_a_film_needs_a_moment():
    """In a sentence."""
    with pytest.raises(ValueError, match="at least one moment"):
        Film.of({}, MODEL, 0.5)


def test_opinions_count_votes(opinions):
    """Each drawn network has one vote on each picture, for its largest output."""
    assert opinions.outputs.shape == (3, 7, 3) and (opinions.votes.sum(axis=1) == 7).all()
    first = opinions.outputs[0].argmax(axis=1)
    assert opinions.votes[0].tolist() == [int((first == k).sum()) for k in range(3)]


def test_opinions_of_a_point_all_agree():
    """SGD has a single network."""
    _, X, y = learned(20)
    learner = SGD(16, MODEL, eta=0.1, std=0.3)
    learner.run(X, y, np.random.default_rng(0))
    assert (Opinions.of(learner, X, y, np.random.default_rng(1), 5).votes.max(axis=1) == 5).all()


def test_opinions_are_of_square_pictures():
    """In a sentence."""
    learner, X, y = learned(5)
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


def test_a_unit_is_constant_if_it_deviates_by_little():
    """One that does not move, one just below the limit, one just above it, one that is alive."""
    swing = np.array([[-1.0], [1.0]]) * np.array([0, 0.99 * STILL, 1.01 * STILL, 0.4])
    assert constant_share(0.5 + swing) == 0.5
    with pytest.raises(ValueError, match="a picture a row"):
        constant_share([0.5, 0.5])
