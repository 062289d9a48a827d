"""Protocols: frozen, named settings of an experiment, each read from a small TOML file."""

import contextlib
import hashlib
import itertools
import json
import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from bflo_viz import _checks as check
from bflo_viz import _own_code as own_code
from bflo_viz._errors import UserError
from bflo_viz.experiments.recipes import LearnerRecipe, StreamRecipe
from bflo_viz.experiments.switches import Switch, read_switches
from bflo_viz.models import MLP, Logistic

EXPERIMENTS = {
    "demo": "two weights, 40 % of the labels wrong (commented out in the paper's source)",
    "table1": "logistic regression on five streams, with and without wrong labels",
    "table2": "a network of 200 hidden units on digits with three backgrounds",
}
TITLES = {"demo": "Demonstration", "table1": "Table 1", "table2": "Table 2"}
MOST_RUNS = 1_000_000
MOST_VARIANTS = 1_000
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

    @property
    def model(self) -> Logistic | MLP:
        """The model to be learned."""
        return MLP(self.layers) if self.layers else Logistic()

    @cached_property
    def key(self) -> str:
        """A digest of all of the above: trials that do the same have the same key."""
        content = asdict(self)
        for part in (content["recipe"], content["settings"]):
            if not part["source"]:  # no code of the user's: the names say all
                del part["source"]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]

    @property
    def data_name(self) -> str:
        """The name of the rows and their order: the same for every learner, so that learners can be compared."""
        return f"{self.experiment}/{self.stream}/run {self.run}"

    def __str__(self) -> str:
        noise = f" {self.noise:.0%} noise" if self.noise else ""
        return f"{self.stream} {self.learner}{noise} run {self.run}"


@dataclass(frozen=True)
class Protocol:
    """How an experiment is done; streams and learners are by the name that a table shows."""

    experiment: str
    name: str
    about: str
    fitted: bool  # whether it was chosen so that the printed numbers come out
    runs: int  # of each learner
    noise: tuple[float, ...]  # shares of wrong labels
    layers: tuple[int, ...]  # units of a network from input to output; none for logistic regression
    streams: Mapping[str, StreamRecipe]
    learners: Mapping[str, LearnerRecipe]
    extras: Mapping[str, LearnerRecipe]  # learners that run only when asked for
    folder: Path | None = None  # of the file of a protocol of your own: the code that it names may be there
    switches: Mapping[str, Switch] = field(default_factory=dict)  # what `chosen` settles

    @property
    def title(self) -> str:
        """Which table by which protocol; says so if that was fitted."""
        fitted = " (fitted to the printed numbers)" if self.fitted else ""
        return f"{TITLES[self.experiment]}, protocol {self.name}{fitted}"

    def trials(self, runs: int | None = None) -> list[Trial]:
        """Every run of every learner, by every setting of its switches; what settings share is there once.

        All runs of a stream follow one another, as loading it takes longest.
        """
        runs = self.runs if runs is None else check.positive_int("runs", runs)
        settings: dict[tuple[str, str], tuple[StreamRecipe, dict[tuple[str, str], LearnerRecipe]]] = {}
        for variant in self.variants().values():
            learners = {(name, repr(one)): one for name, one in variant.learners.items()}
            for name, recipe in variant.streams.items():
                settings.setdefault((name, repr(recipe)), (recipe, {}))[1].update(learners)
        count = runs * len(self.noise) * sum(len(learners) for _, learners in settings.values())
        if count > MOST_RUNS:
            raise ValueError(f"runs must be fewer: {runs:,} of each are {count:,} in all, more than {MOST_RUNS:,}.")
        return [
            Trial(self.experiment, stream, learner, noise, run, recipe, one, self.layers)
            for (stream, _), (recipe, learners) in settings.items()
            for run in range(runs)
            for noise in self.noise
            for (learner, _), one in learners.items()
        ]

    def variants(self) -> dict[tuple[str, ...], "Protocol"]:
        """The protocol by every combination of options of its switches; itself alone, if it has none."""
        every = itertools.product(*(switch.options for switch in self.switches.values()))
        return {names: self.chosen(**dict(zip(self.switches, names, strict=True))) for names in every}

    def chosen(self, **options: str) -> "Protocol":
        """The protocol with its switches settled by the names of options; by the first, where none is named."""
        for name in options:
            if name not in self.switches:
                raise ValueError(f"there is no switch {name!r}: {check.did_you_mean(name, self.switches)}")
        streams, learners = self.streams, self.learners
        for name, switch in self.switches.items():
            known = tuple(switch.options)
            option = check.choice(name, options.get(name, known[0]), known)
            streams, learners = switch.options[option].applied(streams, learners)
        return replace(self, streams=streams, learners=learners, switches={}) if self.switches else self

    def trial(self, stream: str, learner: str, noise: float, run: int) -> Trial:
        """One of its runs."""
        recipe, settings = self.streams[stream], self.learners[learner]
        return Trial(self.experiment, stream, learner, noise, run, recipe, settings, self.layers)

    def only(self, *, streams: Iterable[str] = (), learners: Iterable[str] = ()) -> "Protocol":
        """Some of the streams and learners; all, where none is named."""
        return replace(
            self,
            streams=_chosen("stream", streams, self.streams) or self.streams,
            learners=_chosen("learner", learners, self.learners) or self.learners,
        )

    def changed(self, **settings: Any) -> "Protocol":
        """The same protocol with some settings replaced, such as ``learners`` and ``name``."""
        return replace(self, **settings)

    def extended(self, extras: Iterable[str]) -> "Protocol":
        """The same with some of the extra learners."""
        return replace(self, learners={**self.learners, **_chosen("extra learner", extras, self.extras)})

    @property
    def code(self) -> list[str]:
        """What it names as ``"module:name"``: its runs run that code, reading the protocol does not."""
        places = [(stream.load, stream.source) for stream in self.streams.values()]
        places += [(settings.kind, settings.source) for settings in self.learners.values()]
        return [place for place, source in dict.fromkeys(places) if source]

    def bring_code(self) -> None:
        """Import the code that it names, and check that it is a learner or makes streams, with these settings."""
        if not self.code:
            return
        if self.folder is not None:
            own_code.make_importable(self.folder)
        with _naming(f"protocol {self.name}"):
            for name, recipe in self.streams.items():
                with _naming(f"stream {name}"):
                    recipe.bring_code()
            _check_learners({name: one for name, one in self.learners.items() if one.source}, self.layers)


