"""Error that the command line shows as one sentence."""

import contextlib
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
        raise UserError(f"{place}: {' '.join(str(problem).split())}") from None
