"""Network: the page's runs are those of the script that it copies, and what it draws is what the networks say."""

import numpy as np
import pytest
from traitlets import TraitError

from bflo_viz import NetworkExplorer
from bflo_viz.explorers.network import DATA, LEARNERS, SPAN

ROUNDS, CELLS = 400, 8
ASK = """
globalThis.performance ??= { now: () => Date.now() };
const { Run, scriptOf } = modules["views/network_scene.js"];
const { Opinions } = modules["views/network_opinions.js"];
const play = (setting, stops) => {
  const run = new Run(setting, 5, 40);
  for (const round of stops) run.towards(round);
  const w = () => new Float64Array(run.dim);
  const learners = run.names.map((_, i) => {
    const opinions = new Opinions(run, i, %d, setting.span);
    opinions.update(Infinity);
    const networks = Array.from({ length: run.votes(i) }, (_, which) => [...run.network(i, which, w())]);
    const { belief } = run.state.learners[i];
    const said = { says: [...opinions.mean.values], doubt: [...opinions.doubt.values], numbers: opinions.numbers() };
    return { mean: [...run.mean(i, w())], std: [...(belief?.std ?? [])], networks, ...said };
  });
  return { learners, script: scriptOf({ ...setting, round: stops.at(-1) }), tests: run.tests };
};
const far = (setting, stops) => {
  const run = new Run(setting, 2, 5);
  const look = (round) => {
    run.towards(round);
    return JSON.stringify([run.state.mistakes, [...run.state.learners[0].weights], run.state.plane.x]);
  };
  const first = stops.map(look);
  const isSame = stops.toReversed().every((round) => look(round) === first[stops.indexOf(round)]);
  return { isSame, kept: run.kept.length, curve: run.curve.length };
};
"""


@pytest.fixture(scope="module")
def ask(in_v8):
    return in_v8(ASK % CELLS, "views/network_scene.js", "views/network_opinions.js")


def setting(number):
    """A setting of this number: all data and learners come up, and networks from none to three hidden layers."""
    rng = np.random.default_rng([47, number])
    data, learner = list(DATA)[number % len(DATA)], list(LEARNERS)[number % len(LEARNERS)]
    explorer = NetworkExplorer(
        data=data,
        learner=learner,
        rival=str(rng.choice([*LEARNERS])),
        flip=float(rng.choice([0, 0.2])),
        noise=float(rng.choice([0, 0.1, 1])),
        hidden=rng.integers(1, 9, number % 4).tolist(),
        std=float(rng.choice([0.5, 2])),
        min_std=float(rng.choice([0, 0.4])),
        updates=int(rng.integers(1, 4)),
        rate=float(rng.choice([0.3, 1])),
        drop=float(rng.choice([0.2, 0.6])),
        seed=[0, 2**32 - 1, 5][number % 3],
    )
    return {**explorer.state, **explorer.constants}


@pytest.mark.parametrize("number", range(12))
def test_the_page_learns_what_its_script_learns(ask, number):
    """To nine digits over 400 rounds, with ways back as when the round is dragged; each as if it were alone."""
    chosen = setting(number)
    seen = ask("play", chosen, [130, 61, ROUNDS])
    for place, name in enumerate((chosen["learner"], chosen["rival"])):
        told = seen["learners"][place]
        made = {}
        exec(seen["script"] if place == 0 else ask("play", {**chosen, "learner": name}, [ROUNDS])["script"], made)
        learner, model = made["learner"], made["model"]
        mean = learner.weights_for_prediction() if learner.belief is None else learner.belief.mean
        np.testing.assert_allclose(told["mean"], mean, rtol=1e-9, atol=1e-9)
        if learner.belief is not None:
            np.testing.assert_allclose(told["std"], learner.belief.std, rtol=1e-9, atol=1e-9)
            *_, fan = (int(2**32 * draw) for draw in np.random.RandomState(chosen["seed"]).random(4))
            normals = np.random.RandomState(fan).standard_normal((5, model.size()))
            np.testing.assert_allclose(told["networks"], learner.belief.weight(normals), rtol=1e-9, atol=1e-8)
        if name == "dropout":
            kept = np.mean([np.array(w) != 0 for w in told["networks"]]) if chosen["hidden"] else 1
            assert (kept < 1) == bool(chosen["hidden"])
        said_like_the_model(told, model, seen["tests"])


