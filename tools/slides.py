"""Write lessons as slides that need no network: python tools/slides.py FOLDER [NOTEBOOK …]."""

import shutil
import sys
from pathlib import Path

import nbformat
from nbconvert import SlidesExporter
from pages import NOTEBOOKS, STALE, TEMPLATES, Alive, markdown, write_shared


class Slides(Alive):
    """A slide shows pictures without their code, and has no folds."""

    folds = False

    def preprocess(self, nb, resources):
        nb, resources = super().preprocess(nb, resources)
        for cell in nb.cells:
            if any({"image/png", "text/html"} & output.get("data", {}).keys() for output in cell.outputs):
                cell.source = ""
        return nb, resources


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
