"""What a protocol says of a stream and of a learner, and how either is made from it."""

import hashlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.learners import AROW, NHERD, SGD, BeliefFlow, Dropout, Langevin, Learner
from bflo_viz.models import MLP, Logistic
from bflo_viz.streams import (
    Stream,
    balanced,
    bias,
    class_against,
    clip,
    enlarge,
    load_stream,
    min_max,
    on_noise,
    on_photographs,
    some,
    to_unit,
    z_score,
)
from bflo_viz.streams.backgrounds import photographs
from bflo_viz.streams.load import check_options, known, maker

SPLITS = ("order", "shuffled")
FINALS = ("mean", "sample")


def generator(name: str) -> np.random.Generator:
    """The generator of a name: the same on every machine, whatever ran before it."""
    return np.random.default_rng(int.from_bytes(hashlib.sha256(name.encode()).digest()[:16], "little"))


def _photographs(stream: Stream, rng: np.random.Generator) -> Stream:
    return on_photographs(stream, photographs()[0], rng)


# Steps by the name that a protocol uses; those of the second group draw something.
STEPS: dict[str, Callable[..., Stream]] = {
    "balanced": balanced,
    "bias": bias,
    "class_against": class_against,
    "clip": clip,
    "enlarge": enlarge,
    "min_max": min_max,
    "to_unit": to_unit,
    "z_score": z_score,
}
DRAWN: dict[str, Callable[..., Stream]] = {"noise": on_noise, "photographs": _photographs, "some": some}


@dataclass(frozen=True)
class StreamRecipe:
    """A stream, and what is done to it before a run.

    Attributes
    ----------
    load
        Its name for `load_stream`, which may be ``"module:function"`` of your own.
    steps
        What is done to it, in order, each a name and its numbers: ``"clip -3 3"``.
    options
        For a stream that is made: rows and so on.
    fresh
        Whether a stream that is made is drawn anew for each run.
    share
        The part to learn from; the rest is the test.
    split
        By the ``"order"`` of the file, or ``"shuffled"`` before the split.
    shuffle
        Whether the part to learn from is shuffled in each run, where the split is by order.
    """

    load: str
    steps: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    fresh: bool = False
    share: float = 0.8
    split: str = "order"
    shuffle: bool = True

    def __post_init__(self) -> None:
        known(self.load)
        check.choice("split", self.split, SPLITS)
        check.flag("shuffle", self.shuffle)
        if check.flag("fresh", self.fresh) and maker(self.load) is None:
            raise ValueError(f"fresh is for streams that are made, but {self.load} is read from a file.")
        if not 0 < check.scalar("share", self.share) < 1:
            raise ValueError(f"share must be between 0 and 1, but it was {self.share:g}.")
        self._check_options()
        for step in self.steps:
            _step(step)

    def _check_options(self) -> None:
        if not isinstance(self.options, Mapping):
            raise ValueError(f"options must be a table, but it was {self.options!r}.")
        check_options(self.load, self.options)
        for name, value in self.options.items():
            if not isinstance(value, (str, int, float)):
                raise ValueError(f"options.{name} must be a number or a text, but it was {value!r}.")

    def loaded(self, name: str = "") -> Stream:
        """The stream as it is in its file, or as it is made; a fresh one by the generator of ``name``."""
        return load_stream(self.load, rng=generator(name) if self.fresh else None, **self.options)

    def prepared(self, stream: Stream) -> Stream:
        """The stream with all steps done; what they draw is the same in every run."""
        for step in self.steps:
            function, numbers = _step(step)
            drawing = (np.random.default_rng(0),) if function in DRAWN.values() else ()
            stream = function(stream, *numbers, *drawing)
        return stream


def _step(text: str) -> tuple[Callable[..., Stream], list[Any]]:
    name, *words = str(text).split() or [""]
    every = {**STEPS, **DRAWN}
    if name not in every:
        raise ValueError(f"there is no step {name!r}: there are {', '.join(sorted(every))}.")
    try:
        numbers = [int(word) if word.lstrip("+-").isdigit() else float(word) for word in words]
        inspect.signature(every[name]).bind(None, *numbers, *([None] if name in DRAWN else []))
    except (TypeError, ValueError):
        raise ValueError(f"the step {text!r} must be a name and its numbers, such as 'clip -3 3'.") from None
    return every[name], numbers


_BELIEFS: dict[str, Callable[..., Belief]] = {
    "diagonal": lambda dim, std: DiagonalBelief(np.zeros(dim), std),
    "spherical": lambda dim, std: SphericalBelief(np.zeros(dim), std),
    "full": lambda dim, std: FullBelief(np.zeros(dim), std**2 * np.eye(dim)),
}
_KINDS: dict[str, Callable[..., Learner]] = {
    "AROW": AROW,
    "NHERD": NHERD,
    "SGD": SGD,
    "Langevin": Langevin,
    "Dropout": Dropout,
    "BeliefFlow": BeliefFlow,
}


@dataclass(frozen=True)
class LearnerRecipe:
    """A learner with its settings, and how it predicts once it has learned.

    Attributes
    ----------
    kind
        A learner of this package, or ``"module:Class"`` of your own, called with the number of features.
    options
        Its settings. A ``BeliefFlow`` has ``belief`` (diagonal, spherical or full) and ``std`` among them.
    final
        The test is predicted by the ``"mean"`` or by a ``"sample"`` of the belief.
    final_noise
        Standard deviation of noise that is added to the weights that predict the test.
    """

    kind: str
    options: Mapping[str, Any] = field(default_factory=dict)
    final: str = "mean"
    final_noise: float = 0.0

    def __post_init__(self) -> None:
        check.choice("final", self.final, FINALS)
        check.scalar("final_noise", self.final_noise, least=0.0)

    def build(self, features: int, model: Logistic | MLP) -> Learner:
        """Make the learner for so many features."""
        make, options = self._maker(), dict(self.options)
        try:
            parameters = inspect.signature(make).parameters
        except (TypeError, ValueError):
            raise ValueError(f"{self.kind} must be a class or a function that makes a learner.") from None
        allowed = {name for name in parameters if name not in ("features", "model", "local_flow")}
        if self.kind == "BeliefFlow":
            std = check.scalar("std", options.pop("std", 1.0), least=0.0)
            shape = check.choice("belief", options.pop("belief", "diagonal"), tuple(_BELIEFS))
            options["belief"] = _BELIEFS[shape](model.size(features), std)
            allowed |= {"std"}
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
            learner = make(**options)
        except TypeError as problem:
            raise ValueError(f"{self.kind} could not be made: {problem}.") from None
        if not isinstance(learner, Learner):
            raise ValueError(f"{self.kind} must be a Learner of bflo_viz, but it makes a {type(learner).__name__}.")
        return learner

    def _maker(self) -> Callable[..., Learner]:
        if self.kind in _KINDS:
            return _KINDS[self.kind]
        if ":" not in self.kind:
            raise ValueError(f"there is no learner {self.kind!r}: there are {', '.join(_KINDS)}, and 'module:Class'.")
        made: Callable[..., Learner] = check.imported("learner", self.kind)
        return made
