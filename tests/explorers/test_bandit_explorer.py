"""The page plays the games that Python plays: same machines, same pulls, same beliefs, same regret."""

import numpy as np
import pytest
from racing import asked, engine

from bflo_viz import BanditExplorer
from bflo_viz.scenes.levers import DRIFTS, LENGTHS, ODDS, PLAYERS, YOU, play_levers

CASES = 16
FACTS = BanditExplorer._facts | {"players": list(PLAYERS)}
CODE = """
const { Levers, believed } = modules["bandit/scene.js"];
const played = (settings, facts, pulls) => {
  const machine = new Levers(settings, facts);
  const games = { ...machine.games, [facts.you]: machine.replayed(pulls) };
  const now = Math.floor(settings.rounds / 3);
  const told = Object.entries(games).map(([name, { machine: _, ...game }]) => [name, {
    ...game, tally: games[name].tally(now), believed: game.means ? believed(game, now) : null,
  }]);
  return { odds: machine.odds, pays: machine.pays, games: Object.fromEntries(told) };
};
const totals = (settings, facts, seeds) => seeds.map((seed) => {
  const { games } = new Levers({ ...settings, seed }, facts);
  return facts.players.map((name) => games[name].regret);
});
"""


@pytest.fixture(scope="module")
def racer():
    with engine("bandit/scene.js", code=CODE) as ready:
        yield ready


def setting(number):
    """Settings at random, corners among them, and pulls of yours: none, some, too many, and of levers beyond."""
    rng = np.random.default_rng([41, number])
    rounds = int(LENGTHS[number % 2] if number < CASES - 1 else LENGTHS[-1])
    count = int(rng.choice([0, 1, rng.integers(2, 2 * rounds)]))
    return {
        "seed": int(rng.choice([0, 2**32 - 1, rng.integers(2**32)])),
        "levers": int(rng.integers(2, 7)),
        "odds": list(ODDS)[number % len(ODDS)],
        "drift": list(DRIFTS)[number % len(DRIFTS)],
        "rounds": rounds,
        "eta": float(rng.choice([0.1, 3.0, rng.uniform(0.1, 3)])),
        "std": float(rng.choice([0.1, 3.0, rng.uniform(0.1, 3)])),
        "floor": float(rng.choice([0.0, 0.5, rng.uniform(0, 0.5)])),
        "epsilon": float(rng.choice([0.0, 0.5, rng.uniform(0, 0.5)])),
        "pulls": "".join(map(str, rng.integers(1, 7, count))),
    }


@pytest.mark.parametrize("number", range(CASES))
def test_the_page_plays_what_python_plays(racer, number):
    """All players and you, all rounds: levers, wins, regret, means, widths, counts and intervals."""
    case = setting(number)
    options = {name: value for name, value in case.items() if name != "seed"}
    scene = play_levers(np.random.RandomState(case["seed"]), **options)
    told = asked(racer, "played", {n: v for n, v in case.items() if n != "pulls"}, FACTS, case["pulls"])
    np.testing.assert_allclose(told["odds"], scene.odds, rtol=1e-12)
    np.testing.assert_array_equal(told["pays"], scene.pays)
    now = scene.at(scene.rounds // 3)
    assert list(scene.names) == [YOU] * bool(case["pulls"]) + list(PLAYERS)
    for name in scene.names:
        game = told["games"][name]
        np.testing.assert_array_equal(game["levers"], scene.pulls[name])
        np.testing.assert_array_equal(game["wins"], scene.wins(name))
        np.testing.assert_allclose(game["regret"], scene.regret(name), atol=1e-9)
        pulled, paid = now.tally(name)
        assert game["tally"] == [{"pulled": a, "paid": b} for a, b in zip(pulled, paid, strict=True)]
        if name == YOU:
            continue
        np.testing.assert_allclose(game["means"], scene.means[name], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(game["believed"], now.interval(name).T, rtol=1e-9, atol=1e-9)
        if name in scene.beliefs:
            widths = [belief.std for belief in scene.beliefs[name]]
            np.testing.assert_allclose(game["widths"], widths, rtol=1e-8, atol=1e-12)
