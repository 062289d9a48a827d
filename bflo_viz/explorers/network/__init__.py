"""A playground for networks that believe: data in the plane, a small network, what it says and where it doubts."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from bflo_viz.explorers.player import Player, computed
from bflo_viz.explorers.traits import Choice, Layers, Marks, Number, Point, Whole
from bflo_viz.scenes import playground as scenes
from bflo_viz.scenes.playground import DATA, LEARNERS, MOST_LAYERS, MOST_UNITS, SPAN, TITLES, PlaygroundScene
from bflo_viz.streams.synthetic import TURNS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 10_000_000  # rounds that can be played
STORED = 3000  # rounds that Python does of its own accord, for what a notebook stores
LONG = 20_000  # rounds from which Python says how long it will take
SPEEDS = {  # rounds a second
    1: "1 example a second",
    10: "10 a second",
    100: "100 a second",
    1000: "1,000 a second",
    12_000: "200 a frame",
    MOST: "as fast as it can",
}


class NetworkExplorer(Player):
    """Let a small network learn two classes in the plane, by a belief flow and, beside it, by another learner.

    The map says what the mean of the belief predicts; the other one where networks that are sampled from the belief
    disagree. ``hidden`` has the units of each hidden layer, ``learner`` and ``rival`` who learns; ``eta`` is what is
    usual for the data and the learner until it is set. Every change keeps the random numbers.

    The page computes for itself. Python computes the same when it is asked, step by step: some 0.2 ms for each update
    of each learner, so `scene` and `figure` of ten thousand rounds take seconds, and say so beforehand from twenty
    thousand on. What a notebook stores is never of more than the first 3,000 rounds.

    >>> explorer = NetworkExplorer(data="xor", hidden=[6], round=200, updates=1)
    >>> explorer.posterior["learner"].dim
    25
    """

    data = Choice("moons", options=DATA, label="shape", help="What is learned; of points, those that you set.")
    noise = Number(0.1, low=0, high=1, step=0.05, label="noise", help="Standard deviation added to each coordinate.")
    flip = Number(0.0, low=0, high=0.5, step=0.05, label="wrong labels", help="Share of the labels that are wrong.")
    points = Marks(
        [], low=-SPAN, high=SPAN, most=100, label="points", help="Points that are learned: x, y and label of each."
    )
    spot = Point([0.0, 0.0], low=-SPAN, high=SPAN, label="place", help="Where the next point is set.")
    adding = Choice(
        1, options={1: "label 1", 0: "label 0"}, label="set", help="The label of the points that you set."
    )
    hidden = Layers(
        [8, 8],
        high=MOST_UNITS,
        most=MOST_LAYERS,
        legend="Hidden units",
        label=[f"layer {layer + 1}" for layer in range(MOST_LAYERS)],
        help="Units of each hidden layer; one without units is no layer.",
    )
    learner = Choice("non-expansive", options=LEARNERS, label="learner", help="Who learns.")
    rival = Choice(
        "none", options={"none": "none", **LEARNERS}, label="beside it", help="Who learns from the same stream."
    )
    eta = Number(
        None,
        low=0.01,
        high=3,
        step=0.01,
        label="rate η",
        help="Learning rate of both; until it is set, what is usual for the data and the learner.",
    )
    std = Number(
        2.0,
        low=0.1,
        high=3,
        step=0.1,
        label="prior σ",
        help="Width of the prior, and of the weights where other learners begin.",
    )
    min_std = Number(0.4, low=0, high=1, step=0.05, label="least σ", help="Floor of every width of a belief.")
    updates = Whole(5, low=1, high=10, label="updates", help="Updates on each example.")
    drop = Number(0.2, low=0, high=0.8, step=0.05, label="left out", help="Share of hidden units dropout leaves out.")
    jitter = Number(
        0.01, low=0, high=0.1, step=0.005, label="jitter", help="Standard deviation of the noise of a Langevin step."
    )
    connection = Whole(
        0, high=361, label="connection", help="The weight that is told about, layer by layer; 0 is none."
    )
    round = Whole(1000, high=MOST, label="Round", help="How many examples are learned.")
    speed = Choice(12_000, options=SPEEDS, label="Speed", help="How fast it plays.")
    _view = Path(__file__).with_name("view.js")
    _title = "What a network believes, and where it is unsure"
    _help = (
        "Play: the network learns from one example after the other. The first map is what it says, the second where "
        "networks sampled from its belief disagree. Add a rival, wrong labels, or points of your own."
    )
    _panels: ClassVar = {
        **{name: (TITLES[name], "first input", "second input") for name in ("mean", "doubt")},
        "network": (TITLES["network"], "", ""),
        "mistakes": (TITLES["mistakes"], "round", "mistakes so far (%)"),
        "entropy": (TITLES["entropy"], "round", "entropy (nats a weight)"),
        "calibration": (TITLES["calibration"], "confidence", "share that is right"),
    }
    _rounds = 2000
    _settings = (
        *("data", "noise", "flip", "points", "hidden", "learner", "rival"),
        *("eta", "std", "updates", "min_std", "drop", "jitter"),
    )
    _run = staticmethod(scenes.learn_playground)
    _facts: ClassVar = {
        "rounds": _rounds,
        "span": SPAN,
        "grid": scenes.GRID,
        "networks": scenes.NETWORKS,
        "boundaries": scenes.BOUNDARIES,
        "shown": scenes.SHOWN,
        "tests": scenes.TESTS,
        "bins": scenes.BINS,
        "every": scenes.EVERY,
        "turns": TURNS,
        "most": scenes.MOST_DOUBT,
        "rates": scenes.RATES,
        "doubts": scenes.DOUBTS,
        "words": {
            "point": "Point at a connection, or choose one with the slider, and read what is known of it.",
            "empty": "There are no points yet: press on the first map, or move the ring with the arrow keys and "
            "press Enter.",
            "behind": "On the way to round {wanted}: {done} rounds are done.",
        },
    }

    def _whole(self, most: int = MOST) -> PlaygroundScene:
        """The run up to this round, but not beyond the ``most``-th; the last few are kept."""
        values = {name: getattr(self, name) for name in self._settings}
        values |= {"points": tuple(map(tuple, self.points)), "hidden": tuple(self.hidden)}
        scene: PlaygroundScene = computed(self._run, self.seed, min(self.round, most), **values)
        return scene

    @property
    def scene(self) -> PlaygroundScene:
        """What is learned by this round; a long run takes its time, and says how much."""
        if self.round > LONG:
            minutes = self.round * self.updates * (1 + (self.rival != "none")) * 0.0002 / 60
            warnings.warn(
                f"Python does {self.round:,} rounds step by step, in about {max(1, minutes):.0f} min: a lower "
                "round is quicker, and the page shows this one at once.",
                UserWarning,
                stacklevel=2,
            )
        return self._whole()

    def _belief_after(self, now: int) -> Any:
        """By role, the belief of a learner that has one."""
        tracks = zip(("learner", "rival"), (self._whole() if now else self._whole(0)).tracks, strict=False)
        return {role: track.belief for role, track in tracks if track.belief is not None}

    def __repr__(self) -> str:
        return f"{type(self).__name__}. {self._whole(STORED).words()}"

    def figure(self, *, style: str = "paper") -> "Figure":
        """The same state as a figure for print, with alt text."""
        from bflo_viz.figures.playground import draw_playground

        return draw_playground(self.scene, style=style)

    def _picture(self) -> "Figure":
        """The state, or that of round 3,000 if it is beyond: what a notebook stores must not take minutes."""
        from bflo_viz.figures.playground import draw_playground

        return draw_playground(self._whole(STORED))
