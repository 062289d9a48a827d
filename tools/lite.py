"""Build the course for JupyterLite, where Python runs in the browser: ``python tools/lite.py lite``.

Whoever opens the site needs a network: the browser fetches Pyodide with NumPy, SciPy and matplotlib, but no numba.
"""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

import nbformat

ROOT = Path(__file__).parents[1]
PINS = ROOT / "constraints.txt"
TOOLS = ("jupyterlite-core==0.8.6", "jupyterlite-pyodide-kernel==0.8.6", "jupyter-server==2.21.1")  # go together
WHEELS = ("anywidget", "ipywidgets", "comm", "jupyterlab-widgets", "pooch", "psygnal", "tabulate", "tqdm")
INSTALL = nbformat.v4.new_code_cell("%pip install -q bflo-viz scikit-learn", id="in-the-browser")


def main(out: Path, work: Path = ROOT / "build" / "lite") -> None:
    """Build the wheels, lay out the notebooks, and let JupyterLite make its site of both."""
    python, wheels, contents = work / "environment" / "bin" / "python", work / "wheels", work / "contents"
    venv.create(work / "environment", with_pip=True)
    pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "-c", PINS, *TOOLS, "anywidget", "ipywidgets"], check=True)
    subprocess.run([*pip, "wheel", "-c", PINS, "--no-deps", "--wheel-dir", wheels, ROOT, *WHEELS], check=True)
    shutil.copytree(ROOT / "results", contents / "results", dirs_exist_ok=True)
    for path in ROOT.glob("notebooks/*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        notebook.cells.insert(1, INSTALL)
        notebook.metadata.kernelspec = {"display_name": "Python (Pyodide)", "language": "python", "name": "python"}
        nbformat.write(notebook, contents / path.name)
    given = [part for wheel in sorted(wheels.glob("*.whl")) for part in ("--piplite-wheels", wheel)]
    lite = [python, "-m", "jupyter", "lite", "build", "--apps", "lab", "--no-sourcemaps", *given]
    subprocess.run([*lite, "--contents", contents, "--output-dir", out.resolve()], cwd=work, check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
