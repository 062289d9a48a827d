import random
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from fake_results import results_of

from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.rendering import FORMATS, render, render_pairs
from bflo_viz.experiments.statistics import paired
from bflo_viz.experiments.tables import make_table

HOSTILE = "<b>_50 % & #1 | {x} [y] $\\^~*`\nz"


@pytest.fixture(scope="module")
def table1():
    return load_protocol("table1", "inferred")


def mistakes(low, high):
    rng = random.Random(0)
    return lambda trial: rng.randrange(low, high)


@pytest.fixture(scope="module")
def results(table1):
    return results_of(table1, runs=3, online=mistakes(100, 400), final=mistakes(10, 300))


@pytest.fixture(scope="module")
def tables(table1, results):
    """Tables of every kind: full, partial, empty, quick, with one stream, with more learners, with hostile names."""
    wide = table1.extended(table1.extras)
    demo, table2 = load_protocol("demo", "inferred"), load_protocol("table2", "inferred")
    quick = load_protocol("table2", "printed", quick=True)
    bad = replace(
        table1,
        name=HOSTILE,
        about=HOSTILE,
        streams={HOSTILE: table1.streams["EEG"], "EEG": table1.streams["EEG"]},
        learners={HOSTILE: table1.learners["SGD"], **table1.learners},
    )
    some = table1.only(learners=["BFLO"])
    return {
        "full": make_table(table1, results, runs=3),
        "partial": make_table(table1, [one for one in results if one.stream != "COVTYPE" and one.learner != "AROW"]),
        "empty": make_table(table1, []),
        "one run": make_table(table1, [one for one in results if one.run == 0]),
        "wide": make_table(wide, results_of(wide, runs=2, online=mistakes(100, 400), final=mistakes(10, 300))),
        "demo": make_table(demo, results_of(demo, runs=2)),
        "table2": make_table(table2, results_of(table2, runs=2)),
        "quick": make_table(quick, results_of(quick, runs=2)),
        "hostile": make_table(bad, results_of(bad, runs=2)),
        "one learner": make_table(some, results_of(some, runs=2)),
    }


KINDS = ("full", "partial", "empty", "one run", "wide", "demo", "table2", "quick", "hostile", "one learner")


@pytest.mark.parametrize("kind", KINDS)
def test_a_fitted_protocol_is_called_fitted_everywhere(tables, kind):
    table = tables[kind]
    for form in FORMATS:
        shown = render(table, form)
        assert ("(fitted to the printed numbers)" in shown) == table.fitted
        assert shown.endswith("\n") and "None" not in shown.replace("None of the", "") and "nan" not in shown


# Text


def test_text_shows_paper_ours_and_the_difference(table1):
    table = make_table(table1, results_of(table1, runs=2, online=lambda trial: 120 + 10 * trial.run), runs=2)
    block = render(table, "text").partition("Online error (%), no labels flipped\n")[2].partition("\n\nOnline")[0]
    head, rule, *lines = block.splitlines()
    assert head.split() == ["MUSHROOM", "COVTYPE", "IJCNN", "EEG", "A9A", "Rank"] and set(rule) == {"-", " "}
    arow = [line.split() for line in lines[:3]]
    assert arow[0] == ["AROW", "paper", "5.32*", "22.58*", "8.44*", "43.59", "17.79*", "1.2"]
    assert arow[1] == ["ours", *["12.50*", "±0.50"] * 5, "2.5"]
    assert arow[2] == ["off", "by", "+7.18", "-10.08", "+4.06", "-31.09", "-5.29"]
    assert "3.2 (3.8)" in block and "3.8 (3.2)" in block
    assert len({line.index(".") for line in lines if "." in line}) == 1, "decimal points are below one another"


