"""Dynamics: the page's runs are those of Python, and the lowest point is dragged."""

import re

import numpy as np
import pytest

from bflo_viz import DynamicsExplorer
from bflo_viz.figures.three_ways import FLOWS, SURFACES, dynamics

NAMES, LOOKS = list(SURFACES), (0, 1, 2, 37, 150, 400, 30)  # not in order: the last one lies behind
ASK = """
const { Run } = modules["views/dynamics_scene.js"];
const seen = (settings, constants, rounds) => {
  const run = new Run(settings, constants);
  return rounds.map((round) => {
    const now = run.at(round);
    const { point, members, moves, belief, bayes, away, far } = now;
    const covariance = ({ factor: [a, b, c, d] }) => [a * a + b * b, a * c + b * d, c * c + d * d];
    return {
      point: [...point], members: members.flat(), moves, cloud: run.carried(now).flat(), mean: [...belief.mean],
      covariance: covariance(belief), bayes: [...bayes.mean, ...covariance(bayes)], away, far,
    };
  });
};
const distances = (settings, constants, places) => {
  const { surface } = new Run(settings, constants);
  return places.map(([x, y]) => surface.distance(x, y));
};
"""


@pytest.fixture(scope="module")
def ask(in_v8):
    asked = in_v8(ASK, "views/dynamics_scene.js")
    return lambda name, settings, *given: asked(name, settings, CONSTANTS, *given)


CONSTANTS = DynamicsExplorer.constants


