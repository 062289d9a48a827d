"""In a browser: a course that does without what Pyodide does not have."""

import ast
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from browser.pages import SIZE, Explorer, LabNotebook, served, until
from lab_driver import NO_BROWSER, browser_here, launched

ROOT = Path(__file__).parents[2]
ABSENT = ("numba", "joblib", "pooch", "requests", "sklearn", "distributed", "jupyterlab", "nbformat", "platformdirs")
EARLY = sorted((ROOT / "notebooks").glob("0[0-5]_*.ipynb"))


WORK = """
import numpy as np
from bflo_viz import BeliefFlow, DynamicsExplorer, FlowExplorer, OnlineExplorer, PseudoDatasetExplorer, RegimeExplorer
from bflo_viz.figures.gallery import make

explorers = RegimeExplorer(), FlowExplorer(), PseudoDatasetExplorer(), OnlineExplorer(), DynamicsExplorer(round=20)
print([bool(explorer.state) and len(explorer.figure().axes) > 0 for explorer in explorers])
X = np.random.default_rng(0).normal(size=(300, 3))
record = BeliefFlow(DiagonalBelief(np.zeros(3), 0.5), eta=0.1).run(X, X[:, 0] > 0, np.random.default_rng(1))
print(0 < record.error < 0.4, len(make("flow_types").axes) > 0, check.past_the_mean("narrower").right)
"""


