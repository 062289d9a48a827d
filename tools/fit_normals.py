"""Fit the polynomials of `normals.py` and report their accuracy.

Run ``python fit_normals.py`` to print the coefficients (highest power first,
as Horner's rule reads them) and the largest relative error of each fit after
rounding the coefficients to the working precision.  Needs mpmath; nothing at
run time depends on this script.
"""

from __future__ import annotations

from collections.abc import Callable

import mpmath as mp
import numpy as np

mp.mp.dps = 50

# With m in [sqrt(1/2), sqrt(2)) and s = (m - 1) / (m + 1), log(m) = 2 atanh(s);
# s^2 never exceeds this bound (a hair of margin covers float32 rounding).
LOG_END = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * (1 + mp.mpf(10) ** -6)


def log_ratio(y: mp.mpf) -> mp.mpf:
    """-2 log(m) / s as a function of y = s^2."""
    if y < mp.mpf(10) ** -30:
        return mp.mpf(-4)
    s = mp.sqrt(y)
    return -4 * mp.atanh(s) / s


def sine_ratio(y: mp.mpf) -> mp.mpf:
    """sin(pi x / 2) / x as a function of y = x^2."""
    if y < mp.mpf(10) ** -30:
        return mp.pi / 2
    x = mp.sqrt(y)
    return mp.sin(mp.pi * x / 2) / x


def fit(function: Callable, end: mp.mpf, terms: int, dtype: type) -> tuple[list[float], float]:
    """Near-minimax (Chebyshev) polynomial on [0, end], rounded to `dtype`."""
    fixed = [mp.mpf(float(dtype(float(c)))) for c in mp.chebyfit(function, [0, end], terms)]
    grid = [end * k / 2000 for k in range(2001)]
    error = max(abs(mp.polyval(fixed, y) / function(y) - 1) for y in grid)
    return [float(c) for c in fixed], float(error)


def main() -> None:
    # One term fewer costs accuracy that shows; one more gains nothing after rounding.
    for name, function, end, dtype, terms in (
        ("log", log_ratio, LOG_END, np.float32, 4),
        ("log", log_ratio, LOG_END, np.float64, 8),
        ("sine", sine_ratio, mp.mpf(1), np.float32, 5),
        ("sine", sine_ratio, mp.mpf(1), np.float64, 9),
    ):
        coefficients, error = fit(function, end, terms, dtype)
        print(f"{name} {dtype.__name__}, {terms} terms, max relative error {error:.2e}")
        print("   ", ", ".join(str(dtype(c)) for c in coefficients))


if __name__ == "__main__":
    main()
