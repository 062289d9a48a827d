"""The regime explorer's Python side: its beliefs, its words and its figure for print."""

import numpy as np
import pytest
from looks import inside, overlapping_words

from bflo_viz import DiagonalBelief, Regime, RegimeExplorer
from bflo_viz.figures.style import alt_text


def test_beliefs_are_those_of_the_package():
    """Prior and posterior for every option."""
    explorer = RegimeExplorer(delta=1.0, delta_new=2.5, std=0.5)
    assert explorer.belief.std == [0.5]
    for branch in (1, -1):
        for non_expansive in (False, True):
            explorer.branch, explorer.non_expansive = branch, non_expansive
            wanted = DiagonalBelief([0.0], [0.5]).flow([1.0], [2.5], branch=branch, non_expansive=non_expansive)
            assert explorer.posterior.mean == wanted.mean
            assert explorer.posterior.std == wanted.std
    explorer.branch = 1
    assert explorer.regime is Regime.EXPANDING
    explorer.branch = -1  # turned over first, the weight is at -1: on the way to 2.5 it crosses the mean
    assert explorer.regime is Regime.CROSSING
    assert explorer.posterior.std < explorer.belief.std


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"std": 0.6, "delta": 4, "delta_new": -4},
        {"delta": 0, "delta_new": 0},
        {"branch": -1, "non_expansive": True, "delta_new": 4},
    ],
)
def test_the_figure_shows_the_state(state):
    """The ring lies at the point on both maps; the alt text tells the numbers."""
    explorer = RegimeExplorer(**state)
    figure = explorer.figure()
    maps = figure.axes[:2]
    for ax in maps:
        ring = next(line for line in ax.lines if line.get_label() == "here")
        assert np.allclose(np.ravel(ring.get_data()) * explorer.std, [explorer.delta, explorer.delta_new])
    taken = next(line for line in figure.axes[3].lines if line.get_label() == "taken")
    assert np.isclose(abs(taken.get_xdata()[0]), explorer.posterior.std[0] / explorer.std)
    assert inside(figure)
    # The box around the word on the diagonal is larger than the word, which is turned.
    assert not [pair for pair in overlapping_words(figure) if "Δ′ = Δ" not in pair]
    assert "Two maps" in alt_text(figure)


def test_what_a_notebook_stores_shows_the_state_too():
    """The small picture has the same point, the same beliefs, and words for both."""
    explorer = RegimeExplorer(delta=1.0, delta_new=2.0, std=2.0)
    figure = explorer._picture()
    ring = next(line for line in figure.axes[0].lines if line.get_label() == "here")
    assert np.allclose(np.ravel(ring.get_data()), [0.5, 1.0])
    assert figure.axes[1].get_title(loc="left").startswith("Expanding")
    assert "from 0.50 to 1.00 (expanding)" in alt_text(figure)
    assert inside(figure)
    assert not overlapping_words(figure)
