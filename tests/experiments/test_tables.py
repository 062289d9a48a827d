import math
from dataclasses import replace

import pytest
from fake_results import results_of

from bflo_viz.experiments import paper
from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.statistics import mean_ranks
from bflo_viz.experiments.tables import make_table

TABLES = [("table1", noise) for noise in (0.0, 0.2)] + [("table2", 0.0)]


@pytest.fixture(scope="module")
def table1():
    return load_protocol("table1", "inferred")


def block_of(table, measure, noise=0.0):
    return next(block for block in table.blocks if (block.measure, block.noise) == (measure, noise))


def cell_of(table, measure, noise, learner, stream):
    block = block_of(table, measure, noise)
    row = next(row for row in block.rows if row.learner == learner)
    return row.cells[block.streams.index(stream)]


# The printed numbers


@pytest.mark.parametrize("experiment", ["demo", "table1", "table2"])
def test_the_paper_has_a_number_for_each_learner_and_stream(experiment):
    protocol = load_protocol(experiment, "inferred")
    for measure in paper.MEASURES:
        for noise in protocol.noise:
            printed = paper.errors(experiment, measure, noise)
            assert all(list(row) == list(protocol.streams) for row in printed.values())
            assert set(printed) <= set(protocol.learners)
            assert set(protocol.learners) - set(printed) <= {"spherical exact"}
            assert set(paper.ranks(experiment, measure, noise)) == (set() if experiment == "demo" else set(printed))
            largest = paper.largest_errors(experiment, measure, noise)
            assert list(largest) == ([] if (experiment, measure) == ("table1", "online") else list(protocol.streams))
    assert all(protocol.streams[name].load == paper.DATA[name] for name in protocol.streams)
    assert paper.errors(experiment, "online", 0.1) == {}


# What the paper prints instead of what follows from its numbers: two ranks swapped; a tie (MUSHROOM, 11.05) that was
# broken; 5/3 cut off to 1.6.
WRONG = {
    ("table1", "online", 0.0): {"BLANG": (3.2, 3.8), "BFLO": (3.8, 3.2)},
    ("table1", "online", 0.2): {"AROW": (2.8, 2.9), "SGD": (1.6, 1.5)},
    ("table2", "online", 0.0): {"DROPOUT": (1.6, 1.7)},
}


@pytest.mark.parametrize("measure", paper.MEASURES)
@pytest.mark.parametrize(("experiment", "noise"), TABLES)
def test_printed_ranks_follow_from_printed_errors_but_for_known_errata(experiment, noise, measure):
    errors = {name: list(row.values()) for name, row in paper.errors(experiment, measure, noise).items()}
    recomputed = {name: round(rank, 1) for name, rank in mean_ranks(errors).items()}
    printed = paper.ranks(experiment, measure, noise)
    differ = {name: (rank, recomputed[name]) for name, rank in printed.items() if rank != recomputed[name]}
    assert differ == WRONG.get((experiment, measure, noise), {})


# The table


def test_cells_have_means_errors_and_deviations(table1):
    results = results_of(table1, runs=4, online=lambda trial: 100 + 10 * trial.run, final=lambda trial: 30)
    table = make_table(table1, results)
    cell = cell_of(table, "online", 0.0, "AROW", "MUSHROOM")
    assert (cell.paper, cell.ours, cell.runs, cell.deviation) == (5.32, 11.5, 4, 6.18)
    assert cell.error == pytest.approx(math.sqrt(500 / 3) / 10 / 2)
    assert cell_of(table, "final", 0.2, "BFLO", "A9A").deviation == round(6.0 - 16.69, 2)
    assert (table.expected, table.found, table.runs) == (400, 160, 10)
    assert set(table.gaps.values()) == {4} and len(table.gaps) == 40
    assert make_table(table1, results, runs=4).gaps == {}


def test_ours_have_two_decimals_and_deviations_are_of_what_is_shown(table1):
    results = results_of(table1, runs=3, rounds=7000, online=lambda trial: 372 + trial.run % 2)
    cell = cell_of(make_table(table1, results), "online", 0.0, "AROW", "MUSHROOM")
    assert (cell.ours, cell.deviation) == (5.32, 0.0)
    assert f"{cell.deviation:+.2f}" == "+0.00"


def test_numbers_that_equal_the_paper_s_deviate_by_nothing_and_rank_as_it_should(table1):
    def printed(measure):
        return lambda trial: round(100 * paper.errors("table1", measure, trial.noise)[trial.learner][trial.stream])

    results = results_of(
        table1, runs=2, rounds=10_000, test_rows=10_000, online=printed("online"), final=printed("final")
    )
    table = make_table(table1, results, runs=2)
    assert table.mean_deviation() == table.mean_deviation("final", 0.2) == 0.0
    assert len(table.deviations()) == 80
    for block in table.blocks:
        assert all(row.rank == row.recomputed_rank for row in block.rows)
        assert block.best("ours") == block.best("paper")
    assert block_of(table, "online", 0.2).best("paper") >= {("AROW", "MUSHROOM"), ("SGD", "MUSHROOM")}


def test_deviations_by_measure_and_the_largest(table1):
    def online(trial):
        return 900 if (trial.stream, trial.learner, trial.noise) == ("EEG", "SGD", 0.2) else 200

    table = make_table(table1, results_of(table1, runs=1, online=online, final=lambda trial: 100))
    far = table.largest_deviation("online")
    assert (far.measure, far.noise, far.learner, far.stream, far.value) == ("online", 0.2, "SGD", "EEG", 45.78)
    expected = [abs(20.0 - error) for row in paper.errors("table1", "final", 0.0).values() for error in row.values()]
    assert table.mean_deviation("final", 0.0) == pytest.approx(sum(expected) / 20)
    assert table.largest_deviation().stream == "EEG"


