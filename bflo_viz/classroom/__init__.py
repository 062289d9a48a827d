"""The course for a class: web pages, slides, a server for a class, bundles to hand out, and a doctor."""

from typing import TYPE_CHECKING

import bflo_viz

if TYPE_CHECKING:
    from bflo_viz.explorers.old_base import Explorer


def explorers() -> "dict[str, type[Explorer]]":
    """The classes of all explorers by their short names, such as ``"regime"``."""
    kinds = (getattr(bflo_viz, name) for name in bflo_viz.__all__ if name.endswith("Explorer"))
    return {kind._view.parent.name: kind for kind in kinds}


def widgets() -> "dict[str, type[Explorer]]":
    """All that lives in a page: the explorers, and what is too small to have a page of its own."""
    from bflo_viz.explorers.bet import Bet
    from bflo_viz.explorers.sentence import Sentence

    return {**explorers(), "bet": Bet, "sentence": Sentence}
