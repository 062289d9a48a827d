"""Running: the same numbers however it is done, and nothing lost however it ends."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from bflo_viz import SGD, _places
from bflo_viz.experiments import runner
from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.results import Store, StoreError
from bflo_viz.experiments.runner import run
from bflo_viz.streams import sources

HERE = str(Path(__file__).parent)
SMALL = """
runs = 2
[streams.CLOUDS]
load = "two-gaussians"
options = { rows = 400 }
[streams.FRESH]
load = "two-gaussians"
options = { rows = 200, features = 3 }
fresh = true
[learners.SGD]
kind = "SGD"
[learners.BFLO]
kind = "BeliefFlow"
final = "sample"
"""


class Failing(SGD):
    """A learner that does not like streams of three features, each time in another way."""

    def __init__(self, features, model=None, *, how="raise"):
        super().__init__(features, model)
        self.how = how

    def run(self, X, y, rng, **options):
        """Fail, or do as SGD does."""
        if self.features == 3 and self.how == "raise":
            raise KeyError("three\nlines\nlong")
        if self.features == 3 and self.how == "die":
            time.sleep(0.5)
            os.kill(os.getpid(), signal.SIGKILL)
        return super().run(X, y, rng, **options)


def own(tmp_path, text=SMALL, name="small.toml"):
    (tmp_path / name).write_text(text)
    return load_protocol("demo", str(tmp_path / name))


@pytest.fixture
def small(tmp_path):
    """Two streams, two learners, two runs."""
    return own(tmp_path)


def rows_of(path):
    """Rows of a store by key, without what depends on the machine."""
    with Store(path, create=False) as store:
        rows = [asdict(row) for row in store]
    for row in rows:
        for name in ("seconds", "memory_mb", "machine", "finished"):
            del row[name]
    by_key = {row["key"]: row for row in rows}
    assert len(by_key) == len(rows)
    return json.loads(json.dumps(by_key))


@pytest.fixture
def expected(small, tmp_path):
    """What an ordinary pass gives."""
    outcome = run(small, tmp_path / "expected.sqlite")
    assert (outcome.done, outcome.kept, outcome.complete) == (8, 0, True)
    return rows_of(tmp_path / "expected.sqlite")


def test_any_number_of_jobs_any_order_any_part(small, expected, tmp_path):
    """One job, two jobs, backwards, one learner before the others: the same rows."""
    seen = []
    assert run(small, tmp_path / "two.sqlite", jobs=2, watch=lambda *counts: seen.append(counts)).done == 8
    assert seen == [(done, 8) for done in range(9)]
    assert rows_of(tmp_path / "two.sqlite") == expected
    backwards = small.only(streams=reversed(small.streams), learners=reversed(small.learners))
    run(backwards, tmp_path / "back.sqlite")
    assert rows_of(tmp_path / "back.sqlite") == expected
    run(small.only(learners=["BFLO"], streams=["FRESH"]), tmp_path / "part.sqlite", runs=1)
    ((key, row),) = rows_of(tmp_path / "part.sqlite").items()
    assert row == expected[key]
    for jobs in (0, -2, 1.5, "2", True, None, np.nan):
        with pytest.raises(ValueError, match="jobs must be a whole number"):
            run(small, tmp_path / "none.sqlite", jobs=jobs)


def test_only_what_is_missing_is_done(small, expected, tmp_path, monkeypatch):
    """The rest is not even begun; a complete store needs no stream, no worker and no cluster."""
    begun = []
    real = runner.run_trial
    monkeypatch.setattr(runner, "run_trial", lambda trial, *rest: begun.append(trial.key) or real(trial, *rest))
    with Store(tmp_path / "runs.sqlite") as store:
        run(small.only(learners=["SGD"]), store)
        before = set(begun)
        outcome = run(small, store)
        assert (outcome.done, outcome.kept) == (4, 4)
        assert sorted(begun) == sorted(expected) and not before & set(begun[4:])
        monkeypatch.setattr(
            runner, "_missing_streams", lambda todo: pytest.fail("streams were loaded") if todo else {}
        )
        for how in ({}, {"jobs": 2}, {"scheduler": "tcp://127.0.0.1:9"}):
            assert run(small, store, **how) == runner.Outcome(0, 8, {}, {})
    assert len(begun) == 8
    assert rows_of(tmp_path / "runs.sqlite") == expected


def test_a_run_that_fails_does_not_end_the_others(tmp_path, expected):
    """An error of the user's learner and an overflow are reported, each in one line, and tried again next time."""
    text = SMALL + f'[learners.OWN]\nkind = "{__name__}:Failing"\n[learners.WILD]\nkind = "SGD"\neta = 1e308\n'
    protocol = own(tmp_path, text)
    with Store(tmp_path / "runs.sqlite") as store:
        for done in (10, 0):
            outcome = run(protocol, store)
            assert (outcome.done, outcome.missing, outcome.complete) == (done, {}, False)
            assert outcome.kept == 10 - done
            wild = {str(t) for t in protocol.trials() if t.learner == "WILD"}
            assert set(outcome.failed) == {"FRESH OWN run 0", "FRESH OWN run 1"} | wild
            assert outcome.failed["FRESH OWN run 1"] == "KeyError: 'three\\nlines\\nlong'"
            assert all("take smaller steps" in outcome.failed[name] for name in wild)
    assert rows_of(tmp_path / "runs.sqlite").items() > expected.items()


