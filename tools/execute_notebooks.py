"""Execute notebooks from top to bottom and save them without anything that differs between machines.

The picture of an explorer is a screenshot of the real page, taken anew only when its state or its code has changed.
"""

import base64
import hashlib
import json
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

import bflo_viz
from bflo_viz.explorers.base import MIME
from bflo_viz.explorers.page import STYLE, module

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def execute(notebook, folder):
    """Run a notebook and drop what differs between machines."""
    client = NotebookClient(notebook, record_timing=False, coalesce_streams=True, timeout=120)
    client.execute(cwd=str(folder))
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNEL})
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        for output in cell.outputs:
            # A view is of no use without its kernel; the picture and the words beside it stay.
            data = output.get("data", {})
            data.pop("application/vnd.jupyter.widget-view+json", None)
            if data.get("text/plain", "").startswith("interactive("):
                data.clear()
        # What was only a view, such as a progress bar or a slider, leaves nothing.
        cell.outputs = [output for output in cell.outputs if output.get("data") != {}]


def shown(notebook):
    """Return the outputs that show explorers; bets have no picture."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [one for one in outputs if one.get("data", {}).get(MIME, {}).get("explorer") in bflo_viz.__all__]


def illustrate(notebook, pictures):
    """Give every explorer its picture; those whose state and code are the same keep the one that they have."""
    for output in shown(notebook):
        record = output.data[MIME]
        kind = getattr(bflo_viz, record["explorer"])
        code = json.dumps(record, sort_keys=True) + module(kind.view) + STYLE
        key = hashlib.sha256(code.encode()).hexdigest()[:16]
        if key not in pictures:
            from screenshot import photograph

            picture, words = photograph(kind.page_of(record))
            pictures[key] = base64.b64encode(picture).decode(), {"alt": words, "key": key}
        output.data["image/png"], output.metadata["image/png"] = pictures[key]


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        notebook = nbformat.read(path, as_version=4)
        before = [(output.data.get("image/png"), output.metadata.get("image/png", {})) for output in shown(notebook)]
        execute(notebook, path.parent)
        illustrate(notebook, {about["key"]: (picture, about) for picture, about in before if "key" in about})
        nbformat.write(notebook, path)
        print(f"{path}: {path.stat().st_size / 1024:.0f} kB")
