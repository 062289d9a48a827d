"""Beliefs as values: frozen, copied, pickled, sampled from, shown, and made for a model."""

import copy
import pickle

import numpy as np
import pytest
from strategies import KINDS, assert_same_belief, some_belief

from bflo_viz import MLP, DiagonalBelief, FullBelief, Logistic, SphericalBelief

each_kind = pytest.mark.parametrize("kind", KINDS)


@each_kind
def test_sample_has_the_moments_of_the_belief_and_repeats(kind):
    belief = some_belief(kind)
    many = belief.sample(np.random.default_rng(3), 200_000)
    assert many.shape == (200_000, 3)
    np.testing.assert_allclose(many.mean(axis=0), belief.mean, atol=0.03)
    np.testing.assert_allclose(np.cov(many.T), belief.covariance, atol=0.06)
    one, again, other = (belief.sample(np.random.default_rng(seed)) for seed in (4, 4, 5))
    assert one.shape == (3,)
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    assert belief.sample(np.random.default_rng(4), size=1).shape == (1, 3)


@each_kind
@pytest.mark.parametrize("dim", [1, 3, 200])
def test_repr_is_one_short_line(kind, dim):
    text = repr(some_belief(kind, dim))
    assert text.startswith(f"{kind.__name__}(mean=[")
    assert "\n" not in text
    assert len(text) < 160
    assert "std=" in text or "covariance=" in text


def arrays_of(belief):
    return [value for value in vars(belief).values() if isinstance(value, np.ndarray)]


@each_kind
@pytest.mark.parametrize(
    "duplicate", [lambda belief: belief, copy.copy, copy.deepcopy, lambda belief: pickle.loads(pickle.dumps(belief))]
)
def test_beliefs_and_their_copies_are_frozen(kind, duplicate):
    """Before and after a flow nothing can be set or deleted and every array is read-only; copies flow on alike."""
    prior = some_belief(kind)
    for belief in (prior, prior.flow(prior.mean + 1, prior.mean), prior.flow(prior.mean, prior.mean)):
        twin = duplicate(belief)
        assert_same_belief(twin, belief)
        for name in ("mean", "std", "covariance", "anything"):
            with pytest.raises(AttributeError):
                setattr(twin, name, np.zeros(3))
        with pytest.raises(AttributeError):
            del twin.mean
        assert arrays_of(twin) and not any(array.flags.writeable for array in arrays_of(twin))
        assert_same_belief(twin.flow(prior.mean + 2, prior.mean + 1), belief.flow(prior.mean + 2, prior.mean + 1))


@each_kind
def test_arguments_are_neither_kept_nor_changed(kind):
    """Arrays given to a belief or to its flow stay writeable and unchanged, and share no memory with the result."""
    mean, std, covariance = np.array([1.0, 2.0]), np.array([0.5, 0.7]), np.array([[2.0, 0.3], [0.3, 1.0]])
    width = {SphericalBelief: 0.5, DiagonalBelief: std, FullBelief: covariance}[kind]
    w, w_new, points = np.array([1.5, 1.0]), np.array([0.5, 1.0]), np.ones((3, 2))
    given = [mean, std, covariance, w, w_new, points]
    copies = [array.copy() for array in given]
    belief = kind(mean, width)
    results = arrays_of(belief)
    for before, after in ((w, w_new), (w, w), (mean, w_new), (w, mean), (mean, mean)):
        results += arrays_of(belief.flow(before, after))
        results += arrays_of(belief.flow(before, after, branch=-1, non_expansive=True, min_std=1.0))
        results += [belief.transport(points, before, after), *belief.affine_map(before, after)]
    assert not any(np.shares_memory(array, result) for array in given for result in results)
    for array, was in zip(given, copies, strict=True):
        assert array.flags.writeable and np.array_equal(array, was)


@each_kind
def test_a_prior_takes_its_size_from_the_model(kind):
    network = MLP(2, 3, 1)
    prior = kind.for_model(network, 0.2)
    assert type(prior) is kind and prior.dim == network.size()
    np.testing.assert_allclose(prior.covariance, 0.04 * np.eye(network.size()))
    assert not prior.mean.any()
    assert kind.for_model(Logistic(), 0.2, 5).dim == 5
    with pytest.raises(ValueError, match="features must be a whole number"):
        kind.for_model(Logistic(), 0.2)
    with pytest.raises(ValueError, match="std must be positive"):
        kind.for_model(network, 0.0)
