"""Tables of experiments for the notebooks: run them, read them, and say what a protocol sets or changes."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bflo_viz.experiments.protocol import Protocol, load_protocol
from bflo_viz.experiments.recipes import LearnerRecipe
from bflo_viz.experiments.results import Store, committed
from bflo_viz.experiments.runner import run
from bflo_viz.experiments.tables import Table, make_table
from bflo_viz.lessons.experiment import bar_of_runs


def stored_table(experiment: str, protocol: str) -> Table:
    """The table of the runs that come with the course."""
    return make_table(load_protocol(experiment, protocol), committed(experiment, protocol))


def live_table(protocol: Protocol, path: Path, runs: int) -> Table:
    """Do what is not yet in the file of runs, with a bar, and make the table of all of it."""
    with Store(path) as store:
        report = run(protocol, store, runs=runs, watch=bar_of_runs())
        rows = store.results(protocol.trials(runs))
    kept = f" ({report.kept} were there before)" if report.kept else ""
    print(f"{report.done} runs done{kept}.", *report.missing.values(), *report.failed.values())
    return make_table(protocol, rows, runs=runs)


def settings_of(protocol: Protocol) -> str:
    """The settings of each learner, and who predicts its final test: one line for each."""
    return _lines({name: _settings(one) for name, one in protocol.learners.items()})


def changes_of(before: Protocol, after: Protocol) -> str:
    """What one protocol does differently from another: one line for each stream and learner that changes."""
    streams = {
        name: _changes(vars(before.streams[name]), vars(stream), ("split", "shuffle"))
        for name, stream in after.streams.items()
    }
    learners = {
        name: _changes(_settings(before.learners[name]), _settings(one)) for name, one in after.learners.items()
    }
    return _lines({name: changes for name, changes in (streams | learners).items() if changes})


def with_variants(protocol: Protocol, changes: Mapping[str, Mapping[str, Any]]) -> Protocol:
    """The same protocol with more learners: each is one of its own with some settings changed.

    The name of a variant says whose it is: ``{"SGD, half the rate": {"eta": 0.0005}}``.
    """
    more = {name: protocol.learners[name.split(", ")[0]].replace(**new) for name, new in changes.items()}
    every = {**protocol.learners, **more}
    return protocol.replace(
        learners={name: every[name] for name in sorted(every)}, name="one at a time", fitted=False
    )


def _settings(one: LearnerRecipe) -> dict[str, Any]:
    """The options of a learner, and how it predicts the final test."""
    return {**one.options, "test by": one.final} | ({"test noise": one.final_noise} if one.final_noise else {})


def _changes(before: Mapping[str, Any], after: Mapping[str, Any], keys: Iterable[str] = ()) -> dict[str, str]:
    both = [key for key in keys or dict.fromkeys((*before, *after)) if before.get(key) != after.get(key)]
    return {key: f"{_short(before.get(key, 'none'))} -> {_short(after.get(key, 'none'))}" for key in both}


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _lines(rows: Mapping[str, Mapping[str, Any]]) -> str:
    words = {name: ", ".join(f"{key} {_short(value)}" for key, value in row.items()) for name, row in rows.items()}
    return "\n".join(f"{name:9} {said}" for name, said in words.items())
