"""One meaning, one colour, everywhere; apart for colour-blind eyes, and each has a second mark beside its colour."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

PAPER = "#ffffff"
INK = "#222222"  # text, axes, paths of a mean
WASH = "#e3e6ea"  # a ground
FAINT = "#bbbbbb"  # grids, arrows, what is only there for orientation

PRIOR = "#4d4d4d"  # grey, solid outline, no filling
POSTERIOR = "#d55e00"  # vermilion, filled
WEIGHT = "#0072b2"  # blue, dashed: the sampled weight; a hollow dot before its step, a full one after it
FOR_MEAN = "#0a5f52"  # teal, dashed: the part of a KL that pays for the mean
FOR_WIDTH = "#d88fc0"  # pink, dotted: the part that pays for the width
ADDED = "#0072b2"  # blue disc with a plus: a pseudo-point that was added
REMOVED = "#cc3311"  # red ring with a minus, hatched: one that was removed

# Maps for values: one that grows, and one that is white at what does not change.
GROWING = "Blues"
NARROWING = "gray"  # widths: white is that of the prior
AROUND = "PuOr"


class Series(NamedTuple):
    """Look of the curve of a learner, which never rests on colour alone."""

    color: str
    linestyle: Any
    marker: Any


SERIES = {
    "SGD": Series("#222222", "-", "o"),
    "full": Series("#e69f00", "--", "s"),
    "diagonal": Series("#0072b2", "-.", "^"),
    "spherical": Series("#cc79a7", ":", "D"),
    "spherical exact": Series("#882255", (0, (5, 1, 1, 1, 1, 1)), "v"),
    "AROW": Series("#56b4e9", (0, (1, 1)), "P"),
    "NHERD": Series("#f0e442", (0, (3, 1)), "X"),
    "Langevin": Series("#009e73", (0, (6, 2)), "*"),
    "Dropout": Series("#d55e00", (0, (3, 1, 1, 1)), "h"),
}

# The names that the paper's tables have for some of them. Its BFLO is the diagonal flow.
ALIASES = {"BFLO": "diagonal", "BLANG": "Langevin", "DROPOUT": "Dropout"}
OTHER = Series("#707070", (0, (2, 2)), ">")  # a learner of the reader's own
# Others of the same learner, such as "full, non-expansive", in turn: a shade of its colour, dashes and a marker.
VARIANTS = ((0.6, (0, (7, 1.5)), "p"), (1.5, (0, (1, 1.5)), "d"), (0.8, "-", "<"), (1.3, (0, (3, 1, 1, 1)), "H"))
GUIDE = Series("#707070", (0, (1, 2)), "")  # a line to compare slopes with, such as "like √T"
# Several of them, and whatever else is compared: in colours that no learner has.
NEUTRAL = (
    OTHER,
    Series("#685020", "-", "<"),
    Series("#385080", "--", "d"),
    Series("#689850", "-.", "p"),
    Series("#505038", ":", "H"),
)


def series(name: str) -> Series:
    """Return the look of a learner, by its name or by the one it has in a table; an unknown one looks neutral.

    A name that begins with "like" is a guide line. What is said of a learner after a comma is left to `shade`.

    >>> series("BFLO") == SERIES["diagonal"], series("mine") == OTHER
    (True, True)
    >>> series("like √T") == GUIDE
    True
    >>> series("full, non-expansive").color == SERIES["full"].color
    True
    """
    if name.startswith("like "):
        return GUIDE
    base = name.partition(", ")[0]
    return SERIES.get(ALIASES.get(base, base), OTHER)


def series_for(names: Iterable[str]) -> dict[str, Series]:
    """Return the look of each name, no two alike: the first of a learner as always, its variants in shades of it."""
    looks: dict[str, Series] = {}
    seen: Counter[Series] = Counter()
    for name in dict.fromkeys(names):
        look = series(name)
        turn = seen[look]
        seen[look] += 1
        if look == OTHER:
            look = NEUTRAL[turn % len(NEUTRAL)]
        elif turn and look != GUIDE:
            factor, dashes, marker = VARIANTS[(turn - 1) % len(VARIANTS)]
            look = Series(shade(look.color, factor), dashes, marker)
        looks[name] = look
    return looks


def shade(color: str, factor: float) -> str:
    """Return a darker colour for a factor below 1, and a lighter one for a factor up to 2.

    >>> shade("#804020", 0.5), shade("#804020", 1.5)
    ('#402010', '#c0a090')
    """
    parts = (int(color[place : place + 2], 16) for place in (1, 3, 5))
    mixed = (part * factor if factor <= 1 else part + (factor - 1) * (255 - part) for part in parts)
    return "#" + "".join(f"{round(part):02x}" for part in mixed)


def line_color(color: str, light: float = 0.63) -> str:
    """Return the colour, or a darker one if it is lighter than ``light``: letters of it would be lost on paper."""
    red, green, blue = (int(color[place : place + 2], 16) for place in (1, 3, 5))
    return color if 0.2126 * red + 0.7152 * green + 0.0722 * blue <= light * 255 else shade(color, 0.6)
