"""Rounds a second of the learners in a page, and their time against that of numba."""

from contextlib import closing

import numpy as np
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
  return learner.label;
};
"""


def network() -> MLP:
    return MLP(2, 8, 8, 1, precision="float64")


LEARNERS = {
    "flow of 3 weights": (3, 200_000, lambda: BeliefFlow(DiagonalBelief([0.0] * 3, 1.0), Logistic(), eta=0.01)),
    "flow of 2-8-8-1": (2, 10_000, lambda: BeliefFlow(DiagonalBelief.for_model(network(), 1.0), network(), eta=0.01)),
    "SGD of 2-8-8-1": (2, 50_000, lambda: SGD(2, network(), eta=0.01, std=1.0)),
}
WANTED = {"flow of 3 weights": 2.0, "flow of 2-8-8-1": 0.1, "SGD of 2-8-8-1": 0.54}  # million rounds a second


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


if __name__ == "__main__":
    with closing(engine()) as ready:
        main(ready)
