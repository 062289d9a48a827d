"""Nothing that a notebook says can bring a script into a page, and a page lets no other script run."""

import base64
import hashlib
import re

import numpy as np
import pytest
from bs4 import BeautifulSoup

from bflo_viz import RegimeExplorer
from bflo_viz.classroom.cells import safe, to_html
from bflo_viz.classroom.lesson import Cell, lessons
from bflo_viz.classroom.markdown import formula, markdown
from bflo_viz.explorers.old_page import HERE, policy

RUNS = {"script", "iframe", "object", "embed", "form", "input", "svg", "base", "meta", "link", "style", "template"}
ADDRESSES = {"href", "src", "action", "formaction", "xlink:href", "srcdoc", "data"}
HOSTILE = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//example.org></SCRIPT>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    '<a href="javascript:alert(1)">x</a>',
    '<a href=" java\tscript:alert(1)">x</a>',
    '<a href="data:text/html,<script>alert(1)</script>">x</a>',
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<math><style><img src=x onerror=alert(1)></style></math>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    '<div style="background:url(https://example.org/x)">x</div>',
    '<div class="bflo-alive" data-explorer="regime">x</div>',
    '<form action="https://example.org"><input autofocus onfocus=alert(1)></form>',
    '<base href="https://example.org"><meta http-equiv="refresh" content="0;url=https://example.org">',
    "<scr<script>ipt>alert(1)</script>",
    "javascript:alert(1)",
    "data:text/html,alert(1)",
]


def live(page):
    """What in a page would run, or ask something of another host."""
    for tag in BeautifulSoup(page, "html.parser").find_all(True):
        if tag.name in RUNS:
            yield tag.name
        for name, value in tag.attrs.items():
            address = re.sub(r"[\x00-\x20]", "", "".join(value or "")).lower()
            bad = name.startswith("on") or (name == "style" and "url" in address)
            bad |= name in ADDRESSES and bool(re.match(r"(javascript|vbscript|data:(?!image/))", address))
            if bad or (name == "src" and re.match(r"(https?:|//)", address)):
                yield f"{tag.name} {name}={address[:40]}"


def test_the_search_finds_what_is_live():
    assert sum(any(live(text)) for text in HOSTILE) >= 12  # the others need a browser, or a place in a link


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_is_live_comes_through(text):
    output = {"output_type": "display_data", "data": {"text/html": text, "text/plain": text}}
    for page in (
        to_html(Cell("a", "code", "", [output])),
        markdown(text),
        markdown(f"![{text}]({text})"),
        markdown(f"[a]({text})\n\n```mermaid\n{text}\n```\n\n$${text}$$"),
        formula(rf"\text{{{text}}}"),
        formula(text),
    ):
        assert [*live(page)] == []
        assert "bflo-alive" not in re.sub(r"&lt;.*?&gt;", "", page)


# Parts that mean something to Markdown, LaTeX or HTML, whole and broken; a · stands for a space.
WORDS = r"""
$ $$ \( \begin{aligned} \end{aligned} \begin{x} \end{x} & \\ { } ^ _ \frac \text{ \mbox{ \href{javascript:alert(1)} \!
\class{bflo-alive} \style{x:url(//a)} \left( \color{red"·onload="x} \unicode{x3c} \sqrt \tag{<b>} \alpha \over \right
<script> </script> <img·src=x·onerror=x> <svg/onload=x> <a·href='javascript:x'> <style> <!-- --> < > &lt; &#60; <b />
<iframe·srcdoc='<script>'> <math> <table> <td·onclick=x> <noscript> <template> <![CDATA[ ]]> <base·href=//a>
<p·style='a:url(//b)'> <div·class=bflo-alive> ``` ~~~ ```python ```{note} ```mermaid ` `` #· ##· ######· -· 1.· >· |
*** ** * ~~ --- [ ]( ![ ) ](javascript:x) ](data:text/html,<script>) ](attachment:a.png) ](//a/b.png) <javascript:x>
[a]:·javascript:x [a] a word 7 é 😀 " ' = \ ://
"""
PARTS = [word.replace("·", " ") for word in WORDS.split()]
PARTS += [*("\n", "\n\n", "\r\n", " ", "    ", "\t", "\x00", "\x0b", "\u2028", "\u202e") * 2, "\n| a |\n|---|\n| "]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_no_random_text_fails_or_is_live(seed):
    rng, kinds = np.random.default_rng(seed), ("text/html", "text/latex", "text/markdown", "text/plain")
    for _ in range(40):
        text = "".join(rng.choice(PARTS, size=rng.geometric(0.05)))
        data = {kind: text for kind in kinds if rng.random() < 0.5}
        outputs = ({"output_type": "display_data", "data": data}, {"output_type": "stream", "text": text})
        for cell in (Cell("a", "markdown", text), Cell("b", "code", text, outputs), Cell("c", "raw", text)):
            assert [*live(to_html(cell))] == [], (cell.kind, data.keys(), text)


def test_what_was_left_out_is_told():
    warnings = []
    frame = '<style scoped>.a {}</style><table border="1" class="dataframe"><tr><th scope="row">0</th></tr></table>'
    assert safe(frame, warn=warnings.append) == (
        '<table border="1" class="dataframe"><tbody><tr><th scope="row">0</th></tr></tbody></table>'
    )
    assert warnings == []
    safe("<div></div><script>draw()</script>", warn=warnings.append)
    assert warnings == ["HTML of an output was shown without its script"]


def test_tables_of_the_course_are_as_they_were():
    outputs = [output for lesson in lessons(["06", "07"]) for cell in lesson.cells for output in cell.outputs]
    tables = [text for output in outputs if (text := output.get("data", {}).get("text/html"))]
    assert len(tables) == 5
    for text in tables:
        warnings = []
        plain = re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
        assert safe(text, warn=warnings.append).split() == plain.split()
        assert warnings == []


def policy_of(page):
    [text] = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    return {name: rest.split() for name, _, rest in (part.partition(" ") for part in text.split("; "))}


def test_pages_run_our_scripts_only(tmp_path):
    """Of files beside them, or the one that they have inside; and ask nothing of a host."""
    of_pages = policy_of(policy(*HERE))
    assert of_pages["script-src"] == ["'self'", "file:"]
    RegimeExplorer().save_html(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    of_saved = policy_of(text)
    inline = re.findall(r"<script(?: type=\"module\")?>(.*?)</script>", text, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in inline]
    assert set(of_saved["script-src"]) - {"data:"} == {f"'sha256-{digest}'" for digest in digests} != set()
    for one in (of_pages, of_saved):
        assert one["default-src"] == one["base-uri"] == one["form-action"] == ["'none'"]
        assert not [source for sources in one.values() for source in sources if re.search(r"https?:|\*|eval", source)]
