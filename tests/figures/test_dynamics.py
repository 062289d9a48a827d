"""Three learners on one landscape: what is drawn is what Bayes, descent and the flow say."""

import re

import numpy as np
import pytest
from looks import inside, overlapping_words
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse

from bflo_viz.figures import palette
from bflo_viz.figures.dynamics import draw_dynamics
from bflo_viz.figures.scenes.dynamics import dynamics
from bflo_viz.figures.style import alt_text

ETA, NOISE = 0.06, 0.7


@pytest.fixture(scope="module")
def scene():
    return dynamics(np.random.default_rng(0), eta=ETA, noise=NOISE)


def line(ax, label):
    (found,) = [line for line in ax.get_lines() if line.get_label() == label]
    return np.column_stack(found.get_data())


def ellipse(ax, round_):
    (found,) = [
        patch for patch in ax.patches if isinstance(patch, Ellipse) and patch.get_label() == f"round {round_}"
    ]
    return found


def test_the_path_is_that_of_gradient_descent(scene):
    """Against the closed form of many steps: w after them is a product of matrices, summed once by hand."""
    drawn = line(draw_dynamics(scene).get_axes()[0], "path")
    w = np.zeros(2)
    for i, (x, y) in enumerate(zip(scene.X, scene.y, strict=True), start=1):
        w = (np.eye(2) - ETA * np.outer(x, x)) @ w + ETA * y * x
        np.testing.assert_allclose(drawn[i], w, atol=1e-12)
    np.testing.assert_array_equal(drawn[0], [0, 0])
    assert len(drawn) == scene.rounds + 1


def test_filtering_is_bayes_rule_on_all_examples_at_once(scene):
    """After each of some rounds the posterior is ridge regression on the examples so far."""
    for n in (1, 2, 8, 77, scene.rounds):
        X, y = scene.X[:n], scene.y[:n]
        covariance = np.linalg.inv(np.eye(2) + X.T @ X / NOISE**2)
        np.testing.assert_allclose(scene.posteriors[n].covariance, covariance, rtol=1e-9)
        np.testing.assert_allclose(scene.posteriors[n].mean, covariance @ X.T @ y / NOISE**2, rtol=1e-9)


@pytest.mark.parametrize("panel", [1, 2])
def test_ellipses_are_two_standard_deviations(scene, panel):
    """Every point of a drawn ellipse is two standard deviations from the mean, by the covariance."""
    ax = draw_dynamics(scene).get_axes()[panel]
    beliefs = (scene.posteriors, scene.beliefs)[panel - 1]
    shown = (scene.posteriors_at, scene.clouds_at)[panel - 1]
    for round_ in shown:
        patch = ellipse(ax, round_)
        border = patch.get_patch_transform().transform([(np.cos(t), np.sin(t)) for t in np.linspace(0, 6, 13)])
        away = border - beliefs[round_].mean
        squared = np.einsum("ni,ij,nj->n", away, np.linalg.inv(beliefs[round_].covariance), away)
        np.testing.assert_allclose(np.sqrt(squared), 2, rtol=1e-6)
    assert len([patch for patch in ax.patches if isinstance(patch, Ellipse)]) == len(shown)


def test_prior_is_an_outline_and_the_last_belief_is_filled(scene):
    """The prior grey and empty, the posterior filled, those between dashed: never colour alone."""
    ax = draw_dynamics(scene).get_axes()[2]
    first, middle, last = (ellipse(ax, round_) for round_ in scene.clouds_at)
    assert not first.get_fill() or first.get_facecolor()[3] == 0
    assert last.get_facecolor()[3] > 0.1
    assert middle.get_linestyle() == "--"
    assert to_hex(first.get_edgecolor()) == palette.PRIOR
    assert to_hex(last.get_edgecolor()) == to_hex(middle.get_edgecolor()) == palette.POSTERIOR


def test_the_belief_moves_by_its_sampled_weight(scene):
    """Each sampled weight takes the gradient step, and is where the flow takes it: in every round."""
    error = np.einsum("ni,ni->n", scene.sampled, scene.X) - scene.y
    np.testing.assert_allclose(scene.moved, scene.sampled - ETA * error[:, None] * scene.X, atol=1e-12)
    for i in range(0, scene.rounds, 29):
        expected = scene.beliefs[i].flow(scene.sampled[i], scene.moved[i])
        np.testing.assert_allclose(scene.beliefs[i + 1].covariance, expected.covariance, rtol=1e-12)


