"""Protocols: frozen, named settings of an experiment, each read from a small TOML file."""

import dataclasses
import hashlib
import itertools
import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from bflo_viz import _checks as check
from bflo_viz._checks import naming
from bflo_viz.experiments.recipes import LearnerRecipe, StreamRecipe, own_code
from bflo_viz.models import MLP, Logistic

TITLES = {"demo": "Demonstration", "table1": "Table 1", "table2": "Table 2"}
_FOLDER = Path(__file__).parent / "protocols"


@dataclass(frozen=True)
class Trial:
    """One run of one learner on one stream: all that decides its outcome."""

    experiment: str
    stream: str
    learner: str
    noise: float
    run: int
    recipe: StreamRecipe
    settings: LearnerRecipe
    layers: tuple[int, ...]

    @cached_property
    def key(self) -> str:
        """Digest of all of the above: trials that do the same have the same key."""
        content = json.dumps(vars(self), default=lambda part: getattr(part, "__dict__", str(part)), sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:32]

    @property
    def model(self) -> Logistic | MLP:
        """Model to be learned."""
        return MLP(self.layers) if self.layers else Logistic()

    @property
    def data_name(self) -> str:
        """Name of the rows and their order: the same for every learner, so that learners can be compared."""
        return f"{self.experiment}/{self.stream}/run {self.run}"

    def __str__(self) -> str:
        return f"{self.stream} {self.learner} {100 * self.noise:g} % run {self.run}"


@dataclass(frozen=True)
class Option:
    """One way to settle a switch: what it changes, as a TOML file would say it."""

    text: str
    mark: str  # what the paper's text has to say of it
    every_stream: Mapping[str, Any] = field(default_factory=dict)  # whatever a stream says itself
    streams: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    learners: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def apply(self, protocol: "Protocol") -> "Protocol":
        """Change streams and learners; what it says of others is passed over."""
        changes = {name: {**self.every_stream, **self.streams.get(name, {})} for name in protocol.streams}
        return protocol.replace(
            streams={name: dataclasses.replace(one, **changes[name]) for name, one in protocol.streams.items()},
            learners={name: one.replace(**self.learners.get(name, {})) for name, one in protocol.learners.items()},
        )


@dataclass(frozen=True)
class Switch:
    """Something that can be settled in more than one way: first as the text is read, last as it was fitted."""

    help: str
    options: Mapping[str, Option]


@dataclass(frozen=True)
class Protocol:
    """Settings of an experiment; streams and learners are by the name that a table shows."""

    experiment: str
    name: str
    streams: Mapping[str, StreamRecipe]
    learners: Mapping[str, LearnerRecipe]
    extras: Mapping[str, LearnerRecipe] = field(default_factory=dict)  # learners that run only when asked for
    about: str = ""
    fitted: bool | str = False  # True if chosen so that the printed numbers come out; a text names the part that was
    runs: int = 10  # of each learner
    noise: tuple[float, ...] = (0.0,)  # shares of wrong labels
    layers: tuple[int, ...] = ()  # units of a network from input to output; none for logistic regression
    switches: Mapping[str, Switch] = field(default_factory=dict)  # what `with_switches` settles

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise", tuple(map(float, self.noise)))  # TOML has lists
        object.__setattr__(self, "layers", tuple(self.layers))
        check.positive_int("runs", self.runs)
        if not self.noise or not all(0 <= share <= 1 for share in self.noise):
            raise ValueError(f"noise must be shares from 0 to 1, but it was {list(self.noise)}.")

    @property
    def title(self) -> str:
        """Name of its table and its own, with what was fitted in brackets."""
        part = f"{self.fitted} " if isinstance(self.fitted, str) else ""
        fit = f" ({part}fitted to the printed numbers)" if self.fitted else ""
        return f"{TITLES[self.experiment]}, protocol {self.name}{fit}"

    def trials(self, runs: int | None = None) -> list[Trial]:
        """List every run by every combination of switches, each once, stream by stream: reading one takes longest."""
        plan: dict[tuple[str, StreamRecipe], dict[tuple[str, LearnerRecipe], None]] = {}
        for variant in self.variants().values():
            for stream in variant.streams.items():
                plan.setdefault(stream, {}).update(dict.fromkeys(variant.learners.items()))
        return [
            Trial(self.experiment, stream, learner, noise, run, recipe, settings, self.layers)
            for (stream, recipe), learners in plan.items()
            for run in range(runs or self.runs)
            for noise in self.noise
            for learner, settings in learners
        ]

    def variants(self) -> dict[tuple[str, ...], "Protocol"]:
        """Return the protocol by every combination of options of its switches; itself, if it has none."""
        every = itertools.product(*(switch.options for switch in self.switches.values()))
        return {names: self.with_switches(**dict(zip(self.switches, names, strict=True))) for names in every}

    def choice(self, **options: str) -> tuple[str, ...]:
        """Return a combination of options, by their names; the first of a switch, where none is named."""
        _pick("switch", options, self.switches)
        chosen = {name: options.get(name, next(iter(switch.options))) for name, switch in self.switches.items()}
        for name, option in chosen.items():
            _pick(f"option of {name}", [option], self.switches[name].options)
        return tuple(chosen.values())

    def with_switches(self, **options: str) -> "Protocol":
        """Settle its switches by the names of options; by the first, where none is named."""
        settled = self.replace(switches={})
        for switch, name in zip(self.switches.values(), self.choice(**options), strict=True):
            settled = switch.options[name].apply(settled)
        return settled

    def select(self, *, streams: Iterable[str] = (), learners: Iterable[str] = ()) -> "Protocol":
        """Keep some of the streams and learners; all, where none is named."""
        streams, learners = _pick("stream", streams, self.streams), _pick("learner", learners, self.learners)
        return self.replace(streams=streams or self.streams, learners=learners or self.learners)

    def with_extras(self, extras: Iterable[str]) -> "Protocol":
        """Add some of the extra learners."""
        return self.replace(learners={**self.learners, **_pick("extra learner", extras, self.extras)})

    def replace(self, **settings: Any) -> "Protocol":
        """Change settings, such as ``learners`` and ``name``."""
        return dataclasses.replace(self, **settings)


