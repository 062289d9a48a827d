"""Run exercises and notebooks inside of the tests."""

import ast
import importlib
import platform
import re
from pathlib import Path

import nbformat
import numpy as np

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


def run_cell(source, namespace):
    """Run Python as a cell does: the value of its last line, if that is an expression, comes back."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), namespace)
    return None if last is None else eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace)


def answer_of(source, namespace):
    """A typical answer from its text: an expression, or definitions of which the last one is the answer."""
    value = run_cell(source, namespace)
    if value is not None:
        return value
    last = ast.parse(source).body[-1]
    return namespace[last.name if hasattr(last, "name") else last.targets[0].id]


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
    """The claims module of a notebook."""
    return importlib.import_module(f"claims_{stem[:2]}")


def failing(stem, namespace):
    """The claims that are not true of what a notebook has left behind."""
    return [words for words, holds in claims_of(stem).CLAIMS if not holds(namespace)]


def insist(stem, namespace):
    """All claims of a notebook are true, and its explorers and figures hold what the text says."""
    wrong = failing(stem, namespace)
    assert not wrong, wrong
    for line in claims_of(stem).IN_KERNEL:
        exec(line, namespace)


def about_cell(nodeid, words):
    """What a newcomer should know of a cell whose output is not the stored one; nothing of any other failure."""
    cell = re.fullmatch(r"(.*\.ipynb)::Cell (\d+)", nodeid)
    what = re.search(r"mismatch '([^']+)'", words)
    if not (cell and what):
        return None
    return (
        f"{cell[1]}, code cell {cell[2]} (counted from 0): on this machine ({machine()}) its output '{what[1]}' is "
        "not the one that the notebook has stored. The mathematics is tested apart: if `make maths` is green here, "
        "it is right, and a printed digit depends on the processor. Please report both outputs; they stand above."
    )


def machine():
    """The processor, and what computes on it."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    vectors = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]
    return f"{platform.machine()} with {', '.join(vectors) or 'no vector extensions'}, NumPy {np.__version__}"
