"""Bets: answered once in a browser, and kept there."""

from typing import Any

import traitlets

from bflo_viz.explorers.bet import Bet
from bflo_viz.lessons.exercise import Exercise
from bflo_viz.lessons.exercises import BOOK, unknown
from bflo_viz.lessons.installation import Words


def bet(number: Any, answer: str = "") -> "Bet | str":
    """Show a bet, such as ``bet("02.2")``: the first answer counts, and then it says what is true.

    Where no buttons can be shown, the answer can be given here, such as ``bet("02.2", "wider")``.
    """
    exercise = BOOK.get(number) if isinstance(number, str) else None
    if exercise is None or not exercise.options:
        return unknown(number, "bet", [one.number for one in BOOK.values() if one.options])
    try:
        return open_bet(exercise, answer.strip().lower() if isinstance(answer, str) else answer)
    except traitlets.TraitError as problem:
        return Words(f"{str(problem)[0].upper()}{str(problem)[1:]}")


def open_bet(exercise: Exercise, answer: str = "") -> Bet:
    """Make the bet of an exercise, whose right option is the one that has no hint."""
    right = next(option for option, hint in exercise.options.items() if not hint)
    truth = f"It is “{right}”. {exercise.right}"
    replies = {option: f"{hint} {truth}".strip() for option, hint in exercise.options.items()}
    return Bet(exercise.number, replies, right, exercise.title, answer=answer)
