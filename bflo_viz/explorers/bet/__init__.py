"""A bet: words to choose from, of which the first choice counts."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar
from uuid import uuid4

import traitlets
from IPython.display import display

from bflo_viz import _checks as check
from bflo_viz.explorers.old_base import Explorer

ANSWERED = "application/vnd.bflo-viz.answer+json"  # in which a notebook stores what was answered
LONGEST = 300  # letters of a reason
_show: Any = display  # which has no types


class Bet(Explorer):
    """A question with buttons: the first answer is kept, and only then does it say what is true.

    ``options`` has the possible answers, each with the words for those who chose it; the right one has none.
    ``answer`` and ``reason`` can be read and observed, and set once. It is no instrument to link or to print, so it
    has neither address nor figure.
    """

    answer = traitlets.Unicode("", help="What was answered; empty until then.").tag(sync=True)
    reason = traitlets.Unicode("", help="Why, in the words of whoever answered.").tag(sync=True)
    _view = Path(__file__).with_name("view.js")
    _for_page: ClassVar = ("_about", "answer", "reason")
    _labels: ClassVar = {
        "options": "Your answer",
        "reason": "Why? (you may leave this empty)",
        "because": "Your reason:",
        "commit": "Commit to it",
        "first": "Choose first: your first answer counts.",
        "folded": "What was folded below opens now. Where it does not, click its three dots.",
    }

    def __init__(self, number: str, title: str, options: Mapping[str, str], right: str) -> None:
        self._number, self._options, self._right_words = number, dict(options), right
        self._shown_as, self._kept = "", ("", "")
        self._heading = f"Bet {number}: {title}"
        super().__init__()

    @traitlets.default("_about")
    def _about_this(self) -> dict[str, Any]:
        said = {option: self.said(option) for option in self._options}
        facts = {"number": self._number, "right": self.right, "said": said, "longest": LONGEST, **self._labels}
        return {"title": self._heading, "help": "", "panels": {}, "controls": {}, "facts": facts}

    @property
    def right(self) -> str:
        """The right answer: the option that nothing has to be said against."""
        return next(option for option, words in self._options.items() if not words)

    def said(self, option: str) -> str:
        """What is said to whoever chose an option."""
        if option == self.right:
            return f"✓ Right, “{self.right}”. {self._right_words}"
        return f"✗ Not “{option}”. {self._options[option]} It is “{self.right}”. {self._right_words}"

    def when_answered(self, keep: Callable[["Bet"], None]) -> None:
        """Call a function once the bet is answered, by hand or from Python."""
        self.observe(lambda _: keep(self), "answer")

    @traitlets.validate("answer")
    def _first_answer(self, proposal: Any) -> str:
        value = proposal["value"]
        if self._kept[0] not in ("", value):
            raise traitlets.TraitError(f"the first answer to bet {self._number}, {self._kept[0]!r}, is kept.")
        if value and value not in self._options:
            options = ", ".join(map(repr, self._options))
            raise traitlets.TraitError(f"the answer must be one of {options}, but it was {check.short(value)}.")
        return str(value)

    @traitlets.validate("reason")
    def _one_line(self, proposal: Any) -> str:
        if self._kept[0]:
            return self._kept[1]  # what is said afterwards is no reason
        return " ".join(proposal["value"].split())[:LONGEST]

    @traitlets.observe("answer")
    def _show_again(self, _: Any) -> None:
        """Put the answer into what the notebook stores."""
        self._kept = self.answer, self.reason
        if self._shown_as:
            data, metadata = self._repr_mimebundle_()
            _show(data, metadata=metadata, raw=True, display_id=self._shown_as, update=True)

    def _ipython_display_(self) -> None:
        self._shown_as = uuid4().hex
        data, metadata = self._repr_mimebundle_()
        _show(data, metadata=metadata, raw=True, display_id=self._shown_as)

    def _stored(self) -> tuple[dict[str, Any], dict[str, Any]]:
        if not self.answer:
            return {}, {}
        return {ANSWERED: {"exercise": self._number, "first": self.answer, "reason": self.reason}}, {}

    def __repr__(self) -> str:
        """Words for where only text can be shown."""
        if self.answer:
            return f"Bet {self._number}. {self.said(self.answer)}"
        options = ", ".join(f'"{option}"' for option in self._options)
        return f'Bet {self._number}. Your first answer counts: bet("{self._number}", "…") with one of {options}.'
