"""Dynamics: the page's runs are those of Python, and the lowest point is dragged."""

import re

import numpy as np
import pytest

from bflo_viz import DynamicsExplorer
from bflo_viz.figures.surfaces import SURFACES
from bflo_viz.figures.three_ways import FLOWS, dynamics

NAMES, LOOKS = list(SURFACES), (0, 1, 2, 37, 150, 400, 30)  # not in order: the last one lies behind
CALMEST = 0.25  # the learning rate of the double well, beyond which its steps can be chaotic
ASK = """
const { Run } = modules["views/dynamics_scene.js"];
const seen = (settings, constants, rounds) => {
  const run = new Run(settings, constants);
  return rounds.map((round) => {
    const now = run.at(round);
    const { point, members, moves, belief, bayes, away, far } = now;
    const [a, b, c, d] = belief.factor;
    const cloud = run.carried(now).flat();
    return { point: [...point], members: members.flat(), moves, cloud, mean: [...belief.mean],
      covariance: [a * a + b * b, a * c + b * d, c * c + d * d], bayes: bayes.mean, middle: bayes.middle, away, far,
      outline: bayes.outline() };
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
    rng, name = np.random.default_rng(number), NAMES[number % 3]
    return {
        "surface": name,
        "flow": FLOWS[number // 3 % 3],
        "truth": ("given", "drawn")[number % 2],
        "optimum": [round(float(x), 2) for x in rng.uniform(-4, 4, 2)] if number % 4 == 3 else None,
        "eta": None if number % 4 == 0 else round(float(rng.uniform(0.005, CALMEST)), 3),
        "std": round(float(rng.uniform(0.2, 1.5 if name == "double well" else 2.5)), 1),
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
            "bayes": bayes.mean[now],
        }
        wanted |= {"middle": (bayes.mean if bayes.hill_mean is None else bayes.hill_mean)[now]}
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
    case = {"surface": "double well", "flow": flow, "truth": "given", "optimum": None}
    case |= {"eta": 0.5, "std": 2.5, "seed": 0}
    scene = in_python(case)
    first, last = ask("seen", case, (3, 400))
    np.testing.assert_allclose(first["members"], scene.ensembles[3].ravel(), rtol=1e-7)
    assert np.isfinite([*last["point"], *last["members"], *last["cloud"], *last["mean"]]).all()
    assert max(map(abs, last["members"])) == CONSTANTS["reach"]


@pytest.mark.parametrize("name", NAMES)
def test_the_loss_is_half_the_squared_distance(ask, name):
    places = np.random.default_rng(1).uniform(-4, 4, (50, 2))
    case = setting(0) | {"surface": name, "truth": "given"}
    loss = np.square(ask("distances", case, places.tolist())) / 2
    np.testing.assert_allclose(loss, SURFACES[name].loss(places), rtol=1e-9)


@pytest.mark.parametrize("now", [0, 1, 4, 37, 150])
def test_the_outline_of_two_hills_is_level(ask, now):
    """Two below the highest log density all along, as around a Gaussian; in two once they are known."""
    case = setting(0) | {"surface": "double well", "seed": 3, "truth": "given", "std": 1.2}
    scene, (frame,) = in_python(case), ask("seen", case, [now])
    density = [
        scene.surface.log_posterior(np.array(places), scene.examples[:now], 1.2)
        for places in (np.vstack(frame["outline"]), np.mgrid[-4:4:801j, -3:4:701j].reshape(2, -1).T)
    ]
    np.testing.assert_allclose(density[0], density[1].max() - 2, atol=0.02)
    assert len(frame["outline"]) == (2 if now > 10 else 1)
    for loop in frame["outline"]:
        assert loop[0] == pytest.approx(loop[-1], abs=1e-9)


def test_the_sentence_has_the_numbers_of_python(sentences):
    """Distances of all three, too sure or not, how many of the carried weights are on the right; and any round."""
    states = [
        {"surface": "ravine", "seed": 3, "round": 150},
        {"surface": "convex", "seed": 0, "round": 20},
        {"surface": "double well", "seed": 4, "round": 23},
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
        if explorer.surface == "double well":
            assert f"{np.sum(scene.clouds[now][:, 0] > 0)} are on the right" in words
        else:
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
    drawn = DynamicsExplorer(seed=7, round=40, surface="double well", truth="drawn")
    for explorer in (drawn, DynamicsExplorer(round=30, flow="spherical", optimum=[0.5, -2.0], eta=0.05)):
        belief = copied(explorer)["run"].beliefs[-1]
        assert belief.kl(explorer.posterior) == pytest.approx(0, abs=1e-9)


def test_the_rate_is_that_of_the_surface_until_it_is_set(opened):
    explorer = DynamicsExplorer(surface="double well")
    assert explorer.eta is None and explorer.scene.surface.eta == 0.25
    page = opened(explorer)
    assert page.locator("[data-control=eta] output").inner_text() == "0.250"
    page.click("text=bowl")
    page.wait_for_timeout(100)
    assert page.locator("[data-control=eta] output").inner_text() == "0.100"
    explorer.surface, explorer.eta = "convex", 0.02
    assert explorer.scene.surface.eta == 0.02
    explorer.eta = None
    assert explorer.scene.surface.eta == 0.1
