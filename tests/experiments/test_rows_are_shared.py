"""All learners get the same rows: one of the user's own cannot change them for the others."""

import numpy as np
import pytest

from bflo_viz import SGD
from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.results import Store
from bflo_viz.experiments.runner import run

PROTOCOL = """
runs = 1
noise = [0.0, 0.2]
[streams.DENSE]
load = "two-gaussians"
options = { rows = 200 }
[streams.SPARSE]
load = "sparse-logistic"
options = { rows = 200, features = 30, nonzero = 3 }
[learners.MINE]
kind = "SGD"
[learners.SGD]
kind = "SGD"
eta = 0.1
"""


def scale(X, y, truth):
    """Centre the features, as one may do with rows of one's own."""
    if isinstance(X, np.ndarray):
        X -= 0.5
    else:
        X.data *= 2


def move(X, y, truth):
    """Other columns."""
    X[:] = X[::-1] if isinstance(X, np.ndarray) else X
    X.indices[:] = X.indices[::-1]


def put_other_parts(X, y, truth):
    """Sparse rows can be changed without writing to any array."""
    X.data = X.data * 2.0
    X.indices = X.indices[::-1].copy()


def relabel(X, y, truth):
    """Labels that are easy to predict."""
    y[:] = 0


def relabel_truth(X, y, truth):
    """Labels that are easy to be judged by."""
    truth[:] = 0


@pytest.mark.parametrize("change", [scale, move, put_other_parts, relabel, relabel_truth])
def test_a_learner_cannot_change_what_others_get(tmp_path, monkeypatch, change):
    """It fails with a sentence or changes what is its own, and all others have the numbers that they have alone."""
    (tmp_path / "two.toml").write_text(PROTOCOL)
    protocol = load_protocol("demo", str(tmp_path / "two.toml"))

    def numbers(name):
        with Store(tmp_path / name) as store:
            outcome = run(protocol, store)
            rows = [(r.stream, r.noise, r.mistakes, r.final_mistakes) for r in store if r.learner == "SGD"]
        return outcome, rows

    _, alone = numbers("alone.sqlite")
    real = SGD.run

    def changing(self, X, y, rng, *, truth=None, **options):
        if self.eta != 0.1:
            change(X, y, truth)
        return real(self, X, y, rng, truth=truth, **options)

    monkeypatch.setattr(SGD, "run", changing)
    outcome, beside = numbers("beside.sqlite")
    assert beside == alone and len(alone) == 4
    if change is not put_other_parts:
        assert any("read-only: others get the same rows, so change a copy" in why for why in outcome.failed.values())


def test_nor_what_others_are_tested_on(tmp_path, monkeypatch):
    """Predicting cannot change the test."""
    (tmp_path / "two.toml").write_text(PROTOCOL)

    def changing(self, X, rng=None):
        (X if isinstance(X, np.ndarray) else X.data)[:] = 0

    monkeypatch.setattr(SGD, "predict", changing)
    with Store(tmp_path / "runs.sqlite") as store:
        failed = run(load_protocol("demo", str(tmp_path / "two.toml")), store).failed
    assert len(failed) == 8 and all("read-only" in why for why in failed.values())
