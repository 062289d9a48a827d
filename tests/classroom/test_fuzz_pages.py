"""Random texts with formulas, HTML and fences become pages: none fails, and none brings anything live along.

BFLO_FUZZ_SECONDS says for how long (10), BFLO_FUZZ_SEED where to begin (0).
"""

import os
import time

import numpy as np
import pytest
from classroom.live_markup import live

from bflo_viz.classroom.cells import to_html
from bflo_viz.classroom.lesson import Cell

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
def test_no_text_fails_or_is_live(record_property):
    """As Markdown, as the HTML of an output, and as an output of other kinds."""
    seconds, seed = float(os.environ.get("BFLO_FUZZ_SECONDS", "10")), int(os.environ.get("BFLO_FUZZ_SEED", "0"))
    rng, count, end = np.random.default_rng(seed), 0, time.monotonic() + seconds
    while time.monotonic() < end or count == 0:
        text = "".join(rng.choice(PARTS, size=rng.geometric(0.05)))
        data = {
            kind: text for kind in ("text/html", "text/latex", "text/markdown", "text/plain") if rng.random() < 0.5
        }
        outputs = ({"output_type": "display_data", "data": data}, {"output_type": "stream", "text": text})
        for cell in (Cell("a", "markdown", text), Cell("b", "code", text, outputs), Cell("c", "raw", text)):
            assert live(to_html(cell, keep=lambda name, _: name)) == [], (cell.kind, data.keys(), text)
        count += 1
    record_property("says", f"{count} random texts became pages in {seconds:.0f} s, seed {seed}.")
