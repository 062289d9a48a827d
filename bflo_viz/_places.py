"""Places of the course, of its results and of the data."""

import json
import os
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from bflo_viz._checks import UserError

FIRST_NOTEBOOK = "notebooks/01_three_learners.ipynb"
DATA_VARIABLE = "BFLO_DATA"


def course_folder() -> Path:
    """Return the folder that holds the notebooks."""
    return _folder_with(FIRST_NOTEBOOK, "change to the folder of the course and try again.")


def results_folder() -> Path:
    """Return the folder of the results that come with the course."""
    return _folder_with("results/manifest.json", "change to the folder of the course, or name a store.") / "results"


def _folder_with(file: str, advice: str) -> Path:
    """Return the first folder that has the file: this one, those above, and those of the package."""
    try:
        here = Path.cwd()
    except FileNotFoundError:
        raise ValueError("this folder has been deleted: change to the folder of the course and try again.") from None
    for folder in (here, *here.parents, *_shipped()):
        if (folder / file).is_file():
            return folder
    raise ValueError(f"there is no {file} here or above: {advice}")


def _shipped() -> list[Path]:
    """List where the course of this package may be: beside it, or in the folder that pip installed a copy of."""
    try:
        noted = json.loads(metadata.distribution("bflo-viz").read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        noted = {}
    url = urlsplit(noted.get("url", ""))
    return [Path(__file__).resolve().parents[1], *([Path(url2pathname(url.path))] if url.scheme == "file" else [])]


def data_folder() -> Path | None:
    """Return the folder that BFLO_DATA names, if it names one."""
    value = os.environ.get(DATA_VARIABLE)
    if not value:
        return None
    folder = Path(value).expanduser()
    if not os.path.isdir(folder):  # Path.is_dir raises where a folder above may not be entered
        raise UserError(f"{DATA_VARIABLE} names {folder}, which is not a folder: correct it, or unset it.")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise UserError(f"{DATA_VARIABLE} names {folder}, which you cannot enter: ask its owner, or unset it.")
    return folder


def cache_folder() -> Path:
    """Return the user's cache folder, for downloads; it need not exist."""
    from platformdirs import user_cache_path

    return user_cache_path("bflo-viz", appauthor=False)
