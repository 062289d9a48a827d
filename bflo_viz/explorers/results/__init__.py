"""The results of the paper's experiments: choose a stream, noise, learners and a protocol; nothing is run for it."""

import copy
import itertools
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from traitlets import Dict, observe, validate

from bflo_viz.experiments.protocol import names
from bflo_viz.experiments.statistics import Curve
from bflo_viz.experiments.tables import Cell
from bflo_viz.explorers.base import Explorer
from bflo_viz.explorers.traits import Checked, Choice, Subset
from bflo_viz.figures import palette
from bflo_viz.scenes.base import number
from bflo_viz.scenes.runs import EXPERIMENTS, SENTENCES, Experiment, KeptRuns, Limits, Shown, kept

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_CHOSEN = ("stream", "noise", "learners", "protocol")
_COURSE = {name: kept(name) for name in EXPERIMENTS}
_FIRST = _COURSE["table1"].first()


class _OfItsExplorer:
    """A trait whose options are those of its explorer; of the class, those of what comes with the course."""

    def validate(self: Any, obj: Any, value: Any) -> Any:
        """Return the value to keep, or say in one sentence what is wrong with it."""
        return _checked(self, value, self.options if obj is None else tuple(obj._texts[self.name]))


class _Choice(_OfItsExplorer, Choice):
    pass


class _Subset(_OfItsExplorer, Subset):
    pass


def _checked(trait: Any, value: Any, options: tuple[Any, ...]) -> Any:
    narrowed = copy.copy(trait)
    narrowed.options = options
    return Checked.validate(narrowed, None, value)


def _texts(name: str, experiments: dict[str, Experiment]) -> dict[Any, str]:
    """What can be chosen in any of some experiments, and how that is called."""
    values = dict.fromkeys(value for one in experiments.values() for value in one.options[name])
    if name == "noise":
        return {value: f"{100 * value:g} %" if value else "none" for value in sorted(values)}
    if name == "protocol":
        fitted = {way for one in experiments.values() for way, protocol in one.protocols.items() if protocol.fitted}
        return {value: f"{value} (fitted)" if value in fitted else value for value in values}
    return {value: str(value) for value in values}


class ResultsExplorer(Explorer):
    """Look at the results that are kept of an experiment; the axes move with stream and learners only.

    Parameters
    ----------
    experiment, protocol
        As for `load_protocol`. All protocols that an experiment comes with can be chosen; this one is shown first.
    store
        A file that ``bflo run --store`` wrote. Without it, the results that come with the course.
    quick
        Whether to show the small versions of the experiments.
    **state
        ``stream``, ``noise`` and ``learners``, if they are not to be the first ones and those of the protocol.

    >>> explorer = ResultsExplorer(stream="EEG", noise=0.2, learners=["SGD", "BFLO"])
    >>> explorer.number("BFLO").paper
    62.35
    """

    experiment = Choice("table1", options=EXPERIMENTS, label="experiment", help="Which results of the paper.")
    stream = _Choice(_FIRST["stream"], options=_texts("stream", _COURSE), label="stream", help="What is learned.")
    noise = _Choice(
        _FIRST["noise"],
        options=_texts("noise", _COURSE),
        label="labels flipped",
        help="The share of the labels that are wrong.",
    )
    protocol = _Choice(
        _FIRST["protocol"],
        options=_texts("protocol", _COURSE),
        label="protocol",
        help="The settings of the runs; fitted are those that were chosen by the numbers that the paper prints.",
    )
    learners = _Subset(
        _FIRST["learners"], options=_texts("learners", _COURSE), label="Learners", help="Whose results are shown."
    )
    _runs = Dict().tag(sync=True)
    _view = Path(__file__).with_name("view.js")
    _title = "Results beside the paper's"
    _help = "Bands are one standard error of the mean over runs. The axes stay when noise or protocol is changed."
    _panels: ClassVar = {
        "mistakes": ("Mistakes", "round", "mistakes in a block (%)"),
        "final": ("Final error", "final error (%): dots ours, strokes the paper's", ""),
        "entropy": ("Entropy of the belief", "round; ▼ a width is exactly 0", "entropy (nats)"),
    }
    _for_page: ClassVar = ("_about", "_runs")

    def __init__(
        self,
        experiment: str = "table1",
        protocol: str = "inferred",
        store: str | os.PathLike[str] | None = None,
        *,
        quick: bool = False,
        **state: Any,
    ) -> None:
        ways = dict.fromkeys(EXPERIMENTS, "inferred") | {experiment: protocol}
        self._kept = {name: kept(name, way, store, quick=quick) for name, way in ways.items()}
        self._texts = {name: _texts(name, self._kept) for name in _CHOSEN}
        super().__init__(**{"experiment": experiment, **self._kept[experiment].first(), **state})
        about = self.about()
        for name, values in self._texts.items():
            about["controls"][name]["options"] = [list(pair) for pair in values.items()]
        self._about, self._runs = about, _for_page(self._kept)
        # Whether a page can find the runs again by itself.
        self._of_the_course = store is None and not quick and protocol in names(experiment)

    @validate(*_CHOSEN)
    def _of_this_experiment(self, proposal: Any) -> Any:
        return _checked(proposal["trait"], proposal["value"], self.options(proposal["trait"].name))

    def options(self, name: str) -> tuple[Any, ...]:
        """What a trait can be in this experiment."""
        return self._kept[str(self.experiment)].options[name]

    @observe("experiment")
    def _take_what_it_has(self, _: Any) -> None:
        """What the other experiment does not have becomes what it shows first."""
        there = self._kept[str(self.experiment)]
        with self.hold_trait_notifications():
            for name, value in there.first().items():
                chosen = getattr(self, name) if name == "learners" else [getattr(self, name)]
                if not set(chosen) <= set(there.options[name]):
                    setattr(self, name, value)

    @property
    def scene(self) -> KeptRuns:
        """What is shown, as data."""
        return self._kept[str(self.experiment)].scene(self.stream, self.noise, self.learners, self.protocol)

    def number(
        self, learner: str, measure: str = "final", noise: float | None = None, stream: str | None = None
    ) -> Cell | None:
        """Our error of a learner beside the paper's, as now shown or elsewhere; None if there is neither."""
        noise, stream = self.noise if noise is None else noise, self.stream if stream is None else stream
        return self._kept[str(self.experiment)].cell(measure, self.protocol, stream, learner, noise)

    def figure(self, *, style: str = "paper") -> "Figure":
        """The same state as a figure for print, with alt text."""
        from bflo_viz.figures.results import draw_kept_runs

        return draw_kept_runs(self.scene, style=style)

    def _record(self) -> dict[str, Any]:
        """What a notebook keeps; of a store of the reader's own, the runs as well."""
        own = {} if self._of_the_course else {name: getattr(self, name) for name in self._for_page}
        return super()._record() | own


