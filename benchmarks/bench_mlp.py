"""Belief flow of a 784-200-10 network, compiled: one update against drawing as many normals with NumPy."""

import numpy as np
from side_by_side import best_times, report

from bflo_viz import MLP, BeliefFlow, DiagonalBelief

ROUNDS = 20  # enough rounds that a call's own scratch does not show
SIZE = 785 * 200 + 201 * 10
rng = np.random.Generator(np.random.PCG64(0))


def belief_flow(pixels: int = 784, precision: str = "float32", std: float = 0.2, updates: int = 1):
    """A job of some rounds on images of so many non-zero pixels."""
    X = np.zeros((ROUNDS, 784), precision)
    for row in X:
        row[rng.permutation(784)[:pixels]] = rng.uniform(0.1, 1.0, pixels)
    y = rng.integers(0, 10, ROUNDS)
    model = MLP(784, 200, 10, precision=precision)
    learner = BeliefFlow(DiagonalBelief(np.zeros(SIZE), std), model, eta=0.1, updates=updates, non_expansive=True)
    return lambda: learner.run(X, y, rng, blocks=1)


jobs = {
    "normals": lambda: [rng.standard_normal(SIZE, dtype=np.float32) for _ in range(ROUNDS)],
    "dense": belief_flow(),
    "sparse": belief_flow(150),
    "dense float64": belief_flow(precision="float64"),
    "dense, five updates": belief_flow(updates=5),
    "dense, widths collapsed": belief_flow(std=1e-30),
}
for job in jobs.values():
    job()  # compiles
times = best_times(jobs, rounds=25)
print("\n".join(f"{name:<74} {time / ROUNDS * 1e6:8.0f} µs" for name, time in times.items()))
report(
    "one update, all pixels, against drawing its normals with NumPy",
    times["dense"] / times["normals"],
    0.6,
    at_most=True,
)
report("150 pixels against all of them, times faster", times["dense"] / times["sparse"], 3, at_most=False)
five = times["dense, five updates"] / times["dense"]
report("five updates a round against one", five, 5.5, at_most=True)
collapsed = times["dense, widths collapsed"] / times["dense"]
report("widths that have collapsed against ordinary ones", collapsed, 1.5, at_most=True)
