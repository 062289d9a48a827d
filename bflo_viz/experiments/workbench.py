"""A protocol with switches: what every combination of options gives, and how far that is from the printed table."""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

from bflo_viz import _places
from bflo_viz.experiments.protocol import Protocol, Trial, load_protocol
from bflo_viz.experiments.results import COLUMNS as RESULT_COLUMNS
from bflo_viz.experiments.results import Result, file_name
from bflo_viz.experiments.tables import MEASURES, Cell, Place, Table, fill_table

Choice = tuple[str, ...]  # names of options, in the order of the switches
OF_EACH_RUN = ("run", "online_mistakes", "final_mistakes", "mean_mistakes")


@dataclass(frozen=True, eq=False)
class Workbench:
    """Results of a protocol with switches: the runs of each setting that has any, by the key of its run 0."""

    protocol: Protocol
    runs: Mapping[str, list[Result]]

    @cached_property
    def variants(self) -> dict[Choice, Protocol]:
        """The protocol by each combination of options."""
        return self.protocol.variants()

    @cached_property
    def trials(self) -> dict[str, Trial]:
        """Run 0 of each setting, by its key."""
        return {trial.key: trial for trial in self.protocol.trials(1)}

    @cached_property
    def keys(self) -> dict[Choice, dict[Place, str]]:
        """Which setting is in each place of the table, by each combination."""
        known = {(t.stream, t.recipe, t.learner, t.settings, t.noise): key for key, t in self.trials.items()}
        return {
            choice: {
                (stream, learner, noise): known[stream, recipe, learner, settings, noise]
                for stream, recipe in variant.streams.items()
                for noise in variant.noise
                for learner, settings in variant.learners.items()
            }
            for choice, variant in self.variants.items()
        }

    @property
    def ends(self) -> tuple[Choice, Choice]:
        """All first options, which read the text, and all last ones, which were fitted."""
        options = [tuple(switch.options) for switch in self.protocol.switches.values()]
        return tuple(every[0] for every in options), tuple(every[-1] for every in options)

    def choice(self, **options: str) -> Choice:
        """Return a combination by the names of its options; the first, where none is named."""
        self.protocol.with_switches(**options)  # refuses what is not there
        return tuple(options.get(name, next(iter(one.options))) for name, one in self.protocol.switches.items())

    def table(self, choice: Choice) -> Table:
        """Make the table of one combination."""
        runs = {place: self.runs.get(key, []) for place, key in self.keys[choice].items()}
        return fill_table(self.variants[choice], runs, self.protocol.runs)

    @cached_property
    def cells(self) -> dict[str, dict[str, Cell]]:
        """Our number beside the printed one, by setting and measure: all tables are made of these."""
        places = {key: (t.noise, t.learner, t.stream) for key, t in self.trials.items()}
        empty = fill_table(self.variants[self.ends[0]], dict.fromkeys(self.keys[self.ends[0]], ()), 1).cells
        return {
            key: {measure: empty[measure, *place].filled(self.runs.get(key, [])) for measure in MEASURES}
            for key, place in places.items()
        }

    @cached_property
    def deviations(self) -> dict[Choice, float]:
        """Mean absolute deviation, in points of percent, by each combination that has runs for all its numbers."""
        found = {}
        for choice, keys in self.keys.items():
            cells = [self.cells[key][measure] for measure in MEASURES for key in keys.values()]
            sizes = [abs(cell.deviation) for cell in cells if cell.deviation is not None]
            if sizes and len(sizes) == sum(cell.paper is not None for cell in cells):
                found[choice] = sum(sizes) / len(sizes)
        return found

    def __str__(self) -> str:
        found, names = self.deviations, self.protocol.switches
        named = dict(zip(("all first options", "all last options"), self.ends, strict=True))
        named |= {"the nearest of all": min(found, key=found.__getitem__)} if found else {}
        lines = [
            f"{self.protocol.title}. {self.protocol.about}",
            f"{len(self.variants)} combinations of {len(names)} switches, {len(found)} of them with all runs. "
            "Mean deviation from the printed numbers, in points:",
        ]
        for name, choice in named.items():
            words = " ".join(map("=".join, zip(names, choice, strict=True)))
            lines.append(f"{found.get(choice, float('nan')):8.2f}  {name}: {words}")
        return "\n".join([*lines, "The printed numbers decide which option is nearer, so choosing it is fitting."])


def gather(protocol: Protocol, results: Iterable[Result]) -> Workbench:
    """Group results by the settings of a protocol with switches."""
    by_key, runs = {result.key: result for result in results}, {}
    for trial in protocol.trials(1):
        every = [by_key.get(replace(trial, run=run).key) for run in range(protocol.runs)]
        if found := [result for result in every if result is not None]:
            runs[trial.key] = found
    return Workbench(protocol, runs)


def read(protocol: Protocol, path: Path | None = None) -> Workbench:
    """Read the results that come with the course: a line for each setting has the counts of all its runs."""
    path = path or _places.results_folder() / file_name(protocol.experiment, protocol.name)
    known, runs = {trial.key for trial in protocol.trials(1)}, dict[str, list[Result]]()
    blank = dict.fromkeys(RESULT_COLUMNS, "") | {"experiment": protocol.experiment}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            counts = zip(*(row[name].split() for name in OF_EACH_RUN), strict=True)
            rows = [Result.from_row(blank | row | dict(zip(OF_EACH_RUN, one, strict=True))) for one in counts]
            runs |= {row["key"]: rows} if row["key"] in known else {}
    return Workbench(protocol, runs)


@lru_cache(maxsize=4)
def committed_workbench(experiment: str = "table1") -> Workbench:
    """Return the workbench of an experiment with the results that come with the course; it is read once.

    >>> bench = committed_workbench("table2")
    >>> bench.table(bench.choice(rival_steps="large")).cells["online", 0.0, "SGD", "RANDOM"].paper
    89.14
    """
    return read(load_protocol(experiment, "workbench"))
