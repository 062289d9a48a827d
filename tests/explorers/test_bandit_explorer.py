"""The page plays the games that Python plays: same machines, same pulls, same beliefs, same regret."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from racing import asked, engine
from traitlets import TraitError

from bflo_viz import BanditExplorer, DiagonalBelief
from bflo_viz.explorers.player import computed
from bflo_viz.scenes.levers import (
    DRIFTS,
    GAMES,
    LENGTHS,
    MEASURED,
    ODDS,
    PLAYERS,
    YOU,
    measured_in_words,
    play_levers,
)

CASES = 16
FACTS = BanditExplorer._facts | {"players": list(PLAYERS)}
CODE = """
const { nearest } = modules["shared/kit.js"];
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
  return facts.players.map((name) => games[name].regret.at(-1));
});
"""


@pytest.fixture(scope="module")
def racer():
    with engine("bandit/scene.js", "shared/kit.js", code=CODE) as ready:
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


def totals(racer, **settings):
    """Regret of the flow, of that which may not widen, and of SGD, in many games with these settings."""
    explorer = BanditExplorer(**settings)
    values = {name: getattr(explorer, name) for name in ("rounds", *BanditExplorer._settings)}
    return np.array(asked(racer, "totals", values, FACTS, list(range(GAMES))))


@pytest.mark.parametrize("drift", DRIFTS)
def test_what_is_said_of_many_games_is_true(racer, drift):
    """The numbers that the words have; and that what they call larger is larger, beyond chance."""
    regret = totals(racer, drift=drift)
    errors = regret.std(axis=0, ddof=1) / np.sqrt(GAMES)
    for i, (mean, error) in enumerate(MEASURED[drift][0]):
        assert regret[:, i].mean() == pytest.approx(mean, abs=0.06) and errors[i] == pytest.approx(error, abs=0.06)
        assert f"{PLAYERS[i]} {mean} ± {error}" in measured_in_words(drift)
    assert measured_in_words(drift) in BanditExplorer._facts["words"]["measured"][drift]

    def beyond_chance(lost, least):
        """By how many standard errors one lost more than another in the same games."""
        more = regret[:, lost] - regret[:, least]
        return more.mean() / (more.std(ddof=1) / np.sqrt(GAMES))

    flow, clipped, sgd = range(3)
    if drift == "rise":  # tries at random find it first, then a belief that may widen, then one that may not
        assert beyond_chance(flow, sgd) > 3 and beyond_chance(clipped, flow) > 3
    else:  # both flows alike or the other way round, and SGD pays for its tries
        assert beyond_chance(clipped, flow) < 2 and beyond_chance(sgd, flow) > 2 and beyond_chance(sgd, clipped) > 1.5
    if drift == "fall":
        assert beyond_chance(flow, clipped) > 2


@pytest.mark.parametrize("settings", [{"eta": 0.2}, {"floor": 0.5}])
def test_short_steps_or_a_floor_help_where_a_lever_rises(racer, settings):
    """Then the flow that may not widen misses no more than the other."""
    flow, clipped, _ = totals(racer, drift="rise", **settings).mean(axis=0)
    assert clipped < flow + 1


@given(st.one_of(st.text(max_size=30), st.text("123456", max_size=1100), st.none(), st.integers(), st.booleans()))
def test_a_page_takes_the_nearest_pulls_and_python_says_what_is_wrong(racer, value):
    """What is no digit of a lever is left out, and what is too long is cut; in Python it is one sentence."""
    used = asked(racer, "nearest", BanditExplorer.about()["controls"]["pulls"], value)
    assert used == ("".join(c for c in value if c in "123456")[:1000] if isinstance(value, str) else "")
    if used == value:
        assert BanditExplorer(pulls=value).pulls == value
        return
    with pytest.raises(TraitError) as raised:
        BanditExplorer(pulls=value)
    words = str(raised.value)
    assert words.startswith("pulls must be at most 1000 digits from 1 to 6, such as '1132', but it was ")
    assert len(words) < 200 and words.endswith(".")


def test_the_odds_are_seen_when_the_game_is_over_or_on_request():
    """Over is a game whose last round is shown, or which you have played to its end."""
    explorer = BanditExplorer(rounds=100, round=60)
    assert not explorer.scene.open and "regret" not in repr(explorer)
    for name, value, before in (("show", True, False), ("round", 100, 60), ("pulls", "12" * 50, "")):
        setattr(explorer, name, value)
        assert explorer.scene.open and "regret" in repr(explorer), name
        setattr(explorer, name, before)
    explorer.round = 1000
    assert explorer.scene.now == 100 and isinstance(explorer.posterior[PLAYERS[0]], DiagonalBelief)


def test_python_plays_once_for_all_of_your_pulls():
    """A pull changes nothing for the others: they are not asked to play again, and not before Python asks."""
    computed.cache_clear()
    explorer = BanditExplorer(rounds=100)
    explorer.set_state({"pulls": "1", "round": 1})
    assert computed.cache_info().misses == 0
    for explorer.pulls in ("1", "12", "123"):
        assert explorer.scene.tally(YOU)[0].sum() == 1
    assert computed.cache_info().misses == 1
