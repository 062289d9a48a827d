"""Runs that were kept: learning curves, final errors beside the paper's, entropy; by stream, noise and protocol."""

import functools
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bflo_viz import _places
from bflo_viz.experiments.protocol import TITLES, Protocol, load_protocol, names
from bflo_viz.experiments.results import Result, Store, file_name, read_csv
from bflo_viz.experiments.statistics import Curve, mean_curve
from bflo_viz.experiments.tables import Cell, make_table
from bflo_viz.scenes.base import Scene, number

EXPERIMENTS = {name: TITLES[name] for name in ("table1", "demo", "table2")}
# What is said of a choice: here once, for Python and for the page, which fill in the names in braces.
SENTENCES = {
    "nobody": "No learner is chosen: tick one.",
    "errors": "Errors in percent: {errors}.",
    "beliefs": "Entropy of the belief in nats: {beliefs}.",
    "without": "Without a belief: {names}.",
}


@dataclass(frozen=True)
class Limits:
    """Ends of the axes: rounds, mistakes, final errors and entropy; None where there is nothing to be drawn."""

    rounds: float = 0.0
    mistakes: float = 0.0
    final: tuple[float, float] | None = None
    entropy: tuple[float, float] | None = None

    def __or__(self, other: "Limits") -> "Limits":
        """Room for both."""
        return Limits(
            max(self.rounds, other.rounds),
            max(self.mistakes, other.mistakes),
            _around(self.final, other.final),
            _around(self.entropy, other.entropy),
        )


@dataclass(frozen=True)
class Shown:
    """What is kept of one learner in one place: a curve, and errors beside the paper's; None where there is none."""

    curve: Curve | None
    online: Cell | None
    final: Cell | None

    @property
    def limits(self) -> Limits:
        """Room for all of it, and a little more."""
        finals = [] if self.final is None else _ends(self.final)
        if self.curve is None:
            return Limits(final=_with_room(finals))
        entropies = self.curve.entropy[np.isfinite(self.curve.entropy)]
        highest = float((self.curve.mistakes + self.curve.mistakes_error).max())
        return Limits(
            float(self.curve.ends[-1]), 1.05 * highest or 1.0, _with_room(finals), _with_room(entropies.tolist())
        )

    def errors(self) -> str:
        """Both errors in words."""
        if self.curve is None:
            return "no runs"
        cells = {"online": self.online, "final": self.final}
        return " and ".join(f"{_in_words(cell)} {name}" for name, cell in cells.items() if cell is not None)

    def belief(self) -> str:
        """The entropy in words; nothing for a learner without a belief."""
        if self.curve is None or not self.curve.entropy.size:
            return ""
        first, last = (number(value) for value in self.curve.entropy[[0, -1]])
        fallen = self.curve.collapse
        return f"from {first} to {last}" + (
            "" if fallen is None else f" (a width is exactly 0 by round {fallen:,.0f})"
        )


@dataclass(frozen=True, eq=False)
class KeptRuns(Scene):
    """Some learners on one stream at one share of flipped labels, by one protocol.

    Attributes
    ----------
    heading
        Where that is, and of how many runs.
    shown
        What is kept of each learner.
    limits
        Ends of the axes. They depend on stream and learners only: what moves when noise or protocol is changed has
        changed in the results.
    message
        What there is to say if nothing can be drawn; else empty.
    """

    heading: str
    shown: dict[str, Shown]
    limits: Limits
    message: str

    def _words(self) -> str:
        return f"{self.heading}. {self.message or self._numbers()}"

    def _numbers(self) -> str:
        errors = "; ".join(f"{name} {one.errors()}" for name, one in self.shown.items())
        beliefs = ", ".join(f"{name} {one.belief()}" for name, one in self.shown.items() if one.belief())
        without = ", ".join(name for name, one in self.shown.items() if one.curve is not None and not one.belief())
        told = [SENTENCES["errors"].format(errors=errors)]
        told += [SENTENCES["beliefs"].format(beliefs=beliefs)] if beliefs else []
        told += [SENTENCES["without"].format(names=without)] if without else []
        return " ".join(told)


