"""The pseudo dataset explorer's Python side: its runs against Bayes' rule by the book, its words and its figure."""

import base64
import json
import re

import numpy as np
import pytest
from looks import inside, overlapping_words
from traitlets import TraitError

from bflo_viz import BeliefFlow, PseudoDatasetExplorer, SphericalBelief
from bflo_viz.explorers.pseudo.run import ETA, FLOWS, PROBLEMS, ROUNDS, learn, learn_all, prior, read, stream
from bflo_viz.figures.style import alt_text

ALL = [(problem, flow) for problem in PROBLEMS for flow in FLOWS]


def unpacked(entry):
    """An array as the browser reads it."""
    return np.frombuffer(entry["data"], entry["dtype"]).reshape(entry["shape"])


@pytest.mark.parametrize(("problem", "flow"), ALL)
def test_a_run_is_that_of_the_learner_to_the_bit(problem, flow):
    """The plain learner, given the same generator."""
    run = learn(flow, problem, 3)
    X, y, _ = stream(problem, 3)
    learner, rng = BeliefFlow(prior(flow), eta=ETA), np.random.default_rng([3, 1])
    for r, (x, label) in enumerate(zip(X, y, strict=True)):
        done = learner.step(x, label, rng)
        np.testing.assert_array_equal(run.weights[r], done.weights)
        np.testing.assert_array_equal(run.moved[r], done.moved)
        np.testing.assert_array_equal(run.beliefs[r + 1].mean, done.belief_after.mean)
        np.testing.assert_array_equal(run.beliefs[r + 1].covariance, done.belief_after.covariance)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("problem", "flow"), ALL)