def names(experiment: str) -> list[str]:
    """Names of the protocols that an experiment comes with."""
    if experiment not in EXPERIMENTS:
        raise ValueError(f"there is no experiment {experiment!r}: {check.did_you_mean(experiment, EXPERIMENTS)}")
    stems = [path.stem.partition("-")[2] for path in sorted(_FOLDER.glob(f"{experiment}-*.toml"))]
    return [stem for stem in stems if stem != "quick"]


def load_protocol(experiment: str, name: str = "inferred", *, quick: bool = False) -> Protocol:
    """Read a protocol: one that comes with the experiment, or the path of a TOML file.

    ``quick`` swaps its streams for small ones that need neither files nor a network, and does fewer runs. Code that
    the file names is found but not run: `run` does that.
    """
    path, content = _with_base(experiment, name)
    folder = None if path.parent == _FOLDER else path.resolve().parent
    with _naming(f"protocol {name}"):
        if not quick:
            return _protocol(experiment, content, folder)
        switches = _protocol(experiment, content, folder).switches if "switches" in content else {}
        small = tomllib.loads((_FOLDER / f"{experiment}-quick.toml").read_text(encoding="utf-8"))
        title, about = f"{content['name']}, quick", f"{small['about']} {content['about']}"
        content = {**content, **small, "name": title, "about": about, "switches": {}}
        return _protocol(experiment, content, folder).changed(switches=switches)


def source(experiment: str, name: str) -> str:
    """The text of a protocol, to learn from and to copy."""
    return _read(experiment, name)[1]


def _read(experiment: str, name: str) -> tuple[Path, str]:
    built_in = names(experiment)
    if name not in built_in and not name.endswith(".toml"):
        raise ValueError(
            f"there is no protocol {name!r} of {experiment}: there are {', '.join(built_in)}, and your own TOML "
            "files by their path."
        )
    path = _FOLDER / f"{experiment}-{name}.toml" if name in built_in else Path(name)
    try:
        return path, path.read_text(encoding="utf-8-sig")  # some editors put a mark before the first letter
    except (OSError, UnicodeDecodeError) as problem:
        why = getattr(problem, "strerror", None) or "it is not text"
        raise ValueError(f"{path} could not be read: {why}.") from None


def _with_base(experiment: str, name: str) -> tuple[Path, dict[str, Any]]:
    """The path of a file, and what it says on top of what it is based on."""
    path, text = _read(experiment, name)
    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise ValueError(f"{path} is not a TOML file: {problem}.") from None
    base = content.pop("base", None)
    if base is not None:
        if base not in names(experiment):
            raise ValueError(f"protocol {name}: base must be one of {', '.join(names(experiment))}.")
        content = _merged(_with_base(experiment, base)[1], content)
    return path, {**content, "name": path.stem.removeprefix(f"{experiment}-")}


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """One table on top of another; ``name = false`` removes a table."""
    merged = dict(below)
    for key, value in above.items():
        if isinstance(merged.get(key), dict) and value is False:
            del merged[key]
        elif isinstance(merged.get(key), dict) and isinstance(value, dict):
            merged[key] = _merged(merged[key], value)
        else:
            merged[key] = value
    return merged


