"""Compile every kernel once: test processes then read them from numba's cache, where each would compile its own."""

import numpy as np
from conformance import LEARNERS, stream
from scipy import sparse

for make in LEARNERS.values():
    for form in (np.asarray, sparse.csr_array):
        learner = make()
        X, y = stream(learner)
        learner.run(form(X), y, np.random.default_rng(0))
