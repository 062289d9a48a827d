"""Folders of the course, its results and the data; and how files are written."""

import os
from pathlib import Path

from bflo_viz._errors import UserError

FIRST_NOTEBOOK = "notebooks/00_start_here.ipynb"
DATA_VARIABLE = "BFLO_DATA"
JOURNAL_VARIABLE = "BFLO_JOURNAL"


def course_folder() -> Path:
    """Return the folder that holds the notebooks: the current one, one above it, or the one beside the package."""
    return _folder_with(FIRST_NOTEBOOK)


def results_folder() -> Path:
    """Return the folder of the results that come with the course."""
    return _folder_with("results/manifest.json") / "results"


def _folder_with(file: str) -> Path:
    here = Path.cwd()
    for folder in (here, *here.parents, Path(__file__).resolve().parents[1]):
        if (folder / file).is_file():
            return folder
    raise UserError(f"there is no {file} here or above: change to the folder of the course and try again.")


def data_folder() -> Path | None:
    """Return the folder that BFLO_DATA names, if it names one."""
    value = os.environ.get(DATA_VARIABLE)
    if value and not os.access(Path(value).expanduser() / ".", os.R_OK | os.X_OK):
        raise UserError(f"{DATA_VARIABLE} names {value}, no folder that you may read: correct or unset it.")
    return Path(value).expanduser() if value else None


def cache_folder() -> Path:
    """Return the user's cache folder, for downloads; it need not exist."""
    from platformdirs import user_cache_path

    return user_cache_path("bflo-viz", appauthor=False)


def journal_file() -> Path:
    """Return the file with a student's answers: the one that BFLO_JOURNAL names, or one among the user's data."""
    from platformdirs import user_data_path

    named = os.environ.get(JOURNAL_VARIABLE)
    return Path(named).expanduser() if named else user_data_path("bflo-viz", appauthor=False) / "journal.jsonl"


def write_whole(path: Path, content: bytes) -> None:
    """Write to a temporary name, then rename: the file is there whole, or it is as it was before."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
