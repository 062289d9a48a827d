"""For instructors: notebooks with solutions and why they are right; and exercises tried out."""

import ast
import re
from typing import Any

from bflo_viz.lessons.exercise import Exercise, Verdict
from bflo_viz.lessons.exercises import BOOK

_FOLDED = re.compile(r"\A(?:<!-- )?The (?:answer to bet|verdict on claim) [\d. and]+:(?: -->)?\n")


def fill(notebook: Any, *, solved: bool) -> Any:
    """Write the cells of the exercises: stubs for students; for instructors the solutions, and why."""
    cells = []
    for cell in notebook.cells:
        name = cell.get("id", "")
        if name.endswith("-why"):
            continue  # this was an instructor's version: they are written anew
        cells.append(cell)
        if name.startswith("exercise-"):
            exercise = BOOK[name.removeprefix("exercise-").removesuffix("-asks").replace("-", ".")]
            if cell.cell_type == "markdown":
                cell.source = exercise.heading
            else:
                cell.source = exercise.solution if solved else exercise.stub
                cells += [_note(cell, f"{name}-why", explained(exercise))] if solved else []
    notebook.cells = cells
    return notebook


def fold(notebook: Any) -> None:
    """Fold what gives a bet away, which its metadata names: of code the output, of Markdown the text.

    JupyterLab shows the first line of what is folded. So a first line is put there that tells nothing.
    """
    for cell in notebook.cells:
        answers = cell.metadata.get("bflo", {}).get("answers")
        if not answers:
            continue
        is_verdict = all(number in BOOK and BOOK[number].kind == "claim" for number in answers)
        told = "verdict on claim" if is_verdict else "answer to bet"
        part, line = "outputs_hidden", f"The {told} {' and '.join(answers)}:\n"
        if cell.cell_type == "markdown":
            part, line = "source_hidden", f"<!-- {line.strip()} -->\n"
            cell.source = line + unfolded(cell.source)
        for output in cell.get("outputs", [])[:1]:
            data, form = (output, "text") if "text" in output else (output.get("data", {}), "text/plain")
            if form in data:
                data[form] = line + unfolded(data[form])
        cell.metadata["jupyter"] = type(cell)({**cell.metadata.get("jupyter", {}), part: True})


def unfolded(text: str) -> str:
    """A text without the first line that is shown of it while it is folded."""
    return _FOLDED.sub("", text)


def explained(exercise: Exercise) -> str:
    """Why the solution is right, and what students can ask for, in Markdown."""
    words = "\n".join(f"- {hint}" for hint in exercise.hints)
    return f"**Why.** {exercise.why}\n\n**Hints that students can ask for**\n\n{words}"


def _note(beside: Any, name: str, text: str) -> Any:
    """A cell of the same make as the one beside it, which slides show to the speaker alone."""
    node = type(beside)
    return node(cell_type="markdown", id=name, metadata=node(slideshow=node(slide_type="notes")), source=text)


def run_cell(source: str, namespace: dict[str, Any]) -> Any:
    """Run Python as a cell does: the value of its last line, if that is an expression, comes back."""
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr):
        return exec(compile(tree, "<cell>", "exec"), namespace)
    tree.body.pop()
    exec(compile(tree, "<cell>", "exec"), namespace)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace)


def before(exercise: Exercise) -> dict[str, Any]:
    """What the notebook provides before the cell of the exercise."""
    namespace: dict[str, Any] = {"__name__": "__notebook__"}
    run_cell(
        f"import numpy as np\nfrom bflo_viz import *\nfrom bflo_viz.lessons import bet, check\n{exercise.setup}",
        namespace,
    )
    return namespace


def verdict_of(exercise: Exercise, cell: str) -> Verdict:
    """What the cell of an exercise says when it is run, after what the notebook provides before it."""
    said = run_cell(cell, before(exercise))
    return said if isinstance(said, Verdict) else exercise.check(getattr(said, "answer", "") or None)  # of a bet


def judged(exercise: Exercise, source: str) -> Verdict:
    """What the check says of an answer from its text: an expression, or a definition of it."""
    namespace = before(exercise)
    answer = run_cell(source, namespace)
    if answer is None:
        last = ast.parse(source).body[-1]
        answer = namespace[getattr(last, "name", ast.unparse(last).partition(" =")[0])]  # of a function or a class
    return exercise.check(answer)
