"""Running: the same numbers however it is done, and nothing lost however it ends."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from bflo_viz import SGD, _places
from bflo_viz.experiments import runner
from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.runner import Status, run
from bflo_viz.experiments.store import Store, StoreError
from bflo_viz.streams import download

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
            os.kill(os.getpid(), signal.SIGKILL)
        if self.how == "sleep":
            time.sleep(0.3 if self.features == 3 else 0)
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
    with Store(tmp_path / "expected.sqlite") as store:
        outcome = run(small, store)
    assert (outcome.done, outcome.kept, outcome.complete) == (8, 0, True)
    return rows_of(tmp_path / "expected.sqlite")


def test_any_number_of_jobs_any_order_any_part(small, expected, tmp_path):
    """One job, two jobs, backwards, one learner before the others: the same rows."""
    with Store(tmp_path / "two.sqlite") as store:
        watch = Watching()
        assert run(small, store, jobs=2, watch=watch).done == 8
    watch.check(8, 0, 2)
    assert rows_of(tmp_path / "two.sqlite") == expected
    backwards = own(tmp_path)
    backwards.__dict__["streams"] = dict(reversed(small.streams.items()))
    backwards.__dict__["learners"] = dict(reversed(small.learners.items()))
    with Store(tmp_path / "back.sqlite") as store:
        run(backwards, store)
    assert rows_of(tmp_path / "back.sqlite") == expected
    with Store(tmp_path / "part.sqlite") as store:
        run(small.only(learners=["BFLO"], streams=["FRESH"]), store, runs=1)
        (key,) = store.keys()
    assert rows_of(tmp_path / "part.sqlite") == {key: expected[key]}


def test_only_what_is_missing_is_done(small, expected, tmp_path, monkeypatch):
    """The rest is not even begun; a complete store needs no stream, no worker and no cluster."""
    begun = []
    real = runner.perform
    monkeypatch.setattr(runner, "perform", lambda trial, *rest: begun.append(trial.key) or real(trial, *rest))
    with Store(tmp_path / "runs.sqlite") as store:
        run(small.only(learners=["SGD"]), store)
        before = set(begun)
        outcome = run(small, store)
        assert (outcome.done, outcome.kept) == (4, 4)
        assert sorted(begun) == sorted(expected) and not before & set(begun[4:])
        monkeypatch.setattr(runner, "_missing", lambda todo: pytest.fail("streams were loaded") if todo else {})
        for how in ({}, {"jobs": 2}, {"scheduler": "tcp://127.0.0.1:9"}):
            assert run(small, store, **how) == runner.Outcome(0, 8, {}, {})
    assert len(begun) == 8
    assert rows_of(tmp_path / "runs.sqlite") == expected


def test_longer_experiments_go_on_from_shorter_ones(small, expected, tmp_path):
    """More runs of each: those that are there stay."""
    with Store(tmp_path / "runs.sqlite") as store:
        assert run(small, store, runs=1).done == 4
        assert run(small, store, runs=3).done == 8
    assert rows_of(tmp_path / "runs.sqlite").items() > expected.items()


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
def test_a_worker_that_is_killed_does_not_end_the_others(tmp_path, plain, monkeypatch):
    """As a system that is out of memory does: a sentence for what was running, new workers for the rest."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((HERE, plain)))
    text = SMALL.replace("runs = 2", "runs = 1") + f'[learners.OWN]\nkind = "{__name__}:Failing"\nhow = "die"\n'
    protocol = own(tmp_path, text)
    protocol.__dict__["streams"] = dict(reversed(protocol.streams.items()))  # the one that kills comes first
    with Store(tmp_path / "runs.sqlite") as store:
        outcome = run(protocol, store, jobs=2)
        assert 1 <= len(outcome.failed) <= 2 and "FRESH OWN run 0" in outcome.failed
        assert all(why.startswith("its process was killed, perhaps for want") for why in outcome.failed.values())
        assert outcome.done + len(outcome.failed) == 6 and outcome.done == len(store.keys())


