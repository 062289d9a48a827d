"""The learners of the page are those of Python: the same random numbers, and the same whole runs."""

import json
import os
import re
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from engine_cases import (
    KINDS,
    PLAY,
    REFLECTED_ROUNDS,
    ROUNDS,
    as_javascript,
    deviations,
    in_javascript,
    in_python,
    made,
    setting,
    stream,
)
from py_mini_racer import JSEvalException, MiniRacer

import bflo_viz
from bflo_viz.explorers.page import SHARED, module, script

ENGINE = Path(bflo_viz.__file__).with_name("explorers") / "engine"
TOLERANCE = 1e-9
FEW, ALL = 42, 200  # settings: those of every run of the tests, and those of `make soak`
EXPORTS = {
    "random.js": "RandomState",
    "models.js": "Logistic, MLP",
    "beliefs.js": "SphericalBelief, DiagonalBelief, FullBelief",
    "learners/sgd.js": "SGD",
    "learners/langevin.js": "Langevin",
    "learners/dropout.js": "Dropout",
    "learners/arow.js": "AROW",
    "learners/belief_flow.js": "BeliefFlow",
}


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """The engine as a page gets it: one text."""
    entry = tmp_path_factory.mktemp("engine") / "entry.js"
    place = Path(os.path.relpath(ENGINE, entry.parent)).as_posix()
    entry.write_text("".join(f'import {{ {names} }} from "{place}/{name}";\n' for name, names in EXPORTS.items()))
    return module(entry)


def engine(text):
    """A JavaScript engine that knows this text, to be closed."""
    racer = MiniRacer()
    racer.eval(text + PLAY)
    return closing(racer)


@pytest.fixture(scope="module")
def racer(text):
    with engine(text) as ready:
        yield ready


@pytest.fixture(scope="module")
def runs():
    """Settings, their streams, and their runs in Python."""
    return [whole_run(number) for number in range(FEW)]


def whole_run(number):
    case = setting(number)
    X, y = stream(case, number)
    return case, X, y, in_python(case, X, y)


def worst_of(racer, runs):
    """The largest deviation of these runs by what it is one of, and of which learner."""
    worst = {}
    for case, X, y, ours in runs:
        for name, size in deviations(case, ours, in_javascript(racer, case, X, y)).items():
            what = f"{case['learner']} {case['belief'] or ''} {case['sizes'] or ''}: {name}"
            worst[what] = max(worst.get(what, 0.0), size)
    return worst


def told(count, worst):
    what, size = max(worst.items(), key=lambda item: item[1])
    lengths = f"{ROUNDS:,} rounds (reflected full beliefs {REFLECTED_ROUNDS})"
    return f"Runs in JavaScript and Python: {count} of {lengths}, worst deviation {size:.1e} ({what})."


@pytest.mark.parametrize("seed", [0, 1, 42, 2**31, 2**32 - 1])
def test_random_numbers_are_those_of_numpy(racer, seed):
    """Uniform numbers to the bit over several twists of the state, normal ones to the last digits, in any order."""
    rng = np.random.RandomState(seed)
    uniform = list(
        racer.eval(f"{{const rng = new RandomState({seed}); Array.from({{length: 2000}}, () => rng.random())}}")
    )
    assert uniform == rng.random_sample(2000).tolist()
    draw = "(i) => (i % 3 ? rng.standardNormal() : rng.random())"
    mixed = list(
        racer.eval(f"{{const rng = new RandomState({seed}); Array.from({{length: 3001}}, (_, i) => ({draw})(i))}}")
    )
    rng.seed(seed)
    wanted = [rng.standard_normal() if i % 3 else rng.random_sample() for i in range(3001)]
    np.testing.assert_allclose(mixed, wanted, rtol=1e-14, atol=0)
    assert mixed[::3] == wanted[::3]


@pytest.mark.parametrize("seed", ["-1", "2 ** 32", "0.5", "NaN", "'0'"])
def test_other_seeds_are_refused(racer, seed):
    with pytest.raises(JSEvalException, match="seed must be a whole number from 0"):
        racer.eval(f"new RandomState({seed})")


def test_whole_runs_agree_with_python(racer, runs, record_property):
    """States, losses and labels of all rounds, and the numbers that are drawn after them."""
    worst = worst_of(racer, runs)
    record_property("says", told(len(runs), worst))
    assert not {what: size for what, size in worst.items() if size > TOLERANCE}


@pytest.mark.slow
def test_many_whole_runs_agree_with_python(racer, record_property):
    """All settings; see above."""
    worst = worst_of(racer, map(whole_run, range(ALL)))
    record_property("says", told(ALL, worst))
    assert not {what: size for what, size in worst.items() if size > TOLERANCE}