def test_bayes_rule_makes_the_same_beliefs_from_the_marks(problem, flow, seed):
    """A point adds precision in all directions, a line across itself; in every round their sum is the belief."""
    run = learn_all(seed)[problem][flow]
    precision, natural = np.eye(2), np.array([-1.0, 0.5])
    for r in range(ROUNDS):
        before = run.beliefs[r].mean
        for place, across, strength in zip(run.places[r], run.directions[r], run.precisions[r], strict=True):
            if np.isnan(strength):
                continue
            if flow == "spherical":
                gain = strength * np.eye(2)
                assert not across.any()
            else:
                gain = strength * np.outer(across, across)
                assert np.hypot(*across) == pytest.approx(1)
                off = place - before  # the nearest point of the line lies straight across from the mean
                assert off[0] * across[1] - off[1] * across[0] == pytest.approx(0, abs=1e-9 * (1 + np.hypot(*off)))
            precision, natural = precision + gain, natural + gain @ place
        belief = run.beliefs[r + 1]
        np.testing.assert_allclose(np.linalg.inv(precision), belief.covariance, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(np.linalg.solve(precision, natural), belief.mean, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("problem", "flow"), ALL)
def test_prior_and_points_add_up_to_the_precision_of_the_belief(problem, flow, seed):
    """1/std², of each weight for a diagonal flow; the trace of the inverse covariance for a full one."""
    run = learn_all(seed)[problem][flow]
    for total, belief in zip(run.totals, run.beliefs, strict=True):
        wanted = np.trace(np.linalg.inv(belief.covariance)) if flow == "full" else belief.std**-2.0
        np.testing.assert_allclose(total, wanted, rtol=1e-8)


def test_the_problems_are_what_they_are_called():
    """Right labels, some wrong ones on the same inputs, and a truth that turns half around."""
    X, y, true = stream("separable", 5)
    assert ((X @ true[0] > 0) == y).all()
    X_noisy, y_noisy, _ = stream("noisy labels", 5)
    np.testing.assert_array_equal(X, X_noisy)
    assert 0.05 < (y != y_noisy).mean() < 0.3
    X, y, true = stream("drifting", 5)
    assert ((np.sum(X * true[:-1], axis=1) > 0) == y).all()
    np.testing.assert_allclose(true[-1], -true[0], atol=1e-12)


def test_flows_try_the_same_weights_first_and_seeds_differ():
    """Like is compared with like; another seed is another stream."""
    runs = learn_all(2)["separable"]
    for flow in FLOWS:
        np.testing.assert_array_equal(runs[flow].weights[0], runs["spherical"].weights[0])
    assert not np.allclose(learn("full", "separable", 1).weights, learn("full", "separable", 2).weights)


@pytest.mark.parametrize("flow", FLOWS)
def test_the_sentence_tells_what_happened(flow):
    """A narrower belief added something, a wider one removed it; places and precisions are those of the marks."""
    run = learn_all(0)["noisy labels"][flow]
    assert "prior" in run.sentence(0)
    told = {"added": 0, "removed": 0}
    for after in range(1, ROUNDS + 1):
        words = run.sentence(after)
        before, now = run.beliefs[after - 1], run.beliefs[after]
        parts = re.findall(r"was (added|removed) with precision ([\d.e−]+\d)", words)
        if flow == "diagonal":
            assert [kind for kind, _ in parts] == [
                "added" if t < s else "removed" for s, t in zip(before.std, now.std, strict=True)
            ]
        else:
            assert [kind for kind, _ in parts] == ["added" if now.entropy() < before.entropy() else "removed"]
        for (kind, number), strength in zip(parts, run.precisions[after - 1], strict=False):
            told[kind] += 1
            assert float(number.replace("−", "-")) == pytest.approx(abs(strength), rel=0.06)
        assert f"({now.mean[0]:.2f}, {now.mean[1]:.2f})".replace("-", "−") in words or np.abs(now.mean).min() < 0.1
    assert min(told.values()) > 10


def test_a_round_without_a_point_says_so():
    """A belief that only moves has no pseudo-point."""
    beliefs = SphericalBelief([0.0, 0.0], 1.0), SphericalBelief([1.0, 0.5], 1.0)
    run = read("spherical", np.ones((2, 2)), beliefs, np.zeros((1, 2)), np.ones((1, 2)))
    assert np.isnan(run.precisions).all()
    assert run.sentence(1) == "Round 1: no point; the widths stayed as they were, and the mean is (1.00, 0.50)."
    assert run.large == 1.0
    np.testing.assert_array_equal(run.totals, [[1.0], [1.0]])


def test_belief_and_posterior_lie_around_the_round():
    """At round 0 both are the prior."""
    explorer = PseudoDatasetExplorer(flow="diagonal", problem="drifting", seed=2)
    np.testing.assert_array_equal(explorer.belief.mean, [-1.0, 0.5])
    np.testing.assert_array_equal(explorer.posterior.mean, [-1.0, 0.5])
    explorer.round = 9
    run = learn_all(2)["drifting"]["diagonal"]
    assert explorer.belief is run.beliefs[8]
    assert explorer.posterior is run.beliefs[9]
    explorer.flow = "full"
    assert explorer.posterior is learn_all(2)["drifting"]["full"].beliefs[9]


def test_the_browser_gets_all_runs_of_the_seed():
    """Sent once a seed; what it reads is what Python has, to single precision."""
    explorer = PseudoDatasetExplorer(seed=1)
    sent = []
    explorer.observe(lambda change: sent.append(change["new"]["of"]["seed"]), "_run")
    explorer.flow, explorer.problem, explorer.round = "full", "drifting", 50
    assert sent == []
    explorer.seed = 6
    assert sent == [6]
    for problem, flow in ALL:
        packed, run = explorer._run["problems"][problem][flow], learn_all(6)[problem][flow]
        np.testing.assert_allclose(unpacked(packed["mean"]), [b.mean for b in run.beliefs], rtol=1e-6, atol=1e-7)
        a, b, c = unpacked(packed["covariance"]).T
        whole = np.array([[a, b], [b, c]]).transpose(2, 0, 1)
        np.testing.assert_allclose(whole, [b.covariance for b in run.beliefs], rtol=1e-6, atol=1e-7)
        for name in ("true", "weights", "moved", "places", "directions", "precisions", "totals"):
            np.testing.assert_allclose(unpacked(packed[name]), getattr(run, name), rtol=1e-6, atol=1e-7)
        assert packed["words"][17] == run.sentence(17)


@pytest.mark.parametrize(
    ("trait", "value", "sentence"),
    [
        ("flow", "round", "flow must be 'spherical' or 'diagonal' or 'full', but it was 'round'."),
        ("problem", "hard", "problem must be 'separable' or 'noisy labels' or 'drifting', but it was 'hard'."),
        ("round", ROUNDS + 1, "round must be a whole number from 0 to 120, but it was 121."),
        ("seed", -1, "seed must be a whole number from 0 to 4294967295, but it was -1."),
        ("seed", 0.5, "seed must be a whole number, but it was 0.5."),
    ],
)
def test_a_wrong_value_gets_one_sentence(trait, value, sentence):
    """And changes nothing."""
    explorer = PseudoDatasetExplorer()
    before = getattr(explorer, trait)
    with pytest.raises(TraitError) as raised:
        setattr(explorer, trait, value)
    assert str(raised.value) == sentence
    assert getattr(explorer, trait) == before


@pytest.mark.parametrize(("after", "style"), [(0, "paper"), (1, "slides"), (60, "paper"), (ROUNDS, "slides")])
@pytest.mark.parametrize(
    ("problem", "flow"), [("separable", "spherical"), ("noisy labels", "diagonal"), ("drifting", "full")]
)
def test_the_figure_shows_the_state(problem, flow, after, style):
    """The path of the mean ends at the posterior, the cursor stands at the round, the alt text tells the round."""
    explorer = PseudoDatasetExplorer(flow=flow, problem=problem, round=after)
    figure = explorer.figure(style=style)
    plane, total = figure.axes
    path = next(line for line in plane.lines if line.get_label() == "path of the mean")
    assert len(path.get_xdata()) == after + 1
    np.testing.assert_allclose(np.array(path.get_data())[:, -1], explorer.posterior.mean)
    here = [line for line in total.lines if line.get_marker() == "s"]
    np.testing.assert_allclose(
        [line.get_xydata()[0] for line in here], [(after, t) for t in explorer.run.totals[after]]
    )
    assert explorer.run.sentence(after) in alt_text(figure)
    assert inside(figure)
    assert not overlapping_words(figure)


def test_area_is_precision():
    """The ring of a mark of twice the precision encloses twice the area."""
    explorer = PseudoDatasetExplorer(round=30)
    plane, run = explorer.figure().axes[0], explorer.run
    rings = [
        path.vertices
        for collection in plane.collections
        for path in collection.get_paths()
        if len(path.vertices) == 33
    ]
    area = {tuple(ring[:-1].mean(axis=0).round(6)): np.ptp(ring[:, 0]) ** 2 for ring in rings}
    unit = [area[tuple(run.places[r, 0].round(6))] / abs(run.precisions[r, 0]) for r in range(30)]
    np.testing.assert_allclose(unit, unit[0])


def test_a_notebook_stores_picture_and_words_and_a_page_stands_alone(tmp_path):
    """The words are the same in every run; the page has the runs in it."""
    explorer = PseudoDatasetExplorer(flow="full", round=12)
    bundle, _ = explorer._repr_mimebundle_()
    assert bundle["text/plain"] == repr(PseudoDatasetExplorer(flow="full", round=12))
    assert explorer.run.sentence(12) in bundle["text/plain"]
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    page = explorer.save_html(tmp_path / "page.html").read_text(encoding="utf-8")
    state = json.loads(re.search(r'id="state">(.*?)</script>', page, re.DOTALL)[1])
    assert state["_run"]["problems"]["separable"]["full"]["words"][12] == explorer.run.sentence(12)
    assert len(page) < 600_000
