"""Results: the number by plain loops, tables of the page as in Python, and the ends of the switches."""

import csv
import itertools

import pytest

from bflo_viz import ResultsExplorer, _places
from bflo_viz.experiments import committed, committed_workbench, load_protocol, make_table, printed_errors
from bflo_viz.experiments.tables import MEASURES
from bflo_viz.explorers.results import SWITCHES, numbers

TABLES = {"table1": (48, 80), "table2": (24, 18)}  # combinations, and printed numbers
EVERY = pytest.mark.parametrize("experiment", TABLES)
# All that the page says of a table, at once: the number of each combination, and every cell of one.
ASK = """([name, index]) => {
    const bench = document.querySelector(".bflo").bflo.benches[name];
    return [bench.scores, bench.cells(index).flat(), bench.hint(bench.state(index))];
}"""


def states(experiment):
    """All combinations, as states."""
    options = [[(name, option) for option in one.options] for name, one in SWITCHES[experiment].items()]
    return [dict(chosen) for chosen in itertools.product(*options)]


def by_loops(experiment, state):
    """The mean deviation by nothing but the lines of the file and the printed numbers."""
    bench, runs, first = committed_workbench(experiment), {}, ""
    keys = set(bench.keys[bench.choice(**state)].values())
    with (_places.results_folder() / f"{experiment}-workbench.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            first = row["key"] if row["run"] == "0" else first  # the runs of a setting follow its first
            if first in keys:
                runs.setdefault(first, []).append(row)
    sizes = []
    for rows in runs.values():
        for measure, of in (("online", "rounds"), ("final", "test_rows")):
            ours = 100 * sum(int(row[f"{measure}_mistakes"]) / int(row[of]) for row in rows) / len(rows)
            printed = printed_errors(experiment, measure, float(rows[0]["noise"]))
            sizes.append(abs(ours - printed[rows[0]["learner"]][rows[0]["stream"]]))
    return sum(sizes) / len(sizes), len(sizes)


@EVERY
def test_the_number_is_the_mean_of_all_deviations(experiment):
    """By plain loops over the file, where ours are not rounded, for some of all combinations."""
    every = states(experiment)
    assert len(every) == TABLES[experiment][0]
    for state in every[::5]:
        number, count = by_loops(experiment, state)
        assert ResultsExplorer(experiment=experiment, **state).deviation == pytest.approx(number, abs=0.006)
        assert count == TABLES[experiment][1]


def test_the_page_has_the_tables_of_python(opened):
    """The number of every combination to nine digits, every cell of some, and the switch that helps most."""
    page = opened(ResultsExplorer())
    for experiment in TABLES:
        bench = committed_workbench(experiment)
        every = [*bench.variants]
        for index in range(0, len(every), 7):
            scores, cells, hint = page.evaluate(ASK, [experiment, index])
            table = bench.table(every[index])
            wanted = [
                table.cells[measure, noise, learner, stream]
                for measure in MEASURES
                for noise in table.noise
                for learner in table.learners
                for stream in table.streams
            ]
            assert scores == pytest.approx([bench.deviations[choice] for choice in every], rel=1e-9)
            assert [(c["ours"], c["paper"], c["deviation"]) for cell in cells for c in cell] == [
                (cell.ours, cell.paper, cell.deviation) for cell in wanted
            ]
            near = [one for one in every if sum(a != b for a, b in zip(one, every[index], strict=True)) == 1]
            best = min(near, key=bench.deviations.__getitem__)
            if bench.deviations[best] < bench.deviations[every[index]]:
                names = [*SWITCHES[experiment]]
                assert (
                    bench.choice(**dict(zip(names, every[index], strict=True)) | {hint["name"]: hint["option"]})
                    == best
                )
            else:
                assert hint is None


@EVERY
def test_the_ends_are_the_protocols_printed_and_inferred(experiment):
    """The number of each is that of its own results, and so are the last blocks of its learning curves."""
    bench = committed_workbench(experiment)
    for name, end in zip(("printed", "inferred"), bench.ends, strict=True):
        rows = committed(experiment, name)
        assert bench.deviations[end] == pytest.approx(
            make_table(load_protocol(experiment, name), rows).mean_deviation()
        )
        shown = numbers(experiment)["curves"][name]
        for place, curve in shown["mistakes"].items():
            stream, learner, noise = place.split()
            mine = [row for row in rows if (row.stream, row.learner, f"{row.noise:g}") == (stream, learner, noise)]
            rounds, size = mine[0].rounds, -(-mine[0].rounds // 50)
            last = sum(row.mistakes[-1] for row in mine) / len(mine) / (rounds - 49 * size)
            assert curve[-1] == pytest.approx(100 * last, abs=0.051) and shown["rounds"][stream] == rounds
    assert len(numbers("table1")["curves"]["printed"]["mistakes"]) == 5 * 5 * 2  # Kalman's are there, too


def test_one_drives_the_number_down_by_hand(opened):
    """The pill turns each switch once, down to the least, and then is off; arrow keys go from cell to cell."""
    page = opened(ResultsExplorer(), reduced_motion="reduce")
    bench = committed_workbench("table1")
    told = []
    for _ in range(5):
        page.click(".bflo-go")
        page.wait_for_timeout(100)
        told.append(float(page.locator("[data-picture=moves] figcaption b").inner_text()))
    assert told == sorted(told, reverse=True) and told[-1] == round(min(bench.deviations.values()), 2)
    assert page.locator(".bflo-go").is_disabled()
    here = page.locator("[data-cell][aria-pressed=true]:visible")
    here.focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    cell = ResultsExplorer(
        **dict(zip(SWITCHES["table1"], bench.ends[1], strict=True)), noise=0.2, learner="AROW", stream="MUSHROOM"
    )
    said = page.evaluate(
        "() => ({ ...document.querySelector('.bflo').bflo.state, title: document.activeElement.title })"
    )
    assert {name: said[name] for name in ("measure", "noise", "learner", "stream")} == {
        "measure": "final", "noise": 0.2, "learner": "AROW", "stream": "MUSHROOM"
    }  # fmt: skip
    assert f"ours {cell.number().ours:.2f}" in said["title"] and f"printed {cell.number().paper:.2f}" in said["title"]


def test_python_reads_numbers_of_any_cell():
    explorer = ResultsExplorer(noise=0.2, learner="SGD")
    assert explorer.number() == explorer.table.cells["final", 0.2, "SGD", "COVTYPE"]
    assert explorer.number("BFLO", "online", 0.0, "EEG") == explorer.table.cells["online", 0.0, "BFLO", "EEG"]
    assert explorer.deviation == explorer.table.mean_deviation()
    assert explorer.deviation == pytest.approx(explorer.bench.deviations[explorer.chosen], rel=1e-12)
