"""The site and the slides, opened from a disk: all that moves lives, nothing is asked of a network, no deck tells."""

import html
import re
import subprocess
import sys

import nbformat
import pytest
from documents import ROOT

import bflo_viz
from bflo_viz.lessons import solution
from bflo_viz.lessons.exercise import Exercise, load_exercises

NOTEBOOKS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
LESSON = [path for path in NOTEBOOKS if path.stem.startswith("02")]
PLAY = [getattr(bflo_viz, name).view for name in bflo_viz.__all__ if name.endswith("Explorer")]
PAGES = ["index", *(path.stem for path in LESSON), *(f"play/{name}" for name in PLAY)]
FORMULA = re.compile(r"\$\$.+?\$\$|\$[^$]+?\$", re.DOTALL)
NOT_READ = re.compile(r"<(script|style|pre|code|head)\b.*?</\1>|<[^>]+>", re.DOTALL)
STATE = "({ bflo }) => ({ ...bflo.state })"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The page of lesson 2, as `make site` writes those of all."""
    out = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, ROOT / "tools" / "site.py", out, *LESSON], check=True)
    return out


@pytest.fixture(scope="module")
def decks(tmp_path_factory):
    """All decks, made of all that notebooks store."""
    out = tmp_path_factory.mktemp("slides")
    subprocess.run([sys.executable, ROOT / "tools" / "slides.py", out], check=True)
    return out


@pytest.mark.parametrize("name", PAGES)
def test_a_page_lives_and_reads_well(opened, barriers, site, name):
    """Every explorer, link and picture; no formula is left as LaTeX, and axe finds no barrier, light or dark."""
    page = opened(site / f"{name}.html", reduced_motion="reduce")
    painted = page.locator(".bflo-place").evaluate_all("all => all.map((one) => one.querySelector('[data-painted]'))")
    assert painted and all(painted)
    assert page.locator(".bflo-alert").all_inner_texts() == [""] * len(painted)
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
        assert barriers(page, "body") == []


def test_every_formula_is_mathml(site):
    for path in LESSON:
        cells = [cell.source for cell in nbformat.read(path, 4).cells if cell.cell_type == "markdown"]
        count = sum(len(FORMULA.findall(re.sub("`[^`]*`", "", source))) for source in cells)
        assert (site / f"{path.stem}.html").read_text(encoding="utf-8").count("<math") >= count > 20


def test_the_first_page_moves_until_it_is_touched(opened, site):
    page = opened(site / "index.html")
    hero = page.locator(".hero .bflo")
    page.wait_for_function("() => document.querySelector('.hero .bflo').bflo.state.delta_new < 0")  # the second step
    hero.locator(".bflo-handle").first.click()
    page.wait_for_timeout(100)  # the last frame
    held = hero.evaluate(STATE)
    page.wait_for_timeout(1000)
    assert hero.evaluate(STATE) == held
    still = opened(site / "index.html", reduced_motion="reduce")
    first = still.locator(".hero .bflo").evaluate(STATE)
    still.wait_for_timeout(1000)
    assert first["t"] == 1 and still.locator(".hero .bflo").evaluate(STATE) == first


def test_an_explorer_moves_on_a_slide(opened, decks):
    """Its handle follows the pointer though the slide is scaled, and arrow keys in it turn no slide."""
    page = opened(decks / "02_one_weight.html", 1000, 620)
    regime = page.locator('.bflo[data-explorer="regime"]').first
    regime.evaluate("(one) => { const { h, v } = Reveal.getIndices(one.closest('section')); Reveal.slide(h, v); }")
    slide = page.evaluate("Reveal.getIndices()")
    handle = regime.get_by_label("Weight before its step")
    handle.evaluate("(one) => new Promise((drawn) => setTimeout(drawn, 500))")
    before, box = regime.evaluate(STATE), handle.locator("circle").first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y, steps=4)
    page.mouse.up()
    page.wait_for_timeout(100)
    after = regime.evaluate(STATE)
    assert handle.locator("circle").first.bounding_box()["x"] - box["x"] == pytest.approx(20, abs=1.5)
    assert after["delta"] > before["delta"]
    page.keyboard.press("ArrowRight")
    assert regime.evaluate(STATE)["delta"] > after["delta"]
    assert page.evaluate("Reveal.getIndices()") == slide


def test_a_slide_asks_an_exercise_and_leaves_other_prose_to_the_speaker(decks):
    deck = (decks / "02_one_weight.html").read_text(encoding="utf-8")
    seen = re.sub(r'<aside class="notes">.*?</aside>', "", deck, flags=re.DOTALL)
    assert "The bottom of a valley is where the slope is zero" in seen
    prose = "A single weight is enough"
    assert prose in deck and prose not in seen


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_deck_holds_a_solution(decks, path):
    """No line of a solution, and no feedback on a mistake, that neither the notebook nor a hint shows."""
    cells = nbformat.read(path, 4).cells
    deck = (decks / path.name).with_suffix(".html").read_text(encoding="utf-8")
    deck = html.unescape(re.sub(r"<[^>]+>", "", deck))
    every = [one for one in load_exercises().values() if isinstance(one, Exercise)]
    mine = [one for one in every if one.number.startswith(f"{int(path.name[:2])}.")]
    shown = "\n".join(
        [*(cell.source for cell in cells), *(text.replace("`", "") for one in mine for text in one.hints)]
    )
    secret = [line.strip() for one in mine for line in (*solution(one.number).splitlines(), *one.mistakes)]
    secret = [line for line in secret if len(line) > 12 and line not in shown]
    assert [line for line in secret if line in deck] == []
    assert secret or not mine
