"""The two-dimensional demonstration: mistakes against the true labels, and entropies."""

import numpy as np
import pytest
from looks import inside, overlapping_words
from matplotlib.figure import Figure

from bflo_viz import SGD, BeliefFlow, DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.figures import palette
from bflo_viz.figures.demonstration import draw_demonstration
from bflo_viz.figures.style import alt_text
from bflo_viz.scenes.online import LEARNERS as NAMES
from bflo_viz.scenes.online import DemonstrationScene, demonstration


@pytest.fixture(scope="module")
def scene():
    return demonstration(np.random.default_rng(0))


def line(ax, label):
    (found,) = [line for line in ax.get_lines() if line.get_label() == label]
    return found


def test_errors_and_entropies_are_those_of_a_loop_over_steps():
    """A loop over `step` that counts mistakes against the true labels by itself."""
    rounds, flip = 120, 0.4
    scene = demonstration(np.random.default_rng(7), runs=2, rounds=rounds, points=12)
    rng = np.random.default_rng(7)
    for run in range(2):
        X = rng.normal(size=(rounds, 2))
        truth = [int(x @ [1.0, 1.0] > 0) for x in X]
        wrong = rng.random(rounds) < flip
        learners = {
            "SGD": SGD(2, eta=0.01, std=1.0),
            "full": BeliefFlow(FullBelief([0.0, 0.0], np.eye(2)), eta=0.01),
            "diagonal": BeliefFlow(DiagonalBelief([0.0, 0.0], 1.0), eta=0.01),
            "spherical": BeliefFlow(SphericalBelief([0.0, 0.0], 1.0), eta=0.01),
        }
        for name, learner in learners.items():
            mistakes = 0
            for i in range(rounds):
                done = learner.step(X[i], truth[i] ^ int(wrong[i]), rng)
                mistakes += done.label != truth[i]
                if (i + 1) % 10 == 0:
                    at = i // 10
                    assert scene.error[name][run, at] == pytest.approx(100 * mistakes / (i + 1), rel=1e-12)
                    if name != "SGD":
                        assert scene.entropy[name][run, at + 1] == pytest.approx(done.entropy, rel=1e-7)


def test_it_starts_at_the_prior(scene):
    """Round 0 has the entropy of N(0, I): log 2πe nats."""
    for runs in scene.entropy.values():
        np.testing.assert_allclose(runs[:, 0], np.log(2 * np.pi * np.e), rtol=1e-12)
    assert scene.rounds[0] == 0 and scene.rounds[-1] == 8000
    assert "All start at 2.84 nats" in alt_text(draw_demonstration(scene))


def test_it_is_the_demonstration_of_the_paper(scene):
    """Online errors near the printed ones (SGD 9.52, full 22.58, diagonal 18.38, spherical 15.48)."""
    printed = {"SGD": 9.52, "full": 22.58, "diagonal": 18.38, "spherical": 15.48}
    for name in NAMES:
        assert scene.error[name].shape == (10, 200)
        assert abs(scene.error[name][:, -1].mean() - printed[name]) < 2.5


def test_curves_and_bands_hold_the_runs(scene):
    """Mistakes: mean and one standard error. Entropies: median, and nine of ten runs on either side of the band."""
    mistakes, entropies = draw_demonstration(scene).get_axes()
    for name, runs in scene.error.items():
        x, y = line(mistakes, name).get_data()
        np.testing.assert_array_equal(x, scene.rounds[1:])
        np.testing.assert_allclose(y, np.mean(runs, axis=0))
        low, high = band(mistakes, name, x)
        error = np.std(runs, axis=0, ddof=1) / np.sqrt(len(runs))
        np.testing.assert_allclose(low, y - error)
        np.testing.assert_allclose(high, y + error)
    for name, runs in scene.entropy.items():
        x, y = line(entropies, name).get_data()
        low, high = band(entropies, name, x)
        assert ((runs <= y).mean(axis=0) >= 0.5).all() and ((runs >= y).mean(axis=0) >= 0.5).all()
        assert ((runs >= low).mean(axis=0) >= 0.9).all() and ((runs <= high).mean(axis=0) >= 0.9).all()
        assert (low <= y).all() and (y <= high).all()


