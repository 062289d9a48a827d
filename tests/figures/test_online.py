"""The picture of one online run shows the round: boundaries, examples, and both curves with a cursor."""

import numpy as np
import pytest
from looks import inside, overlapping_words

from bflo_viz.figures import draw_online
from bflo_viz.scenes import learn_online
from bflo_viz.scenes.online import FLOWS


@pytest.mark.parametrize("style", ["paper", "slides"])
@pytest.mark.parametrize(
    ("now", "flows", "settings"),
    [(200, FLOWS, {}), (0, FLOWS, {}), (400, (), {}), (30, ("spherical",), {"drift": 45, "flip": 0.5})],
)
def test_the_figure_shows_the_round(now, flows, settings, style):
    """Boundaries lie across the mean weights, cursors stand at the round, the last sixty examples are there."""
    scene = learn_online(np.random.default_rng(0), rounds=400, **settings).at(now, ("SGD", *flows))
    figure = draw_online(scene, style=style)
    plane, error, entropy = figure.axes
    for name in scene.names:
        (boundary,) = (line for line in plane.lines if line.get_label() == name)
        for x, y in zip(*boundary.get_data(), strict=True):
            assert np.isnan(x) or scene.means[name][now] @ [x, y] == pytest.approx(0, abs=1e-9)
    assert sum(line.get_label() in FLOWS for line in plane.lines) == len(flows)
    for ax in (error, entropy):
        assert any(list(line.get_xdata()) == [now] * 2 for line in ax.lines)
    examples = [line for line in plane.lines if line.get_marker() in ("o", "s")]
    assert sum(len(line.get_xdata()) for line in examples) == min(60, now)
    assert inside(figure)
    assert not overlapping_words(figure)


def test_a_collapsed_belief_leaves_the_panel_at_its_foot():
    """An entropy of minus infinity does not rule the scale."""
    figure = draw_online(np.random.default_rng(0), rounds=4000, non_expansive=True, eta=0.1)
    assert np.isfinite(figure.axes[2].get_ylim()).all()
