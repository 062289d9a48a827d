"""The workbench in a page without Python: a student drives the number down, by mouse and by keys alone."""

import itertools
import re

import pytest
from explorers.test_protocol_explorer import path_down

from bflo_viz import ProtocolExplorer
from bflo_viz.scenes.workbench import ORDERS, combination, kept_workbench, rank_order
from browser.instruments import PARTS
from browser.pages import Explorer, Witness, until


@pytest.fixture
def opened(browser, tmp_path):
    """A saved page, opened; whatever goes wrong in it fails the test."""
    context = browser.new_context(offline=True, viewport={"width": 1200, "height": 900})
    window = context.new_page()
    witness = Witness(window)

    def show(**state):
        file = ProtocolExplorer(**state).save_html(tmp_path / "protocol.html")
        window.goto(file.as_uri())
        return Explorer(window, "protocol", PARTS["protocol"]).wait()

    yield show
    assert witness.take() == []
    context.close()


def number(shown):
    return shown.root.locator(".bflo-number").inner_text()


def seen(shown, which):
    return shown.root.locator(which).filter(visible=True).all_inner_texts()


def test_the_number_is_above_the_switches_and_stays(opened):
    """Where switches and tables stand side by side as well, and when one has gone down to the last switch."""
    shown = opened()
    score, controls = (shown.root.locator(one).first for one in (".bflo-score", ".bflo-controls"))
    assert score.bounding_box()["y"] + score.bounding_box()["height"] <= controls.bounding_box()["y"]
    shown.page.mouse.wheel(0, 700)
    until(lambda: shown.page.evaluate("scrollY") > 100)
    assert 0 <= score.bounding_box()["y"] < 100


def test_a_student_drives_table_1_below_one_point(opened):
    """By the hints alone, from ten points to the fit; each move and what was before it can be seen and heard."""
    shown = opened()
    bench = kept_workbench("table1")
    path = path_down(bench)
    assert number(shown) == f"{bench.deviations[path[0]]:.2f}"
    texts = {
        name: dict(map(tuple, about["options"]))
        for name, about in PARTS["protocol"].about.items()
        if "options" in about
    }
    for before, choice in itertools.pairwise(path):
        (name,) = (n for n, a, b in zip(bench.protocol.switches, before, choice, strict=True) if a != b)
        option = texts[name][choice[list(bench.protocol.switches).index(name)]]
        shown.use("hint", None)
        advice = shown.root.locator(".bflo-advice").inner_text
        until(lambda: option in advice() and f"{bench.deviations[choice]:.2f}" in advice())  # noqa: B023
        shown.use(name, option)
        until(lambda: number(shown) == f"{bench.deviations[choice]:.2f}")  # noqa: B023
        until(lambda: f"{bench.deviations[before]:.2f} before" in " ".join(seen(shown, ".bflo-score p")))  # noqa: B023
        until(lambda: shown.voice.startswith(number(shown)))
        assert advice() == ""
    assert float(number(shown)) < 1
    shown.use("hint", None)
    until(lambda: "least of all 96" in shown.root.locator(".bflo-advice").inner_text())
    moves = shown.root.locator("figure svg").get_attribute("aria-label")
    assert [f"{value:.2f}" for value in map(bench.deviations.__getitem__, path)] == re.findall(
        r"(\d+\.\d\d)(?=;|\.$)", moves
    )
    shown.use("start", None)
    until(lambda: number(shown) == f"{bench.deviations[path[0]]:.2f}")
    shown.shows(split="shuffled", expansion="free")
    assert shown.root.locator("figure circle").count() == 1


@pytest.mark.parametrize("experiment", ["table1", "table2"])
def test_the_tables_are_those_of_python(opened, experiment):
    """Each cell with ours, the printed one and their difference; ranks, and whose order they have."""
    shown = opened(experiment=experiment)
    table = combination(experiment).table
    rows = [row for row in shown.says()["rows"] if row[0]]
    wanted = []
    for block in table.blocks:
        for row in block.rows:
            cells = [f"{cell.deviation:+.2f}{cell.ours:.2f}| {cell.paper:.2f}" for cell in row.cells]
            wanted.append([row.learner, *cells, f"{row.rank:.1f}| {row.printed_rank:.1f}"])
    hidden = 4 * 4 if experiment == "table2" else 0  # those of the other table come first
    assert [[text.replace("−", "-") for text in row] for row in rows[hidden : hidden + len(wanted)]] == wanted
    notes = seen(shown, ".bflo-table .bflo-note")
    assert notes == [ORDERS[rank_order(block)] for block in table.blocks]
    assert len(seen(shown, ".bflo-group")) == {"table1": 5, "table2": 4}[experiment]
