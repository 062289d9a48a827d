"""The workbench: its number by plain loops, page and Python agree on all combinations, its ends are the protocols."""

import csv
import itertools
import json
from pathlib import Path

import pytest
from racing import asked, engine

from bflo_viz import ProtocolExplorer, _places
from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.results import committed
from bflo_viz.experiments.tables import MEASURES, make_table, printed_errors
from bflo_viz.explorers.protocol import SWITCHES
from bflo_viz.scenes.workbench import FITTING, combination, kept_workbench, rank_order

BENCHES = ("table1", "table2")
NAMES = "cellsOf, hint, indexOf, orderOf, ranksOf, score, scores"


@pytest.fixture(scope="module")
def racer():
    with engine("protocol/numbers.js", code=f'const {{ {NAMES} }} = modules["protocol/numbers.js"];') as ready:
        runs = json.dumps(ProtocolExplorer().on_page()["_runs"], allow_nan=False)
        ready.eval(f"const runs = {runs};")
        yield ready


def states(experiment):
    """All combinations, as states."""
    options = [[(name, option) for option in one.options] for name, one in SWITCHES[experiment].items()]
    return [dict(chosen) for chosen in itertools.product(*options)]


def test_every_switch_of_the_protocols_is_a_trait_that_says_what_the_file_says():
    """Six and four, each with the options of its file and what the text has to say of them."""
    assert [len(SWITCHES[name]) for name in BENCHES] == [5, 4]
    traits = ProtocolExplorer.about()["controls"]
    assert list(traits) == ["experiment", *(name for bench in BENCHES for name in SWITCHES[bench])]
    for bench in BENCHES:
        for name, switch in load_protocol(bench, "workbench").switches.items():
            texts = [[option, f"{one.text} ({one.mark})"] for option, one in switch.options.items()]
            assert (traits[name]["options"], traits[name]["label"]) == (texts, switch.label)
    assert FITTING in ProtocolExplorer.about()["help"]


def neighbours(bench, choice):
    """Combinations that are one switch away."""
    return [one for one in bench.variants if sum(a != b for a, b in zip(one, choice, strict=True)) == 1]


def path_down(bench):
    """From the first options on, always by the switch that helps most, until none helps."""
    path = [bench.ends[0]]
    while True:
        known = [one for one in neighbours(bench, path[-1]) if one in bench.deviations]
        best = min(known, key=bench.deviations.__getitem__, default=path[-1])
        if not bench.deviations.get(best, 0) < bench.deviations.get(path[-1], 0):
            return path
        path.append(best)


def by_loops(experiment, state):
    """The mean deviation by nothing but the lines of the file and the printed numbers."""
    path = Path(_places.results_folder()) / f"{experiment}-workbench.csv"
    bench, counts = kept_workbench(experiment), {}
    keys = {trial.key for trial in bench.variants[bench.choice(**state)].trials()}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["key"] in keys:
                for measure, of in (("online", "rounds"), ("final", "test_rows")):
                    place = measure, float(row["noise"]), row["learner"], row["stream"]
                    counts.setdefault(place, []).append(100 * int(row[f"{measure}_mistakes"]) / int(row[of]))
    sizes = [
        abs(sum(errors) / len(errors) - printed_errors(experiment, measure, noise)[learner][stream])
        for (measure, noise, learner, stream), errors in counts.items()
    ]
    return sum(sizes) / len(sizes), len(sizes)


@pytest.mark.parametrize("experiment", BENCHES)
def test_the_number_is_the_mean_of_all_deviations(experiment):
    """By plain loops over the file, for every combination that has runs for all; ours there are not rounded."""
    bench = kept_workbench(experiment)
    printed = {"table1": 80, "table2": 18}[experiment]
    assert len(states(experiment)) == {"table1": 48, "table2": 24}[experiment] == len(bench.deviations)
    for state in states(experiment):
        number, count = by_loops(experiment, state)
        choice = bench.choice(**state)
        assert (count == printed) == (choice in bench.deviations) and count <= printed
        if count == printed:
            assert bench.deviations[choice] == pytest.approx(number, abs=0.006)


