"""Kept runs as a scene: its numbers are those of the files, and what is missing is said."""

import csv
import itertools
import shutil

import numpy as np
import pytest

from bflo_viz import _places
from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.results import Store
from bflo_viz.experiments.runner import run
from bflo_viz.experiments.tables import printed_errors
from bflo_viz.scenes.runs import kept, kept_runs

STREAMS = ("MUSHROOM", "COVTYPE", "IJCNN", "EEG", "A9A")
LEARNERS = ("AROW", "SGD", "BLANG", "BFLO")


def rows_of(protocol, stream, learner, noise):
    """The rows of the file of Table 1, by nothing but the csv module."""
    with (_places.results_folder() / f"table1-{protocol}.csv").open(newline="") as file:
        every = list(csv.DictReader(file))
    return [row for row in every if (row["stream"], row["learner"], float(row["noise"])) == (stream, learner, noise)]


def by_hand(rows):
    """Ends of blocks, and the mistakes in each in percent, a row a run."""
    counts = [[int(word) for word in row["mistakes"].split()] for row in rows]
    rounds, size = int(rows[0]["rounds"]), -(-int(rows[0]["rounds"]) // 50)
    ends = [min(size * (k + 1), rounds) for k in range(len(counts[0]))]
    lengths = [end - start for start, end in zip([0, *ends], ends, strict=False)]
    return ends, np.array([[100 * c / n for c, n in zip(one, lengths, strict=True)] for one in counts])


@pytest.mark.parametrize(("stream", "noise"), [("MUSHROOM", 0.0), ("EEG", 0.2), ("A9A", 0.2)])
def test_the_numbers_are_those_of_the_file(stream, noise):
    """Curves, bands, errors beside the paper's and entropy, recomputed from its text."""
    scene = kept_runs(stream=stream, noise=noise)
    assert tuple(scene.shown) == LEARNERS
    for learner, shown in scene.shown.items():
        rows = rows_of("inferred", stream, learner, noise)
        ends, shares = by_hand(rows)
        assert shown.curve.ends == pytest.approx(ends)
        assert shown.curve.mistakes == pytest.approx(shares.mean(axis=0))
        assert shown.curve.mistakes_error == pytest.approx(shares.std(axis=0, ddof=1) / len(rows) ** 0.5)
        errors = [100 * int(row["final_mistakes"]) / int(row["test_rows"]) for row in rows]
        assert shown.final.ours == pytest.approx(np.mean(errors), abs=0.0051)  # two decimals
        assert shown.final.error == pytest.approx(np.std(errors, ddof=1) / len(errors) ** 0.5)
        assert shown.final.paper == printed_errors("table1", "final", noise)[learner][stream]
        nats = np.array([[float(word) for word in row["entropy"].split()] for row in rows]).mean(axis=0)
        assert shown.curve.entropy == pytest.approx(nats)
        assert f"{learner} {shown.final.ours:.2f} (paper {shown.final.paper:.2f})" in scene.words()


def test_a_belief_that_collapsed_is_marked():
    """When a width was exactly 0 first."""
    scene = kept_runs(stream="MUSHROOM")
    nats = [[float(word) for word in row["entropy"].split()] for row in rows_of("inferred", "MUSHROOM", "BFLO", 0.0)]
    first = -(-6499 // 50) * int(np.flatnonzero(np.isneginf(np.mean(nats, axis=0)))[0])
    assert scene.shown["BFLO"].curve.collapse == first
    assert kept_runs(stream="MUSHROOM", learners=["AROW"]).shown["AROW"].curve.collapse is None


def test_axes_stay_when_noise_or_protocol_changes_and_hold_all():
    """So that the eye compares results, not scales."""
    whole = kept("table1")
    for stream in STREAMS:
        every = [
            whole.scene(stream, noise, LEARNERS, protocol)
            for noise, protocol in itertools.product(whole.options["noise"], whole.protocols)
        ]
        limits = every[0].limits
        assert all(scene.limits == limits for scene in every)
        for shown in (one for scene in every for one in scene.shown.values()):
            assert max(shown.curve.mistakes) <= limits["mistakes"][1]
            assert limits["final"][0] < shown.final.ours < limits["final"][1]
            finite = shown.curve.entropy[np.isfinite(shown.curve.entropy)]
            assert all(limits["entropy"][0] < nats < limits["entropy"][1] for nats in finite)


def test_what_is_missing_is_said_with_its_cure(monkeypatch):
    """No learner, no runs, no folder of results."""
    assert kept_runs(learners=[]).message == "No learner is chosen: tick one."
    some = kept("table2", "plain-fit")
    scene = some.scene("IMAGES", 0.0, ["BFLO"], "plain-fit")
    told = "There are no such runs by protocol plain-fit: bflo run table2 --protocol plain-fit makes them."
    assert scene.message == told and told in scene.words()
    monkeypatch.setattr(_places, "results_folder", lambda: (_ for _ in ()).throw(ValueError("not here")))
    assert kept_runs().message == "There are no such runs by protocol inferred: bflo run table1 makes them."


def test_it_shows_the_runs_of_a_store(tmp_path):
    """Of the small version; what was made with other settings is left out."""
    path = tmp_path / "mine.db"
    protocol = load_protocol("table1", quick=True).select(streams=["CANCER"], learners=["SGD", "BFLO"])
    with Store(path) as store:
        run(protocol, store, runs=2)
        errors = [row.final for row in store if row.learner == "BFLO" and not row.noise]
    scene = kept_runs(store=path, quick=True)
    assert "mean of 2 runs" in scene.heading and "AROW no runs" in scene.words()
    assert scene.shown["BFLO"].final.ours == pytest.approx(np.mean(errors), abs=0.0051)
    assert scene.shown["BFLO"].final.paper is None  # the paper has no such stream
    missing = kept_runs(store=path, quick=True, stream="DRIFT").message
    assert missing.startswith("There are no such runs by protocol inferred in mine.db:")
    assert kept_runs(store=path).message  # the small one is not the large one


def test_a_file_that_was_replaced_is_read_again(tmp_path, monkeypatch):
    """Though the same file is not read twice."""
    folder = tmp_path / "results"
    shutil.copytree(_places.results_folder(), folder)
    monkeypatch.chdir(tmp_path)
    first = kept("demo").runs["inferred"]
    assert kept("demo").runs["inferred"] is first
    lines = (folder / "demo-inferred.csv").read_text().splitlines(keepends=True)
    fewer = [line for line in lines if ",DEMO,SGD," not in line or ",0.0,0," in line]
    (folder / "demo-inferred.csv").write_text("".join(fewer))
    assert kept("demo").at("inferred", "DEMO", "SGD", 0.0).curve.runs == 1
