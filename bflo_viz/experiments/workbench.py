"""A protocol with switches: what every combination of options gives, and how far that is from the printed table."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from bflo_viz.experiments.paper import MEASURES
from bflo_viz.experiments.protocol import Protocol, Trial
from bflo_viz.experiments.results import Counts, Result
from bflo_viz.experiments.tables import Cell, Place, Table, fill_table, make_cell

Choice = tuple[str, ...]  # names of options, in the order of the switches


@dataclass(frozen=True, eq=False)
class Workbench:
    """What is kept of a protocol with switches.

    Attributes
    ----------
    counts
        The runs of each setting that has any, by the key of its run 0.
    """

    protocol: Protocol
    counts: Mapping[str, Counts]

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
        known = {(*_place(t), repr(t.recipe), repr(t.settings)): key for key, t in self.trials.items()}
        keys = {}
        for choice, variant in self.variants.items():
            streams = {name: repr(one) for name, one in variant.streams.items()}
            learners = {name: repr(one) for name, one in variant.learners.items()}
            keys[choice] = {
                (stream, learner, noise): known[stream, learner, noise, streams[stream], learners[learner]]
                for stream in streams
                for noise in variant.noise
                for learner in learners
            }
        return keys

    def choice(self, **options: str) -> Choice:
        """A combination by the names of its options; the first, where none is named."""
        self.protocol.chosen(**options)  # refuses what is not there
        return tuple(options.get(name, next(iter(one.options))) for name, one in self.protocol.switches.items())

    @property
    def ends(self) -> tuple[Choice, Choice]:
        """All first options, which read the text, and all last ones, which were fitted."""
        options = [tuple(switch.options) for switch in self.protocol.switches.values()]
        return tuple(every[0] for every in options), tuple(every[-1] for every in options)

    def table(self, choice: Choice) -> Table:
        """Our numbers beside the printed ones, by one combination."""
        runs = {
            place: self.counts[key].results(self.trials[key]) if key in self.counts else []
            for place, key in self.keys[choice].items()
        }
        return fill_table(self.variants[choice], runs)

    @cached_property
    def cells(self) -> dict[str, dict[str, Cell]]:
        """By setting and measure, our number beside the printed one: all tables are made of these."""
        printed = {
            (block.measure, stream, row.learner, block.noise): cell.paper
            for block in self.table(self.ends[0]).blocks
            for row in block.rows
            for stream, cell in zip(block.streams, row.cells, strict=True)
        }
        return {
            key: {
                measure: make_cell(
                    printed[measure, *_place(trial)], self.counts[key].errors(measure) if key in self.counts else []
                )
                for measure in MEASURES
            }
            for key, trial in self.trials.items()
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

    def neighbours(self, choice: Choice) -> list[Choice]:
        """The combinations that are one switch away."""
        options = [tuple(switch.options) for switch in self.protocol.switches.values()]
        return [
            (*choice[:at], other, *choice[at + 1 :])
            for at, every in enumerate(options)
            for other in every
            if other != choice[at]
        ]

    def path(self, start: Choice) -> list[Choice]:
        """From one combination on, always by the switch that helps most, until none helps."""
        path = [start]
        while True:
            near = [one for one in self.neighbours(path[-1]) if one in self.deviations]
            best = min(near, key=self.deviations.__getitem__, default=start)
            if not self.deviations.get(best, 0.0) < self.deviations.get(path[-1], 0.0):
                return path
            path.append(best)

    def in_words(self, choice: Choice) -> str:
        """A combination as ``name=option``."""
        return " ".join(f"{name}={option}" for name, option in zip(self.protocol.switches, choice, strict=True))

    def decided_by(self, key: str) -> str:
        """The options that decide a setting, as ``name=option``; ``|`` is between those that give the same."""
        place = _place(self.trials[key])
        having = [choice for choice, keys in self.keys.items() if keys[place] == key]
        words = []
        for at, (name, switch) in enumerate(self.protocol.switches.items()):
            used = {choice[at] for choice in having}
            if len(used) < len(switch.options):
                words.append(f"{name}={'|'.join(option for option in switch.options if option in used)}")
        return " ".join(words)

    def __str__(self) -> str:
        """How far from the printed table the text is, the fit, the nearest of all, and a path there."""
        protocol, found = self.protocol, self.deviations
        runs = sum(len(counts.runs) for counts in self.counts.values())
        lines = [
            f"{protocol.title}. {protocol.about}",
            f"{len(self.variants)} combinations of {len(protocol.switches)} switches, {len(found)} of them with runs "
            f"for all printed numbers; {runs:,} runs in all.",
        ]
        if not found:
            return "\n".join(lines)
        nearest = min(found, key=found.__getitem__)
        named = {"all first options": self.ends[0], "all last options": self.ends[1], "the nearest of all": nearest}
        lines += ["", "Mean deviation from the printed numbers, in points:"]
        lines += [f"{_points(found.get(choice))}  {name}: {self.in_words(choice)}" for name, choice in named.items()]
        lines += ["", "From the first options, always the switch that helps most:"]
        for before, now in zip([(), *(path := self.path(self.ends[0]))], path, strict=False):
            moved = [f"{n}={new}" for n, old, new in zip(protocol.switches, before, now, strict=False) if old != new]
            lines.append(f"{_points(found.get(now))}  {' '.join(moved) or 'all first options'}")
        lines += [
            "",
            "The printed numbers decide which option is nearer: that is fitting, and does not show what was run.",
        ]
        return "\n".join(lines)


def gather(protocol: Protocol, results: Iterable[Result]) -> Workbench:
    """What results have of a protocol with switches."""
    empty, by_key = Workbench(protocol, {}), {result.key: result for result in results}
    counts = {}
    for key, trial in empty.trials.items():
        every = [by_key.get(replace(trial, run=run).key) for run in range(protocol.runs)]
        rows = [row for row in every if row is not None]
        if not rows:
            continue
        listed = {
            name: tuple(getattr(row, name) for row in rows)
            for name in ("online_mistakes", "final_mistakes", "mean_mistakes")
        }
        counts[key] = Counts(
            key=key,
            stream=trial.stream,
            learner=trial.learner,
            noise=trial.noise,
            settings=empty.decided_by(key),
            runs=tuple(row.run for row in rows),
            rounds=rows[0].rounds,
            test_rows=rows[0].test_rows,
            **listed,
            seconds=sum(row.seconds for row in rows),
            data=" ".join(sorted({row.data for row in rows})),
            code=" ".join(sorted({row.code for row in rows})),
        )
    return Workbench(protocol, counts)


def _place(trial: Trial) -> Place:
    return trial.stream, trial.learner, trial.noise


def _points(deviation: float | None) -> str:
    return f"{'not run' if deviation is None else f'{deviation:.2f}':>8}"
