"""Diagonal flow of a million weights against one square root over the same array."""

import numpy as np
from side_by_side import best_times, report

from bflo_viz import DiagonalBelief

rng = np.random.default_rng(0)
size = 10**6
prior = DiagonalBelief(rng.normal(size=size), rng.lognormal(size=size))
w = prior.sample(rng)
w_new = w - 0.1 * rng.normal(size=size)
times = best_times(
    {
        "sqrt": lambda: np.sqrt(prior.std),
        "flow": lambda: prior.flow(w, w_new),
        "non-expansive": lambda: prior.flow(w, w_new, non_expansive=True),
    }
)
report("diagonal flow, 10^6 weights, against np.sqrt", times["flow"] / times["sqrt"], 15, at_most=True)
report("the same, non-expansive", times["non-expansive"] / times["sqrt"], 15, at_most=True)
