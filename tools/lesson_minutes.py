"""Show how long each lesson takes by what is in it; with ``--write``, say so in lessons, notebook 00 and README."""

import argparse
from pathlib import Path

import nbformat

from bflo_viz.lessons import minutes

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Print the minutes, or write them where they are stated."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    paths = sorted((ROOT / "notebooks").glob("*.ipynb"))
    lessons = {path: nbformat.read(path, as_version=4) for path in paths}
    found = {path.name[:2]: minutes.estimated(notebook) for path, notebook in lessons.items()}
    for path, notebook in lessons.items():
        print(f"{path.stem}: {found[path.name[:2]]} minutes, stated {minutes.stated(notebook)}")
        if write:
            first = notebook.cells[0]
            first.source = minutes.restated(first.source, found[path.name[:2]])
            for cell in notebook.cells if path.name.startswith("00") else ():
                cell.source = minutes.retabled(cell.source, found)
            nbformat.write(notebook, path)
    print("in all:", sum(found.values()), "minutes")
    if write:
        readme = ROOT / "README.md"
        readme.write_text(minutes.retabled(readme.read_text("utf-8"), found), "utf-8")


if __name__ == "__main__":
    main()
