"""Protocols: frozen, named settings of an experiment, each read from a small TOML file."""

import contextlib
import hashlib
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from bflo_viz import _checks as check
from bflo_viz import _own_code as own_code
from bflo_viz.experiments.recipes import LearnerRecipe, StreamRecipe
from bflo_viz.models import MLP, Logistic

EXPERIMENTS = {
    "demo": "two weights, 40 % of the labels wrong (commented out in the paper's source)",
    "table1": "logistic regression on five streams, with and without wrong labels",
    "table2": "a network of 200 hidden units on digits with three backgrounds",
}
MOST = 1_000_000  # runs in all
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

    @property
    def key(self) -> str:
        """A digest of all of the above: trials that would do the same have the same."""
        said = asdict(self)
        for part in (said["recipe"], said["settings"]):
            if not part["source"]:  # nothing of one's own: all is said by the names
                del part["source"]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:32]

    @property
    def data_name(self) -> str:
        """The name of the rows and their order: the same for every learner, so that learners can be compared."""
        return f"{self.experiment}/{self.stream}/run {self.run}"

    def __str__(self) -> str:
        noise = f" {self.noise:.0%} noise" if self.noise else ""
        return f"{self.stream} {self.learner}{noise} run {self.run}"


@dataclass(frozen=True)
class Protocol:
    """How an experiment is done.

    Attributes
    ----------
    experiment, name
        Which experiment, and which way of doing it.
    about
        In a sentence or two.
    fitted
        Whether it was chosen so that the printed numbers come out.
    runs, noise
        How many runs of each; the shares of wrong labels.
    layers
        Units of a network from input to output; none for logistic regression.
    streams, learners, extras
        By the name that a table shows. Extras are learners that run only when asked for.
    folder
        Where the file of a protocol of your own is: the code that it names may be there.
    """

    experiment: str
    name: str
    about: str
    fitted: bool
    runs: int
    noise: tuple[float, ...]
    layers: tuple[int, ...]
    streams: Mapping[str, StreamRecipe]
    learners: Mapping[str, LearnerRecipe]
    extras: Mapping[str, LearnerRecipe]
    folder: Path | None = None

    def trials(self, runs: int | None = None) -> list[Trial]:
        """Every run of every learner; all of a stream follow one another, as loading it takes longest."""
        runs = self.runs if runs is None else check.positive_int("runs", runs)
        count = runs * len(self.streams) * len(self.noise) * len(self.learners)
        if count > MOST:
            raise ValueError(f"runs must be fewer: {runs:,} of each are {count:,} in all, more than {MOST:,}.")
        return [
            Trial(self.experiment, stream, learner, noise, run, recipe, settings, self.layers)
            for stream, recipe in self.streams.items()
            for run in range(runs)
            for noise in self.noise
            for learner, settings in self.learners.items()
        ]

    def only(self, *, streams: Iterable[str] = (), learners: Iterable[str] = ()) -> "Protocol":
        """Some of the streams and learners; all, where none is named."""
        return replace(
            self,
            streams={name: self.streams[name] for name in _chosen("stream", streams, self.streams)},
            learners={name: self.learners[name] for name in _chosen("learner", learners, self.learners)},
        )

    def changed(self, **settings: Any) -> "Protocol":
        """The same protocol with some settings replaced, such as ``learners`` and ``name``."""
        return replace(self, **settings)

    def extended(self, extras: Iterable[str]) -> "Protocol":
        """The same with some of the extra learners."""
        added = {name: self.extras[name] for name in _chosen("extra learner", extras, self.extras, none=())}
        return replace(self, learners={**self.learners, **added})

    @property
    def code(self) -> list[str]:
        """What it names as ``"module:name"``: its runs run that code, reading the protocol does not."""
        places = [(stream.load, stream.source) for stream in self.streams.values()]
        places += [(settings.kind, settings.source) for settings in self.learners.values()]
        return [place for place, source in dict.fromkeys(places) if source]

    def bring_code(self) -> None:
        """Import the code that it names, and see whether that is a learner or makes streams, with these settings."""
        if not self.code:
            return
        if self.folder is not None:
            own_code.make_importable(self.folder)
        with _told_of(f"protocol {self.name}"):
            for name, recipe in self.streams.items():
                with _told_of(f"stream {name}"):
                    recipe.bring_code()
            _check_learners({name: one for name, one in self.learners.items() if one.source}, self.layers)


def names(experiment: str) -> list[str]:
    """Names of the protocols that an experiment comes with."""
    found = [path.stem.partition("-")[2] for path in sorted(_FOLDER.glob(f"{_experiment(experiment)}-*.toml"))]
    return [name for name in found if name != "quick"]


def load_protocol(experiment: str, name: str = "inferred", *, quick: bool = False) -> Protocol:
    """Read a protocol: one that comes with the experiment, or the path of a TOML file.

    ``quick`` swaps its streams for small ones that need neither files nor a network, and does fewer runs. Code that
    the file names is found but not run: `run` does that.
    """
    said = _read(experiment, name)
    path = _place(experiment, name)
    folder = None if path.parent == _FOLDER else path.resolve().parent
    if quick:
        small = _file(_FOLDER / f"{experiment}-quick.toml")
        said = {**said, **small, "name": f"{said['name']}, quick", "about": f"{small['about']} {said['about']}"}
    with _told_of(f"protocol {name}"):
        return _protocol(experiment, said, folder)


def source(experiment: str, name: str) -> str:
    """The text of a protocol, to learn from and to copy."""
    return _text_of(_place(experiment, name))


def _experiment(name: str) -> str:
    if name in EXPERIMENTS:
        return name
    raise ValueError(f"there is no experiment {name!r}: {check.did_you_mean(name, EXPERIMENTS)}")


