"""A panel of results: choose a stream, noise, learners and a protocol; see curves, final errors and entropy."""

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import anywidget
import ipywidgets
import traitlets
from matplotlib.figure import Figure

from bflo_viz import _checks as check
from bflo_viz.experiments import files
from bflo_viz.experiments.curves import Curve, mean_curve
from bflo_viz.experiments.protocol import Protocol, load_protocol, names
from bflo_viz.experiments.result import Result, read_csv
from bflo_viz.experiments.store import Store
from bflo_viz.experiments.tables import Cell, make_table
from bflo_viz.explorers.base import replace_last, this_cell
from bflo_viz.figures.style import alt_text, png
from bflo_viz.lessons.panel_figure import SIZE, PanelFigure, Shown, limits
from bflo_viz.scenes.base import number

_WIDTH = 100 * SIZE[0]  # pixels on the page
_VIEW = "application/vnd.jupyter.widget-view+json"


class _Picture(anywidget.AnyWidget):
    """Pixels with words for those who cannot see them (the picture of ipywidgets has none), and what went wrong."""

    _esm = (Path(__file__).parent / "picture.js").read_text(encoding="utf-8")
    pixels = traitlets.Bytes().tag(sync=True)
    words = traitlets.Unicode().tag(sync=True)
    width = traitlets.Int(round(_WIDTH)).tag(sync=True)
    drawn = traitlets.Int(0, help="How many pictures there were.").tag(sync=True)
    problem = traitlets.Unicode().tag(sync=True)


