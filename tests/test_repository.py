"""The files around the code agree with each other and with what they promise."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import distributions
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

import bflo_viz

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CONDA_NAMES = {"matplotlib": "matplotlib-base"}  # without its Qt, which no notebook needs


def requirements(*extras):
    """Direct requirements of the package and of some extras, this project itself left out."""
    lines = [*PROJECT["dependencies"], *(line for e in extras for line in PROJECT["optional-dependencies"][e])]
    return [r for r in map(Requirement, lines) if r.name != PROJECT["name"]]


def pins():
    """Every line of constraints.txt."""
    return [Requirement(line) for line in (ROOT / "constraints.txt").read_text().splitlines()]


def test_environment_yml_asks_for_what_pyproject_asks_for():
    entries = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    conda = [Requirement(e) for e in entries if isinstance(e, str)]
    python = next(r for r in conda if r.name == "python")
    assert str(PROJECT["requires-python"]) in str(python.specifier).split(",")
    wanted = {CONDA_NAMES.get(r.name, r.name): r.specifier for r in requirements("lab")}
    assert {r.name: r.specifier for r in conda if r.name not in ("python", "pip")} == wanted
    assert [e["pip"] for e in entries if isinstance(e, dict)] == [["-e ."]]


def test_every_direct_requirement_has_a_pin_within_its_range():
    pinned = {}
    for pin in pins():
        (spec,) = pin.specifier
        assert spec.operator == "=="
        pinned.setdefault(pin.name, []).append(spec.version)
    for wanted in requirements("lab", "cluster", "test"):
        assert pinned[wanted.name], wanted
        assert all(wanted.specifier.contains(version) for version in pinned[wanted.name]), wanted


def test_what_is_installed_is_what_is_pinned():
    pinned = {pin.name: pin for pin in pins() if not pin.marker or pin.marker.evaluate()}
    found = {re.sub("[-_.]+", "-", one.metadata["Name"]).lower(): one.version for one in distributions()}
    assert {name: v for name, v in found.items() if name in pinned and not pinned[name].specifier.contains(v)} == {}
    assert {requirement.name for requirement in requirements("lab", "cluster", "test")} <= set(found)


def test_the_citation_has_this_version_and_names_the_paper():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == bflo_viz.__version__
    assert [one["title"] for one in citation["references"]] == ["Belief Flows for Robust Online Learning"]
    assert f"\n## {bflo_viz.__version__}" in (ROOT / "CHANGELOG.md").read_text()


# All but the scikit-learn estimator, and the explorers, which are widgets.
LIGHT = ", ".join(name for name in bflo_viz.__all__ if not name.endswith(("Classifier", "Explorer")))


@pytest.mark.parametrize("command", ["import bflo_viz", f"from bflo_viz import {LIGHT}"], ids=["package", "names"])
def test_importing_loads_no_heavy_library(command):
    heavy = ("matplotlib", "numba", "sklearn", "scipy", "ipywidgets", "IPython")
    code = f"import sys\n{command}\nprint([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_public_names_are_all_there_and_a_wrong_one_is_said_to_be_wrong():
    """Lazy loading hides nothing: every public name resolves, and a mistyped one is an AttributeError."""
    assert all(getattr(bflo_viz, name) is not None for name in bflo_viz.__all__)
    assert set(bflo_viz.__all__) <= set(dir(bflo_viz))
    with pytest.raises(AttributeError, match="strech"):
        bflo_viz.strech  # noqa: B018


def test_modules_stay_small():
    sizes = {p.name: len(p.read_text().splitlines()) for p in (ROOT / "bflo_viz").rglob("*.py")}
    assert max(sizes.values()) <= 400, sizes
