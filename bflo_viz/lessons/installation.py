"""Whether everything that the course uses is installed."""

import sys
from importlib.util import find_spec

# What each part is for, and what is lost without it.
PARTS = {
    "numpy": "the mathematics",
    "scipy": "sparse rows",
    "matplotlib": "the figures",
    "ipywidgets": "the explorers",
    "anywidget": "the explorers",
    "numba": "speed: without it learning goes step by step, some forty times slower",
    "sklearn": "the classifier and two real datasets",
}
if sys.platform == "emscripten":  # Python in a browser, for which there is no numba
    del PARTS["numba"]


class Words(str):
    """Text that shows without quotes."""

    def __repr__(self) -> str:
        return str(self)


def ready() -> Words:
    """Say whether all parts are there; for those that are not, what is lost and what to do."""
    missing = [name for name in PARTS if find_spec(name) is None]
    if not missing:
        return Words("✓ Everything is here.")
    lost = "\n".join(f"✗ {name} is missing ({PARTS[name]})." for name in missing)
    packages = [name.replace("sklearn", "scikit-learn") for name in missing]
    return Words(f"{lost}\nInstall with:  %pip install {' '.join(packages)}  in a cell, then restart the kernel.")
