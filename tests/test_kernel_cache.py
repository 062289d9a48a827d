"""Kernels compile where nothing can be kept: on read-only installations without a writable home."""

import subprocess
import sys

import pytest

pytest.importorskip("numba")
PROGRAM = """
from numba.core import caching
for kind in (caching.CompileResultCacheImpl, caching.CodeLibraryCacheImpl):
    kind._locator_classes = []  # no place for a cache
import numpy as np
from bflo_viz import SGD
from bflo_viz.kernels import common
learner, rng = SGD(2, eta=0.1, std=0.1), np.random.default_rng(0)
learner.step([1.0, 2.0], 1, rng)
learner.run([[1.0, 2.0]] * 3, [0, 1, 1], rng)
print(learner.rounds, common.available())
"""


def test_learners_learn_where_numba_has_no_place_for_its_cache():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.stdout == "4 True\n", done.stderr
