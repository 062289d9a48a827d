"""Build the course for JupyterLite: Python runs in the browser, and any web server that hands out files will do.

This needs the network: the packages that build the site come from PyPI, into an environment of their own. Who opens
the site needs it, too: the browser fetches Pyodide with NumPy, SciPy and matplotlib from its own servers, once.

A browser has no numba, so learning goes step by step there. Explorers and the lessons 00 to 05 work; the results of
06 to 09 can be looked at, but their long runs belong on a computer.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat

ROOT = Path(__file__).parents[1]
TOOLS = ("jupyterlite-core==0.8.6", "jupyterlite-pyodide-kernel==0.8.6", "jupyter-server==2.21.1")  # go together
WIDGETS = ("anywidget", "ipywidgets")  # what they draw with is built into the site
# Pure Python that Pyodide does not bring along:
WHEELS = (*WIDGETS, "comm", "jupyterlab-widgets", "pooch", "psygnal", "tabulate", "tqdm")
KERNEL = {"display_name": "Python (Pyodide)", "language": "python", "name": "python"}
PREPARE = "%pip install -q bflo-viz scikit-learn"


def main() -> None:
    """Build the site."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", nargs="?", type=Path, default=Path("lite"), help="folder to write to (default lite)")
    parser.add_argument("--contents", type=Path, metavar="FOLDER", help="only lay out what goes into the site")
    options, work = parser.parse_args(), ROOT / "build" / "lite"
    if options.contents:
        return lay_out(options.contents)
    out = options.out
    shutil.rmtree(work, ignore_errors=True)
    run(sys.executable, "-m", "venv", work / "environment")
    python = work / "environment" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    pip = (python, "-m", "pip", "--disable-pip-version-check", "--quiet")
    pinned = ("-c", ROOT / "constraints.txt")
    run(*pip, "install", *TOOLS)
    run(*pip, "install", *pinned, *WIDGETS)
    run(*pip, "wheel", "--no-deps", "--wheel-dir", work / "wheels", ROOT)
    pure = ("--no-deps", "--only-binary", ":all:", "--platform", "any", "--dest", work / "wheels")
    run(*pip, "download", *pinned, *pure, *WHEELS)
    lay_out(work / "contents")
    wheels = [part for wheel in sorted((work / "wheels").glob("*.whl")) for part in ("--piplite-wheels", wheel)]
    settings = ("--lite-dir", work / "contents", "--output-dir", out.resolve(), "--apps", "lab", "--no-sourcemaps")
    run(python, "-m", "jupyter", "lite", "build", *settings, "--contents", work / "contents", *wheels)
    print(f"Serve it (python -m http.server --directory {out}) and open /lab/?path=00_start_here.ipynb there.")


def run(*command: Any) -> None:
    """Run a command; what it says is shown."""
    subprocess.run([str(part) for part in command], check=True)


def lay_out(folder: Path) -> None:
    """Put the notebooks into a folder, each with a cell that installs the package, and the results beside them."""
    shutil.copytree(ROOT / "results", folder / "results")
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        nbformat.write(prepared(nbformat.read(path, as_version=4)), folder / path.name)


def prepared(notebook: Any) -> Any:
    """The notebook for the kernel of the browser, with a first code cell that gets the package there."""
    first = next(n for n, cell in enumerate(notebook.cells) if cell.cell_type == "code")
    notebook.cells.insert(first, nbformat.v4.new_code_cell(PREPARE, id="in-the-browser"))
    notebook.metadata.kernelspec = KERNEL
    return notebook


if __name__ == "__main__":
    main()
