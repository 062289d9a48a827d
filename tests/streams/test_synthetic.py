"""Streams by name: the synthetic ones by their statistics, and those that come with scikit-learn."""

import numpy as np
import pytest
from scipy.stats import kstest

from bflo_viz.streams import load_stream
from bflo_viz.streams.stream import fingerprint


@pytest.mark.parametrize("name", ["two-gaussians", "demo-2d", "drifting", "sparse-logistic"])
def test_a_synthetic_stream_is_the_same_from_the_same_generator(name):
    """Without one, it is that of seed 0."""
    zero, other = (load_stream(name, rng=np.random.default_rng(seed), rows=500) for seed in (0, 1))
    first, second, third = (fingerprint(made.X, made.y) for made in (zero, load_stream(name, rows=500), other))
    assert len(zero) == 500 and first == second != third


def test_two_gaussians_are_so_far_apart():
    """Along the diagonal the classes are N(±distance/2, 1); across it both are N(0, 1)."""
    made = load_stream("two-gaussians", rows=20_000, features=4, distance=3.0)
    assert kstest(made.X @ (np.ones(4) / 2) - 3.0 * (made.y - 0.5), "norm").pvalue > 0.01
    assert kstest(made.X @ (np.array([1, -1, 1, -1]) / 2), "norm").pvalue > 0.01
    assert abs(made.y.mean() - 0.5) < 0.02


def test_demo_2d_is_the_demonstration_of_the_paper():
    """N(0, I), w* = (1, 1), 40 % of the labels flipped; the truth is kept."""
    made = load_stream("demo-2d", rows=20_000)
    assert np.array_equal(made.truth, made.X @ [1, 1] > 0)
    assert abs((made.y != made.truth).mean() - 0.4) < 0.015
    assert kstest(made.X.ravel(), "norm").pvalue > 0.01


def test_a_rotating_weight_turns_evenly():
    """By the same angle from each round to the next, in a plane that is drawn after the inputs."""
    made, draws = load_stream("drifting", rows=400, features=5, changes=2), np.random.default_rng(0)
    assert np.array_equal(made.X, draws.normal(size=(400, 5)))
    cos, sin = np.cos(np.pi / 100), np.sin(np.pi / 100)
    axes = np.linalg.qr(draws.normal(size=(5, 2)))[0].T  # the first is the true weight
    for x, label in made:
        assert label == (x @ axes[0] > 0)
        axes = np.array([[cos, sin], [-sin, cos]]) @ axes


def test_a_jumping_weight_jumps():
    """Two weights are drawn after the inputs, and each has half of the stream."""
    made, draws = load_stream("drifting", rows=400, drift="jumping"), np.random.default_rng(0)
    assert np.array_equal(made.X, draws.normal(size=(400, 2)))
    scores = made.X @ draws.normal(size=(2, 2)).T
    assert np.array_equal(made.y, np.append(scores[:200, 0], scores[200:, 1]) > 0)


def test_sparse_logistic_rows_are_sparse_and_follow_the_logistic_model():
    """Equally many ones per row, in order; labels are 1 as often as the model says."""
    made = load_stream("sparse-logistic", rows=20_000, features=103, nonzero=7)
    assert (np.diff(made.X.indptr) == 7).all() and made.X.has_canonical_format and set(made.X.data) == {1}
    weight = np.random.default_rng(0).normal(size=103)  # the first draw
    probability = 1 / (1 + np.exp(-(made.X @ weight)))
    for low in np.linspace(0, 0.9, 10):
        inside = (probability >= low) & (probability < low + 0.1)
        assert abs(made.y[inside].mean() - probability[inside].mean()) < 2 / np.sqrt(inside.sum())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: load_stream("covtyp"), "did you mean 'covtype'"),
        (lambda: load_stream("digits", rows=5), "digits is read as it is, so it has no option 'rows'"),
        (lambda: load_stream("demo-2d", flip=1.2), "flip must be from 0 to 1"),
    ],
)
def test_a_mistake_gets_a_sentence(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()
