"""Write lessons as slides that need no network: python tools/slides.py FOLDER [NOTEBOOK …]."""

import re
import shutil

from nbconvert import SlidesExporter
from nbformat.v4 import new_markdown_cell
from pages import TEMPLATES, Alive, main

SHOWN = ("#", ">", "|", "- ", "$$", "**", "<details>")  # what a slide shows of the text; the rest is for the speaker
BLOCKS = re.compile(r"<details>(?s:.*?)</details>|(?:.+\n?)+")


class Slides(Alive):
    """Make a slide of each heading, picture and exercise with its prompt; other prose becomes the speaker's notes."""

    def preprocess(self, nb, resources):
        nb, resources = super().preprocess(nb, resources)
        cells, is_full, asks = [], False, False  # a slide has room for one piece of code, or one picture
        for cell in [part for one in nb.cells for part in _parts(one)]:
            kind, notes = "subslide" if is_full else "-", ""
            if "before" in cell.metadata:
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
            about = {"slideshow": {"slide_type": "notes"}}
            cells += [cell, *([new_markdown_cell(notes, metadata=about)] if notes else [])]
        nb.cells = cells
        return nb, resources


def _parts(cell):
    """Return a cell, or where it asks an exercise, what stands before the exercise and its prompt."""
    if cell.cell_type != "markdown" or "before" in cell.metadata:
        return [cell]
    texts = re.split(r"(?m)^(?=### Exercise)", cell.source)
    return [new_markdown_cell(text.strip(), metadata=dict(cell.metadata)) for text in texts if text.strip()]


def build(out, lessons, exporter):
    """Write a deck for each notebook, and what all of them need."""
    shutil.copytree(TEMPLATES.with_name("reveal"), out / "reveal", dirs_exist_ok=True)
    for name, lesson in lessons.items():
        (out / f"{name}.html").write_text(exporter.from_notebook_node(lesson)[0], encoding="utf-8")


if __name__ == "__main__":
    main(build, SlidesExporter, "slides.html.j2", Slides, ["page.css", "slides.css"])
