"""What nbval cannot see: in the kernel of a notebook, explorers and figures hold what the text says.

For one notebook of each kind of explorer that cells move; of the others, `test_claims` asks without a kernel.
"""

import pytest
from running import NOTEBOOKS, claims_of
from testbook import testbook

WITH_EXPLORERS = [path for path in NOTEBOOKS if path.stem[:2] in ("01", "02", "05")]


@pytest.mark.parametrize("path", WITH_EXPLORERS, ids=lambda path: path.stem)
def test_in_its_kernel_everything_is_in_place(path):
    """Each line is an assertion that the kernel runs."""
    with testbook(path, execute=True, timeout=120) as notebook:
        for line in claims_of(path).IN_KERNEL:
            notebook.inject(line)
