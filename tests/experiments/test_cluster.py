"""The same runs on a real Dask cluster, and what is said when there is none."""

import sys

import pytest
from test_runner import SMALL, expected, own, rows_of, small  # noqa: F401 fixtures

from bflo_viz.experiments import runner
from bflo_viz.experiments.results import Store
from bflo_viz.experiments.runner import run

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster():
    """Two workers, each a process with two threads."""
    with distributed.LocalCluster(2, threads_per_worker=2, processes=True, dashboard_address=None) as running:
        yield running


def test_the_same_rows_on_a_cluster(cluster, small, expected, tmp_path):  # noqa: F811
    """In all columns but those of time and machine; what is there is not done again."""
    seen = []
    with Store(tmp_path / "runs.sqlite") as store:
        run(small, store, runs=1)
        outcome = run(small, store, scheduler=cluster.scheduler_address, watch=lambda *counts: seen.append(counts))
        assert (outcome.done, outcome.kept, outcome.complete) == (4, 4, True)
        assert run(small, store, scheduler=cluster.scheduler_address).done == 0
    assert rows_of(tmp_path / "runs.sqlite") == expected
    assert seen == [(done, 8) for done in range(4, 9)]


def test_a_failure_on_a_cluster_is_reported(cluster, tmp_path, expected):  # noqa: F811
    """The others are done."""
    protocol = own(tmp_path, SMALL + '[learners.WILD]\nkind = "SGD"\neta = 1e308\n')
    with Store(tmp_path / "runs.sqlite") as store:
        outcome = run(protocol, store, scheduler=cluster.scheduler_address)
    assert outcome.done == 8 and len(outcome.failed) == 4
    assert all("take smaller steps" in why for why in outcome.failed.values())
    assert rows_of(tmp_path / "runs.sqlite") == expected


def test_workers_with_other_code_are_refused(cluster, small, tmp_path, monkeypatch):  # noqa: F811
    """Their numbers would be others."""
    real = runner.code_version
    monkeypatch.setattr(runner, "code_version", lambda: "0.0+other")
    monkeypatch.setattr(distributed.Client, "run", lambda self, function: {"worker": real()})
    with pytest.raises(ValueError, match=r"workers at .* have bflo_viz .*, here is 0.0\+other: install the same"):
        run(small, tmp_path / "runs.sqlite", scheduler=cluster.scheduler_address)


def test_no_scheduler_and_no_dask(small, tmp_path, monkeypatch):  # noqa: F811
    """One sentence that has the address, or says how to get Dask; and a store that is whole."""
    monkeypatch.setattr(runner, "_ANSWER", 0.5)
    path = tmp_path / "runs.sqlite"
    for address in ("tcp://127.0.0.1:9", "nowhere", "http://127.0.0.1:80"):
        with pytest.raises(ValueError, match=f"^no Dask scheduler answers at {address} .*: start one, or[^\n]*$"):
            run(small, path, scheduler=address)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ValueError, match=r"needs Dask: run .*\[cluster\]"):
        run(small, path, scheduler="tcp://127.0.0.1:9")
    assert run(small, path).done == 8
