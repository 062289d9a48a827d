"""Build the course for JupyterLite: Python runs in the browser, and any web server that hands out files will do.

This needs the network: the packages that build the site come from PyPI, into an environment of their own. Who opens
the site needs it, too: the browser fetches Pyodide with NumPy, SciPy and matplotlib from its own servers, once. With
``--pyodide FOLDER`` the site has them itself.

A browser has no numba, so learning goes step by step there. docs/PLACES.md says how long each lesson takes: 00 to 04
and 09 are quick enough, 05 to 07 have cells of minutes, and 08 and 10 belong on a computer.
"""

import argparse
import hashlib
import json
import re
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
# And what its kernel is made of, which a small copy of Pyodide lacks:
IPYTHON = ("ipython", "ipython-pygments-lexers", "jedi", "parso", "matplotlib-inline", "prompt-toolkit", "wcwidth")
IPYTHON += ("pygments", "stack-data", "asttokens", "executing", "pure-eval", "traitlets")
PYODIDE = ("numpy", "scipy", "matplotlib", "scikit-learn", "micropip")  # what lessons need that is not pure Python
KERNEL = {"display_name": "Python (Pyodide)", "language": "python", "name": "python"}
PREPARE = "%pip install -q bflo-viz scikit-learn"


def main() -> None:
    """Build the site."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", nargs="?", type=Path, default=Path("lite"), help="folder to write to (default lite)")
    parser.add_argument("--contents", type=Path, metavar="FOLDER", help="only lay out what goes into the site")
    parser.add_argument(
        "--pyodide",
        type=Path,
        metavar="FOLDER",
        help="a copy of Pyodide with its wheels: no other host is then asked",
    )
    options, work = parser.parse_args(), ROOT / "build" / "lite"
    if options.contents:
        lay_out(options.contents)
        return lay_pyodide(options.pyodide, options.contents) if options.pyodide else None
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
    run(*pip, "download", *pinned, *pure, *WHEELS, *(IPYTHON if options.pyodide else ()))
    lay_out(work / "contents")
    if options.pyodide:
        lay_pyodide(options.pyodide, work / "site")
    wheels = [part for wheel in sorted((work / "wheels").glob("*.whl")) for part in ("--piplite-wheels", wheel)]
    (work / "site").mkdir(exist_ok=True)  # what goes into the site, but is not among the files that a student sees
    settings = ("--lite-dir", work / "site", "--output-dir", out.resolve(), "--apps", "lab", "--no-sourcemaps")
    run(python, "-m", "jupyter", "lite", "build", *settings, "--contents", work / "contents", *wheels, cwd=work)
    print(f"Serve it (python -m http.server --directory {out}) and open /lab/?path=00_start_here.ipynb there.")


def run(*command: Any, **options: Any) -> None:
    """Run a command; what it says is shown."""
    subprocess.run([str(part) for part in command], check=True, **options)


def lay_out(folder: Path) -> None:
    """Put the notebooks into a folder, each with a cell that installs the package, and the results beside them."""
    shutil.copytree(ROOT / "results", folder / "results")
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        nbformat.write(prepared(nbformat.read(path, as_version=4)), folder / path.name)


def lay_pyodide(source: Path, folder: Path) -> None:
    """Put Pyodide beside the notebooks, with a lock file of the packages that are there whole, as are their needs."""
    lock = source / "pyodide-lock.json"
    if not (lock.is_file() and (source / "pyodide.mjs").is_file()):
        sys.exit(f"{source} has no pyodide.mjs or no pyodide-lock.json: name a folder with a copy of Pyodide.")
    listed = json.loads(lock.read_text(encoding="utf-8"))
    kept = {name: about for name, about in listed["packages"].items() if (source / about["file_name"]).is_file()}
    for about in kept.values():
        wheel = source / about["file_name"]
        if hashlib.sha256(wheel.read_bytes()).hexdigest() != about["sha256"]:
            sys.exit(f"{wheel} is not what pyodide-lock.json says: fetch it again.")
    needs = {name: {plain(need) for need in about["depends"]} for name, about in kept.items()}
    while lacking := [name for name in kept if not needs[name] <= set(kept)]:
        for name in lacking:
            del kept[name]
    missing = [name for name in PYODIDE if name not in kept]
    if missing:
        print(f"Not in {source}: {', '.join(missing)}. Lessons that need them will say so.", flush=True)
    target = folder / "static" / "pyodide"
    target.mkdir(parents=True)
    packages = {about["file_name"] for about in listed["packages"].values()}
    for path in source.iterdir():
        if path.is_file() and path.name not in packages:  # Pyodide itself
            shutil.copy2(path, target)
    for about in kept.values():
        shutil.copy2(source / about["file_name"], target)
    (target / lock.name).write_text(json.dumps(listed | {"packages": kept}), encoding="utf-8")
    settings = {"litePluginSettings": {"@jupyterlite/pyodide-kernel-extension:kernel": {"disablePyPIFallback": True}}}
    written = {"jupyter-lite-schema-version": 0, "jupyter-config-data": settings}
    (folder / "jupyter-lite.json").write_text(json.dumps(written), encoding="utf-8")


def plain(name: str) -> str:
    """The name of a package as lock files list it: ``prompt_toolkit`` is needed, ``prompt-toolkit`` is listed."""
    return re.sub("[-_.]+", "-", name).lower()


def prepared(notebook: Any) -> Any:
    """The notebook for the kernel of the browser, with a first code cell that gets the package there."""
    first = next(n for n, cell in enumerate(notebook.cells) if cell.cell_type == "code")
    notebook.cells.insert(first, nbformat.v4.new_code_cell(PREPARE, id="in-the-browser"))
    notebook.metadata.kernelspec = KERNEL
    return notebook


if __name__ == "__main__":
    main()
