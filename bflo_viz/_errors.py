"""Error that the command line shows as one sentence."""

import contextlib
import re
from collections.abc import Iterator


class UserError(ValueError):
    """A mistake in what a user named, wrote or placed; its message is one sentence that says what to do."""


@contextlib.contextmanager
def naming(place: str, *kinds: type[Exception]) -> Iterator[None]:
    """Turn errors of a value, and of other kinds, into a `UserError` that begins with the file or part at fault."""
    errors: tuple[type[Exception], ...] = (ValueError, *kinds)
    try:
        yield
    except errors as problem:
        text = " ".join(str(getattr(problem, "strerror", None) or problem).split())
        text = re.sub(r"(\w+)\.__init__\(\) got an unexpected keyword argument", r"\1 has no setting", text)
        raise UserError(f"{place}: {text}") from None
