"""A sketch before many networks drawn from one belief: how they vote, which ink decides, and how doubt shrank.

A network sees a sketch sized and centred as MNIST has its digits, which were fitted into a box of 20 x 20 pixels with
their centre of mass in the middle of 28 x 28. Here that is done at half of the size, by areas: a cell of what is seen
is as bright as the share of it that ink covers. The beliefs are kept in one small file of text.
"""

import base64
import functools
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bflo_viz import _checks as check
from bflo_viz import _places
from bflo_viz._checks import Floats
from bflo_viz.beliefs import DiagonalBelief
from bflo_viz.models import MLP
from bflo_viz.scenes.base import Scene
from bflo_viz.streams.backgrounds import SIDE
from bflo_viz.streams.stream import Stream

Ink = NDArray[np.bool_]

SEEN = 14  # cells a side of what a network sees
BOX = 10  # of them, the longer side of a sketch fills so many
BRUSH = 1.3  # cells from the middle of a stroke to its edge
PATTERN = rf"([0-9a-f]{{0,7}}\.){{0,{SIDE - 1}}}[0-9a-f]{{0,7}}"
WORDS = f"at most {SIDE} rows of up to 7 hexadecimal digits, with a dot between rows"
DIGITS = "digit-beliefs.json"
_KINDS = {"mean": np.int8, "std": np.uint8}  # one byte a number

NETWORKS = 50
ROUNDS = (0, 100, 300, 1_000, 2_000, 4_000, 10_000, 30_000, 100_000, 600_000)  # the moments that are kept
SURE = 0.9  # the share of networks from which on they are said to agree
LEAST = 1e-6  # what a cell does to the lead, from which on it is said to speak
# A 4 that is nearly closed to a 9.
FIRST = (
    "...1c600.fc600.fc600.c0600.1c0600.1c0600.1c0600.1c0600.1c0600.1c0600.1ffe00.ffe00.3ee00.e00.e00.e00.e00.e00.c00"
    ".c00.c00"
)
TITLES = {
    "sketch": "Draw here",
    "votes": "{most} of {networks} networks see a {winner}",
    "decides": "What they see: ■ for {winner}, ● for {second}",
    "doubt": "{share} % disagree after {rounds} digits",
}
CURVES = {"sketch": "networks against the winner", "test": "errors of votes in the test"}
# What is said of votes, in Python and in the page.
SENTENCES = {
    "votes": "{networks} networks drawn from the belief after {rounds} digits vote: {tally}.",
    "doubt": "{share} % agree; the votes have an entropy of {bits} bits, of at most {most}.",
    "empty": "The page is empty: these are votes on nothing.",
    "sure": "Agreement is no proof that it is a digit: of {others} drawings of other things {percent} % got as much.",
    "split": "They do not agree: no digit has half of the votes.",
    "leaning": "Most of them agree, and some do not.",
    "decides": "Between {winner} and {second}, {pro} cells with ink speak for {winner} and {con} for {second}.",
    "undecided": "No cell speaks for or against: the mean network is the same for all digits.",
}


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


def to_text(ink: ArrayLike) -> str:
    """A picture of 28 x 28 cells as a text: a row is a number in hexadecimal digits, and its first cell the top bit.

    Dots stand between rows; what is empty is left out.

    >>> page = np.zeros((28, 28), bool)
    >>> page[1, 27] = page[2, 26] = True
    >>> to_text(page)
    '.1.2'
    """
    rows = [int("".join("01"[int(cell)] for cell in row), 2) for row in _page("ink", ink)]
    return ".".join(f"{row:x}" if row else "" for row in rows).rstrip(".")


def from_text(text: str) -> Ink:
    """The cells that have ink, of a text that `to_text` wrote.

    >>> np.argwhere(from_text(".1.2")).tolist()
    [[1, 27], [2, 26]]
    """
    if not isinstance(text, str) or not re.fullmatch(PATTERN, text):
        raise ValueError(f"sketch must be {WORDS}, but it was {check.short(text)}.")
    rows = [int(row or "0", 16) for row in text.split(".")]
    bits = [[row >> (SIDE - 1 - i) & 1 for i in range(SIDE)] for row in rows]
    return np.array(bits + [[0] * SIDE] * (SIDE - len(rows)), bool)