def names(experiment: str) -> list[str]:
    """Return the names of the protocols that an experiment comes with."""
    _pick("experiment", [experiment], TITLES)
    stems = [path.stem.partition("-")[2] for path in sorted(_FOLDER.glob(f"{experiment}-*.toml"))]
    return [stem for stem in stems if stem != "quick"]


def protocol_file(experiment: str, name: str) -> Path:
    """Return where a protocol is: one that comes with the experiment, or a TOML file of a user."""
    if name in (known := names(experiment)):
        return _FOLDER / f"{experiment}-{name}.toml"
    if name.endswith(".toml"):
        return Path(name)
    raise ValueError(f"there is no protocol {name!r}: choose from {', '.join(known)}, or give a TOML file.")


def load_protocol(experiment: str, name: str = "inferred", *, quick: bool = False) -> Protocol:
    """Read a protocol, and import code that it names: one that comes with the experiment, or the path of a TOML file.

    ``quick`` swaps its streams for small ones that need neither files nor a network, and does fewer runs.
    """
    path = protocol_file(experiment, name)
    with naming(f"protocol {name}", TypeError, AttributeError):
        content = {"about": "", "name": path.stem.removeprefix(f"{experiment}-"), **_content(experiment, path)}
        switches = {key: _switch(key, table, content) for key, table in content.pop("switches", {}).items()}
        if quick:
            small = _content(experiment, _FOLDER / f"{experiment}-quick.toml")
            words = {"name": f"{content['name']}-quick", "about": f"{small['about']} {content['about']}".strip()}
            content |= small | words
        common = {"streams": content.pop("every_stream", {})}
        made: dict[str, Any] = {
            group: {
                name: _recipe(f"{group}.{name}", common.get(group, {}) | table, path.resolve().parent)
                for name, table in content.pop(group, {}).items()
            }
            for group in ("streams", "learners", "extras")
        }
        if not made["streams"] or not made["learners"] or not all(switch.options for switch in switches.values()):
            raise ValueError("there must be a [streams.NAME], a [learners.NAME] and options of each switch.")
        protocol = Protocol(experiment, **made, **content, switches=switches)
        for trial in protocol.replace(learners={**protocol.learners, **protocol.extras}, noise=(0.0,)).trials(1):
            with naming(f"learners.{trial.learner}", TypeError, OverflowError):  # it can be made, if small
                trial.settings.build(2, MLP((2, 2, 2)) if isinstance(trial.model, MLP) else Logistic())
        return protocol


def _content(experiment: str, path: Path) -> dict[str, Any]:
    """Read what a file says on top of what it is based on."""
    with naming(f"{path} could not be read", OSError):
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))  # some editors put a mark before the text
    base = content.pop("base", None)
    return content if base is None else _merged(_content(experiment, protocol_file(experiment, str(base))), content)


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Put one table on top of another; ``name = false`` removes a table."""
    merged = {**below, **above}
    for key, table in below.items():
        if isinstance(table, dict) and isinstance(above.get(key), dict):
            merged[key] = _merged(table, above[key])
        elif isinstance(table, dict) and above.get(key) is False:
            del merged[key]
    return merged


def _switch(name: str, table: dict[str, Any], content: Mapping[str, Any]) -> Switch:
    with naming(f"switches.{name}", TypeError):
        options = {key: Option(**settings) for key, settings in table.pop("options", {}).items()}
        for option in options.values():
            _pick("stream", option.streams, content.get("streams", {}))
            _pick("learner", option.learners, content.get("learners", {}))
        return Switch(**table, options=options)


def _recipe(place: str, settings: dict[str, Any], folder: Path) -> StreamRecipe | LearnerRecipe:
    name = "load" if place.startswith("streams.") else "kind"
    with naming(place, TypeError, AttributeError):
        if name not in settings:
            raise ValueError(f'it has no {name}: give one, or begin the file with a line such as base = "inferred".')
        if ":" in (code := str(settings[name])):
            settings[name] = f"{code} {own_code(code, folder)[1]}"  # one that was edited is run anew
        return StreamRecipe(**settings) if name == "load" else LearnerRecipe(settings.pop(name)).replace(**settings)


def _pick(what: str, wanted: Iterable[str], known: Mapping[str, Any]) -> dict[str, Any]:
    """Look names up; the error for an unknown one lists those that there are."""
    for name in (wanted := list(wanted)):
        if name not in known:
            raise ValueError(f"there is no {what} {name!r}: there are {', '.join(known) or 'none'}.")
    return {name: known[name] for name in wanted}
