"""What a protocol says of a stream and of a learner, and how either is made from it."""

import hashlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import InitVar, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz import _own_code as own_code
from bflo_viz import streams
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.learners import AROW, NHERD, SGD, BeliefFlow, Dropout, Kalman, Langevin, Learner
from bflo_viz.models import MLP, Logistic
from bflo_viz.streams import Stream, backgrounds, load_stream
from bflo_viz.streams.load import MADE, checked_name

SPLITS = ("order", "shuffled")
FINALS = ("mean", "sample")


def generator(name: str) -> np.random.Generator:
    """The generator of a name: the same on every machine, whatever ran before it."""
    return np.random.default_rng(int.from_bytes(hashlib.sha256(name.encode()).digest()[:16], "little"))


def _photographs(stream: Stream, rng: np.random.Generator) -> Stream:
    return backgrounds.on_photographs(stream, backgrounds.photographs()[0], rng)


_PLAIN_STEPS = ("balanced", "bias", "enlarge", "min_max", "to_unit", "z_score")
STEPS: dict[str, Callable[..., Stream]] = {name: getattr(streams, name) for name in _PLAIN_STEPS}
STEPS |= {"noise": streams.on_noise, "photographs": _photographs}
STEPS |= {"class_against": streams.one_vs_rest, "some": streams.subsample}  # as the keys of stored runs call them
_DRAWING = ("noise", "photographs", "some")  # these get a generator


@dataclass(frozen=True)
class StreamRecipe:
    """A stream, and what is done to it before a run."""

    load: str  # its name for `load_stream`, which may be "module:function" of your own
    steps: tuple[str, ...] = ()  # what is done to it, in order, each a name and its numbers: "to_unit -1 1"
    options: Mapping[str, Any] = field(default_factory=dict)  # for a stream that is made: rows and so on
    fresh: bool = False  # whether a stream that is made is drawn anew for each run
    share: float = 0.8  # the part to learn from; the rest is the test
    split: str = "order"  # by the order of the file, or "shuffled" before the split
    shuffle: bool = True  # the part to learn from in each run, where the split is by order
    source: str = ""  # digest of the file of your own function: one that was edited is another stream
    folder: InitVar[Path | None] = None  # where code of your own is, if it is not installed

    def __post_init__(self, folder: Path | None) -> None:
        object.__setattr__(self, "source", self.source or _source("stream", self.load, folder))
        check.choice("split", self.split, SPLITS)
        check.flag("shuffle", self.shuffle)
        check.flag("fresh", self.fresh)
        if not 0 < check.scalar("share", self.share) < 1:
            raise ValueError(f"share must be between 0 and 1, but it was {self.share:g}.")
        for step in self.steps:
            _step(step)
        if not isinstance(self.options, Mapping):
            raise ValueError(f"options must be a table, but it was {self.options!r}.")
        for name, value in self.options.items():
            if not isinstance(value, (str, int, float)):
                raise ValueError(f"options.{name} must be a number or a text, but it was {value!r}.")
        if not self.source:  # your own function is looked at when it is loaded
            checked_name(self.load)
            if self.fresh and self.load not in MADE:
                raise ValueError(f"fresh is for streams that are made, but {self.load} is read from a file.")

    def __hash__(self) -> int:
        return hash(repr(self))

    def bring_code(self) -> None:
        """Import a function of your own, and see whether it makes streams and has these options."""
        if self.source:
            own_code.load_code("stream", self.load, self.source)

    def loaded(self, name: str = "") -> Stream:
        """The stream as it is in its file, or as it is made; a fresh one by the generator of ``name``."""
        self.bring_code()
        rng = generator(name) if self.fresh else None
        if not self.source:
            return load_stream(self.load, rng=rng, **self.options)
        stream = own_code.load_code("stream", self.load)(rng or np.random.default_rng(0), **self.options)
        if not isinstance(stream, Stream):
            raise ValueError(f"{self.load} must return a Stream, but it returned a {type(stream).__name__}.")
        return stream

    def prepared(self, stream: Stream) -> Stream:
        """The stream with all steps done; what they draw is the same in every run."""
        for step in self.steps:
            stream = _step(step)(stream)
        return stream


def _source(what: str, place: Any, folder: Path | None) -> str:
    """Digest of the code that a recipe names, if it names any."""
    return own_code.source_digest(what, place, folder) if isinstance(place, str) and ":" in place else ""


