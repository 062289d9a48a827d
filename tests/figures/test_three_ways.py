"""Three learners and an ensemble on three surfaces: they do what descent, Bayes' rule and the flow say."""

import numpy as np
import pytest
from looks import covariance, line
from matplotlib.colors import same_color
from matplotlib.patches import Ellipse

from bflo_viz import FullBelief
from bflo_viz.figures import draw_dynamics, palette
from bflo_viz.figures.surfaces import REACH, SURFACES
from bflo_viz.figures.three_ways import FLOWS, dynamics

NAMES = list(SURFACES)
ROUNDS, ENSEMBLE = 150, 60
PRIOR = FullBelief([0.0, 0.0], 1.44 * np.eye(2))
SOME = (0, 1, 4, 37, ROUNDS)
PLACES = [np.array(w) for w in ([0.3, -1.2], [-2.4, 1.9], [3.1, 0.2])]


def example_loss(name, w, example):
    """The loss of one example, as the class says it in words."""
    if name == "double well":
        return 0.5 * (w[0] ** 2 / 4 - example[0]) ** 2 + 0.5 * (w[1] - example[1]) ** 2
    return 0.5 * (w[0] * example[0] + w[1] * example[1] - example[2]) ** 2


@pytest.fixture(scope="module")
def runs():
    return {name: dynamics(np.random.RandomState(0), name, rounds=ROUNDS) for name in NAMES}


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
def test_points_members_and_sampled_weights_step_down_the_slope(name, runs):
    """By central differences of the loss of the example; the ensemble begins as that of the flow does."""
    run = runs[name]
    np.testing.assert_allclose(run.ensembles[0], run.clouds[0], atol=1e-12)
    paths = [run.points, run.ensembles[:, 0], run.ensembles[:, ENSEMBLE - 1]]
    for before, after in [*((path[:-1], path[1:]) for path in paths), (run.sampled, run.moved)]:
        for example, w, w_new in zip(run.examples, before, after, strict=True):
            steps = 1e-5 * np.eye(2)
            slope = [(example_loss(name, w + h, example) - example_loss(name, w - h, example)) / 2e-5 for h in steps]
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


@pytest.mark.parametrize("n", SOME)
def test_the_double_wells_posterior_is_bayes_rule(n, runs):
    """Against prior times likelihoods on a grid of both weights: moments, sides, and the density."""
    run = runs["double well"]
    axis = np.linspace(-8, 8, 641)
    w1, w2 = np.meshgrid(axis, axis, indexing="ij")
    log = -0.5 * (w1**2 + w2**2) / PRIOR.std[0] ** 2
    for y1, y2 in run.examples[:n]:
        log -= 0.5 * ((w1**2 / 4 - y1) ** 2 + (w2 - y2) ** 2) / run.surface.noise**2
    p = np.exp(log - log.max())
    p /= p.sum()
    first, second = p.sum(axis=1), p.sum(axis=0)
    mean2 = second @ axis
    np.testing.assert_allclose(run.bayes.mean[n], [0, mean2], atol=1e-9)
    wanted = np.diag([first @ axis**2, second @ (axis - mean2) ** 2])
    np.testing.assert_allclose(run.bayes.covariance[n], wanted, rtol=1e-6, atol=1e-9)
    side = first @ np.abs(axis)
    np.testing.assert_allclose(run.bayes.hill_mean[n], [side, mean2], atol=1e-4)
    np.testing.assert_allclose(run.bayes.hill_std[n, 0] ** 2, first @ axis**2 - side**2, rtol=1e-3)


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
        nearest = min(run.surface.optima, key=lambda w: np.hypot(*(w - belief.mean)))
        assert facts["flow_away"] == pytest.approx(np.hypot(*(nearest - belief.mean)))
        assert facts["sgd_away"] == pytest.approx(min(np.hypot(*(run.points[n] - w)) for w in run.surface.optima))
        far = [np.linalg.norm(np.linalg.solve(belief.factor, w - belief.mean)) for w in run.surface.optima]
        assert facts["flow_far"] == pytest.approx(min(far))
        middle = run.bayes.hill_mean[n] if name == "double well" else run.bayes.mean[n]
        assert facts["bayes_away"] == pytest.approx(np.hypot(*(middle - run.surface.optima[0])))
        offset = run.surface.optima[0] - run.bayes.mean[n]
        far = np.sqrt(offset @ np.linalg.solve(run.bayes.covariance[n], offset))
        assert facts["bayes_far"] == pytest.approx(far, rel=1e-6)


