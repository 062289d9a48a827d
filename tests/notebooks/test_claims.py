"""What the text of a notebook claims is true of what it shows, for its own seeds and for others."""

import os

import pytest
from running import NOTEBOOKS, claims_of, namespace_of, shifted

SHIFTS = [0, 1000, 2000, 3000] if os.environ.get("BFLO_SOAK") else [0, 1000]  # of the seeds; `make soak` has all
WITH_CLAIMS = [path for path in NOTEBOOKS if not path.stem.startswith("00")]


@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("path", WITH_CLAIMS, ids=lambda path: path.stem)
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