def test_settings_are_of_every_kind():
    """The few settings have each learner, belief and model, and what they can be set to."""
    cases = [setting(number) for number in range(FEW)]
    assert {(c["learner"], c["belief"], c["sizes"] is not None) for c in cases} == set(KINDS)
    flows = [c["options"] for c in cases if c["learner"] == "BeliefFlow"]
    assert {o["branch"] for o in flows} == {1, -1}
    assert {o["non_expansive"] for o in flows} == {True, False}
    assert {o["min_std"] > 0 for o in flows} == {True, False}
    assert {o["updates"] for o in flows} == {1, 3}
    assert len({(c["belief"], c["options"]["predicting"]) for c in cases if c["learner"] == "AROW"}) == 4
    assert {c["sizes"][-1] for c in cases if c["sizes"]} == {1, 3}


@pytest.mark.parametrize(
    ("learner", "right", "wrong"),
    [
        ("BeliefFlow", "(-2 * Math.log(square)) / square", "-2 * Math.log(square)"),
        ("BeliefFlow", "if (nonExpansive && newWidth > width) newWidth = width;", ""),
        ("BeliefFlow", "branch < 0 ? -shift : shift", "shift"),
        ("BeliefFlow", "if (std[i] < minStd) std[i] = minStd;", ""),
        ("BeliefFlow", "return x[i] !== 0;", "return true;"),
        ("BeliefFlow", "x[Math.floor(i / units)] !== 0", "x[i % inputs] !== 0"),
        ("BeliefFlow", "w[i] - eta * gradient[i]", "w[i] - 1.0000001 * eta * gradient[i]"),
        ("BeliefFlow", "if (update === 0) this._predicted(y);", "this._predicted(y);"),
        ("BeliefFlow", "const loss = (1 / a - 1) * e[i];", "const loss = (1 - a) * e[i];"),
        ("BeliefFlow", "Math.max(values[k], floor)", "values[k]"),
        ("BeliefFlow", "this.stretch * u * (after[i] / v)", "this.stretch * before[i]"),
        ("BeliefFlow", "this._logDet += Math.log(Math.abs(a));", ""),
        ("BeliefFlow", "- this._target(y, k)) / outputs", "- this._target(y, k))"),
        ("SGD", "back * a * (1 - a)", "back * (1 - a)"),
        ("SGD", "this.std * rng.standardNormal()", "rng.standardNormal()"),
        ("Langevin", "0.5 * this.eta", "this.eta"),
        ("Langevin", "precision * weights[i]", "precision"),
        ("Langevin", "if (noise) weights", "weights"),
        ("Dropout", "rng.random() < rate", "rng.random() >= rate"),
        ("Dropout", "if (l === 0 && x[j] === 0) continue;", ""),
        ("Dropout", "out[i] *= share", "out[i] *= 1"),
        ("Dropout", "(keep[i] * gradient[i])", "gradient[i]"),
        ("AROW", "(spread[i] * (r + rest))", "(spread[i] * r)"),
        ("AROW", "full || x[i] !== 0", "true"),
        ("AROW", "(1 - Math.sqrt(r / total)) / variance", "(1 - r / total) / variance"),
        ("AROW", "this._logDet += narrowing;", ""),
    ],
)
def test_a_wrong_engine_is_found(text, runs, learner, right, wrong):
    """The comparison can fail: each of these mistakes is seen."""
    assert right in text
    with engine(text.replace(right, wrong)) as broken:
        for run in (run for run in runs if run[0]["learner"] == learner):
            try:
                worst = worst_of(broken, [run])
            except JSEvalException:  # it refuses what is right
                return
            if max(worst.values()) > TOLERANCE:
                return
    pytest.fail("no run has noticed")


@pytest.mark.parametrize("number", range(len(KINDS)))
def test_steps_and_runs_and_copies_are_the_same_rounds(racer, number):
    """A run is its steps to the bit, and a copy of a learner and its generator comes back to where it was taken."""
    case = setting(number)
    X, y = stream(case, number, 300)
    racer.eval("""
    var same = (text, X, y) => {
      const setting = JSON.parse(text);
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
      const before = JSON.stringify(stateOf(stepped));
      copied.learner.run(Float64Array.from(X.slice(100).flat()), y.slice(100), copied.rng);
      const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
      const states = [run, copied.learner, stepped].map((learner) => JSON.stringify(stateOf(learner)));
      const gaps = [sum(record.mistakes) - mistakes, sum(record.loss) - loss, rng.random() - copied.rng.random()];
      return JSON.stringify([[before, ...states], [sum(record.rounds), copied.learner.rounds], gaps]);
    };""")
    options = {"learner": case["learner"], "belief": case["belief"], "features": case["features"]}
    options |= {"sizes": case["sizes"], "bias": case["bias"], "std": case["std"], "options": {"eta": 0.1}}
    states, rounds, gaps = json.loads(racer.call("same", json.dumps(options), X.tolist(), y.tolist()))
    assert len({*states}) == 1
    assert rounds == [300, 300]
    np.testing.assert_allclose(gaps, 0, atol=1e-9)


