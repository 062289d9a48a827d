"""Execute notebooks from top to bottom and save them without anything that differs between machines."""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def main(paths: list[str]) -> None:
    """Execute each notebook in place."""
    for path in map(Path, paths):
        notebook = nbformat.read(path, as_version=4)
        client = NotebookClient(notebook, store_widget_state=False, record_timing=False, timeout=120)
        client.execute(cwd=str(path.parent))
        notebook.metadata = nbformat.from_dict(
            {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
        )
        for cell in notebook.cells:
            for output in cell.get("outputs", []):
                # A view is of no use without its kernel; the picture and the words beside it stay.
                output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
        nbformat.write(notebook, path)
        print(f"{path}: {path.stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
