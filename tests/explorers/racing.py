"""The JavaScript of the explorers in an engine of its own, to be held to Python."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from py_mini_racer import MiniRacer

import bflo_viz
from bflo_viz.explorers.old_page import bundle

EXPLORERS = Path(bflo_viz.__file__).with_name("explorers")


@contextmanager
def engine(*names: str, code: str = "") -> Iterator[MiniRacer]:
    """V8 with these modules in ``modules``, and code that uses them."""
    text = bundle(*(EXPLORERS / name for name in names))
    with closing(MiniRacer()) as racer:
        racer.eval(text + code)
        yield racer


def asked(racer: MiniRacer, function: str, *arguments: object) -> object:
    """What a function says to these arguments; numbers that are not finite become words."""
    given = ", ".join(map(json.dumps, arguments))  # infinities are written as JavaScript reads them
    written = '(_, x) => (typeof x === "number" && !Number.isFinite(x) ? String(x) : x)'
    return json.loads(racer.eval(f"JSON.stringify({function}({given}), {written})"))
