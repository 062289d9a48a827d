"""The five explorers as these tests see them: what each has to press, to drag and to set."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Instrument:
    """One explorer: its name on the page, its class, and its parts.

    Attributes
    ----------
    controls
        For each control by its name: what to do with it (a value to choose, or None to press it), and the traits that
        Python must then have.
    handles
        For each point that can be dragged: what it moves to the right, and what upwards, as places in the state
        (``"w.0"`` is the first number of ``w``); None where the point does not go freely.
    traits
        For each trait a value to set from Python, other than the first.
    needs
        Traits to set before a control or a point is there.
    only_with_python
        Controls that a saved page cannot answer.
    rounds
        How many rounds there are to play, or at first to be seen; 0 if none.
    endless
        Whether it goes on beyond those.
    curves
        How many panels have curves over rounds, which can be scrubbed.
    """

    name: str
    made_by: str
    traits: dict[str, Any]
    controls: dict[str, tuple[Any, dict[str, Any]]]
    handles: dict[str, tuple[str, str] | None] = field(default_factory=dict)
    needs: dict[str, dict[str, Any]] = field(default_factory=dict)
    only_with_python: set[str] = field(default_factory=set)
    rounds: int = 0
    endless: bool = False
    curves: int = 0

    def __str__(self) -> str:
        return self.name


def _player(rounds: int) -> dict[str, Any]:
    """The controls that all players have; those that move are tested by themselves."""
    moving = dict.fromkeys(("play", "back", "step", "restart"), (None, {}))
    return {**moving, "round": (rounds // 2, {"round": rounds // 2}), "speed": (20, {"speed": 20})}


INSTRUMENTS = [
    Instrument(
        name="regime",
        made_by="RegimeExplorer",
        traits={"delta": -1.0, "delta_new": 2.0, "std": 2.0, "branch": -1, "non_expansive": True},
        controls={
            "delta": (-2.5, {"delta": -2.5}),
            "delta_new": (3.25, {"delta_new": 3.25}),
            "std": (0.5, {"std": 0.5}),
            "branch": ("−1: reflected", {"branch": -1}),
            "non_expansive": (True, {"non_expansive": True}),
            "preset-4": (None, {"std": 0.75, "delta": 0.75, "delta_new": -2.25}),
            "preset-2": (None, {"std": 0.75, "delta": 0.75, "delta_new": -0.75}),
            "preset2": (None, {"std": 0.75, "delta": 0.75, "delta_new": 2.25}),
            "preset4": (None, {"std": 0.75, "delta": 0.75, "delta_new": 3.75}),
        },
        handles={"point": ("delta", "delta_new"), "point-mean": ("delta", "delta_new")},
    ),
    Instrument(
        name="flow",
        made_by="FlowExplorer",
        traits={
            "mean": [0.5, -1.0],
            "axes": [2.0, 0.5],
            "angle": 30.0,
            "w": [-1.0, 0.5],
            "w_new": [2.0, 1.0],
            "rule": "exact",
            "non_expansive": True,
            "gradient_step": True,
            "loss": "valley",
            "optimum": [1.0, 0.5],
            "eta": 0.2,
        },
        controls={
            "axes.0": (2.5, {"axes": [2.5, 1.0]}),
            "axes.1": (0.3, {"axes": [1.0, 0.3]}),
            "angle": (-40, {"angle": -40}),
            "rule": ("exact in two dimensions", {"rule": "exact"}),
            "non_expansive": (True, {"non_expansive": True}),
            "gradient_step": (True, {"gradient_step": True}),
            "loss": ("tilted valley", {"loss": "tilted"}),
            "eta": (0.75, {"eta": 0.75}),
        },
        handles={
            "mean": ("mean.0", "mean.1"),
            "axis-0": None,
            "axis-1": None,
            "w": ("w.0", "w.1"),
            "w_new": ("w_new.0", "w_new.1"),
            "optimum": ("optimum.0", "optimum.1"),
        },
        needs={
            "rule": {"w": [3.0, 0.0]},
            "non_expansive": {"w": [0.5, 0.0], "w_new": [2.0, 1.0]},
            "loss": {"gradient_step": True},
            "eta": {"gradient_step": True},
            "optimum": {"gradient_step": True},
        },
    ),
    Instrument(
        name="pseudo",
        made_by="PseudoDatasetExplorer",
        traits={"flow": "full", "problem": "drifting", "eta": 0.6, "seed": 3, "round": 40, "speed": 30},
        controls={
            "flow": ("diagonal: a line a weight", {"flow": "diagonal"}),
            "problem": ("noisy labels: 15 % wrong", {"problem": "noisy labels"}),
            "eta": (0.5, {"eta": 0.5}),
            "seed": (4_000_000_000, {"seed": 4_000_000_000, "round": 0}),
            "new-seed": (None, {"seed": 1, "round": 0}),
            "reset": (None, {"seed": 0, "round": 0}),
            **_player(120),
        },
        needs={name: {"round": 30} for name in ("flow", "problem", "eta", "seed", "reset")},
        rounds=120,
        curves=1,
    ),
    Instrument(
        name="online",
        made_by="OnlineExplorer",
        traits={
            "eta": 0.05,
            "std": 0.5,
            "flip": 0.1,
            "drift": 10.0,
            "predict": "mean",
            "flows": ["diagonal"],
            "others": ["AROW"],
            "non_expansive": True,
            "seed": 2,
            "round": 1500,
            "speed": 200,
        },
        controls={
            "eta": (0.07, {"eta": 0.07}),
            "std": (2, {"std": 2}),
            "flip": (0.25, {"flip": 0.25}),
            "drift": (30, {"drift": 30}),
            "non_expansive": (True, {"non_expansive": True}),
            "flows.full": (False, {"flows": ["diagonal", "spherical"]}),
            "flows.diagonal": (False, {"flows": ["full", "spherical"]}),
            "flows.spherical": (False, {"flows": ["full", "diagonal"]}),
            "predict": ("by its mean", {"predict": "mean"}),
            "others.AROW": (True, {"others": ["AROW"]}),
            "others.Langevin": (True, {"others": ["Langevin"]}),
            "new-seed": (None, {"seed": 1}),
            "seed": (123, {"seed": 123}),
            **_player(2000),
        },
        rounds=2000,
        curves=3,
    ),
    Instrument(
        name="dynamics",
        made_by="DynamicsExplorer",
        traits={
            "surface": "double well",
            "flow": "spherical",
            "truth": "drawn",
            "eta": 0.2,
            "std": 0.8,
            "seed": 4,
            "round": 60,
            "speed": 30,
        },
        controls={
            "surface": ("ravine", {"surface": "ravine"}),
            "flow": ("diagonal", {"flow": "diagonal"}),
            "truth": ("drawn from the prior", {"truth": "drawn"}),
            "eta": (0.3, {"eta": 0.3}),
            "std": (2, {"std": 2}),
            "seed": (4294967295, {"seed": 4294967295}),
            "new-seed": (None, {"seed": 1}),
            **_player(150),
        },
        needs={name: {"round": 30} for name in ("seed", "new-seed", "eta", "flow")},
        rounds=150,
        endless=True,
    ),
]
