"""What an explorer needs in a browser: its modules as one text, a style sheet, and a page that works from a disk."""

import base64
import functools
import hashlib
import html
import json
import re
from pathlib import Path
from typing import Any

JS = Path(__file__).with_name("js")
_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.MULTILINE)


@functools.cache
def join(*names: str) -> str:
    """Join modules of ``js`` and all that they import: ``modules["kit.js"]`` is what one exports, or its default."""
    texts: dict[Path, str] = {}
    for name in names:
        _gather(JS / name, texts)
    return "\n".join(["const modules = {};", *(_wrapped(path, text) for path, text in texts.items()), ""])


def _gather(path: Path, texts: dict[Path, str]) -> None:
    """Add a module to the texts, after those that it imports."""
    text = path.read_text(encoding="utf-8")
    for _, name in _IMPORT.findall(text):
        if (other := (path.parent / name).resolve()) not in texts:
            _gather(other, texts)
    texts[path.resolve()] = text


def _wrapped(path: Path, text: str) -> str:
    """Make a module a function of its own, so that no two modules have to agree on names."""
    exported = ", ".join(_EXPORT.findall(text))
    body = _IMPORT.sub(lambda found: f"const {{{found[1]}}} = modules[{_key(path.parent / found[2])}];\n", text)
    body = _EXPORT.sub("", body).replace("export default ", "return ")
    return f"modules[{_key(path)}] = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();"


def _key(path: Path) -> str:
    return json.dumps(path.resolve().relative_to(JS.resolve()).as_posix())


@functools.cache
def module(view: str) -> str:
    """Return a view as one ES module, which any host of anywidgets can import."""
    return f'{join(f"views/{view}.js")}export default modules["views/{view}.js"];\n'


def script(*views: str) -> str:
    """Return a classic script that starts every ``.bflo-place`` of a page; from a disk, modules cannot load."""
    known = ", ".join(f'"{view}": modules["views/{view}.js"]' for view in views)
    code = join("page.js", *(f"views/{view}.js" for view in views))
    return f'(() => {{\n"use strict";\n{code}modules["page.js"].startAll({{ {known} }});\n}})();\n'


@functools.cache
def style_sheet() -> str:
    """Return the style sheet of all explorers."""
    return Path(__file__).with_name("style.css").read_text(encoding="utf-8")


def place(state: dict[str, Any], still: str = "", attributes: str = "") -> str:
    """Return the element in which `script` shows this state; ``still`` stands there until then."""
    text = json.dumps(state, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<div class="bflo-place" {attributes}><script type="application/json">{text}</script>{still}</div>'


def page(title: str, state: dict[str, Any]) -> str:
    """Return a whole page with one explorer, which asks nothing of any network."""
    code = script(state["explorer"])
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data: blob:"
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{html.escape(title)}</title>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<style>\n{style_sheet()}</style>\n'
        f'<body class="bflo-page">\n{place(state)}\n<script>{code}</script>\n</body>\n</html>\n'
    )
