"""``bflo explorers``: each explorer as an ES module of the anywidget kind, for pages that others make."""

from collections.abc import Callable, Sequence
from pathlib import Path

from bflo_viz._checks import did_you_mean
from bflo_viz._places import write_whole
from bflo_viz.classroom import explorers
from bflo_viz.explorers.old_page import standard_module


def write(out: Path, names: Sequence[str], *, tell: Callable[[str], None]) -> None:
    """Write the modules of some explorers, or of all, into a folder."""
    kinds = explorers()
    for name in names:
        if name not in kinds:
            raise ValueError(f"there is no explorer {name!r}: {did_you_mean(name, tuple(kinds))}")
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name in names or kinds:
            explorer = kinds[name]()
            text = standard_module(explorer._view, explorer.on_page())
            explorer.close()
            write_whole(out / f"{name}.mjs", text.encode())
            tell(f"{out / name}.mjs  {len(text) / 1024:.0f} kB")
    except OSError as problem:
        reason = problem.strerror or problem
        raise ValueError(f"{out} could not be written ({reason}): name another folder.") from None
