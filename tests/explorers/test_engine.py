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


@pytest.mark.parametrize(
    ("learner", "right", "wrong"),
    [
        ("BeliefFlow", "(-2 * Math.log(square)) / square", "-2 * Math.log(square)"),
        ("BeliefFlow", "if (nonExpansive && newWidth > width) newWidth = width;", ""),
        ("BeliefFlow", "if (std[i] < minStd) std[i] = minStd;", ""),
        ("BeliefFlow", "x[Math.floor(i / units)] !== 0", "x[i % inputs] !== 0"),
        ("BeliefFlow", "w[i] - eta * gradient[i]", "w[i] - 1.0000001 * eta * gradient[i]"),
        ("BeliefFlow", "if (update === 0) this._predicted(y);", "this._predicted(y);"),
        ("BeliefFlow", "this.stretch * u * (after[i] / v)", "this.stretch * before[i]"),
        ("BeliefFlow", "this._logDet += Math.log(Math.abs(a));", ""),
        ("SGD", "back * a * (1 - a)", "back * (1 - a)"),
        ("Langevin", "precision * weights[i]", "precision"),
        ("Dropout", "out[i] *= share", "out[i] *= 1"),
        ("AROW", "(1 - Math.sqrt(r / total)) / variance", "(1 - r / total) / variance"),
    ],
)
def test_a_wrong_engine_is_found(runs, learner, right, wrong):
    """The comparison can fail: each of these mistakes is seen."""
    with engine(*MODULES, code=PLAY, mistake=(right, wrong)) as broken:
        for run in (run for run in runs if run[0]["learner"] == learner):
            try:
                if max(worst_of(broken, [run]).values()) > TOLERANCE:
                    return
            except JSEvalException:  # it refuses what is right
                return
    pytest.fail("no run has noticed")


@pytest.mark.parametrize("number", [0, 5, 11, 12])
def test_steps_and_runs_and_copies_are_the_same_rounds(racer, number):
    """A run is its steps to the bit, and a copy of a learner and its generator comes back to where it was taken."""
    case = setting(number) | {"options": {"eta": 0.1}}
    X, y = stream(case, number, 300)
    racer.eval("""
    var same = (setting, X, y) => {
      const [stepped, run] = [made(setting), made(setting)];
      const rng = new RandomState(5);
      const record = run.run(X, y, rng.copy(), { blocks: 7 });
      let [copied, mistakes, loss] = [null, 0, 0];
      y.forEach((target, n) => {
        if (n === 100) copied = { learner: stepped.copy(), rng: rng.copy() };
        const round = stepped.step(X[n], target, rng);
        mistakes += round.label !== target;
        loss += round.loss;
      });
      copied.learner.run(Float64Array.from(X.slice(100).flat()), y.slice(100), copied.rng);
      const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
      const gaps = [sum(record.mistakes) - mistakes, sum(record.loss) - loss, rng.random() - copied.rng.random()];
      return [[run, copied.learner, stepped].map((learner) => JSON.stringify(stateOf(learner))), gaps];
    };""")
    states, gaps = asked(racer, "same", case, X.tolist(), y.tolist())
    assert len({*states}) == 1
    np.testing.assert_allclose(gaps, 0, atol=1e-9)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("new RandomState(0.5)", "seed must be a whole number from 0 to 2**32 - 1, but it was 0.5."),
        ("new RandomState(2 ** 32)", "seed must be a whole number from 0"),
        ("new SGD(2).step([1], 1, rng)", "x must have 2 features, as this learner has, but it has 1."),
        ("new SGD(2).step([1, 2], 2, rng)", "y must be a class from 0 to 1, but it was 2."),
        ("new SGD(1, new Logistic(), { eta: 1e300 }).step([1e300], 1, rng)", "weights must be finite"),
        ("new AROW(1).step([1e300], 1, rng)", "features must not narrow"),
        ("new BeliefFlow(new DiagonalBelief([0, 0], 1), new MLP([2, 1]))", "belief must have the 3 weights"),
        (
            "new BeliefFlow(new DiagonalBelief([0], 1), new Logistic(), { eta: 1e300 }).step([1e300], 0, rng)",
            "the belief must stay finite",
        ),
    ],
)
def test_what_cannot_be_learnt_is_refused(racer, call, says):
    with pytest.raises(JSEvalException, match=re.escape(says)):
        racer.eval(f"{{ const rng = new RandomState(1); {call} }}")
