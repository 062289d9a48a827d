"""The results of the paper's experiments: choose a stream, noise, learners and a protocol; nothing is run for it."""

import copy
import itertools
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from traitlets import Dict, observe, validate

from bflo_viz._checks import Floats
from bflo_viz.experiments.protocol import names
from bflo_viz.experiments.tables import Cell
from bflo_viz.explorers.old_base import Explorer
from bflo_viz.explorers.traits import Choice, Subset
from bflo_viz.figures import palette
from bflo_viz.scenes.runs import EXPERIMENTS, FALLEN, NOBODY, STAYS, Curve, Experiment, KeptRuns, Shown, kept

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_CHOSEN = ("stream", "noise", "learners", "protocol")
_COURSE = {name: kept(name) for name in EXPERIMENTS}
_FIRST = _COURSE["table1"].first()


class _OfItsExplorer:
    """A trait whose explorer knows what it can be; of the class, it is what comes with the course."""

    def validate(self, obj: Any, value: Any) -> Any:
        """Return the value to keep, or say in one sentence what is wrong with it."""
        return value if obj is not None else super().validate(None, value)  # type: ignore[misc]


class _Choice(_OfItsExplorer, Choice):
    pass


class _Subset(_OfItsExplorer, Subset):
    pass


def _texts(name: str, experiments: dict[str, Experiment]) -> dict[Any, str]:
    """What can be chosen in any of some experiments, and how that is called."""
    values = dict.fromkeys(value for experiment in experiments.values() for value in experiment.options[name])
    if name == "noise":
        return {value: f"{100 * value:g} %" if value else "none" for value in sorted(values)}
    if name == "protocol":
        every = [item for experiment in experiments.values() for item in experiment.protocols.items()]
        fitted = {value for value, protocol in every if protocol.fitted is True}
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
        "final": ("Final error", "final error (%): dots ours, strokes (if any) the paper's", ""),
        "entropy": ("Entropy of the belief (nats)", "round; ▼ a width is exactly 0", ""),
    }
    _facts: ClassVar = {"nobody": NOBODY, "fallen": FALLEN, "stays": STAYS}
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
        first = dict.fromkeys(EXPERIMENTS, "inferred") | {experiment: protocol}
        self._kept = {name: kept(name, own, store, quick=quick) for name, own in first.items()}
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
        trait = copy.copy(proposal["trait"])
        trait.options = self._kept[str(self.experiment)].options[trait.name]
        return trait.validate(None, proposal["value"])

    @observe("experiment")
    def _take_what_it_has(self, _: Any) -> None:
        """What the other experiment does not have becomes what it shows first."""
        experiment = self._kept[str(self.experiment)]
        with self.hold_trait_notifications():
            for name, value in experiment.first().items():
                chosen = getattr(self, name) if name == "learners" else [getattr(self, name)]
                if not set(chosen) <= set(experiment.options[name]):
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
        shown = self._kept[str(self.experiment)].at(self.protocol, stream, learner, noise)
        return {"online": shown.online, "final": shown.final}[measure]

    def figure(self, *, style: str = "paper") -> "Figure":
        """The same state as a figure for print, with alt text."""
        from bflo_viz.figures.results import draw_kept_runs

        return draw_kept_runs(self.scene, style=style)

    def _record(self) -> dict[str, Any]:
        """What a notebook keeps; of a store of the reader's own, the runs as well."""
        own = {} if self._of_the_course else {name: getattr(self, name) for name in self._for_page}
        return super()._record() | own


def _for_page(experiments: dict[str, Experiment]) -> dict[str, Any]:
    """All runs as plain numbers, and how the lines of the learners look."""
    learners = dict.fromkeys(name for experiment in experiments.values() for name in experiment.options["learners"])
    of = {name: _experiment(experiment) for name, experiment in experiments.items()}
    return {"looks": {name: _look(name) for name in learners}, "of": of}


def _look(learner: str) -> dict[str, str]:
    """Colour and dashes of the lines of a learner: those of the figure."""
    line = palette.series(learner).linestyle
    plain: dict[str, tuple[float, ...]] = {"-": (), "--": (3.7, 1.6), "-.": (6.4, 1.6, 1, 1.6), ":": (1, 1.65)}
    dashes = " ".join(f"{2 * length:g}" for length in (plain[line] if isinstance(line, str) else line[1]))
    return {"stroke": f"var(--{palette.variable(learner)})", "stroke-dasharray": dashes}


def _experiment(kept: Experiment) -> dict[str, Any]:
    options = kept.options
    places: dict[str, dict[str, Any]] = {protocol: {} for protocol in kept.protocols}
    for protocol, stream, noise in itertools.product(kept.protocols, options["stream"], options["noise"]):
        shown = {name: kept.at(protocol, stream, name, noise) for name in options["learners"]}
        places[protocol].setdefault(stream, {})[f"{noise:g}"] = {
            "heading": kept.heading(protocol, stream, noise),
            "rows": {name: _row(one, one.curve) for name, one in shown.items() if one.curve is not None},
        }
    return {
        "options": options,
        "first": kept.first(),
        "missing": {protocol: kept.missing(protocol) for protocol in kept.protocols},
        "places": places,
        "reach": {
            stream: {learner: kept.reach(stream, learner) for learner in options["learners"]}
            for stream in options["stream"]
        },
    }


def _row(shown: Shown, curve: Curve) -> dict[str, Any]:
    """What the page shows of a learner in one place."""
    curves = ("mistakes", "mistakes_error", "entropy", "entropy_error")
    cells = {"online": shown.online, "final": shown.final}
    return {
        "runs": curve.runs,
        "rounds": int(curve.ends[-1]),
        "block": int(curve.ends[0]),
        "collapse": curve.collapse,
        "seen": shown.entropy_is_seen,
        **{name: _short(getattr(curve, name)) for name in curves},
        **{name: (cell.ours, cell.error, cell.paper) for name, cell in cells.items() if cell is not None},
    }


def _short(values: Floats) -> list[float | None]:
    """Three decimals, more than can be seen; None for what is not finite."""
    return [value if math.isfinite(value) else None for value in values.round(3).tolist()]
