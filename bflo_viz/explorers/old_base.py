"""What all explorers share: state in Python, a picture beside the view, a page without Python, and clean reruns."""

import copy
import os
import sys
import traceback
import weakref
from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import anywidget
import traitlets
from IPython.core.getipython import get_ipython
from ipywidgets.widgets.widget import _instances

from bflo_viz import _checks as check
from bflo_viz._places import write_whole
from bflo_viz.explorers.address import decoded, differences, explorers_in
from bflo_viz.explorers.old_page import SHARED, module, page, style_sheet
from bflo_viz.explorers.traits import Checked
from bflo_viz.scenes.base import Scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MIME = "application/vnd.bflo-viz.explorer+json"  # what a notebook keeps, to make the explorer again elsewhere
_OF_ANY_WIDGET = ("layout", "tooltip", "tabbable")
_OF_THE_PAGE = ("_view_count", "_dom_classes")  # what a page may set of its own accord, beside public traits
_BY_CELL: dict[str, tuple[int, "weakref.WeakSet[Explorer]"]] = {}  # cell -> which run of it, and what that run made


class Explorer(anywidget.AnyWidget):
    """An instrument drawn in the browser; every public trait can be set, observed and linked.

    Setting a trait moves the picture, moving the picture sets the trait. Where no widget can run a notebook shows
    the picture and the words that were saved with it, and `save_html` writes a page that needs no Python at all.
    """

    _view: ClassVar[Path]  # the ES module that draws
    _title: ClassVar[str]
    _help: ClassVar[str] = ""  # what to do with it, in a sentence or two
    _for_page: ClassVar[tuple[str, ...]] = ("_about",)  # what a page needs to know besides the public traits
    _panels: ClassVar[Mapping[str, tuple[str, str, str]]] = {}  # title and names of the axes, by panel
    _facts: ClassVar[Mapping[str, Any]] = {}  # numbers and sentences that Python and the view share
    _esm = traitlets.Unicode((SHARED / "loader.js").read_text(encoding="utf-8")).tag(sync=True)
    _css = traitlets.Unicode(style_sheet()).tag(sync=True)
    _code = traitlets.Unicode(help="The module that draws, and all that it imports.").tag(sync=True)
    _about = traitlets.Dict(help="Title, help, and of each control what its trait says.").tag(sync=True)
    _problem = traitlets.Unicode("", help="What went wrong in a callback, for the view to show.").tag(sync=True)

    def __init__(self, **state: Any) -> None:
        for name in state:
            if name not in (*self.public_traits(), *_OF_ANY_WIDGET):
                raise self._unknown(name)
        super().__init__(**state)
        self._shown_in: set[str | None] = set()
        self._replace_last()

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a trait; a name that there is not is a typing mistake, which must not become a silent attribute."""
        if not name.startswith("_") and not hasattr(type(self), name):
            raise self._unknown(name)
        super().__setattr__(name, value)

    def _unknown(self, name: str) -> traitlets.TraitError:
        near = check.did_you_mean(name, self.public_traits())
        return traitlets.TraitError(f"{type(self).__name__} has no trait {name!r}: {near}")

    @classmethod
    def public_traits(cls) -> list[str]:
        """Names of the traits that can be set, observed and linked."""
        defined = {name: part for base in reversed(cls.__mro__) for name, part in vars(base).items()}
        return [name for name, part in defined.items() if isinstance(part, Checked)]

    @classmethod
    def about(cls) -> dict[str, Any]:
        """What the view reads and does not hold itself: title, help, and what each trait says of its control."""
        controls = {name: getattr(cls, name).about() for name in cls.public_traits()}
        about = {"title": cls._title, "help": cls._help, "panels": cls._panels, "facts": cls._facts}
        return {**about, "controls": controls}

    @traitlets.default("_about")
    def _about_default(self) -> dict[str, Any]:
        return self.about()

    @traitlets.default("_code")
    def _code_default(self) -> str:
        return module(self._view)

    @property
    @abstractmethod
    def scene(self) -> Scene:
        """The same state as data: what the figure draws, and whose words a notebook stores."""

    @abstractmethod
    def figure(self, *, style: str = "paper") -> "Figure":
        """The same state as a figure for print, with alt text."""

    def _picture(self) -> "Figure":
        """What a notebook stores: the figure, or less of it where that takes long, since the view waits for it."""
        return self.figure()

    @property
    def state(self) -> dict[str, Any]:
        """The public traits by name."""
        return {name: copy.copy(getattr(self, name)) for name in self.public_traits()}

    def on_page(self) -> dict[str, Any]:
        """The state, and what else a page without Python needs in order to show it."""
        return self.state | {name: getattr(self, name) for name in self._for_page}

    @classmethod
    def page_of(cls, record: dict[str, Any]) -> dict[str, Any]:
        """What a page needs of an explorer that a notebook keeps: it is made again, unless all of it was kept."""
        own = {name: record[name] for name in cls._for_page if name in record}
        if len(own) == len(cls._for_page):
            # Its runs and what can be chosen of them are kept; titles are those of today.
            return {**record["state"], **own, "_about": cls.about() | {"controls": own["_about"]["controls"]}}
        explorer = cls(**record["state"])
        explorer.close()
        return explorer.on_page()

    def _record(self) -> dict[str, Any]:
        """What a notebook keeps, to make the explorer again elsewhere."""
        return {"explorer": type(self).__name__, "state": self.state}

    def save_html(self, path: str | os.PathLike[str]) -> Path:
        """Write a page with this explorer, as it is now, that works from a disk with no network and no Python."""
        target = Path(path)
        if not target.name:
            raise ValueError(f"path must name a file such as 'explorer.html', but it was {str(path)!r}.")
        text = page(self._title, self._view, self.on_page())
        try:
            write_whole(target, text.encode())
        except OSError as problem:
            reason = problem.strerror or problem
            raise OSError(f"{target} could not be written ({reason}); name a file in a folder that exists.") from None
        return target

    def link(self, page: str = "") -> str:
        """Return the address at which a page shows this explorer as it is now.

        It says what differs from the first state, as the page itself would; `from_link` goes back.
        """
        return f"{page.partition('#')[0]}#{self._name()}:{differences(self._about['controls'], self.state)}"

    @classmethod
    def from_link(cls, link: str) -> Self:
        """Make the explorer that a link shows; the first of this kind, if the link has several."""
        name = cls._name()
        if not isinstance(link, str) or name not in (shown := dict(explorers_in(link)[::-1])):
            example = f"such as '#{name}:{cls.public_traits()[0]}=…'"
            raise ValueError(f"link must name the explorer {name!r}, {example}, but it was {check.short(link)}.")
        explorer = cls()
        try:
            controls = explorer._about["controls"]
            for unknown in shown[name].keys() - controls.keys():
                raise explorer._unknown(unknown)
            for trait in filter(shown[name].__contains__, controls):  # in the order of the class
                setattr(explorer, trait, decoded(controls[trait], shown[name][trait]))
        except traitlets.TraitError:
            explorer.close()
            raise
        return explorer

    @classmethod
    def _name(cls) -> str:
        """The name in addresses: that of its folder."""
        return cls._view.parent.name

    def close(self) -> None:
        """Close the view and free what it holds in the kernel; traits can be read, and showing it opens it again."""
        if sys.is_finalizing():  # ipywidgets closes what is left when Python ends, and half of it is gone by then
            return
        layout = self.layout
        super().close()
        layout.close()
        self.__dict__.pop("_repr_mimebundle_", None)  # ipywidgets takes the right to be shown away for good

    def __repr__(self) -> str:
        """Words for where only text can be shown; no address in them, so that they are the same in every run."""
        return f"{type(self).__name__}. {self.scene.words()}"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        if self.comm is None:
            self.layout.open()
            self.open()
        bundle, metadata = super()._repr_mimebundle_(**options) or ({}, {})
        self._shown_in.add(this_cell()[0])
        stored, about = self._stored()
        return bundle | {"text/plain": repr(self)} | stored, metadata | about

    def _stored(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What a notebook stores beside the view and the words, and what is to be known about it; by MIME."""
        record = {MIME: self._record()}
        try:
            from bflo_viz.figures.style import about_png, png
        except ModuleNotFoundError:  # without matplotlib there is no picture, and all else works
            return record, {}
        figure = self._picture()
        return record | {"image/png": png(figure)}, {"image/png": about_png(figure)}

    def set_state(self, sync_data: Any) -> None:
        """Take what the browser sends. Jupyter only logs what goes wrong here: show it where the user looks, too."""
        asked = {name: value for name, value in sync_data.items() if name[0] != "_" or name in _OF_THE_PAGE}
        try:
            with self.cross_validation_lock:
                for name in asked.keys() & self.public_traits():
                    self.traits()[name]._validate(self, asked[name])  # before ipywidgets tells all pages of it
            super().set_state(asked)
        except traitlets.TraitError as problem:
            self._problem = str(problem)
            # A value that is refused must not stay in the picture.
            self.send_state([name for name in asked if name in self.keys])
            raise
        except Exception as problem:
            where = traceback.extract_tb(problem.__traceback__)[-1]
            self._problem = (
                f"A callback failed with {type(problem).__name__}: {problem} "
                f"(line {where.lineno} in {where.name}); correct it and run its cell again."
            )
            raise
        self._problem = ""

    def _replace_last(self) -> None:
        """Close what an earlier run of the same cell made, unless it is shown elsewhere; Jupyter would keep it."""
        cell, run = this_cell()
        if cell is None:
            return
        before, made = _BY_CELL.get(cell, (run, weakref.WeakSet()))
        if before != run:
            boxed = {child for widget in _instances.values() for child in getattr(widget, "children", ())}
            for old in list(made):
                if old._shown_in <= {cell} and old not in boxed:
                    old.close()
            made = weakref.WeakSet()
        made.add(self)
        _BY_CELL[cell] = run, made


def this_cell() -> tuple[str | None, int]:
    """Which cell of a notebook is running, and which run of the kernel this is; None outside of one."""
    shell = get_ipython()
    if shell is None or not hasattr(shell, "get_parent"):
        return None, 0
    return shell.get_parent().get("metadata", {}).get("cellId"), shell.execution_count