def _place(experiment: str, name: str) -> Path:
    own = _FOLDER / f"{_experiment(experiment)}-{name}.toml"
    if own.is_file() and name != "quick":
        return own
    if name.endswith(".toml"):
        return Path(name)
    raise ValueError(
        f"there is no protocol {name!r} of {experiment}: there are {', '.join(names(experiment))}, and your own TOML "
        "files by their path."
    )


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")  # some editors put a mark before the first letter
    except OSError as problem:
        raise ValueError(f"{path} could not be read: {problem.strerror}.") from None


def _file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_text_of(path))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise ValueError(f"{path} is not a TOML file: {problem}.") from None


def _read(experiment: str, name: str) -> dict[str, Any]:
    """What a file says, on top of what it is based on."""
    path = _place(experiment, name)
    said = _file(path)
    based_on = said.pop("base", None)
    if based_on is not None:
        if str(based_on) not in names(experiment):
            raise ValueError(f"protocol {name}: base must be one of {', '.join(names(experiment))}.")
        said = _merged(_read(experiment, str(based_on)), said)
    return {**said, "name": path.stem.removeprefix(f"{experiment}-")}


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """The one on top of the other; ``name = false`` takes a table away."""
    out = dict(below)
    for key, value in above.items():
        if isinstance(out.get(key), dict) and value is False:
            del out[key]
        elif isinstance(out.get(key), dict) and isinstance(value, dict):
            out[key] = _merged(out[key], value)
        else:
            out[key] = value
    return out


def _protocol(experiment: str, said: Mapping[str, Any], folder: Path | None) -> Protocol:
    known = {"name", "about", "fitted", "runs", "noise", "layers", "streams", "learners", "extras", "every_stream"}
    _refuse_others("", said, known)
    for table in ("streams", "learners", "extras", "every_stream"):
        if not isinstance(said.get(table, {}), dict) or (table == "streams" and not said.get(table)):
            raise ValueError(f"{table} must be a table, such as [{table}.NAME].")
    layers = tuple(check.positive_int("layers", size) for size in _list("layers", said.get("layers", [])))
    noise = tuple(check.scalar("noise", level, least=0.0) for level in _list("noise", said.get("noise", [0.0])))
    if not noise or max(noise) > 1 or len(set(noise)) < len(noise):
        raise ValueError("noise must be a list of different shares from 0 to 1.")
    if not said.get("learners"):
        raise ValueError("there must be a learner, such as [learners.NAME].")
    every = said.get("every_stream", {})
    protocol = Protocol(
        experiment=experiment,
        name=str(said["name"]),
        about=_text("about", said.get("about", "")),
        fitted=check.flag("fitted", said.get("fitted", False)),
        runs=check.positive_int("runs", said.get("runs", 10)),
        noise=noise,
        layers=layers,
        streams={name: _stream(name, every, one, folder) for name, one in said["streams"].items()},
        learners={name: _learner(f"learners.{name}", one, folder) for name, one in said["learners"].items()},
        extras={name: _learner(f"extras.{name}", one, folder) for name, one in said.get("extras", {}).items()},
        folder=folder,
    )
    every_learner = {**protocol.learners, **protocol.extras}
    _check_learners({name: one for name, one in every_learner.items() if not one.source}, layers)
    return protocol


def _check_learners(learners: Mapping[str, LearnerRecipe], layers: tuple[int, ...]) -> None:
    """See whether learners can be made with their settings."""
    for name, settings in learners.items():
        with _told_of(f"learner {name}"):
            settings.build(layers[0] if layers else 2, MLP(layers) if layers else Logistic())


@contextlib.contextmanager
def _told_of(place: str) -> Iterator[None]:
    """Say of which part of a protocol a sentence is."""
    try:
        yield
    except (ValueError, MemoryError) as problem:
        raise ValueError(f"{place}: {problem}") from None


def _stream(name: str, every: Mapping[str, Any], own: Any, folder: Path | None) -> StreamRecipe:
    known = {field.name for field in fields(StreamRecipe)} - {"source"}
    _refuse_others(f"streams.{name}.", own, known)
    said = {**every, **own}
    _refuse_others("every_stream.", said, known)
    if "load" not in said:
        raise ValueError(f"streams.{name} must say which stream to load.")
    steps = tuple(map(str, _list("steps", said.get("steps", []))))
    with _told_of(f"stream {name}"):
        return StreamRecipe(**{**said, "steps": steps}, folder=folder)


def _learner(place: str, said: Any, folder: Path | None) -> LearnerRecipe:
    if not isinstance(said, dict) or not isinstance(said.get("kind"), str):
        raise ValueError(f"{place} must be a table that says which kind of learner it is.")
    own = {key: said[key] for key in ("final", "final_noise") if key in said}
    options = {key: value for key, value in said.items() if key not in ("kind", *own)}
    with _told_of(place):
        return LearnerRecipe(said["kind"], options, **own, folder=folder)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a text, but it was {value!r}.")
    return value


def _list(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{name} must be a list, but it was {value!r}.")
    return value


def _refuse_others(place: str, said: Any, known: set[str]) -> None:
    if not isinstance(said, dict):
        raise ValueError(f"{place.rstrip('.')} must be a table.")
    for key in said:
        if key not in known:
            raise ValueError(f"{place}{key} means nothing here: {check.did_you_mean(key, sorted(known))}")


def _chosen(what: str, wanted: Iterable[str], there: Mapping[str, Any], none: Any = None) -> list[str]:
    wanted = list(wanted)
    for name in wanted:
        if name not in there:
            raise ValueError(f"there is no {what} {name!r}: {check.did_you_mean(name, there)}")
    return wanted or (list(there) if none is None else list(none))
