"""Running: the same numbers however it is done, and nothing lost however it ends."""

import os
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from fake_results import SMALL

from bflo_viz import SGD
from bflo_viz.experiments import runner
from bflo_viz.experiments.results import Store

HERE = str(Path(__file__).parent)


class Failing(SGD):
    """A learner that does not like streams of three features."""

    def run(self, X, y, rng, **options):
        """Fail, or do as SGD does."""
        if self.features == 3:
            raise KeyError("three\nlines\nlong")
        return super().run(X, y, rng, **options)


def run(protocol, path, **options):
    """Run into the store of a path."""
    with Store(path) as store:
        return runner.run(protocol, store, **options)


def rows_of(path):
    """Rows of a store by key, without what depends on the machine."""
    with Store(path, create=False) as store:
        rows = {row.key: asdict(row) for row in store}
    return {key: [row[name] for name in row if name not in ("seconds", "finished")] for key, row in rows.items()}


@pytest.fixture
def expected(own, tmp_path):
    """What an ordinary pass gives."""
    assert run(own(), tmp_path / "expected.sqlite") == runner.RunReport(8, 0, {})
    return rows_of(tmp_path / "expected.sqlite")


def test_jobs_order_and_parts_do_not_change_the_rows(own, expected, tmp_path):
    """Two jobs, backwards, one learner before the others: the same rows; what is there is not done again."""
    small, seen = own(), []
    assert run(small, tmp_path / "two.sqlite", jobs=2, watch=lambda *counts: seen.append(counts)).done == 8
    assert seen == [(done, 8) for done in range(9)] and rows_of(tmp_path / "two.sqlite") == expected
    path = tmp_path / "parts.sqlite"
    run(small.select(streams=reversed(small.streams), learners=["BFLO"]), path)
    assert rows_of(path).items() < expected.items()
    report = run(small, path)
    assert (report.done, report.kept) == (4, 4) and rows_of(path) == expected


def test_a_run_that_fails_does_not_end_the_others(own, tmp_path, expected):
    """An error of a user's learner and an overflow are told in one line each, and tried again next time."""
    text = SMALL + f'[learners.OWN]\nkind = "{__name__}:Failing"\n[learners.WILD]\nkind = "SGD"\neta = 1e308\n'
    protocol, path = own(text), tmp_path / "runs.sqlite"
    for done in (10, 0):
        report = run(protocol, path)
        wild = {str(t) for t in protocol.trials() if t.learner == "WILD"}
        assert report.done == done and set(report.failed) == {f"FRESH OWN 0 % run {run}" for run in (0, 1)} | wild
        assert report.failed["FRESH OWN 0 % run 1"] == "KeyError: 'three\\nlines\\nlong'"
        assert all("take smaller steps" in report.failed[name] for name in wild)
    assert rows_of(path).items() > expected.items()


COMMAND = """
import sys
from bflo_viz.experiments import Store, load_protocol, run
path, protocol, jobs = sys.argv[1:]
with Store(path) as store:
    protocol = load_protocol("demo", protocol).replace(runs=6)
    print(run(protocol, store, jobs=int(jobs), watch=lambda *n: print(n, flush=True)).done)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no groups of processes")
def test_a_killed_run_loses_nothing_and_repeats_nothing(own, tmp_path):
    """Nothing that was stored is lost or done twice; two commands on one store share it, and their rows are right."""
    path, small = tmp_path / "runs.sqlite", own()

    def start(jobs):
        arguments = [sys.executable, "-c", COMMAND, path, tmp_path / "own.toml", str(jobs)]
        return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, start_new_session=True)

    for jobs in (1, 2):
        with start(jobs) as process:
            for _ in range(5):
                process.stdout.readline()
            os.killpg(process.pid, signal.SIGKILL)
        kept = rows_of(path)
        assert 4 <= len(kept) < 24
    with start(1) as one, start(1) as other:
        done = [int(process.communicate(timeout=120)[0].split()[-1]) for process in (one, other)]
    assert kept.items() < rows_of(path).items() and max(done) <= 24 - len(kept)
    run(small.replace(runs=6), tmp_path / "whole.sqlite")
    assert rows_of(path) == rows_of(tmp_path / "whole.sqlite")


@pytest.mark.slow
def test_a_cluster_survives_the_loss_of_a_worker(own, tmp_path):
    """A Dask cluster of two workers: its numbers are those of this process, and the other worker does the rest."""
    distributed = pytest.importorskip("distributed")
    big = own(SMALL.replace("rows = 400", "rows = 60_000")).replace(runs=4)
    killed = []
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            pids = list(client.run(os.getpid).values())

        def watch(done, total):
            if done == 2:
                os.kill(pids[0], signal.SIGKILL)
                killed.append(done)

        report = run(big, tmp_path / "dask.sqlite", scheduler=cluster.scheduler_address, watch=watch)
    assert killed == [2] and report == runner.RunReport(16, 0, {})
    run(big, tmp_path / "here.sqlite")
    assert rows_of(tmp_path / "dask.sqlite") == rows_of(tmp_path / "here.sqlite")
