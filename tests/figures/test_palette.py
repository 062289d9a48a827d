"""The palette holds its series apart, for all eyes."""

import itertools

import numpy as np
import pytest

from bflo_viz.figures import palette

# Machado, Oliveira and Fernandes (2009): linear RGB as seen without one kind of cone (severity 1).
EYES = {
    "usual": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
GROUPS = {
    "learners": {name: series.color for name, series in {**palette.SERIES, "other": palette.OTHER}.items()},
    "others": {series.marker: series.color for series in (*palette.SERIES.values(), *palette.NEUTRAL)},
    "belief": {"prior": palette.PRIOR, "posterior": palette.POSTERIOR, "weight": palette.WEIGHT},
    "pseudo-points": {"added": palette.ADDED, "removed": palette.REMOVED, "path": palette.INK},
}


def lab(color, eye):
    """CIE L*a*b* of a colour as an eye sees it."""
    srgb = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.asarray(EYES[eye]) @ linear, 0, 1)
    to_xyz = np.array([[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]])
    xyz = to_xyz @ seen / np.array([0.9505, 1.0, 1.0888])
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("group", GROUPS)
def test_every_pair_of_series_is_apart(eye, group):
    """A difference of 2 can just be seen side by side; these are apart by at least 12."""
    for (one, a), (other, b) in itertools.combinations(GROUPS[group].items(), 2):
        assert np.linalg.norm(lab(a, eye) - lab(b, eye)) > 12, (one, other)


def test_colour_is_never_the_only_sign():
    for field in ("linestyle", "marker"):
        values = [str(getattr(series, field)) for series in palette.SERIES.values()]
        assert len(set(values)) == len(values)
