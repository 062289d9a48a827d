"""Execute notebooks from top to bottom and save them without anything that differs between machines.

The picture of an explorer is a screenshot of the real page, taken anew only when its state or its code has changed.
"""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

import bflo_viz
from bflo_viz.explorers.base import MIME, Explorer
from bflo_viz.explorers.page import STYLE, module


def main() -> None:
    """Execute each notebook that the command names, and save it in place."""
    for path in map(Path, sys.argv[1:]):
        notebook = nbformat.read(path, as_version=4)
        pictures = {
            about["key"]: (data, about) for data, about in map(_picture, _outputs(notebook)) if "key" in about
        }
        execute(notebook, path.parent)
        illustrate(notebook, pictures)
        nbformat.write(notebook, path)
        print(f"{path}: {path.stat().st_size / 1024:.0f} kB")


def execute(notebook: Any, folder: Path) -> None:
    """Run a notebook and drop what differs between machines."""
    client = NotebookClient(notebook, record_timing=False, coalesce_streams=True, timeout=120)
    client.execute(cwd=str(folder))
    notebook.metadata = nbformat.from_dict(
        {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    )
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            # A view is of no use without its kernel; the picture and the words beside it stay.
            data = output.get("data", {})
            data.pop("application/vnd.jupyter.widget-view+json", None)
            if data.get("text/plain", "").startswith("interactive("):
                data.clear()
        if "outputs" in cell:  # what was only a view, such as a progress bar or a slider, leaves nothing
            cell.outputs = [output for output in cell.outputs if output.get("data") != {}]


def illustrate(notebook: Any, pictures: dict[str, Any]) -> None:
    """Give every explorer its picture; those whose state and code are the same keep the one that they have."""
    for output in _outputs(notebook):
        record = output.get("data", {}).get(MIME)
        kind = getattr(bflo_viz, record["explorer"], None) if record else None
        if kind is None or not issubclass(kind, Explorer):
            continue
        code = json.dumps(record, sort_keys=True) + module(kind.view) + STYLE
        key = hashlib.sha256(code.encode()).hexdigest()[:16]
        if key not in pictures:
            from screenshot import still

            picture, words = still(kind.page_of(record))
            pictures[key] = picture, {"alt": words, "key": key}
        output.data["image/png"], output.metadata["image/png"] = pictures[key]


def _outputs(notebook: Any) -> list[Any]:
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def _picture(output: Any) -> tuple[Any, Any]:
    return output.get("data", {}).get("image/png"), output.get("metadata", {}).get("image/png", {})


if __name__ == "__main__":
    main()
