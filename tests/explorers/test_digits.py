"""Digits: the page's votes are those of Python, and a hand, a finger and keys draw what networks see."""

import json
import os
import re
import runpy
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from traitlets import TraitError

from bflo_viz import MLP, DigitExplorer, _places
from bflo_viz.explorers.digits import FILE, NEARLY, NETWORKS, SIDE, digit_beliefs

SCRIPT = Path(__file__).parents[2] / "tools" / "digit_beliefs.py"
TOOL = runpy.run_path(str(SCRIPT))
ONE = [[(14, 4), (14, 23)]]
ZERO = [[(14, 4), (9.5, 7), (8, 13), (9.5, 20), (14, 23), (18.5, 20), (20, 13), (18.5, 7), (14, 4)]]
SEVEN = [[(8, 5), (20, 5), (12, 23)]]
FOUR = [[(9, 4), (8, 14), (20, 14)], [(17.5, 8), (17, 24)]]


def ink_of(sketch):
    """Read a sketch without the page."""
    rows = [int(row or "0", 16) for row in sketch.split(".")]
    return np.array([[row >> (SIDE - 1 - i) & 1 for i in range(SIDE)] for row in rows + [0] * (SIDE - len(rows))])


def tally_of(sketch, moment, seed):
    """Let networks with the mean of a belief and its widths times standard normals vote for digits."""
    kept = digit_beliefs()
    model = MLP(kept["sizes"])
    belief = TOOL["unpacked"](model, kept["beliefs"][moment])
    normals = np.random.RandomState(seed).standard_normal((NETWORKS, belief.dim))
    seen = TOOL["seen"](ink_of(sketch)).reshape(1, -1)
    return np.bincount([model.predict_many(belief.weight(z), seen)[0].argmax() for z in normals], minlength=10)


def test_the_page_counts_the_votes_that_python_counts(sentences):
    """Of drawings of all kinds, at every moment, by the networks of several seeds."""
    drawings = [NEARLY, *digit_beliefs()["examples"].values(), TOOL["to_text"](TOOL["drawn"](FOUR))]
    states = [
        {"sketch": drawings[k % len(drawings)], "moment": k % 10, "seed": (0, 7, 2**32 - 1)[k % 3]} for k in range(24)
    ]
    for values, words in zip(states, sentences(DigitExplorer(), states), strict=True):
        tally = tally_of(**values)
        first, second = np.sort(tally)[-1], np.sort(tally)[-2]
        found = re.match(r"(\d+) of 50 networks see a (\d)(?:, (\d+) a (\d))?, after ([\d,]+) digits", words)
        assert found and int(found[1]) == first == tally[int(found[2])], (values, words, tally)
        assert (int(found[3]) == second == tally[int(found[4])]) if second else found[3] is None
        assert int(found[5].replace(",", "")) == digit_beliefs()["rounds"][values["moment"]]
        assert ("no proof" in words) == (first >= 45)


def test_what_a_cell_does_is_what_leaving_it_out_changes(opened):
    """The colours of the ink are the changes in the lead of the mean network, which it has by its logits."""
    page = opened(DigitExplorer())
    kept = digit_beliefs()
    model = MLP(kept["sizes"])
    mean = TOOL["unpacked"](model, kept["beliefs"][8]).mean
    seen = TOOL["seen"](ink_of(NEARLY)).ravel()
    told = page.evaluate("""() => document.querySelector(".bflo-figure[data-picture=pad] small").textContent""")
    winner, second = map(int, re.findall(r"\d", told))
    without = np.where(np.eye(seen.size, dtype=bool), 0, seen)
    last = model.unflatten(mean)[-1]
    logits = model.hidden(mean, np.vstack([seen, without])) @ last[:-1] + last[-1]
    lead = logits[:, winner] - logits[:, second]
    effect = np.where(seen > 0, lead[0] - lead[1:], 0)
    shares = np.round(10 * effect[effect != 0] / np.abs(effect).max())
    fills = "() => [...document.querySelectorAll('[data-picture=pad] path')].map((one) => one.attributes.fill.value)"
    assert len(set(page.evaluate(fills))) == len(np.unique(shares))


@pytest.fixture
def empty(opened):
    """The page with nothing drawn."""
    page = opened(DigitExplorer(sketch=""), has_touch=True)
    assert page.locator(".bflo-say").inner_text().startswith("The page is empty")
    page.evaluate("""() => {
        const ui = document.querySelector(".bflo").bflo;
        const set = ui.set;
        window.told = 0;
        ui.set = (values) => ((window.told += 1), set(values));
    }""")
    return page