def test_a_stream_without_rows_to_test_on_is_a_failure(tmp_path):
    """And not a row that would make the store unreadable."""
    protocol = own(tmp_path, SMALL.replace("rows = 200", "rows = 2"))
    with Store(tmp_path / "runs.sqlite") as store:
        outcome = run(protocol, store)
        assert outcome.done == 4 and set(outcome.failed) == {str(t) for t in protocol.trials() if t.stream == "FRESH"}
        assert len(list(store)) == 4


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """No data, an empty cache, and no way to download."""
    monkeypatch.delenv(_places.DATA_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(_places, "cache_folder", lambda: tmp_path / "cache")

    def cut(*args):
        raise download.DownloadError("example.org: no connection")

    monkeypatch.setattr(download, "fetch", cut)


def test_a_stream_that_is_missing_does_not_end_the_others(tmp_path, nowhere, expected):
    """It is named once, with what to do; so is one that cannot be made."""
    text = SMALL.replace("[learners.SGD]", '[streams.MUSHROOM]\nload = "mushroom"\n[streams.ODD]\nload = "drifting"\n'
                         'options = { rows = -3 }\n[learners.SGD]')  # fmt: skip
    seen = []
    with Store(tmp_path / "runs.sqlite") as store:
        outcome = run(own(tmp_path, text), store, watch=lambda s: seen.append((s.missing, s.seconds_left())))
    assert list(outcome.missing) == ["MUSHROOM", "ODD"]
    assert "could not be downloaded (example.org: no connection)" in outcome.missing["MUSHROOM"]
    assert "rows must be a whole number" in outcome.missing["ODD"]
    assert (outcome.done, outcome.failed, outcome.complete) == (8, {}, False)
    assert rows_of(tmp_path / "runs.sqlite") == expected
    assert seen[-1] == (8, 0.0)  # nothing is left to wait for


class Watching:
    """Keeps what it is shown, in the thread that asked."""

    def __init__(self):
        self.seen = []

    def __call__(self, status):
        """Keep the numbers of now."""
        assert threading.current_thread() is threading.main_thread()
        self.seen.append((status.total, status.kept, status.done, len(status.running), status.seconds_left()))

    def check(self, total, kept, jobs):
        """Counts at each beginning and end."""
        todo = total - kept
        assert {(seen[0], seen[1]) for seen in self.seen} == {(total, kept)}
        assert len(self.seen) == 2 * todo
        assert self.seen[0][2:4] == (0, 1) and self.seen[-1][2:] == (todo, 0, 0.0)
        assert max(running for _, _, _, running, _ in self.seen) == jobs
        for _, _, done, _, left in self.seen:
            assert left is None if not done else 0 <= left < 120


def test_the_status(small, tmp_path):
    """With one job one run is running, and what was kept before is not counted as done."""
    watch = Watching()
    with Store(tmp_path / "runs.sqlite") as store:
        run(small.only(learners=["SGD"]), store)
        run(small, store, watch=watch)
    watch.check(8, 4, 1)


def test_the_time_that_is_left():
    """As long for each of the rest as for each that was done; what is missing takes none."""
    trials = load_protocol("demo").trials(1)
    status = Status(20, 5, time.monotonic() - 6.0, missing=3)
    assert status.seconds_left() is None
    for trial in trials[:3]:
        status.begun(trial)
        status.ended(trial.key)
    assert status.seconds_left() == pytest.approx(6.0 / 3 * 9, rel=0.2) and not status.running


@pytest.mark.parametrize("jobs", [0, -2, 1.5, "2", True, None, np.nan])
def test_jobs_must_be_a_whole_number(small, tmp_path, jobs):
    """It is said before anything is loaded."""
    with Store(tmp_path / "runs.sqlite") as store, pytest.raises(ValueError, match="jobs must be a whole number"):
        run(small, store, jobs=jobs)


def test_a_full_disk_keeps_what_was_done(small, expected, tmp_path):
    """One sentence; the same command goes on when there is room."""
    path = tmp_path / "runs.sqlite"
    with Store(path) as store:
        real, left = store.add, [3]

        def add(result):
            left[0] -= 1
            if left[0] < 0:
                raise StoreError("the store is full.")
            return real(result)

        store.add = add
        with pytest.raises(StoreError, match="full"):
            run(small, store)
        assert len(store.keys()) == 3
    with Store(path) as store:
        assert run(small, store).done == 5
    assert rows_of(path) == expected


@pytest.fixture
def plain(tmp_path_factory):
    """A folder that hides numba from processes that have it in their path: they start in half the time."""
    folder = tmp_path_factory.mktemp("plain")
    (folder / "numba.py").write_text("raise ImportError")
    return str(folder)


COMMAND = """
import sys
from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.runner import run
from bflo_viz.experiments.store import Store
store, protocol, jobs, at = sys.argv[1:]
def watch(status):
    if status.done > int(at):
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
        return subprocess.Popen(
            [sys.executable, "-c", COMMAND, str(path), str(tmp_path / "small.toml"), str(jobs), str(at)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": plain},
        )

    return start


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


def nobody_left(pid):
    """Wait until a group has ended, but not for long; how long it was."""
    began = time.monotonic()
    while group(pid) and time.monotonic() < began + 20:
        time.sleep(0.05)
    assert group(pid) == []
    return time.monotonic() - began


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="counts processes as Linux shows them")
def test_kill_minus_nine(tmp_path, command):
    """Three times at any moment: nothing that was kept is lost or done twice, and no worker stays behind."""
    folder, kept = tmp_path / "stores", set()
    folder.mkdir()
    path = folder / "runs.sqlite"
    rng = np.random.default_rng(os.getpid())  # another moment in each run of the tests
    for at in (0, 3, 1):
        with command(path, at) as process:
            process.stdout.readline()
            time.sleep(rng.uniform(0, 0.05))
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            nobody_left(process.pid)
        now = rows_of(path)
        assert kept <= set(now) and len(now) > min(len(kept) + at, 23)
        kept = set(now)
    with command(path) as process, command(tmp_path / "whole.sqlite", jobs=1) as other:
        assert process.communicate(timeout=60) == (f"{24 - len(kept)}\n", "")
        assert other.communicate(timeout=60) == ("24\n", "")
    assert rows_of(path) == rows_of(tmp_path / "whole.sqlite")
    assert os.listdir(folder) == ["runs.sqlite"]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="counts processes as Linux shows them")
def test_ctrl_c(tmp_path, command):
    """It reaches the workers too: no stack trace of anyone, a store that is whole, and nobody left."""
    path = tmp_path / "runs.sqlite"
    with command(path, 0) as process:
        process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        said, complaint = process.communicate(timeout=60)
    assert (said.splitlines()[-1], complaint, process.returncode) == ("stopped", "", 0)
    nobody_left(process.pid)
    assert 0 < len(rows_of(path)) < 24 and not path.with_name("runs.sqlite-wal").exists()


@pytest.mark.slow
def test_an_idle_worker_ends_with_its_parent():
    """It would wait for work for ever: the one that it works for cannot say that there is none."""
    code = (
        "import sys, time; from bflo_viz.experiments import runner; runner._serve(int(sys.argv[1])); time.sleep(60)"
    )
    start = f"[sys.executable, '-c', {code!r}, str(os.getpid())]"
    parent = f"import os, subprocess, sys; subprocess.Popen({start}).wait()"
    process = subprocess.Popen([sys.executable, "-c", parent], start_new_session=True)
    with process:
        while len(group(process.pid)) < 2:
            time.sleep(0.05)
        process.kill()
        process.wait()
        assert nobody_left(process.pid) < 20


def test_ctrl_c_with_one_job(small, expected, tmp_path, monkeypatch):
    """In the middle of a run: it is not kept, those before it are."""
    path, real, left = tmp_path / "runs.sqlite", runner.perform, [3]

    def perform(*args):
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(runner, "perform", perform)
    with Store(path) as store, pytest.raises(KeyboardInterrupt):
        run(small, store)
    assert len(rows_of(path)) == 3 and rows_of(path).items() < expected.items()
