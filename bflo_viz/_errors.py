"""Error that the command line shows as one sentence."""


class UserError(ValueError):
    """A mistake in what a user named, wrote or placed; its message is one sentence that says what to do."""
