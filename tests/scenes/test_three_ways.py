"""Three learners and an ensemble on three surfaces: they do what descent, Bayes' rule and the flow say."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from bflo_viz import FullBelief
from bflo_viz.scenes.surfaces import REACH, SURFACES
from bflo_viz.scenes.three_ways import FLOWS, dynamics

NAMES = list(SURFACES)
ROUNDS, ENSEMBLE = 150, 60
PRIOR = FullBelief([0.0, 0.0], 1.44 * np.eye(2))
SEEDS = 24
SOME = (0, 1, 4, 37, ROUNDS)
PLACES = [np.array(w) for w in ([0.3, -1.2], [-2.4, 1.9], [3.1, 0.2])]


def example_loss(name, w, example):
    """The loss of one example, as the class says it in words."""
    if name == "double well":
        return 0.5 * (w[0] ** 2 / 4 - example[0]) ** 2 + 0.5 * (w[1] - example[1]) ** 2
    return 0.5 * (w[0] * example[0] + w[1] * example[1] - example[2]) ** 2


def on_every_surface(seed):
    return {name: dynamics(np.random.RandomState(seed), name, rounds=ROUNDS) for name in NAMES}


@pytest.fixture(scope="module")
def runs():
    return on_every_surface(0)


@pytest.fixture(scope="module")
def many():
    return [on_every_surface(seed) for seed in range(SEEDS)]


# The surfaces


@pytest.mark.parametrize("name", NAMES)
def test_the_surface_is_the_expected_loss(name):
    """Against an average over many examples, above the same at an optimum; and only optima are as low as that."""
    surface = SURFACES[name]
    examples = surface.stream(np.random.default_rng(5).standard_normal((200_000, 3))).T
    for w in PLACES:
        above = np.mean(example_loss(name, w, examples) - example_loss(name, surface.optima[0], examples))
        np.testing.assert_allclose(surface.loss(w), above, rtol=0.02)
    np.testing.assert_allclose(surface.loss(surface.optima), 0, atol=1e-12)
    grid = np.stack(np.meshgrid(*np.linspace(surface.low, surface.high, 81).T), axis=-1)
    lowest = grid[surface.loss(grid) < 0.001]
    assert len(lowest) and surface.away(lowest).max() < 0.3


@pytest.mark.parametrize("name", NAMES)
def test_the_newest_example_is_drawn_where_it_fits(name, runs):
    """Its loss is 0 there, or no weight fits it."""
    for example in runs[name].examples[:20]:
        fitting = SURFACES[name].fitting(example)
        if name == "double well" and example[0] < 0:
            np.testing.assert_allclose(fitting[:, 0], 0)
            continue
        np.testing.assert_allclose([example_loss(name, w, example) for w in fitting], 0, atol=1e-18)


# The three learners


@pytest.mark.parametrize("name", NAMES)
def test_points_members_and_sampled_weights_step_down_the_slope(name, runs):
    """By central differences of the loss of the example; the ensemble begins as that of the flow does."""
    run = runs[name]
    np.testing.assert_allclose(run.ensembles[0], run.clouds[0], atol=1e-12)
    paths = [run.points, run.ensembles[:, 0], run.ensembles[:, ENSEMBLE - 1]]
    for before, after in [*((path[:-1], path[1:]) for path in paths), (run.sampled, run.moved)]:
        for example, w, w_new in zip(run.examples, before, after, strict=True):
            ends = [
                (example_loss(name, w + h, example), example_loss(name, w - h, example)) for h in 1e-5 * np.eye(2)
            ]
            slope = [(high - low) / 2e-5 for high, low in ends]
            np.testing.assert_allclose(w_new, w - run.surface.eta * np.array(slope), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", ["convex", "ravine"])
@pytest.mark.parametrize("n", SOME)
def test_gaussian_posteriors_are_bayes_rule(name, n, runs):
    """Against least squares with the prior as two more rows."""
    run = runs[name]
    rows = np.vstack([run.examples[:n, :2] / run.surface.noise, np.eye(2) / PRIOR.std])
    targets = np.append(run.examples[:n, 2] / run.surface.noise, [0, 0])
    np.testing.assert_allclose(run.bayes.mean[n], np.linalg.lstsq(rows, targets)[0], rtol=1e-9)
    np.testing.assert_allclose(run.bayes.covariance[n], np.linalg.inv(rows.T @ rows), rtol=1e-9)


def log_posterior(run, n, w1, w2):
    """Prior times the likelihood of each of the first n examples, up to a constant."""
    total = -0.5 * (w1**2 + w2**2) / PRIOR.std[0] ** 2
    for y1, y2 in run.examples[:n]:
        total = total - 0.5 * ((w1**2 / 4 - y1) ** 2 + (w2 - y2) ** 2) / run.surface.noise**2
    return total


@pytest.mark.parametrize("n", SOME)
def test_the_double_wells_posterior_is_bayes_rule(n, runs):
    """Against prior times likelihoods on a grid of both weights: moments, sides, and the density."""
    run = runs["double well"]
    axis = np.linspace(-8, 8, 641)
    w1, w2 = np.meshgrid(axis, axis, indexing="ij")
    log = log_posterior(run, n, w1, w2)
    p = np.exp(log - log.max())
    p /= p.sum()
    first, second = p.sum(axis=1), p.sum(axis=0)
    mean2 = second @ axis
    np.testing.assert_allclose(run.bayes.mean[n], [0, mean2], atol=1e-9)
    np.testing.assert_allclose(
        run.bayes.covariance[n], np.diag([first @ axis**2, second @ (axis - mean2) ** 2]), rtol=1e-6, atol=1e-9
    )
    side = first @ np.abs(axis)
    np.testing.assert_allclose(run.bayes.hill_mean[n], [side, mean2], atol=1e-4)
    np.testing.assert_allclose(run.bayes.hill_std[n, 0] ** 2, first @ axis**2 - side**2, rtol=1e-3)
    ours = run.surface.log_posterior(np.stack([w1, w2], axis=-1), run.examples[:n], PRIOR.std[0])
    np.testing.assert_allclose(ours - ours[320, 320], log - log[320, 320], rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize("name", NAMES)
def test_the_carried_ensemble_is_the_belief(name, flow):
    """After every round the members' mean and covariance are those of the belief; each went where the flow led."""
    run = dynamics(np.random.RandomState(4), name, rounds=60, flow=flow)
    assert run.clouds.shape == (61, ENSEMBLE, 2) and f"a {flow} belief flow" in run.words()
    assert type(run.beliefs[-1]).__name__.lower() == f"{flow}belief"
    for cloud, belief in zip(run.clouds, run.beliefs, strict=True):
        np.testing.assert_allclose(cloud.mean(axis=0), belief.mean, atol=1e-8)
        np.testing.assert_allclose(np.cov(cloud.T, bias=True), belief.covariance, atol=1e-8)
    for n in range(60):
        carried = run.beliefs[n].transport(run.clouds[n], run.sampled[n], run.moved[n])
        np.testing.assert_allclose(run.clouds[n + 1], carried, atol=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_the_facts_are_true(name, runs):
    """Distances, standard deviations, and how much lies on the right: by other means."""
    run = runs[name]
    for n in SOME:
        facts = {key: values[n] for key, values in run.facts.items()}
        belief = run.beliefs[n]
        nearest = min(run.surface.optima, key=lambda w: np.hypot(*(w - belief.mean)))
        assert facts["flow_away"] == pytest.approx(np.hypot(*(nearest - belief.mean)))
        assert facts["sgd_away"] == pytest.approx(min(np.hypot(*(run.points[n] - w)) for w in run.surface.optima))
        np.testing.assert_allclose(facts["flow_std"], np.sqrt(np.linalg.eigvalsh(belief.covariance)), rtol=1e-7)
        far = [np.linalg.norm(np.linalg.solve(belief.factor, w - belief.mean)) for w in run.surface.optima]
        assert facts["flow_far"] == pytest.approx(min(far))
        assert facts["flow_right"] == pytest.approx(norm.sf(0, belief.mean[0], np.sqrt(belief.covariance[0, 0])))
        for who, covariance in (("flow", belief.covariance), ("ensemble", np.cov(run.ensembles[n].T, bias=True))):
            variances = [axis @ covariance @ axis for axis in run.surface.axes]
            assert facts[f"{who}_wide"] == pytest.approx(np.sqrt(variances), abs=1e-9)
        assert facts["ensemble_right"] == sum(w[0] > 0 for w in run.ensembles[n])
        middle = run.bayes.hill_mean[n] if name == "double well" else run.bayes.mean[n]
        assert facts["bayes_away"] == pytest.approx(np.hypot(*(middle - run.surface.optima[0])))
        offset = run.surface.optima[0] - run.bayes.mean[n]
        far = np.sqrt(offset @ np.linalg.solve(run.bayes.covariance[n], offset))
        assert facts["bayes_far"] == pytest.approx(far, rel=1e-6)


# What the view tells the reader to notice, over many seeds


def fact(many, name, key, n):
    return np.array([runs[name].facts[key][n] for runs in many])


def test_in_the_bowl_bayes_is_there_first(many):
    """Within ten examples, for most seeds; the others have come near by the end."""
    bayes, sgd, flow = (fact(many, "convex", f"{who}_away", 20) for who in ("bayes", "sgd", "flow"))
    assert np.median(fact(many, "convex", "bayes_away", 10)) < 0.5
    assert np.mean((bayes < sgd) & (bayes < flow)) > 0.9
    assert np.median(fact(many, "convex", "sgd_away", ROUNDS)) < 0.3
    assert np.median(fact(many, "convex", "flow_away", ROUNDS)) < 1


def test_in_the_ravine_descent_creeps_and_the_flow_is_too_sure(many):
    """Descent is on the floor by round 20, and far from the optimum at the end; so is the flow, and narrow."""
    along = np.array([np.cos(np.radians(25)), np.sin(np.radians(25))])
    offsets = np.array([runs["ravine"].points[[0, 20]] for runs in many]) - SURFACES["ravine"].optima[0]
    ways = np.abs(offsets @ np.column_stack([along, [-along[1], along[0]]]))
    (start_along, start_across), (later_along, later_across) = np.median(ways, axis=0)
    assert later_across < 0.2 * start_across and later_along > 0.8 * start_along
    assert np.median(fact(many, "ravine", "sgd_away", ROUNDS)) > 1
    assert np.median(fact(many, "ravine", "bayes_away", ROUNDS)) < 0.4
    long = fact(many, "ravine", "bayes_std", ROUNDS)
    assert (long[:, 1] > 3 * long[:, 0]).all()
    assert np.mean(fact(many, "ravine", "flow_far", ROUNDS) > 3) > 0.9
    assert np.mean(fact(many, "ravine", "bayes_far", ROUNDS) > 3) < 0.1


def test_bayes_keeps_both_wells_and_the_others_do_not(many):
    """The posterior ends in two halves, descent in one well; the flow lay across both, and mostly chose."""
    posteriors = [runs["double well"].bayes for runs in many]
    assert all(bayes.hill_mean[ROUNDS, 0] > 10 * bayes.hill_std[ROUNDS, 0] for bayes in posteriors)
    assert fact(many, "double well", "bayes_away", ROUNDS).max() < 0.4
    assert fact(many, "double well", "sgd_away", ROUNDS).max() < 1
    aside = {n: np.abs(fact(many, "double well", "flow_right", n) - 0.5) for n in (20, ROUNDS)}
    assert (aside[20] < 0.45).all() and np.mean(aside[ROUNDS] > 0.45) > 0.65
    assert 0.2 < np.mean(fact(many, "double well", "flow_right", ROUNDS) > 0.5) < 0.8


def test_the_ensemble_does_what_the_view_says(many):
    """It shrinks onto one path; in the ravine long before along the floor; and in the double well it parts."""
    assert fact(many, "convex", "ensemble_wide", ROUNDS).max() < 0.1
    along, across = fact(many, "ravine", "ensemble_wide", ROUNDS).T
    assert along.min() > 0.3 and across.max() < 0.1
    assert (fact(many, "ravine", "flow_wide", ROUNDS)[:, 1] > across).all()
    right = fact(many, "double well", "ensemble_right", ROUNDS)
    assert right.min() > 15 and right.max() < 45
    assert fact(many, "double well", "ensemble_wide", ROUNDS)[:, 0].min() > 1.4


# Settings


@pytest.mark.parametrize("name", [NAMES[0], *(pytest.param(name, marks=pytest.mark.slow) for name in NAMES[1:])])
def test_a_drawn_truth_comes_from_the_prior(name):
    """As wide as the prior, over many seeds; no other random number changes; Bayes' rule is then fair."""
    scenes = [dynamics(np.random.RandomState(seed), name, rounds=40, truth="drawn") for seed in range(200)]
    drawn = np.array([scene.surface.optima[0] for scene in scenes])
    np.testing.assert_allclose(np.sqrt(np.square(drawn).mean(axis=0)), 1.2, rtol=0.15)
    given = dynamics(np.random.RandomState(0), name, rounds=40)
    np.testing.assert_array_equal(given.points[0], scenes[0].points[0])
    np.testing.assert_array_equal(given.clouds[0], scenes[0].clouds[0])
    np.testing.assert_allclose(given.sampled[0], scenes[0].sampled[0])
    if name == "double well":
        assert (drawn[:, 0] >= 0).all()
        np.testing.assert_array_equal(scenes[0].surface.optima[1], drawn[0] * [-1, 1])
        return
    squared = np.square([scene.facts["bayes_far"][40] for scene in scenes])  # chi-squared with two degrees of freedom
    np.testing.assert_allclose(squared.mean(), 2, atol=0.5)


def test_what_diverges_stays_a_number():
    """A step too long ends at the edge; nothing is NaN."""
    scene = dynamics(np.random.RandomState(0), "double well", rounds=400, eta=0.5, std=2.5)
    assert np.abs(scene.ensembles).max() == REACH
    assert all(np.isfinite(values).all() for values in (scene.points, scene.clouds, *scene.facts.values()))


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
