"""Run the code of a notebook and its claims, with its own seeds or with others."""

import ast
import re
from pathlib import Path

import nbformat

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("[0-9][0-9]_*.ipynb"))


def cells_of(path, kind):
    """Return the cells of one kind, ``"code"`` or ``"markdown"``, of a notebook."""
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == kind]


def run_cell(source, namespace):
    """Run Python as a cell does and return the value of its last line, if that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), namespace)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace) if last else None


def namespace_of(path, shift=0):
    """Return the variables that a notebook leaves behind, every seed in it moved by ``shift``."""
    namespace = {"__name__": "__notebook__"}
    for cell in cells_of(path, "code"):
        run_cell(shifted(cell.source, shift), namespace)
    return namespace


def shifted(source, shift):
    """Return the source with other seeds."""
    return re.sub(r"\b(default_rng\(|seed=)(\d+)\b", lambda found: f"{found[1]}{int(found[2]) + shift}", source)


def claims_of(path):
    """Return the file with the claims of a notebook: plain asserts that see its variables."""
    return Path(__file__).with_name(f"claims_{Path(path).stem[:2]}.py")


def assert_claims(path, namespace, *, as_stored=False):
    """Run the claims of a notebook; those below ``if as_stored:`` hold for its own seeds only."""
    script = claims_of(path)
    exec(compile(script.read_text("utf-8"), script, "exec"), {**namespace, "as_stored": as_stored})
