"""Recipes of streams and learners: what a protocol says of each, and how each is made from it."""

import hashlib
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz import learners, streams
from bflo_viz.beliefs import DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.models import MLP, Logistic
from bflo_viz.streams import Stream
from bflo_viz.streams.load import checked_name

LEARNERS = ("AROW", "NHERD", "SGD", "Langevin", "Kalman", "Dropout", "BeliefFlow", "module:Class")
BELIEFS = {"diagonal": DiagonalBelief, "spherical": SphericalBelief, "full": FullBelief}
_PLAIN_STEPS = ("balanced", "bias", "enlarge", "min_max", "one_vs_rest", "subsample", "to_unit", "z_score")
STEPS: dict[str, Callable[..., Stream]] = {
    **{name: getattr(streams, name) for name in _PLAIN_STEPS},
    "noise": streams.on_noise,
    "photographs": lambda stream, rng: streams.on_photographs(stream, streams.photographs()[0], rng),
}


def generator(name: str) -> np.random.Generator:
    """Return the generator of a name: the same on every machine, whatever ran before it."""
    return np.random.default_rng(int.from_bytes(hashlib.sha256(name.encode()).digest()[:16], "little"))


def one_line(problem: BaseException) -> str:
    """Say in one line what went wrong; an error that was not written for readers has its type in front."""
    text = " ".join(str(problem).split())[:300]
    is_worded = isinstance(problem, (ValueError, ArithmeticError, OSError)) and text
    return text if is_worded else f"{type(problem).__name__}: {text}".removesuffix(": ")


def own_code(place: str, folder: Path | None = None) -> tuple[Any, str]:
    """Import a ``"module:name"`` of a user, installed or in a folder; return it with a digest of its file."""
    module, _, name = place.split()[0].partition(":")
    if folder is not None and str(folder) not in sys.path:
        sys.path.append(str(folder))
    try:
        found = import_module(module)
        return getattr(found, name), hashlib.sha256(Path(str(found.__file__)).read_bytes()).hexdigest()[:16]
    except (Exception, SystemExit) as problem:  # the code of a user may raise anything
        raise ValueError(f"{place!r} could not be loaded: {one_line(problem).rstrip('.')}.") from None


def step(text: str) -> Callable[[Stream], Stream]:
    """Return the step that a text such as ``"to_unit -1 1"`` names; what it draws is the same in every run."""
    name, *words = text.split()
    check.choice("a step", name, tuple(STEPS))
    values: list[Any] = [int(word) if word.lstrip("+-").isdigit() else float(word) for word in words]
    asked = inspect.signature(STEPS[name])
    values += [np.random.default_rng(0)] if "rng" in asked.parameters else []
    asked.bind(None, *values)
    return lambda stream: STEPS[name](stream, *values)


@dataclass(frozen=True)
class StreamRecipe:
    """A stream, and what is done to it before a run."""

    load: str  # its name for `load_stream`, or "module:function DIGEST" of a user
    steps: tuple[str, ...] = ()  # what is done to it, in order, each a name and its numbers: "to_unit -1 1"
    options: Mapping[str, Any] = field(default_factory=dict)  # of a synthetic stream: rows and so on
    fresh: bool = False  # True if a synthetic stream is drawn anew for each run
    share: float = 0.8  # the part to learn from; the rest is the test
    split: str = "order"  # by the order of the file, or "shuffled" before the split
    shuffle: bool = True  # of the part to learn from in each run, where the split is by order

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(self.steps))  # TOML has lists
        check.choice("split", self.split, ("order", "shuffled"))
        if not 0 < self.share < 1:
            raise ValueError(f"share must be between 0 and 1, but it was {self.share!r}.")
        if ":" not in self.load:
            checked_name(self.load)
        for text in self.steps:
            step(text)

    def __hash__(self) -> int:
        return hash(repr(self))

    def read(self, name: str = "") -> Stream:
        """Read the stream from its file, or draw it, without its steps; a fresh one by the generator of ``name``."""
        rng = generator(name) if self.fresh else np.random.default_rng(0)
        if ":" in self.load:
            return own_code(self.load)[0](rng, **self.options)
        return streams.load_stream(self.load, rng=rng if self.fresh else None, **self.options)


@dataclass(frozen=True)
class LearnerRecipe:
    """A learner with its settings, and how it predicts once it has learned."""

    kind: str  # a learner of this package, or "module:Class DIGEST" of a user
    options: Mapping[str, Any] = field(default_factory=dict)  # of one with a belief also belief (its shape) and std
    final: str = "mean"  # the test is predicted by the mean, or by a "sample" of the belief
    final_noise: float = 0.0  # standard deviation of noise that is added to the weights that predict the test

    def __post_init__(self) -> None:
        check.choice("final", self.final, ("mean", "sample"))

    def __hash__(self) -> int:
        return hash(repr(self))

    def replace(self, **settings: Any) -> "LearnerRecipe":
        """Change settings: those of the test by their names, all others are options of the learner."""
        own = {one.name: settings.pop(one.name) for one in fields(self)[2:] if one.name in settings}
        return replace(self, options={**self.options, **settings}, **own)

    def build(self, features: int, model: Logistic | MLP, rows: int = 1) -> learners.Learner:
        """Make the learner; of features, model, rows to learn from and a belief it gets what it asks for."""
        own = ":" in self.kind
        make = own_code(self.kind)[0] if own else getattr(learners, check.choice("kind", self.kind, LEARNERS))
        asked, options = inspect.signature(make).parameters, dict(self.options)
        if "belief" in asked and not own:
            shape = check.choice("belief", options.pop("belief", "diagonal"), tuple(BELIEFS))
            options["belief"] = BELIEFS[shape].for_model(model, options.pop("std", 1.0), features)
        given: dict[str, Any] = {"features": features, "model": model, "data_size": rows}
        if "noise" in options:  # of Langevin, in place of that which follows from the number of rows
            del given["data_size"]
        return make(**{name: value for name, value in given.items() if name in asked}, **options)
