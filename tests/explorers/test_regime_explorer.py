"""The regime explorer's Python side: its beliefs, its words and its pictures."""

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


def test_words_and_pictures_are_those_of_the_scene():
    """What a notebook stores is small, and says the same."""
    explorer = RegimeExplorer(delta=1.0, delta_new=2.0, std=2.0)
    assert repr(explorer) == f"RegimeExplorer. {explorer.scene.words()}"
    assert "from 1.00 to 2.00 (expanding)" in repr(explorer)
    assert alt_text(explorer.figure()) == alt_text(explorer._picture()) == explorer.scene.words()
    assert len(explorer._picture().axes) == 2 < len(explorer.figure(style="slides").axes)
