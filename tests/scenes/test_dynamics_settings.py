"""What the settings of the dynamics scene do, and the random numbers that it draws."""

from dataclasses import replace

import numpy as np
import pytest

from bflo_viz.scenes.surfaces import REACH, SURFACES
from bflo_viz.scenes.three_ways import FLOWS, NOTICE, covariance_of, dynamics

NAMES = list(SURFACES)


@pytest.mark.parametrize("flow", FLOWS)
def test_a_flow_is_of_the_type_that_was_asked_for(flow):
    """And begins with the same prior; what does not depend on it stays as it was."""
    scene, full = (dynamics(np.random.RandomState(1), "ravine", rounds=30, flow=kind) for kind in (flow, "full"))
    assert type(scene.beliefs[-1]).__name__.lower() == f"{flow}belief"
    np.testing.assert_allclose(covariance_of(scene.beliefs[0]), 1.44 * np.eye(2))
    np.testing.assert_array_equal(scene.points, full.points)
    np.testing.assert_array_equal(scene.ensembles, full.ensembles)
    assert f"that a {flow} flow carries" in scene.words()


@pytest.mark.parametrize("name", NAMES)
def test_a_drawn_truth_comes_from_the_prior(name):
    """As wide as the prior, over many seeds; no other random number changes; Bayes' rule is then fair."""
    scenes = [dynamics(np.random.RandomState(seed), name, rounds=40, truth="drawn") for seed in range(200)]
    drawn = np.array([scene.surface.optima[0] for scene in scenes])
    np.testing.assert_allclose(np.sqrt(np.square(drawn).mean(axis=0)), 1.2, rtol=0.15)
    given = dynamics(np.random.RandomState(0), name, rounds=40)
    np.testing.assert_array_equal(given.points[0], scenes[0].points[0])
    np.testing.assert_array_equal(given.clouds[0], scenes[0].clouds[0])
    np.testing.assert_allclose(given.sampled[0], scenes[0].sampled[0])
    assert NOTICE["drawn"] in scenes[0].notice and NOTICE["drawn"] not in given.notice
    if name == "double well":
        assert (drawn[:, 0] >= 0).all()
        np.testing.assert_array_equal(scenes[0].surface.optima[1], drawn[0] * [-1, 1])
        return
    squared = np.square([scene.facts["bayes_far"][40] for scene in scenes])  # chi-squared with two degrees of freedom
    np.testing.assert_allclose(squared.mean(), 2, atol=0.5)


def test_more_rounds_begin_with_the_same_ones():
    """So a page can go on as long as one plays."""
    short, long = (dynamics(np.random.RandomState(5), "double well", rounds=rounds) for rounds in (40, 90))
    for name in ("examples", "points", "clouds", "ensembles", "sampled", "moved"):
        np.testing.assert_array_equal(getattr(short, name), getattr(long, name)[: len(getattr(short, name))])


def test_random_numbers_are_drawn_in_the_order_that_is_told():
    """By hand, from the same generator: a page has to draw them so, too."""
    scene = dynamics(np.random.RandomState(8), "convex", rounds=3, std=0.9, truth="drawn", ensemble=5)
    rng = np.random.RandomState(8)
    own = np.random.RandomState(int(2**32 * rng.random_sample()))
    np.testing.assert_allclose(scene.surface.optima[0], 0.9 * rng.standard_normal(2))
    np.testing.assert_allclose(scene.points[0], 0.9 * rng.standard_normal(2))
    cloud = rng.standard_normal((5, 2))
    off = cloud - cloud.mean(axis=0)
    white = np.linalg.inv(np.linalg.cholesky(np.cov(off.T, bias=True)))
    np.testing.assert_allclose(scene.ensembles[0], 0.9 * off @ white.T, rtol=1e-9)
    np.testing.assert_allclose(scene.examples, scene.surface.stream(rng.standard_normal((3, 3))))
    np.testing.assert_allclose(scene.sampled[0], 0.9 * own.standard_normal(2))
    np.testing.assert_allclose(scene.sampled[1], scene.beliefs[1].weight(own.standard_normal(2)))


def test_what_diverges_stays_a_number():
    """A step too long ends at the edge, and the scene says so; nothing is NaN."""
    scene = dynamics(np.random.RandomState(0), "double well", rounds=400, eta=0.5, std=2.5)
    assert np.abs(scene.ensembles).max() == REACH
    assert all(np.isfinite(values).all() for values in (scene.points, scene.clouds, *scene.facts.values()))
    assert scene.notice == NOTICE["runaway"] and scene.at(0).notice == NOTICE["double well"]


@pytest.mark.parametrize("name", NAMES)
def test_the_window_holds_the_prior_and_the_optima(name):
    """It is that of the surface where that is enough, and of its shape where it is not."""
    surface = SURFACES[name]
    np.testing.assert_allclose(surface.window(1.2), (surface.low, surface.high))
    far = replace(surface, optima=surface.optima + np.array([0.0, 5.0]))
    low, high = far.window(2.5)
    assert (low <= -5).all() and (high >= 5).all()
    assert (low < far.optima).all() and (far.optima < high).all()
    scale = (high - low) / np.subtract(surface.high, surface.low)
    assert scale[0] == pytest.approx(scale[1])


def test_the_double_wells_posterior_after_very_many_rounds():
    """Where it is a needle on each side, it is still integrated: against the curvature of its logarithm there."""
    surface = SURFACES["double well"]
    examples = np.tile(surface.target, (20_000, 1))
    bayes = surface.filter(examples, 1.2)
    np.testing.assert_allclose(bayes.hill_mean[-1], [2, 0.8], atol=1e-3)
    np.testing.assert_allclose(bayes.hill_std[-1], 0.7 / np.sqrt(20_000), rtol=1e-3)  # there w₁²/4 rises with slope 1
    assert bayes.apart(20_000)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"flow": "round"}, "flow must be 'full' or 'diagonal' or 'spherical'"),
        ({"truth": "known"}, "truth must be 'given' or 'drawn'"),
        ({"std": 0.0}, "std must be"),
        ({"std": -1.0}, "std must be"),
        ({"eta": -0.1}, "eta must be"),
        ({"ensemble": 0}, "ensemble must be"),
        ({"ensemble": 2}, "ensemble must be at least 3"),
    ],
)
def test_a_bad_setting_gets_a_sentence(setting, words):
    with pytest.raises(ValueError, match=words):
        dynamics(np.random.RandomState(0), rounds=5, **setting)