def band(ax, name, x):
    """Lower and upper border of a band at each x (of the vertices there are)."""
    (found,) = [patch for patch in ax.collections if patch.get_label() == f"{name}, band"]
    vertices = np.concatenate([path.vertices for path in found.get_paths()])
    at = [vertices[vertices[:, 0] == value, 1] for value in x]
    return np.array([values.min() for values in at]), np.array([values.max() for values in at])


def test_every_curve_has_its_name_its_style_and_its_marker(scene):
    """Names at the right ends; styles of the palette; SGD, which has no belief, is only on the left."""
    mistakes, entropies = draw_demonstration(scene).get_axes()
    assert {text.get_text() for text in mistakes.texts} == set(NAMES)
    assert {text.get_text() for text in entropies.texts} >= set(NAMES) - {"SGD"}
    for name in NAMES:
        curve = line(mistakes, name)
        assert (curve.get_color(), curve.get_marker()) == (palette.SERIES[name].color, palette.SERIES[name].marker)
        (text,) = [text for text in mistakes.texts if text.get_text() == name]
        assert text.xy == (8000, pytest.approx(scene.error[name][:, -1].mean()))


def test_titles_and_alt_text_say_what_is_true(scene):
    """Who errs least and most, whose belief narrows first and last, and the numbers."""
    figure = draw_demonstration(scene)
    mistakes, entropies = figure.get_axes()
    ends = {name: runs[:, -1].mean() for name, runs in scene.error.items()}
    ranked = sorted(ends, key=ends.get)
    assert mistakes.get_title(loc="left") == f"{ranked[0]} errs least, {ranked[-1]} most"
    assert entropies.get_title(loc="left") == "Beliefs narrow: spherical first, full last"
    for name, error in ends.items():
        assert f"{name} {error:.1f} %" in alt_text(figure)
    assert "standard error" in mistakes.get_ylabel() and "10th to 90th percentile" in entropies.get_ylabel()


def test_the_title_changes_with_the_data(scene):
    """If the full flow erred least and narrowed first, the titles would say so."""
    swap = {"SGD": "full", "full": "SGD", "diagonal": "diagonal", "spherical": "spherical"}
    error = {name: scene.error[swap[name]] for name in NAMES}
    entropy = dict(zip(["spherical", "diagonal", "full"], scene.entropy.values(), strict=True))
    mistakes, entropies = draw_demonstration(DemonstrationScene(scene.rounds, error, entropy, 0.4)).get_axes()
    assert mistakes.get_title(loc="left") == "full errs least, SGD most"
    assert entropies.get_title(loc="left") == "Beliefs narrow: full first, spherical last"


def test_diagonal_entropies_dip_and_recover():
    """Erratum 7, looked at again: with the sampled normals kept, the diagonal entropy has a level it returns to."""
    long = demonstration(np.random.default_rng(1), runs=10, rounds=32_000, points=320)
    runs = long.entropy["diagonal"]
    middle, late = np.median(runs[:, 120:220]), np.median(runs[:, 220:])
    assert abs(late - middle) < 0.5
    assert -5.5 < late < -2.5
    assert runs.min() < late - 5


def test_a_width_that_underflowed_does_no_harm(scene):
    """An entropy of minus infinity, for a moment, is drawn around."""
    entropy = {name: runs.copy() for name, runs in scene.entropy.items()}
    entropy["diagonal"][3, 150] = -np.inf
    figure = draw_demonstration(DemonstrationScene(scene.rounds, scene.error, entropy, 0.4))
    assert inside(figure)
    assert "dips to −∞, and recovers" in alt_text(figure)


@pytest.mark.slow
@pytest.mark.parametrize("style", ["paper", "slides"])
def test_nothing_is_cut_off_and_no_words_meet(scene, style):
    """In both styles."""
    figure = draw_demonstration(scene, style=style)
    assert inside(figure)
    assert not overlapping_words(figure)


def test_it_draws_on_given_axes(scene):
    """On two axes of someone else's figure, which it returns."""
    figure = Figure(figsize=(9, 3))
    assert draw_demonstration(scene, axes=[figure.add_subplot(1, 2, i + 1) for i in range(2)]) is figure
