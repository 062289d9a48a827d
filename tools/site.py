"""Write the course as web pages that need no server: python tools/site.py FOLDER [NOTEBOOK …]."""

import re
import shutil

from nbconvert import HTMLExporter
from nbformat.v4 import new_markdown_cell, new_notebook
from pages import EXPLORERS, STILLS, TEMPLATES, main, markdown

from bflo_viz import RegimeExplorer
from bflo_viz.explorers.page import place

STEPS = [[1.5, 0.5], [1.2, -1.2], [-1, -2.6], [-1.8, -0.6], [-0.8, 1.4], [1, 2.4]]  # of the weight on the first page
FRONT = """<section class="hero"><div><h1>Belief flows, hands on</h1>
<p class="lede">Draw one weight from a belief. Let it take its gradient step. The whole belief flows after it, and
changes as little as it can.</p>
<p><a class="button" href="{first}.html">Begin</a> <a class="button" href="#play">All explorers</a></p>
<p class="hint">Drag any point of the picture.</p></div>{hero}</section>
<h2 id="lessons">Lessons</h2><p>By the end of each lesson you will be able to …</p><ol class="path">{lessons}</ol>
<h2 id="play">Explorers</h2><ul class="cards">{cards}</ul>
<p class="hint">To run the code and to have your answers checked, open the notebooks: <code>make lab</code>.</p>"""


def build(out, lessons, exporter):
    """Write a page for each notebook and each explorer, and the front page."""

    def write(name, notebook, kind, **more):
        page, _ = exporter.from_notebook_node(notebook, {"kind": kind, **more})
        headings = re.findall(r'<h2 id="(.*?)">(.*?)</h2>', page)
        rows = "".join(f'<li><a href="#{anchor}">{words}</a></li>' for anchor, words in headings)
        (out / f"{name}.html").write_text(page.replace("<!-- contents -->", rows), encoding="utf-8")

    (out / "play").mkdir(exist_ok=True)
    shutil.copy(TEMPLATES / "page.js", out)
    path = cards = ""
    for (name, lesson), after in zip(lessons.items(), [*lessons, None][1:], strict=True):
        turn = after and f'<p><a rel="next" href="{after}.html">Next: {lessons[after].metadata.title}</a></p>'
        write(name, lesson, "lesson", turn=turn)
        aim = re.search(r"By the end,? you will be able to (.*?\.)\s", lesson.cells[0].source, re.DOTALL)
        words = re.sub(r"^Lesson \d · ", "", lesson.metadata.title)
        path += f'<li><a href="{name}.html">{words}</a>{markdown(f"… {aim[1]}") if aim else ""}</li>'
    for kind in EXPLORERS:
        name = f"play/{kind.view}"
        write(name, _page(kind.title, place(kind().on_page())), "play", root="../")
        cards += f'<li><a href="{name}.html">{STILLS.get(kind.__name__, "")}{kind.title}</a></li>'
    hero = place(RegimeExplorer().on_page(), attributes=f'data-steps="{STEPS}"')
    front = FRONT.format(first=next(iter(lessons)), hero=hero, lessons=path, cards=cards)
    write("index", _page("The course", front), "front")


def _page(title, text):
    return new_notebook(cells=[new_markdown_cell(text)], metadata={"title": title})


if __name__ == "__main__":
    main(build, HTMLExporter, "page.html.j2")
