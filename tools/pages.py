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
from traitlets import TraitError

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
STALE = []  # a sentence for each stored explorer that cannot be made any more; its picture stays


class Alive(Preprocessor):
    """Replace what needs a kernel; some cells come to know the HTML that stands ``before`` and ``after`` them."""

    def preprocess(self, nb, resources):
        for cell in nb.cells:
            cell.outputs = [_revived(output, nb.metadata.title) for output in cell.get("outputs", ())]
            if asked := re.fullmatch(r'bet\("(\w+)"\)', cell.source):
                cell.cell_type, cell.source = "markdown", page.place(bet(asked[1]).on_page())
                cell.metadata.update(before='<div class="bet">', after="</div>")
            elif asked := re.search(r"^check\.(\w+)\(", cell.source, re.MULTILINE):
                hints = enumerate(map(markdown, load_exercises()[asked[1]].hints), 1)
                folds = "".join(f"<details><summary>Hint {n}</summary>{hint}</details>" for n, hint in hints)
                cell.metadata.update(before='<div class="exercise">', after=f"{folds}</div>")
        return nb, resources


def _revived(output, title):
    """An output without a kernel: explorers live."""
    output.output_type = output.output_type.replace("execute_result", "display_data")
    if record := output.get("data", {}).get(MIME):
        name, still = record["explorer"], ""
        if png := output.data.get("image/png"):
            alt = html.escape(output.metadata["image/png"]["alt"])
            still = f'<img src="data:image/png;base64,{png}" alt="{alt}">'
            STILLS[name] = still.replace(f'alt="{alt}"', 'alt=""')
        try:
            output.data = {"text/html": page.place(KINDS[name].page_of(record), still)}
        except (KeyError, TraitError) as problem:
            why = str(problem) if name in KINDS else f"There is no {name} any more."
            STALE.append(f"“{title}” stores an explorer that cannot be made: {why} `make notebooks` runs it again.")
    return output


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
    sys.exit("\n".join(STALE) or None)


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
    """LaTeX as MathML, without the flaws of the converter."""
    text = re.sub(r"\\tag\{(.*?)\}", r"\\qquad \\text{(\1)}", latex).replace("{aligned}", "{align*}")
    root = ElementTree.fromstring(convert(text.replace(r"\!", "").strip(), xmlns="", display=display))
    for part in [*root.iter()]:
        if part.tag == "mi" and part.text in ("±", "⟹", "⟺", "~", ":"):  # taken for letters
            part.tag, part.text = "mo", part.text.replace("~", "∼")
        elif part.tag == "mi" and re.fullmatch("[Α-Ω]", part.text):
            part.set("mathvariant", "normal")
        elif part.text == "*":
            part.text = "∗"
        elif part.text in ("|", "/"):
            part.attrib |= {"lspace": "0", "rspace": "0"}
        elif part.tag in ("msup", "msubsup"):
            _set_prime(part)
        for before, after in itertools.pairwise(part):
            if after.text in ("−", "+", "±") and before.tag == "mo" and before.text not in (")", "]", "}", "|"):
                after.set("form", "prefix")
            if before.tag == "mi" and re.fullmatch("[a-z]{2,}", before.text or "") and after.text != "(":
                before.set("style", "margin-right: 0.167em")  # log a, but log(a)
    return ElementTree.tostring(root, encoding="unicode")


def _set_prime(power):
    """Put a prime beside its letter, because fonts draw it raised already."""
    prime = power[-1][0] if len(power[-1]) else power[-1]
    if prime.text in ("′", "″", "‴"):
        sign = f'<mpadded height="0"><mo lspace="0" rspace="0">{prime.text}</mo></mpadded>'
        letter = ElementTree.fromstring(f"<mrow>{sign}</mrow>")
        letter.insert(0, power[0])
        power[0] = letter
        prime.tag, prime.text = "mrow", ""