def test_missing_numbers_show_as_missing(tables):
    text = render(tables["partial"], "text")
    assert text.split("ours")[1].split()[:6] == ["–", "–", "–", "–", "–", "–"]
    assert "72 of 400 runs are here. There are none on COVTYPE: bflo data says how to get" in " ".join(text.split())
    assert "There are none of AROW. Fewer than 10: SGD on MUSHROOM" in " ".join(text.split())
    assert "Ours are without COVTYPE" in " ".join(text.split())
    assert "None of the 400 runs is here yet." in render(tables["empty"], "text")
    assert "All 120 runs are here, 3 for each number." in render(tables["full"], "text")


def test_gaps_are_named_and_then_counted(table1, results):
    few = " ".join(render(make_table(table1, results[1:], runs=3), "text").split())
    assert "119 of 120 runs are here. Fewer than 3: AROW on MUSHROOM with no labels flipped (2)." in few
    many = " ".join(render(make_table(table1, results[10:], runs=3), "text").split())
    assert re.search(r"Fewer than 3: .* and \d+ more\.", many)
    more = render(make_table(table1, results, runs=2), "text")
    assert "All 80 runs are here, 2 for each number, and 40 more." in more


def test_the_summary_says_how_far_and_where(table1):
    table = make_table(table1, results_of(table1, runs=1, online=lambda trial: 200), runs=1)
    text = " ".join(render(table, "text").split())
    far, farthest = table.mean_deviation("online"), table.largest_deviation("online")
    assert f"Online error: our 40 numbers differ from the paper's by {far:.2f} points on average" in text
    assert f"most for {farthest.learner} on EEG with 20 % of labels flipped: {farthest.value:+.2f}." in text
    assert "±:" not in text and "equal numbers share the average of their places" in text
    worse = render(make_table(table1, [], ties="max"), "text")
    assert "equal numbers all get the worse place" in " ".join(worse.split())


def test_mixtures_are_told(table1, results):
    stale = replace(results[0], key="0" * 32)
    mixed = [replace(results[1], code="code 0", data="others"), *results[2:], stale]
    text = " ".join(render(make_table(table1, mixed), "text").split())
    assert "made by 2 versions of the code: code 0, code 1." in text
    assert "Not all runs had the same rows of MUSHROOM" in text
    assert "1 run of this protocol's name, but made with other settings: left out." in text


def test_a_table_without_paper_s_numbers_says_so_and_has_one_line_each(tables):
    text = render(tables["quick"], "text")
    assert "The paper has no numbers for these streams and learners." in text
    assert "off by" not in text and "largest" not in text and "Bold" not in text
    assert "\nSGD      ours" in text and "\nDROPOUT  ours" in text and "\n\nDROPOUT" not in text


# Markdown


@pytest.mark.parametrize("kind", KINDS)
def test_markdown_tables_are_whole(tables, kind):
    table = tables[kind]
    shown = render(table, "markdown")
    grids = [part.splitlines() for part in shown.split("\n\n") if part.startswith("|")]
    assert len(grids) == len(table.blocks)
    for grid in grids:
        cells = {len(re.findall(r"(?<!\\)\|", line)) for line in grid}
        assert len(cells) == 1, "each line has as many cells"
        assert set(grid[1]) <= set("|-: ")
    assert "<b>" not in shown.replace(r"\<b\>", "")


def test_markdown_marks_the_best(tables):
    text = re.sub(" +", " ", render(tables["full"], "markdown"))
    assert "| AROW | paper | **5.32** | **22.58** | **8.44** | 43.59 | **17.79** | 1.2 |" in text


# LaTeX


