"""Runs that were kept: learning curves, final errors beside the paper's, entropy; by stream, noise and protocol."""

import functools
import itertools
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bflo_viz import _places
from bflo_viz._checks import Floats
from bflo_viz.experiments.protocol import TITLES, Protocol, load_protocol, names
from bflo_viz.experiments.results import Result, Store, file_name, mean_and_error, read_csv
from bflo_viz.experiments.tables import Cell, Place, fill_cells
from bflo_viz.scenes.base import Scene

EXPERIMENTS = {name: TITLES[name] for name in ("table1", "demo", "table2")}
NOBODY = "No learner is chosen: tick one."
FALLEN = "{name}: a width is exactly 0 by round {round}, so the entropy is −∞"
STAYS = "A flow that may not widen keeps it at 0; its other widths may go on."
Limits = dict[str, tuple[float, float]]  # ends of axes: "rounds", "mistakes", "final" and "entropy", if there are any


@dataclass(frozen=True)
class Curve:
    """Mean learning curve of a learner over its runs; standard errors are 0 for a single run.

    The entropy of the belief is in nats, before the first block and after each. It is empty for a learner without a
    belief, and −∞ (without an error) from where a belief has a width of exactly 0.
    """

    runs: int
    ends: Floats  # the round with which each block ends
    mistakes: Floats  # in each block, in percent
    mistakes_error: Floats
    entropy: Floats
    entropy_error: Floats

    @property
    def entropy_rounds(self) -> Floats:
        """Rounds after which the entropy was taken."""
        return np.append(0.0, self.ends) if self.entropy.size else self.ends[:0]

    @property
    def collapse(self) -> float | None:
        """Round by which a width was exactly 0 in at least one run; None if it never was."""
        collapsed = np.flatnonzero(np.isneginf(self.entropy))
        return float(self.entropy_rounds[collapsed[0]]) if collapsed.size else None


