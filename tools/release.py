"""Build the source archive and the wheel into dist/, look into them, and try the wheel in an empty environment.

Nothing is uploaded. The environment gets the pinned versions of JupyterLab, numba and the rest from where pip gets
them; after that there is no network.
"""

import email
import io
import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

import mistune

ROOT = Path(__file__).parents[1]
LARGEST, WHOLE = 1_000_000, 10_000_000  # bytes, of a file and of an archive
BUILD = "import sys; sys.path[:0] = ['tools']; import backend; print(backend.build_{}(sys.argv[1]))"


def main() -> None:
    """Build, check, try."""
    changed = git("status", "--porcelain")
    if changed:
        sys.exit(f"Commit these files, or remove them, first:\n{changed}")
    tracked, dist = set(git("ls-files").splitlines()), ROOT / "dist"
    with tempfile.TemporaryDirectory() as folder:
        source = built("sdist", ROOT, dist)
        with tarfile.open(source) as archive:
            members = {m.name.partition("/")[2]: m.size for m in archive.getmembers() if m.isfile()}
            archive.extractall(folder, filter="data")
        same(
            "the source archive", set(members) - {"PKG-INFO"}, {name for name in tracked if not name.startswith(".")}
        )
        # From what the archive has, and nothing else: whoever has the archive can build it, too.
        [unpacked] = Path(folder).iterdir()
        wheel = built("wheel", unpacked, dist)
        with zipfile.ZipFile(wheel) as archive:
            inside = {entry.filename: entry.file_size for entry in archive.infolist()}
            [about] = [name for name in inside if name.endswith(".dist-info/METADATA")]
            check_metadata(archive.read(about).decode())
        course = {f"bflo_viz/course/{name}" for name in tracked if re.match(r"notebooks/\d\d_|results/", name)}
        package = {name for name in tracked if name.startswith("bflo_viz/")} | course
        records = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE", "licenses/THIRD_PARTY.md"}
        same("the wheel", set(inside), package | {f"{about.partition('/')[0]}/{name}" for name in records})
        for path, sizes in ((source, members), (wheel, inside)):
            large = [name for name, size in sizes.items() if size > LARGEST]
            if large or path.stat().st_size > WHOLE:
                sys.exit(f"{path.name} is too large, or has files that are: {large}")
            print(f"{path.relative_to(ROOT)}: {len(sizes)} files, {path.stat().st_size / 1e6:.1f} MB", flush=True)
        environment = Path(folder, "environment")
        venv.create(environment, with_pip=True)
        python = environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
        install = ("-m", "pip", "install", "--quiet", "-c", ROOT / "constraints.txt", f"{wheel}[lab]")
        subprocess.run([python, *install], check=True)
        subprocess.run([sys.executable, ROOT / "tools" / "smoke.py", python], check=True)
    print("Ready. Nothing was uploaded.")


def git(*words: str) -> str:
    """What git says of this folder."""
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def built(what: str, where: Path, dist: Path) -> Path:
    """Build an archive of a folder, as pip would."""
    dist.mkdir(exist_ok=True)
    command = [sys.executable, "-P", "-c", BUILD.format(what), str(dist)]
    return dist / subprocess.run(command, cwd=where, check=True, capture_output=True, text=True).stdout.strip()


def same(what: str, has: set[str], wanted: set[str]) -> None:
    """Stop unless an archive has what it should have, and nothing else."""
    if has != wanted:
        sys.exit(f"{what} lacks {sorted(wanted - has)} and has {sorted(has - wanted)}, which it should not.")


def check_metadata(text: str) -> None:
    """Stop unless version, licences and description are those of this folder, and the description can be shown."""
    about = email.message_from_file(io.StringIO(text))
    version, cited = about["Version"], (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    if f"\nversion: {version}\n" not in cited or f"\n## {version}" not in (ROOT / "CHANGELOG.md").read_text("utf-8"):
        sys.exit(f"CITATION.cff or CHANGELOG.md does not name version {version}.")
    if about["License-Expression"] != "MIT" or about.get_all("License-File") != ["LICENSE", "THIRD_PARTY.md"]:
        sys.exit("the metadata does not name the licences.")
    shown = mistune.html(about.get_payload())
    if about["Description-Content-Type"] != "text/markdown" or not {"<h1>", "<table>", "<code"} <= set(
        re.findall(r"<(?:h1|table)>|<code", shown)
    ):
        sys.exit("the description does not look like the README.")


if __name__ == "__main__":
    main()
