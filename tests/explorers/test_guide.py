"""The instructors' guide quotes what explorers say on their pages."""

import re

import pytest
from documents import ROOT

import bflo_viz

TEXT = (ROOT / "docs" / "INSTRUCTORS.md").read_text(encoding="utf-8")
SHOWN = re.findall(r'^\| "[^|]*" \| `([^`]*Explorer\([^`]*\))` \| (.*) \|$', TEXT, re.MULTILINE)
KINDS = {name: getattr(bflo_viz, name) for name in bflo_viz.__all__ if name.endswith("Explorer")}


@pytest.mark.parametrize(("setting", "says"), SHOWN)
def test_an_explorer_says_what_the_guide_quotes(opened, setting, says):
    words = opened(eval(setting, KINDS)).locator(".bflo-say").inner_text()
    quoted = re.findall(r'"([^"]+)"', says)
    assert quoted and [part for part in quoted if part not in words] == [], words
