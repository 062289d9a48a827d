"""Write lessons as slides that need no network: python tools/slides.py FOLDER [NOTEBOOK …]."""

import re
import shutil
import sys
from pathlib import Path

import nbformat
from nbconvert import SlidesExporter
from nbformat.v4 import new_markdown_cell
from pages import NOTEBOOKS, STALE, TEMPLATES, Alive, markdown, write_shared

SHOWN = ("#", ">", "|", "- ", "$$", "**", "<details>")  # what a slide shows of the text; the rest is for the speaker
BLOCKS = re.compile(r"<details>(?s:.*?)</details>|(?:.+\n?)+")


class Slides(Alive):
    """Make a slide of each heading, picture and exercise with its prompt; other prose becomes the speaker's notes."""

    def preprocess(self, nb, resources):
        nb, resources = super().preprocess(nb, resources)
        cells, is_full, asks = [], False, False  # a slide has room for one piece of code, or one picture
        for cell in [part for one in nb.cells for part in _parts(one)]:
            kind, notes = "subslide" if is_full else "-", ""
            if cell.metadata.before:
                kind, asks = "-" if asks else "subslide", False
            elif cell.cell_type == "markdown":
                asks, blocks = cell.source.startswith("### Exercise"), BLOCKS.findall(cell.source)
                shown = [block for block in blocks if asks or block.startswith(SHOWN)]
                notes = "\n\n".join(block for block in blocks if block not in shown)
                cell.source = "\n\n".join(shown)
                kind = "slide" if cell.source.startswith("#") else "subslide"
            elif any({"image/png", "text/html"} & output.get("data", {}).keys() for output in cell.outputs):
                kind, cell.source = "subslide", ""
            cell.metadata.slideshow = {"slide_type": kind if cell.source or cell.get("outputs") else "skip"}
            if cell.source or cell.get("outputs"):
                is_full = cell.cell_type == "code"
            about = {"slideshow": {"slide_type": "notes"}, "before": "", "after": ""}
            cells += [cell, *([new_markdown_cell(notes, metadata=about)] if notes else [])]
        nb.cells = cells
        return nb, resources


def _parts(cell):
    """Return a cell, or where it asks an exercise, what stands before the exercise and its prompt."""
    if cell.cell_type != "markdown" or cell.metadata.before:
        return [cell]
    texts = re.split(r"(?m)^(?=### Exercise)", cell.source)
    return [new_markdown_cell(text.strip(), metadata=dict(cell.metadata)) for text in texts if text.strip()]


def build(out, paths):
    """Write a deck for each notebook, and what all of them need."""
    out.mkdir(parents=True, exist_ok=True)
    write_shared(out, "page.css", "slides.css")
    shutil.copytree(TEMPLATES.with_name("reveal"), out / "reveal", dirs_exist_ok=True)
    template, filters = str(TEMPLATES / "slides.html.j2"), {"markdown2html": markdown}
    exporter = SlidesExporter(template_file=template, preprocessors=[Slides], filters=filters)
    for path in paths:
        notebook = nbformat.read(path, 4)
        title = notebook.cells[0].source.splitlines()[0].removeprefix("# ")
        deck, _ = exporter.from_notebook_node(notebook, {"title": title})
        (out / f"{path.stem}.html").write_text(deck, encoding="utf-8")


if __name__ == "__main__":
    build(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]] or NOTEBOOKS)
    sys.exit("\n".join(STALE) or None)
