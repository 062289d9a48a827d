"""Print every exercise with what its check says of the solution, of the stub and of typical mistakes."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "notebooks"))

from running import answer_of, run_cell
from test_exercises import start

from bflo_viz.lessons import check
from bflo_viz.lessons.exercise import BOOK, KINDS

assert dir(check)
print(f"{'no.':<6}{'check':<28}{'kind':<24}{'solution':<10}{'stub':<10}mistakes with a hint of their own")
for number, exercise in sorted(BOOK.exercises.items()):
    solved = run_cell(exercise.solution, start(exercise)).right
    unfilled = run_cell(exercise.stub, start(exercise)).right
    hinted = {
        verdict.words
        for source, words in exercise.wrong
        if words in (verdict := exercise.check(answer_of(source, start(exercise)))).words and not verdict.right
    }
    print(
        f"{number:<6}{exercise.name:<28}{KINDS[exercise.kind]:<24}{'right' if solved else 'WRONG':<10}"
        f"{'ACCEPTED' if unfilled else 'not yet':<10}{len(hinted)} of {len(exercise.wrong)}"
    )