def mean_curve(results: Iterable[Result]) -> Curve:
    """Average the runs of one learner on one stream, which have the same length.

    >>> from bflo_viz.experiments import committed
    >>> curve = mean_curve(row for row in committed("demo") if row.learner == "full")
    >>> curve.runs, curve.ends[-1].item(), curve.mistakes.size, curve.entropy.size
    (50, 8000.0, 50, 51)
    """
    rows = list(results)
    rounds, blocks = rows[0].rounds, len(rows[0].mistakes)
    # All blocks have one size but the last, which may be shorter: see `Learner.run`.
    ends = np.minimum(-(-rounds // max(blocks, 1)) * np.arange(1, blocks + 1), rounds).astype(np.float64)
    mistakes, mistakes_error = mean_and_error(
        [100 * np.array(row.mistakes) / np.diff(ends, prepend=0) for row in rows]
    )
    entropy, entropy_error = mean_and_error([row.entropy for row in rows])
    return Curve(len(rows), ends, mistakes, np.nan_to_num(mistakes_error), entropy, np.nan_to_num(entropy_error))


def ends_of(cell: Cell) -> list[float]:
    """Return all that a picture of a cell has to hold: ours with its error to both sides, and the paper's."""
    error = cell.error or 0.0
    ours = [] if cell.ours is None else [cell.ours - error, cell.ours + error]
    return ours if cell.paper is None else [*ours, cell.paper]


class Shown(NamedTuple):
    """What is kept of one learner in one place: a curve, and errors beside the paper's; None where there is none."""

    curve: Curve | None = None
    online: Cell | None = None
    final: Cell | None = None

    @property
    def entropy_is_seen(self) -> bool:
        """Whether the entropy of the belief is finite for more than the first rounds."""
        curve = self.curve
        if curve is None or not np.isfinite(curve.entropy).any():
            return False
        return curve.collapse is None or bool(curve.collapse > 0.05 * curve.ends[-1])


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
        finals = ", ".join(f"{name} {_in_words(one.final)}" for name, one in self.shown.items())
        return f"{self.heading}. {self.message or f'Final errors in percent: {finals}.'}"


@dataclass(frozen=True)
class Experiment:
    """What is kept of an experiment by some protocols, and what can be chosen; it is read when it is first asked for.

    Attributes
    ----------
    store
        A file that ``bflo run --store`` wrote; None for the results that come with the course.
    """

    protocols: dict[str, Protocol]
    store: Path | None

    @functools.cached_property
    def runs(self) -> dict[str, dict[Place, Shown]]:
        """By protocol, what is kept of each stream, learner and share of flipped labels."""
        if self.store is None:
            return {name: _committed(protocol) for name, protocol in self.protocols.items()}
        with Store(self.store, create=False) as store:
            rows = list(store)
        return {name: _places_of(protocol, rows) for name, protocol in self.protocols.items()}

    @functools.cached_property
    def options(self) -> dict[str, tuple[Any, ...]]:
        """What can be chosen, of all protocols; learners that the paper does not have come last."""
        every = self.protocols.values()
        return {
            "stream": _merged(protocol.streams for protocol in every),
            "noise": tuple(sorted(_merged(protocol.noise for protocol in every))),
            "learners": _merged((*(p.learners for p in every), *(p.extras for p in every))),
            "protocol": tuple(self.protocols),
        }

    def first(self) -> dict[str, Any]:
        """What is shown before anything is chosen: the first protocol and its learners."""
        first = {name: values[0] for name, values in self.options.items()}
        own = self.protocols[first["protocol"]].learners
        return first | {"learners": [name for name in self.options["learners"] if name in own]}

    def at(self, protocol: str, stream: str, learner: str, noise: float) -> Shown:
        """What is kept of one learner."""
        return self.runs[protocol].get((stream, learner, noise), Shown())

    def reach(self, stream: str, learner: str) -> Limits:
        """Ends of the axes with room for a learner on a stream, by every protocol and with any noise."""
        places = itertools.product(self.protocols, self.options["noise"])
        every = [self.at(protocol, stream, learner, noise) for protocol, noise in places]
        curves = [shown.curve for shown in every if shown.curve is not None]
        nats = np.concatenate([[], *(curve.entropy for curve in curves)])
        limits = {
            "final": _with_room([end for shown in every if shown.final is not None for end in ends_of(shown.final)]),
            "entropy": _with_room(nats[np.isfinite(nats)].tolist()),
        }
        if curves:
            highest = max(float((curve.mistakes + curve.mistakes_error).max()) for curve in curves)
            limits["rounds"] = (0.0, max(float(curve.ends[-1]) for curve in curves))
            limits["mistakes"] = (0.0, 1.05 * highest or 1.0)
        return {axis: ends for axis, ends in limits.items() if ends is not None}

    def heading(self, protocol: str, stream: str, noise: float) -> str:
        """A place in words."""
        flipped = f"{100 * noise:g} % of the labels flipped" if noise else "no labels flipped"
        fitted = self.protocols[protocol].fit
        every = [self.at(protocol, stream, learner, noise).curve for learner in self.options["learners"]]
        counts = sorted({curve.runs for curve in every if curve is not None})
        runs = f" · mean of {' or '.join(map(str, counts))} runs ± standard error" if counts else ""
        return f"{stream}, {flipped} · protocol {protocol}{fitted}{' · one run' if counts == [1] else runs}"

    def missing(self, protocol: str) -> str:
        """What to do where nothing is kept."""
        where = "" if self.store is None else f" in {self.store.name}"
        command = command_of(self.protocols[protocol])
        return f"There are no such runs by protocol {protocol}{where}: {command} makes them."

    def scene(self, stream: str, noise: float, learners: Sequence[str], protocol: str) -> KeptRuns:
        """What is kept of some learners in one place."""
        chosen = [name for name in self.options["learners"] if name in learners]
        shown = {name: self.at(protocol, stream, name, noise) for name in chosen}
        limits: Limits = {}
        for axis, (low, high) in (item for name in chosen for item in self.reach(stream, name).items()):
            others = limits.get(axis, (low, high))
            limits[axis] = min(low, others[0]), max(high, others[1])
        message = "" if any(one.curve is not None for one in shown.values()) else self.missing(protocol)
        return KeptRuns(self.heading(protocol, stream, noise), shown, limits, message if chosen else NOBODY)


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
    every = dict.fromkeys((protocol, *names(experiment)))
    loaded = [load_protocol(experiment, name, quick=quick) for name in every]
    if loaded[0].switches:
        raise ValueError(f"protocol {protocol} has switches: ProtocolExplorer shows it, and bflo table.")
    loaded = [one for one in loaded if not one.switches]
    protocols = {one.name.removesuffix(", quick"): one for one in loaded}
    return Experiment(protocols, None if store is None else Path(store))


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


def _places_of(protocol: Protocol, rows: Sequence[Result]) -> dict[Place, Shown]:
    """What rows have of a protocol, its extra learners with it; rows with other settings are left out."""
    protocol = protocol.with_extras(name for name in protocol.extras if any(row.learner == name for row in rows))
    by_key, found = {row.key: row for row in rows}, dict[Place, Shown]()
    runs = range(1 + max((row.run for row in rows), default=0))
    for trial, cells in fill_cells(protocol, rows).items():
        some = [by_key[key] for run in runs if (key := replace(trial, run=run).key) in by_key]
        place = trial.stream, trial.learner, trial.noise
        found[place] = Shown(mean_curve(some) if some else None, cells["online"], cells["final"])
    return found


_READ: dict[tuple[Any, ...], dict[Place, Shown]] = {}


def _committed(protocol: Protocol) -> dict[Place, Shown]:
    """Results that come with the course: the same file is read once, unless it or the protocol has changed."""
    path = results_file(protocol)
    version = (path, path and path.stat().st_mtime_ns, repr(protocol))
    if version not in _READ:
        _READ[version] = _places_of(protocol, read_csv(path) if path else [])
    return _READ[version]


def results_file(protocol: Protocol) -> Path | None:
    """The file of a protocol among the results that come with the course; None if it is not there."""
    try:
        path = _places.results_folder() / file_name(protocol.experiment, protocol.name)
    except ValueError:
        return None
    return path if path.is_file() else None


def command_of(protocol: Protocol) -> str:
    """What makes the runs of a protocol."""
    name = protocol.name.removesuffix(", quick")
    quick = " --quick" if name != protocol.name else ""
    return f"bflo run {protocol.experiment}{'' if name == 'inferred' else f' --protocol {name}'}{quick}"


def _with_room(values: Sequence[float]) -> tuple[float, float] | None:
    if not values:
        return None
    low, high = min(values), max(values)
    room = 0.08 * (high - low) or max(0.5, 0.02 * abs(high))  # of a single number, so that ticks can be told apart
    return low - room, high + room


def _in_words(cell: Cell | None) -> str:
    if cell is None or cell.ours is None:
        return "no runs"
    return f"{cell.ours:.2f}" + (f" (paper {cell.paper:.2f})" if cell.paper is not None else "")


def _merged(groups: Iterable[Iterable[Any]]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(itertools.chain.from_iterable(groups)))
