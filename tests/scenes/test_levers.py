"""Levers: the machine is what the settings say, players learn by the book, and regret is what was missed."""

import functools
import math

import numpy as np
import pytest
from bflo_viz.learners.levers import EpsilonGreedy, Thompson, play
from hypothesis import given
from hypothesis import strategies as st
from oracles import printed_stretch

from bflo_viz import BeliefFlow, DiagonalBelief, SphericalBelief
from bflo_viz.scenes.levers import CLIPPED, DRIFTS, FALLEN, FAR, FLOW, GREEDY, ODDS, PLAYERS, RISEN, YOU, play_levers

ROUNDS = 200


@functools.cache
def made(seed=0, rounds=ROUNDS, **settings):
    return play_levers(np.random.default_rng(seed), rounds=rounds, **settings)


@pytest.mark.parametrize("kind", ODDS)
@pytest.mark.parametrize("seed", range(5))
def test_the_odds_are_what_the_settings_say(kind, seed):
    """Where they begin; which change at half-time, and to what; and a walk goes by small steps, within its ends."""
    low, high = ODDS[kind]
    still = made(seed, odds=kind, drift="none", levers=4).odds
    assert (still == still[0]).all() and ((low <= still) & (still <= high)).all()
    if kind != "drawn":
        assert sorted(still[0]) == [low, low, low, high]
    for drift, end in (("rise", RISEN), ("fall", FALLEN)):
        odds = made(seed, odds=kind, drift=drift, levers=4).odds
        np.testing.assert_array_equal(odds[: ROUNDS // 2], still[: ROUNDS // 2])
        (changed,) = np.flatnonzero((odds != still).any(axis=0))
        assert (odds[ROUNDS // 2 :, changed] == end).all()
        assert (changed == still[0].argmax()) == (drift == "fall")
        assert odds[-1].argmax() == changed if drift == "rise" else odds[-1].argmin() == changed
    walk = made(seed, odds=kind, drift="walk", levers=4).odds
    log_odds = np.log(walk / (1 - walk))
    np.testing.assert_allclose(walk[0], still[0])
    assert np.abs(log_odds).max() <= FAR and 0.05 < np.diff(log_odds, axis=0).std() < 0.15
    assert np.abs(np.diff(log_odds, axis=0)).max() < 0.6


def test_a_walk_turns_back_at_its_ends():
    """In many rounds it is everywhere between them, and never beyond."""
    odds = made(3, rounds=2000, drift="walk", levers=8, eta=0.0, std=1e-9).odds
    log_odds = np.log(odds / (1 - odds))
    assert np.abs(log_odds).max() <= FAR + 1e-9 and log_odds.min() < -0.9 * FAR and log_odds.max() > 0.9 * FAR
    assert np.abs(np.diff(log_odds, axis=0)).max() < 0.6


def test_all_play_the_same_machine_and_outcomes_follow_the_odds():
    """Whatever the players are like; and more rounds begin with the same ones."""
    base = made(drift="none", odds="clear")
    for change in ({"eta": 0.2}, {"std": 2.0}, {"floor": 0.3}, {"epsilon": 0.4}, {"pulls": "123"}):
        np.testing.assert_array_equal(made(drift="none", odds="clear", **change).pays, base.pays)
    longer = made(drift="none", odds="clear", rounds=1000)
    np.testing.assert_array_equal(longer.pays[:ROUNDS], base.pays)
    for name in PLAYERS:
        np.testing.assert_array_equal(longer.pulls[name][:ROUNDS], base.pulls[name])
    np.testing.assert_allclose(longer.pays.mean(axis=0), longer.odds[0], atol=0.06)
    assert not np.array_equal(made(1, drift="none", odds="clear").pays, base.pays)


@pytest.mark.parametrize("non_expansive", [False, True])
def test_a_flow_plays_by_the_book(non_expansive):
    """Sample all levers, pull the largest, let its weight step, let that belief alone flow: in plain numbers."""
    name = CLIPPED if non_expansive else FLOW
    scene = made(levers=3, drift="walk", eta=0.7, std=1.3, floor=0.05)
    seed = int(2**32 * np.random.default_rng(0).random(4)[3])
    rng, mean, std = np.random.default_rng(seed), [0.0] * 3, [1.3] * 3
    for n in range(ROUNDS):
        sample = [m + s * z for m, s, z in zip(mean, std, rng.standard_normal(3), strict=True)]
        k = sample.index(max(sample))
        assert scene.pulls[name][n] == k
        moved = sample[k] - 0.7 * (1 / (1 + math.exp(-sample[k])) - scene.pays[n, k])
        a = float(printed_stretch((sample[k] - mean[k]) / std[k], (moved - mean[k]) / std[k]))
        a = min(a, 1.0) if non_expansive else a
        mean[k], std[k] = moved - a * (sample[k] - mean[k]), max(0.05, a * std[k])
        np.testing.assert_allclose(scene.means[name][n + 1], mean, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(scene.beliefs[name][n + 1].std, std, rtol=1e-8)


def test_sgd_plays_by_the_book():
    """The largest weight, or with probability epsilon any lever; only the weight of that lever steps."""
    scene = made(levers=4, drift="walk", eta=0.7, epsilon=0.3)
    rng, weights = np.random.default_rng(int(2**32 * np.random.default_rng(0).random(4)[3])), [0.0] * 4
    for n in range(ROUNDS):
        tries, which = rng.random(2)
        k = int(4 * which) if tries < 0.3 else weights.index(max(weights))
        assert scene.pulls[GREEDY][n] == k
        weights[k] -= 0.7 * (1 / (1 + math.exp(-weights[k])) - scene.pays[n, k])
        np.testing.assert_allclose(scene.means[GREEDY][n + 1], weights, rtol=1e-9)


@pytest.mark.parametrize("drift", DRIFTS)
def test_wins_and_regret_are_those_of_a_plain_loop(drift):
    """Of all players and of you: best odds of the round less those of the lever that was pulled, summed up."""
    scene = made(drift=drift, odds="drawn", levers=3, pulls="31226" * 30)
    for name in scene.names:
        wins, regret = 0, 0.0
        for n, lever in enumerate(scene.pulls[name]):
            wins += bool(scene.pays[n][lever])
            regret += max(scene.odds[n]) - scene.odds[n][lever]
            assert scene.wins(name)[n + 1] == wins and scene.regret(name)[n + 1] == pytest.approx(regret)
        assert scene.wins(name)[0] == scene.regret(name)[0] == 0
    if drift == "none":  # then it is that against the best fixed lever
        total = ROUNDS * scene.odds[0].max() - scene.odds[0][scene.pulls[FLOW]].sum()
        assert scene.regret(FLOW)[-1] == pytest.approx(total)


@given(st.text("123456", max_size=400))
def test_your_pulls_are_replayed(pulls):
    """A digit a round, no more than there are rounds; of a lever that is not there, the last is pulled."""
    scene = made(levers=3).replayed(pulls)
    assert scene.pulls.get(YOU, np.array([])).tolist() == [min(int(digit), 3) - 1 for digit in pulls[:ROUNDS]]
    assert (YOU in scene.names) == bool(pulls) and scene.names[-3:] == PLAYERS
    if pulls:
        pulled, paid = scene.tally(YOU)
        assert pulled.sum() == min(len(pulls), ROUNDS) and paid.sum() == scene.wins(YOU)[-1]
        shares = scene.interval(YOU)[1]
        np.testing.assert_array_equal(np.isnan(shares), pulled == 0)


@pytest.mark.parametrize("pulls", ["0", "12a", "7", "١", 12, None, "1 2"])
def test_pulls_that_are_none_get_a_sentence(pulls):
    with pytest.raises(ValueError, match=r"^pulls must be digits from 1 to 6 such as '1132', but it was .*\.$"):
        made().replayed(pulls)


def test_words_tell_no_odds_before_they_may_be_seen():
    """Wins and pulls of all; regret and odds only in an open game; who stopped early is said to have."""
    scene = made(drift="fall", floor=0.1, pulls="1" * 50).at(120)
    words, hidden = scene.words(), scene.at(120, open=False).words()
    assert words.startswith(
        "After 120 of 200 rounds with 3 levers (close odds, a best lever that falls at half-time)"
    )
    assert f"you {scene.wins(YOU)[50]} wins, regret {scene.regret(YOU)[50]:.1f} after 50 (pulls 50/0/0)" in words
    assert "regret" not in hidden and "odds now" not in hidden and "no width below 0.1" in hidden
    assert f"The odds now are {', '.join(f'{x:.2f}' for x in scene.odds[119])}." in words
    assert "nobody has pulled" in scene.at(0).words()
    assert [scene.at(now, open=False).reach for now in (0, 20, 21, 130)] == [20, 20, 50, 200] and scene.reach == 200


def test_the_sample_that_chose_is_the_one_that_flows():
    """With any belief; a step without a choice, and a run, draw as those of any flow; to forget forgets a choice."""
    for belief in (DiagonalBelief(np.zeros(3), 1.0), SphericalBelief(np.zeros(3), 1.0)):
        learner, rng = Thompson(belief, eta=0.5), np.random.default_rng(1)
        z = np.random.default_rng(1).standard_normal(3)
        lever = learner.choose(rng)
        outcome = learner.step(np.eye(3)[lever], 1, rng)
        assert lever == z.argmax()
        np.testing.assert_array_equal(outcome.weights, z)
        plain, other = BeliefFlow(learner.belief, eta=0.5), np.random.default_rng(2)
        np.testing.assert_array_equal(
            learner.step([1, 0, 1], 0, np.random.default_rng(2)).weights, plain.step([1, 0, 1], 0, other).weights
        )
    learner.choose(rng)
    learner.reset()
    np.testing.assert_array_equal(learner.step(np.ones(3), 1, np.random.default_rng(1)).weights, z)
    learner.reset()
    learner.choose(np.random.default_rng(1))
    learner.run(np.ones((2, 3)), [1, 1], np.random.default_rng(5))
    plain = BeliefFlow(belief, eta=0.5)
    plain.run(np.ones((1, 3)), [1], np.random.default_rng(1))
    plain.run(np.ones((1, 3)), [1], np.random.default_rng(5))
    np.testing.assert_allclose(learner.belief.mean, plain.belief.mean)


def test_wrong_settings_get_a_sentence():
    for settings, words in (
        ({"odds": "even"}, r"^odds must be 'close' or 'clear' or 'drawn', but it was 'even'\.$"),
        ({"drift": "jump"}, r"^drift must be 'none' or .*, but it was 'jump'\.$"),
        ({"epsilon": 1.5}, r"^epsilon must be below 1, but it was 1\.5\.$"),
        ({"levers": 0}, "^levers must be a whole number, 1 or more"),
    ):
        with pytest.raises(ValueError, match=words):
            play_levers(np.random.default_rng(0), **settings)
    with pytest.raises(ValueError, match=r"^pays must have 2 columns, one for each lever, but it has 3\.$"):
        play(EpsilonGreedy(2), np.ones((5, 3)), np.random.default_rng(0))
