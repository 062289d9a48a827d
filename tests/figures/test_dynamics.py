"""Three learners and an ensemble on one surface: what is drawn is what the scene holds, of a run or of one round."""

import numpy as np
import pytest
from looks import inside, overlapping_words
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse

from bflo_viz.figures import alt_text, draw_dynamics, palette
from bflo_viz.scenes import SURFACES, dynamics
from bflo_viz.scenes.three_ways import covariance_of


@pytest.fixture(scope="module")
def scene():
    return dynamics(np.random.default_rng(0))


def lines(ax):
    return {line.get_label(): np.column_stack(line.get_data()) for line in ax.get_lines()}


def ellipse(ax, label):
    (patch,) = (patch for patch in ax.patches if isinstance(patch, Ellipse) and patch.get_label() == label)
    return patch


def moments(scene, panel):
    """Mean and covariance after each round: of Bayes' posterior, of the belief."""
    if panel == 1:
        return scene.bayes.mean, scene.bayes.covariance
    return np.array([b.mean for b in scene.beliefs]), np.array([covariance_of(b) for b in scene.beliefs])


@pytest.mark.parametrize("panel", [1, 2])
def test_ellipses_are_two_standard_deviations(scene, panel):
    """Every point of a drawn ellipse is two standard deviations from the mean, by the covariance."""
    ax = draw_dynamics(scene).axes[panel]
    rounds = {"prior": 0, **{f"round {r}": r for r in ((2, 8, 300), (100, 300))[panel - 1]}}
    for label, r in rounds.items():
        patch = ellipse(ax, label)
        border = patch.get_patch_transform().transform([(np.cos(t), np.sin(t)) for t in np.linspace(0, 6, 13)])
        mean, covariance = (values[r] for values in moments(scene, panel))
        squared = np.einsum("ni,ij,nj->n", border - mean, np.linalg.inv(covariance), border - mean)
        np.testing.assert_allclose(np.sqrt(squared), 2, rtol=1e-6)
    assert len([patch for patch in ax.patches if isinstance(patch, Ellipse)]) == len(rounds)


def test_prior_is_an_outline_and_the_last_belief_is_filled(scene):
    """The prior grey and empty, the posterior filled, those between dashed: never colour alone."""
    ax = draw_dynamics(scene).axes[2]
    first, middle, last = (ellipse(ax, label) for label in ("prior", "round 100", "round 300"))
    assert not first.get_fill() or first.get_facecolor()[3] == 0
    assert last.get_facecolor()[3] > 0.1
    assert middle.get_linestyle() == "--"
    assert to_hex(first.get_edgecolor()) == palette.PRIOR
    assert to_hex(last.get_edgecolor()) == to_hex(middle.get_edgecolor()) == palette.POSTERIOR


@pytest.mark.parametrize("style", ["paper", "slides"])
@pytest.mark.parametrize("name", SURFACES)
def test_a_round_is_drawn_with_its_example_and_its_step(name, style):
    """The path up to now, the members, the outline, the step; everything inside, no words on others."""
    scene = dynamics(np.random.default_rng(0), name, rounds=150).at(60)
    figure = draw_dynamics(scene, whole=False, style=style)
    point, posterior, belief, ensemble = map(lines, figure.axes)
    np.testing.assert_array_equal(point["path"], scene.points[:61])
    np.testing.assert_array_equal(point["now"], scene.points[[60]])
    np.testing.assert_array_equal(point["newest example"], scene.surface.fitting(scene.examples[59]))
    np.testing.assert_array_equal(posterior["path"], scene.bayes.mean[:61])
    np.testing.assert_array_equal(belief["ensemble"], scene.clouds[60])
    np.testing.assert_array_equal(belief["weight before"], scene.sampled[[59]])
    np.testing.assert_array_equal(belief["weight after"], scene.moved[[59]])
    np.testing.assert_array_equal(ensemble["ensemble"], scene.ensembles[60])
    for panel in (point, posterior, belief, ensemble):
        np.testing.assert_array_equal(panel["optimum"], scene.surface.optima)
    (patch,) = (patch for patch in figure.axes[1].patches if patch.get_label() == "round 60")
    border = patch.get_path().transformed(patch.get_patch_transform())
    two = name == "double well"
    assert border.contains_point(scene.bayes.hill_mean[60] if two else scene.bayes.mean[60])
    assert border.contains_point(scene.bayes.mean[60]) != two
    assert alt_text(figure) == scene.words()
    assert inside(figure) and not overlapping_words(figure)


def test_round_0_has_no_step_and_no_example(scene):
    """It is the prior, before anything was seen."""
    figure = draw_dynamics(scene.at(0), whole=False)
    labels = {line.get_label() for ax in figure.axes for line in ax.get_lines()}
    assert not labels & {"weight before", "newest example"}


def test_the_whole_run_names_its_rounds(scene):
    """And an earlier round shows nothing of what comes later."""
    named = [{text.get_text() for text in ax.texts} for ax in draw_dynamics(scene).axes]
    assert (
        named[0] == {"round 300"} and {"round 2", "round 300"} <= named[1] and named[2] == {"round 100", "round 300"}
    )
    assert {text.get_text() for text in draw_dynamics(scene.at(40)).axes[2].texts} == {"round 40"}


@pytest.mark.slow
@pytest.mark.parametrize("style", ["paper", "slides"])
@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_cut_off_and_no_words_meet(style, seed):
    """In both styles, whatever the stream."""
    figure = draw_dynamics(np.random.default_rng(seed), style=style)
    assert inside(figure)
    assert not overlapping_words(figure)


def test_it_draws_on_given_axes(scene):
    """On four axes of someone else's figure, which it returns."""
    figure = Figure(figsize=(12, 4))
    assert draw_dynamics(scene, axes=[figure.add_subplot(1, 4, i + 1) for i in range(4)]) is figure


@pytest.mark.parametrize("flow", ["diagonal", "spherical"])
def test_the_flow_is_drawn_around_the_true_ensemble(flow):
    """Dotted and empty, two standard deviations wide, whatever the type of the belief; the window holds the prior."""
    scene = dynamics(np.random.default_rng(1), "ravine", rounds=50, flow=flow, std=2.4, truth="drawn")
    ax = draw_dynamics(scene).axes[3]
    patch = ellipse(ax, "belief of the flow")
    assert patch.get_linestyle() == ":" and patch.get_facecolor()[3] == 0
    widths = 4 * np.broadcast_to(scene.beliefs[-1].std, 2)
    np.testing.assert_allclose(sorted([patch.width, patch.height]), sorted(widths), rtol=1e-9)
    assert ax.get_xlim()[0] < -4.8 and ax.get_xlim()[1] > 4.8
