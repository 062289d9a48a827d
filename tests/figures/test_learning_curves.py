"""Curves over runs: what is drawn are the means of the runs, named at their ends, and the words have the numbers."""

import numpy as np
import pytest
from looks import inside, line, made, overlapping_words
from scipy.optimize import minimize

from bflo_viz import SGD, BeliefFlow, DiagonalBelief, FullBelief, Record, SphericalBelief
from bflo_viz.figures import Panel, alt_text, draw_demonstration, draw_learning_curves, draw_panels, palette
from bflo_viz.figures.curves import apart, series_for
from bflo_viz.scenes import DemonstrationScene, demonstration
from bflo_viz.scenes.curves import band
from bflo_viz.scenes.online import LEARNERS, quantiles


def record(mistakes, entropy=None, rounds=(10, 10, 5)):
    entropy = [np.nan] * len(rounds) if entropy is None else entropy
    return Record(np.array(rounds), np.array(mistakes), np.zeros(len(rounds)), np.array(entropy))


RECORDS = {
    "SGD": [record([5, 2, 1]), record([7, 4, 0])],
    "diagonal": [record([6, 3, 2], [1.0, 0.5, -2.0]), record([8, 1, 1], [1.2, 0.3, -1.0])],
    "my own": [record([9, 9, 4], [2.0, 1.0, 0.0])],
}
RUNS = {"SGD": [[1.0, 2.0, 30.0], [3.0, 2.0, 10.0]], "mine": [[5.0, np.nan, 4.0], [7.0, np.nan, np.nan]]}


def panel(**options):
    return Panel([10, 20, 40], RUNS, **{"title": "Mistakes", "xlabel": "round", "ylabel": "mistakes (%)"} | options)


def test_bands_are_one_standard_error():
    """Of the runs that have a number, by hand: 1 and 3 have the standard error 1, a single number has none."""
    np.testing.assert_allclose(band(RUNS["SGD"]), [[2, 2, 20], [1, 2, 10], [3, 2, 30]])
    np.testing.assert_allclose(band(RUNS["mine"]), [[6, np.nan, 4], [5, np.nan, 4], [7, np.nan, 4]])


def test_learning_curves_are_the_numbers_of_the_records():
    """Share of mistakes of each block, not summed up, at the round where it ends; a single run has no band."""
    figure = draw_learning_curves(RECORDS)
    mistakes, entropies = figure.axes
    np.testing.assert_array_equal(line(mistakes, "SGD").get_xdata(), [10, 20, 25])
    np.testing.assert_allclose(line(mistakes, "SGD").get_ydata(), [60, 30, 10])
    np.testing.assert_allclose(line(entropies, "diagonal").get_ydata(), [1.1, 0.4, -1.5])
    np.testing.assert_allclose(line(entropies, "my own").get_ydata(), [2, 1, 0])
    assert {str(patch.get_label()) for patch in mistakes.collections} == {"SGD, band", "diagonal, band"}
    assert "SGD" not in [curve.get_label() for curve in entropies.get_lines()] and mistakes.get_ylim()[0] == 0
    # mistakes of 50 rounds: SGD 19 (38 %), diagonal 21 (42 %); of 25: my own 22
    assert mistakes.get_title(loc="left") == "SGD errs least, in 38.0 % of rounds"
    assert "diagonal from 70 to 30, my own" in alt_text(figure) and "diagonal from 1.1 to −1.5" in alt_text(figure)
    (only,) = draw_learning_curves({"SGD": RECORDS["SGD"]}).axes  # nobody has a belief
    assert only.get_title(loc="left") == "SGD errs in 38.0 % of rounds"


def test_the_default_runs_learn_and_every_curve_is_named_at_its_end():
    """Each of the three errs less in the last quarter than in the first; a name beside each last point."""
    figure = made("learning_curves")
    for error in figure.scene.panels[0].curves.values():
        assert error.shape[0] == 10 and error[:, -5:].mean() < error[:, :5].mean()
    assert "breast-cancer" in alt_text(figure) and "mean of 10 runs ± standard error" in alt_text(figure)
    for ax, names in zip(figure.axes, [{"SGD", "AROW", "diagonal"}, {"AROW", "diagonal"}], strict=True):
        assert {text.get_text() for text in ax.texts} == names
        for text in ax.texts:
            assert text.xy == tuple(line(ax, text.get_text()).get_xydata()[-1])


def test_a_colour_is_one_learner_and_others_get_neutral_ones():
    """No two look the same, as long as there are styles; a variant has the colour of its learner, not its line."""
    styles = series_for(["mine", "SGD", "yours", "full"])
    assert styles["SGD"] is palette.SERIES["SGD"] and styles["full"] is palette.SERIES["full"]
    assert len({style.marker for style in styles.values()}) == 4
    assert len(series_for([f"learner {i}" for i in range(20)])) == 20
    learners = {series.color for series in palette.SERIES.values()}
    assert not learners & {look.color for look in series_for([f"learner {i}" for i in range(20)]).values()}
    for name in palette.SERIES:
        variant = series_for([name, f"{name}, held"])[f"{name}, held"]
        assert variant.color == palette.SERIES[name].color and variant.linestyle != palette.SERIES[name].linestyle