def places(page, stroke):
    """Where points of the sheet, in cells, are on the screen; steps as small as those of a hand."""
    box = page.locator("[data-picture=pad] svg").bounding_box()
    cell = min(box["width"], box["height"]) / SIDE
    corners = [(box["x"] + x * cell, box["y"] + y * cell) for x, y in stroke]
    fine = [
        (x0 + (x1 - x0) * k / 8, y0 + (y1 - y0) * k / 8)
        for (x0, y0), (x1, y1) in pairwise(corners)
        for k in range(1, 9)
    ]
    return [corners[0], *fine]


def draw(page, strokes):
    for first, *rest in (places(page, stroke) for stroke in strokes):
        page.mouse.move(*first)
        page.mouse.down()
        for place in rest:
            page.mouse.move(*place)
        page.mouse.up()
    page.wait_for_timeout(60)


def sketch_of(page):
    return page.evaluate("() => document.querySelector('.bflo').bflo.state.sketch")


@pytest.mark.parametrize(("strokes", "digit"), [(ONE, 1), (ZERO, 0), (SEVEN, 7), (FOUR, 4)], ids=["1", "0", "7", "4"])
def test_a_drawn_digit_is_recognised(empty, strokes, digit):
    """By most networks; Python is told once for each stroke, whatever number of samples a hand makes."""
    draw(empty, strokes)
    tally = tally_of(sketch_of(empty), 8, 0)
    assert tally.argmax() == digit and tally.max() > 40
    assert empty.locator(".bflo-say").inner_text().startswith(f"{tally.max()} of 50 networks see a {digit}")
    assert empty.evaluate("() => told") == len(strokes)


def test_the_eraser_takes_ink_away_and_clear_all(empty):
    draw(empty, SEVEN)
    before = ink_of(sketch_of(empty)).sum()
    empty.click("text=erase")
    draw(empty, ONE)
    assert 0 < ink_of(sketch_of(empty)).sum() < before
    empty.click(".bflo-go")
    assert sketch_of(empty) == ""


def test_keys_draw(empty):
    """Up to the top, pen down, a line down, pen up: a 1."""
    pad = empty.locator("[data-picture=pad] svg")
    pad.press("Shift+ArrowUp")
    pad.press("Shift+ArrowUp")
    assert sketch_of(empty) == ""
    for key in (" ", *["ArrowDown"] * 20, " ", "ArrowRight"):
        pad.press(key)
    empty.wait_for_timeout(60)
    tally = tally_of(sketch_of(empty), 8, 0)
    assert tally.argmax() == 1 and tally.max() > 45
    assert ink_of(sketch_of(empty)).any(axis=0).sum() <= 4


def test_learning_is_scrubbed_by_a_finger_and_by_keys(opened):
    page = opened(DigitExplorer(), 390, 800, has_touch=True)
    handle = page.get_by_label("Moment of learning")
    handle.scroll_into_view_if_needed()
    for _ in range(5):
        handle.press("ArrowLeft")
    page.wait_for_timeout(60)
    assert handle.get_attribute("aria-valuetext") == "1,000 digits"
    assert "after 1,000 digits" in page.locator(".bflo-say").inner_text()


def test_a_sketch_is_a_text():
    for wrong in ("g", "12345678", "." * SIDE):
        with pytest.raises(TraitError, match="sketch must be at most 28 rows"):
            DigitExplorer(sketch=wrong)
    assert (
        json.loads(json.dumps(DigitExplorer(moment=2).on_page()))["_spec"]["constants"].items()
        >= digit_beliefs().items()
    )


def test_the_manifest_tells_of_the_file():
    entry = json.loads((_places.results_folder() / "manifest.json").read_text(encoding="utf-8"))[FILE]
    assert entry["command"] == "python tools/digit_beliefs.py" and entry["code"] and entry["data"]
    assert [entry[name] for name in ("rounds", "measured")] == [
        digit_beliefs()[name] for name in ("rounds", "measured")
    ]


@pytest.mark.skipif(not os.environ.get("BFLO_DATA"), reason="needs BFLO_DATA, the folder of the real data")
def test_the_beliefs_come_out_again(tmp_path):
    """The first moments, to a byte or two: a network computes in float32."""
    subprocess.run([sys.executable, SCRIPT, "--into", tmp_path, "--until", "4000"], capture_output=True, check=True)
    again, kept = json.loads((tmp_path / FILE).read_text(encoding="utf-8")), digit_beliefs()
    assert len(again["beliefs"]) == 6 and again["rounds"] == kept["rounds"][:6]
    for ours, theirs in zip(again["beliefs"], kept["beliefs"], strict=False):
        new, old = (TOOL["unpacked"](MLP(kept["sizes"]), one) for one in (ours, theirs))
        assert new.mean == pytest.approx(old.mean, abs=2 * max(ours["mean"]["steps"]) + 1e-12)
        assert new.std == pytest.approx(old.std, abs=2 * max(ours["std"]["steps"]))
