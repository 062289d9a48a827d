"""Write the course as web pages that need no server: python tools/site.py FOLDER [NOTEBOOK …]."""

import re
import shutil
import sys
from pathlib import Path

import nbformat
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_notebook, new_output
from pages import EXPLORERS, NOTEBOOKS, STALE, STILLS, TEMPLATES, Alive, markdown, write_shared

from bflo_viz import RegimeExplorer
from bflo_viz.explorers.page import place

EXPORTER = HTMLExporter(
    template_file=str(TEMPLATES / "page.html.j2"), preprocessors=[Alive], filters={"markdown2html": markdown}
)
STEPS = [[1.5, 0.5], [1.2, -1.2], [-1, -2.6], [-1.8, -0.6], [-0.8, 1.4], [1, 2.4]]  # of the weight on the first page
FRONT = """<section class="hero"><div><h1>Belief flows, hands on</h1>
<p class="lede">Draw one weight from a belief. Let it take its gradient step. The whole belief flows after it, and
changes as little as it can.</p>
<p><a class="button" href="{first}.html">Begin</a> <a class="button" href="#play">All explorers</a></p>
<p class="hint">Drag any point of the picture.</p></div>{hero}</section>
<h2 id="lessons">Lessons</h2><p>By the end of each lesson you will be able to …</p><ol class="path">{lessons}</ol>
<h2 id="play">Explorers</h2><ul class="cards">{cards}</ul>
<p class="hint">To run the code and to have your answers checked, open the notebooks: <code>make lab</code>.</p>"""


def build(out, paths):
    """Write a page for each notebook and each explorer, and the front page."""
    (out / "play").mkdir(parents=True, exist_ok=True)
    write_shared(out, "page.css")
    shutil.copy(TEMPLATES / "page.js", out)
    lessons = {path.stem: nbformat.read(path, 4) for path in paths}
    titles = {name: notebook.cells[0].source.splitlines()[0].removeprefix("# ") for name, notebook in lessons.items()}
    path = cards = ""
    for name, after in zip(lessons, [*lessons, None][1:], strict=True):
        turn = f'<p><a rel="next" href="{after}.html">Next: {titles[after]}</a></p>' if after else ""
        _write(out / f"{name}.html", lessons[name], titles[name], kind="lesson", turn=turn)
        aim = re.search(r"By the end,? you will be able to (.*?\.)\s", lessons[name].cells[0].source, re.DOTALL)
        words = re.sub(r"^Lesson \d · ", "", titles[name])
        path += f'<li><a href="{name}.html">{words}</a>{markdown(f"… {aim[1]}") if aim else ""}</li>'
    for kind in EXPLORERS:
        name = f"play/{kind.view}.html"
        _write(out / name, _page(place(kind().on_page())), kind.title, root="../")
        cards += f'<li><a href="{name}">{STILLS.get(kind.__name__, "")}{kind.title}</a></li>'
    hero = place(RegimeExplorer().on_page(), attributes=f'data-steps="{STEPS}"')
    front = FRONT.format(first=next(iter(lessons)), hero=hero, lessons=path, cards=cards)
    _write(out / "index.html", _page(front), "The course", kind="front")


def _write(path, notebook, title, *, root="", kind="play", turn=""):
    resources = {"title": title, "root": root, "kind": kind, "turn": turn}
    page, _ = EXPORTER.from_notebook_node(notebook, resources)
    headings = re.findall(r'<h2 id="(.*?)">(.*?)</h2>', page)
    rows = "".join(f'<li><a href="#{name}">{words}</a></li>' for name, words in headings)
    path.write_text(page.replace("<!-- contents -->", rows), encoding="utf-8")


def _page(text):
    """A notebook whose only cell shows some HTML."""
    return new_notebook(cells=[new_code_cell(outputs=[new_output("display_data", {"text/html": text})])])


if __name__ == "__main__":
    build(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]] or NOTEBOOKS)
    sys.exit("\n".join(STALE) or None)
