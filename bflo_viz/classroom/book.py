"""The whole course on one page, to be printed; and as a PDF, where a browser is there that can print."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bflo_viz._places import write_whole
from bflo_viz.classroom.lesson import Lesson

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
_LONGEST = 300  # seconds to print in


def chapters(course: list[Lesson], texts: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The lessons for one long page: explorers as their pictures, ids that are unique, links that stay within it."""
    slugs = "|".join(lesson.slug for lesson in course)

    def chapter(lesson: Lesson) -> dict[str, Any]:
        text = texts[lesson.number]
        body = re.sub(r'<script type="application/json">.*?</script>', "", text["body"], flags=re.DOTALL)
        body = body.replace('class="bflo-alive"', 'class="pictured"').replace("<details ", "<details open ")
        body = re.sub(r"(</?h)(\d)", lambda tag: f"{tag[1]}{min(6, int(tag[2]) + 1)}", body)
        body = re.sub(r'(<h\d) id="', rf'\1 id="{lesson.number}-', body)
        body = re.sub(r'href="#', f'href="#{lesson.number}-', body)
        body = re.sub(rf'href="({slugs})\.html(?:#([^"]*))?"', lambda found: _within(found[1], found[2]), body)
        return {"lesson": lesson, "heading": re.sub(r"</?h1.*?>", "", text["heading"]), "body": body}

    return [chapter(lesson) for lesson in course]


def _within(slug: str, part: str | None) -> str:
    return f'href="#{slug[:2]}-{part}"' if part else f'href="#lesson-{slug[:2]}"'


def print_pdf(page: Path, *, tell: Callable[[str], None]) -> Path | None:
    """Print a page beside itself, and give the path of the PDF; or say how to print it by hand."""
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    by_hand = f"open {page} in a browser and print it."
    if browser is None:
        tell(f"There is no Chromium or Chrome to make a PDF: {by_hand}")
        return None
    pdf = page.with_suffix(".pdf")
    with tempfile.TemporaryDirectory(prefix="bflo_book_") as folder:
        draft = Path(folder) / "book.pdf"
        options = ["--headless", "--disable-gpu", "--no-pdf-header-footer", f"--user-data-dir={folder}/profile"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            options.append("--no-sandbox")  # containers
        try:
            command = [browser, *options, f"--print-to-pdf={draft}", page.resolve().as_uri()]
            subprocess.run(command, check=True, capture_output=True, timeout=_LONGEST)
            write_whole(pdf, draft.read_bytes())
        except (OSError, subprocess.SubprocessError) as problem:
            tell(f"{Path(browser).name} could not print the book ({type(problem).__name__}): {by_hand}")
            return None
    tell(f"{pdf}  {pdf.stat().st_size / 1e6:.1f} MB")
    return pdf
