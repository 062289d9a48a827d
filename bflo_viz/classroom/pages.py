"""A folder of pages: written whole and written again, and nothing else in it or around it is touched."""

import contextlib
import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jinja2

from bflo_viz._files import write_whole
from bflo_viz.explorers.page import HERE, policy

_ASSETS = Path(__file__).parent / "assets"
_LIST = "bflo-files.json"  # what was written there, so that the next time it can be replaced, and nothing else


def asset(name: str) -> str:
    """The text of a style sheet or script of ours."""
    return (_ASSETS / name).read_text(encoding="utf-8")


@functools.cache
def _template(name: str) -> jinja2.Template:
    loader = jinja2.FileSystemLoader(_ASSETS)
    return jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True).get_template(name)


class PageFolder:
    """Pages on their way into a folder; a folder with other things in it is refused before all the work."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, bytes] = {}  # by plain names: there are no folders below this one
        with self._one_sentence():
            self._before = self._written_before()

    def add(self, name: str, template: str, **values: Any) -> None:
        """Add a page that is made of a template; it may run our scripts only, and ask nothing of another host."""
        self.files[name] = _template(template).render(policy=policy(*HERE), **values).encode()

    def write(self) -> str:
        """Write the files in place of those that were written there before; say how much there is now."""
        with self._one_sentence():
            self.folder.mkdir(parents=True, exist_ok=True)
            self._write_list(self._before | self.files.keys())  # if it ends half way, the next time can go on
            for name, content in self.files.items():
                write_whole(self.folder / name, content)
            for name in self._before - self.files.keys():
                (self.folder / name).unlink(missing_ok=True)
            self._write_list(set(self.files))
        return f"{len(self.files)} files, {sum(map(len, self.files.values())) / 1e6:.1f} MB"

    def _write_list(self, names: set[str]) -> None:
        write_whole(self.folder / _LIST, (json.dumps(sorted(names), indent=0) + "\n").encode())

    def _written_before(self) -> set[str]:
        path = self.folder / _LIST
        if not path.is_file():
            if self.folder.exists() and any(self.folder.iterdir()):
                raise ValueError(f"{self.folder} has other things in it: name a new folder, or an empty one.")
            return set()
        with contextlib.suppress(ValueError):
            names = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(names, list) and all(isinstance(name, str) for name in names):
                # Somebody else may have written the list: nothing outside of the folder is ours to delete.
                return {name for name in names if name == Path(name).name and name not in ("", "..")}
        raise ValueError(f"'{path}' is not the list that it should be: name a new folder, or an empty one.")

    @contextlib.contextmanager
    def _one_sentence(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            reason = problem.strerror or problem
            raise ValueError(f"{self.folder} could not be written ({reason}): name another folder.") from None
