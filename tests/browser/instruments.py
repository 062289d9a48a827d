"""The explorers as these tests see them: what each has to press, to drag and to set, read off its traits."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import bflo_viz

_PLAYER = ("play", "back", "step", "restart")  # what moves is tested by itself


@dataclass(frozen=True)
class Instrument:
    """One explorer: its name on the page, its class, and its parts.

    Attributes
    ----------
    buttons
        For each button of its own: the traits that Python has when it was pressed.
    values
        Values to set, for traits whose values depend on others.
    handles
        For each point that can be dragged: what it moves to the right, and what upwards, as places in the state
        (``"w.0"`` is the first number of ``w``); None where the point does not go freely.
    needs
        Traits to set before a control or a point is there, or does anything.
    curves
        How many panels have curves over rounds, which can be scrubbed.
    """

    name: str
    made_by: str
    buttons: dict[str, dict[str, Any]] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    handles: dict[str, tuple[str, str] | None] = field(default_factory=dict)
    needs: dict[str, dict[str, Any]] = field(default_factory=dict)
    curves: int = 0

    def __str__(self) -> str:
        return self.name

    @property
    def kind(self) -> Any:
        """Its class."""
        return getattr(bflo_viz, self.made_by)

    @property
    def rounds(self) -> int:
        """How many rounds there are to be seen at first; 0 if none."""
        return getattr(self.kind, "_rounds", 0)

    @cached_property
    def about(self) -> dict[str, Any]:
        """What its traits say of their controls."""
        return self.kind.about()["controls"]  # type: ignore[no-any-return]

    @cached_property
    def traits(self) -> dict[str, Any]:
        """For each trait a value to set, other than the first."""
        return {name: self.values.get(name, _other(name, one)) for name, one in self.about.items()}

    @cached_property
    def controls(self) -> dict[str, tuple[Any, dict[str, Any]]]:
        """For each control by its name: a value to choose, or None to press it, and the traits that follow."""
        found: dict[str, tuple[Any, dict[str, Any]]] = {name: (None, wanted) for name, wanted in self.buttons.items()}
        for name, one in self.about.items():
            value, first = self.traits[name], one["default"]
            if one["kind"] == "choice":
                found[name] = (dict(map(tuple, one["options"]))[value], {name: value})
            elif one["kind"] == "subset":
                members = [member for member, _ in one["options"]]
                for member in members:
                    wanted = [other for other in members if (other in first) != (other == member)]
                    found[f"{name}.{member}"] = (member not in first, {name: wanted})
            elif one["kind"] != "point":
                found[name] = (value, {name: value})
            elif isinstance(one["label"], list):
                for i in (0, 1):
                    found[f"{name}.{i}"] = (value[i], {name: [value[k] if k == i else first[k] for k in (0, 1)]})
        return found | (dict.fromkeys(_PLAYER, (None, {})) if self.rounds else {})


def _other(name: str, one: dict[str, Any]) -> Any:
    """A value that a trait can have, other than its first."""
    if name in ("seed", "round"):
        return {"seed": 4_000_000_000, "round": 60}[name]
    if one["kind"] in ("choice", "subset"):
        values = [value for value, _ in one["options"]]
        return values[:1] if one["kind"] == "subset" else values[-1]
    if one["kind"] == "flag":
        return not one["default"]
    low, high, step, digits = one["low"], one["high"], one["step"], one["digits"]
    near, far = (round(low + step * round(share * (high - low) / step), digits) for share in (0.4, 0.6))
    if one["kind"] == "point":
        return [near, far]
    return near if near != one["default"] else far


_NEW = {"new-seed": {"seed": 1}}
_TABLE1 = ["AROW", "SGD", "BLANG", "BFLO"]

INSTRUMENTS = [
    Instrument(
        name="regime",
        made_by="RegimeExplorer",
        buttons={f"preset{by}": {"std": 0.75, "delta": 0.75, "delta_new": 0.75 * (1 + by)} for by in (-4, -2, 2, 4)},
        handles={"point": ("delta", "delta_new"), "point-mean": ("delta", "delta_new")},
    ),
    Instrument(
        name="flow",
        made_by="FlowExplorer",
        handles={
            "mean": ("mean.0", "mean.1"),
            "axis-0": None,
            "axis-1": None,
            "w": ("w.0", "w.1"),
            "w_new": ("w_new.0", "w_new.1"),
            "optimum": ("optimum.0", "optimum.1"),
        },
        needs={name: {"gradient_step": True} for name in ("loss", "eta", "optimum")},
    ),
    Instrument(
        name="pseudo",
        made_by="PseudoDatasetExplorer",
        buttons={"new-seed": {"seed": 1, "round": 0}, "reset": {"seed": 0, "round": 0}},
        needs={name: {"round": 30} for name in ("flow", "problem", "eta", "seed", "reset")},
        curves=1,
    ),
    Instrument(name="online", made_by="OnlineExplorer", buttons=_NEW, curves=3),
    Instrument(
        name="dynamics",
        made_by="DynamicsExplorer",
        buttons=_NEW,
        needs={name: {"round": 30} for name in ("seed", "new-seed", "eta", "flow")},
    ),
    Instrument(
        name="results",
        made_by="ResultsExplorer",
        values={
            "experiment": "demo",
            "stream": "EEG",
            "noise": 0.2,
            "protocol": "printed",
            "learners": ["SGD", "BFLO"],
        },
        needs={
            "experiment": {"learners": ["SGD"]},
            "learners.diagonal": {"experiment": "demo"},
            "learners.DROPOUT": {"experiment": "table2"},
        },
    ),
]
