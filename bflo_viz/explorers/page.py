"""One module, one style sheet, one page: what an explorer needs in a browser, in files that name no other."""

import base64
import functools
import html
import json
import re
from pathlib import Path
from typing import Any

from bflo_viz.figures import palette

SHARED = Path(__file__).parent / "shared"
_IMPORT = re.compile(r'^import \{[^}]*\} from "(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) )", re.MULTILINE)


@functools.cache
def module(path: Path) -> str:
    """The text of a module with those that it imports in front of it, each once: a browser needs no other file."""
    texts: dict[Path, str] = {}
    _gather(path.resolve(), texts)
    *shared, own = texts.values()
    return "\n".join([*(_EXPORT.sub("", text) for text in shared), own])


def _gather(path: Path, texts: dict[Path, str]) -> None:
    text = path.read_text(encoding="utf-8")
    for name in _IMPORT.findall(text):
        other = (path.parent / name).resolve()
        if other not in texts:
            _gather(other, texts)
    texts[path] = _IMPORT.sub("", text)


@functools.cache
def style_sheet() -> str:
    """The style sheet of all explorers, with the colours of the figures in light and in dark."""
    light = {"ink": palette.INK, "faint": palette.FAINT, "prior": palette.PRIOR, "posterior": palette.POSTERIOR}
    light |= {"weight": palette.WEIGHT, "added": palette.ADDED, "removed": palette.REMOVED}
    light |= {name.lower(): palette.SERIES[name].color for name in ("SGD", "full", "diagonal", "spherical")}
    dark = {name: palette.DARK.get(color, color) for name, color in light.items()}
    light["paper"], dark["paper"] = palette.PAPER, palette.DARK[palette.PAPER]
    rules = {
        theme: "".join(f"--{k}: {v}; " for k, v in colors.items()) for theme, colors in (("l", light), ("d", dark))
    }
    return (
        f".bflo {{ {rules['l']}}}\n"
        f'[data-jp-theme-light="false"] .bflo {{ {rules["d"]}}}\n'
        f"@media (prefers-color-scheme: dark) {{ .bflo-page .bflo {{ {rules['d']}}} }}\n"
        + (SHARED / "kit.css").read_text(encoding="utf-8")
    )


def page(title: str, esm: str, css: str, state: dict[str, Any]) -> str:
    """A whole page with one explorer in it, which asks nothing of any network and runs from a disk."""
    # A module in a data address: pages from a disk may not import files, but they may import this.
    address = "data:text/javascript;base64," + base64.b64encode(esm.encode()).decode()
    filled = {"TITLE": html.escape(title), "CSS": css, "MODULE": address, "STATE": _script(state)}
    template = (SHARED / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda found: filled[found[1]], template)


def _script(state: dict[str, Any]) -> str:
    """State as JSON that can stand inside of a script element; bytes as base64, marked."""

    def plain(value: Any) -> Any:
        if isinstance(value, (bytes, bytearray, memoryview)):
            return {"base64": base64.b64encode(value).decode()}
        raise TypeError(f"{type(value).__name__} cannot be saved")

    return json.dumps(state, default=plain, allow_nan=False).replace("<", "\\u003c")
