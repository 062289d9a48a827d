"""The page of the dynamics explorer computes what Python computes."""

import math

import numpy as np
import pytest
from matplotlib.path import Path as Outline
from racing import asked, engine

from bflo_viz import DynamicsExplorer
from bflo_viz.scenes.surfaces import REACH, SURFACES
from bflo_viz.scenes.three_ways import FLOWS, dynamics

NAMES = list(SURFACES)
TOLERANCE = 1e-8  # after 600 rounds; in most cases it is a thousandth of that
LOOKS = (0, 1, 2, 37, 250, 251, 600, 30, 10)  # not in order: the last ones lie behind
FEW, MANY = 18, 150
PLAIN = {"surface": "convex", "flow": "full", "truth": "given", "eta": None, "std": 1.2, "seed": 0}
CALMEST = 0.25  # the learning rate of the double well, beyond which its steps can be chaotic
CODE = """
let run;
const seen = (common, settings, rounds) => {
  run = new (modules["dynamics/scene.js"].Run)(common, settings);
  return rounds.map((round) => run.at(round));
};
const levels = (common, settings) => {
  seen(common, settings, [0]);
  return common.distances.map((distance) => run.surface.level(distance));
};
const errors = (numbers) => numbers.map(modules["dynamics/surfaces.js"].erf);
"""


@pytest.fixture(scope="module")
def racer():
    with engine("dynamics/scene.js", code=CODE) as ready:
        yield ready


def frames(racer, settings, rounds=LOOKS):
    return asked(racer, "seen", DynamicsExplorer.about()["facts"], settings, rounds)


