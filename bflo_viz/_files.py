"""How the package writes files."""

import os
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write to a temporary name, then rename: the file is there whole, or it is as it was before.

    An OSError is left to the caller, who knows what the file is for.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        draft.unlink(missing_ok=True)  # a link of this name would be written through
        draft.write_bytes(content)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
