"""Results: the stored numbers are those of the runs, the page says them, and switches drive one number down."""

import csv
import itertools
import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from bflo_viz import ResultsExplorer, _places
from bflo_viz.experiments import committed, committed_workbench, printed_errors
from bflo_viz.experiments.tables import MEASURES
from bflo_viz.explorers.results import SWITCHES, TABLES, numbers

TOOL = Path(__file__).parents[2] / "tools" / "results_numbers.py"
PRINTED = {"table1": 80, "table2": 18}  # numbers in the paper
EVERY = pytest.mark.parametrize("experiment", TABLES)
# Set the switches, and read the number, every cell by its learner and column, and where the pill leads.
ASK = """(state) => {
    const { bflo } = document.querySelector(".bflo");
    bflo.set(state);
    bflo.flush();
    const cells = [...document.querySelectorAll("[data-cell]")].filter((one) => one.checkVisibility());
    const read = (one) => [...one.title.match(/ours ([\\d.]+).*printed ([\\d.]+)/).slice(1), one.textContent];
    const said = document.querySelector(".bflo-say b").textContent;
    document.querySelector(".bflo-go").click();
    return [said, cells.map(read), { ...bflo.state }];
}"""


def by_loops(experiment, choice):
    """The mean deviation by nothing but the lines of the file and the printed numbers."""
    bench, runs, first = committed_workbench(experiment), {}, ""
    keys = {trial.key for trial in bench.variants[choice].trials(1)}
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
    traits = ResultsExplorer.controls()
    options = [[option for option, _ in traits[name]["options"]] for name in SWITCHES[experiment]]
    assert list(itertools.product(*options)) == list(committed_workbench(experiment).variants)
    for choice in [*itertools.product(*options)][::5]:
        number, count = by_loops(experiment, choice)
        explorer = ResultsExplorer(experiment=experiment, **dict(zip(SWITCHES[experiment], choice, strict=True)))
        assert explorer.deviation == pytest.approx(number, abs=0.006) and count == PRINTED[experiment]


def test_the_stored_numbers_come_out_again(tmp_path):
    subprocess.run([sys.executable, TOOL, tmp_path], check=True)
    assert json.loads((tmp_path / "explorer.json").read_text(encoding="utf-8")) == numbers()


def test_the_page_has_the_tables_of_python(opened):
    """The number and every cell of some combinations, and the pill turns the switch that helps most."""
    page = opened(ResultsExplorer(), reduced_motion="reduce")
    for experiment in TABLES:
        bench, names = committed_workbench(experiment), SWITCHES[experiment]
        every = [*bench.variants]
        for choice in every[::7]:
            here = dict(zip(names, choice, strict=True))
            number, cells, after = page.evaluate(ASK, here | {"experiment": experiment})
            table = bench.table(choice)
            wanted = [
                table.cells[measure, noise, learner, stream]
                for noise in table.noise
                for measure in MEASURES
                for learner in table.learners
                for stream in table.streams
            ]
            assert float(number) == pytest.approx(bench.deviations[choice], abs=0.0051)
            for (ours, paper, off), cell in zip(cells, wanted, strict=True):
                assert (float(ours), float(paper)) == (cell.ours, cell.paper)
                assert float(off.replace("−", "-")) == pytest.approx(cell.deviation, abs=0.0501)
            near = [one for one in every if sum(a != b for a, b in zip(one, choice, strict=True)) == 1]
            best = min([*near, choice], key=bench.deviations.__getitem__)
            assert tuple(after[name] for name in names) == best


@EVERY
def test_learning_curves_end_as_the_runs_do(experiment):
    """By the last block of rounds, which may be shorter than the others."""
    for name in ("printed", "inferred"):
        rows = committed(experiment, name)
        shown = numbers()[experiment]["curves"][name]
        for place, curve in shown["mistakes"].items():
            stream, learner, noise = place.split()
            mine = [row for row in rows if (row.stream, row.learner, f"{row.noise:g}") == (stream, learner, noise)]
            rounds, size = mine[0].rounds, -(-mine[0].rounds // 50)
            last = sum(row.mistakes[-1] for row in mine) / len(mine) / (rounds - 49 * size)
            assert curve[-1] == pytest.approx(100 * last, abs=0.051) and shown["rounds"][stream] == rounds
    kalman = [place for place in numbers()["table1"]["curves"]["printed"]["mistakes"] if "Kalman" in place]
    assert len(kalman) == 5 * 2


def test_each_press_leads_to_a_lower_number_down_to_the_least(opened):
    """It opens one move in; the pill turns each other switch once, down to the least, and then is off."""
    page = opened(ResultsExplorer(), reduced_motion="reduce")
    bench = committed_workbench("table1")
    read = "[data-picture=moves] figcaption b"
    told = [float(page.locator(read).inner_text())]
    for _ in range(4):
        page.click(".bflo-go")
        page.wait_for_timeout(100)
        told.append(float(page.locator(read).inner_text()))
    assert told == sorted(set(told), reverse=True) and told[-1] == round(min(bench.deviations.values()), 2)
    assert told[0] < bench.deviations[next(iter(bench.variants))] and page.locator(".bflo-go").is_disabled()
    read = "all => all.map((one) => [one.textContent, one.y.baseVal[0].value])"
    ticks = dict(page.locator("[data-picture=moves] .bflo-axis text[text-anchor=end]").evaluate_all(read))
    half, one, two, five = (ticks[words] for words in ("0.5", "1", "2", "5"))
    assert half - one == pytest.approx(one - two) and half - five == pytest.approx((half - one) * math.log2(10))


def test_cells_are_chosen_by_keys(opened):
    """Arrow keys go from cell to cell over all four parts, and each says both numbers."""
    page = opened(ResultsExplorer())
    page.locator("[data-cell][aria-pressed=true]:visible").focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    cell = ResultsExplorer(noise=0.2, learner="AROW", stream="MUSHROOM")
    said = page.evaluate(
        "() => ({ ...document.querySelector('.bflo').bflo.state, title: document.activeElement.title })"
    )
    assert [said[name] for name in ("measure", "noise", "learner", "stream")] == ["final", 0.2, "AROW", "MUSHROOM"]
    assert page.evaluate("() => document.activeElement.ariaPressed") == "true"
    assert f"AROW on MUSHROOM: ours {cell.number().ours:.2f}" in page.inner_text("[data-picture=detail]")
    assert f"ours {cell.number().ours:.2f}" in said["title"] and f"printed {cell.number().paper:.2f}" in said["title"]


def test_python_reads_the_number_that_is_looked_at():
    explorer = ResultsExplorer(noise=0.2, learner="SGD")
    assert explorer.number() == explorer.table.cells["final", 0.2, "SGD", "COVTYPE"]
    assert explorer.deviation == explorer.table.mean_deviation()
