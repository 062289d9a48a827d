"""What a trait says of its control: it reaches the page whole, and a page mends every value that it cannot have."""

import json
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from py_mini_racer import MiniRacer
from traitlets import TraitError

import bflo_viz
from bflo_viz.explorers.page import SHARED, module

EXPLORERS = [getattr(bflo_viz, name) for name in bflo_viz.__all__ if name.endswith("Explorer")]
CONTROLS = [(kind, name) for kind in EXPLORERS for name in kind.about()["controls"]]
BROKEN = [
    "text",
    "",
    None,
    True,
    [],
    {},
    [1],
    [None, 2],
    [1e400, -1e400],
    1e400,
    float("nan"),
    -1e308,
    0.5,
    10**30,
    -3,
]


@pytest.fixture(scope="module")
def racer():
    with MiniRacer() as engine:
        engine.eval(re.sub(r"^export ", "", module(SHARED / "kit.js"), flags=re.MULTILINE))
        engine.eval("const mend = (known, text) => JSON.stringify(nearest(JSON.parse(known), eval(`(${text})`)))")
        yield engine


def mended(racer, kind, name, value):
    """What a page takes a value for, as Python reads it."""
    text = "NaN" if value != value else json.dumps(value).replace("Infinity", "(1/0)")
    return json.loads(racer.call("mend", json.dumps(kind.about()["controls"][name]), text))


@pytest.mark.parametrize(("kind", "name"), CONTROLS, ids=lambda part: getattr(part, "__name__", part))
def test_a_page_mends_what_python_refuses_and_nothing_else(racer, kind, name):
    """Whatever the page takes it for, Python takes; and what Python takes, the page leaves alone."""
    trait = kind.class_traits()[name]
    for value in [*BROKEN, trait.default_value, getattr(trait, "low", 0), getattr(trait, "high", 0)]:
        used = mended(racer, kind, name, value)
        try:
            accepted = trait.validate(None, value)
        except TraitError:
            accepted = trait.validate(None, used)
        assert used == accepted, value


@given(value=st.one_of(st.floats(), st.integers(), st.text(max_size=3), st.lists(st.floats(), max_size=3)))
def test_every_number_has_a_nearest(racer, value):
    """By any route, such as a slider of another widget that is linked in the browser."""
    for kind, name in ((bflo_viz.RegimeExplorer, "delta"), (bflo_viz.DynamicsExplorer, "seed")):
        if value != value or isinstance(value, list):
            value = str(value)
        trait = kind.class_traits()[name]
        used = mended(racer, kind, name, value)
        assert trait.validate(None, used) == used
        if isinstance(value, (int, float)):
            assert abs(used - min(max(value, trait.low), trait.high)) <= 0.5 * (name == "seed")


@pytest.mark.parametrize("kind", EXPLORERS)
def test_every_control_has_a_name_and_a_sentence(kind):
    """And reaches every page: it is synced, and no view holds a title of its own."""
    about = kind.about()
    assert about["title"] and about["help"].endswith(".")
    for name, control in about["controls"].items():
        assert control["label"] and control["help"].endswith("."), name
    assert kind()._about == about
    view = kind._view.read_text(encoding="utf-8")
    assert f'"{about["title"]}"' not in view and not re.search(r"\b(min|max|step|digits|unit): *[\d\"-]", view)


def test_all_but_the_picture_works_without_matplotlib(tmp_path):
    """What draws is loaded when a figure is asked for; where it is missing, the stored picture is left out."""
    code = """
import sys
for name in ("matplotlib", "PIL", "scipy"):
    sys.modules[name] = None
from bflo_viz import FlowExplorer, OnlineExplorer, PseudoDatasetExplorer, RegimeExplorer
for kind in (RegimeExplorer, FlowExplorer, PseudoDatasetExplorer, OnlineExplorer):
    explorer = kind()
    bundle, metadata = explorer._repr_mimebundle_()
    assert "image/png" not in bundle and "image/png" not in metadata
    assert bundle["text/plain"] == repr(explorer) and explorer.posterior is not None
    explorer.save_html(sys.argv[1])
"""
    command = [sys.executable, "-c", code, str(tmp_path / "page.html")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
