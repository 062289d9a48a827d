"""The page of the online explorer computes what Python computes: same random numbers, same states, same mistakes."""

import numpy as np
import pytest
from racing import asked, engine
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

from bflo_viz import OnlineExplorer
from bflo_viz.scenes.online import FAR, LEARNERS, NODES, OTHERS, SAMPLES, best_length, learn_online

NAMES = (*LEARNERS, *OTHERS)
CASES, ROUNDS = 12, 502  # the later half is an even number of rounds: which of two is its median matters
CODE = """
const { OnlineScene, calibration, bestLength } = modules["online/scene.js"];
const learn = (settings, names, pieces) => {
  const scene = new OnlineScene(settings);
  for (const to of pieces) scene.extend(names, to);
  const { x, truth, seen } = scene.stream;
  const rounds = truth.length;
  const parts = { mean: 2, factor: 3, entropy: 1, distance: 1, bySample: 1, byMean: 1 };
  const first = (array, count) => [...array.slice(0, count)];
  const told = (track) => Object.entries(parts).map(([part, n]) => [part, first(track[part], n * (rounds + 1))]);
  const tracks = Object.entries(scene.tracks).map(([name, track]) => [
    name, { ...Object.fromEntries(told(track)), calibration: calibration(track, rounds) },
  ]);
  const stream = { x: first(x, 2 * rounds), truth: first(truth, rounds), seen: first(seen, rounds) };
  return { ...stream, samples: [...scene.samples], tracks: Object.fromEntries(tracks) };
};
"""


@pytest.fixture(scope="module")
def racer():
    with engine("online/scene.js", code=CODE) as ready:
        yield ready


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


def near(ours, theirs):
    """Within 1e-9 of each other, by the larger of 1 and their size; equal infinities agree."""
    theirs = np.array(theirs, float)
    with np.errstate(invalid="ignore"):
        close = np.abs(ours - theirs) <= 1e-9 * np.maximum(1, np.abs(ours))
    return bool(((ours == theirs) | close).all())


@pytest.mark.parametrize("number", range(CASES))
def test_the_page_computes_what_python_computes(racer, number):
    """All learners, all rounds, over random settings and seeds; and in pieces, as when it plays."""
    case = setting(number)
    options = {name: value for name, value in case.items() if name != "seed"}
    scene = learn_online(np.random.RandomState(case["seed"]), rounds=ROUNDS, names=NAMES, **options)
    told = asked(racer, "learn", case | {"samples": SAMPLES, "integral": [NODES, FAR]}, NAMES, [1, 2, 130, ROUNDS])
    assert near(scene.X.ravel(), told["x"]) and near(scene.samples.ravel(), told["samples"])
    np.testing.assert_array_equal(told["truth"], scene.truth)
    np.testing.assert_array_equal(told["seen"], scene.seen)
    assert set(told["tracks"]) == set(scene.names)
    for name, track in told["tracks"].items():
        assert near(scene.means[name].ravel(), track["mean"]), name
        np.testing.assert_array_equal(np.diff(track["bySample"]), scene.by_sample[name])
        np.testing.assert_array_equal(np.diff(track["byMean"]), scene.by_mean[name])
        if name in scene.beliefs:
            assert near(scene.factors[name].ravel(), track["factor"]), name
            assert near(scene.entropy[name], track["entropy"]), name
        if name in scene.distance:
            assert near(scene.distance[name], track["distance"]), name
            assert near(scene.calibration(name), track["calibration"]), name


@pytest.mark.parametrize("flip", [0.001, 0.05, 0.4, 0.49])
def test_the_best_weight_has_the_least_expected_loss(racer, flip):
    """By SciPy's quadrature and minimiser, which know nothing of the integral that is solved."""

    def loss(length):
        def at(t):
            return np.exp(-0.5 * t * t) * (np.logaddexp(0, -length * t) + flip * length * t)

        return quad(at, 0, 12, epsabs=1e-11, epsrel=1e-11, limit=200, points=[0.01, 0.1, 1])[0]

    best = minimize_scalar(loss, bounds=(1e-6, 60), method="bounded", options={"xatol": 1e-10}).x
    assert best_length(flip) == pytest.approx(best, rel=2e-4, abs=1e-5)
    assert racer.call("bestLength", flip, [NODES, FAR]) == pytest.approx(best_length(flip), rel=1e-10)


def test_distances_are_those_of_mahalanobis():
    """By the inverse of the covariance, with the best weight where the truth points."""
    scene = learn_online(np.random.RandomState(2), rounds=300, drift=30.0, flip=0.3)
    for name, far in scene.distance.items():
        for now in (0, 1, 150, 300):
            belief, angle = scene.beliefs[name][now], np.pi / 4 + np.radians(30) * now / 100
            offset = best_length(0.3) * np.array([np.cos(angle), np.sin(angle)]) - belief.mean
            wanted = np.sqrt(offset @ np.linalg.inv(belief.covariance) @ offset)
            assert far[now] == pytest.approx(wanted, rel=1e-8)


def test_beliefs_are_those_of_the_shown_learners():
    """In the order of the table, after any change of a setting, and for an observer of that change."""
    explorer = OnlineExplorer(flows=["spherical", "full"], others=["Langevin"], std=0.5, round=0)
    assert list(explorer.belief) == list(explorer.posterior) == ["full", "spherical"]
    np.testing.assert_array_equal(explorer.posterior["full"].covariance, 0.25 * np.eye(2))
    heard = []
    explorer.observe(lambda change: heard.append(explorer.posterior["full"].mean), "eta")
    explorer.round, explorer.others, explorer.eta = 200, ["AROW"], 0.07
    assert explorer.scene.settings["eta"] == 0.07 and list(explorer.posterior) == ["full", "spherical", "AROW"]
    np.testing.assert_array_equal(heard, [explorer.scene.means["full"][200]])
