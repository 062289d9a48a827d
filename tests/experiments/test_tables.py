"""Tables of results beside the paper's: their numbers by independent loops, and each format in which they show."""

import random
import re
import statistics
from xml.etree import ElementTree

import numpy as np
import pytest
import scipy.stats
from fake_results import results_of

from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.tables import MEASURES, make_table, mean_ranks, printed_errors, printed_ranks, render
from bflo_viz.experiments.workbench import Workbench

HOSTILE = "<b>_50 % & #1 {x} [y] $\\^~`"


@pytest.fixture(scope="module")
def table1():
    return load_protocol("table1", "inferred")


@pytest.fixture(scope="module")
def results(table1):
    """Runs with mistakes at random."""

    def mistakes(low, high):
        return lambda trial: random.Random(trial.key).randrange(low, high)

    return results_of(table1, runs=3, online=mistakes(100, 400), final=mistakes(10, 300))


# What the paper prints instead of what follows from its numbers: two ranks swapped; a tie (MUSHROOM, 11.05) that was
# broken; 5/3 cut off to 1.6.
WRONG = {
    ("table1", "online", 0.0): {"BLANG": (3.2, 3.8), "BFLO": (3.8, 3.2)},
    ("table1", "online", 0.2): {"AROW": (2.8, 2.9), "SGD": (1.6, 1.5)},
    ("table2", "online", 0.0): {"DROPOUT": (1.6, 1.7)},
}


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(("experiment", "noise"), [("table1", 0.0), ("table1", 0.2), ("table2", 0.0)])
def test_printed_ranks_follow_from_printed_errors_but_for_known_errata(experiment, noise, measure):
    """The paper has a number for each learner and stream."""
    errors, protocol = printed_errors(experiment, measure, noise), load_protocol(experiment)
    assert list(errors) == list(protocol.learners)
    assert all(list(row) == list(protocol.streams) for row in errors.values())
    recomputed = mean_ranks({name: list(row.values()) for name, row in errors.items()})
    ranks = printed_ranks(experiment, measure, noise)
    differ = {name: (rank, round(recomputed[name], 1)) for name, rank in ranks.items()}
    differ = {name: pair for name, pair in differ.items() if pair[0] != pair[1]}
    assert differ == WRONG.get((experiment, measure, noise), {})


def test_every_number_by_a_loop(table1, results):
    """Means, standard errors, deviations and ranks, from the rows themselves."""
    table = make_table(table1.replace(runs=3), results)
    assert len(table.cells) == 80 and (table.found, table.expected) == (120, 120)
    sizes = []
    for (measure, noise, learner, stream), cell in table.cells.items():
        rows = [r for r in results if (r.stream, r.learner, r.noise) == (stream, learner, noise)]
        errors = [r.online_mistakes / 10 if measure == "online" else r.final_mistakes / 5 for r in rows]
        assert cell.ours == round(statistics.mean(errors), 2) and cell.runs == 3
        assert cell.error == pytest.approx(statistics.stdev(errors) / 3**0.5)
        assert cell.paper == printed_errors("table1", measure, noise)[learner][stream]
        sizes.append(abs(round(cell.ours - cell.paper, 2)))
    assert table.mean_deviation() == pytest.approx(sum(sizes) / 80)
    assert abs(table.largest_deviation().deviation) == max(sizes)
    far = {where for where, cell in table.cells.items() if abs(cell.ours - cell.paper) > 18**0.5 * cell.error}
    assert set(table.beyond_chance()) == far and 0 < len(far) < 80
    for block in table.blocks:
        ours = np.array([[cell.ours for cell in row.cells] for row in block.rows])
        expected = scipy.stats.rankdata(ours, axis=0).mean(axis=1)
        assert [row.rank for row in block.rows] == pytest.approx(list(expected))


def test_what_is_missing_is_named_and_the_rest_is_made(table1):
    """Ranks are over the streams that all learners with runs have; a single run has no error; strangers stay out."""

    def there(trial):
        late = (trial.stream, trial.learner, trial.noise) == ("EEG", "SGD", 0.2) and trial.run > 0
        return trial.stream != "COVTYPE" and trial.learner != "BLANG" and not late

    rows = results_of(table1, runs=2, keep=there)
    strangers = results_of(load_protocol("table1", "printed"), 1)
    table = make_table(table1.replace(runs=2), [*rows, *rows, *strangers])
    assert (table.missing_streams, table.missing_learners, table.found) == (("COVTYPE",), ("BLANG",), 47)
    assert "47 of 80 runs are here; none of COVTYPE, BLANG." in render(table)
    assert {row.learner: row.rank for row in table.blocks[0].rows} == {"AROW": 2, "SGD": 2, "BLANG": None, "BFLO": 2}
    recomputed = {row.learner: row.recomputed_rank for row in table.blocks[0].rows}
    assert recomputed == {"AROW": 1.2, "SGD": 1.8, "BLANG": 3.8, "BFLO": 3.2}  # of the paper's whole table
    single = table.cells["online", 0.2, "SGD", "EEG"]
    assert (single.runs, single.error) == (1, None)
    assert make_table(table1, []).mean_deviation() is None and make_table(table1, []).largest_deviation() is None


