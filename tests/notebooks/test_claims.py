"""What the text of a notebook claims is true for other seeds, too; for its own, the kernel of nbval is asked."""

import nbformat
import pytest
from running import NOTEBOOKS, about_cell, claims_of, failing, namespace_of, shifted


@pytest.mark.slow
@pytest.mark.parametrize("shift", [1000, 2000, 3000])
@pytest.mark.parametrize("path", NOTEBOOKS[1:], ids=lambda path: path.stem)
def test_its_claims_are_true_for_other_seeds(path, shift, monkeypatch):
    """All of them, whatever the seeds."""
    monkeypatch.chdir(path.parent)
    assert failing(path.stem, namespace_of(path, shift)) == []


@pytest.mark.parametrize("path", NOTEBOOKS[1:], ids=lambda path: path.stem)
def test_every_lesson_makes_claims(path):
    """Or its kernel would be asked nothing."""
    assert claims_of(path.stem).CLAIMS and claims_of(path.stem).IN_KERNEL


@pytest.mark.parametrize("path", NOTEBOOKS[1:], ids=lambda path: path.stem)
def test_a_cell_that_is_not_compared_has_a_claim_instead(path):
    """The tag that spares a cell the comparison of its digits, and the claim that is asked in its place."""
    claims, cells = claims_of(path.stem), nbformat.read(path, as_version=4).cells
    stands_in = getattr(claims, "BY_CLAIM", {})
    tags = {cell.id: cell.metadata.get("tags", []) for cell in cells}
    assert {name for name, given in tags.items() if "nbval-ignore-output" in given} == set(stands_in)
    assert set(stands_in.values()) <= {words for words, _ in claims.CLAIMS}
    said = "".join(cell.source for cell in cells) + str(tags)
    assert "nbval-skip" not in said and "NBVAL_" not in said


def test_seeds_are_really_moved():
    """Or the first test would run one seed three times."""
    assert shifted("rng = np.random.default_rng(7); E(seed=0, rounds=2)", 1000) == (
        "rng = np.random.default_rng(1007); E(seed=1000, rounds=2)"
    )


def test_a_newcomer_is_told_what_a_cell_that_differs_means():
    """Which output, on which processor, and that the mathematics has tests of its own; of other failures nothing."""
    said = about_cell("notebooks/07_x.ipynb::Cell 9", "Traceback:\n mismatch 'text/plain'\n assert")
    assert said.startswith("notebooks/07_x.ipynb, code cell 9 (counted from 0): on this machine (")
    assert "'text/plain'" in said and "NumPy" in said and "`make maths`" in said
    assert about_cell("notebooks/07_x.ipynb::Cell 9", "NameError: x") is None
    assert about_cell("tests/test_flows.py::test_a", "mismatch 'text/plain'") is None
