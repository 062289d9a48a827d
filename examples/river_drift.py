"""Belief flows in river: one row at a time, on a stream whose rule changes half-way.

A drift detector watches the mistakes. When there are clearly more of them than there were, the learner begins anew.
"""

import numpy as np
from river import compat, drift

from bflo_viz import BeliefFlowClassifier


def rows(rng, *, count=1200):
    """Four numbers and a label. From the middle on two weights change sign; a tenth of the labels is wrong."""
    for t in range(count):
        x = rng.normal(size=4)
        weights = (1, 1, -1, 0.5) if t < count // 2 else (-1, 1, 1, 0.5)
        yield dict(zip("abcd", x.tolist(), strict=True)), bool((x @ weights > 0) ^ (rng.random() < 0.1))


def flow():
    """A belief flow that river can use: it has to know the classes beforehand."""
    model = BeliefFlowClassifier(eta=0.05, std=0.5, random_state=0)
    return compat.convert_sklearn_to_river(model, classes=[False, True])


models = {
    "belief flow": flow(),
    "begun anew after drift": drift.DriftRetrainingClassifier(flow(), drift_detector=drift.binary.DDM()),
}
for name, model in models.items():
    right = []
    for x, y in rows(np.random.default_rng(0)):
        right.append(model.predict_one(x) == y)  # first the prediction, then the label
        model.learn_one(x, y)
    before, soon, later = (np.mean(right[part]) for part in (slice(600), slice(600, 800), slice(800, 1200)))
    print(f"{name}: {before:.0%} right before the change, {soon:.0%} in the 200 rows after it, {later:.0%} later")
