"""A sentence with numbers that can be dragged, and others that follow from them."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bflo_viz.explorers.old_base import MIME, Explorer
from bflo_viz.explorers.traits import Choice, Number, Whole
from bflo_viz.flows import stretch, stretch_kl
from bflo_viz.scenes.base import Scene, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Names in braces are numbers: traits can be dragged, and the others follow.
SENTENCES = {
    "width": "A weight that lies {u} standard deviations from the mean goes to {v}. The belief becomes {wide} % as "
    "wide as it was, its mean moves by {shift}, and this costs {kl} nats.",
    "dimensions": "In {dim} dimensions a weight goes from {u} standard deviations straight to {v}. The rule as "
    "printed makes a round belief {printed} % as wide in every direction. The exact one makes it {exact} % as wide.",
    "point": "A belief of width 1 becomes {after} wide. Bayes’ rule would have needed a point that adds {precision} "
    "to the precision; below zero it takes that much away.",
    "share": "A step pulls every weight in by {pull} %. The weight that is drawn lies {u} standard deviations out. "
    "The true ensemble narrows by {pull} %, and the belief by {narrows} %.",
    "jitter": "At a learning rate of {eta} gradient descent jitters with a standard deviation of {jitter}, and a "
    "belief settles at a width of about {settles}. To be half as wide it needs a learning rate of {quarter}.",
}


@dataclass(frozen=True)
class Said(Scene):
    """A sentence with all of its numbers."""

    text: str

    def _words(self) -> str:
        return self.text


class Sentence(Explorer):
    """A sentence whose numbers can be dragged, or moved by the arrow keys; what follows from them moves along.

    >>> print(Sentence("point", after=0.5).scene.words()[39:109])
    Bayes’ rule would have needed a point that adds 3.00 to the precision;
    """

    sentence = Choice("width", options=SENTENCES, label="sentence", help="Which sentence it is.")
    u = Number(1.5, low=-4, high=4, step=0.1, label="where the weight is", help="In prior standard deviations.")
    v = Number(0.5, low=-4, high=4, step=0.1, label="where the weight goes", help="In prior standard deviations.")
    dim = Whole(10, low=1, high=100, label="dimensions", help="How many weights there are.")
    after = Number(0.8, low=0.3, high=2, step=0.05, label="new width", help="In prior standard deviations.")
    pull = Number(1.0, low=0.5, high=20, step=0.5, label="pull in percent", help="Part of the way to the mean.")
    eta = Number(0.04, low=0.002, high=0.2, step=0.002, label="learning rate", help="How far a gradient step goes.")
    _view = Path(__file__).with_name("sentence.js")
    _title = "A sentence to move"

    def __init__(self, sentence: str = "width", **state: Any) -> None:
        super().__init__(sentence=sentence, **state)

    @classmethod
    def about(cls) -> dict[str, Any]:
        """What the view reads: the sentences, and how many of SGD's jitters wide a belief is."""
        return {**super().about(), "facts": {"share": _share_of_jitter()}}

    @property
    def scene(self) -> Said:
        """The sentence with its numbers."""
        now = self.state
        digits = {name: known["digits"] for name, known in self._about["controls"].items() if "digits" in known}
        shown = {name: number(now[name], digits[name]) for name in digits}
        shown |= {name: number(*value) for name, value in _FOLLOWS[self.sentence](now).items()}
        return Said(re.sub(r"\{(\w+)\}", lambda blank: shown[blank[1]], SENTENCES[self.sentence]))

    def figure(self, *, style: str = "paper") -> "Figure":
        """Refuse: a sentence is printed as it is."""
        raise ValueError("a sentence has no figure: print(sentence.scene.words()) writes it.")

    def _stored(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return {MIME: self._record()}, {}


def _width(now: Mapping[str, Any]) -> dict[str, tuple[float, int]]:
    a = float(stretch(now["u"], now["v"]))
    return {
        "wide": (100 * a, 0),
        "shift": (now["v"] - a * now["u"], 2),
        "kl": (float(stretch_kl(a, now["u"], now["v"])), 2),
    }


def _dimensions(now: Mapping[str, Any]) -> dict[str, tuple[float, int]]:
    u, v = now["u"], now["v"]
    return {"printed": (100 * float(stretch(u, v)), 0), "exact": (100 * float(stretch(u, v, dim=now["dim"])), 0)}


def _point(now: Mapping[str, Any]) -> dict[str, tuple[float, int]]:
    return {"precision": (now["after"] ** -2 - 1, 2)}


def _share(now: Mapping[str, Any]) -> dict[str, tuple[float, int]]:
    u = now["u"]
    return {"narrows": (100 * (1 - float(stretch(u, (1 - now["pull"] / 100) * u))), 2)}


def _jitter(now: Mapping[str, Any]) -> dict[str, tuple[float, int]]:
    tau = math.sqrt(now["eta"] / 2)
    return {"jitter": (tau, 3), "settles": (_share_of_jitter() * tau, 3), "quarter": (now["eta"] / 4, 4)}


_FOLLOWS: Mapping[str, Callable[[Mapping[str, Any]], dict[str, tuple[float, int]]]] = {
    "width": _width,
    "dimensions": _dimensions,
    "point": _point,
    "share": _share,
    "jitter": _jitter,
}


def _share_of_jitter() -> float:
    from bflo_viz.scenes.ensemble import width_law

    return float(width_law().median())
