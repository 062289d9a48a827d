"""One meaning, one colour, everywhere; apart for colour-blind eyes, and each has a second mark beside its colour."""

from typing import Any, NamedTuple

PAPER = "#ffffff"
INK = "#222222"  # text, axes, paths of a mean
FAINT = "#bbbbbb"  # grids, arrows, what is only there for orientation

PRIOR = "#4d4d4d"  # grey, solid outline, no filling
POSTERIOR = "#d55e00"  # vermilion, filled
WEIGHT = "#0072b2"  # blue, dashed: the sampled weight; a hollow dot before its step, a full one after it
ADDED = "#0072b2"  # blue disc with a plus: a pseudo-point that was added
REMOVED = "#cc3311"  # red ring with a minus, hatched: one that was removed

# Maps for values: one that grows, and one that is white at what does not change.
GROWING = "cividis"
AROUND = "PuOr"
MIDDLE = "#b8b8b8"  # behind marks of that map, whose white would be lost on paper


class Series(NamedTuple):
    """How the curve of a learner looks: never by colour alone."""

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
VARIANTS = {
    "non-expansive": "-",
    "by the mean": "--",
    "by a sample": ":",
    "by 30 samples": ":",
}  # lines of one learner
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
    """How a learner looks, by its name or by the one it has in a table; one that is not known looks neutral.

    What is said of a learner after a comma changes its line alone. A name that begins with "like" is a guide line.

    >>> series("BFLO") == SERIES["diagonal"], series("mine") == OTHER
    (True, True)
    >>> series("like √T") == GUIDE
    True
    >>> series("full, non-expansive").color == SERIES["full"].color
    True
    """
    if name.startswith("like "):
        return GUIDE
    known, variant = _learner(name)
    look = SERIES.get(known, OTHER)
    if known not in SERIES or not variant:
        return look
    return look._replace(linestyle=VARIANTS.get(variant, "-" if look.linestyle != "-" else (0, (8, 2, 1, 2))))


def _learner(name: str) -> tuple[str, str]:
    """The learner that a name is about, and what else it says."""
    base, _, variant = name.partition(", ")
    return ALIASES.get(base, base), variant


def line_color(color: str) -> str:
    """The colour itself, or a darker one if thin lines of it would be lost on paper, as those of yellow are."""
    red, green, blue = (int(color[place : place + 2], 16) for place in (1, 3, 5))
    if 0.2126 * red + 0.7152 * green + 0.0722 * blue <= 0.75 * 255:
        return color
    return f"#{round(0.6 * red):02x}{round(0.6 * green):02x}{round(0.6 * blue):02x}"
