"""Draw a digit, or anything else, and fifty networks drawn from one belief vote on it, at any moment of learning."""

import json
import re
from typing import Any

import traitlets

from bflo_viz import _places
from bflo_viz.explorers.base import Explorer
from bflo_viz.explorers.controls import flag, hidden, whole
from bflo_viz.streams.backgrounds import SIDE

FILE = "digit-beliefs.json"
NETWORKS = 50
SEEN, BOX = 14, 10  # cells a side of what a network sees, of which the longer side of a drawing fills so many
BRUSH = 1.3  # cells from the middle of a stroke to its edge
NEARLY = (
    f"...1c600.fc600.fc600.c0600{'.1c0600' * 6}.1ffe00.ffe00.3ee00{'.e00' * 5}{'.c00' * 3}"  # a 4 that is nearly a 9
)
SKETCH = rf"([0-9a-f]{{0,7}}\.){{0,{SIDE - 1}}}[0-9a-f]{{0,7}}"


def digit_beliefs() -> dict[str, Any]:
    """Return the beliefs about digits that ``tools/digit_beliefs.py`` wrote."""
    return dict(json.loads((_places.results_folder() / FILE).read_text(encoding="utf-8")))


class DigitExplorer(Explorer):
    """Draw a digit, or something else; fifty networks sampled from one belief vote on it.

    The belief is about the 8,290 weights of a small network that learned MNIST by a diagonal flow, and comes with the
    course: ``tools/digit_beliefs.py`` made ``results/digit-beliefs.json``. On the test set its votes are wrong for
    3.9 % of the digits, and for 1.2 % of those on which nine of ten networks agree. Agreement is no proof: they agree
    as much on two thirds of 48 drawings of houses, stars, letters and the like.
    """

    view, title = "digits", "Draw a digit, and fifty networks vote"
    sketch = hidden(traitlets.Unicode(NEARLY, help="The ink: a hexadecimal number a row, with dots between."))
    moment = whole(8, 0, 9, label="learned", about="Moment of learning, one of ten.")
    erase = flag(label="erase")
    why = flag(True, label="show what speaks for whom")
    seed = whole(0, label="networks", about="The seed that the fifty networks are drawn with.")

    @property
    def constants(self) -> dict[str, Any]:  # type: ignore[override]
        """The beliefs, and sizes in cells of the page and of what a network sees."""
        return {"networks": NETWORKS, "side": SIDE, "seen": SEEN, "box": BOX, "brush": BRUSH, **digit_beliefs()}

    @traitlets.validate("sketch")
    def _check_sketch(self, proposal: dict[str, Any]) -> str:
        if re.fullmatch(SKETCH, proposal["value"]):
            return str(proposal["value"])
        raise traitlets.TraitError(
            f"sketch must be at most {SIDE} rows of up to 7 hexadecimal digits, with a dot between rows."
        )
