"""The letters of the course: which of them are in a formula, and what they mean."""

import functools
import re
import tomllib
from pathlib import Path
from typing import NamedTuple

_FILE = Path(__file__).with_name("symbols.toml")
_WORDS = re.compile(r"\\(?:text|mathrm|begin|end|operatorname|tag)\{[^}]*\}")


class Symbol(NamedTuple):
    """A letter: its ``latex``, its ``name``, what it ``means``, and the ``lesson`` that explains it.

    ``only`` names the lessons in which it means this; empty stands for all.
    """

    latex: str
    name: str
    means: str
    lesson: str
    only: tuple[str, ...] = ()

    def holds_in(self, lesson: str) -> bool:
        """Whether the letter means this in a lesson; outside of lessons it may."""
        return not self.only or not lesson or lesson in self.only


@functools.cache
def symbols() -> dict[str, Symbol]:
    """All symbols by their ids, in the order of the list."""
    texts = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return {key: Symbol(**{**one, "only": tuple(one.get("only", ()))}) for key, one in texts.items()}


@functools.cache
def symbols_in(latex: str) -> tuple[str, ...]:
    r"""The ids of the symbols that a formula has, in whatever lesson it stands.

    >>> symbols_in(r"\Delta' = w' - \mu")
    ('w-new', 'mu', 'Delta-new')
    """
    letters, at = _letters(latex), 0
    found: set[str] = set()
    while at < len(letters):
        # The longest one that begins here: what is a^∗ or Δ′ is not a or Δ as well.
        here = [one for one in _written() if letters[at : at + len(one)] == one]
        longest = max(here, key=len, default=letters[at : at + 1])
        found.update(_written().get(longest, ()))
        at += len(longest)
    return tuple(key for key in symbols() if key in found)


@functools.cache
def _written() -> dict[tuple[str, ...], list[str]]:
    """The ids of the symbols that are written with these letters."""
    ids: dict[tuple[str, ...], list[str]] = {}
    for key, symbol in symbols().items():
        ids.setdefault(_letters(symbol.latex), []).append(key)
    return ids


def _letters(latex: str) -> tuple[str, ...]:
    """The commands and characters of a formula, without words, braces and spaces."""
    return tuple(re.findall(r"\\[A-Za-z]+|[^\s{}\\]", _WORDS.sub(" ", latex).replace(r"\star", r"\ast")))
