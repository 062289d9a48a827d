"""Reproducible property tests: the same examples in every run, and no database of past failures."""

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
