"""The learners of the page are those of Python: the same random numbers, and the same whole runs."""

import re

import numpy as np
import pytest
from engine_cases import KINDS, MODULES, PLAY, deviations, in_javascript, in_python, setting, stream
from py_mini_racer import JSEvalException
from racing import asked, engine

TOLERANCE = 1e-9
FEW, SHORT = 3 * len(KINDS), 500  # settings and rounds of every run of the tests
ALL, LONG = 200, 2_000  # those of `make soak`


@pytest.fixture(scope="module")
def racer():
    with engine(*MODULES, code=PLAY) as ready:
        yield ready


def whole_run(number, rounds):
    case = setting(number)
    X, y = stream(case, number, rounds)
    return case, X, y, in_python(case, X, y)


@pytest.fixture(scope="module")
def runs():
    """Settings, their streams, and their runs in Python."""
    return [whole_run(number, SHORT) for number in range(FEW)]


def worst_of(racer, runs):
    """The largest deviation of these runs by what it is one of, and of which learner."""
    worst = {}
    for case, X, y, ours in runs:
        for name, size in deviations(case, ours, in_javascript(racer, case, X, y)).items():
            what = f"{case['learner']} {case['belief'] or ''} {case['sizes'] or ''}: {name}"
            worst[what] = max(worst.get(what, 0.0), size)
    return worst


def hold(worst, count, rounds, record_property):
    what, size = max(worst.items(), key=lambda item: item[1])
    words = f"Runs in JavaScript and Python: {count} of {rounds:,} rounds (reflected full beliefs at most 500)"
    record_property("says", f"{words}, worst deviation {size:.1e} ({what}).")
    assert not {what: size for what, size in worst.items() if size > TOLERANCE}


def test_whole_runs_agree_with_python(racer, runs, record_property):
    """States, losses and labels of all rounds, and the numbers that are drawn after them."""
    hold(worst_of(racer, runs), FEW, SHORT, record_property)


@pytest.mark.slow
def test_many_whole_runs_agree_with_python(racer, record_property):
    """All settings; see above."""
    hold(worst_of(racer, (whole_run(number, LONG) for number in range(ALL))), ALL, LONG, record_property)


def test_settings_are_of_every_kind():
    """The few settings have what learners can be set to."""
    cases = [setting(number) for number in range(FEW)]
    flows = [c["options"] for c in cases if c["learner"] == "BeliefFlow"]
    for name, values in (("branch", {1, -1}), ("non_expansive", {True, False}), ("updates", {1, 3})):
        assert {o[name] for o in flows} == values
    assert {o["min_std"] > 0 for o in flows} == {True, False}
    assert {c["options"]["predicting"] for c in cases if c["learner"] == "AROW"} == {"mean", "sample"}
    assert {c["sizes"][-1] for c in cases if c["sizes"]} == {1, 3}


@pytest.mark.parametrize("seed", [0, 42, 2**32 - 1])
def test_random_numbers_are_those_of_numpy(racer, seed):
    """Over several twists of the state, uniform numbers to the bit, normal ones to the last digits, in any order."""
    draw = "(rng) => Array.from({ length: 3001 }, (_, i) => (i % 3 ? rng.standardNormal() : rng.random()))"
    mixed = asked(racer, f"(seed) => ({draw})(new RandomState(seed))".join("()"), seed)
    rng = np.random.RandomState(seed)
    wanted = [rng.standard_normal() if i % 3 else rng.random_sample() for i in range(3001)]
    np.testing.assert_allclose(mixed, wanted, rtol=1e-14, atol=0)
    assert mixed[::3] == wanted[::3]


def test_a_copy_comes_back_to_where_it_was_taken(racer):
    """A learner and its generator, taken apart from what goes on."""
    for number in (0, 5, 11, 12):
        case = setting(number) | {"options": {"eta": 0.1}}
        X, y = stream(case, number, 300)
        first, second = asked(racer, "twice", case, X.tolist(), y.tolist())
        assert first == second


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("new SGD(1, new Logistic(), { eta: 1e300 }).step([1e300], 1, rng)", "weights must be finite"),
        ("new AROW(1).step([1e300], 1, rng)", "the belief must stay wider"),
        (
            "new BeliefFlow(new DiagonalBelief([0], 1), new Logistic(), { eta: 1e300 }).step([1e300], 0, rng)",
            "the belief must stay finite",
        ),
    ],
)
def test_what_cannot_be_learnt_is_refused(racer, call, says):
    with pytest.raises(JSEvalException, match=re.escape(says)):
        racer.eval(f"{{ const rng = new RandomState(1); {call} }}")
