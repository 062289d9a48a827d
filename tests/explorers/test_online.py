"""Online: the page's runs are those of Python, and the true line is turned by hand."""

import re

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

from bflo_viz import OnlineExplorer
from bflo_viz.figures.online import LEARNERS, best_length, learn_online

NAMES, ROUNDS = (*LEARNERS, "Kalman"), 400
ASK = """
const { OnlineScene, bestLength } = modules["views/online_scene.js"];
const PARTS = ["mean", "factor", "entropy", "distance", "sample", "byMean"];
const learn = (settings, constants, names) => {
  const scene = new OnlineScene(settings, constants);
  for (const to of [1, 2, 130, ROUNDS]) scene.extend(names, to); // in pieces, as when it plays
  const { x, truth, seen, samples, tracks } = scene;
  const words = (track) => PARTS.map((part) => [part, [...track[part]].map(String)]); // infinities, too
  const told = ([name, track]) => [name, Object.fromEntries(words(track))];
  return { x, truth, seen, samples: samples.flat(), tracks: Object.fromEntries(Object.entries(tracks).map(told)) };
};
"""


@pytest.fixture(scope="module")
def ask(in_v8):
    return in_v8(f"const ROUNDS = {ROUNDS};{ASK}", "views/online_scene.js")


def setting(number):
    """Settings at random, corners among them: no wrong labels, half of them, a quick drift, turns by hand."""
    rng = np.random.default_rng([31, number])
    return {
        "eta": float(rng.choice([0.001, 0.1, rng.uniform(0.001, 0.1)])),
        "std": float(rng.choice([0.1, 3.0, rng.uniform(0.1, 3)])),
        "flip": float(rng.choice([0.0, 0.5, rng.uniform(0, 0.5)])),
        "drift": float(rng.choice([0.0, 45.0, rng.uniform(0, 45)])),
        "turns": [[0, -30.0], [int(rng.integers(1, 300)), float(rng.uniform(-180, 180))]][: number % 3],
        "non_expansive": bool(rng.integers(2)),
        "seed": int(rng.choice([0, 2**32 - 1, rng.integers(2**32)])),
    }


@pytest.mark.parametrize("number", range(9))
def test_whole_runs_agree_with_python(ask, number):
    """All learners, all rounds, to nine digits; mistakes by sample and by mean exactly."""
    case = setting(number)
    options = {name: value for name, value in case.items() if name != "seed"}
    scene = learn_online(np.random.RandomState(case["seed"]), rounds=ROUNDS, names=NAMES, **options)
    told = ask("learn", case, OnlineExplorer.constants, NAMES)
    assert told["truth"] == scene.truth.tolist() and told["seen"] == scene.seen.tolist()
    np.testing.assert_allclose(told["x"], scene.X.ravel(), rtol=1e-12)
    np.testing.assert_allclose(told["samples"], scene.samples.ravel(), rtol=1e-12)
    for name in NAMES:
        track = {part: np.array(values, float) for part, values in told["tracks"][name].items()}
        parts = {"mean": scene.means, "factor": scene.factors, "entropy": scene.entropy, "distance": scene.distance}
        for part, ours in parts.items():
            if name in ours:
                np.testing.assert_allclose(track[part], ours[name].ravel(), rtol=1e-9, atol=1e-9, err_msg=name + part)
        np.testing.assert_array_equal(np.diff(track["sample"]), scene.by_sample[name])
        np.testing.assert_array_equal(np.diff(track["byMean"]), scene.by_mean[name])


@pytest.mark.parametrize("flip", [0.001, 0.05, 0.4, 0.49])
def test_the_best_weight_has_the_least_expected_loss(ask, flip):
    """By SciPy's quadrature and minimiser, which know nothing of the integral that is solved."""

    def loss(length):
        def at(t):
            return np.exp(-0.5 * t * t) * (np.logaddexp(0, -length * t) + flip * length * t)

        return quad(at, 0, 12, epsabs=1e-11, epsrel=1e-11, limit=200, points=[0.01, 0.1, 1])[0]

    best = minimize_scalar(loss, bounds=(1e-6, 60), method="bounded", options={"xatol": 1e-10}).x
    assert best_length(flip) == pytest.approx(best, rel=2e-4, abs=1e-5)
    assert ask("bestLength", flip, OnlineExplorer.constants["integral"]) == pytest.approx(
        best_length(flip), rel=1e-10
    )


