"""Programs in documents: Python, and below it what it prints."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
_PROGRAM = re.compile(r"^```python\n(.*?)^```\n(?:\s*^```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


def programs(path):
    """Each block of Python in a document with the text that follows it, or None."""
    return [(match[1], match[2]) for match in _PROGRAM.finditer(path.read_text(encoding="utf-8"))]


def examples(path):
    """The blocks of Python that say what they print, with that text."""
    return [(code, printed) for code, printed in programs(path) if printed is not None]
