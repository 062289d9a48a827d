"""Nothing that a notebook says can bring a script into a page, and a page lets no other script run."""

import base64
import hashlib
import re

import pytest
from classroom.live_markup import live

from bflo_viz import RegimeExplorer
from bflo_viz.classroom.lesson import lessons
from bflo_viz.classroom.markdown import formula, markdown
from bflo_viz.classroom.outputs import safe, to_html
from bflo_viz.classroom.site import _page
from bflo_viz.classroom.slides import _reveal, _speaker_script

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
]


@pytest.mark.parametrize("text", HOSTILE)
def test_html_of_an_output_loses_what_is_live(text):
    """And so does the same text in Markdown, and in a formula."""
    output = {"output_type": "display_data", "data": {"text/html": text, "text/plain": text}}
    for page in (
        to_html(output, keep=lambda *_: "", warn=lambda _: None),
        markdown(text),
        markdown(f"![{text}]({text})"),
        formula(rf"\text{{{text}}}"),
        formula(text),
    ):
        assert live(page) == []
        assert "bflo-alive" not in re.sub(r"&lt;.*?&gt;", "", page)


def test_what_was_left_out_is_told():
    """Frames of data keep their looks without their styles."""
    told = []
    frame = '<style scoped>.a {}</style><table border="1" class="dataframe"><tr><th scope="row">0</th></tr></table>'
    assert safe(frame, warn=told.append) == frame.partition("</style>")[2].replace("<tr>", "<tbody><tr>").replace(
        "</table>", "</tbody></table>"
    )
    assert told == []
    safe("<div></div><script>draw()</script>", warn=told.append)
    assert told == ["HTML of an output was shown without its script"]


def test_tables_of_the_course_are_as_they_were():
    """All but their styles, which the page has."""
    found = [
        text
        for lesson in lessons(["06", "07"])
        for cell in lesson.cells
        for output in cell.outputs
        if (text := output.get("data", {}).get("text/html"))
    ]
    assert len(found) == 7
    for text in found:
        told = []
        assert (
            safe(text, warn=told.append).split() == re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL).split()
        )
        assert told == []


def policies(page):
    [text] = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    return {name: rest.split() for name, _, rest in (part.partition(" ") for part in text.split("; "))}


def test_pages_run_our_scripts_only(tmp_path):
    """Of files beside them, or the one that they have inside; and ask nothing of a host."""
    of_site = policies(_page("t", "", "").decode())
    assert of_site["script-src"] == ["'self'", "file:"]
    path = tmp_path / "page.html"
    RegimeExplorer().save_html(path)
    text = path.read_text(encoding="utf-8")
    of_saved = policies(text)
    [inline] = re.findall(r'<script type="module">(.*?)</script>', text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
    assert of_saved["script-src"] == ["data:", f"'sha256-{digest}'"]
    for one in (of_site, of_saved):
        assert one["default-src"] == one["base-uri"] == one["form-action"] == ["'none'"]
        assert not [source for sources in one.values() for source in sources if re.search(r"https?:|\*|eval", source)]


def test_the_script_of_the_speakers_window_is_known():
    """As a browser reads it, not as it is written in a script."""
    notes = next(path for path in _reveal() if path.name == "notes.js").read_text(encoding="utf-8")
    script = _speaker_script(notes)
    assert script.strip().startswith("(function() {")
    assert script.strip().endswith("})();")
    assert "\\n\\t" not in script
