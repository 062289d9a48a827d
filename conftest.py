"""Property tests that repeat themselves, and claims asked of the notebooks that nbval has run."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from nbval.plugin import IPyNbFile
from running import claims_of

TESTS = Path(__file__).parent / "tests"
EXAMPLES = os.environ.get("BFLO_EXAMPLES")  # as many for each property, and new ones each time
LONGEST = ("test_in_lab", "/07_", "test_views", "/06_", "/08_", "test_exercises", "/05_", "/09_")
settings.register_profile(
    "reproducible",
    deadline=None,
    derandomize=EXAMPLES is None,
    database=None,
    print_blob=True,
    max_examples=int(EXAMPLES or 120),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("reproducible")


class Claims(pytest.Item):
    """What the text of a notebook says, asked of the kernel in which nbval has just run its cells."""

    def runtest(self):
        """Let the kernel judge its own variables."""
        code = f"""if True:
            import sys
            sys.path[:0] = {[str(TESTS), str(TESTS / "lessons")]!r}
            from running import assert_claims
            assert_claims({str(self.path)!r}, globals(), as_stored=True)
        """
        reply = self.parent.kernel.kc.execute_interactive(code, store_history=False, timeout=120, output_hook=str)
        if reply["content"]["status"] != "ok":
            raise AssertionError("\n".join(reply["content"]["traceback"]))

    def repr_failure(self, excinfo):
        """The kernel's own words."""
        return f"The text of {self.path.name} claims what is not so:\n{excinfo.value}"

    def reportinfo(self):
        """Where a failure is told to be."""
        return self.path, 0, f"claims of {self.path.name}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Put the claims of each notebook behind its last cell, if all of its cells are run."""
    last = {item.parent: i for i, item in enumerate(items) if isinstance(item.parent, IPyNbFile)}
    for notebook, i in reversed(last.items()):
        cells = sum(cell.cell_type == "code" for cell in notebook.nb.cells)
        whole = cells == sum(item.parent is notebook for item in items)
        if whole and claims_of(notebook.path).exists():
            items.insert(i + 1, Claims.from_parent(notebook, name="claims"))
    # Files that take longest, and those that wait for a browser, begin first: no process is left alone with one.
    items.sort(
        key=lambda item: next((i for i, name in enumerate(LONGEST) if name in item.path.as_posix()), len(LONGEST))
    )


def pytest_terminal_summary(terminalreporter):
    """Say what did not run without a browser."""
    reasons = {str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", []) if report.longrepr}
    for reason in sorted(reasons):
        if "Chromium" in reason:
            terminalreporter.write_line(
                f"The browser tests did NOT run. {reason.removeprefix('Skipped: ')}", yellow=True
            )
