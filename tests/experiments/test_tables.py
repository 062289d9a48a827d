"""Tables of results beside the paper's: their numbers, what they say in words, and each format in which they show."""

import math
import random
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from fake_results import results_of

from bflo_viz.experiments import paper
from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.rendering import FORMATS, render, render_pairs
from bflo_viz.experiments.statistics import mean_ranks, paired
from bflo_viz.experiments.tables import make_table

HOSTILE = "<b>_50 % & #1 | {x} [y] $\\^~*`\nz"


@pytest.fixture(scope="module")
def table1():
    return load_protocol("table1", "inferred")


def mistakes(low, high):
    return lambda trial: random.Random(trial.key).randrange(low, high)


@pytest.fixture(scope="module")
def results(table1):
    return results_of(table1, runs=3, online=mistakes(100, 400), final=mistakes(10, 300))


def block_of(table, measure, noise=0.0):
    return next(block for block in table.blocks if (block.measure, block.noise) == (measure, noise))


def cell_of(table, measure, noise, learner, stream):
    block = block_of(table, measure, noise)
    row = next(row for row in block.rows if row.learner == learner)
    return row.cells[block.streams.index(stream)]


def words(table):
    return " ".join(render(table).split())


# The printed numbers


@pytest.mark.parametrize("experiment", ["demo", "table1", "table2"])
def test_the_paper_has_a_number_for_each_learner_and_stream(experiment):
    protocol = load_protocol(experiment, "inferred")
    for measure in paper.MEASURES:
        for noise in protocol.noise:
            printed = paper.errors(experiment, measure, noise)
            assert all(list(row) == list(protocol.streams) for row in printed.values())
            assert set(protocol.learners) ^ set(printed) <= {"spherical exact"}
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
@pytest.mark.parametrize(("experiment", "noise"), [("table1", 0.0), ("table1", 0.2), ("table2", 0.0)])
def test_printed_ranks_follow_from_printed_errors_but_for_known_errata(experiment, noise, measure):
    errors = {name: list(row.values()) for name, row in paper.errors(experiment, measure, noise).items()}
    recomputed = {name: round(rank, 1) for name, rank in mean_ranks(errors).items()}
    printed = paper.ranks(experiment, measure, noise)
    differ = {name: (rank, recomputed[name]) for name, rank in printed.items() if rank != recomputed[name]}
    assert differ == WRONG.get((experiment, measure, noise), {})


# The numbers of a table


def test_cells_have_means_errors_and_deviations(table1):
    table = make_table(table1, results_of(table1, runs=4, online=lambda trial: 100 + 10 * trial.run))
    cell = cell_of(table, "online", 0.0, "AROW", "MUSHROOM")
    assert (cell.paper, cell.ours, cell.runs, cell.deviation) == (5.32, 11.5, 4, 6.18)
    assert cell.error == pytest.approx(math.sqrt(500 / 3) / 10 / 2)
    assert cell_of(table, "final", 0.2, "BFLO", "A9A").deviation == round(6.0 - 16.69, 2)
    rounded = results_of(table1, runs=3, rounds=7000, online=lambda trial: 372 + trial.run % 2)
    cell = cell_of(make_table(table1, rounded), "online", 0.0, "AROW", "MUSHROOM")
    assert (cell.ours, cell.deviation) == (5.32, 0.0), "deviations are of what is shown"


def test_numbers_that_equal_the_paper_s_deviate_by_nothing_and_rank_as_it_should(table1):
    def printed(measure):
        return lambda trial: round(100 * paper.errors("table1", measure, trial.noise)[trial.learner][trial.stream])

    counts = {"rounds": 10_000, "test_rows": 10_000, "online": printed("online"), "final": printed("final")}
    table = make_table(table1, results_of(table1, runs=2, **counts), runs=2)
    assert table.mean_deviation() == table.mean_deviation("final", 0.2) == 0.0 and len(table.deviations()) == 80
    for block in table.blocks:
        assert all(row.rank == row.recomputed_rank for row in block.rows)
        assert block.best("ours") == block.best("paper")
    assert block_of(table, "online", 0.2).best("paper") >= {("AROW", "MUSHROOM"), ("SGD", "MUSHROOM")}