def said_like_the_model(told, model, tests):
    """The map of the mean, how much the networks differ at each place, and mistakes on new examples."""
    middles = SPAN * ((2 * np.arange(CELLS) + 1) / CELLS - 1)
    places = np.column_stack([part.ravel() for part in np.meshgrid(middles, middles)])
    np.testing.assert_allclose(told["says"], model.predict_many(np.array(told["mean"]), places)[:, 0], atol=1e-9)
    said = [model.predict_many(np.array(w), places)[:, 0] for w in told["networks"]]
    np.testing.assert_allclose(told["doubt"], np.std(said, axis=0) if said else np.zeros(CELLS**2), atol=1e-9)
    new = model.predict_many(np.array(told["mean"]), np.array([[one["x"], one["y"]] for one in tests]))[:, 0] > 0.5
    wrong, unsure = (
        100 * np.mean(new != [one["truth"] == 1 for one in tests]),
        100 * np.mean(np.array(told["doubt"]) > 0.2),
    )
    assert told["numbers"] == pytest.approx([wrong, unsure])


def test_any_round_can_be_gone_back_to_and_memory_is_bounded(ask):
    far = ask(
        "far",
        {**setting(2), "learner": "SGD", "rival": "none", "hidden": [3], "updates": 1},
        [0, 1, 777, 12345, 20_000],
    )
    assert far["isSame"] and 32 <= far["kept"] <= 65 and 128 <= far["curve"] <= 256


def traits(page):
    return page.evaluate("() => ({ ...document.querySelector('.bflo').bflo.state })")


def test_units_come_and_go_one_by_one(opened):
    """A layer keeps a unit at least, whichever other layers there are; layers have a button of their own."""
    page = opened(NetworkExplorer(hidden=[3, 6], round=20))
    fewer = page.get_by_label("Fewer units in hidden layer 1")
    for _ in range(5):
        fewer.click()
    assert traits(page)["hidden"] == [1, 6]
    page.get_by_label("More units in hidden layer 2").click()
    page.get_by_label("More hidden layers").click()
    assert traits(page)["hidden"] == [1, 7, 4]
    for _ in range(3):
        page.get_by_label("Fewer hidden layers").click()
    assert traits(page)["hidden"] == [] and page.locator(".bflo-alert").inner_text() == ""


def test_a_setting_changed_while_it_plays_keeps_the_round(opened):
    """The new run catches up before the round goes on; when it stands still, the page stands still."""
    page = opened(NetworkExplorer(round=3000, speed=300))
    page.click("text=Play")
    page.wait_for_timeout(300)
    page.evaluate("() => document.querySelector('.bflo').bflo.set({ data: 'circles' })")  # as Python does
    page.wait_for_timeout(100)
    assert traits(page)["round"] >= 3000 and traits(page)["playing"]
    page.click(".bflo-go")
    words = "() => document.querySelector('.bflo-say').textContent"
    page.wait_for_function(f"(round) => ({words})().includes(round)", arg=f"{traits(page)['round']:,}")
    page.wait_for_timeout(400)
    painted = page.evaluate("() => document.querySelector('.bflo').dataset.painted")
    page.wait_for_timeout(300)
    assert page.evaluate("() => document.querySelector('.bflo').dataset.painted") == painted


@pytest.mark.parametrize("hidden", [[0], [1] * 4, [2.5]])
def test_bad_layers_are_refused(hidden):
    with pytest.raises(TraitError, match="hidden"):
        NetworkExplorer(hidden=hidden)
