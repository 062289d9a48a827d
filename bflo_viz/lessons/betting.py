"""Bets: answered once, kept, and looked back on."""

from typing import Any

import traitlets
from tabulate import tabulate

from bflo_viz.explorers.bet import Bet
from bflo_viz.lessons import journal
from bflo_viz.lessons.exercise import Exercise
from bflo_viz.lessons.exercises import BOOK, unknown
from bflo_viz.lessons.installation import Words

_COLUMNS = ("bet", "what I believed", "why", "what is true", "")
_NONE = "There are no bets yet: the first is in lesson 01."


def bet(number: Any, answer: str = "", reason: str = "") -> "Bet | str":
    """Show a bet, such as ``bet("02.2")``: its first answer is kept, and then it says what is true.

    Where no buttons can be shown, the answer can be given here, such as ``bet("02.2", "wider", "it was pushed")``.
    """
    exercise = BOOK.get(number) if isinstance(number, str) else None
    if exercise is None or not exercise.options:
        there_are = [one.number for one in BOOK.values() if one.options]
        return unknown(number, "bet", there_are)
    shown = open_bet(exercise)
    if kept := first(exercise):
        shown.reason, shown.answer = kept["reason"], kept["answer"]
        return shown
    shown.when_answered(_keep)
    if answer:
        try:
            shown.reason = reason if isinstance(reason, str) else ""
            shown.answer = answer.strip().lower() if isinstance(answer, str) else answer
        except traitlets.TraitError as problem:
            shown.close()
            return Words(f"{str(problem)[0].upper()}{str(problem)[1:]}")
    return shown


def open_bet(exercise: Exercise) -> Bet:
    """The bet of an exercise, not yet answered."""
    return Bet(exercise.number, exercise.title, exercise.options, exercise.right)


def _keep(shown: Bet) -> None:
    journal.note(shown._number, answer=shown.answer, reason=shown.reason)


def first(exercise: Exercise) -> dict[str, str] | None:
    """The first answer to a bet that was noted, and its reason."""
    for entry in journal.entries(exercise.number):
        if entry.get("answer") in [*exercise.options]:  # whatever the file may have there
            return {"answer": entry["answer"], "reason": str(entry.get("reason", ""))}
    return None


class _Table(Words):
    """Text that a notebook shows as a table."""

    html: str

    def _repr_html_(self) -> str:
        return self.html


def bets() -> str:
    """Look back on all bets so far: what you believed, why, and what is true."""
    answered = [(one, kept) for one in BOOK.values() if one.options and (kept := first(one))]
    if not answered:
        return Words(_NONE)
    rows = []
    for one, kept in answered:
        held = "✓" if kept["answer"] == one.right_option else "✗"
        rows.append((f"{one.number} · {one.title}", kept["answer"], kept["reason"], one.right_option, held))
    text, shown = (tabulate(rows, _COLUMNS, tablefmt=form, disable_numparse=True) for form in ("simple", "html"))
    table = _Table(text)
    table.html = shown
    return table
