"""Pictures of a network at work: the film of its first layer, opinions of drawn weights, activity of hidden units."""

import numpy as np
import pytest
from looks import inside, overlapping_words

from bflo_viz import MLP, BeliefFlow, DiagonalBelief
from bflo_viz.figures import palette
from bflo_viz.figures.activity import draw_activity
from bflo_viz.figures.film import draw_film
from bflo_viz.figures.opinions import draw_opinions
from bflo_viz.figures.style import alt_text
from bflo_viz.scenes.network import Film
from bflo_viz.scenes.predictions import Opinions

MODEL = MLP((16, 6, 3))
STYLES = pytest.mark.parametrize("style", ["paper", "slides"])


def learned(rounds, rng=0):
    """A small network that has learned from pictures of 4 x 4 pixels whose first row is always dark."""
    rng = np.random.default_rng(rng)
    X, y = rng.random((rounds, 16)), rng.integers(0, 3, rounds)
    X[:, :4] = 0
    learner = BeliefFlow(DiagonalBelief(np.zeros(MODEL.size(16)), 0.5), MODEL, eta=0.5, non_expansive=True)
    learner.run(X, y, rng)
    return learner, X, y


@pytest.fixture
def film():
    """Three moments; the units that learned most in the end differ from those at first."""
    _, X, _ = learned(60)
    beliefs = {f"{rounds} rounds": learned(rounds)[0].belief for rounds in (2, 20, 60)}
    return Film.of(beliefs, MODEL, 0.5, 4, seen=X), beliefs


@pytest.fixture
def opinions():
    """Seven networks about three pictures."""
    learner, X, y = learned(30)
    return Opinions.of(learner, X[:3], y[:3], np.random.default_rng(1), 7)


@STYLES
def test_films_are_drawn_whole(film, style):
    """Both sheets, names of moments, words for who cannot see it; nothing outside of the figure."""
    figure = draw_film(film[0], style=style)
    sheets = [ax for ax in figure.axes if ax.get_images() and ax.get_title("left")]
    assert [ax.get_title("left") for ax in sheets] == ["Means, 0 in the prior", "Widths, 0.5 in the prior"]
    assert [label.get_text() for label in sheets[0].get_yticklabels()] == list(film[0].moments)
    assert "4 pixels were never on" in alt_text(figure)
    assert inside(figure)
    assert overlapping_words(figure) == []


@STYLES
def test_opinions_are_drawn_with_a_dot_on_each_vote(opinions, style):
    """Where the largest output is."""
    figure = draw_opinions(opinions, style=style)
    maps = figure.axes[3:6]
    for ax, outputs in zip(maps, opinions.outputs, strict=True):
        (dots,) = ax.get_lines()
        assert dots.get_xdata().tolist() == outputs.argmax(axis=1).tolist()
    assert "7 weights drawn" in alt_text(figure)
    assert inside(figure)
    assert overlapping_words(figure) == []


@STYLES
def test_activity_is_sorted_by_mean_and_counted(style):
    """Dark units left, bright ones right."""
    rng = np.random.default_rng(0)
    alive, dead = rng.random((30, 8)), np.tile(np.array([0.9, 0.1, 0.5]), (30, 1))
    figure = draw_activity({"alive": alive, "dead": dead}, style=style)
    shown = figure.axes[1].get_images()[0].get_array()
    assert shown[0].tolist() == [0.1, 0.5, 0.9]
    assert [ax.get_title("left") for ax in figure.axes[:2]] == [
        "alive\n0% of units constant",
        "dead\n100% of units constant",
    ]
    assert "alive, 0%; dead, 100%" in alt_text(figure)
    assert inside(figure)
    assert overlapping_words(figure) == []
    with pytest.raises(ValueError, match="at least one"):
        draw_activity({})


def test_colours_are_those_of_the_house(opinions):
    """Values that grow, and votes in the colour of what follows from the data."""
    figure = draw_opinions(opinions)
    assert figure.axes[3].get_images()[0].get_cmap().name == palette.GROWING
    assert figure.axes[3].get_lines()[0].get_color() == palette.POSTERIOR
