"""A bet: options to choose from, of which the first choice counts, and then the reply to it."""

import os
from collections.abc import Mapping
from typing import Any

import traitlets

from bflo_viz.explorers.base import MIME, Explorer
from bflo_viz.explorers.controls import hidden

NOTEBOOK = "JPY_SESSION_NAME"  # where Jupyter tells a kernel which notebook it is of


class Bet(Explorer):
    """A question with buttons; the browser keeps the first answer, for this notebook, until it is forgotten.

    ``replies`` has the options in their order, each with the reply to whoever chose it. ``answer`` can be read,
    observed, and set once; an empty one forgets it. On the page an instructor can count hands.
    """

    view = "bet"
    answer = hidden(traitlets.Unicode(help="Option that was chosen; empty until then."))

    def __init__(self, number: str, replies: Mapping[str, str], right: str, title: str = "", **state: Any) -> None:
        if right not in replies:
            raise ValueError(f"the right answer {right!r} is not one of the options of bet {number}.")
        self._number, self._replies, self._right, self._heading = number, dict(replies), right, title
        super().__init__(**state)

    @property
    def title(self) -> str:  # type: ignore[override]
        """Number and title of the bet."""
        return f"Bet {self._number}" + (f": {self._heading}" if self._heading else "")

    @property
    def constants(self) -> dict[str, Any]:  # type: ignore[override]
        """Options with their replies, and the notebook that this kernel belongs to."""
        replies, notebook = [list(pair) for pair in self._replies.items()], os.environ.get(NOTEBOOK, "")
        return {"number": self._number, "replies": replies, "right": self._right, "notebook": notebook}

    @traitlets.validate("answer")
    def _first_answer(self, proposal: Any) -> str:
        value = str(proposal["value"])
        if value and value not in self._replies:
            options = ", ".join(map(repr, self._replies))
            raise traitlets.TraitError(f"the answer to bet {self._number} is one of {options}, but not {value!r}.")
        if value and self.answer not in ("", value):
            raise traitlets.TraitError(f"the first answer to bet {self._number}, {self.answer!r}, is kept.")
        return value

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle, metadata = super()._repr_mimebundle_(**options)
        return {form: data for form, data in bundle.items() if form != MIME}, metadata  # notebooks keep no answers

    def __repr__(self) -> str:
        if self.answer:
            return f"{'✓' if self.answer == self._right else '✗'} {self._replies[self.answer]}"
        options = ", ".join(f'"{option}"' for option in self._replies)
        return f'Choose from {options}: bet("{self._number}", "…").'