def test_names_are_moved_apart_and_no_further_than_needed():
    """Against a search over all shifts; names of curves that end together keep their order, from below."""
    places = np.array([3.0, 0.0, 0.5, 3.2, 9.0])
    moved, order = apart(places, 1.0), np.argsort(places, kind="stable")
    assert (np.diff(moved[order]) >= 1 - 1e-12).all()
    gaps = {"type": "ineq", "fun": lambda x: np.diff(x[order]) - 1}
    best = minimize(lambda x: ((x - places) ** 2).sum(), places + np.linspace(0, 1, 5), constraints=gaps, tol=1e-12)
    np.testing.assert_allclose(moved, best.x, atol=1e-5)
    np.testing.assert_allclose(apart(np.array([9.0, 1.0, 1.0, 1.0]), 1.0), [9.0, 0.0, 1.0, 2.0])


def test_panels_draw_means_the_ideal_and_events():
    """NaN where no run has a number; thin lines have no name at their end; a name looks the same in all panels."""
    other = Panel([1, 2], {"mine": [[1.0, 2.0]], "yours": [[2.0, 3.0]]}, "Other", "round", "nats")
    figure = draw_panels(panel(ideal=[0, 1, 2], events=[15, 30]), other)
    one, two = figure.axes
    np.testing.assert_allclose(line(one, "SGD").get_xydata(), [[10, 2], [20, 2], [40, 20]])
    np.testing.assert_allclose(line(one, "mine").get_ydata(), [6, np.nan, 4])
    np.testing.assert_allclose(line(one, "_ideal").get_ydata(), [0, 1, 2])
    assert {text.get_text() for text in one.texts} == {"SGD", "mine"}
    assert line(one, "mine").get_color() == line(two, "mine").get_color() != line(two, "yours").get_color()
    words = alt_text(figure)
    assert words.startswith("Mistakes: mistakes (%) over round, 10 to 40 (mean of 2 runs ± standard error):")
    assert "SGD from 2 to 20, mine from 6 to 4. A thin line shows what would be perfect." in words
    assert "Vertical lines are at 15, 30." in words and "(one run): mine from 1 to 2" in words


def test_panels_that_measure_the_same_have_the_same_scale():
    """Unless they need not, or measure something else; also on a logarithmic scale nothing is cut off."""
    small = Panel([1, 2], {"SGD": [[1.0, 2.0]]}, "Small", "round", "mistakes (%)")
    other = Panel([1, 2], {"SGD": [[1.0, 2.0]]}, "Other", "round", "nats")
    figure = draw_panels(panel(log=True), small, other)
    one, two, three = figure.axes
    assert one.get_ylim() == two.get_ylim() != three.get_ylim()
    assert [text.get_text() for text in one.get_xticklabels()] == ["10", "20", "40"]
    assert inside(figure) and not overlapping_words(figure)
    one, two = draw_panels(panel(), small, same_scale=False).axes
    assert one.get_ylim() != two.get_ylim()


def test_the_demonstration_is_a_loop_over_steps():
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


def test_the_demonstration_is_that_of_the_paper_and_its_words_are_true():
    """Errors near the printed ones, entropies from that of N(0, I) on; titles and words by the numbers."""
    figure = made("demonstration")
    scene, (mistakes, entropies) = figure.scene, figure.axes
    printed = {"SGD": 9.52, "full": 22.58, "diagonal": 18.38, "spherical": 15.48}
    for name in LEARNERS:
        end = scene.error[name][:, -1].mean()
        assert scene.error[name].shape == (10, 200) and abs(end - printed[name]) < 2.5
        np.testing.assert_allclose(line(mistakes, name).get_xydata()[-1], [8000, end])
        assert f"{name} {end:.1f} %" in alt_text(figure)
        assert line(mistakes, name).get_marker() == palette.SERIES[name].marker
    for name, runs in scene.entropy.items():
        np.testing.assert_allclose(runs[:, 0], np.log(2 * np.pi * np.e), rtol=1e-12)
        low, middle, high = quantiles(runs)
        np.testing.assert_array_equal(line(entropies, name).get_ydata(), middle)
        assert ((runs <= middle).mean(axis=0) >= 0.5).all() and ((runs >= middle).mean(axis=0) >= 0.5).all()
        assert ((runs >= low).mean(axis=0) >= 0.9).all() and ((runs <= high).mean(axis=0) >= 0.9).all()
    assert {text.get_text() for text in mistakes.texts} == set(LEARNERS)
    assert mistakes.get_title(loc="left") == "SGD errs least, full most"
    assert entropies.get_title(loc="left") == "Entropies settle: spherical first, full last"


def test_the_titles_change_with_the_data():
    """If the full flow erred least and narrowed first; an entropy of minus infinity is drawn around."""
    scene = made("demonstration").scene
    error = scene.error | {"SGD": scene.error["full"], "full": scene.error["SGD"]}
    entropy = {"spherical": scene.entropy["full"], "full": scene.entropy["spherical"]}
    entropy["diagonal"] = scene.entropy["diagonal"].copy()
    entropy["diagonal"][3, 150] = -np.inf
    figure = draw_demonstration(DemonstrationScene(scene.rounds, error, entropy, 0.4))
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert titles == ["full errs least, SGD most", "Entropies settle: full first, spherical last"]
    assert inside(figure) and "dips to −∞, and recovers" in alt_text(figure)
