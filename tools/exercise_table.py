"""Print every exercise with what its check says of the solution, of the stub and of typical mistakes."""

import os
import tempfile

from bflo_viz._places import JOURNAL_VARIABLE
from bflo_viz.lessons.exercise import KINDS
from bflo_viz.lessons.exercises import BOOK
from bflo_viz.lessons.instructor import judged, verdict_of

os.environ[JOURNAL_VARIABLE] = os.path.join(tempfile.mkdtemp(), "journal.jsonl")  # these are nobody's answers
print(f"{'no.':<6}{'check':<28}{'kind':<24}{'solution':<10}{'stub':<10}mistakes with a hint of their own")
for number, exercise in BOOK.items():
    unfilled, solved = (verdict_of(exercise, cell).right for cell in (exercise.stub, exercise.solution))
    verdicts = [(judged(exercise, source), words) for source, words in exercise.wrong]
    hints = {verdict.words for verdict, words in verdicts if words in verdict.words and not verdict.right}
    print(
        f"{number:<6}{exercise.name:<28}{KINDS[exercise.kind]:<24}{'right' if solved is not False else 'WRONG':<10}"
        f"{'ACCEPTED' if unfilled else 'not yet':<10}{len(hints)} of {len(exercise.wrong)}"
    )
