"""A sentence with numbers that can be dragged, and others that follow from them; its words are on the page."""

from typing import Any

from bflo_viz.explorers.base import Explorer
from bflo_viz.explorers.controls import choice, number, whole


class Sentence(Explorer):
    """A sentence whose numbers can be dragged, or moved by the arrow keys; what follows from them moves along."""

    view, title = "sentence", "A sentence to move"
    sentence = choice("width", ["width", "dimensions"], label="sentence")
    u = number(1.5, -4, 4, step=0.1, label="where the weight is")
    v = number(0.5, -4, 4, step=0.1, label="where the weight goes")
    dim = whole(10, 1, 100, label="dimensions")

    def __init__(self, sentence: str = "width", **state: Any) -> None:
        super().__init__(sentence=sentence, **state)