def setting(number):
    """Settings at random: every surface with every flow, and a lowest point that is given, drawn or dragged."""
    rng = np.random.default_rng(number)
    return {
        "surface": NAMES[number // 9],
        "flow": FLOWS[number % 3],
        "truth": ("given", "drawn")[number % 2],
        "optimum": [round(float(x), 2) for x in rng.uniform(-4, 4, 2)] if number % 4 == 3 else None,
        "eta": None if number % 4 == 0 else round(float(rng.uniform(0.005, 0.25)), 3),
        "std": round(float(rng.uniform(0.2, 2.5)), 1),
        "seed": int(rng.integers(2**32)),
    }


def in_python(case):
    options = {name: value for name, value in case.items() if name != "seed"}
    return dynamics(np.random.RandomState(case["seed"]), rounds=max(LOOKS), **options)


@pytest.mark.parametrize("number", range(18))
def test_whole_runs_agree_with_python(ask, number):
    """Every number of some rounds to nine digits, in any order."""
    case = setting(number)
    scene, bayes = in_python(case), in_python(case).bayes
    for now, frame in zip(LOOKS, ask("seen", case, LOOKS), strict=True):
        belief = scene.beliefs[now]
        wanted = {"point": scene.points[now], "members": scene.ensembles[now], "cloud": scene.clouds[now]}
        wanted |= {
            "mean": belief.mean,
            "covariance": belief.covariance[[0, 0, 1], [0, 1, 1]],
            "bayes": [*bayes.mean[now], *bayes.covariance[now][[0, 0, 1], [0, 1, 1]]],
        }
        if now:
            wanted |= {"moves": [scene.sampled[now - 1], scene.moved[now - 1]]}
        for name, ours in wanted.items():
            np.testing.assert_allclose(
                np.ravel(frame[name]), np.ravel(ours), rtol=1e-9, atol=1e-9, err_msg=f"{name} {now}"
            )
        for name, ours in frame["away"].items():
            assert ours == pytest.approx(scene.facts[f"{name}_away"][now], rel=1e-9, abs=1e-9), (name, now)
        # How far away it is loses its digits, and its sense, where a belief is very narrow.
        assert min(frame["far"], 1e3) == pytest.approx(min(scene.facts["flow_far"][now], 1e3), rel=1e-7)


@pytest.mark.parametrize("flow", FLOWS)
def test_steps_that_run_away_stay_numbers(ask, flow):
    """Rounding doubles from round to round there, so only the first rounds can agree."""
    case = {"surface": "ravine", "flow": flow, "truth": "given", "optimum": None, "eta": 2.5, "std": 2.5, "seed": 0}
    scene = in_python(case)
    first, *others = ask("seen", case, list(range(3, 43)))
    np.testing.assert_allclose(first["members"], scene.ensembles[3].ravel(), rtol=1e-7)
    assert np.isfinite([[*one["point"], *one["members"], *one["cloud"], *one["mean"]] for one in others]).all()
    assert np.abs([one["members"] for one in others]).max() == CONSTANTS["reach"]


@pytest.mark.parametrize("name", NAMES)
def test_the_lines_of_equal_loss_are_those_of_python(ask, name):
    places = np.random.default_rng(1).uniform(-4, 4, (50, 2))
    case = setting(0) | {"surface": name, "truth": "given"}
    np.testing.assert_allclose(ask("distances", case, places.tolist()), SURFACES[name].distance(places), rtol=1e-9)


def test_the_sentence_has_the_numbers_of_python(sentences):
    """Distances of all three, and too sure or not, in any round."""
    states = [
        {"surface": "ravine", "seed": 3, "round": 150},
        {"surface": "convex", "seed": 0, "round": 20},
        {"optimum": [1.0, -1.0], "flow": "diagonal", "round": 400},
    ]
    explorer = DynamicsExplorer()
    for values, words in zip(states, sentences(DynamicsExplorer(), states), strict=True):
        for name, value in values.items():
            setattr(explorer, name, value)
        scene, now = explorer.scene, explorer.round
        numbers = [float(x) for x in re.findall(r"\d+\.\d\d", words)]
        wanted = [scene.facts[f"{name}_away"][now] for name in ("sgd", "bayes", "flow")]
        assert numbers == pytest.approx(wanted, abs=0.00501), words
        far = scene.facts["flow_far"][now]
        assert f"{far:.1f} of its own σ" in words and ("too sure" in words) == (far > 3)


def test_the_lowest_point_and_the_prior_are_dragged(opened):
    """By mouse in the large picture, whichever it is; the same lowest point is Python's."""
    page = opened(DynamicsExplorer())
    state = "() => ({ ...document.querySelector('.bflo').bflo.state })"
    page.click("[data-picture=bayes] .bflo-paper", position={"x": 20, "y": 20})
    page.wait_for_timeout(100)
    assert page.evaluate(state)["main"] == "bayes"
    assert page.locator("[data-picture=bayes]").bounding_box()["width"] > 400
    box = page.locator('.bflo-handle[aria-label="Lowest point"] circle').first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 120, y + 60, steps=3)
    page.mouse.up()
    page.wait_for_timeout(100)
    optimum = page.evaluate(state)["optimum"]
    assert optimum == pytest.approx([1.9 - 120 * 8 / 481, 2.6 - 60 * 8 / 481], abs=0.05)
    words = page.locator(".bflo-say").inner_text()
    away = DynamicsExplorer(optimum=optimum).scene.facts["flow_away"][26]
    assert f"the flow {away:.2f}" in words
    page.locator('.bflo-handle[aria-label="Width of the prior"]').press("ArrowLeft")
    assert page.evaluate(state)["std"] == pytest.approx(1.3)


def test_copied_python_runs_the_same_rounds(copied):
    drawn = DynamicsExplorer(seed=7, round=40, surface="convex", truth="drawn")
    for explorer in (drawn, DynamicsExplorer(round=30, flow="spherical", optimum=[0.5, -2.0], eta=0.05)):
        belief = copied(explorer)["run"].beliefs[-1]
        assert belief.kl(explorer.posterior) == pytest.approx(0, abs=1e-9)


def test_the_rate_is_that_of_the_surface_until_it_is_set(opened):
    explorer = DynamicsExplorer()
    assert explorer.eta is None and explorer.scene.surface.eta == 0.1
    page = opened(explorer)
    assert page.locator("[data-control=eta] output").inner_text() == "0.100"
    explorer.eta = 0.02
    assert explorer.scene.surface.eta == 0.02
    explorer.eta = None
    assert explorer.scene.surface.eta == 0.1
