"""What nbval cannot see: in the kernel of each notebook, explorers and figures hold what the text says."""

import pytest
from running import NOTEBOOKS, claims_of
from testbook import testbook

WITH_CLAIMS = [path for path in NOTEBOOKS if not path.stem.startswith("00")]


@pytest.mark.parametrize("path", WITH_CLAIMS, ids=lambda path: path.stem)
def test_in_its_kernel_everything_is_in_place(path):
    """Each line is an assertion that the kernel runs."""
    with testbook(path, execute=True, timeout=120) as notebook:
        for line in claims_of(path).IN_KERNEL:
            notebook.inject(line)
