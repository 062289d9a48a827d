import subprocess
import sys

import numpy as np
import pytest
import scipy.stats
from fake_results import result
from hypothesis import assume, given
from hypothesis import strategies as st

from bflo_viz.experiments.statistics import TIES, mean_and_error, mean_ranks, paired

percents = st.floats(0, 100, allow_nan=False)


def made(learner, run, online, final=0, **changes):
    """A run with so many mistakes in 1,000 rounds and in 500 rows of test."""
    counts = {"rounds": 1000, "online_mistakes": online, "mistakes": (), "test_rows": 500, "final_mistakes": final}
    return result(**({"learner": learner, "run": run, "stream": "EEG", "noise": 0.0} | counts | changes))


@given(st.lists(percents, min_size=2, max_size=20))
def test_mean_and_error_as_scipy_has_them(values):
    """Of numbers, and of curves."""
    mean, error = mean_and_error(values)
    assert mean == pytest.approx(np.mean(values))
    assert error == pytest.approx(scipy.stats.sem(values), abs=1e-12)
    curves = np.array([values, values[::-1]])
    np.testing.assert_allclose(mean_and_error(curves)[1], scipy.stats.sem(curves), atol=1e-12)


def test_one_run_has_no_standard_error():
    """Nor has a mean that is infinite."""
    mean, error = mean_and_error([3.0])
    assert mean == 3.0 and np.isnan(error)
    mean, error = mean_and_error([[1.0, 0.0], [-np.inf, 2.0]])
    assert mean.tolist() == [-np.inf, 1.0] and np.isnan(error[0]) and error[1] == 1.0


# Small whole numbers, so that there are many ties.
tables = st.integers(2, 5).flatmap(
    lambda learners: st.lists(
        st.lists(st.integers(0, 4).map(float), min_size=learners, max_size=learners), min_size=1, max_size=6
    )
)


@given(tables, st.sampled_from(TIES))
def test_mean_ranks_as_scipy_has_them(streams, ties):
    table = np.array(streams).T
    ranks = mean_ranks({str(place): list(row) for place, row in enumerate(table)}, ties)
    expected = scipy.stats.rankdata(table, method=ties, axis=0).mean(axis=1)
    assert list(ranks.values()) == pytest.approx(list(expected))


def test_a_stream_that_a_learner_lacks_does_not_count():
    assert mean_ranks({"a": [1.0, None, 9.0], "b": [2.0, 0.0, float("nan")]}) == {"a": 1.0, "b": 2.0}
    assert all(np.isnan(rank) for rank in mean_ranks({"a": [1.0, None], "b": [None, 1.0]}).values())
    assert mean_ranks({}) == {}
    with pytest.raises(ValueError, match="ties must be 'average' or 'min' or 'max'"):
        mean_ranks({"a": [1.0]}, "random")
    with pytest.raises(ValueError, match="put None where one is missing"):
        mean_ranks({"a": [1.0], "b": [1.0, 2.0]})


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), min_size=2, max_size=15))
def test_pairs_as_scipy_has_them(mistakes):
    a, b = (np.array(side) for side in zip(*mistakes, strict=True))
    assume(np.ptp(a - b) > 0)
    (pair,) = paired(
        [made("SGD", run, int(count)) for run, count in enumerate(a)],
        [made("BFLO", run, int(count)) for run, count in reversed(list(enumerate(b)))],
    )
    test = scipy.stats.ttest_rel(a / 10, b / 10)
    low, high = test.confidence_interval(0.95)
    assert (pair.first, pair.second, pair.stream, pair.runs, pair.unpaired) == ("SGD", "BFLO", "EEG", len(a), 0)
    assert (pair.difference, pair.low, pair.high) == pytest.approx((np.mean(a - b) / 10, low, high), abs=1e-9)
    assert pair.error == pytest.approx(scipy.stats.sem(a - b) / 10)
    assert (pair.first_better, pair.second_better) == (np.sum(a < b), np.sum(a > b))
    assert pair.first_better + pair.second_better + pair.ties == pair.runs


def test_runs_are_paired_by_stream_noise_and_number():
    """Runs that were hard were hard for both: the difference does not show it."""
    hard = [0, 300, 100, 200]
    a = [made("SGD", run, 50 + more, noise=0.2) for run, more in enumerate(hard)] + [made("SGD", 0, 7, stream="A9A")]
    b = [made("BFLO", run, 40 + more, noise=0.2) for run, more in enumerate(hard[:3])] + [made("BFLO", 9, 0)]
    b += [made("BFLO", run, 0, noise=0.2) for run in (7, 8)]
    (pair,) = paired(a, b)
    assert (pair.stream, pair.noise, pair.runs, pair.unpaired) == ("EEG", 0.2, 3, 3)
    assert (pair.difference, pair.error, pair.low, pair.high) == (1.0, 0.0, 1.0, 1.0)
    assert (pair.first_better, pair.second_better, pair.ties) == (0, 3, 0)
    (pair,) = paired([made("SGD", 0, 1, final=50)], [made("BFLO", 0, 1, final=25)], "final")
    assert (pair.measure, pair.difference, pair.runs) == ("final", 5.0, 1)
    assert np.isnan([pair.error, pair.low, pair.high]).all()


def test_pairs_refuse_what_cannot_be_compared():
    a, b = [made("SGD", 0, 1)], [made("BFLO", 0, 1)]
    with pytest.raises(ValueError, match="measure must be 'online'"):
        paired(a, b, "seconds")
    with pytest.raises(ValueError, match="results_b is empty"):
        paired(a, [])
    with pytest.raises(ValueError, match=r"results_a has run 0 of EEG twice \(SGD, AROW\)"):
        paired([*a, made("AROW", 0, 1)], b)
    for changes in ({"data": "other"}, {"rounds": 999}, {"test_rows": 99}, {"experiment": "table2"}):
        with pytest.raises(ValueError, match="not made of the same rows by SGD and by BFLO"):
            paired(a, [made("BFLO", 0, 1, **changes)])


def test_scipy_stats_is_not_imported():
    code = "import sys, bflo_viz.experiments.statistics; sys.exit('scipy.stats' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