def test_a_drawn_truth_comes_from_the_prior():
    """No other random number changes; the distance from the posterior is then that of a draw from it."""
    runs = [dynamics(np.random.RandomState(seed), rounds=40, truth="drawn") for seed in range(200)]
    np.testing.assert_array_equal(dynamics(np.random.RandomState(0), rounds=40).clouds[0], runs[0].clouds[0])
    squared = np.square([run.facts["bayes_far"][40] for run in runs])  # chi-squared with two degrees of freedom
    np.testing.assert_allclose(squared.mean(), 2, atol=0.5)
    well = dynamics(np.random.RandomState(0), "double well", rounds=1, optimum=(-1.0, 0.3)).surface
    np.testing.assert_array_equal(well.optima, [[1, 0.3], [-1, 0.3]])


def test_what_diverges_stays_a_number():
    """A step too long ends at the edge; nothing is NaN."""
    found = dynamics(np.random.RandomState(0), "double well", rounds=400, eta=0.5, std=2.5)
    assert np.abs(found.ensembles).max() == REACH
    assert all(np.isfinite(values).all() for values in (found.points, found.clouds, *found.facts.values()))


def test_the_double_wells_posterior_after_very_many_rounds():
    """Where it is a needle on each side, it is still integrated: against the curvature of its logarithm there."""
    surface = SURFACES["double well"]
    examples = np.tile(surface.target, (20_000, 1))
    bayes = surface.filter(examples, 1.2)
    np.testing.assert_allclose(bayes.hill_mean[-1], [2, 0.8], atol=1e-3)
    np.testing.assert_allclose(bayes.hill_std[-1], 0.7 / np.sqrt(20_000), rtol=1e-3)  # there w₁²/4 rises with slope 1


@pytest.mark.parametrize("name", NAMES)
def test_each_learner_is_drawn_as_it_ended(name, runs):
    """The prior grey and empty, the last belief filled, one on the way dashed: never colour alone; and all paths."""
    run = runs[name]
    point, posterior, belief = draw_dynamics(run).axes
    for ax, path in ((point, run.points), (posterior, run.bayes.mean), (belief, run.moments[0])):
        np.testing.assert_array_equal(line(ax, "path").get_xydata(), path)
        np.testing.assert_array_equal(line(ax, "optimum").get_xydata(), run.surface.optima)
    np.testing.assert_array_equal(line(belief, "ensemble").get_xydata(), run.clouds[-1])
    drawn = [patch for patch in belief.patches if isinstance(patch, Ellipse)]
    for patch, n in zip(drawn, (0, ROUNDS), strict=True):
        np.testing.assert_allclose(patch.center, run.beliefs[n].mean)
        np.testing.assert_allclose(covariance(patch), run.beliefs[n].covariance, atol=1e-12)
        assert patch.get_label() == (f"round {n}" if n else "prior") and (patch.get_facecolor()[3] > 0) == (n > 0)
        assert same_color(patch.get_edgecolor(), palette.POSTERIOR if n else palette.PRIOR)
    filtered = {patch.get_label(): patch for patch in posterior.patches}
    if name == "double well":  # a hill on each side
        right, left = sorted(posterior.patches[-2:], key=lambda patch: -patch.center[0])
        np.testing.assert_allclose([right.center, np.multiply(left.center, [-1, 1])], [run.bayes.hill_mean[-1]] * 2)
        np.testing.assert_allclose(covariance(right), np.diag(run.bayes.hill_std[-1] ** 2), atol=1e-12)
    else:
        assert filtered["round 2"].get_ls() == "--" and filtered["round 2"].get_facecolor()[3] == 0
        np.testing.assert_allclose(covariance(filtered["round 2"]), run.bayes.covariance[2], atol=1e-12)
        np.testing.assert_allclose(covariance(filtered["round 150"]), run.bayes.covariance[-1], atol=1e-12)
