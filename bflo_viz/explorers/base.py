"""The base of all explorers: state in Python that a page draws, a page without Python, and errors that are seen."""

import difflib
import functools
import os
import traceback
from pathlib import Path
from typing import Any, ClassVar

import anywidget
import numpy as np
import traitlets

from bflo_viz.explorers.page import STYLE, module, page

MIME = "application/vnd.bflo-viz.explorer+json"  # what a notebook keeps, to make the explorer again elsewhere


@functools.lru_cache(maxsize=8)
def remembered(run: Any, seed: int, **settings: Any) -> Any:
    """Run something with the random numbers of the page; the last few runs are kept."""
    return run(np.random.RandomState(seed), **settings)


class Explorer(anywidget.AnyWidget):
    """An instrument drawn in the browser; every public trait can be set, observed and linked.

    ``show`` lists the controls in sight, in place of the usual ones; the others are behind *More*. ``presets`` maps
    the words of a chip to the traits that it sets, in place of the usual chips.
    """

    view: ClassVar[str]  # name of its module in js/views
    title: ClassVar[str]
    constants: ClassVar[dict[str, Any]] = {}  # anything else that the page needs
    show = traitlets.List(traitlets.Unicode(), help="Names of the controls in sight.").tag(sync=True)
    presets = traitlets.Dict(help="Chips: words, and the traits that each sets.").tag(sync=True)
    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode(STYLE).tag(sync=True)
    _spec = traitlets.Dict(help="Title, and a description of each control.").tag(sync=True)
    _problem = traitlets.Unicode(help="What went wrong in a callback, for the page to show.").tag(sync=True)

    def __init__(self, **state: Any) -> None:
        self._check(*state.keys() - {"show", "presets", "layout", "tooltip", "tabbable"})
        about = {"title": self.title, "python": type(self).__name__, "constants": self.constants}
        super().__init__(_esm=module(self.view), _spec=about | {"controls": self.controls()}, **state)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a trait; a mistyped name must not become a silent attribute."""
        if not name.startswith("_") and not hasattr(type(self), name):
            self._check(name)
        super().__setattr__(name, value)

    @classmethod
    def controls(cls) -> dict[str, dict[str, Any]]:
        """Return the description of each trait's control, in the order of the class."""
        known = [name for kind in reversed(cls.__mro__) for name in vars(kind)]
        traits = cls.class_traits(control=lambda control: control is not None)
        return {name: traits[name].metadata["control"] for name in dict.fromkeys(known) if name in traits}

    @classmethod
    def _check(cls, *names: str) -> None:
        """Refuse names that are not traits."""
        known = sorted(cls.controls())
        for name in names:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(known)}."
                raise traitlets.TraitError(f"{cls.__name__} has no trait {name!r}: {hint}")

    @traitlets.validate("show", "presets")
    def _check_names(self, proposal: dict[str, Any]) -> Any:
        value = proposal["value"]
        self._check(*(value if isinstance(value, list) else [name for to in value.values() for name in to]))
        for preset in value.values() if isinstance(value, dict) else ():
            for name, to in preset.items():
                self.traits()[name]._validate(self, to)
        return value

    @property
    def state(self) -> dict[str, Any]:
        """The public traits by name."""
        return {name: getattr(self, name) for name in self.controls()}

    @property
    def _kept(self) -> dict[str, Any]:
        return self.state | {"show": self.show, "presets": self.presets}

    def on_page(self) -> dict[str, Any]:
        """Return everything that a page without Python needs."""
        return {"explorer": self.view, "_spec": self._spec, **self._kept}

    @classmethod
    def page_of(cls, record: dict[str, Any]) -> dict[str, Any]:
        """Return the same for an explorer that is stored in a notebook."""
        return cls(**record["state"]).on_page()

    def save_html(self, path: str | os.PathLike[str]) -> Path:
        """Write a page with this explorer, as it is now, that works from a disk with no network and no Python."""
        Path(path).write_text(page(self.title, self.on_page()), encoding="utf-8")
        return Path(path)

    def __repr__(self) -> str:
        changed = {name: value for name, value in self.state.items() if value != self.controls()[name]["default"]}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle, metadata = super()._repr_mimebundle_(**options) or ({}, {})
        kept = {"explorer": type(self).__name__, "state": self._kept}
        return bundle | {"text/plain": repr(self), MIME: kept}, metadata

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take what the browser sends; Jupyter only logs errors in here, so the page shows them as well."""
        try:
            super().set_state(sync_data)
            self._problem = ""
        except Exception as problem:
            where = traceback.extract_tb(problem.__traceback__)[-1]
            told = f"A callback failed in line {where.lineno} with {type(problem).__name__}: {problem}"
            self._problem = str(problem) if isinstance(problem, traitlets.TraitError) else told
            self.send_state([name for name in sync_data if name in self.keys])  # what was refused goes out of sight
            raise
