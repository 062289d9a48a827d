"""A small network that learns in the plane: what it says, and where networks drawn from its belief disagree."""

from typing import ClassVar

from traitlets import CFloat, List

from bflo_viz.explorers.base import Explorer
from bflo_viz.explorers.controls import choice, hidden, number, units, whole
from bflo_viz.streams.synthetic import TURNS

SPAN = 3.2  # of the inputs in sight
FIVE = [[-1.8, 1.4, 1], [1.2, 1.7, 0], [-1.2, -1.5, 0], [1.6, -1, 1], [0, 0.3, 0]]
DATA = {"moons": "moons", "circles": "circles", "xor": "xor", "spirals": "spirals", "points": "yours"}
LEARNERS = {"non-expansive": "flow, never wider", "flow": "flow", "SGD": "SGD", "dropout": "dropout"}
SPEEDS = {300: "300 a second", 1500: "1,500 a second", 12_000: "12,000 a second"}
RATES = {"circles": (0.4, 0.2), "spirals": (0.35, 0.2)}  # learned well at the other defaults: by flows, and by others


class NetworkExplorer(Explorer):
    """Let a small network learn two classes in the plane, by a belief flow and, if you like, beside another learner.

    ``hidden`` has the units of each of at most three hidden layers; ``points`` are those that are learned with
    ``data="points"``, each with its label. Every change keeps the random numbers, which are those of ``seed``.
    """

    view, title = "network", "What a network believes, and where it is unsure"
    constants: ClassVar = {
        **{"span": SPAN, "turns": TURNS, "five": FIVE},
        "rates": {data: RATES.get(data, (0.75, 0.2)) for data in DATA},
    }
    data = choice("moons", DATA, label="data", is_open=True)
    flip = number(0.0, 0, 0.5, step=0.01, unit=" %", label="wrong labels", about="Share of labels that are wrong.")
    learner = choice("non-expansive", LEARNERS, label="learner")
    rival = choice(
        "none", {"none": "nobody", **LEARNERS}, label="compare with", about="Who learns the same examples."
    )
    shows = choice("says", {"says": "says", "doubts": "doubts"}, label="map")
    noise = number(0.1, 0, 1, label="noise", about="Standard deviation added to each coordinate.")
    std = number(2.0, 0.1, 3, step=0.1, label="prior σ", about="Width of the prior, and of initial weights.")
    min_std = number(0.4, 0, 1, label="least σ", about="Floor of every width of a belief.")
    updates = whole(5, 1, 10, label="updates each", about="Updates on each example.")
    rate = number(1.0, 0.1, 3, step=0.1, label="rate, × usual", about="Learning rate, by the usual one.")
    drop = number(0.2, 0, 0.8, label="dropout rate")
    new_label = choice(1, {1: "violet ●", 0: "orange ■"}, label="new points")
    speed = choice(300, SPEEDS, label="speed")
    seed = whole(0, label="seed")
    round = whole(600, 0, 10_000_000, label="round")
    points = hidden(List(List(CFloat(min=-SPAN, max=SPAN), minlen=3, maxlen=3), FIVE, maxlen=100), FIVE, 3)
    hidden = units([8, 8], most=12, layers=3)
