"""Three learners and an ensemble on two surfaces: they do what descent, Bayes' rule and the flow say."""

import numpy as np
import pytest
from looks import covariance, line
from matplotlib.colors import same_color
from matplotlib.patches import Ellipse

from bflo_viz import FullBelief
from bflo_viz.figures import draw_dynamics, palette
from bflo_viz.figures.three_ways import FLOWS, REACH, SURFACES, dynamics

NAMES = list(SURFACES)
ROUNDS, ENSEMBLE = 150, 60
PRIOR = FullBelief([0.0, 0.0], 1.44 * np.eye(2))
SOME = (0, 1, 4, 37, ROUNDS)
PLACES = [np.array(w) for w in ([0.3, -1.2], [-2.4, 1.9], [3.1, 0.2])]


def example_loss(w, example):
    """The loss of one example, as the method says it in words."""
    return 0.5 * (w[0] * example[0] + w[1] * example[1] - example[2]) ** 2


@pytest.fixture(scope="module")
def runs():
    return {name: dynamics(np.random.RandomState(0), name, rounds=ROUNDS) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_half_the_squared_distance_is_the_expected_loss(name):
    """Against an average over many examples, above the same at the optimum."""
    surface = SURFACES[name]
    examples = surface.stream(np.random.default_rng(5).standard_normal((200_000, 3))).T
    for w in PLACES:
        above = np.mean(example_loss(w, examples) - example_loss(surface.optimum, examples))
        np.testing.assert_allclose(surface.distance(w) ** 2 / 2, above, rtol=0.02)


@pytest.mark.parametrize("name", NAMES)
def test_points_members_and_sampled_weights_step_down_the_slope(name, runs):
    """By central differences of the loss of the example; the ensemble begins as that of the flow does."""
    run = runs[name]
    np.testing.assert_allclose(run.ensembles[0], run.clouds[0], atol=1e-12)
    paths = [run.points, run.ensembles[:, 0], run.ensembles[:, ENSEMBLE - 1]]
    for before, after in [*((path[:-1], path[1:]) for path in paths), (run.sampled, run.moved)]:
        for example, w, w_new in zip(run.examples, before, after, strict=True):
            steps = 1e-5 * np.eye(2)
            slope = [(example_loss(w + h, example) - example_loss(w - h, example)) / 2e-5 for h in steps]
            np.testing.assert_allclose(w_new, w - run.surface.eta * np.array(slope), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", SOME)
def test_the_posteriors_are_bayes_rule(name, n, runs):
    """Against least squares with the prior as two more rows."""
    run = runs[name]
    rows = np.vstack([run.examples[:n, :2] / run.surface.noise, np.eye(2) / PRIOR.std])
    targets = np.append(run.examples[:n, 2] / run.surface.noise, [0, 0])
    np.testing.assert_allclose(run.bayes.mean[n], np.linalg.lstsq(rows, targets)[0], rtol=1e-9)
    np.testing.assert_allclose(run.bayes.covariance[n], np.linalg.inv(rows.T @ rows), rtol=1e-9)


@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize("name", NAMES)
def test_the_carried_ensemble_is_the_belief(name, flow):
    """After every round the members' mean and covariance are those of the belief; each went where the flow led."""
    run = dynamics(np.random.RandomState(4), name, rounds=60, flow=flow)
    assert run.clouds.shape == (61, ENSEMBLE, 2)
    assert type(run.beliefs[-1]).__name__.lower() == f"{flow}belief"
    for cloud, belief in zip(run.clouds, run.beliefs, strict=True):
        np.testing.assert_allclose(cloud.mean(axis=0), belief.mean, atol=1e-8)
        np.testing.assert_allclose(np.cov(cloud.T, bias=True), belief.covariance, atol=1e-8)
    for n in range(60):
        carried = run.beliefs[n].transport(run.clouds[n], run.sampled[n], run.moved[n])
        np.testing.assert_allclose(run.clouds[n + 1], carried, atol=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_the_facts_are_true(name, runs):
    """Distances, also in standard deviations: by other means."""
    run = runs[name]
    for n in SOME:
        facts = {key: values[n] for key, values in run.facts.items()}
        belief = run.beliefs[n]
        optimum = run.surface.optimum
        assert facts["flow_away"] == pytest.approx(np.hypot(*(optimum - belief.mean)))
        assert facts["sgd_away"] == pytest.approx(np.hypot(*(optimum - run.points[n])))
        assert facts["bayes_away"] == pytest.approx(np.hypot(*(optimum - run.bayes.mean[n])))
        far = np.linalg.norm(np.linalg.solve(belief.factor, optimum - belief.mean))
        assert facts["flow_far"] == pytest.approx(far)
        offset = optimum - run.bayes.mean[n]
        far = np.sqrt(offset @ np.linalg.solve(run.bayes.covariance[n], offset))
        assert facts["bayes_far"] == pytest.approx(far, rel=1e-6)


def test_a_drawn_truth_comes_from_the_prior():
    """No other random number changes; the distance from the posterior is then that of a draw from it."""
    runs = [dynamics(np.random.RandomState(seed), rounds=40, truth="drawn") for seed in range(200)]
    np.testing.assert_array_equal(dynamics(np.random.RandomState(0), rounds=40).clouds[0], runs[0].clouds[0])
    squared = np.square([run.facts["bayes_far"][40] for run in runs])  # chi-squared with two degrees of freedom
    np.testing.assert_allclose(squared.mean(), 2, atol=0.5)
    moved = dynamics(np.random.RandomState(0), rounds=1, truth="drawn", optimum=(-1.0, 0.3))
    np.testing.assert_array_equal(moved.surface.optimum, [-1, 0.3])


def test_what_diverges_stays_a_number():
    """A step too long ends at the edge; nothing is NaN."""
    found = dynamics(np.random.RandomState(0), "ravine", rounds=400, eta=2.5)
    assert np.abs(found.ensembles).max() == REACH
    assert all(np.isfinite(values).all() for values in (found.points, found.clouds, *found.facts.values()))


@pytest.mark.parametrize("name", NAMES)
def test_each_learner_is_drawn_as_it_ended(name, runs):
    """The prior grey and empty, the last belief filled, one on the way dashed: never colour alone; and all paths."""
    run = runs[name]
    point, posterior, belief = draw_dynamics(run).axes
    for ax, path in ((point, run.points), (posterior, run.bayes.mean), (belief, run.moments[0])):
        np.testing.assert_array_equal(line(ax, "path").get_xydata(), path)
        np.testing.assert_array_equal(line(ax, "optimum").get_xydata(), [run.surface.optimum])
    np.testing.assert_array_equal(line(belief, "ensemble").get_xydata(), run.clouds[-1])
    drawn = [patch for patch in belief.patches if isinstance(patch, Ellipse)]
    for patch, n in zip(drawn, (0, ROUNDS), strict=True):
        np.testing.assert_allclose(patch.center, run.beliefs[n].mean)
        np.testing.assert_allclose(covariance(patch), run.beliefs[n].covariance, atol=1e-12)
        assert patch.get_label() == (f"round {n}" if n else "prior") and (patch.get_facecolor()[3] > 0) == (n > 0)
        assert same_color(patch.get_edgecolor(), palette.POSTERIOR if n else palette.PRIOR)
    filtered = {patch.get_label(): patch for patch in posterior.patches}
    assert filtered["round 2"].get_ls() == "--" and filtered["round 2"].get_facecolor()[3] == 0
    np.testing.assert_allclose(covariance(filtered["round 2"]), run.bayes.covariance[2], atol=1e-12)
    np.testing.assert_allclose(covariance(filtered["round 150"]), run.bayes.covariance[-1], atol=1e-12)
