"""Protocols with switches: each table of a workbench is the one that its combination alone would give."""

import pytest
from fake_results import results_of

from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.tables import make_table
from bflo_viz.experiments.workbench import Workbench


@pytest.fixture(scope="module")
def protocol():
    return load_protocol("table2", "workbench")


def test_every_combination_has_the_table_that_it_would_have_alone(protocol):
    """Its number is the mean of all deviations there."""
    results = results_of(protocol, 2, online=lambda t: int(t.key[:2], 16), final=lambda t: int(t.key[2:4], 16))
    bench = Workbench(protocol, results)
    assert len(bench.deviations) == len(bench.variants) == 24
    for choice, variant in protocol.variants().items():
        alone = make_table(variant, [row for row in results if row.key in {t.key for t in variant.trials(2)}])
        assert bench.table(choice).cells == alone.cells
        assert bench.deviations[choice] == pytest.approx(alone.mean_deviation())
    lines, nearest = str(bench).splitlines(), min(bench.deviations.items(), key=lambda item: item[1])
    assert lines[5].split() == [f"{nearest[1]:.2f}", *nearest[0]] and "is fitting" in lines[-1]


def test_what_has_no_runs_is_left_out(protocol):
    """A combination counts only with runs of all its settings."""
    narrow = results_of(protocol, 1, keep=lambda t: (t.learner, t.settings.options["std"]) != ("BFLO", 0.5))
    bench = Workbench(protocol, narrow)
    assert {choice[0] for choice in bench.deviations} == {"printed"} and len(bench.deviations) == 12
    assert not Workbench(protocol, []).deviations and "the 0 of 24 combinations" in str(Workbench(protocol, []))
