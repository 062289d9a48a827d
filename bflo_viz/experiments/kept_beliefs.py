"""Beliefs about the weights of a network at some moments of its learning, kept in one small file of text."""

import base64
import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bflo_viz import _places
from bflo_viz._checks import Floats
from bflo_viz.beliefs import DiagonalBelief
from bflo_viz.models import MLP

DIGITS = "digit-beliefs.json"
_KINDS = {"mean": np.int8, "std": np.uint8}  # one byte a number


@dataclass(frozen=True, eq=False)
class KeptBeliefs:
    """Diagonal beliefs about the weights of ``model``, each after so many ``rounds``.

    Attributes
    ----------
    errors
        Errors in the test in percent after those rounds, by ``"mean"`` and by ``"vote"``.
    examples
        Sketches to begin with: ``name``, ``label`` and ``sketch`` of each.
    measured
        What else was measured of the last belief, by name.
    file
        All of it as it is in the file, which is what a page needs.
    """

    model: MLP
    rounds: tuple[int, ...]
    beliefs: tuple[DiagonalBelief, ...]
    errors: Mapping[str, tuple[float, ...]]
    examples: tuple[Mapping[str, str], ...]
    measured: Mapping[str, float]
    file: Mapping[str, Any]

    @classmethod
    def of(cls, file: Mapping[str, Any]) -> "KeptBeliefs":
        """Read such a file."""
        model = MLP(file["sizes"])
        beliefs = tuple(unpacked(model, kept) for kept in file["beliefs"])
        errors = {name: tuple(shares) for name, shares in file["errors"].items()}
        return cls(model, tuple(file["rounds"]), beliefs, errors, tuple(file["examples"]), file["measured"], file)


def packed(model: MLP, belief: DiagonalBelief) -> dict[str, Any]:
    """A belief with a byte for each mean and each width; steps between neighbouring numbers differ by layer."""
    return {name: _written(model, getattr(belief, name), name) for name in _KINDS}


def unpacked(model: MLP, kept: Mapping[str, Any]) -> DiagonalBelief:
    """The belief that `packed` wrote, to half a step."""
    return DiagonalBelief(*(_read(model, kept[name], name) for name in _KINDS))


def digit_beliefs() -> KeptBeliefs:
    """The beliefs about digits that come with the course; their file is read once, unless it has changed."""
    path = _places.results_folder() / DIGITS
    if not path.is_file():
        raise ValueError(f"{DIGITS} is not among the results: python tools/digit_beliefs.py makes it.")
    return _read_file(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=1)
def _read_file(path: Path, _: int) -> KeptBeliefs:
    return KeptBeliefs.of(json.loads(path.read_text(encoding="utf-8")))


def _written(model: MLP, values: Floats, name: str) -> dict[str, Any]:
    kind = np.dtype(_KINDS[name])
    blocks = model.unflatten(np.broadcast_to(values, model.size()))
    most = np.iinfo(kind).max
    steps = [float(f"{np.abs(block).max() / most:.6g}") for block in blocks]  # six digits, as the file has them
    codes = [
        np.clip(np.rint(block / (step or 1.0)), -most, most).astype(kind)
        for block, step in zip(blocks, steps, strict=True)
    ]
    return {"steps": steps, "codes": base64.b64encode(b"".join(code.tobytes() for code in codes)).decode()}


def _read(model: MLP, kept: Mapping[str, Any], name: str) -> Floats:
    codes = np.frombuffer(base64.b64decode(kept["codes"]), _KINDS[name]).astype(np.float64)
    steps: Sequence[float] = kept["steps"]
    return np.concatenate([block.ravel() * step for block, step in zip(model.unflatten(codes), steps, strict=True)])
