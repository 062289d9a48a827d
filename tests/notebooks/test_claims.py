"""What the text of a notebook claims is true of what it shows, for its own seeds and for others."""

import os

import pytest
from running import NOTEBOOKS, claims_of, namespace_of, shifted

LONG = ("06", "07", "08")  # a quarter of a minute each
# Of the seeds; `make soak` has all.
CASES = [
    pytest.param(path, shift, id=f"{path.stem}-{shift}")
    for path in NOTEBOOKS[1:]
    for shift in (0, 1000, 2000, 3000)
    if os.environ.get("BFLO_SOAK") or shift == 0 or (shift == 1000 and path.stem[:2] not in LONG)
]


@pytest.mark.parametrize(("path", "shift"), CASES)
def test_its_claims_are_true(path, shift, monkeypatch):
    """All of them, whatever the seeds; and for its own, explorers and figures hold what the text says."""
    monkeypatch.chdir(path.parent)
    namespace = namespace_of(path, shift)
    claims = claims_of(path)
    assert claims.CLAIMS
    assert [words for words, holds in claims.CLAIMS if not holds(namespace)] == []
    if not shift:
        exec("\n".join(claims.IN_KERNEL), namespace)


def test_seeds_are_really_moved():
    """Or the test above would run one seed four times."""
    assert shifted("rng = np.random.default_rng(7); E(seed=0, rounds=2)", 1000) == (
        "rng = np.random.default_rng(1007); E(seed=1000, rounds=2)"
    )
