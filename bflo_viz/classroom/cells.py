"""A cell of a lesson as HTML: text, code, what it printed and drew, and explorers that live without a kernel."""

import base64
import hashlib
import html
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import traitlets

import bflo_viz
from bflo_viz.classroom import outputs
from bflo_viz.classroom.lesson import Cell
from bflo_viz.classroom.markdown import Link, Warn, code, markdown, to_page
from bflo_viz.classroom.outputs import Keep
from bflo_viz.experiments.rendering import STYLE
from bflo_viz.explorers.base import MIME, Explorer
from bflo_viz.explorers.page import as_script, script, style_sheet

EXPLORERS = [name for name in bflo_viz.__all__ if name.endswith("Explorer")]
ASSETS = Path(__file__).parent / "assets"


def styles() -> str:
    """The style sheet of cells and explorers; it follows ``class="bflo-themed"`` and ``data-theme`` of the root."""
    return style_sheet() + STYLE + (ASSETS / "cells.css").read_text(encoding="utf-8")


def scripts() -> str:
    """The script that brings the explorers of a page to life; to be loaded after them, or deferred."""
    views = {_name(kind): kind._view for kind in map(_kind, EXPLORERS)}
    return script(views) + (ASSETS / "cells.js").read_text(encoding="utf-8")


def to_html(cell: Cell, *, keep: Keep, link: Link = to_page, within: int = 0, warn: Warn = lambda _: None) -> str:
    """A cell as HTML; pictures are kept as files.

    See `markdown` for ``link`` and ``within``; ``warn`` is told, with its place, what is not shown as meant.
    """
    told: set[str] = set()

    def warn_once(words: str) -> None:
        if words not in told:
            warn(f"{cell.place}: {words}.")
        told.add(words)

    try:
        if cell.kind == "markdown":
            return markdown(
                cell.source, link=link, within=within, picture=_pictures(cell, keep, warn_once), warn=warn_once
            )
        if cell.kind == "raw":
            return f'<pre class="output scroll">{html.escape(cell.source)}</pre>\n'
        shown = [code(cell.source, cell.language)] if cell.source else []
        shown += filter(None, (_output(output, keep, warn_once) for output in cell.outputs))
        return "\n".join(shown) + "\n"
    except Exception as problem:
        raise ValueError(f"{cell.place} cannot be shown ({type(problem).__name__}: {problem}).") from problem


def _pictures(cell: Cell, keep: Keep, warn: Warn) -> Link:
    """Where pictures of a text are: stored in its cell, or beside its notebook; those of other hosts are links."""

    def address(url: str) -> str:
        stored = cell.attachments.get(unquote(url).removeprefix("attachment:"), {})
        for kind, text in stored.items():
            if kind in outputs.PICTURES and url.startswith("attachment:"):
                return _kept(base64.b64decode(text), outputs.PICTURES[kind], keep)
        path = cell.notebook.parent / unquote(url)
        ends = path.suffix.lower().removeprefix(".").replace("jpeg", "jpg")
        if ends in outputs.PICTURES.values() and "://" not in url and path.is_file():
            return _kept(path.read_bytes(), ends, keep)
        warn(f"a picture is only linked, since it is not beside the notebook: {url[:60]}")
        return ""

    return address


def _kept(content: bytes, ends: str, keep: Keep) -> str:
    return keep(f"figures/{hashlib.sha256(content).hexdigest()[:12]}.{ends}", content)


def explorers_in(cell: Cell) -> list[str]:
    """Names of the classes of the explorers that a cell shows."""
    return [name for output in cell.outputs if (name := _named(output))]


def title(explorer: str) -> str:
    """What an explorer is called, by the name of its class."""
    return _kind(explorer)._title


def _output(output: dict[str, Any], keep: Keep, warn: Warn) -> str:
    record = output.get("data", {}).get(MIME)
    if record and _named(output):
        still = outputs.picture(output, keep=keep, warn=warn, kind="bflo-still")
        try:
            return _explorer(record, still)
        except (KeyError, TypeError, traitlets.TraitError) as problem:
            warn(f"an explorer cannot be made again ({problem}): this is its picture")
    return outputs.to_html(output, keep=keep, warn=warn)


def _named(output: dict[str, Any]) -> str:
    """The class of the explorer that an output shows; or none."""
    record = output.get("data", {}).get(MIME)
    name = record.get("explorer") if isinstance(record, dict) else None
    return name if name in EXPLORERS else ""


def _explorer(record: dict[str, Any], still: str) -> str:
    """An explorer that starts by itself where there is the script; until then, and in print, its picture."""
    kind = _kind(record["explorer"])
    return (
        f'<div class="bflo-alive" data-explorer="{_name(kind)}">'
        f'<script type="application/json">{as_script(kind.page_of(record))}</script>{still}</div>'
    )


def _kind(name: str) -> type[Explorer]:
    return getattr(bflo_viz, name)  # type: ignore[no-any-return]


def _name(kind: type[Explorer]) -> str:
    return kind._view.parent.name