def test_deviations_by_measure_and_the_largest(table1):
    def online(trial):
        return 900 if (trial.stream, trial.learner, trial.noise) == ("EEG", "SGD", 0.2) else 200

    table = make_table(table1, results_of(table1, runs=1, online=online, final=lambda trial: 100))
    assert table.largest_deviation("online") == ("online", 0.2, "SGD", "EEG", 45.78)
    expected = [abs(20.0 - error) for row in paper.errors("table1", "final", 0.0).values() for error in row.values()]
    assert table.mean_deviation("final", 0.0) == pytest.approx(sum(expected) / 20)
    text, mean = words(table), table.mean_deviation("online")
    assert f"Online error: our 40 numbers differ from the paper's by {mean:.2f} points on average" in text
    assert "most for SGD on EEG with 20 % of labels flipped: +45.78." in text and "±:" not in text


def test_no_results_make_a_table_of_what_is_missing(table1):
    table = make_table(table1, [])
    assert table.missing_streams == table.streams and table.missing_learners == table.learners
    assert (table.gaps, table.deviations(), table.largest_deviation(), table.mean_deviation()) == ({}, [], None, None)
    row = block_of(table, "final").rows[0]
    assert (row.rank, row.printed_rank, row.cells[0].ours, row.cells[0].paper) == (None, 3.0, None, 9.59)
    assert "None of the 400 runs is here yet." in words(table)


def test_missing_streams_learners_and_runs_are_named_and_the_rest_is_made(table1):
    def there(trial):
        late = (trial.stream, trial.learner, trial.noise) == ("EEG", "SGD", 0.2) and trial.run > 0
        return trial.stream != "COVTYPE" and trial.learner != "BLANG" and not late

    table = make_table(table1, results_of(table1, runs=2, keep=there), runs=2)
    block = block_of(table, "online")
    assert block.ranked_streams == ("MUSHROOM", "IJCNN", "EEG", "A9A")
    assert {row.learner: row.rank for row in block.rows} == {"AROW": 2.0, "SGD": 2.0, "BLANG": None, "BFLO": 2.0}
    recomputed = {row.learner: row.recomputed_rank for row in block.rows}
    assert recomputed == {"AROW": 1.2, "SGD": 1.8, "BLANG": 3.8, "BFLO": 3.2}  # of the paper's whole table
    single = cell_of(table, "online", 0.2, "SGD", "EEG")
    assert (single.runs, single.error) == (1, None) and single.ours is not None
    text = words(table)
    assert "47 of 80 runs are here. There are none on COVTYPE: bflo data says how to get a missing stream." in text
    assert "There are none of BLANG. Fewer than 2: SGD on EEG with 20 % of labels flipped (1)." in text
    assert "Ours are without COVTYPE" in text and "or they have no runs: BLANG." in text and "–: no runs." in text


def test_gaps_are_counted_where_there_are_many(table1, results):
    assert re.search(r"Fewer than 3: .* and \d+ more\.", words(make_table(table1, results[10:], runs=3)))
    assert "All 120 runs are here, 3 for each number." in words(make_table(table1, results, runs=3))
    assert "All 80 runs are here, 2 for each number, and 40 more." in words(make_table(table1, results, runs=2))


def test_the_paper_s_numbers_stand_only_beside_the_paper_s_streams():
    """The quick Table 2 has columns of the same names, but other digits."""
    for experiment in ("table1", "table2"):
        quick = load_protocol(experiment, "printed", quick=True)
        table = make_table(quick, results_of(quick, runs=2))
        assert not any(block.has_paper or block.largest for block in table.blocks)
        assert all(row.rank is not None and row.printed_rank is None for block in table.blocks for row in block.rows)
    demo, table1 = load_protocol("demo", "printed", quick=True), load_protocol("table1")
    assert all(block.has_paper for block in make_table(demo, []).blocks)
    mixed = table1.changed(streams={**table1.streams, "EEG": table1.streams["A9A"]})
    assert list(block_of(make_table(mixed, []), "final").largest) == ["MUSHROOM", "COVTYPE", "IJCNN", "A9A"]
    text = render(table)
    assert "The paper has no numbers for these streams and learners." in text
    assert "off by" not in text and "largest" not in text and "\nSGD      ours" in text and "\n\nDROPOUT" not in text


def test_one_stream_has_no_ranks_and_extra_learners_are_not_ranked(table1):
    demo = load_protocol("demo", "inferred")
    table = make_table(demo, results_of(demo, runs=2))
    assert not any(block.has_ranks for block in table.blocks)
    assert cell_of(table, "online", 0.0, "spherical exact", "DEMO").paper is None
    wide = table1.extended(["NHERD"])
    table = make_table(wide, results_of(wide, runs=1, online=lambda trial: 10 if trial.learner == "NHERD" else 20))
    rows = {row.learner: row for row in table.blocks[0].rows}
    assert rows["NHERD"].rank is None and rows["NHERD"].cells[0].paper is None and rows["BFLO"].rank == 2.5
    assert ("NHERD", "EEG") in table.blocks[0].best("ours")


