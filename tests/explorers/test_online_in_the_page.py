"""The scene that the page computes is that of Python: same random numbers, same states, same mistakes."""

import json
from pathlib import Path

import numpy as np
import pytest
from py_mini_racer import MiniRacer
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

import bflo_viz
from bflo_viz.explorers.online import OnlineExplorer
from bflo_viz.explorers.page import module
from bflo_viz.scenes.online import LEARNERS, OTHERS, SAMPLES, best_length, learn_online

SCENE = Path(bflo_viz.__file__).with_name("explorers") / "online" / "scene.js"
NAMES = (*LEARNERS, *OTHERS)
CASES = 24
PLAY = """
const learn = (text, names, pieces) => {
  const scene = new OnlineScene(JSON.parse(text));
  for (const to of pieces) scene.extend(names, to);
  const { x, truth, seen, rounds } = scene.stream;
  const word = (value) => (Number.isFinite(value) ? value : String(value));
  const tell = (array, size) => [...array.subarray(0, size)].map(word);
  const tracks = Object.entries(scene.tracks).map(([name, track]) => [name, {
    mean: tell(track.mean, 2 * rounds + 2), factor: tell(track.factor, 3 * rounds + 3),
    entropy: tell(track.entropy, rounds + 1), distance: tell(track.distance, rounds + 1),
    bySample: tell(track.bySample, rounds + 1), byMean: tell(track.byMean, rounds + 1),
    calibration: String(calibration(track, rounds)),
  }]);
  return JSON.stringify({
    x: tell(x, 2 * rounds), truth: tell(truth, rounds), seen: tell(seen, rounds),
    samples: [...scene.samples], tracks: Object.fromEntries(tracks),
  });
};
"""


@pytest.fixture(scope="module")
def racer():
    with MiniRacer() as engine:
        engine.eval(module(SCENE).replace("\nexport ", "\n") + PLAY)
        yield engine


def setting(number):
    """Settings at random, corners among them: no flips, all flips, a quick drift, the widest prior."""
    rng = np.random.default_rng([31, number])
    return {
        "eta": float(rng.choice([0.001, 0.1, rng.uniform(0.001, 0.1)])),
        "std": float(rng.choice([0.1, 3.0, rng.uniform(0.1, 3)])),
        "flip": float(rng.choice([0.0, 0.5, rng.uniform(0, 0.5)])),
        "drift": float(rng.choice([0.0, 45.0, rng.uniform(0, 45)])),
        "non_expansive": bool(rng.integers(2)),
        "seed": int(rng.choice([0, 2**32 - 1, rng.integers(2**32)])),
    }


def numbers(values):
    return np.array(
        [float(value.replace("Infinity", "inf")) if isinstance(value, str) else value for value in values]
    )


def near(ours, theirs):
    """Within 1e-9 of each other, by the larger of 1 and their size; equal infinities agree."""
    same = ours == theirs
    with np.errstate(invalid="ignore"):
        close = np.abs(ours - theirs) <= 1e-9 * np.maximum(1, np.abs(ours))
    return bool((same | close).all())