def test_ties_are_an_option(table1):
    results = results_of(table1, runs=1)
    ranks = {
        ties: {row.rank for row in make_table(table1, results, ties=ties).blocks[0].rows}
        for ties in ("average", "min", "max")
    }
    assert ranks == {"average": {2.5}, "min": {1.0}, "max": {4.0}}
    with pytest.raises(ValueError, match="ties must be"):
        make_table(table1, results, ties="none")


def test_no_results_make_a_table_of_what_is_missing(table1):
    table = make_table(table1, [])
    assert table.missing_streams == table.streams and table.missing_learners == table.learners
    assert (table.found, table.gaps, table.deviations(), table.largest_deviation()) == (0, {}, [], None)
    assert table.mean_deviation() is None
    row = block_of(table, "final").rows[0]
    assert (row.rank, row.printed_rank, row.cells[0].ours, row.cells[0].paper) == (None, 3.0, None, 9.59)


def test_missing_streams_learners_and_runs_are_named_and_the_rest_is_made(table1):
    def there(trial):
        late = (trial.stream, trial.learner, trial.noise) == ("EEG", "SGD", 0.2) and trial.run > 0
        return trial.stream != "COVTYPE" and trial.learner != "BLANG" and not late

    table = make_table(table1, results_of(table1, runs=2, keep=there), runs=2)
    assert (table.missing_streams, table.missing_learners) == (("COVTYPE",), ("BLANG",))
    assert table.gaps == {("EEG", "SGD", 0.2): 1}
    block = block_of(table, "online")
    assert block.ranked_streams == ("MUSHROOM", "IJCNN", "EEG", "A9A")
    assert block.ranked_learners == ("AROW", "SGD", "BFLO")
    assert {row.learner: row.rank for row in block.rows} == {"AROW": 2.0, "SGD": 2.0, "BLANG": None, "BFLO": 2.0}
    recomputed = {row.learner: row.recomputed_rank for row in block.rows}
    assert recomputed == {"AROW": 1.2, "SGD": 1.8, "BLANG": 3.8, "BFLO": 3.2}  # of the paper's whole table
    single = cell_of(table, "online", 0.2, "SGD", "EEG")
    assert (single.runs, single.error) == (1, None) and single.ours is not None


def test_the_paper_s_numbers_stand_only_beside_the_paper_s_streams():
    """The quick Table 2 has columns of the same names, but other digits."""
    for experiment in ("table1", "table2"):
        quick = load_protocol(experiment, "printed", quick=True)
        table = make_table(quick, results_of(quick, runs=2))
        assert not any(block.has_paper or block.largest for block in table.blocks)
        assert all(row.rank is not None and row.printed_rank is None for block in table.blocks for row in block.rows)
    demo = load_protocol("demo", "printed", quick=True)
    assert all(block.has_paper for block in make_table(demo, []).blocks)


def test_one_stream_has_no_ranks():
    demo = load_protocol("demo", "inferred")
    table = make_table(demo, results_of(demo, runs=2))
    assert not any(block.has_ranks for block in table.blocks)
    assert cell_of(table, "online", 0.0, "spherical exact", "DEMO").paper is None


def test_extra_learners_are_shown_and_not_ranked(table1):
    wide = table1.extended(["NHERD"])
    table = make_table(wide, results_of(wide, runs=1, online=lambda trial: 10 if trial.learner == "NHERD" else 20))
    rows = {row.learner: row for row in table.blocks[0].rows}
    assert rows["NHERD"].rank is None and rows["NHERD"].cells[0].paper is None
    assert rows["BFLO"].rank == 2.5
    assert ("NHERD", "EEG") in table.blocks[0].best("ours")


def test_runs_of_other_settings_are_left_out_and_counted(table1):
    mine = results_of(table1, runs=1)
    printed = load_protocol("table1", "printed")
    stale = [replace(result, key="0" * 32, run=1) for result in mine[:3]]
    elsewhere = [replace(result, stream="OTHER", key="1" * 32) for result in mine[:3]]
    table = make_table(table1, [*mine, *mine, *results_of(printed, runs=1), *stale, *elsewhere], runs=1)
    assert (table.found, table.left_out, table.gaps) == (40, 3, {})


def test_mixtures_of_code_and_data_are_named(table1):
    results = results_of(table1, runs=2)
    table = make_table(table1, results)
    assert (table.codes, table.mixed_data) == (("code 1",), ())
    results[0] = replace(results[0], code="code 0", data="other rows")
    table = make_table(table1, results)
    assert (table.codes, table.mixed_data) == (("code 0", "code 1"), ("MUSHROOM",))
    by_run = [replace(result, data=f"rows {result.run}") for result in results if result.stream == "EEG"]
    assert make_table(table1, by_run).mixed_data == ("EEG",)


def test_a_stream_that_is_drawn_anew_differs_from_run_to_run_only():
    demo = load_protocol("demo", "inferred")
    results = [replace(result, data=f"rows {result.run}") for result in results_of(demo, runs=3)]
    assert make_table(demo, results).mixed_data == ()
    results[0] = replace(results[0], data="others")
    assert make_table(demo, results).mixed_data == ("DEMO",)
