"""Explorers on pages of their own, how to read them, and small pictures of them that move."""

import functools
import itertools
import json
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from bflo_viz.classroom import explorers
from bflo_viz.classroom.cells import explorers_in
from bflo_viz.classroom.lesson import Lesson
from bflo_viz.classroom.markdown import markdown
from bflo_viz.classroom.pages import PageFolder
from bflo_viz.explorers.old_base import Explorer
from bflo_viz.explorers.old_page import as_script, library

_FRONT = Path(__file__).with_name("front.toml")


class Stage(NamedTuple):
    """A small picture of an explorer: its address, the panels that are shown, and the legs that it moves along."""

    name: str
    address: str  # such as "regime:delta=1.2"
    panels: str
    legs: str


def stage(address: str, panels: list[int], legs: list[dict[str, Any]] | None = None) -> Stage:
    """A picture of what an address shows; an explorer of rounds plays up to its round, if no legs are given."""
    name = address.partition(":")[0]
    kind = explorers()[name]
    explorer = kind.from_link(f"#{address}")
    if legs is None and "round" in kind.public_traits():
        legs = [{"start": {"round": 0}, "to": {"round": explorer.state["round"]}, "seconds": 4, "even": True}]
        legs.append({"seconds": 2})
    explorer.close()
    return Stage(name, address, json.dumps(panels), json.dumps(legs or []))


@functools.cache
def front() -> dict[str, Any]:
    """What moves on the first page: the hero, and a stage for each lesson that has one, by its number."""
    texts = tomllib.loads(_FRONT.read_text(encoding="utf-8"))
    words = texts["hero"].pop("words")
    cards = {number: stage(**one) for number, one in texts["lessons"].items()}
    return {"hero": stage(**texts["hero"]), "hero_words": words, "cards": cards}


def guide(kind: type[Explorer]) -> dict[str, Any]:
    """How to read an explorer (``look``), what to ``try`` in it, and its settings in the ``gallery``."""
    file = kind._view.with_name("guide.toml")
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def scripts(views: dict[str, Path]) -> dict[str, bytes]:
    """The scripts of all views, and the first states of explorers, by the names of their files."""
    parts = {f"explorers/{name}.js": text.encode() for name, text in library(views).items()}
    for name, kind in explorers().items():
        explorer = kind()
        parts[f"explorers/{name}-first.js"] = f"bflo.first.{name} = {as_script(explorer.on_page())};\n".encode()
        explorer.close()
    return parts


def add_pages(pages: PageFolder, all_lessons: list[Lesson], **values: Any) -> None:
    """Add a page for each explorer, and the gallery; first come those that are used first."""
    uses = {
        name: [lesson for lesson in all_lessons if any(kind in explorers_in(cell) for cell in lesson.cells)]
        for name, kind in explorers().items()
    }
    kinds = sorted(explorers().items(), key=lambda item: [lesson.number for lesson in uses[item[0]]] or ["none"])
    rows = []
    for name, kind in kinds:
        says = guide(kind)
        tries = [(one["words"], f"{name}:{one['address']}") for one in says.get("try", ())]
        about = {"look": markdown(says.get("look", "")), "tries": tries, "lessons": uses[name]}
        about |= values | {"root": "../", "title": kind._title, "views": [name], "firsts": [name]}
        pages.add(f"play/{name}.html", "play.html", explorer=name, **about)
        rows.append(
            [
                {
                    "caption": one["caption"],
                    "stage": stage(f"{name}:{one['address']}", one["panels"], one.get("legs")),
                }
                for one in says.get("gallery", ())
            ]
        )
    shown = [one for turn in itertools.zip_longest(*rows) for one in turn if one]  # one of each, then the second ones
    listed = [(name, kind._title, kind._help) for name, kind in kinds]
    pages.add("play/index.html", "gallery.html", root="../", title="Play", shown=shown, kinds=listed, **values)