@pytest.mark.slow
def test_the_lessons_work_without_what_a_browser_lacks():
    """Every name that notebooks 00 to 05 import; five explorers, a learner, a figure, a check."""
    cells = [cell for path in EARLY for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    nodes = [node for cell in cells for node in ast.parse(cell.source).body if isinstance(node, ast.ImportFrom)]
    lines = sorted({ast.unparse(node) for node in nodes if node.module.startswith("bflo_viz")})
    assert len(lines) > 15
    block = f"import sys\nfor name in {ABSENT}: sys.modules[name] = None\n"
    command = [sys.executable, "-W", "error", "-c", block + "\n".join(lines) + WORK]
    run = subprocess.run(command, env=os.environ | {"MPLBACKEND": "agg"}, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout == "[True, True, True, True, True]\nTrue True True\n"


def test_a_notebook_for_the_browser_installs_the_package_before_its_first_code(tmp_path):
    """And nothing else of it changes but the kernel that it asks for."""
    subprocess.run([sys.executable, ROOT / "tools" / "lite.py", "--contents", tmp_path / "contents"], check=True)
    for path in EARLY:
        before = nbformat.read(path, as_version=4)
        after = nbformat.read(tmp_path / "contents" / path.name, as_version=4)
        nbformat.validate(after)
        codes = [cell for cell in after.cells if cell.cell_type == "code"]
        assert codes[0].source.startswith("%pip install -q bflo-viz")
        assert [cell for cell in after.cells if cell.id != codes[0].id] == before.cells
        assert after.metadata.kernelspec.name == "python"


def test_a_folder_of_pyodide_gives_a_lock_file_of_what_is_there(tmp_path):
    """What is missing is left out, and so is what needs it; a wheel that is another one is refused."""
    source, out = tmp_path / "pyodide", tmp_path / "contents"
    source.mkdir()
    for name in ("pyodide.mjs", "numpy.whl", "plot.whl", "micropip.whl", "ipython.whl", "prompt-toolkit.whl"):
        (source / name).write_text(name)

    def package(name, *depends):
        digest = hashlib.sha256(f"{name}.whl".encode()).hexdigest()
        return {"file_name": f"{name}.whl", "sha256": digest, "depends": list(depends)}

    packages = {"numpy": package("numpy"), "scipy": package("scipy", "numpy"), "micropip": package("micropip")}
    packages |= {"matplotlib": package("plot", "scipy")}  # scipy.whl is not there
    packages |= {"ipython": package("ipython", "prompt_toolkit"), "prompt-toolkit": package("prompt-toolkit")}
    (source / "pyodide-lock.json").write_text(json.dumps({"info": {"version": "0"}, "packages": packages}))
    command = [sys.executable, ROOT / "tools" / "lite.py", "--contents", out, "--pyodide", source]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"Not in {source}: scipy, matplotlib, scikit-learn. ")
    made = out / "static" / "pyodide"
    lock = json.loads((made / "pyodide-lock.json").read_text())
    assert lock["info"] == {"version": "0"}
    assert set(lock["packages"]) == {"numpy", "micropip", "ipython", "prompt-toolkit"}
    files = {"pyodide.mjs", "pyodide-lock.json", *(f"{name}.whl" for name in lock["packages"])}
    assert {path.name for path in made.iterdir()} == files
    (source / "numpy.whl").write_text("another")
    command[3] = tmp_path / "again"
    assert "is not what pyodide-lock.json says" in subprocess.run(command, capture_output=True, text=True).stderr


ONLY_THERE = """
import numpy as np
from scipy import sparse
from bflo_viz import SGD, BanditExplorer, DigitExplorer, streams
from bflo_viz.experiments import load_protocol, run
from bflo_viz.lessons import progress, scratch

X = sparse.random_array((40, 9), density=0.4, rng=1, format="csr")
SGD(9).run(X, np.arange(40) % 2, np.random.default_rng(2), progress=progress("learning"))
DigitExplorer().figure(), BanditExplorer(pulls="1132").figure()
outcome = run(load_protocol("table1", quick=True).only(streams=["CANCER"]), scratch("runs.db"), runs=1)
n, counts = [outcome.done, len(outcome.failed)], np.bincount(streams.load_stream("breast-cancer").y).tolist()
"""  # integers have 32 bits there, and there are no processes and no threads


@pytest.mark.slow
@pytest.mark.skipif("BFLO_PYODIDE" not in os.environ, reason="BFLO_PYODIDE names no folder with a copy of Pyodide")
def test_a_site_with_its_own_pyodide_runs_a_lesson_and_asks_no_other_host(tmp_path):
    """Every cell of lesson 00 runs in the browser, Python there hears the explorer, and a student sees no Pyodide."""
    if browser_here() is None:
        pytest.skip(NO_BROWSER)
    site = tmp_path / "lite"
    command = [sys.executable, ROOT / "tools" / "lite.py", site, "--pyodide", os.environ["BFLO_PYODIDE"]]
    subprocess.run(command, check=True)
    assert (site / "static" / "pyodide" / "pyodide-lock.json").is_file()
    assert {path.name for path in (site / "files").iterdir() if path.is_dir()} == {"results"}
    written = json.loads((site / "jupyter-lite.json").read_text())
    settings = written["jupyter-config-data"]
    kernel = settings["litePluginSettings"]["@jupyterlite/pyodide-kernel-extension:kernel"]
    assert "://" not in kernel["pyodideUrl"]
    settings["exposeAppInBrowser"] = True  # so that a test can run its cells
    (site / "jupyter-lite.json").write_text(json.dumps(written))
    with served(site) as address, launched() as browser:
        lesson = LiteNotebook(address, browser.new_page(viewport=SIZE), "00_start_here.ipynb")
        lesson.ask("jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")  # also their numbers
        lesson.run_all()
        assert lesson.python("__import__('sys').platform") == "emscripten"
        lesson.page.locator(".jp-Cell").first.scroll_into_view_if_needed()
        explorer = Explorer(lesson.page, "regime").wait()
        explorer.use("delta_new", -2)
        until(lambda: lesson.python("explorer.delta_new"), -2, 60)
        assert lesson.python("[n, counts]", ONLY_THERE) == [[8, 0], [212, 357]]
        assert lesson.witness.take("favicon.ico") == []


class LiteNotebook(LabNotebook):
    """A notebook open in JupyterLite, whose Python needs its time to come."""

    where = "lab/index.html?path={}"
    patience = 300_000

    def python(self, expression, code=""):
        """As in JupyterLab, but by what is printed: this kernel does not know user expressions."""
        printed = self.ask(
            """await new Promise((resolve) => {
                let printed = "";
                const future = panel.sessionContext.session.kernel.requestExecute({ code: arg });
                future.onIOPub = ({ content }) => { printed += content.text ?? ""; };
                future.done.then(() => resolve(printed));
            })""",
            f"{code}\nprint(__import__('json').dumps({expression}))",
        )
        return json.loads(printed.splitlines()[-1])
