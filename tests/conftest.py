"""Reproducible property tests: the same examples in every run, no database of past failures; and what tests tell."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "reproducible",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=120,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("reproducible")


def pytest_terminal_summary(terminalreporter):
    """Print what tests have measured (`record_property("says", ...)`), and what was not run for want of a browser."""
    for report in terminalreporter.stats.get("passed", []):
        for name, words in report.user_properties:
            if name == "says" and report.when == "call":
                terminalreporter.write_line(words)
    reasons = {str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", []) if report.longrepr}
    for reason in sorted(reasons):
        if "Chromium" in reason:
            terminalreporter.write_line(
                f"The browser tests did NOT run. {reason.removeprefix('Skipped: ')}", yellow=True
            )