class ResultsPanel(ipywidgets.VBox):  # type: ignore[misc]
    """Kept results of an experiment behind four controls; what they set are traits, to be set in Python as well.

    Axes depend on the stream and on the learners only: so what changes in the picture when noise or protocol is
    changed has changed in the results.

    Parameters
    ----------
    experiment, protocol
        As for `load_protocol`. All protocols that the experiment comes with can be chosen; this one is shown first.
    store
        A file that ``bflo run --store`` wrote. Without it, the results that come with the course.
    quick
        Whether to show the small version of the experiment.
    **state
        ``stream``, ``noise`` and ``learners``, if they are not to be the first ones and those of the paper.

    Attributes
    ----------
    stream, noise, learners, protocol
        What is shown: ``panel.stream = "EEG"``, ``panel.noise = 0.2``, ``panel.learners = ("SGD", "BFLO")``.
    """

    stream = traitlets.Any()
    noise = traitlets.Any()
    learners = traitlets.Any()
    protocol = traitlets.Any()

    def __init__(
        self,
        experiment: str = "table1",
        protocol: str = "inferred",
        store: str | os.PathLike[str] | None = None,
        *,
        quick: bool = False,
        **state: Any,
    ) -> None:
        if wrong := [name for name in state if name not in ("stream", "noise", "learners")]:
            raise ValueError(f"ResultsPanel has no {wrong[0]!r}: it has stream, noise, learners and protocol.")
        self.experiment, self._store, self._quick = experiment, store, quick
        ways = dict.fromkeys((*names(experiment), protocol))
        self._protocols = {one.name.removesuffix(", quick"): one for one in self._loaded(ways)}
        self._results = {name: self._kept(one) for name, one in self._protocols.items()}
        self._options: dict[str, tuple[Any, ...]] = {
            "stream": _merged(one.streams for one in self._protocols.values()),
            "noise": tuple(sorted(_merged(one.noise for one in self._protocols.values()))),
            "learners": _merged(one.learners for one in self._protocols.values())
            + _merged(kept.extras for kept in self._results.values()),
            "protocol": tuple(self._protocols),
        }
        self._figure = PanelFigure(self._options["learners"])
        self._picture = _Picture()
        self._boxes: dict[str, Any] = {}
        self._controls = self._make_controls()
        self._ready = False
        super().__init__([*self._rows_of_controls(), self._picture])
        self.add_class("bflo-panel")
        first = load_protocol(experiment, protocol, quick=quick)
        try:
            self.protocol = first.name.removesuffix(", quick")
            self.stream = state.get("stream", self._options["stream"][0])
            self.noise = state.get("noise", self._options["noise"][0])
            self.learners = state.get("learners", tuple(first.learners))
        except ValueError:
            self.close()
            raise
        self._draw_axes()
        self._ready = True
        self._draw()
        self._shown_in: set[str | None] = set()
        replace_last(self)

    def _loaded(self, ways: Iterable[str]) -> list[Protocol]:
        return [load_protocol(self.experiment, name, quick=self._quick) for name in ways]

    def _kept(self, protocol: Protocol) -> "_Kept":
        """Results that are kept of a protocol; none where there is no folder of results."""
        if self._store is not None:
            with Store(Path(self._store), create=False) as store:
                return _Kept(protocol, list(store))
        try:
            path = files.folder() / files.file_name(self.experiment, protocol.name)
        except ValueError:
            return _Kept(protocol, [])
        if not path.is_file():
            return _Kept(protocol, [])
        # Reading takes longer than drawing: the same file is read once, unless it or the protocol has changed.
        version = (str(path), path.stat().st_mtime_ns, repr(protocol))
        if version not in _READ:
            _READ[version] = _Kept(protocol, read_csv(path))
        return _READ[version]

    # Controls

    def _make_controls(self) -> dict[str, Any]:
        wide = {"description_width": "initial"}
        options = {
            "stream": list(self._options["stream"]),
            "noise": [("none", 0.0) if not one else (f"{100 * one:g} %", one) for one in self._options["noise"]],
            "protocol": [(f"{name} (fitted)" if one.fitted else name, name) for name, one in self._protocols.items()],
        }
        labels = {"stream": "stream", "noise": "labels flipped", "protocol": "protocol"}
        layout = {"width": "auto", "margin": "2px 14px 2px 2px"}
        controls = {
            name: ipywidgets.Dropdown(options=options[name], description=label, style=wide, layout=layout)
            for name, label in labels.items()
        }
        for name, control in controls.items():
            control.observe(lambda change, name=name: self._take(name, change.new), "value")
        for name in self._options["learners"]:
            small = {"width": "auto", "margin": "2px 14px 2px 2px"}
            self._boxes[name] = ipywidgets.Checkbox(description=name, indent=False, layout=small)
            self._boxes[name].observe(self._tick, "value")
        return controls

    def _rows_of_controls(self) -> list[Any]:
        wrapped = {"flex_flow": "row wrap", "align_items": "center"}
        return [
            ipywidgets.Box(list(self._controls.values()), layout=wrapped),
            ipywidgets.Box([ipywidgets.Label("learners"), *self._boxes.values()], layout=wrapped),
        ]

    def _tick(self, _change: Any) -> None:
        self._take("learners", tuple(name for name, box in self._boxes.items() if box.value))

    def _take(self, name: str, value: Any) -> None:
        """What a control says. Jupyter only logs what goes wrong here: show it where the user looks, too."""
        if not self._ready:
            return
        try:
            setattr(self, name, value)
        except Exception as problem:
            self._picture.problem = f"A callback failed with {type(problem).__name__}: {problem}"
            raise

    # State

    @traitlets.validate("stream", "protocol")
    def _known(self, proposal: Any) -> str:
        name = proposal["trait"].name
        return check.choice(name, proposal["value"], self._options[name])

    @traitlets.validate("noise")
    def _known_noise(self, proposal: Any) -> float:
        there, value = self._options["noise"], proposal["value"]
        if isinstance(value, int | float) and not isinstance(value, bool) and value in there:
            return float(value)
        raise ValueError(f"noise must be {' or '.join(f'{one:g}' for one in there)}, but it was {value!r}.")

    @traitlets.validate("learners")
    def _known_learners(self, proposal: Any) -> tuple[str, ...]:
        value = proposal["value"]
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise ValueError(f"learners must be several names, such as ('SGD', 'BFLO'), but it was {value!r}.")
        chosen = [check.choice("each of learners", name, self._options["learners"]) for name in value]
        return tuple(name for name in self._options["learners"] if name in chosen)

    @traitlets.observe("stream", "noise", "learners", "protocol")
    def _changed(self, change: Any) -> None:
        if not self._ready:
            self._set_controls()
            return
        self._ready = False  # the controls follow, and need not answer
        try:
            self._set_controls()
        finally:
            self._ready = True
        self._draw()

    def _set_controls(self) -> None:
        for name, control in self._controls.items():
            if getattr(self, name) is not None:
                control.value = getattr(self, name)
        for name, box in self._boxes.items():
            box.value = name in (self.learners or ())

    @property
    def state(self) -> dict[str, Any]:
        """What is shown, by name."""
        return {name: getattr(self, name) for name in ("stream", "noise", "learners", "protocol")}

    @property
    def figure(self) -> Figure:
        """The figure, always the same one, with alt text."""
        return self._figure.figure

    def number(self, learner: str, measure: str = "final", noise: float | None = None) -> Cell | None:
        """Our error of a learner beside the paper's, as now shown or at another noise; None if there is neither."""
        noise = self.noise if noise is None else noise
        return self._results[self.protocol].cell(measure, self.stream, learner, noise)

    # Picture

    def _draw_axes(self) -> None:
        """Draw the axes of every stream once, which takes longest: not when a stream is first chosen."""
        first = self.stream
        for stream in self._options["stream"]:
            self.stream = stream
            self._figure.show(*self._scene())
            self._figure.png()
        self.stream = first

    def _draw(self) -> None:
        self._figure.show(*self._scene())
        with self._picture.hold_sync():
            self._picture.pixels = self._figure.png()
            self._picture.words = alt_text(self.figure)
            self._picture.problem = ""
            self._picture.drawn += 1

    def _scene(self) -> tuple[str, dict[str, Shown], Any, str, str]:
        shown = {name: self._shown(self.protocol, self.noise, name) for name in self.learners}
        every = [
            self._shown(protocol, noise, name)
            for protocol in self._protocols
            for noise in self._options["noise"]
            for name in self.learners
        ]
        message = self._missing(shown)
        heading = self._heading(shown)
        words = f"{heading}. {message or _in_words(shown, self._results[self.protocol], self.stream, self.noise)}"
        return heading, shown, limits(every), message, words

    def _shown(self, protocol: str, noise: float, learner: str) -> Shown:
        kept = self._results[protocol]
        return Shown(kept.curve(self.stream, learner, noise), kept.cell("final", self.stream, learner, noise))

    def _missing(self, shown: dict[str, Shown]) -> str:
        if not shown:
            return "No learner is chosen: tick one."
        if any(one.curve is not None for one in shown.values()):
            return ""
        where = "" if self._store is None else f" in {Path(self._store).name}"
        command = f"bflo run {self.experiment}" + (" --quick" if self._quick else "")
        command += "" if self.protocol == "inferred" else f" --protocol {self.protocol}"
        what = f"runs of {', '.join(shown)} on {self.stream}" if self._results[self.protocol].count else "results"
        return f"There are no {what} by protocol {self.protocol}{where}:\n{command} makes them."

    def _heading(self, shown: dict[str, Shown]) -> str:
        flipped = f"{100 * self.noise:g} % of the labels flipped" if self.noise else "no labels flipped"
        fitted = " (fitted to the printed numbers)" if self._protocols[self.protocol].fitted else ""
        counts = sorted({one.curve.runs for one in shown.values() if one.curve is not None})
        runs = f" · mean of {' or '.join(map(str, counts))} runs ± standard error" if counts else ""
        runs = " · one run" if counts == [1] else runs
        return f"{self.stream}, {flipped} · protocol {self.protocol}{fitted}{runs}"

    def __repr__(self) -> str:
        """Words for where only text can be shown; the same in every run."""
        return f"ResultsPanel. {alt_text(self.figure)}"

    def _repr_mimebundle_(self, **_options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        self._shown_in.add(this_cell()[0])
        bundle: dict[str, Any] = {"text/plain": repr(self), "image/png": png(self.figure)}
        if self.model_id is not None:
            bundle[_VIEW] = {"version_major": 2, "version_minor": 0, "model_id": self.model_id}
        return bundle, {"image/png": {"alt": alt_text(self.figure)}}

    def close(self) -> None:
        """Close the panel and all that is in it."""
        if sys.is_finalizing():
            return
        boxes = [widget for box in self.children for widget in getattr(box, "children", ())]
        every = [*boxes, *self.children]
        parts = [
            part for one in (*every, self) for part in (one.layout, getattr(one, "style", None)) if part is not None
        ]
        super().close()
        for widget in (*every, *parts):
            widget.close()


class _Kept:
    """The kept runs of one protocol: their means, computed when they are first asked for."""

    def __init__(self, protocol: Protocol, rows: Sequence[Result]) -> None:
        self.extras = tuple(name for name in protocol.extras if any(row.learner == name for row in rows))
        self._protocol = protocol.extended(self.extras)
        keys = {trial.key for trial in self._protocol.trials(1 + max((row.run for row in rows), default=0))}
        self._runs: dict[tuple[str, str, float], list[Result]] = {}
        self.count = sum(row.key in keys for row in rows)
        for row in rows:
            if row.key in keys:
                self._runs.setdefault((row.stream, row.learner, row.noise), []).append(row)
        self._curves: dict[tuple[str, str, float], Curve] = {}
        self._blocks = {(block.measure, block.noise): block for block in make_table(self._protocol, rows).blocks}

    def curve(self, stream: str, learner: str, noise: float) -> Curve | None:
        """The mean learning curve, or None."""
        place = (stream, learner, noise)
        if place not in self._curves and place in self._runs:
            self._curves[place] = mean_curve(self._runs[place])
        return self._curves.get(place)

    def cell(self, measure: str, stream: str, learner: str, noise: float) -> Cell | None:
        """A number of ours beside the paper's, or None."""
        block = self._blocks.get((measure, noise))
        rows = [] if block is None else [row for row in block.rows if row.learner == learner]
        if not rows or block is None or stream not in block.streams:
            return None
        return rows[0].cells[block.streams.index(stream)]


def _in_words(shown: dict[str, Shown], kept: _Kept, stream: str, noise: float) -> str:
    errors, beliefs, without = [], [], []
    for name, one in shown.items():
        if one.curve is None:
            errors.append(f"{name} no runs")
            continue
        cells = [(measure, kept.cell(measure, stream, name, noise)) for measure in ("online", "final")]
        errors.append(f"{name} " + " and ".join(f"{_said(cell)} {m}" for m, cell in cells if cell is not None))
        if not one.curve.entropy.size:
            without.append(name)
            continue
        first, last = (number(value) for value in one.curve.entropy[[0, -1]])
        fallen = one.curve.collapse
        rest = "" if fallen is None else f" (a width is exactly 0 by round {fallen:,.0f})"
        beliefs.append(f"{name} from {first} to {last}{rest}")
    entropy = f" Entropy of the belief in nats: {', '.join(beliefs)}." if beliefs else ""
    none = f" Without a belief: {', '.join(without)}." if without else ""
    return f"Errors in percent: {'; '.join(errors)}.{entropy}{none}"


def _said(cell: Cell) -> str:
    error = f" ± {cell.error:.2f}" if cell.error is not None else ""
    printed = f" (paper {cell.paper:.2f})" if cell.paper is not None else ""
    return ("none" if cell.ours is None else f"{cell.ours:.2f}{error}") + printed


def _merged(groups: Iterable[Iterable[Any]]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(one for group in groups for one in group))


_READ: dict[tuple[Any, ...], _Kept] = {}