@dataclass(frozen=True)
class Experiment:
    """What is kept of an experiment by some protocols, and what can be chosen; it is read when it is first asked for.

    Attributes
    ----------
    store
        A file that ``bflo run --store`` wrote; None for the results that come with the course.
    """

    name: str
    protocols: dict[str, Protocol]
    store: Path | None
    quick: bool

    @functools.cached_property
    def runs(self) -> dict[str, "_Runs"]:
        """The runs of each protocol."""
        if self.store is None:
            return {name: _committed(self.name, one) for name, one in self.protocols.items()}
        with Store(self.store, create=False) as kept:
            rows = list(kept)
        return {name: _Runs(one, rows) for name, one in self.protocols.items()}

    @functools.cached_property
    def streams(self) -> tuple[str, ...]:
        """Those of all protocols."""
        return _merged(one.streams for one in self.protocols.values())

    @functools.cached_property
    def noise(self) -> tuple[float, ...]:
        """The shares of flipped labels of all protocols."""
        return tuple(sorted(_merged(one.noise for one in self.protocols.values())))

    @functools.cached_property
    def learners(self) -> tuple[str, ...]:
        """Those of all protocols; the ones that the paper does not have come last."""
        every = self.protocols.values()
        return _merged((*(one.learners for one in every), *(one.extras for one in every)))

    @property
    def options(self) -> dict[str, tuple[Any, ...]]:
        """What can be chosen, by what it is."""
        return {
            "stream": self.streams,
            "noise": self.noise,
            "learners": self.learners,
            "protocol": tuple(self.protocols),
        }

    def first(self) -> dict[str, Any]:
        """What is shown before anything is chosen: the first protocol and its learners."""
        protocol = next(iter(self.protocols))
        learners = [name for name in self.learners if name in self.protocols[protocol].learners]
        return {"stream": self.streams[0], "noise": self.noise[0], "learners": learners, "protocol": protocol}

    def cell(self, measure: str, protocol: str, stream: str, learner: str, noise: float) -> Cell | None:
        """An error of ours beside the paper's; None if there is neither."""
        return self.runs[protocol].cell(measure, stream, learner, noise)

    def at(self, protocol: str, stream: str, learner: str, noise: float) -> Shown:
        """What is kept of one learner."""
        runs = self.runs[protocol]
        online, final = (runs.cell(measure, stream, learner, noise) for measure in ("online", "final"))
        return Shown(runs.curve(stream, learner, noise), online, final)

    def reach(self, stream: str, learner: str) -> Limits:
        """Room for a learner on a stream, by every protocol and with any noise."""
        limits = Limits()
        for protocol in self.protocols:
            for noise in self.noise:
                limits |= self.at(protocol, stream, learner, noise).limits
        return limits

    def heading(self, protocol: str, stream: str, noise: float) -> str:
        """A place in words."""
        flipped = f"{100 * noise:g} % of the labels flipped" if noise else "no labels flipped"
        fitted = " (fitted to the printed numbers)" if self.protocols[protocol].fitted else ""
        counts = sorted(self.runs[protocol].counts(stream, noise))
        runs = f" · mean of {' or '.join(map(str, counts))} runs ± standard error" if counts else ""
        return f"{stream}, {flipped} · protocol {protocol}{fitted}{' · one run' if counts == [1] else runs}"

    def missing(self, protocol: str) -> str:
        """What to do where nothing is kept; the learners are still to be filled in, and the stream."""
        command = f"bflo run {self.name}" + (" --quick" if self.quick else "")
        command += "" if protocol == "inferred" else f" --protocol {protocol}"
        what = "runs of {learners} on {stream}" if self.runs[protocol].count else "results"
        where = "" if self.store is None else f" in {self.store.name}"
        return f"There are no {what} by protocol {protocol}{where}: {command} makes them."

    def scene(self, stream: str, noise: float, learners: Sequence[str], protocol: str) -> KeptRuns:
        """What is kept of some learners in one place."""
        shown = {name: self.at(protocol, stream, name, noise) for name in self.learners if name in learners}
        limits = Limits()
        for name in shown:
            limits |= self.reach(stream, name)
        message = ""
        if not shown:
            message = SENTENCES["nobody"]
        elif all(one.curve is None for one in shown.values()):
            message = self.missing(protocol).format(learners=", ".join(shown), stream=stream)
        return KeptRuns(self.heading(protocol, stream, noise), shown, limits, message)


def kept(
    experiment: str, protocol: str = "inferred", store: str | os.PathLike[str] | None = None, *, quick: bool = False
) -> Experiment:
    """What is kept of an experiment by all of its protocols, and by one more if it is named; that one is the first.

    Parameters
    ----------
    experiment, protocol, quick
        As for `load_protocol`.
    store
        A file that ``bflo run --store`` wrote. Without it, the results that come with the course.
    """
    ways = dict.fromkeys((protocol, *names(experiment)))
    loaded = [load_protocol(experiment, name, quick=quick) for name in ways]
    protocols = {one.name.removesuffix(", quick"): one for one in loaded}
    return Experiment(experiment, protocols, None if store is None else Path(store), quick)


