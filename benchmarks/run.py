"""Run every benchmark and write what they report into docs/SPEED.md; with names (``run.py mlp``) only run those."""

import ast
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "SPEED.md"
INTRODUCTION = """# Speed

`make bench` writes this page; nobody edits it. Each number is measured side by side with what it is compared to, in
one run, so that a slow moment hits both. From run to run ratios differ by a tenth or so.
[ARCHITECTURE.md](ARCHITECTURE.md#why-it-is-fast) says what decides the speed.
"""


def main() -> None:
    """Run benchmarks; the page is written when all of them are done."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    files = [HERE / f"bench_{name}.py" for name in sys.argv[1:]] or sorted(HERE.glob("bench_*.py"))
    sections = [section(path, measured(path)) for path in files]
    if not sys.argv[1:]:
        PAGE.write_text("\n".join([INTRODUCTION, circumstances(load), *sections]), encoding="utf-8")
        print(f"Written: {PAGE}")


def measured(path: Path) -> list[dict[str, str]]:
    """What a benchmark reports; what it prints is shown."""
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows"
        rows.touch()
        settings = os.environ | {"OPENBLAS_NUM_THREADS": "1", "BFLO_BENCH": str(rows)}
        subprocess.run([sys.executable, path], env=settings, check=True)
        return [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]


def section(path: Path, rows: list[dict[str, str]]) -> str:
    """A table under what the benchmark says of itself."""
    heading = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]
    lines = [f"| {row['what']} | {row['measured']} | {row['bar']} | {row['verdict']} |" for row in rows]
    table = (
        ["| what | measured | bar | |", "|---|---|---|---|", *lines] if rows else ["Not measured on this machine."]
    )
    return "\n".join([f"## {path.stem.removeprefix('bench_').replace('_', ' ')}", "", heading, "", *table, ""])


def circumstances(load: float) -> str:
    """When, where and how it was measured."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "scikit-learn"))
    return "\n".join(
        [
            "| | |",
            "|---|---|",
            f"| date | {datetime.date.today():%d %B %Y} |",
            f"| processor | {processor()}, {os.cpu_count()} cores; BLAS uses one |",
            f"| load before | {load:.1f} (above 0.5, other work made it slower) |",
            f"| software | Python {platform.python_version()}, {packages} |",
            "| command | `make bench` |\n",
        ]
    )


def processor() -> str:
    """Its name, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
