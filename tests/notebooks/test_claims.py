"""What the text of a notebook claims is true for other seeds, too; for its own, the kernel of nbval is asked."""

import nbformat
import pytest
from running import NOTEBOOKS, about_cell, claims_of, failing, namespace_of, shifted

lessons = pytest.mark.parametrize("path", NOTEBOOKS[1:], ids=lambda path: path.stem)

# What a network prints after some thousand steps in float32 is another digit on another processor. These cells of
# notebook 07 carry the tag `nbval-ignore-output`, and are held to the claim that their digits are there to show.
IN_07 = {
    "code-14": "2: after 100 digits means are hardly to be seen, later they are; widths go where strokes pass",
    "code-18": "2: weights to the outputs are sure long before those from pixels; most of them exactly so in the end",
    "code-21": "3: left they quarrel, right they agree",
    "code-25": "3: where networks disagree the vote is often wrong, where they agree seldom",
    "code-27": "3: early on the mean is better than the vote, and the vote than a drawn network; later not by much",
    "code-35": "4: in the small run SGD is first everywhere, and on RANDOM nobody gets far",
    "code-48": "6: long steps make about half of the units constant, short ones few, and with centred pixels none",
    "code-50": "6: long steps lead to more mistakes; centred, to fewer than short ones",
    "code-54": "6: long steps make most units of dropout's and BFLO's networks constant, short ones do not",
}


@pytest.mark.slow
@pytest.mark.parametrize("shift", [1000, 2000, 3000])
@lessons
def test_its_claims_are_true_for_other_seeds(path, shift, monkeypatch):
    monkeypatch.chdir(path.parent)
    assert failing(path.stem, namespace_of(path, shift)) == []


@lessons
def test_a_cell_that_is_not_compared_has_a_claim_instead(path):
    """The tag that spares a cell the comparison of its digits, and the claim that is asked in its place."""
    claims, cells = claims_of(path.stem).read_text("utf-8"), nbformat.read(path, as_version=4).cells
    instead = IN_07 if path.stem.startswith("07") else {}
    tags = {cell.id: cell.metadata.get("tags", []) for cell in cells}
    assert {name for name, given in tags.items() if "nbval-ignore-output" in given} == set(instead)
    assert all(f'"{words}"' in claims for words in instead.values())
    text = "".join(cell.source for cell in cells) + str(tags)
    assert "nbval-skip" not in text and "NBVAL_" not in text


def test_a_claim_that_is_not_true_is_named(monkeypatch, tmp_path):
    """In either form; and what is asked of the stored notebook alone is not asked of other seeds."""
    script = tmp_path / "claims.py"
    script.write_text(
        'claim["two"] = x == 2\nclaim["three"] = x == 3\n'
        '@claim("four")\ndef four():\n    return x == 4\n'
        "if as_stored:\n    assert x == 5\n"
    )
    monkeypatch.setattr("running.claims_of", lambda stem: script)
    assert failing("00", {"x": 2}) == ["three", "four"]
    with pytest.raises(AssertionError):
        failing("00", {"x": 2}, as_stored=True)


def test_seeds_are_really_moved():
    assert shifted("rng = np.random.default_rng(7); E(seed=0, rounds=2)", 1000) == (
        "rng = np.random.default_rng(1007); E(seed=1000, rounds=2)"
    )


def test_a_newcomer_is_told_what_a_cell_that_differs_means():
    """Which output, on which processor, and that the mathematics has tests of its own; of other failures nothing."""
    advice = about_cell("notebooks/07_x.ipynb::Cell 9", "Traceback:\n mismatch 'text/plain'\n assert")
    assert advice.startswith("notebooks/07_x.ipynb, code cell 9 (counted from 0): on this machine (")
    assert "'text/plain'" in advice and "NumPy" in advice and "`pytest tests`" in advice
    assert about_cell("notebooks/07_x.ipynb::Cell 9", "NameError: x") is None
    assert about_cell("tests/test_flows.py::test_a", "mismatch 'text/plain'") is None
