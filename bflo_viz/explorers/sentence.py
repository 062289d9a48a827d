"""A sentence with numbers that can be dragged, and others that follow from them; its words are on the page."""

from typing import Any

from bflo_viz.explorers.base import Explorer
from bflo_viz.explorers.controls import choice, number, whole


class Sentence(Explorer):
    """A sentence whose numbers can be dragged, or moved by the arrow keys; what follows from them moves along."""

    view = "sentence"
    title = "A sentence to move"
    sentence = choice("width", ["width", "dimensions", "point", "share", "jitter"], label="sentence")
    u = number(1.5, -4, 4, step=0.1, label="where the weight is")
    v = number(0.5, -4, 4, step=0.1, label="where the weight goes")
    dim = whole(10, 1, 100, label="dimensions")
    after = number(0.8, 0.3, 2, label="new width")
    pull = number(1.0, 0.5, 20, step=0.5, label="pull in percent")
    eta = number(0.04, 0.002, 0.2, step=0.002, label="learning rate")

    def __init__(self, sentence: str = "width", **state: Any) -> None:
        super().__init__(sentence=sentence, **state)

    @property
    def constants(self) -> dict[str, Any]:  # type: ignore[override]
        """How wide a belief is, in jitters of SGD, for the sentence that says it."""
        if self.sentence != "jitter":
            return {}
        from bflo_viz.figures.ensemble import width_law

        return {"share": float(width_law().median())}
