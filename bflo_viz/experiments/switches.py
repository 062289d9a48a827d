"""Switches of a protocol: what can be settled in more than one way, and what each way changes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from bflo_viz import _checks as check
from bflo_viz.experiments.recipes import LearnerRecipe, StreamRecipe

_OF_STREAMS = {one.name for one in fields(StreamRecipe)} - {"load", "source"}
_OF_THE_TEST = ("final", "final_noise")
Streams = Mapping[str, StreamRecipe]
Learners = Mapping[str, LearnerRecipe]


@dataclass(frozen=True)
class Option:
    """One way to settle something; of streams and learners that are not there it says nothing."""

    text: str
    mark: str  # what the paper's text has to say of it
    every_stream: Mapping[str, Any] = field(default_factory=dict)  # whatever they say themselves
    streams: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    learners: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def applied(self, streams: Streams, learners: Learners) -> tuple[Streams, Learners]:
        """Streams and learners with what it changes."""
        return (
            {
                name: _stream(one, {**self.every_stream, **self.streams.get(name, {})})
                for name, one in streams.items()
            },
            {name: _learner(one, self.learners.get(name, {})) for name, one in learners.items()},
        )


@dataclass(frozen=True)
class Switch:
    """Something that can be settled in more than one way: first as the text is read, last as it was fitted."""

    label: str
    help: str
    options: Mapping[str, Option]


def read_switches(tables: Any, streams: Streams, learners: Learners) -> dict[str, Switch]:
    """Make switches of what a file says; a ValueError if they do not fit these streams and learners."""
    return {
        name: _switch(f"switches.{name}", one, streams, learners) for name, one in _table("switches", tables).items()
    }


def _switch(place: str, table: Any, streams: Streams, learners: Learners) -> Switch:
    _table(place, table, {"label", "help", "options"})
    options = _table(f"{place}.options", table.get("options", {}))
    if len(options) < 2:
        raise ValueError(f"{place} must have two options or more, such as [{place}.options.NAME].")
    made = {name: _option(f"{place}.options.{name}", one, streams, learners) for name, one in options.items()}
    return Switch(_text(place, table, "label"), _text(place, table, "help"), made)


def _option(place: str, table: Any, streams: Streams, learners: Learners) -> Option:
    _table(place, table, {one.name for one in fields(Option)})
    for what, known in (("streams", streams), ("learners", learners)):
        for name, settings in _table(f"{place}.{what}", table.get(what, {}), set(known)).items():
            _table(f"{place}.{what}.{name}", settings, _OF_STREAMS if what == "streams" else None)
            if "kind" in settings:
                raise ValueError(f"{place}.{what}.{name} must not change the kind of the learner.")
    _table(f"{place}.every_stream", table.get("every_stream", {}), _OF_STREAMS)
    option = Option(**table | {part: _text(place, table, part) for part in ("text", "mark")})
    try:
        option.applied(streams, learners)
    except (ValueError, TypeError) as problem:
        raise ValueError(f"{place}: {problem}") from None
    return option


def _stream(recipe: StreamRecipe, settings: Mapping[str, Any]) -> StreamRecipe:
    steps = {"steps": tuple(map(str, settings["steps"]))} if "steps" in settings else {}
    return replace(recipe, **{**settings, **steps}) if settings else recipe


def _learner(recipe: LearnerRecipe, settings: Mapping[str, Any]) -> LearnerRecipe:
    test = {name: settings[name] for name in _OF_THE_TEST if name in settings}
    options = {name: value for name, value in settings.items() if name not in _OF_THE_TEST}
    return recipe.changed(options, **test) if settings else recipe


def _text(place: str, table: Mapping[str, Any], name: str) -> str:
    value = table.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{place}.{name} must be a text, but it was {value!r}.")
    return value


def _table(place: str, table: Any, known: set[str] | None = None) -> Mapping[str, Any]:
    if not isinstance(table, Mapping):
        raise ValueError(f"{place} must be a table, but it was {check.short(table)}.")
    for name in table:
        if known is not None and name not in known:
            raise ValueError(f"{place}.{name} means nothing here: {check.did_you_mean(name, sorted(known))}")
    return table