@pytest.mark.parametrize("experiment", BENCHES)
def test_page_and_python_agree_on_every_combination(racer, experiment):
    """On the number, all cells, the mean ranks and whose order they have."""
    bench = kept_workbench(experiment)
    of = f"runs.{experiment}"
    ours = racer.eval(f"JSON.stringify(scores({of}))")
    assert json.loads(ours) == pytest.approx([bench.deviations.get(choice) for choice in bench.variants])
    for index, state in enumerate(states(experiment)):
        assert racer.eval(f"indexOf({of}, {json.dumps(state)})") == index
        if index % 5:
            continue
        table = bench.table(bench.choice(**state))
        scene = combination(experiment, **state)
        page = json.loads(racer.eval(f"JSON.stringify(score({of}, {index}))"))
        assert (page["number"], (page["found"], page["printed"])) == (pytest.approx(scene.deviation), scene.found)
        for place, block in enumerate(table.blocks):
            code = f"cellsOf({of}, {index}, {of}.blocks[{place}])"
            cells = json.loads(racer.eval(f"JSON.stringify({code})"))
            wanted = [cell for row in block.rows for cell in row.cells]
            for name in ("ours", "paper", "deviation", "runs"):
                assert [cell[name] for cell in cells] == [getattr(cell, name) for cell in wanted]
            assert [cell["error"] for cell in cells] == pytest.approx([cell.error for cell in wanted], abs=0.0051)
            ranks = json.loads(racer.eval(f"JSON.stringify(ranksOf({of}, {code}))"))
            assert ranks == pytest.approx([row.rank for row in block.rows])
            assert racer.eval(f"orderOf({json.dumps(ranks)}, {of}.blocks[{place}])") == rank_order(block)


@pytest.mark.parametrize("experiment", BENCHES)
def test_the_ends_are_the_protocols_printed_and_inferred(experiment):
    """The number of each is that of its own results."""
    bench = kept_workbench(experiment)
    for name, end in zip(("printed", "inferred"), bench.ends, strict=True):
        table = make_table(load_protocol(experiment, name), committed(experiment, name))
        assert bench.deviations[end] == pytest.approx(table.mean_deviation())
        if name == "inferred" and experiment == "table1":
            assert [f"{table.mean_deviation(measure):.2f}" for measure in MEASURES] == ["0.13", "0.70"]
    assert ProtocolExplorer(experiment=experiment).deviation == pytest.approx(bench.deviations[bench.ends[0]])


def test_table_1_can_be_driven_from_five_points_to_less_than_a_half():
    """By one switch at a time, each of the five once; no other combination is nearer."""
    bench = kept_workbench("table1")
    path = path_down(bench)
    numbers = [bench.deviations[choice] for choice in path]
    assert numbers[0] > 5 and numbers[-1] < 0.5 and numbers == sorted(numbers, reverse=True)
    assert len(path) == 6 and path[-1] == bench.ends[1]
    assert min(bench.deviations.values()) == numbers[-1]
    assert f"{numbers[0]:8.2f}  all first options" in str(bench)


def test_the_hint_names_the_switch_that_helps_most(racer):
    """As a search over all neighbours finds it; at the least of all it says so."""
    bench = kept_workbench("table1")
    racer.eval("const every = scores(runs.table1);")
    for state in states("table1")[::7]:
        here = bench.choice(**state)
        best = min(neighbours(bench, here), key=bench.deviations.__getitem__)
        found = json.loads(racer.eval(f"JSON.stringify(hint(runs.table1, every, {json.dumps(state)}))"))
        assert found["number"] == pytest.approx(bench.deviations[best])
        assert bench.choice(**state | {found["name"]: found["option"]}) == best
    lowest = dict(zip(SWITCHES["table1"], bench.ends[1], strict=True))
    found = json.loads(racer.eval(f"JSON.stringify(hint(runs.table1, every, {json.dumps(lowest)}))"))
    assert found == {"number": pytest.approx(min(bench.deviations.values()))}


def test_without_runs_it_says_what_makes_them(tmp_path, monkeypatch, racer):
    """No file, or one without some settings: the number is that of what is there, and its cells are told apart."""
    results = _places.results_folder()
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "manifest.json").write_text("{}")
    monkeypatch.setattr(_places, "results_folder", lambda: tmp_path / "results")
    empty = ProtocolExplorer()
    assert empty.deviation is None and "bflo run table1 --protocol workbench makes them" in repr(empty)
    assert empty.figure().alt_text == empty.scene.words()
    variants = load_protocol("table1", "workbench").variants().items()
    ordered = {trial.key for choice, variant in variants if choice[0] == "order" for trial in variant.trials()}
    lines = (results / "table1-workbench.csv").read_text().splitlines(keepends=True)
    some = [line for line in lines if ",SGD," not in line or line.partition(",")[0] in ordered]
    (tmp_path / "results" / "table1-workbench.csv").write_text("".join(some))
    explorer = ProtocolExplorer()
    scene = explorer.scene
    assert scene.found == (64, 80) and "from 64 of 80 printed numbers" in scene.words()
    of = json.dumps(explorer.on_page()["_runs"]["table1"], allow_nan=False)
    assert asked(racer, "score", json.loads(of), 0) == {
        "number": pytest.approx(scene.deviation),
        "found": 64,
        "printed": 80,
    }
    assert asked(racer, "scores", json.loads(of)).count(None) == 24
    assert asked(racer, "hint", json.loads(of), [None] * 48, explorer.state) is None
    assert explorer.figure().alt_text == scene.words()
    bench = kept_workbench("table1")
    assert len(bench.deviations) == 24 and path_down(bench) == [bench.ends[0]]