@pytest.mark.parametrize("number", range(len(KINDS)))
def test_predictions_are_those_of_python(racer, number):
    """By the mean after some rounds, and by a sample."""
    case = setting(number)
    X, y = stream(case, number, 50)
    learner, rng = made(case), np.random.RandomState(case["seed"])
    for x, target in zip(X, y.tolist(), strict=True):
        learner.step(x, target, rng)
    racer.eval("""
    var asked = (text, X, y) => {
      const setting = JSON.parse(text);
      const [learner, rng] = [made(setting), new RandomState(setting.seed)];
      X.forEach((x, n) => learner.step(x, y[n], rng));
      return JSON.stringify([[...learner.predictProba(X)], [...learner.predictProba(X, rng)]]);
    };""")
    by_mean, by_sample = json.loads(racer.call("asked", as_javascript(case), X.tolist(), y.tolist()))
    np.testing.assert_allclose(by_mean, learner.predict_proba(X).ravel(), rtol=1e-10)
    np.testing.assert_allclose(by_sample, learner.predict_proba(X, rng).ravel(), rtol=1e-10)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("new SGD(2).step([1], 1, rng)", "x must have 2 features, as this learner has, but it has 1."),
        ("new SGD(2).step([1, 2], 2, rng)", "y must be a class from 0 to 1, but it was 2."),
        ("new SGD(2).run([[1, 2]], [1, 0], rng)", "X must have 2 numbers for each label, but it has 2 for 2."),
        ("new SGD(1, new Logistic(), { eta: 1e300 }).step([1e300], 1, rng)", "weights must be finite"),
        ("new AROW(1).step([1e300], 1, rng)", "features must not narrow"),
        (
            "new BeliefFlow(new DiagonalBelief([0, 0], 1), new MLP([2, 1]))",
            "belief must have the 3 weights of the model",
        ),
        (
            "new BeliefFlow(new DiagonalBelief([0], 1), new Logistic(), { eta: 1e300 }).step([1e300], 0, rng)",
            "the belief must stay finite",
        ),
    ],
)
def test_what_cannot_be_learnt_is_refused(racer, call, says):
    racer.eval("var rng = new RandomState(1);")
    with pytest.raises(JSEvalException, match=re.escape(says)):
        racer.eval(call)


def test_the_engine_ships_with_views_that_import_it(tmp_path):
    """All modules of the engine, beside those that views share: in a notebook, a saved page and a site."""
    names = sorted(path.relative_to(ENGINE).as_posix() for path in ENGINE.rglob("*.js"))
    assert {*EXPORTS} < {*names}
    view = tmp_path / "view.js"
    engine_place, shared = (Path(os.path.relpath(place, tmp_path)).as_posix() for place in (ENGINE, SHARED))
    view.write_text(
        f'import {{ BeliefFlow }} from "{engine_place}/learners/belief_flow.js";\n'
        f'import {{ DiagonalBelief }} from "{engine_place}/beliefs.js";\n'
        f'import {{ RandomState }} from "{engine_place}/random.js";\n'
        f'import {{ format }} from "{shared}/kit.js";\n'
        "const learner = new BeliefFlow(new DiagonalBelief([0], 1));\n"
        "export default { loss: format(learner.step([1], 1, new RandomState(0)).loss) };\n"
    )
    learner = bflo_viz.BeliefFlow(bflo_viz.DiagonalBelief([0.0], 1.0))
    loss = learner.step([1.0], 1, np.random.RandomState(0)).loss
    with closing(MiniRacer()) as racer:
        racer.eval(module(view).replace("export default", "const view ="))
        assert float(racer.eval("view.loss")) == pytest.approx(loss, abs=0.005)
    with closing(MiniRacer()) as racer:
        racer.eval("var document = { querySelectorAll: () => [], addEventListener() {} };")
        racer.eval(re.sub(r"modules\[[^]]*\]\.startAll\((.*)\);", r"globalThis.views = \1;", script({"own": view})))
        assert float(racer.eval("views.own.loss")) == pytest.approx(loss, abs=0.005)
