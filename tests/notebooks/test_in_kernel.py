"""What nbval cannot see: in the kernel of a notebook, explorers and figures hold what the text says.

For those whose explorers are moved by cells; of the others (06 to 09), `test_claims` asks without a kernel.
"""

import pytest
from running import NOTEBOOKS, claims_of
from testbook import testbook

WITH_EXPLORERS = [path for path in NOTEBOOKS if path.stem[:2] in ("01", "02", "03", "04", "05")]


@pytest.mark.parametrize("path", WITH_EXPLORERS, ids=lambda path: path.stem)
def test_in_its_kernel_everything_is_in_place(path):
    """Each line is an assertion that the kernel runs."""
    with testbook(path, execute=True, timeout=120) as notebook:
        for line in claims_of(path).IN_KERNEL:
            notebook.inject(line)