def test_the_ensemble_is_carried_along(scene):
    """Round by round by the affine map A w + b, and at all times with the mean and covariance of the belief."""
    cloud = scene.clouds[0]
    for i in range(scene.rounds):
        A, b = scene.beliefs[i].affine_map(scene.sampled[i], scene.moved[i])
        cloud = cloud @ A.T + b
    drawn = line(draw_dynamics(scene).get_axes()[2], f"ensemble {scene.rounds}")
    np.testing.assert_allclose(drawn, cloud, atol=1e-8)
    for round_ in scene.clouds_at:
        np.testing.assert_allclose(scene.clouds[round_].mean(axis=0), scene.beliefs[round_].mean, atol=1e-8)
        spread = np.cov(scene.clouds[round_].T, bias=True)
        np.testing.assert_allclose(spread, scene.beliefs[round_].covariance, atol=1e-8)


def test_the_landscape_is_the_expected_error(scene):
    """Against an average over many fresh examples; and it is lowest at the optimum that is marked."""
    rng = np.random.default_rng(5)
    X = rng.multivariate_normal([0, 0], scene.moments, size=200_000)
    y = X @ scene.optimum + NOISE * rng.normal(size=len(X))
    for w in ([0.0, 0.0], [2.0, 1.0], scene.optimum):
        np.testing.assert_allclose(scene.error(w), 0.5 * np.mean((X @ w - y) ** 2), rtol=0.02)
    for ax in draw_dynamics(scene).get_axes():
        np.testing.assert_array_equal(line(ax, "optimum"), [scene.optimum])


def test_titles_and_alt_text_say_what_is_seen(scene):
    """Titles name what moves and what shrinks; the alt text has the distances from the optimum."""
    figure = draw_dynamics(scene)
    titles = [ax.get_title(loc="left") for ax in figure.get_axes()]
    assert "a point moves" in titles[0] and "a posterior shrinks" in titles[1]
    assert "an ensemble moves and shrinks" in titles[2]
    words = alt_text(figure)
    for w in (scene.points[-1], scene.posteriors[-1].mean, scene.beliefs[-1].mean):
        assert f"ends {np.linalg.norm(w - scene.optimum):.2f} from" in words
    widths = [np.linalg.det(beliefs[-1].covariance) ** 0.25 for beliefs in (scene.posteriors, scene.beliefs)]
    assert re.findall(r"goes from 1 to ([\d.]+)", words) == [f"{width:.2f}" for width in widths]


def test_the_scene_can_be_wound_back(scene):
    """At an earlier round the path is shorter, and only the present is named."""
    ax = draw_dynamics(scene.at(40)).get_axes()[0]
    np.testing.assert_array_equal(line(ax, "path"), scene.points[:41])
    figure = draw_dynamics(scene.at(40))
    assert {text.get_text() for text in figure.get_axes()[2].texts} == {"round 40"}
    with pytest.raises(ValueError, match=r"a round from 0 to 300, but it was 301\.$"):
        scene.at(301)


@pytest.mark.slow
@pytest.mark.parametrize("style", ["paper", "slides"])
@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_cut_off_and_no_words_meet(style, seed):
    """In both styles, whatever the stream."""
    figure = draw_dynamics(dynamics(np.random.default_rng(seed)), style=style)
    assert inside(figure)
    assert not overlapping_words(figure)


def test_it_draws_on_given_axes(scene):
    """On three axes of someone else's figure, which it returns."""
    figure = Figure(figsize=(12, 4))
    assert draw_dynamics(scene, axes=[figure.add_subplot(1, 3, i + 1) for i in range(3)]) is figure


def test_the_same_seed_gives_the_same_scene():
    """All random numbers come from the generator."""
    one, two = (dynamics(np.random.default_rng(3), rounds=20) for _ in range(2))
    np.testing.assert_array_equal(one.clouds, two.clouds)
    np.testing.assert_array_equal(one.points, two.points)
