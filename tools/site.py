"""Write the course as web pages that need no server: python tools/site.py FOLDER [NOTEBOOK …]."""

import json
import re
import shutil
import sys
from pathlib import Path

import nbformat
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_notebook, new_output
from pages import EXPLORERS, MIME, NOTEBOOKS, TEMPLATES, Alive, alive, markdown, write_shared

from bflo_viz.explorers.page import HERE, policy

EXPORTER = HTMLExporter(
    template_file=str(TEMPLATES / "page.html.j2"), preprocessors=[Alive], filters={"markdown2html": markdown}
)
HERO = EXPLORERS["FlowExplorer"](axes=(1.65, 0.9), angle=25, w=(1.9, 0.2), w_new=(1, 1.3))
MOVES = {"w_new": [[-0.2, 1.9], [-1.4, 0.8], [0.4, -0.4], [2, -0.3], [1, 1.3]]}  # until somebody touches the picture
FRONT = """<section class="hero"><div><h1>Belief flows, hands on</h1>
<p class="lede">Draw one weight from a belief. Let it take its gradient step. The whole belief flows after it, and changes
as little as it can.</p>
<p><a class="button" href="{first}.html">Begin</a> <a class="button plain" href="#play">All instruments</a></p>
<p class="hint">The picture moves until you touch it; then drag any of its points.</p></div>{hero}</section>
<h2 id="lessons">Lessons</h2><ol class="path">{lessons}</ol>
<h2 id="play">Instruments</h2><ul class="cards">{cards}</ul>
<p class="hint">Explorers do all their computing in this page. To run the code, and to have your answers checked, open the
notebooks: <code>make lab</code> in the folder of the course.</p>"""


def build(out, paths):
    """Write a page for each notebook and each explorer, and the front page."""
    (out / "play").mkdir(parents=True, exist_ok=True)
    write_shared(out, "page.css")
    shutil.copy(TEMPLATES / "page.js", out)
    lessons = {path.stem: nbformat.read(path, 4) for path in paths}
    titles = {name: notebook.cells[0].source.splitlines()[0].removeprefix("# ") for name, notebook in lessons.items()}
    outputs = [
        output.get("data", {})
        for notebook in lessons.values()
        for cell in notebook.cells
        for output in cell.get("outputs", ())
    ]
    pictures = {data[MIME]["explorer"]: data.get("image/png", "") for data in reversed(outputs) if MIME in data}
    path = cards = ""
    for before, name, after in zip([None, *lessons], lessons, [*lessons, None][1:], strict=False):
        ways = [
            f'<a rel="{way}" href="{to}.html">{titles[to]}</a>'
            for way, to in (("prev", before), ("next", after))
            if to
        ]
        _write(out / f"{name}.html", lessons[name], titles[name], kind="lesson", ways=" ".join(ways))
        aim = re.search(r"\*\*Aim\*\* (.*?)\s+\*\*", lessons[name].cells[0].source, re.DOTALL)
        path += f'<li><a href="{name}.html">{titles[name]}</a>{markdown(aim[1]) if aim else ""}</li>'
    for name, kind in EXPLORERS.items():
        explorer, place = kind(), f"play/{kind._name()}"
        _write(out / f"{place}.html", _page(alive(kind, explorer.on_page(), alone="")), kind._title, root="../")
        picture = f'<img src="data:image/png;base64,{pictures[name]}" alt="">' if name in pictures else ""
        cards += f'<li><a href="{place}.html">{picture}{kind._title}</a></li>'
    hero = alive(type(HERO), HERO.on_page(), moves=json.dumps(MOVES))
    front = FRONT.format(first=next(iter(lessons)), hero=hero, lessons=path, cards=cards)
    _write(out / "index.html", _page(front), "The course", kind="front")


def _write(path, notebook, title, *, root="", kind="play", ways=""):
    resources = {"title": title, "root": root, "kind": kind, "ways": ways, "policy": policy(*HERE)}
    page, _ = EXPORTER.from_notebook_node(notebook, resources)
    headings = re.findall(r'<h2 id="(.*?)">(.*?)</h2>', page)
    rows = "".join(f'<li><a href="#{name}">{words}</a></li>' for name, words in headings)
    path.write_text(page.replace("<!-- contents -->", rows), encoding="utf-8")


def _page(text):
    """A notebook whose only cell shows some HTML."""
    return new_notebook(cells=[new_code_cell(outputs=[new_output("display_data", {"text/html": text})])])


if __name__ == "__main__":
    build(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]] or NOTEBOOKS)