@pytest.mark.parametrize("number", range(CASES))
def test_the_page_computes_what_python_computes(racer, number):
    """All learners, all rounds, over random settings and seeds; and in pieces, as when it plays."""
    case, rounds = setting(number), 500
    options = {name: value for name, value in case.items() if name != "seed"}
    scene = learn_online(np.random.RandomState(case["seed"]), rounds=rounds, names=NAMES, **options)
    told = json.loads(racer.call("learn", json.dumps(case | {"samples": SAMPLES}), NAMES, [1, 2, 130, rounds]))
    np.testing.assert_allclose(told["x"], scene.X.ravel(), rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(told["samples"], scene.samples.ravel(), rtol=1e-14, atol=1e-15)
    np.testing.assert_array_equal(told["truth"], scene.truth)
    np.testing.assert_array_equal(told["seen"], scene.seen)
    for name, track in told["tracks"].items():
        assert near(scene.means[name].ravel(), numbers(track["mean"])), name
        np.testing.assert_array_equal(np.diff(numbers(track["bySample"])), scene.by_sample[name])
        np.testing.assert_array_equal(np.diff(numbers(track["byMean"])), scene.by_mean[name])
        if name in scene.beliefs:
            assert near(scene.factors[name].ravel(), numbers(track["factor"])), name
            assert near(scene.entropy[name], numbers(track["entropy"])), name
        if name in scene.distance:
            assert near(scene.distance[name], numbers(track["distance"])), name
            assert near(np.array([scene.calibration(name)]), numbers([track["calibration"]])), name
    assert set(told["tracks"]) == set(scene.names)


def test_more_rounds_change_none_before():
    """A stream that goes on is the same stream."""
    short, long = (learn_online(np.random.RandomState(5), rounds=rounds) for rounds in (60, 200))
    for name in short.names:
        np.testing.assert_array_equal(short.means[name], long.means[name][:61])
        np.testing.assert_array_equal(short.by_mean[name], long.by_mean[name][:60])


@pytest.mark.parametrize("flip", [0.001, 0.05, 0.2, 0.4, 0.49])
def test_the_best_weight_has_the_least_expected_loss(racer, flip):
    """By SciPy's quadrature and minimiser, which know nothing of the integral that is solved."""

    def loss(length):
        def at(t):
            right = np.logaddexp(0, -length * t)
            return np.exp(-0.5 * t * t) * (right + flip * length * t)

        return quad(at, 0, 12, epsabs=1e-11, epsrel=1e-11, limit=200, points=[0.01, 0.1, 1])[0]

    found = minimize_scalar(loss, bounds=(1e-6, 60), method="bounded", options={"xatol": 1e-10}).x
    assert best_length(flip) == pytest.approx(found, rel=2e-4, abs=1e-5)
    assert racer.call("bestLength", flip) == pytest.approx(best_length(flip), rel=1e-10)


def test_distances_are_those_of_mahalanobis():
    """By the inverse of the covariance, with the best weight where the truth points."""
    scene = learn_online(np.random.RandomState(2), rounds=300, drift=30.0, flip=0.3)
    for name, far in scene.distance.items():
        for now in (0, 1, 150, 300):
            belief, angle = scene.beliefs[name][now], np.pi / 4 + np.radians(30) * now / 100
            offset = best_length(0.3) * np.array([np.cos(angle), np.sin(angle)]) - belief.mean
            wanted = np.sqrt(offset @ np.linalg.inv(belief.covariance) @ offset)
            assert far[now] == pytest.approx(wanted, rel=1e-8)


def test_python_says_what_the_page_shows(racer):
    """The explorer's own beliefs, of any seed and round, are those that the page reaches by itself."""
    explorer = OnlineExplorer(seed=4_000_000_000, eta=0.07, round=333, others=["AROW"], predict="mean")
    settings = {name: getattr(explorer, name) for name in ("eta", "std", "flip", "drift", "non_expansive", "seed")}
    names = ["SGD", *explorer.flows, *explorer.others]
    told = json.loads(racer.call("learn", json.dumps(settings | {"samples": SAMPLES}), names, [333]))
    for name, belief in explorer.posterior.items():
        np.testing.assert_allclose(told["tracks"][name]["mean"][-2:], belief.mean, rtol=1e-9, atol=1e-12)
        a, b, c = told["tracks"][name]["factor"][-3:]
        np.testing.assert_allclose(np.array([[a * a, a * b], [a * b, b * b + c * c]]), belief.covariance, rtol=1e-8)
    share = 100 * told["tracks"]["full"]["byMean"][-1] / 333
    assert "by the mean are: SGD" in repr(explorer) and f"full {share:.1f} %" in repr(explorer)