def setting(number):
    """Settings drawn at random: every surface with every flow and every truth, and rates where nothing is chaotic."""
    rng, name = np.random.default_rng(number), NAMES[number % 3]
    return {
        "surface": name,
        "flow": FLOWS[number // 3 % 3],
        "truth": ("given", "drawn")[number // 9 % 2],
        "eta": None if number % 4 == 0 else round(float(rng.uniform(0.005, CALMEST)), 3),
        "std": round(float(rng.uniform(0.2, 1.5 if name == "double well" else 2.5)), 1),
        "seed": int(rng.integers(2**32)),
    }


def in_python(settings):
    others = {name: value for name, value in settings.items() if name != "seed"}
    return dynamics(np.random.RandomState(settings["seed"]), rounds=max(LOOKS), **others)


def covariance(factor):
    factor = np.reshape(factor, (2, 2))
    return factor @ factor.T


def capped(name, value):
    """How far away the optimum is loses its digits, and its sense, where a belief is very narrow."""
    return min(float(value), 1000.0) if name.endswith("_far") else value


def numbers_of(frame):
    """All numbers of a frame of the page, by name."""
    bayes, belief = frame["bayes"], frame["belief"]
    numbers = {name: np.reshape(frame[name], (-1, 2)) for name in ("cloud", "members", "fitting", "point")}
    numbers |= {"mean": belief["mean"], "covariance": covariance(belief["factor"])}
    numbers |= {
        "way": frame["bayesMean"],
        "bayes_mean": bayes["mean"],
        "bayes_covariance": covariance(bayes["factor"]),
    }
    facts = {f"{who}_{what}": value for who, some in frame["facts"].items() for what, value in some.items()}
    numbers |= {name: capped(name, value) for name, value in facts.items()}
    if frame["now"]:
        numbers |= {"sampled": frame["sampled"], "moved": frame["moved"]}
    if "hill" in bayes:
        numbers |= {"hill": bayes["hill"], "hill_std": bayes["hillStd"]}
    return numbers


def expected_of(scene):
    now = scene.now
    fitting = scene.surface.fitting(scene.examples[now - 1]) if now else np.empty((0, 2))
    numbers = {"cloud": scene.clouds[now], "members": scene.ensembles[now], "fitting": fitting}
    numbers |= {"point": scene.points[now], "mean": scene.beliefs[now].mean}
    numbers |= {"covariance": scene.beliefs[now].covariance, "bayes_mean": scene.bayes.mean[now]}
    numbers |= {"way": scene.bayes.mean[now], "bayes_covariance": scene.bayes.covariance[now]}
    numbers |= {name: capped(name, values[now]) for name, values in scene.facts.items()}
    if now:
        numbers |= {"sampled": scene.sampled[now - 1], "moved": scene.moved[now - 1]}
    if scene.surface.two_wells:
        numbers |= {"hill": scene.bayes.hill_mean[now], "hill_std": scene.bayes.hill_std[now]}
    return numbers


def compare(frame, scene, tolerance):
    """All numbers of a frame with those of Python."""
    theirs, ours = numbers_of(frame), expected_of(scene)
    assert theirs.keys() == ours.keys()
    for name, value in ours.items():
        np.testing.assert_allclose(
            np.ravel(np.array(theirs[name], float)), np.ravel(value), rtol=tolerance, atol=tolerance, err_msg=name
        )
    furthest = max(np.abs(scene.points[scene.now]).max(), np.abs(scene.ensembles[scene.now]).max())
    assert frame["runsAway"] == (furthest >= REACH)


@pytest.mark.parametrize(
    "number", [pytest.param(i, marks=[pytest.mark.slow] * (i >= FEW)) for i in range(0, MANY)], ids=str
)
def test_the_page_computes_what_python_computes(racer, number):
    """Every number of some rounds, for settings drawn at random."""
    settings = setting(number)
    scene = in_python(settings)
    for now, frame in zip(LOOKS, frames(racer, settings), strict=True):
        compare(frame, scene.at(now), TOLERANCE)


@pytest.mark.parametrize("flow", FLOWS)
def test_steps_that_run_away_are_the_same_until_they_are_chaotic(racer, flow):
    """Rounding doubles from round to round there, so only the first rounds can agree; all later ones are numbers."""
    settings = {"surface": "double well", "flow": flow, "truth": "given", "eta": 0.5, "std": 2.5, "seed": 0}
    scene = in_python(settings)
    *first, last = frames(racer, settings, (1, 5, 600))
    for frame in first:
        compare(frame, scene.at(frame["now"]), 1e-7)
    assert np.isfinite([*last["point"], *last["members"], *last["cloud"], *last["belief"]["mean"]]).all()
    assert last["runsAway"] and np.abs(scene.ensembles[600]).max() == REACH


def test_any_round_can_be_asked_for_in_any_order(racer):
    """Rounds are the same on the way there and back, over many kept states; twenty thousand are no end."""
    settings = {"surface": "ravine", "flow": "diagonal", "truth": "drawn", "eta": None, "std": 1.2, "seed": 11}
    rounds = [20_000, 19_999, 1, 5_000, 250, 249, 251, 0, 12_345]
    there, back = (frames(racer, settings, some) for some in (sorted(rounds), rounds))
    assert there == sorted(back, key=lambda frame: frame["now"])


def pieces(line):
    """The pieces of a line that NaN keeps apart."""
    points = np.array(line, float)
    gaps = np.flatnonzero(np.isnan(points[:, 0]))
    return [piece[~np.isnan(piece[:, 0])] for piece in np.split(points, gaps)]


@pytest.mark.parametrize("name", NAMES)
def test_contour_lines_are_level(racer, name):
    """The loss is ½ distance² all along; and the two wells are joined from a distance of 1 on."""
    facts, settings = DynamicsExplorer.about()["facts"], PLAIN | {"surface": name}
    for distance, line in zip(facts["distances"], asked(racer, "levels", facts, settings), strict=True):
        parts = pieces(line)
        np.testing.assert_allclose(SURFACES[name].loss(np.vstack(parts)), distance**2 / 2, rtol=1e-9)
        assert len(parts) == 1 + (name == "double well" and distance <= 1)
        np.testing.assert_allclose([part[-1] - part[0] for part in parts], 0, atol=1e-9)


@pytest.mark.parametrize("now", [0, 1, 4, 37, 150])
def test_the_outline_of_two_hills_is_level_and_holds_its_share(racer, now):
    """Against the density on a grid: as much as an ellipse of two standard deviations holds of a Gaussian."""
    settings = PLAIN | {"surface": "double well", "seed": 3}
    scene, (frame,) = in_python(settings), frames(racer, settings, [now])
    parts = pieces(frame["bayes"]["outline"])
    axis = np.linspace(-8, 8, 641)
    points = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    grid, line = (scene.surface.log_posterior(w, scene.examples[:now], 1.2) for w in (points, np.vstack(parts)))
    share = np.exp(grid - grid.max())
    within = np.any([Outline(part).contains_points(points) for part in parts], axis=0)
    # A polygon, and cells of the grid.
    np.testing.assert_allclose(share[within].sum() / share.sum(), 1 - math.exp(-2), atol=0.012)
    np.testing.assert_allclose(line, line[0], atol=1e-6)
    assert frame["bayes"]["apart"] == (len(parts) == 2)


def test_the_error_function_is_right(racer):
    """Against that of Python, far into its tails."""
    x = [*np.linspace(-7, 7, 281).tolist(), 1e-300, 0.0]
    np.testing.assert_allclose(asked(racer, "errors", x), [math.erf(value) for value in x], rtol=1e-13, atol=1e-15)
