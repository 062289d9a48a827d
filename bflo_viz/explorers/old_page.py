"""One module, one style sheet, one page: what an explorer needs in a browser, in files that name no other."""

import base64
import functools
import hashlib
import html
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bflo_viz.figures import palette

HERE = ("'self'", "file:")
SHARED = Path(__file__).parent / "shared"
_SAVED = SHARED / "saved.js"
_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) )", re.MULTILINE)


@functools.cache
def bundle(*paths: Path) -> str:
    """Some modules and those that they import, each once, as one text: a browser needs no other.

    ``modules["folder/name.js"]`` is what a module exports: an object of its names, or its default.
    """
    wrapped = (_wrapped(path, text) for path, text in _gathered(*paths).items())
    return "\n".join(["const modules = {};", *wrapped, ""])


@functools.cache  # all explorers of a kind hold the same text, and a notebook keeps those that its cells have shown
def module(view: Path) -> str:
    """A module that exports what a view exports, with all that it imports."""
    return f"{bundle(view)}export default modules[{_name(view)}];\n"


def script(views: Mapping[str, Path]) -> str:
    """A classic script with these views: it brings the explorers of a page to life.

    Pages from a disk may not import modules, but they may load scripts.
    """
    known = ", ".join(f"{name}: modules[{_name(path)}]" for name, path in views.items())
    start = f"modules[{_name(_SAVED)}].startAll({{ {known} }});"
    return f'(() => {{\n"use strict";\n{bundle(_SAVED, *views.values())}{start}\n}})();\n'


def _gathered(*paths: Path) -> dict[Path, str]:
    """The texts of some modules and of those that they import, each after what it needs."""
    texts: dict[Path, str] = {}
    for path in paths:
        _gather(path.resolve(), texts)
    return texts


def _gather(path: Path, texts: dict[Path, str]) -> None:
    """Add a module to the texts, after those that it imports."""
    text = path.read_text(encoding="utf-8")
    for _, name in _IMPORT.findall(text):
        other = (path.parent / name).resolve()
        if other not in texts:
            _gather(other, texts)
    texts[path] = text


def _wrapped(path: Path, text: str) -> str:
    """A module as a function of its own, so that no two modules have to agree on names."""
    exported = re.findall(rf"{_EXPORT.pattern}(?:async )?\w+ (\w+)", text, re.MULTILINE)
    body = _IMPORT.sub(lambda line: f"const {{{line[1]}}} = modules[{_name(path.parent / line[2])}];\n", text)
    body = _EXPORT.sub("", body).replace("export default ", "return ")
    return f"modules[{_name(path)}] = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();"


def _name(path: Path) -> str:
    whole = path.resolve()
    return json.dumps(f"{whole.parent.name}/{whole.name}")


@functools.cache
def style_sheet() -> str:
    """The style sheet of all explorers, with the colours of the figures in light and in dark."""
    names = ("PAPER", "INK", "FAINT", "PRIOR", "POSTERIOR", "WEIGHT", "ADDED", "REMOVED")
    colors = {name.lower(): getattr(palette, name) for name in names}
    colors |= {palette.variable(name): series.color for name, series in palette.SERIES.items()}
    colors["other"] = palette.OTHER.color
    dark = "".join(f"--{name}: {palette.DARK.get(color, color)}; " for name, color in colors.items())
    colors |= {name: palette.line_color(color) for name, color in colors.items() if name != "paper"}
    light = "".join(f"--{name}: {color}; " for name, color in colors.items())
    return (
        f".bflo {{ {light}}}\n"
        f'@media screen {{ [data-jp-theme-light="false"] .bflo {{ {dark}}} }}\n'
        f"@media screen and (prefers-color-scheme: dark) {{ .bflo-page .bflo {{ {dark}}} }}\n"
        + (SHARED / "kit.css").read_text(encoding="utf-8")
    )


def page(title: str, view: Path, state: dict[str, Any]) -> str:
    """A whole page with one explorer in it, which asks nothing of any network and runs from a disk."""
    code = script({view.parent.name: view})
    filled = {"TITLE": html.escape(title), "CSS": style_sheet(), "NAME": view.parent.name, "STATE": as_script(state)}
    filled |= {"POLICY": policy(inline=code), "CODE": code}
    template = (SHARED / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda blank: filled[blank[1]], template)


def policy(*sources: str, inline: str = "") -> str:
    """What a page may do, for a browser: run scripts of these sources and the one inline, and ask no other host.

    ``'self'`` is the host of a page; on a disk there is none, so ``file:`` is named, too.
    """
    known = [f"'sha256-{base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()}'"] if inline else []
    parts = {
        "default-src": ["'none'"],
        "script-src": [*sources, *known],
        "style-src": [*HERE, "'unsafe-inline'"],
        "img-src": [*HERE, "data:", "blob:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    text = "; ".join(" ".join([name, *allowed]) for name, allowed in parts.items())
    return f'<meta http-equiv="Content-Security-Policy" content="{text}">'


def as_script(state: dict[str, Any]) -> str:
    """State as JSON that can stand inside of a script element."""
    return json.dumps(state, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
