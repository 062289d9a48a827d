"""A folder of pages: each is written whole, nothing is deleted, and nothing else in it or around it is touched."""

import contextlib
import functools
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import jinja2

from bflo_viz._places import write_whole
from bflo_viz.explorers.old_page import HERE, policy

_ASSETS = Path(__file__).parent / "assets"
_MARK = ".bflo-pages"  # a file that says: what has the names of our pages here may be replaced


def asset(name: str) -> str:
    """The text of a style sheet or script of ours."""
    return (_ASSETS / name).read_text(encoding="utf-8")


@functools.cache
def template(name: str) -> jinja2.Template:
    """A page, or a part of one, whose blanks are to be filled in."""
    loader = jinja2.FileSystemLoader(_ASSETS)
    return jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True).get_template(name)


class PageFolder:
    """Pages on their way into a folder; a folder with other things in it is refused before all the work."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, bytes] = {}  # by their names, such as "index.html" or "play/regime.html"
        with self._one_sentence():
            if folder.exists() and any(folder.iterdir()) and not (folder / _MARK).is_file():
                raise ValueError(f"{folder} has other things in it: name a new folder, or an empty one.")

    def add(self, name: str, page: str, **values: Any) -> None:
        """Add a page that is made of a template; it may run our scripts only, and ask nothing of another host."""
        self.files[name] = template(page).render(policy=policy(*HERE), **values).encode()

    def write(self) -> str:
        """Write the files; say how much there is now."""
        with self._one_sentence():
            self.folder.mkdir(parents=True, exist_ok=True)
            for name, content in {_MARK: b"", **self.files}.items():
                self._make_way(name)
                write_whole(self.folder / name, content)
        return f"{len(self.files)} files, {sum(map(len, self.files.values())) / 1e6:.1f} MB"

    def _make_way(self, name: str) -> None:
        """Make the folders above a file, in this one; one that leads elsewhere is not written through."""
        parts = PurePosixPath(name).parts
        if not parts or PurePosixPath(name).is_absolute() or ".." in parts:
            raise ValueError(f"{name!r} is not the name of a page: it would not be in {self.folder}.")
        for depth in range(1, len(parts)):
            below = self.folder.joinpath(*parts[:depth])
            if below.is_symlink():
                raise ValueError(f"{below} leads to another folder: remove that link, or name a new folder.")
            below.mkdir(exist_ok=True)

    @contextlib.contextmanager
    def _one_sentence(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            reason = problem.strerror or problem
            raise ValueError(f"{self.folder} could not be written ({reason}): name another folder.") from None