@pytest.mark.parametrize("kind", KINDS)
def test_latex_is_whole_and_escaped(tables, kind):
    table = tables[kind]
    comment, _, body = render(table, "latex").partition("\n")
    assert comment.startswith("% ")
    bare = re.sub(r"\\[%&#_{}$]", "", body)  # without what is escaped
    assert "%" not in bare and "#" not in bare and "_" not in bare and "±" not in bare and "–" not in bare
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    for environment in ("table*", "tabular"):
        assert body.count(rf"\begin{{{environment}}}") == body.count(rf"\end{{{environment}}}") == len(table.blocks)
    columns = re.findall(r"\\begin\{tabular\}\{(ll r*)\}".replace(" ", ""), body)
    tabulars = re.findall(r"\\toprule\n(.*?)\\bottomrule", bare, re.S)
    for form, tabular in zip(columns, tabulars, strict=True):
        rows = [line for line in tabular.splitlines() if line != r"\midrule"]
        assert all(line.endswith(r" \\") and line.count("&") == len(form) - 1 for line in rows)


def test_latex_has_the_numbers(tables):
    text = re.sub(" +", " ", render(tables["full"], "latex"))
    assert r"AROW & paper & $\mathbf{5.32}$ & $\mathbf{22.58}$ & $\mathbf{8.44}$ & $43.59$" in text
    assert r" \pm " in text and r"20 \% of labels flipped" in text


# HTML


TABLE_TAGS = ("table", "caption", "thead", "tbody", "tr", "th", "td")


class _Checker(HTMLParser):
    """Sees to it that tags are closed in order, and keeps cells and text."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.text, self.rows = [], [], "", []

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.seen.append((tag, dict(attributes)))
        if tag == "tr":
            self.rows.append(0)
        if tag in ("td", "th"):
            self.rows[-1] += 1

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.text += text


@pytest.mark.parametrize("kind", KINDS)
def test_html_is_whole_escaped_and_accessible(tables, kind):
    table = tables[kind]
    page = _Checker()
    page.feed(render(table, "html"))
    page.close()
    tags = [tag for tag, _ in page.seen]
    assert page.open == []
    assert set(tags) <= {*TABLE_TAGS, "style", "p", "strong", "div", "small", "ul", "li"}
    assert tags.count("table") == tags.count("caption") == len(table.blocks)
    assert all(details.get("scope") in ("col", "row", "rowgroup") for tag, details in page.seen if tag == "th")
    regions = [details["aria-label"] for tag, details in page.seen if details.get("role") == "region"]
    assert len(set(regions)) == len(table.blocks), "each can be told from the others"
    if kind == "hostile":
        assert HOSTILE in page.text
    spans = sum(int(details.get("rowspan", 1)) for _, details in page.seen if details.get("scope") == "rowgroup")
    assert spans == tags.count("tr") - len(table.blocks)


# Pairs


def test_pairs_as_text(table1, results):
    def of(learner):
        return [one for one in results if one.learner == learner]

    text = render_pairs([paired(of("AROW"), of("BFLO")[1:], measure) for measure in ("online", "final")])
    assert "Online error of AROW minus that of BFLO, in points of percent\n" in text
    assert "Final error of AROW minus that of BFLO, in points of percent\n" in text
    (pair, *_) = paired(of("AROW"), of("BFLO")[1:])
    line = next(line for line in text.splitlines() if line.startswith("MUSHROOM "))
    numbers = [f"{pair.difference:+.2f}", f"±{pair.error:.2f}", f"{pair.low:+.2f}", "to", f"{pair.high:+.2f}"]
    assert line.split()[1:6] == numbers and line.split()[-1] == "2"
    assert "MUSHROOM, 20 % flipped" in text
    assert "Runs that only one of the two has are left out: 1." in text
    assert text.count("cancels in the difference") == 1


def test_a_single_pair_as_text(results):
    first = [one for one in results if one.run == 0 and one.stream == "EEG" and one.noise == 0]
    text = render_pairs([paired([first[0]], [first[1]], "final_by_mean")])
    assert text.startswith("Final error by the mean of AROW minus that of SGD")
    assert text.splitlines()[3].split() == ["EEG", "+0.00", "–", "0", "0", "1", "1"]
    assert "nan" not in text
    assert render_pairs([[]]) == "There is no run that both learners have.\n"