@pytest.mark.slow
def test_a_worker_that_is_killed_ends_the_command(tmp_path, plain, monkeypatch):
    """As a system that is out of memory does: one sentence, and the same command goes on from what is stored."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((HERE, plain)))
    text = SMALL + f'[learners.OWN]\nkind = "{__name__}:Failing"\nhow = "die"\n'
    protocol = own(tmp_path, text)
    with Store(tmp_path / "runs.sqlite") as store:
        with pytest.raises(ValueError, match=r"^a run was killed, perhaps because memory ran out: .*fewer jobs\.$"):
            run(protocol, store, jobs=2)
        stored = len(store.keys())
        assert 4 <= stored < 12
        outcome = run(protocol.only(learners=["SGD", "BFLO"]), store, jobs=2)
        assert outcome.complete and outcome.kept > 0 and len(store.keys()) >= 8


@pytest.mark.parametrize(("share", "what"), [(0.8, "test on"), (0.1, "learn from")])
def test_a_stream_that_has_too_few_rows(tmp_path, share, what):
    """A failure that says what to change, and not a row that would make the store unreadable."""
    protocol = own(tmp_path, SMALL.replace("rows = 200", "rows = 2").replace("fresh", f"share = {share}\nfresh"))
    with Store(tmp_path / "runs.sqlite") as store:
        outcome = run(protocol, store)
        assert outcome.done == len(list(store)) == 4
    (why,) = set(outcome.failed.values())
    assert f"FRESH has 2 rows, and with share = {share:g} none of them is left to {what}: take more rows" in why


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """No data, an empty cache, and no way to download."""
    monkeypatch.delenv(_places.DATA_VARIABLE, raising=False)
    monkeypatch.setattr(_places, "cache_folder", lambda: tmp_path / "cache")

    def cut(*args):
        raise sources.DownloadError("example.org: no connection")

    monkeypatch.setattr(sources, "_download", cut)


def test_a_stream_that_is_missing_does_not_end_the_others(tmp_path, nowhere, expected):
    """It is named once, with what to do; so is one that cannot be made."""
    text = SMALL.replace("[learners.SGD]", '[streams.MUSHROOM]\nload = "mushroom"\n[streams.ODD]\nload = "drifting"\n'
                         'options = { rows = -3 }\n[learners.SGD]')  # fmt: skip
    seen = []
    with Store(tmp_path / "runs.sqlite") as store:
        run(own(tmp_path), store, runs=1)
        outcome = run(own(tmp_path, text), store, watch=lambda *counts: seen.append(counts))
    assert list(outcome.missing) == ["MUSHROOM", "ODD"]
    assert "could not be downloaded (example.org: no connection)" in outcome.missing["MUSHROOM"]
    assert "rows must be a whole number" in outcome.missing["ODD"]
    assert (outcome.done, outcome.kept, outcome.failed, outcome.complete) == (4, 4, {}, False)
    assert rows_of(tmp_path / "runs.sqlite") == expected
    assert seen == [(done, 8) for done in range(4, 9)]  # what is missing is not waited for


@pytest.mark.parametrize("problem", [StoreError("the disk is full."), KeyboardInterrupt()])
def test_what_ends_a_command_keeps_what_was_done(small, expected, tmp_path, monkeypatch, problem):
    """A full disk, Ctrl-C in the middle of a run: the same command goes on."""
    path, real, added = tmp_path / "runs.sqlite", Store.add, []

    def add(store, result):
        if len(added) == 3:
            raise problem
        added.append(real(store, result))

    with monkeypatch.context() as patch:
        patch.setattr(Store, "add", add)
        with pytest.raises(type(problem)):
            run(small, path)
    assert len(rows_of(path)) == 3 and rows_of(path).items() < expected.items()
    assert run(small, path).done == 5 and rows_of(path) == expected


@pytest.fixture
def plain(tmp_path_factory):
    """A folder that hides numba from processes that have it in their path: they start in half the time."""
    folder = tmp_path_factory.mktemp("plain")
    (folder / "numba.py").write_text("raise ImportError")
    return str(folder)


COMMAND = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what it starts in the background ignore it
from bflo_viz.experiments import Store, load_protocol, run
store, protocol, jobs, at = sys.argv[1:]
kept = None
def watch(done, total):
    global kept
    kept = done if kept is None else kept
    if done - kept > int(at):
        print("some", flush=True)
with Store(store) as store:
    try:
        print(run(load_protocol("demo", protocol), store, runs=6, jobs=int(jobs), watch=watch).done)
    except KeyboardInterrupt:
        print("stopped")
"""


