"""Rounds a second of the learners in a page: against numba, and against a network of linked objects in Chromium.

The latter is `linked_units.js`, built as TensorFlow Playground builds its own. Playground begins with tanh units, so
these are the bar. With sigmoid units it learns what SGD learns here, to the last digits, and that is made sure of.
"""

import json
from contextlib import closing
from pathlib import Path

import numpy as np
from lab_driver import HOST, NO_BROWSER, browser_here, launched
from py_mini_racer import MiniRacer
from side_by_side import best_times, report

from bflo_viz import MLP, SGD, BeliefFlow, DiagonalBelief, Logistic
from bflo_viz.explorers.page import join

MODULES = join("engine/random.js", "engine/learners.js")
JOBS = """
const { RandomState } = modules["engine/random.js"];
const { Logistic, MLP } = modules["engine/models.js"];
const { DiagonalBelief } = modules["engine/beliefs.js"];
const { SGD, BeliefFlow } = modules["engine/learners.js"];
const network = () => new MLP([2, 8, 8, 1]);
const LEARNERS = {
  "flow of 3 weights": () => new BeliefFlow(new DiagonalBelief([0, 0, 0], 1), new Logistic(), { eta: 0.01 }),
  "flow of 2-8-8-1": () => new BeliefFlow(new DiagonalBelief(new Float64Array(105), 1), network(), { eta: 0.01 }),
  "SGD of 2-8-8-1": () => new SGD(2, network(), { eta: 0.01, std: 1 }),
};
const streams = {};
const give = (name, X, y) => (streams[name] = [Float64Array.from(X), y]).length;
const run = (name) => {
  const [learner, rng, [X, y]] = [LEARNERS[name](), new RandomState(1), streams[name]];
  const x = new Float64Array(X.length / y.length);
  for (let n = 0, at = 0; n < y.length; n++) {
    for (let i = 0; i < x.length; i++) x[i] = X[at++];
    learner.step(x, y[n], rng);
  }
  return learner.rounds;
};
"""

