"""Run notebooks without numba, as a browser has to, and tell which cells take long: seconds of processor time.

``python tools/without_numba.py notebooks/05_learning_online.ipynb`` tells what docs/PLACES.md says of JupyterLite.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

LONG = 5.0  # seconds
PATIENCE = 900  # seconds by the clock for one cell, then it is stopped
CLOCK = """
import json, time
def _before(info, at=globals().setdefault("_at", [])):
    at.append(time.process_time())
def _after(result, at=_at):
    if at:
        print(json.dumps(time.process_time() - at[-1]), file=open({log!r}, "a"))
get_ipython().events.register("pre_run_cell", _before)
get_ipython().events.register("post_run_cell", _after)
"""


def main() -> None:
    """Run each notebook; nothing is saved."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "numba.py").write_text("raise ImportError('numba is hidden from this run')\n")
        os.environ |= {"PYTHONPATH": folder, "OPENBLAS_NUM_THREADS": "1"}
        for path in map(Path, sys.argv[1:]):
            log = Path(folder, path.stem)
            notebook = nbformat.read(path, as_version=4)
            cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
            notebook.cells.insert(0, nbformat.v4.new_code_cell(CLOCK.format(log=str(log))))
            client = NotebookClient(notebook, timeout=PATIENCE, interrupt_on_timeout=True, allow_errors=True)
            client.execute(cwd=str(path.parent))
            times = [json.loads(line) for line in log.read_text().splitlines()][-len(cells) :]
            print(f"{path.name}: {sum(times):.0f} s", flush=True)
            for cell, seconds in zip(cells, times, strict=True):
                failed = " ".join(output.ename for output in cell.outputs if output.output_type == "error")
                if seconds > LONG or failed:
                    print(f"  {seconds:6.1f} s  {cell.id} {failed}", flush=True)


if __name__ == "__main__":
    main()
