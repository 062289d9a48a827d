"""Examples in documents: Python, and below it what it prints."""

import re


def examples(path):
    """Each block of Python in a document with the text that follows it."""
    return re.findall(r"```python\n(.*?)```\s+```text\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