def of_picture(picture: ArrayLike) -> Ink:
    """Ink where a picture is at least half as bright as its brightest pixel; of any size, light on dark.

    A picture that is not 28 x 28 is put on the page as large as it fits, in its middle.
    """
    shades = check.numbers("picture", picture)
    if shades.ndim != 2 or min(shades.shape) < 1 or max(shades.shape) > 4096 or shades.min() < 0:
        wanted = "rows and columns of brightness from 0 up, such as an array of shape (28, 28)"
        raise ValueError(f"picture must be {wanted}, but it has shape {shades.shape}.")
    scale = SIDE / max(shades.shape)
    down, across = (_overlaps(n, SIDE, scale, (SIDE - n * scale) / 2) for n in shades.shape)
    page = down @ shades @ across.T
    return np.asarray(page >= 0.5 * max(float(page.max()), 1e-300))


def drawn(strokes: Iterable[ArrayLike]) -> Ink:
    """Draw with the round brush: each stroke is points (x, y) in cells from the left and from the top."""
    y, x = np.mgrid[:SIDE, :SIDE] + 0.5
    ink = np.zeros((SIDE, SIDE), bool)
    for stroke in strokes:
        points = check.rows("strokes", stroke, 2).reshape(-1, 2)
        for (x0, y0), (x1, y1) in zip(points, [*points[1:], points[-1]], strict=True):
            along = (x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)
            part = np.clip(along / max((x1 - x0) ** 2 + (y1 - y0) ** 2, 1e-12), 0, 1)
            away = (x - x0 - part * (x1 - x0)) ** 2 + (y - y0 - part * (y1 - y0)) ** 2
            ink |= away <= BRUSH**2
    return ink


def seen(ink: ArrayLike) -> Floats:
    """What a network sees of a page: 14 x 14 shares of ink, with the centre of mass in the middle."""
    page = _page("ink", ink).astype(np.float64)
    if not page.any():
        return np.zeros((SEEN, SEEN))
    sides = page.sum(axis=1), page.sum(axis=0)
    extents = [np.flatnonzero(side) for side in sides]
    scale = BOX / max(int(found[-1] - found[0]) + 1 for found in extents)
    middles = [float(side @ (np.arange(SIDE) + 0.5)) / float(side.sum()) for side in sides]
    down, across = (_overlaps(SIDE, SEEN, scale, SEEN / 2 - scale * middle) for middle in middles)
    return np.asarray(down @ page @ across.T)


def as_seen(stream: Stream) -> Stream:
    """Digits of 28 x 28 pixels as a network sees them, were they drawn: pixels below half of white are no ink."""
    if stream.is_sparse or stream.features != SIDE * SIDE:
        raise ValueError(f"as_seen is for pictures of {SIDE} x {SIDE} pixels, not for {stream!r}.")
    pages = stream.X.reshape(-1, SIDE, SIDE) >= (stream.maximum + 1) / 2
    X = np.array([seen(page) for page in pages], np.float32).reshape(-1, SEEN * SEEN)
    return replace(stream, X=X, feature_names=())


def _page(name: str, ink: ArrayLike) -> NDArray[np.bool_]:
    page = check.numbers(name, ink)
    if page.shape != (SIDE, SIDE):
        raise ValueError(f"{name} must have shape ({SIDE}, {SIDE}), but it has shape {page.shape}.")
    return np.asarray(page != 0)


def _overlaps(cells: int, into: int, scale: float, start: float) -> Floats:
    """How much of each of ``into`` cells lies under each of ``cells`` of width ``scale``, from ``start`` on."""
    low = start + scale * np.arange(cells)
    place = np.arange(into)[:, None]
    return np.asarray(np.maximum(0, np.minimum(low + scale, place + 1) - np.maximum(low, place)))