def test_runs_of_other_settings_code_or_data_are_told(table1):
    """Runs of other settings are left out, and one that is given twice counts once."""
    mine = results_of(table1, runs=1)
    stale = [replace(result, key="0" * 32, run=1) for result in mine[:3]]
    elsewhere = [replace(result, stream="OTHER", key="1" * 32) for result in mine[:3]]
    others = [*results_of(load_protocol("table1", "printed"), runs=1), *stale, *elsewhere]
    table = make_table(table1, [*mine, *mine, *others], runs=1)
    assert (table.found, table.left_out, table.gaps, table.codes, table.mixed_data) == (40, 3, {}, ("code 1",), ())
    mine[0] = replace(mine[0], code="code 0", data="other rows")
    text = words(make_table(table1, [*mine, *stale[:1]]))
    assert "made by 2 versions of the code: code 0, code 1." in text
    assert "Not all runs had the same rows of MUSHROOM" in text
    assert "1 run of this protocol's name, but made with other settings: left out." in text


def test_a_stream_that_is_drawn_anew_differs_from_run_to_run_only(table1):
    demo = load_protocol("demo", "inferred")
    for protocol, mixed in ((demo, ()), (table1, tuple(table1.streams))):
        results = [replace(result, data=f"rows {result.run}") for result in results_of(protocol, runs=3)]
        assert make_table(protocol, results).mixed_data == mixed
    results = [
        replace(result, data="others") if result.learner == "SGD" else result for result in results_of(demo, 2)
    ]
    assert make_table(demo, results).mixed_data == ("DEMO",)


# Formats


@pytest.fixture(scope="module")
def tables(table1, results):
    """Tables of every kind."""
    wide = table1.extended(table1.extras)
    demo, quick = load_protocol("demo", "inferred"), load_protocol("table2", "printed", quick=True)
    columns = {HOSTILE: table1.streams["EEG"], "EEG": table1.streams["EEG"]}
    learners = {HOSTILE: table1.learners["SGD"], **table1.learners}
    bad = table1.changed(name=HOSTILE, about=HOSTILE, streams=columns, learners=learners)
    some = table1.only(learners=["BFLO"])
    return {
        "full": make_table(table1, results, runs=3),
        "partial": make_table(table1, [one for one in results if one.stream != "COVTYPE" and one.learner != "AROW"]),
        "empty": make_table(table1, []),
        "one run": make_table(table1, [one for one in results if one.run == 0]),
        **{name: make_table(p, results_of(p, 2)) for name, p in (("wide", wide), ("demo", demo), ("quick", quick))},
        **{name: make_table(p, results_of(p, 2)) for name, p in (("hostile", bad), ("one learner", some))},
    }


KINDS = ("full", "partial", "empty", "one run", "wide", "demo", "quick", "hostile", "one learner")
every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
def test_a_fitted_protocol_is_called_fitted_everywhere(tables, kind):
    for form in FORMATS:
        shown = render(tables[kind], form)
        assert ("(fitted to the printed numbers)" in shown) == tables[kind].fitted
        assert shown.endswith("\n") and "None" not in shown.replace("None of the", "") and "nan" not in shown


def test_text_shows_paper_ours_and_the_difference(table1):
    counts = {"online": lambda t: 120 + 10 * t.run, "final": lambda t: 30 + 5 * t.run * (t.learner == "SGD")}
    table = make_table(table1, results_of(table1, runs=2, **counts), runs=2)
    block = render(table, "text").partition("Online error (%), no labels flipped\n")[2].partition("\n\nOnline")[0]
    head, rule, *lines = block.splitlines()
    assert head.split() == ["MUSHROOM", "COVTYPE", "IJCNN", "EEG", "A9A", "Rank"] and set(rule) == {"-", " "}
    arow = [line.split() for line in lines[:3]]
    assert arow[0] == ["AROW", "paper", "5.32*", "22.58*", "8.44*", "43.59", "17.79*", "1.2"]
    assert arow[1] == ["ours", *["12.50*", "±0.50"] * 5, "2.5"]
    assert arow[2] == ["off", "by", "+7.18", "-10.08", "+4.06", "-31.09", "-5.29"]
    assert "3.2 (3.8)" in block and "3.8 (3.2)" in block
    assert len({line.index(".") for line in lines if "." in line}) == 1, "decimal points are below one another"
    assert re.search(r"largest ±  paper +0\.23 .*\n +ours +0\.50 ", render(table))


