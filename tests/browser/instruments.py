"""The explorers as these tests see them: what each has to press, to drag and to set, read off its traits."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import bflo_viz
from bflo_viz.scenes.votes import digit_beliefs


@dataclass(frozen=True)
class Instrument:
    """One explorer and its parts.

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

    kind: Any
    buttons: dict[str, dict[str, Any]] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    handles: dict[str, tuple[str, str] | None] = field(default_factory=dict)
    needs: dict[str, dict[str, Any]] = field(default_factory=dict)
    curves: int = 0

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """Its name on a page."""
        return self.kind._view.parent.name  # type: ignore[no-any-return]

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
        return {name: self.values.get(name, _other(name, **about)) for name, about in self.about.items()}

    @cached_property
    def controls(self) -> dict[str, tuple[Any, dict[str, Any]]]:
        """For each control by its name: a value to choose, or None to press it, and the traits that follow."""
        all_: dict[str, tuple[Any, dict[str, Any]]] = {name: (None, wanted) for name, wanted in self.buttons.items()}
        for name, about in self.about.items():
            value, first = self.traits[name], about["default"]
            if about["kind"] == "choice":
                all_[name] = (dict(map(tuple, about["options"]))[value], {name: value})
            elif about["kind"] == "subset":
                members = [member for member, _ in about["options"]]
                for member in members:
                    wanted = [other for other in members if (other in first) != (other == member)]
                    all_[f"{name}.{member}"] = (member not in first, {name: wanted})
            elif about["kind"] == "text":
                continue  # it is drawn by hand
            elif about["kind"] == "layers":
                for layer in range(about["most"]):
                    all_[f"{name}.{layer}"] = (5, {name: [*first[:layer], 5, *first[layer + 1 :]]})
            elif about["kind"] not in ("point", "marks"):
                all_[name] = (value, {name: value})
            elif isinstance(about["label"], list):
                all_[f"{name}.0"] = (value[0], {name: [value[0], first[1]]})
                all_[f"{name}.1"] = (value[1], {name: [first[0], value[1]]})
        # Its player is tested by itself.
        return all_ | (dict.fromkeys(("play", "back", "step", "restart"), (None, {})) if self.rounds else {})


def _other(name: str, kind: str, default: Any, **about: Any) -> Any:
    """A value that a trait can have, other than its first."""
    if name in ("seed", "round"):
        return {"seed": 4_000_000_000, "round": 60}[name]
    if kind in ("choice", "subset"):
        values = [value for value, _ in about["options"]]
        return values[:1] if kind == "subset" else values[-1]
    if kind == "flag":
        return not default
    if kind == "digits":
        return about["symbols"][:2]
    if kind == "text":
        return ""
    low, high, step, digits = (about[part] for part in ("low", "high", "step", "digits"))
    near, far = (round(low + step * round(share * (high - low) / step), digits) for share in (0.4, 0.6))
    return [near, far] if kind == "point" else near if near != default else far


_NEW = {"new-seed": {"seed": 1}}
INSTRUMENTS = [
    Instrument(
        bflo_viz.NetworkExplorer,
        buttons={
            **_NEW,
            "usual": {"eta": None, "updates": 5, "std": 2, "min_std": 0.4},
            "add-point": {"points": [[0.0, 0.0, 1]]},
            "clear-points": {"points": []},
        },
        values={
            "learner": "flow",
            "rival": "SGD",
            "connection": 20,
            "hidden": [3, 5],
            "points": [[1.0, -2.0, 0], [-0.5, 0.25, 1]],
        },
        handles={"spot": ("spot.0", "spot.1")},
        needs={
            **{name: {"data": "points"} for name in ("spot", "add-point", "clear-points", "adding")},
            "drop": {"rival": "dropout"},
            "jitter": {"rival": "Langevin"},
        },
        curves=2,
    ),
    Instrument(bflo_viz.OnlineExplorer, buttons=_NEW, curves=3),
    Instrument(
        bflo_viz.DynamicsExplorer,
        buttons=_NEW,
        needs={name: {"round": 30} for name in ("seed", "new-seed", "eta", "flow")},
    ),
    Instrument(
        bflo_viz.DigitExplorer,
        buttons=_NEW
        | {"clear": {"sketch": ""}, "erase": {}}
        | {f"example-{one['name']}": {"sketch": one["sketch"]} for one in digit_beliefs().examples},
        values={"sketch": "..1ff000.1ff000.7000.e000.1c000.38000.70000"},
    ),
]
PARTS = {one.name: one for one in INSTRUMENTS}