@pytest.fixture
def command(small, tmp_path, plain):
    """Start it as a user would; its workers are in its own group, so that they can be counted."""

    def start(path, at=1000, jobs=2):
        arguments = [sys.executable, "-c", COMMAND, path, tmp_path / "small.toml", str(jobs), str(at)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        environment = {**os.environ, "PYTHONPATH": plain}
        return subprocess.Popen(arguments, **pipes, start_new_session=True, env=environment)

    return start


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no groups of processes")
def test_kill_minus_nine(tmp_path, command):
    """Three times at any moment: nothing that was kept is lost or done twice, and the same command goes on."""
    path, kept = tmp_path / "runs.sqlite", set()
    rng = np.random.default_rng(os.getpid())  # another moment in each run of the tests
    for at in (0, 3, 1):
        with command(path, at) as process:
            process.stdout.readline()
            time.sleep(rng.uniform(0, 0.05))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        now = rows_of(path)
        assert kept <= set(now) and len(now) > min(len(kept) + at, 23)
        kept = set(now)
    with command(path) as process, command(tmp_path / "whole.sqlite", jobs=1) as other:
        assert process.communicate(timeout=60) == (f"{24 - len(kept)}\n", "")
        assert other.communicate(timeout=60) == ("24\n", "")
    assert rows_of(path) == rows_of(tmp_path / "whole.sqlite")


def group(pid):
    """Processes of a group that are still alive."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, _, of_group = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
            except OSError:
                continue
            if int(of_group) == pid and state not in "ZX":
                found.append(int(entry.name))
    return found


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no groups of processes")
def test_ctrl_c(tmp_path, command):
    """It reaches the workers too: no stack trace of anyone, a store that is whole, and nobody left."""
    path = tmp_path / "runs.sqlite"
    with command(path, 0) as process:
        process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (out.splitlines()[-1], err, process.returncode) == ("stopped", "", 0)
    until = time.monotonic() + 20
    while group(process.pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert group(process.pid) == []
    assert 0 < len(rows_of(path)) < 24 and not path.with_name("runs.sqlite-wal").exists()