def _protocol(experiment: str, content: Mapping[str, Any], folder: Path | None) -> Protocol:
    tables = {name: content.get(name, {}) for name in ("streams", "learners", "extras", "every_stream")}
    _check_keys("", content, {"name", "about", "fitted", "runs", "noise", "layers", "switches", *tables})
    for name, table in tables.items():
        if not isinstance(table, dict) or (name in ("streams", "learners") and not table):
            raise ValueError(f"{name} must be a table, such as [{name}.NAME].")
    noise = tuple(check.scalar("noise", share, least=0.0) for share in _list("noise", content.get("noise", [0.0])))
    if not noise or max(noise) > 1 or len(set(noise)) < len(noise):
        raise ValueError("noise must be a list of different shares from 0 to 1.")
    about = content.get("about", "")
    if not isinstance(about, str):
        raise ValueError(f"about must be a text, but it was {about!r}.")
    every = tables["every_stream"]
    protocol = Protocol(
        experiment=experiment,
        name=content["name"],
        about=about,
        fitted=check.flag("fitted", content.get("fitted", False)),
        runs=check.positive_int("runs", content.get("runs", 10)),
        noise=noise,
        layers=tuple(check.positive_int("layers", size) for size in _list("layers", content.get("layers", []))),
        streams={name: _stream(name, every, table, folder) for name, table in tables["streams"].items()},
        learners={name: _learner(f"learners.{name}", table, folder) for name, table in tables["learners"].items()},
        extras={name: _learner(f"extras.{name}", table, folder) for name, table in tables["extras"].items()},
        folder=folder,
    )
    every_learner = {**protocol.learners, **protocol.extras}
    _check_learners({name: one for name, one in every_learner.items() if not one.source}, protocol.layers)
    switches = read_switches(content.get("switches", {}), protocol.streams, protocol.learners)
    if math.prod(len(switch.options) for switch in switches.values()) > MOST_VARIANTS:
        raise ValueError(
            f"switches must have fewer options: they can be combined in more than {MOST_VARIANTS:,} ways."
        )
    for name, switch in switches.items():
        for option, settings in switch.options.items():
            with _naming(f"switches.{name}.options.{option}"):
                changed = settings.applied(protocol.streams, protocol.learners)[1]
                _check_learners(
                    {key: changed[key] for key in settings.learners if not changed[key].source}, protocol.layers
                )
    return protocol.changed(switches=switches)


def _check_learners(learners: Mapping[str, LearnerRecipe], layers: tuple[int, ...]) -> None:
    """Try whether learners can be made with their settings."""
    for name, recipe in learners.items():
        with _naming(f"learner {name}"):
            recipe.build(layers[0] if layers else 2, MLP(layers) if layers else Logistic())


@contextlib.contextmanager
def _naming(place: str) -> Iterator[None]:
    """Begin the sentence of an error with the part of a protocol that it is about."""
    try:
        yield
    except (ValueError, MemoryError) as problem:
        raise UserError(f"{place}: {problem}") from None


def _stream(name: str, every: Mapping[str, Any], own: Any, folder: Path | None) -> StreamRecipe:
    known = {field.name for field in fields(StreamRecipe)} - {"source"}
    _check_keys(f"streams.{name}.", own, known)
    _check_keys("every_stream.", every, known)
    settings = {**every, **own}
    if "load" not in settings:
        raise ValueError(f"streams.{name} must say which stream to load.")
    settings["steps"] = tuple(map(str, _list("steps", settings.get("steps", []))))
    with _naming(f"stream {name}"):
        return StreamRecipe(**settings, folder=folder)


def _learner(place: str, table: Any, folder: Path | None) -> LearnerRecipe:
    if not isinstance(table, dict) or not isinstance(table.get("kind"), str):
        raise ValueError(f"{place} must be a table that says which kind of learner it is.")
    options = dict(table)
    kind = options.pop("kind")
    test = {key: options.pop(key) for key in ("final", "final_noise") if key in options}
    with _naming(place):
        return LearnerRecipe(kind, options, **test, folder=folder)


def _list(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{name} must be a list, but it was {value!r}.")
    return value


def _check_keys(place: str, table: Any, known: set[str]) -> None:
    if not isinstance(table, dict):
        raise ValueError(f"{place.rstrip('.')} must be a table.")
    for key in table:
        if key not in known:
            raise ValueError(f"{place}{key} means nothing here: {check.did_you_mean(key, sorted(known))}")


def _chosen(what: str, wanted: Iterable[str], recipes: Mapping[str, Any]) -> dict[str, Any]:
    wanted = list(wanted)
    for name in wanted:
        if name not in recipes:
            raise ValueError(f"there is no {what} {name!r}: {check.did_you_mean(name, recipes)}")
    return {name: recipes[name] for name in wanted}
