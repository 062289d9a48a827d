"""Protocols that are odd but not unheard of: one sentence, or no trouble at all."""

import pytest

from bflo_viz.experiments.protocol import load_protocol, source
from bflo_viz.experiments.results import Store
from bflo_viz.experiments.runner import run

TEXT = """
runs = 1
[streams.CLOUDS]
load = "two-gaussians"
options = { rows = 2 }
[learners.SGD]
kind = "SGD"
"""


def written(tmp_path, text):
    (tmp_path / "odd.toml").write_bytes(text.encode())
    return str(tmp_path / "odd.toml")


def test_a_file_that_begins_with_a_byte_order_mark(tmp_path):
    """As some editors write it: read and shown as without."""
    assert list(load_protocol("demo", written(tmp_path, "\ufeff" + TEXT)).streams) == ["CLOUDS"]
    assert source("demo", str(tmp_path / "odd.toml")) == TEXT


@pytest.mark.parametrize(("share", "what"), [(0.8, "test on"), (0.1, "learn from")])
def test_a_stream_that_has_too_few_rows(tmp_path, share, what):
    """Says what is missing, and what to change."""
    protocol = load_protocol("demo", written(tmp_path, TEXT.replace("options", f"share = {share}\noptions")))
    with Store(tmp_path / "runs.sqlite") as store:
        (why,) = run(protocol, store).failed.values()
    assert why == (
        f"CLOUDS has 2 rows, and with share = {share:g} none of them is left to {what}: take more rows, or another "
        "share."
    )


def test_more_runs_than_can_be_listed(tmp_path):
    """They are counted, and none is listed."""
    protocol = load_protocol("demo", written(tmp_path, TEXT.replace("runs = 1", "runs = 10_000_000_000")))
    with pytest.raises(ValueError, match=r"runs must be fewer: 10,000,000,000 of each are 10,000,000,000 in all"):
        protocol.trials()
    assert len(protocol.trials(3)) == 3


def test_a_belief_that_is_too_wide(tmp_path):
    """Its variance overflows: refused in a sentence that says so."""
    text = TEXT + '[learners.WIDE]\nkind = "BeliefFlow"\nbelief = "full"\nstd = 1e200\n'
    with pytest.raises(ValueError, match=r"learner WIDE: covariance must be finite, but covariance\[0, 0\] is inf"):
        load_protocol("demo", written(tmp_path, text))