def _step(text: str) -> Callable[[Stream], Stream]:
    name, *words = str(text).split() or [""]
    if name not in STEPS:
        raise ValueError(f"there is no step {name!r}: there are {', '.join(sorted(STEPS))}.")
    try:
        values: list[Any] = [int(word) if word.lstrip("+-").isdigit() else float(word) for word in words]
        values += [np.random.default_rng(0)] if name in _DRAWING else []
        inspect.signature(STEPS[name]).bind(None, *values)
    except (TypeError, ValueError):
        raise ValueError(f"the step {text!r} must be a name and its numbers, such as 'to_unit -1 1'.") from None
    return lambda stream: STEPS[name](stream, *values)


_BELIEFS: dict[str, Callable[..., Belief]] = {
    "diagonal": lambda dim, std: DiagonalBelief(np.zeros(dim), std),
    "spherical": lambda dim, std: SphericalBelief(np.zeros(dim), std),
    "full": lambda dim, std: FullBelief(np.zeros(dim), np.diag(np.full(dim, std * std))),
}
_LEARNERS = (AROW, NHERD, SGD, Langevin, Dropout, BeliefFlow, Kalman)
_KINDS: dict[str, type[Learner]] = {kind.__name__: kind for kind in _LEARNERS}


@dataclass(frozen=True)
class LearnerRecipe:
    """A learner with its settings, and how it predicts once it has learned."""

    kind: str  # a learner of this package, or "module:Class" of your own, called with the number of features
    options: Mapping[str, Any] = field(default_factory=dict)  # of a BeliefFlow also belief and std
    final: str = "mean"  # the test is predicted by the mean, or by a "sample" of the belief
    final_noise: float = 0.0  # standard deviation of noise that is added to the weights that predict the test
    source: str = ""  # digest of the file of your own class: one that was edited is another learner
    folder: InitVar[Path | None] = None  # where code of your own is, if it is not installed

    def __post_init__(self, folder: Path | None) -> None:
        object.__setattr__(self, "source", self.source or _source("learner", self.kind, folder))
        check.choice("final", self.final, FINALS)
        check.scalar("final_noise", self.final_noise, least=0.0)

    def changed(self, options: Mapping[str, Any] | None = None, **settings: Any) -> "LearnerRecipe":
        """The same recipe with some of the learner's options changed, and settings of the test such as ``final``."""
        return replace(self, options={**self.options, **(options or {})}, **settings)

    def build(self, features: int, model: Logistic | MLP, rows: int = 1) -> Learner:
        """Make the learner for so many features, and to learn from so many rows."""
        make, options = self._maker(), dict(self.options)
        parameters = inspect.signature(make).parameters
        allowed = {name for name in parameters if name not in ("features", "model", "local_flow")}
        if self.kind in ("BeliefFlow", "Kalman"):
            std = check.scalar("std", options.pop("std", 1.0), least=0.0)
            shape = check.choice("belief", options.pop("belief", "diagonal"), tuple(_BELIEFS))
            options["belief"] = _BELIEFS[shape](model.size(features), std)
            allowed |= {"std"}
        if "data_size" in parameters and not {"data_size", "noise"} & set(options):
            options["data_size"] = rows
        wrong = [name for name in options if name not in allowed]
        if wrong and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
            raise ValueError(f"{self.kind} has no setting {wrong[0]!r}: it has {', '.join(sorted(allowed))}.")
        if "features" in parameters:
            options["features"] = features
        if "model" in parameters:
            options["model"] = model
        elif isinstance(model, MLP):
            raise ValueError(f"{self.kind} cannot learn a network: it is for logistic regression.")
        try:
            return make(**options)
        except (ValueError, MemoryError):
            raise
        except (Exception, SystemExit) as problem:  # whatever a learner of somebody else may do
            raise ValueError(f"{self.kind} could not be made: {own_code.in_words(problem)}.") from None

    def _maker(self) -> type[Learner]:
        if self.kind in _KINDS:
            return _KINDS[self.kind]
        if not self.source:
            raise ValueError(f"there is no learner {self.kind!r}: there are {', '.join(_KINDS)}, and 'module:Class'.")
        kind = own_code.load_code("learner", self.kind, self.source)
        # It is checked before it is called, as a protocol may name anything.
        if not isinstance(kind, type) or not issubclass(kind, Learner) or inspect.isabstract(kind):
            raise ValueError(f"{self.kind} must be a class that is a Learner of bflo_viz, with all that one needs.")
        return kind
