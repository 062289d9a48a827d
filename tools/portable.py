"""Run what a processor could change, as this one is and as others would be: `make portable`.

The notebooks, the mathematics, the committed results and the words of figures and explorers are run again with vector
extensions of NumPy, OpenBLAS and numba switched off, which an older or another processor does not have, and once
without numba. Names to run instead may be given: ``python tools/portable.py notebooks/05_learning_online.ipynb``.
With ``--others`` the run on the processor as it is, which `make test` has done, is left out.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

ROOT = Path(__file__).parents[1]
MATHS = [f"tests/test_{name}.py" for name in ("flows", "beliefs", "belief_values", "pseudo", "models")]
LEARNING = [
    "tests/test_learners.py",
    "tests/test_learner_oracles.py",
    "tests/test_errata.py",
    "tests/test_network_rounds.py",
]
SHOWN = ["tests/experiments/test_committed.py", "tests/explorers", "tests/figures/test_gallery.py"]
# Without numba a round takes forty times as long, and some lessons an hour; lesson 00 says that it is missing.
SHORT = [f"notebooks/{number}_*.ipynb" for number in ("01", "02", "03", "04")]
EVERYTHING = ["notebooks/*.ipynb", *MATHS, *LEARNING, *SHOWN]

WIDE = [name for name in __cpu_dispatch__ if __cpu_features__[name] and ("512" in name or name == "X86_V4")]


def settings(hidden: Path) -> dict[str, tuple[dict[str, str], list[str]]]:
    """What each run is called, what it changes in the environment, and what it runs."""
    old = {"OPENBLAS_CORETYPE": "Nehalem" if "X86_V3" in __cpu_dispatch__ or "AVX2" in __cpu_dispatch__ else "ARMV8"}
    old |= {"NPY_DISABLE_CPU_FEATURES": " ".join(__cpu_dispatch__), "NUMBA_CPU_NAME": "generic"}
    old |= {"OPENBLAS_NUM_THREADS": "2"}
    runs = {"as it is": ({}, EVERYTHING)}
    if WIDE:
        runs["without AVX-512"] = (
            # The kernels for Haswell of the OpenBLAS in NumPy 2.5.4 crash on a processor with AVX-512.
            {"NPY_DISABLE_CPU_FEATURES": " ".join(WIDE), "OPENBLAS_CORETYPE": "Sandybridge"},
            EVERYTHING,
        )
    runs["no vector extensions, another BLAS, two threads"] = (old, EVERYTHING)
    runs["without numba"] = ({"PYTHONPATH": str(hidden)}, [*SHORT, *MATHS, "tests/test_learner_oracles.py"])
    return runs


def main() -> int:
    """Run every setting and tell how long it took; the exit code is 1 if any failed."""
    failed, named = [], [given for given in sys.argv[1:] if given != "--others"]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "numba.py").write_text("raise ImportError('numba is hidden from this run')\n")
        for name, (changes, usual) in settings(Path(folder)).items():
            if name == "as it is" and "--others" in sys.argv:
                continue
            print(f"--- {name}", flush=True)
            began = time.monotonic()
            places = [str(path) for given in named or usual for path in sorted(ROOT.glob(given))]
            pytest = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadfile", "-p", "no:cacheprovider"]
            environment = {"OPENBLAS_NUM_THREADS": "1"} | os.environ | changes
            if subprocess.run([*pytest, *places], cwd=ROOT, env=environment).returncode:
                failed.append(name)
            print(f"--- {name}: {time.monotonic() - began:.0f} s", flush=True)
    print(f"Failed: {'; '.join(failed)}." if failed else "The same everywhere.")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
