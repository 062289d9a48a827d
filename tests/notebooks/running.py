"""Run notebooks and ask for what their text claims, inside of the tests."""

import platform
import re
from pathlib import Path

import nbformat
import numpy as np

from bflo_viz.lessons.instructor import run_cell

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


def namespace_of(path, shift=0):
    """What a notebook leaves behind; every seed in it moved by ``shift``."""
    namespace = {"__name__": "__notebook__"}
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            run_cell(shifted(cell.source, shift), namespace)
    return namespace


def shifted(source, shift):
    """The source with other seeds."""
    return re.sub(r"\b(default_rng\(|seed=)(\d+)\b", lambda found: f"{found[1]}{int(found[2]) + shift}", source)


def claims_of(stem):
    """The file with the claims of a notebook."""
    return Path(__file__).with_name(f"claims_{stem[:2]}.py")


def failing(stem, namespace, *, as_stored=False):
    """The claims that are not true of what a notebook has left behind.

    A file of claims is a script that sees the variables of the notebook. It says ``claim[words] = holds``, or puts
    ``@claim(words)`` above a function that returns whether they hold. With ``as_stored`` it also looks at the
    explorers and figures, which show what the text says with the seeds of the notebook only.
    """
    claims = _Claims()
    path = claims_of(stem)
    exec(compile(path.read_text("utf-8"), path, "exec"), {**namespace, "claim": claims, "as_stored": as_stored})
    return [words for words, holds in claims.items() if not holds]


class _Claims(dict):
    """Whether claims hold, by their words."""

    def __call__(self, words):
        """Judge by what a function returns."""
        return lambda function: self.update({words: function()})


def about_cell(nodeid, words):
    """What a newcomer should know of a cell whose output is not the stored one; nothing of any other failure."""
    cell = re.fullmatch(r"(.*\.ipynb)::Cell (\d+)", nodeid)
    what = re.search(r"mismatch '([^']+)'", words)
    if not (cell and what):
        return None
    return (
        f"{cell[1]}, code cell {cell[2]} (counted from 0): on this machine ({machine()}) its output '{what[1]}' is "
        "not the one that the notebook has stored. The mathematics is tested apart: if `pytest tests` is green here, "
        "it is right, and a printed digit depends on the processor. Please report both outputs; they stand above."
    )


def machine():
    """The processor, and what computes on it."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    vectors = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]
    return f"{platform.machine()} with {', '.join(vectors) or 'no vector extensions'}, NumPy {np.__version__}"