def _for_page(experiments: dict[str, Experiment]) -> dict[str, Any]:
    """All runs as plain numbers and words: what the page draws, and what it says."""
    looks = {name: _look(name) for one in experiments.values() for name in one.learners}
    of = {name: _experiment(one) for name, one in experiments.items()}
    return {"sentences": SENTENCES, "looks": looks, "of": of}


def _look(learner: str) -> dict[str, Any]:
    """Colour and dashes of the lines of a learner: those of the figure."""
    series = palette.series(learner)
    plain: dict[Any, tuple[float, ...]] = {"-": (), "--": (3.7, 1.6), "-.": (6.4, 1.6, 1, 1.6), ":": (1, 1.65)}
    dashes = plain[series.linestyle] if isinstance(series.linestyle, str) else series.linestyle[1]
    return {"color": f"var(--{palette.variable(learner)})", "dashes": " ".join(f"{2 * one:g}" for one in dashes)}


def _experiment(one: Experiment) -> dict[str, Any]:
    places: dict[str, dict[str, Any]] = {protocol: {} for protocol in one.protocols}
    for protocol, stream, noise in itertools.product(one.protocols, one.streams, one.noise):
        shown = {name: one.at(protocol, stream, name, noise) for name in one.learners}
        rows = {name: _row(each, each.curve) for name, each in shown.items() if each.curve is not None}
        places[protocol].setdefault(stream, {})[f"{noise:g}"] = {
            "heading": one.heading(protocol, stream, noise),
            "rows": rows,
        }
    return {
        "options": {name: list(values) for name, values in one.options.items()},
        "first": one.first(),
        "missing": {protocol: one.missing(protocol) for protocol in one.protocols},
        "places": places,
        "reach": {stream: {name: _ends(one.reach(stream, name)) for name in one.learners} for stream in one.streams},
    }


def _ends(limits: Limits) -> dict[str, Any]:
    """Ends of the axes."""
    ranges = {"final": limits.final, "entropy": limits.entropy}
    ends = {name: None if range_ is None else _short(range_, 6) for name, range_ in ranges.items()}
    return {"rounds": limits.rounds, "mistakes": _short([limits.mistakes], 6)[0], **ends}


def _row(shown: Shown, curve: Curve) -> dict[str, Any]:
    """What the page shows of a learner in one place; None for what is not finite or not there."""
    final = shown.final
    return {
        "rounds": int(curve.ends[-1]),
        "block": int(curve.ends[0]),
        "mistakes": _short(curve.mistakes.tolist(), 4),
        "spread": _short(curve.mistakes_error.tolist(), 2),
        "entropy": _short(curve.entropy.tolist(), 4),
        "entropySpread": _short(curve.entropy_error.tolist(), 2),
        "collapse": curve.collapse,
        "final": _short([final.ours, final.error, final.paper], 4) if final else 3 * [None],
        "texts": [*_in_table(shown.online), *_in_table(final), str(curve.runs), *_entropy_in_table(curve)],
        "errors": shown.errors(),
        "belief": shown.belief(),
    }


def _in_table(cell: Cell | None) -> list[str]:
    """Ours and the paper's error as text."""
    if cell is None:
        return ["–", "–"]
    error = f" ± {cell.error:.2f}" if cell.error is not None else ""
    ours = "–" if cell.ours is None else f"{cell.ours:.2f}{error}"
    return [ours, "–" if cell.paper is None else f"{cell.paper:.2f}"]


def _entropy_in_table(curve: Curve) -> list[str]:
    """From where to where the entropy went, and when a width became 0, as text."""
    if not curve.entropy.size:
        return ["–", "–"]
    first, last = (number(value) for value in curve.entropy[[0, -1]])
    return [f"{first} → {last}", "–" if curve.collapse is None else f"{curve.collapse:,.0f}"]


def _short(values: Sequence[float | None], digits: int) -> list[float | None]:
    """No more digits than a picture shows; nothing for what is not finite."""
    there = [value if value is not None and math.isfinite(value) else None for value in values]
    return [None if value is None else float(f"{value:.{digits}g}") for value in there]
