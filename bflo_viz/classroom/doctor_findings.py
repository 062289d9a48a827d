"""What an examination finds: a mark, a line, and the cure of what is wrong."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One line of the checklist.

    Attributes
    ----------
    mark
        ✓ for what is right, ✗ for what is wrong, – for what can be done without.
    text
        The line.
    cure
        A command or an action that mends it, if there is something to mend.
    name
        What is wrong in a few words, for the last line; only of ✗.
    """

    mark: str
    text: str
    cure: str = ""
    name: str = ""


def fine(text: str) -> Finding:
    """Something that is right."""
    return Finding("✓", text)


def note(text: str, cure: str = "") -> Finding:
    """Something that can be done without."""
    return Finding("–", text, cure)


def wrong(name: str, text: str, cure: str) -> Finding:
    """A problem; the name begins the line."""
    return Finding("✗", f"{name}{text}", cure, name)


def sentence(problem: BaseException) -> str:
    """An error in one line that is not too long."""
    words = " ".join(str(problem).split()) or "no reason given"
    return f"{type(problem).__name__}: {words if len(words) <= 120 else words[:119] + '…'}"
