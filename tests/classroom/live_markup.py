"""What in a page would run, or ask something of another host, as a browser reads the page."""

import re
from html.parser import HTMLParser

_RUNS = {"script", "iframe", "object", "embed", "form", "input", "svg", "base", "meta", "link", "style", "template"}
_ADDRESSES = {"href", "src", "action", "formaction", "xlink:href", "srcdoc", "data"}


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        """An element, with its attributes."""
        if tag in _RUNS:
            self.found.append(tag)
        for name, value in attributes:
            address = re.sub(r"[\x00-\x20]", "", value or "").lower()
            if name.startswith("on") or (name == "style" and "url" in address):
                self.found.append(f"{tag} {name}")
            if name in _ADDRESSES and re.match(r"(javascript|vbscript|data:(?!image/))", address):
                self.found.append(f"{tag} {name}={address[:40]}")
            if name == "src" and re.match(r"(https?:|//)", address):
                self.found.append(f"{tag} {name}={address[:40]}")


def live(page):
    """Elements and attributes that no page of a notebook may have."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return reader.found
