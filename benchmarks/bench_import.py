"""What `import bflo_viz` costs and loads, and what the names of its mathematics add."""

import subprocess
import sys
import time

from side_by_side import best_times, report


def run(code):
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


names = "from bflo_viz import DiagonalBelief, FullBelief, SphericalBelief, stretch, pseudo_observation"
times = best_times(
    {
        "python": lambda: run("pass"),
        "numpy": lambda: run("import numpy"),
        "package": lambda: run("import bflo_viz"),
        "names": lambda: run(names),
    },
    rounds=9,
    clock=time.perf_counter,
)
numpy = times["numpy"] - times["python"]
report("import bflo_viz, against import numpy", (times["package"] - times["python"]) / numpy, 1.5, at_most=True)
report("the same with its beliefs and flows", (times["names"] - times["python"]) / numpy, 1.5, at_most=True)
heavy = run(
    f"import sys; {names}; print([m for m in ('matplotlib', 'numba', 'sklearn', 'scipy') if m in sys.modules])"
)
print(f"heavy libraries loaded by it: {heavy.strip()}")