@every_kind
def test_markdown_tables_are_whole(tables, kind):
    shown = render(tables[kind], "markdown")
    grids = [part.splitlines() for part in shown.split("\n\n") if part.startswith("|")]
    assert len(grids) == len(tables[kind].blocks)
    for grid in grids:
        cells = {len(re.findall(r"(?<!\\)\|", line)) for line in grid}
        assert len(cells) == 1 and set(grid[1]) <= set("|-: "), "each line has as many cells"
    assert "<b>" not in shown.replace(r"\<b\>", "")
    if kind == "full":
        best = "| AROW | paper | **5.32** | **22.58** | **8.44** | 43.59 | **17.79** | 1.2 |"
        assert best in re.sub(" +", " ", shown)


@every_kind
def test_latex_is_whole_and_escaped(tables, kind):
    comment, _, body = render(tables[kind], "latex").partition("\n")
    bare = re.sub(r"\\[%&#_{}$]", "", body)  # without what is escaped
    assert comment.startswith("% ") and not set("%#_±–") & set(bare)
    assert bare.count("{") == bare.count("}") and bare.count("$") % 2 == 0
    for name in ("table*", "tabular"):
        assert body.count(rf"\begin{{{name}}}") == body.count(rf"\end{{{name}}}") == len(tables[kind].blocks)
    columns = re.findall(r"\\begin\{tabular\}\{(llr*)\}", body)
    tabulars = re.findall(r"\\toprule\n(.*?)\\bottomrule", bare, re.S)
    for form, tabular in zip(columns, tabulars, strict=True):
        rows = [line for line in tabular.splitlines() if line != r"\midrule"]
        assert all(line.endswith(r" \\") and line.count("&") == len(form) - 1 for line in rows)
    if kind == "full":
        best = r"AROW & paper & $\mathbf{5.32}$ & $\mathbf{22.58}$ & $\mathbf{8.44}$ & $43.59$"
        assert best in re.sub(" +", " ", body) and r" \pm " in body and r"20 \% of labels flipped" in body


class _Checker(HTMLParser):
    """Sees to it that tags are closed in order, and keeps them and the text."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.text = [], [], ""

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.seen.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.text += text


@every_kind
def test_html_is_whole_escaped_and_accessible(tables, kind):
    page, blocks = _Checker(), len(tables[kind].blocks)
    page.feed(render(tables[kind], "html"))
    page.close()
    tags = [tag for tag, _ in page.seen]
    known = "table caption thead tbody tr th td style p strong div small ul li"
    assert page.open == [] and set(tags) <= set(known.split())
    assert tags.count("table") == tags.count("caption") == blocks
    assert all(details.get("scope") in ("col", "row", "rowgroup") for tag, details in page.seen if tag == "th")
    regions = [details["aria-label"] for tag, details in page.seen if details.get("role") == "region"]
    assert len(set(regions)) == blocks, "each can be told from the others"
    assert kind != "hostile" or HOSTILE in page.text
    spans = sum(int(details.get("rowspan", 1)) for _, details in page.seen if details.get("scope") == "rowgroup")
    assert spans == tags.count("tr") - blocks


def test_pairs_as_text(results):
    def of(learner, **place):
        return [one for one in results if one.learner == learner and place.items() <= vars(one).items()]

    text = render_pairs([paired(of("AROW"), of("BFLO")[1:], measure) for measure in ("online", "final")])
    assert "Online error of AROW minus that of BFLO, in points of percent\n" in text
    assert "Final error of AROW minus that of BFLO, in points of percent\n" in text
    (pair, *_) = paired(of("AROW"), of("BFLO")[1:])
    line = next(line for line in text.splitlines() if line.startswith("MUSHROOM "))
    numbers = [f"{pair.difference:+.2f}", f"±{pair.error:.2f}", f"{pair.low:+.2f}", "to", f"{pair.high:+.2f}"]
    assert line.split()[1:6] == numbers and line.split()[-1] == "2"
    assert "MUSHROOM, 20 % flipped" in text and text.count("cancels in the difference") == 1
    assert "Runs that only one of the two has are left out: 1." in text
    one = {"run": 0, "stream": "EEG", "noise": 0.0}
    text = render_pairs([paired(of("AROW", **one), of("SGD", **one), "final")])
    assert re.fullmatch(r"EEG +[+-]\d+\.\d\d +– +[01] +[01] +0 +1", text.splitlines()[3])
    assert render_pairs([[]]) == "There is no run that both learners have.\n"
