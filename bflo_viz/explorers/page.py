"""Explorers in a browser: their modules as one text, a style sheet, and a page that works from a disk."""

import base64
import functools
import hashlib
import html
import json
import posixpath
import re
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
JS = HERE / "js"
STYLE = (HERE / "style.css").read_text(encoding="utf-8")  # of all explorers
_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.MULTILINE)


@functools.cache
def join(*names: str) -> str:
    """Join modules of ``js`` and all that they import: ``modules["kit.js"]`` is what one exports, or its default."""
    texts: dict[str, str] = {}
    for name in names:
        _gather(name, texts)
    return "\n".join(["const modules = {};", *texts.values(), ""])


def _gather(name: str, texts: dict[str, str]) -> None:
    """Add a module after those that it imports, as a function of its own: no two have to agree on names."""

    def imported(found: re.Match[str]) -> str:
        other = posixpath.normpath(posixpath.join(posixpath.dirname(name), found[2]))
        _gather(other, texts)
        return f'const {{{found[1]}}} = modules["{other}"];\n'

    if name not in texts:
        if not (JS / name).is_file():
            raise ValueError(f"there is no module {name} in bflo_viz/explorers/js: save it there.")
        body = _IMPORT.sub(imported, (JS / name).read_text(encoding="utf-8"))
        exported = ", ".join(_EXPORT.findall(body))
        body = _EXPORT.sub("", body).replace("export default ", "return ")
        texts[name] = f'modules["{name}"] = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();'


@functools.cache
def module(view: str) -> str:
    """Return a view as one ES module, which any host of anywidgets can import."""
    return f'{join(f"views/{view}.js")}export default modules["views/{view}.js"];\n'


def script(*views: str) -> str:
    """Return a classic script that starts every ``.bflo-place`` of a page; from a disk, modules cannot load."""
    known = ", ".join(f'"{view}": modules["views/{view}.js"]' for view in views)
    code = join("page.js", *(f"views/{view}.js" for view in views))
    return f'(() => {{\n"use strict";\n{code}modules["page.js"].startAll({{ {known} }});\n}})();\n'


def place(state: dict[str, Any], still: str = "", attributes: str = "") -> str:
    """Return the element in which `script` shows this state; ``still`` stands there until then."""
    text = json.dumps(state, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<div class="bflo-place" {attributes}><script type="application/json">{text}</script>{still}</div>'


def page(title: str, state: dict[str, Any]) -> str:
    """Return a whole page with one explorer, which asks nothing of any network."""
    code = script(state["explorer"])
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data: blob:"
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{STYLE}</style>
<body class="bflo-page">{place(state)}<script>{code}</script></body></html>
"""
