"""One update of a standard normal in each regime."""


def regimes() -> tuple[tuple[float, float], ...]:
    """Pairs (Δ, Δ'): towards the mean, past it, away from it."""
    return (1.5, 0.5), (1.0, -0.6), (1.0, 2.2)