def test_distances_are_those_of_mahalanobis():
    """By the inverse of the covariance, with the best weight where the truth points after a turn by hand."""
    scene = learn_online(np.random.RandomState(2), rounds=300, drift=30.0, flip=0.3, turns=[(100, 70.0)])
    for name, far in scene.distance.items():
        for now in (0, 99, 100, 300):
            belief, angle = scene.beliefs[name][now], np.pi / 4 + np.radians(30 * now / 100 + 70 * (now >= 100))
            offset = best_length(0.3) * np.array([np.cos(angle), np.sin(angle)]) - belief.mean
            assert far[now] == pytest.approx(np.sqrt(offset @ np.linalg.inv(belief.covariance) @ offset), rel=1e-8)


def test_the_sentence_has_the_numbers_of_python(sentences):
    """For every way of predicting, learners switched on and off, and beyond the rounds that are in sight at first."""
    states = [
        {"round": 500, "seed": 3},
        {"predict": "mean", "learners": ["spherical", "full", "Kalman"], "round": 75},
        {"flip": 0.2, "drift": 20.0, "non_expansive": True, "turns": [[40, 90.0]], "round": 2300},
    ]
    explorer = OnlineExplorer()
    for values, words in zip(states, sentences(OnlineExplorer(), states), strict=True):
        for name, value in values.items():
            setattr(explorer, name, value)
        scene = explorer.scene
        assert dict(re.findall(r"(\w+) (\d+) %", words)) == {
            name: f"{np.floor(scene.error(name, explorer.round) + 0.5):.0f}" for name in scene.names
        }, words


def test_the_true_line_is_turned_by_hand(opened):
    """From the round that is looked at on, by mouse and by keys; what was before stays, and a second turn adds."""
    page = opened(OnlineExplorer(round=200))
    state = "() => ({ ...document.querySelector('.bflo').bflo.state })"
    handle = page.locator('.bflo-handle[aria-label="True line"]')
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 150, y - 20, steps=4)
    page.mouse.up()
    ((start, degrees),) = page.evaluate(state)["turns"]
    assert start == 200 and -60 < degrees < -20
    handle.press("ArrowRight")
    ((_, more),) = page.evaluate(state)["turns"]
    assert degrees - 10 < more < degrees
    page.locator('.bflo-handle[aria-label="Round"]').press("Shift+ArrowRight")
    handle.press("Shift+ArrowRight")
    first, (later, _) = page.evaluate(state)["turns"]
    assert first == [200, more] and later == page.evaluate(state)["round"] > 200
    ours = OnlineExplorer(turns=page.evaluate(state)["turns"], round=1500)
    assert np.degrees(ours.scene.angle[200] - ours.scene.angle[199]) == pytest.approx(more)


def test_copied_python_runs_the_same_rounds(copied):
    learners = ["SGD", "Kalman", "full"]
    explorer = OnlineExplorer(seed=7, round=120, learners=learners, turns=[(50, 90.0)], non_expansive=True)
    run = copied(explorer)["run"]
    for name in learners:
        np.testing.assert_array_equal(run.by_sample[name], explorer.scene.by_sample[name][:120])


def test_a_setting_changed_while_it_plays_keeps_the_round(opened):
    page = opened(OnlineExplorer(round=900))
    page.click("text=Play")
    page.wait_for_timeout(300)
    page.click("text=cannot widen")
    state = page.evaluate("() => document.querySelector('.bflo').bflo.state")
    assert state["non_expansive"] and 905 < state["round"] < 2000


def test_beliefs_are_those_of_the_shown_learners():
    """In the order of the paper, and for an observer of a change."""
    explorer = OnlineExplorer(learners=["spherical", "SGD", "full"], std=0.5, round=0)
    assert list(explorer.belief) == list(explorer.posterior) == ["full", "spherical"]
    np.testing.assert_array_equal(explorer.posterior["full"].covariance, 0.25 * np.eye(2))
    heard = []
    explorer.observe(lambda change: heard.append(explorer.posterior["full"].mean), "eta")
    explorer.round, explorer.learners, explorer.eta = 200, ["full", "Kalman"], 0.07
    assert list(explorer.posterior) == ["full", "Kalman"]
    np.testing.assert_array_equal(heard, [explorer.scene.means["full"][200]])
