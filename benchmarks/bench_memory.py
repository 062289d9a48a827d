"""Memory of a long run: what a million rounds add to the process beyond the stream itself."""

import resource

import numpy as np
from side_by_side import report

from bflo_viz import BeliefFlow, DiagonalBelief

rng = np.random.default_rng(0)
X = rng.random((1_000_000, 20), dtype=np.float32)
y = (X @ np.linspace(-1, 1, 20) > 0).astype(np.int8)
learner = BeliefFlow(DiagonalBelief(np.zeros(20), 0.1), eta=0.01, non_expansive=True)


def peak():
    """Peak resident memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


learner.run(X[:10_000], y[:10_000], rng)
seen = []
for part in np.array_split(np.arange(len(X)), 10):
    learner.run(X[part[0] : part[-1] + 1], y[part[0] : part[-1] + 1], rng)
    seen.append(peak())
print(f"peak memory after each of ten passes of 10^5 rounds, MB: {', '.join(f'{m:.0f}' for m in seen)}")
before = peak()
record = learner.run(X, y, rng)
print(f"10^6 rounds in one run: error {record.error:.3f}, a record of {len(record.rounds)} points")
report("peak memory that 10^6 rounds in one run add, in MB", peak() - before, 40, at_most=True, unit=" ")
