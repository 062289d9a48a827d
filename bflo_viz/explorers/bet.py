"""A bet: options to choose from, of which the first choice counts, and then what is true."""

import os
from collections.abc import Mapping
from typing import Any

import traitlets

from bflo_viz import _checks as check
from bflo_viz.explorers.base import MIME, Explorer
from bflo_viz.explorers.controls import hidden

NOTEBOOK = "JPY_SESSION_NAME"  # where Jupyter tells a kernel which notebook it is of


class Bet(Explorer):
    """A question with buttons: the first answer is kept by the browser, for this notebook, until it is forgotten.

    ``options`` has the possible answers, each with the words for those who chose it; the right one has none.
    ``answer`` can be read, observed, and set once; an empty one forgets it. On the page hands can be counted.
    """

    view = "bet"
    answer = hidden(traitlets.Unicode(help="What was answered; empty until then."), "")

    def __init__(self, number: str, title: str, options: Mapping[str, str], right: str, answer: str = "") -> None:
        self._number, self._heading, self._options, self._because = number, title, dict(options), right
        super().__init__(answer=answer)

    @property
    def title(self) -> str:  # type: ignore[override]
        """Number and title of the bet."""
        return f"Bet {self._number}: {self._heading}"

    @property
    def right(self) -> str:
        """The right answer: the option that nothing has to be said against."""
        return next(option for option, words in self._options.items() if not words)

    @property
    def constants(self) -> dict[str, Any]:  # type: ignore[override]
        """What is said to each answer, and which notebook this is."""
        said = {option: self.said(option) for option in self._options}
        return {"number": self._number, "right": self.right, "said": said, "notebook": os.environ.get(NOTEBOOK, "")}

    def said(self, option: str) -> str:
        """Return what is said to whoever chose an option."""
        if option == self.right:
            return f"✓ Right, “{self.right}”. {self._because}"
        return f"✗ Not “{option}”. {self._options[option]} It is “{self.right}”. {self._because}"

    @traitlets.validate("answer")
    def _first_answer(self, proposal: Any) -> str:
        value = proposal["value"]
        if value and value not in self._options:
            options = ", ".join(map(repr, self._options))
            raise traitlets.TraitError(f"the answer must be one of {options}, but it was {check.short(value)}.")
        if value and self.answer not in ("", value):
            raise traitlets.TraitError(f"the first answer to bet {self._number}, {self.answer!r}, is kept.")
        return str(value)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle, metadata = super()._repr_mimebundle_(**options)
        return {form: data for form, data in bundle.items() if form != MIME}, metadata  # notebooks keep no answers

    def __repr__(self) -> str:
        if self.answer:
            return f"Bet {self._number}. {self.said(self.answer)}"
        options = ", ".join(f'"{option}"' for option in self._options)
        return f'Bet {self._number}. Your first answer counts: bet("{self._number}", "…") with one of {options}.'
