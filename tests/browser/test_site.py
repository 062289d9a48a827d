"""The site and the slides, opened from a disk: all that moves lives, nothing is asked of a network, no deck tells."""

import html
import re
import subprocess
import sys

import nbformat
import pytest
from documents import ROOT

from bflo_viz.lessons.exercises import BOOK
from browser.pages import Explorer, Witness, until, violations

NOTEBOOKS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
PLAY = sorted(
    path.parent.name for path in (ROOT / "bflo_viz" / "explorers").glob("*/view.js") if path.parent.name != "bet"
)
PAGES = ["index", "01_three_ways_to_learn", "02_one_dimension", *(f"play/{name}" for name in PLAY)]
FORMULA = re.compile(r"\$\$.+?\$\$|\$[^$]+?\$", re.DOTALL)
NOT_READ = re.compile(r"<(script|style|pre|code|head)\b.*?</\1>|<[^>]+>", re.DOTALL)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The pages of lessons 01 and 02, as `make site` writes those of all."""
    out = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, ROOT / "tools" / "site.py", out, *NOTEBOOKS[1:3]], check=True)
    return out


@pytest.fixture(scope="module")
def decks(tmp_path_factory):
    """All decks."""
    out = tmp_path_factory.mktemp("slides")
    subprocess.run([sys.executable, ROOT / "tools" / "slides.py", out], check=True)
    return out


@pytest.fixture
def opened(browser):
    """Opens a file offline; whatever goes wrong on it, or is asked of anything but the disk, fails the test."""
    contexts, witnesses = [], []

    def open_(path, **options):
        contexts.append(browser.new_context(offline=True, viewport={"width": 1280, "height": 720}, **options))
        page = contexts[-1].new_page()
        witnesses.append(Witness(page))
        page.goto(path.as_uri())
        return page

    yield open_
    assert [witness.take() for witness in witnesses] == [[]] * len(witnesses)
    assert not [one for witness in witnesses for one in witness.requests if not one.startswith(("file:", "data:"))]
    for context in contexts:
        context.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_lives_and_reads_well(opened, site, name):
    """Every explorer, link and picture; no formula is left as LaTeX, and axe finds no barrier, light or dark."""
    page = opened(site / f"{name}.html", reduced_motion="reduce")
    alive = page.locator(".bflo-alive").evaluate_all("all => all.map((one) => one.dataset.alive)")
    assert alive and set(alive) == {"yes"}
    text = (site / f"{name}.html").read_text(encoding="utf-8")
    assert not re.search(r"\$|\\[a-z(\[]|<merror", html.unescape(NOT_READ.sub("", text)))
    for link in re.findall(r'<a [^>]*href="([^"]+)"', text):
        path, _, anchor = link.partition("#")
        target = (site / name).parent / path if path else site / f"{name}.html"
        built = target.exists() or target.stem in [notebook.stem for notebook in NOTEBOOKS]
        assert "://" in link or (built and (not anchor or f'id="{anchor}"' in target.read_text(encoding="utf-8"))), (
            link
        )
    assert 'alt=""' not in text or name == "index"  # there a picture stands beside its title
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert violations(page, "body") == []


def test_every_formula_is_mathml(site):
    for path in NOTEBOOKS[1:3]:
        cells = [cell.source for cell in nbformat.read(path, 4).cells if cell.cell_type == "markdown"]
        count = sum(len(FORMULA.findall(re.sub("`[^`]*`", "", source))) for source in cells)
        assert (site / f"{path.stem}.html").read_text(encoding="utf-8").count("<math") >= count > 20


def test_the_first_page_moves_until_it_is_touched(opened, site):
    page = opened(site / "index.html", reduced_motion="no-preference")
    flow = Explorer(page, "flow").wait()
    first = flow.state
    until(lambda: flow.state != first)
    page.mouse.click(*flow.middle("w"))
    page.wait_for_timeout(100)  # the last frame
    held = flow.state
    page.wait_for_timeout(300)
    assert flow.state == held
    still = Explorer(opened(site / "index.html", reduced_motion="reduce"), "flow").wait()
    start = still.state
    still.page.wait_for_timeout(300)
    assert still.state == start


def test_an_answer_opens_what_was_folded(opened, site):
    page = opened(site / "02_one_dimension.html")
    folds = page.locator('details[data-bets="02.2"]')
    assert folds.evaluate_all("all => all.length > 3 && all.every((one) => !one.open)")
    page.locator('[data-explorer="bet"] button[name="wider"]').click()
    page.locator('[data-explorer="bet"] button[name="commit"]').click()
    until(lambda: folds.evaluate_all("all => all.every((one) => one.open)"))


def test_an_explorer_moves_on_a_slide(opened, decks):
    """Its handle follows the pointer though the slide is scaled, and arrow keys in it turn no slide."""
    page = opened(decks / "02_one_dimension.html")
    page.set_viewport_size({"width": 1000, "height": 620})
    place = 'document.querySelector(\'.bflo[data-explorer="regime"]\').closest("section")'
    page.evaluate(f"() => {{ const {{ h, v }} = Reveal.getIndices({place}); Reveal.slide(h, v); }}")
    slide = page.evaluate("Reveal.getIndices()")
    regime = Explorer(page, "regime").wait()
    before = regime.state
    regime.follows(regime.root.locator("[data-handle]").first.get_attribute("data-handle"), (20, 25))
    after = regime.state
    assert after["delta"] > before["delta"] and after["delta_new"] < before["delta_new"]
    page.keyboard.press("ArrowRight")
    until(lambda: regime.state["delta"] > after["delta"])
    assert page.evaluate("Reveal.getIndices()") == slide


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_deck_holds_a_solution(decks, path):
    """No line of a solution that the notebook does not show, and no reason why it is right, not even in the notes."""
    cells = nbformat.read(path, 4).cells
    shown = "\n".join(cell.source for cell in cells)
    deck = html.unescape(re.sub(r"<[^>]+>", "", (decks / path.name).with_suffix(".html").read_text(encoding="utf-8")))
    exercises = [one for one in BOOK.values() if one.number.startswith(path.name[:2]) and not one.options]
    secret = [line.strip() for one in exercises for line in (*one.solution.splitlines(), *one.why.splitlines())]
    secret = [line for line in secret if len(line) > 12 and line not in shown]
    assert [line for line in secret if line in deck] == []
    assert secret or not exercises
