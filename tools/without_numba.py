"""Run notebooks without numba, as a browser has to, and tell which cells take long: seconds of processor time.

``python tools/without_numba.py notebooks/05_learning_online.ipynb`` tells what docs/PLACES.md says of JupyterLite.
A notebook that uses up ``--limit`` seconds is stopped there, and the cells after that are named as not run.
"""

import argparse
import os
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]
LONG = 5.0  # seconds
CLOCK = """
import signal as _signal, time as _time
_at = []
def _before(info):
    _at.append(_time.process_time())
def _after(result):
    if _at:
        print(_time.process_time() - _at.pop(), file=open({log!r}, "a"))
def _over(*_):
    if _at:
        raise TimeoutError("the notebook has used up its processor time")
get_ipython().events.register("pre_run_cell", _before)
get_ipython().events.register("post_run_cell", _after)
_signal.signal(_signal.SIGPROF, _over)
_signal.setitimer(_signal.ITIMER_PROF, {limit}, 1.0)
"""


def main() -> None:
    """Run each notebook; nothing is saved."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", nargs="+", type=Path)
    parser.add_argument("--limit", type=float, default=900.0, metavar="SECONDS", help="for a notebook (default 900)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "numba.py").write_text("raise ImportError('numba is hidden from this run')\n")
        os.environ |= {"PYTHONPATH": os.pathsep.join((folder, str(ROOT))), "OPENBLAS_NUM_THREADS": "1"}
        for path in options.notebooks:
            measure(path, Path(folder, path.stem), options.limit)


def measure(path: Path, log: Path, limit: float) -> None:
    """Run one notebook until its processor time is used up, and print what its cells took."""
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    notebook.cells = [nbformat.v4.new_code_cell(CLOCK.format(log=str(log), limit=limit)), *cells]
    client, times, stopped = NotebookClient(notebook, timeout=None, allow_errors=True), [], False
    with client.setup_kernel(cwd=str(path.parent)):
        for index, cell in enumerate(notebook.cells):
            client.execute_cell(cell, index)
            times = [float(line) for line in log.read_text().splitlines()] if log.exists() else []
            stopped = "TimeoutError" in failures(cell)
            if stopped:
                break
    print(f"{path.name}: {'longer than ' if stopped else ''}{sum(times):.0f} s", flush=True)
    for cell, seconds in zip(cells, times, strict=False):
        if seconds > LONG or failures(cell):
            print(f"  {seconds:6.1f} s  {cell.id} {' '.join(failures(cell))}", flush=True)
    if len(times) < len(cells):
        print(f"  not run: {' '.join(cell.id for cell in cells[len(times) :])}", flush=True)


def failures(cell: nbformat.NotebookNode) -> list[str]:
    """Names of the errors that a cell ended with."""
    return [output.ename for output in cell.outputs if output.output_type == "error"]


if __name__ == "__main__":
    main()