def kept_runs(
    experiment: str = "table1",
    protocol: str = "inferred",
    store: str | os.PathLike[str] | None = None,
    *,
    quick: bool = False,
    **choice: Any,
) -> KeptRuns:
    """What is kept in one place of an experiment, ready to be drawn: see `kept`.

    ``stream``, ``noise`` and ``learners`` are the first ones and those of the protocol, if they are not given.

    >>> kept_runs("demo", learners=["SGD"]).heading
    'DEMO, no labels flipped · protocol inferred (fitted to the printed numbers) · mean of 50 runs ± standard error'
    """
    whole = kept(experiment, protocol, store, quick=quick)
    return whole.scene(**(whole.first() | choice))


class _Runs:
    """The kept runs of one protocol: their means, computed when they are first asked for."""

    def __init__(self, protocol: Protocol, rows: Sequence[Result]) -> None:
        extras = [name for name in protocol.extras if any(row.learner == name for row in rows)]
        self._protocol = protocol.extended(extras)
        keys = {trial.key for trial in self._protocol.trials(1 + max((row.run for row in rows), default=0))}
        self._rows: dict[tuple[str, str, float], list[Result]] = {}
        self.count = 0
        for row in rows:
            if row.key in keys:
                self.count += 1
                self._rows.setdefault((row.stream, row.learner, row.noise), []).append(row)
        self._curves: dict[tuple[str, str, float], Curve] = {}
        self._blocks = {(block.measure, block.noise): block for block in make_table(self._protocol, rows).blocks}

    def curve(self, stream: str, learner: str, noise: float) -> Curve | None:
        """The mean learning curve, or None."""
        place = (stream, learner, noise)
        if place not in self._curves and place in self._rows:
            self._curves[place] = mean_curve(self._rows[place])
        return self._curves.get(place)

    def counts(self, stream: str, noise: float) -> set[int]:
        """How many runs there are of a learner."""
        return {len(rows) for (where, _, flipped), rows in self._rows.items() if (where, flipped) == (stream, noise)}

    def cell(self, measure: str, stream: str, learner: str, noise: float) -> Cell | None:
        """A number of ours beside the paper's, or None."""
        block = self._blocks.get((measure, noise))
        rows = [] if block is None else [row for row in block.rows if row.learner == learner]
        if not rows or block is None or stream not in block.streams:
            return None
        return rows[0].cells[block.streams.index(stream)]


_READ: dict[tuple[Any, ...], _Runs] = {}


def _committed(experiment: str, protocol: Protocol) -> _Runs:
    """Results that come with the course; none where there is no folder of them."""
    try:
        path = _places.results_folder() / file_name(experiment, protocol.name)
    except ValueError:
        return _Runs(protocol, [])
    if not path.is_file():
        return _Runs(protocol, [])
    # The same file is read once, unless it or the protocol has changed.
    version = (str(path), path.stat().st_mtime_ns, repr(protocol))
    if version not in _READ:
        _READ[version] = _Runs(protocol, read_csv(path))
    return _READ[version]


def _ends(cell: Cell) -> list[float]:
    error = cell.error or 0.0
    ours = [] if cell.ours is None else [cell.ours - error, cell.ours + error]
    return [*ours, *([] if cell.paper is None else [cell.paper])]


def _with_room(values: Sequence[float]) -> tuple[float, float] | None:
    if not values:
        return None
    low, high = min(values), max(values)
    room = 0.08 * (high - low) or max(0.5, 0.02 * abs(high))  # of a single number, so that ticks can be told apart
    return low - room, high + room


def _around(some: tuple[float, float] | None, others: tuple[float, float] | None) -> tuple[float, float] | None:
    if some is None or others is None:
        return some or others
    return min(some[0], others[0]), max(some[1], others[1])


def _in_words(cell: Cell) -> str:
    error = f" ± {cell.error:.2f}" if cell.error is not None else ""
    printed = f" (paper {cell.paper:.2f})" if cell.paper is not None else ""
    return ("none" if cell.ours is None else f"{cell.ours:.2f}{error}") + printed


def _merged(groups: Iterable[Iterable[Any]]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(one for group in groups for one in group))
