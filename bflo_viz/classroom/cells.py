"""A cell of a lesson as HTML: text, code, what it printed and drew, and explorers that live without a kernel."""

import base64
import functools
import hashlib
import html
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bflo_viz
from bflo_viz.classroom.lesson import Cell
from bflo_viz.classroom.markdown import Link, code, markdown, to_page
from bflo_viz.explorers import precomputed
from bflo_viz.explorers.base import MIME, Explorer
from bflo_viz.explorers.page import as_script, script, style_sheet

Keep = Callable[[str, bytes], str]  # puts a file with this name beside the pages, and gives its address
EXPLORERS = [name for name in bflo_viz.__all__ if name.endswith("Explorer")]
ASSETS = Path(__file__).parent / "assets"


def styles() -> str:
    """The style sheet of cells and explorers; it follows ``class="bflo-themed"`` and ``data-theme`` of the root."""
    return style_sheet() + (ASSETS / "cells.css").read_text(encoding="utf-8")


def scripts() -> str:
    """The script that brings the explorers of a page to life; to be loaded after them, or deferred."""
    views = {_name(kind): kind._view for kind in map(_kind, EXPLORERS)}
    return script(views) + (ASSETS / "cells.js").read_text(encoding="utf-8")


def to_html(cell: Cell, *, keep: Keep, link: Link = to_page, within: int = 0) -> str:
    """A cell as HTML; pictures, and the runs of explorers, are kept as files.

    See `markdown` for ``link`` and ``within``.
    """
    if cell.kind == "markdown":
        return markdown(cell.source, link=link, within=within)
    shown = [code(cell.source)] if cell.source else []
    return "\n".join([*shown, *(_output(output, keep) for output in cell.outputs)]) + "\n"


def explorers_in(cell: Cell) -> list[str]:
    """Names of the classes of the explorers that a cell shows."""
    return [output["data"][MIME]["explorer"] for output in cell.outputs if MIME in output.get("data", {})]


def title(explorer: str) -> str:
    """What an explorer is called, by the name of its class."""
    return _kind(explorer)._title


def _output(output: dict[str, Any], keep: Keep) -> str:
    data = output.get("data", {})
    if MIME in data:
        return _explorer(data[MIME], _picture(output, keep, "bflo-still"), keep)
    if "image/png" in data:
        return f'<figure class="output">{_picture(output, keep)}</figure>'
    if "text/html" in data:
        return f'<div class="output results">{data["text/html"]}</div>'
    return f'<pre class="output scroll">{html.escape(output.get("text") or data["text/plain"])}</pre>'


def _picture(output: dict[str, Any], keep: Keep, kind: str = "") -> str:
    picture = base64.b64decode(output["data"]["image/png"])
    width, height = struct.unpack(">II", picture[16:24])  # so that a page need not jump when it comes
    address = keep(f"figures/{hashlib.sha256(picture).hexdigest()[:12]}.png", picture)
    alt = html.escape(output["metadata"]["image/png"]["alt"])
    return f'<img class="{kind}" src="{address}" width="{width}" height="{height}" alt="{alt}" loading="lazy">'


def _explorer(record: dict[str, Any], still: str, keep: Keep) -> str:
    """An explorer that starts by itself where there is the script; until then, and in print, its picture."""
    kind = _kind(record["explorer"])
    explorer = kind(**record["state"])
    name = _name(kind)
    given: dict[str, Any] = {"state": explorer.state}
    explorer.close()
    if kind._grid:
        values = json.dumps(precomputed.choices(explorer))
        stem = f"runs/{name}-{hashlib.sha256(values.encode()).hexdigest()[:6]}-"
        for part, text in _runs(record["explorer"], values):
            address = keep(f"{stem}{part}.js", text)
        given |= {"choices": json.loads(values), "runs": f"{address.removesuffix(f'{part}.js')}*.js"}
    return (
        f'<div class="bflo-alive" data-explorer="{name}">'
        f'<script type="application/json">{as_script(given)}</script>{still}</div>'
    )


@functools.cache
def _runs(kind: str, choices: str) -> list[tuple[str, bytes]]:
    """The scripts with the runs of an explorer; the same for all that have the same choices."""
    return list(precomputed.scripts(_kind(kind), json.loads(choices)))


def _kind(name: str) -> type[Explorer]:
    return getattr(bflo_viz, name)  # type: ignore[no-any-return]


def _name(kind: type[Explorer]) -> str:
    return kind._view.parent.name