@dataclass(frozen=True, eq=False)
class DigitVotes(Scene):
    """What networks see in a sketch.

    Attributes
    ----------
    ink, seen
        The sketch, 28 x 28 cells, and what a network sees of it, 14 x 14 shares of ink.
    votes
        How many networks are for each digit, after each of the ``rounds`` of learning: shape ``(moments, 10)``.
    outputs
        What the mean of the belief says of each digit at this moment, from 0 to 1.
    ranking
        All digits, by votes and then by the outputs of the mean; the first wins.
    effect
        By how much each cell moves the mean network from the second digit of the ranking to the first (difference of
        logits with the cell and without it).
    moment, rounds, errors
        Which moment it is, how many digits were learned by each, and the error of votes in the test then in percent.
    measured
        What else was measured of the last belief, by name.
    """

    ink: Ink
    seen: Floats
    votes: NDArray[np.int64]
    outputs: Floats
    ranking: tuple[int, ...]
    effect: Floats
    moment: int
    rounds: tuple[int, ...]
    errors: tuple[float, ...]
    measured: dict[str, float]

    @property
    def networks(self) -> int:
        """How many networks vote."""
        return int(self.votes[0].sum())

    @property
    def agreement(self) -> Floats:
        """The share of the networks that vote for the winner of a moment, at each moment."""
        return np.asarray(self.votes.max(axis=1) / self.networks)

    @property
    def doubt(self) -> Floats:
        """Entropy of the votes in bits, at each moment."""
        shares = self.votes / self.networks
        logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
        return np.asarray(np.abs((shares * logs).sum(axis=1)))

    @property
    def tally(self) -> str:
        """The votes that were cast, most first."""
        return ", ".join(f"{self.votes[self.moment, k]} for {k}" for k in self.ranking if self.votes[self.moment, k])

    def said(self) -> list[str]:
        """The sentences that a page says as well."""
        share, (winner, second) = self.agreement[self.moment], self.ranking[:2]
        verdict = "sure" if share >= SURE else "leaning" if share > 0.5 else "split"
        pro, con = (int((sign * self.effect > LEAST).sum()) for sign in (1, -1))
        values = {
            **{"networks": self.networks, "rounds": f"{self.rounds[self.moment]:,}", "tally": self.tally},
            **{
                "share": f"{100 * share:.0f}",
                "bits": f"{self.doubt[self.moment]:.2f}",
                "most": f"{math.log2(10):.2f}",
            },
            **{"others": f"{self.measured['others']:.0f}", "percent": f"{self.measured['others agreed (%)']:.0f}"},
            **{"winner": winner, "second": second, "pro": pro, "con": con},
        }
        names = ["votes", "doubt", verdict if self.ink.any() else "empty"]
        if self.ink.any():
            names.append("decides" if pro or con else "undecided")
        return [SENTENCES[name].format(**values) for name in names]

    def _words(self) -> str:
        outputs = ", ".join(f"{k} {self.outputs[k]:.2f}" for k in self.ranking[:3])
        doubts = ", ".join(f"{100 * (1 - share):.0f}" for share in self.agreement)
        errors = ", ".join(f"{error:.0f}" for error in self.errors)
        return f"""A sketch of {self.ink.sum()} cells of ink, votes on it, what decides, and doubt over learning.
            {" ".join(self.said())} Largest outputs of the mean network: {outputs}. Networks that disagree with the
            winner, in percent, after {", ".join(f"{n:,}" for n in self.rounds)} digits: {doubts}; errors in the test
            then: {errors}."""


def digit_votes(sketch: str = FIRST, *, moment: int = len(ROUNDS) - 1, seed: int = 0) -> DigitVotes:
    """Let networks vote on a sketch (a text, as `to_text` writes it).

    Each network has the mean of a belief and its widths times standard normals: those that RandomState(seed) draws
    network by network, the same at every moment, so that like is compared with like.
    """
    kept = digit_beliefs()
    if not 0 <= moment < len(kept.rounds):
        raise ValueError(f"moment must be from 0 to {len(kept.rounds) - 1}, but it was {moment}.")
    ink = from_text(sketch)
    picture = seen(ink)
    row = picture.reshape(1, -1)
    votes = np.zeros((len(kept.rounds), kept.model.outputs), np.int64)
    for k, belief in enumerate(kept.beliefs):
        chosen = [kept.model.predict_many(belief.weight(z), row)[0].argmax() for z in _normals(seed, belief.dim)]
        votes[k] = np.bincount(chosen, minlength=kept.model.outputs)
    mean = kept.beliefs[moment].mean
    passed = kept.model.forward(mean, row[0])
    ranking = tuple(int(k) for k in np.lexsort((-passed.logits, -votes[moment])))
    effect = _effect(kept, mean, picture, ranking)
    after = moment, kept.rounds, kept.errors["vote"]
    return DigitVotes(ink, picture, votes, passed.outputs, ranking, effect, *after, dict(kept.measured))


def _effect(kept: KeptBeliefs, mean: Floats, picture: Floats, ranking: tuple[int, ...]) -> Floats:
    """By how much leaving a cell out changes the lead of the winner over the second: what the cell did for it."""
    cells = picture.ravel()
    without = np.where(np.eye(cells.size, dtype=bool), 0.0, cells)
    last = kept.model.unflatten(mean)[-1]
    logits = kept.model.hidden(mean, np.vstack([cells, without])) @ last[:-1] + last[-1]
    lead = logits[:, ranking[0]] - logits[:, ranking[1]]
    return np.asarray(np.where(cells > 0, lead[0] - lead[1:], 0.0).reshape(SEEN, SEEN))


@functools.lru_cache(maxsize=4)
def _normals(seed: int, dim: int) -> Floats:
    return np.random.RandomState(seed).standard_normal((NETWORKS, dim))  # the page has these numbers
