"""A small network that learns in the plane: what it says, and where networks drawn from its belief disagree."""

from typing import ClassVar

from bflo_viz.explorers.base import Explorer
from bflo_viz.explorers.controls import choice, number, units, whole
from bflo_viz.streams.synthetic import TURNS

SPAN = 3.2  # of the inputs in sight
DATA = ("moons", "circles", "xor", "spirals")
LEARNERS = {"non-expansive": "flow, never wider", "flow": "flow", "SGD": "SGD", "dropout": "dropout"}
SPEEDS = {300: "300", 1500: "1,500", 12_000: "12,000 rounds/s"}
RATES = {"circles": (0.4, 0.2), "spirals": (0.35, 0.2)}  # learned well at the other defaults: by flows, and by others


class NetworkExplorer(Explorer):
    """Let a small network learn two classes in the plane, by a belief flow and, if you like, beside another learner.

    ``hidden`` lists the units of each of at most three hidden layers. Every change keeps the random numbers, those of
    ``seed``.
    """

    view, title = "network", "What a network believes, and where it is unsure"
    constants: ClassVar = {
        "span": SPAN,
        "turns": TURNS,
        "rates": {data: RATES.get(data, (0.75, 0.2)) for data in DATA},
    }
    data = choice("moons", DATA, label="data")
    flip = number(0.0, 0, 0.5, step=0.01, unit=" %", label="wrong labels", about="Share of labels that are wrong.")
    learner = choice("non-expansive", LEARNERS, label="learner")
    rival = choice("none", {"none": "nobody", **LEARNERS}, label="compare with", about="Learns the same examples.")
    shows = choice("says", {"says": "says", "doubts": "doubts"}, label="map")
    noise = number(0.1, 0, 1, label="noise", about="Standard deviation added to each coordinate.")
    std = number(2.0, 0.1, 3, step=0.1, label="prior σ", about="Width of the prior, and of initial weights.")
    min_std = number(0.4, 0, 1, label="least σ", about="Floor of every width of a belief.")
    updates = whole(5, 1, 10, label="updates each", about="Updates on each example.")
    rate = number(1.0, 0.1, 3, step=0.1, label="rate, × usual", about="Learning rate, by the usual one.")
    drop = number(0.2, 0, 0.8, label="dropout rate")
    speed = choice(300, SPEEDS, label="speed")
    seed = whole(0, label="seed")
    round = whole(600, 0, 10_000_000, label="round")
    hidden = units([8, 8], most=12, layers=3)