def test_the_paper_s_numbers_stand_only_beside_its_streams_and_ranks_only_where_there_are_several(table1):
    """The quick Table 2 has columns of the same names, but other digits; extra learners have no rank."""
    quick = load_protocol("table2", "printed", quick=True)
    table = make_table(quick, results_of(quick, runs=2))
    assert not table.deviations()
    assert all(row.rank is not None and row.printed_rank is None for block in table.blocks for row in block.rows)
    demo = load_protocol("demo")
    assert not any(block.has_ranks for block in make_table(demo, results_of(demo, runs=2)).blocks)
    wide = table1.with_extras(["NHERD"])
    table = make_table(wide, results_of(wide, runs=1, online=lambda trial: 10 if trial.learner == "NHERD" else 20))
    rows = {row.learner: row for row in table.blocks[0].rows}
    assert rows["NHERD"].rank is None and rows["BFLO"].rank == 2.5


def test_text_shows_paper_ours_and_the_difference(table1):
    counts = {"online": lambda t: 120 + 10 * t.run, "final": lambda t: 30 + 5 * t.run * (t.learner == "SGD")}
    shown = render(make_table(table1, results_of(table1, runs=2, **counts)))
    block = shown.partition("Online error (%), no labels flipped\n\n")[2].partition("\n\nOnline")[0]
    lines = [line.split() for line in block.splitlines()]
    assert lines[0] == ["Learner", "MUSHROOM", "COVTYPE", "IJCNN", "EEG", "A9A", "Rank"]
    assert lines[2] == ["AROW", "paper", "5.32*", "22.58*", "8.44*", "43.59", "17.79*", "1.2"]
    assert lines[3] == ["ours", *["12.50*", "±0.50"] * 5, "2.5"]
    assert lines[4] == ["off", "by", "+7.18", "-10.08", "+4.06", "-31.09", "-5.29"]
    assert "3.2 (3.8)" in block and "3.8 (3.2)" in block and "Table 1, protocol inferred (fitted to" in shown
    assert len({line.index(".") for line in block.splitlines() if "." in line}) == 1, "decimal points are in line"


@pytest.mark.parametrize("kind", ["empty", "hostile"])
def test_markdown_latex_and_html_are_whole(table1, kind):
    """Each grid has as many cells in each line; names are escaped; headers are those of rows and columns."""
    learners = {HOSTILE: table1.learners["SGD"], **table1.learners}
    hostile = table1.replace(name=HOSTILE, about=HOSTILE, streams={HOSTILE: table1.streams["EEG"]}, learners=learners)
    table = make_table(table1, []) if kind == "empty" else make_table(hostile, results_of(hostile, 2))
    grids = [part.splitlines() for part in render(table, "markdown").split("\n\n") if part.startswith("|")]
    assert len(grids) == len(table.blocks) and all(len({line.count("|") for line in grid}) == 1 for grid in grids)
    lines = [line for line in render(table, "latex").splitlines() if line and line[0] != "%"]
    body = re.sub(r"\\[%&#_{}$]", "", "\n".join(lines))  # without what is escaped
    assert not set("%#_$") & set(body) and body.count("{") == body.count("}")
    assert body.count("\\begin{tabular}") == len(table.blocks)
    page = ElementTree.fromstring(f"<div>{render(table, 'html')}</div>")
    scopes = [header.get("scope") for header in page.iter("th")]
    assert len(page.findall("table")) == len(page.findall("table/caption")) == len(table.blocks)
    assert set(scopes) == {"col", "row"} and scopes.count("row") == 2 * (
        len(list(page.iter("tr"))) - len(table.blocks)
    )
    text = "".join(page.itertext())
    assert table.about in text and all(name in text for name in table.learners)


def test_a_workbench_counts_a_combination_only_with_runs_of_all_its_settings():
    """Its table shows how far each of them is, the nearest first."""
    protocol = load_protocol("table2", "workbench")
    narrow = results_of(protocol, 1, keep=lambda t: (t.learner, t.settings.options["std"]) != ("BFLO", 0.5))
    bench = Workbench(protocol, narrow)
    assert {choice[0] for choice in bench.deviations} == {"printed"} and len(bench.deviations) == 12
    lines, nearest = str(bench).splitlines(), min(bench.deviations.values())
    assert "the 12 of 24 combinations that have all runs" in lines[1] and "is fitting" in lines[-1]
    assert lines[3].split()[1:] == [*protocol.switches] and lines[5].split()[0] == f"{nearest:.2f}"
    assert not Workbench(protocol, []).deviations and "the 0 of 24" in str(Workbench(protocol, []))