# In Chromium every learner of 2-8-8-1 takes its turn, again and again, from its first example on. A turn takes half
# a millisecond of each of them: so short that most turns are not interrupted by what else the machine does.
TURNS = 1000
EXAMPLES = {"tanh": 250, "sigmoid": 350, "SGD": 800, "Dropout": 300, "Langevin": 200, "BeliefFlow": 150}
ISOLATED = {"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}
IN_TURNS = """
(() => {
  CODE
  const { RandomState } = modules["engine/random.js"];
  const { MLP } = modules["engine/models.js"];
  const { DiagonalBelief } = modules["engine/beliefs.js"];
  // Their code is here twice, so that the browser compiles each for its own kind of unit.
  const { LinkedUnits: TanhUnits } = (() => { LINKED; return { LinkedUnits }; })();
  const { LinkedUnits: SigmoidUnits } = (() => { LINKED; return { LinkedUnits }; })();
  const { SGD, BeliefFlow, Dropout, Langevin } = modules["engine/learners.js"];
  const [sizes, eta, draw] = [[2, 8, 8, 1], 0.01, new RandomState(1)];
  const weights = Float64Array.from({ length: 105 }, () => draw.standardNormal());
  const X = Array.from({ length: 1000 }, () => Float64Array.of(draw.standardNormal(), draw.standardNormal()));
  const y = X.map(([a, b]) => (a * b > 0 ? 1 : 0));
  const started = (learner) => {
    learner.weights.set(weights);
    return learner;
  };
  const made = {
    tanh: () => new TanhUnits(sizes, weights, { rate: eta }),
    sigmoid: () => new SigmoidUnits(sizes, weights, { rate: eta, activation: "sigmoid" }),
    SGD: () => started(new SGD(2, new MLP(sizes), { eta })),
    Dropout: () => started(new Dropout(2, new MLP(sizes), { eta })),
    Langevin: () => started(new Langevin(2, new MLP(sizes), { eta })),
    BeliefFlow: () => new BeliefFlow(new DiagonalBelief(weights, 1), new MLP(sizes), { eta }),
  };
  const run = {}; // each in a function of its own, which the browser compiles for it alone
  const times = {}; // of one example, in seconds
  for (const name of Object.keys(made)) {
    const body = `for (let n = 0; n < count; n++) learner.step(X[n], y[n], rng); // ${name}`;
    run[name] = Function("learner, X, y, rng, count", body);
    times[name] = [];
  }
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [name, count] of Object.entries(EXAMPLES)) {
      const [learner, rng] = [made[name](), new RandomState(2)];
      const start = performance.now();
      run[name](learner, X, y, rng, count);
      times[name].push((performance.now() - start) / 1000 / count);
    }
  }
  const [linked, ours] = [made.sigmoid(), made.SGD()];
  for (const learner of [linked, ours]) run.SGD(learner, X, y, null, X.length);
  return { times, apart: Math.max(...linked.weights.map((weight, i) => Math.abs(weight - ours.weights[i]))) };
})()
"""


def network() -> MLP:
    return MLP(2, 8, 8, 1, precision="float64")


LEARNERS = {
    "flow of 3 weights": (3, 200_000, lambda: BeliefFlow(DiagonalBelief([0.0] * 3, 1.0), Logistic(), eta=0.01)),
    "flow of 2-8-8-1": (2, 10_000, lambda: BeliefFlow(DiagonalBelief.for_model(network(), 1.0), network(), eta=0.01)),
    "SGD of 2-8-8-1": (2, 50_000, lambda: SGD(2, network(), eta=0.01, std=1.0)),
}
WANTED = {"flow of 3 weights": 2.0, "flow of 2-8-8-1": 0.1, "SGD of 2-8-8-1": 0.54}  # million rounds a second
AGAINST_LINKED = {"SGD": 2.0, "Dropout": 1.0, "Langevin": 1.0, "BeliefFlow": 1.0}  # examples a second


def engine() -> MiniRacer:
    """V8 with the learners above in it."""
    racer = MiniRacer()
    racer.eval(MODULES + JOBS)
    return racer


def main(racer: MiniRacer) -> None:
    """Time each learner in both languages on one stream."""
    rng = np.random.default_rng(0)
    jobs = {}
    for name, (features, rounds, made) in LEARNERS.items():
        X = rng.standard_normal((rounds, features))
        y = (X.sum(axis=1) > 0).astype(np.int64)
        racer.call("give", name, X.ravel().tolist(), y.tolist())
        jobs[name, "page"] = lambda name=name: racer.call("run", name)
        jobs[name, "numba"] = lambda made=made, X=X, y=y: made().run(X, y, np.random.default_rng(1))
    times = best_times(jobs, rounds=9)
    for name, (_, rounds, _) in LEARNERS.items():
        speed = rounds / times[name, "page"] / 1e6
        report(f"{name} in a page, million rounds a second", speed, WANTED[name], at_most=False, unit="")
        print(f"{'  its time against that of numba':<74} {times[name, 'page'] / times[name, 'numba']:8.2f}x")


def against_linked_units() -> None:
    """Let all learners of a small network take turns in Chromium, and compare the medians of what each turn says."""
    linked = Path(__file__).with_name("linked_units.js").read_text(encoding="utf-8").replace("export class", "class")
    texts = {"CODE": MODULES, "LINKED": linked}
    script = IN_TURNS
    for name, text in (texts | {"TURNS": str(TURNS), "EXAMPLES": json.dumps(EXAMPLES)}).items():
        script = script.replace(name, text)
    with launched() as browser:
        page = browser.new_page()
        page.route("**/*", lambda route: route.fulfill(body="", content_type="text/html", headers=ISOLATED))
        page.goto(f"http://{HOST}/")  # an isolated page has a clock of 5 microseconds, others one of 100
        told = page.evaluate(script)
    if not told["apart"] < 1e-9:
        raise AssertionError(f"linked units must learn what SGD learns, but their weights are {told['apart']} apart.")
    times = {name: np.array(some) for name, some in told["times"].items()}
    for name, some in times.items():
        speed = 1e-3 / np.median(some)
        print(f"{name + ' of 2-8-8-1 in Chromium, thousand examples a second':<74} {speed:8.0f}")
    for name in AGAINST_LINKED:
        ratios = {units: np.median(times[units] / times[name]) for units in ("tanh", "sigmoid")}
        what = f"{name} of 2-8-8-1 against linked tanh units ({ratios['sigmoid']:.2f} x sigmoid units)"
        report(what, ratios["tanh"], AGAINST_LINKED[name], at_most=False)


if __name__ == "__main__":
    with closing(engine()) as ready:
        main(ready)
    if browser_here() is None:
        print(f"Linked objects were not measured. {NO_BROWSER}")
    else:
        against_linked_units()
