"""The state of an explorer as text in the address of a page: ``regime:delta=1.2,delta_new=-2``.

It has only characters that mail and chat leave alone, and what they cut off at its end is not missed. The half of the
page is ``shared/address.js``.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import unquote

_NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "none": None}
_DEEPEST = 8  # lists in lists


def differences(controls: Mapping[str, dict[str, Any]], state: Mapping[str, Any]) -> str:
    """What differs from the first values; a trait that follows from others is left out."""
    texts = {
        name: (encoded(known, state[name]), encoded(known, known["default"]))
        for name, known in controls.items()
        if not state.get(known.get("follows", ""))
    }
    return ",".join(f"{name}={text}" for name, (text, first) in texts.items() if text != first)


def explorers_in(address: str) -> list[tuple[str, dict[str, str]]]:
    """The explorers of an address, in its order, each with the texts of its traits.

    A place of the page looks like an explorer in its first state, of which chat may have cut off the colon.

    >>> explorers_in("page.html#limits;regime.2:delta=1.2,delta_new=-2")
    [('limits', {}), ('regime', {'delta': '1.2', 'delta_new': '-2'})]
    """
    text = unquote(address.rpartition("#")[2]).rstrip(".,!? \t\r\n")  # a sentence may end there
    pieces = [piece.partition(":") for piece in text.split(";")]
    return [(name.strip().partition(".")[0], _traits(rest)) for name, _, rest in pieces]


def _traits(text: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in _split(text) if part.strip()]
    return {name.strip(): value.strip() for name, _, value in pairs}


def encoded(known: dict[str, Any], value: Any) -> str:
    """The value of a trait as text; ``known`` is what the trait says: where only a text can be, it needs no marks."""
    digits = known.get("digits")

    def named(one: Any) -> str:
        return _plain(one) if isinstance(one, str) else _written(one, digits)

    if known["kind"] == "subset":
        return f"({','.join(named(option) for option, _ in known['options'] if option in value)})"
    return named(value) if known["kind"] == "choice" or isinstance(known["default"], str) else _written(value, digits)


def decoded(known: dict[str, Any], text: str) -> Any:
    """The value that a text gives to a trait, whether the trait can have it or not."""
    part = _tree(text)

    def named(one: Any) -> Any:
        return _restored(one) if isinstance(one, str) else _read(one)

    def option(one: Any) -> Any:
        values = [value for value, _ in known["options"]]
        return next((v for v in values if v == (named(one) if isinstance(v, str) else _read(one))), named(one))

    if known["kind"] == "subset" and isinstance(part, list):
        return [option(one) for one in part]
    if known["kind"] == "choice":
        return option(part)
    return named(part) if isinstance(known["default"], str) else _read(part)


def _written(value: Any, digits: int | None) -> str:
    """A value of any kind: a number, true, false, none, a text, or a list of such in parentheses."""
    if isinstance(value, (list, tuple)):
        return f"({','.join(_written(one, digits) for one in value)})"
    if value is None or isinstance(value, bool):
        return next(word for word, meant in _WORDS.items() if meant is value)
    if not isinstance(value, str):
        return _short(float(value), digits)
    text = _plain(value)
    is_other = _NUMBER.fullmatch(text) or text in _WORDS
    return (_escaped(text[0]) + text[1:] if is_other else text) or "~~"


def _read(part: Any) -> Any:
    if isinstance(part, list):
        return [_read(one) for one in part]
    if _NUMBER.fullmatch(part):
        return int(part) if part.lstrip("-").isdigit() and len(part) < 16 else float(part)
    return _WORDS[part] if part in _WORDS else _restored(part)


def _short(x: float, digits: int | None) -> str:
    """A number as its control has it, in the letters of a page; what lies between steps is not rounded away."""
    near = x if digits is None else float(f"{x:.{digits}f}")
    x = (near if abs(near - x) < 1e-9 else x) or 0.0
    if 1e-6 <= abs(x) < 1e21 or x == 0:
        return f"{Decimal(repr(x)):f}".removesuffix(".0")
    return re.sub(r"(\.0)?e\+?(-?)0*", r"e\2", repr(x))


def _escaped(character: str) -> str:
    return f"~{ord(character):x}~"


def _plain(text: str) -> str:
    # A full stop at the end would be taken for that of a sentence.
    return re.sub(r"[^A-Za-z0-9._ -]|\.\Z", lambda found: _escaped(found[0]), text).replace(" ", "+")


def _restored(text: str) -> str:
    def character(found: re.Match[str]) -> str:
        return chr(int(found[1], 16)) if found[1] and int(found[1], 16) < 0x110000 else ""

    return re.sub(r"~([0-9a-f]{0,6})~", character, text.replace("+", " "))


def _split(text: str) -> list[str]:
    """The parts of a list; lists in it stay whole. What opens and does not close, closes at the end."""
    parts, depth = [""], 0
    for character in text:
        depth = max(0, depth + (character == "(") - (character == ")"))
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _tree(text: str, depth: int = 0) -> Any:
    """A text, or a list of texts and lists."""
    if not text.startswith("(") or depth == _DEEPEST:
        return re.sub(r"[()]", "", text)
    inside = text[1:].removesuffix(")")
    return [_tree(part, depth + 1) for part in _split(inside)] if inside else []
