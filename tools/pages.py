"""What pages and slides make of a notebook: explorers alive, formulas as MathML, hints."""

import functools
import html
import itertools
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import nbformat
from latex2mathml.converter import convert
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.preprocessors import Preprocessor

import bflo_viz
from bflo_viz.explorers import page
from bflo_viz.explorers.base import MIME
from bflo_viz.explorers.bet import Bet
from bflo_viz.lessons import bet
from bflo_viz.lessons.exercise import load_exercises

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("[0-9][0-9]_*.ipynb"))
TEMPLATES = Path(__file__).with_name("pages")
EXPLORERS = [getattr(bflo_viz, name) for name in bflo_viz.__all__ if name.endswith("Explorer")]
KINDS = {kind.__name__: kind for kind in (*EXPLORERS, Bet)}
STILLS = {}  # by explorer: the picture of it that a notebook stored, beside whose title no other words are needed


class Alive(Preprocessor):
    """Replace what needs a kernel; some cells come to know the HTML that stands ``before`` and ``after`` them."""

    def preprocess(self, nb, resources):
        for cell in nb.cells:
            for output in cell.get("outputs", ()):
                _revive(output)
            if asked := re.fullmatch(r'bet\("(\w+)"\)', cell.source):
                cell.cell_type, cell.source = "markdown", page.place(bet(asked[1]).on_page())
                cell.metadata.update(before='<div class="bet">', after="</div>")
            elif asked := re.search(r"^check\.(\w+)\(", cell.source, re.MULTILINE):
                hints = enumerate(map(markdown, load_exercises()[asked[1]].hints), 1)
                folds = "".join(f"<details><summary>Hint {n}</summary>{hint}</details>" for n, hint in hints)
                cell.metadata.update(before='<div class="exercise">', after=f"{folds}</div>")
        return nb, resources


def _revive(output):
    """Let an output do without a kernel: explorers live."""
    output.output_type = output.output_type.replace("execute_result", "display_data")
    if record := output.get("data", {}).get(MIME):
        still = ""
        if png := output.data.get("image/png"):
            alt = html.escape(output.metadata["image/png"]["alt"])
            still = f'<img src="data:image/png;base64,{png}" alt="{alt}">'
            STILLS[record["explorer"]] = still.replace(f'alt="{alt}"', 'alt=""')
        output.data = {"text/html": page.place(KINDS[record["explorer"]].page_of(record), still)}


def main(build, exporter, template, alive=Alive, sheets=("page.css",)):
    """Build a folder of the notebooks that the command names, or of all; its pages share a script and a style."""
    out, paths = Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]] or NOTEBOOKS
    lessons = {path.stem: nbformat.read(path, 4) for path in paths}
    for notebook in lessons.values():
        notebook.metadata.title = notebook.cells[0].source.splitlines()[0].removeprefix("# ")
    out.mkdir(parents=True, exist_ok=True)
    texts = [page.STYLE, *((TEMPLATES / sheet).read_text(encoding="utf-8") for sheet in sheets)]
    (out / "page.css").write_text("\n".join(texts), encoding="utf-8")
    (out / "explorers.js").write_text(page.script(*(kind.view for kind in KINDS.values())), encoding="utf-8")
    look = {"template_file": str(TEMPLATES / template), "filters": {"markdown2html": markdown}}
    build(out, lessons, exporter(preprocessors=[alive], **look))


class _Renderer(IPythonRenderer):
    """Markdown as Jupyter reads it, with formulas that browsers draw themselves, and boxes for what is wide."""

    def inline_math(self, body):
        return f'<span class="long">{mathml(body)}</span>' if len(body) > 24 else mathml(body)

    def block_math(self, body):
        return f'<span class="formula">{mathml(body, "block")}</span>'

    def heading(self, text, level, **attributes):
        name = re.sub(r"\W+", "-", html.unescape(re.sub("<.*?>", "", text)).casefold()).strip("-")
        return f'<h{level} id="{name}">{text}</h{level}>'

    def table(self, text):
        text = re.sub("<th([^>]*)></th>", r"<td\1></td>", text)  # an empty corner is the head of nothing
        return f'<div class="table"><table>{text}</table></div>'

    def link(self, text, url, title=None):
        return super().link(text, re.sub(r"^([\w-]+)\.ipynb", r"\1.html", url), title)


def markdown(source):
    text = MarkdownWithMath(renderer=_Renderer(escape=False)).render(source)
    return re.sub(r"(<math (?:(?!</math>).)*</math>)([.,;:!?)]+)", r'<span class="tied">\1\2</span>', text)


@functools.cache
def mathml(latex, display="inline"):
    """Return LaTeX as MathML, without the flaws of the converter."""
    text = latex.strip().replace("''", "″").replace("'", "′")  # which fonts draw raised already
    root = ElementTree.fromstring(convert(text, xmlns="", display=display))
    for part in [*root.iter()]:
        if part.tag == "mi" and part.text in ("±", "⟺", "~"):  # taken for letters
            part.tag, part.text = "mo", part.text.replace("~", "∼")
        elif part.tag == "mi" and re.fullmatch("[Α-Ω]", part.text):
            part.set("mathvariant", "normal")
        elif part.text == "*":
            part.text = "∗"
        elif part.text in ("|", "/"):
            part.attrib |= {"lspace": "0", "rspace": "0"}
        for before, after in itertools.pairwise(part):
            if after.text in ("−", "+", "±") and before.tag == "mo" and before.text not in (")", "]", "}", "|"):
                after.set("form", "prefix")
            if before.tag == "mi" and re.fullmatch("[a-z]{2,}", before.text or "") and after.text != "(":
                before.set("style", "margin-right: 0.167em")  # log a, but log(a)
    return ElementTree.tostring(root, encoding="unicode")
