"""What passes between a page and an explorer, tried on the plainest of them; browsers have tests of their own."""

from contextlib import closing
from types import SimpleNamespace

import ipywidgets
import pytest
from ipywidgets.widgets.widget import _instances
from py_mini_racer import MiniRacer
from traitlets import TraitError

from bflo_viz import FlowExplorer, OnlineExplorer, RegimeExplorer
from bflo_viz.explorers import base
from bflo_viz.explorers.old_page import module, page, script, style_sheet
from bflo_viz.figures import palette


def from_browser(explorer, **state):
    """Deliver what a browser sends when its user moves something; what was sent back."""
    sent = []
    explorer.comm.send = lambda data=None, **_: sent.append(data)
    data = {"method": "update", "state": state, "buffer_paths": []}
    explorer._handle_msg({"content": {"data": data}, "buffers": []})
    return sent


def test_a_page_cannot_set_what_is_not_public():
    explorer = OnlineExplorer()
    private = dict.fromkeys(("_code", "_css", "_esm", "_problem", "_model_name"), "alert(1)") | {"_about": {}}
    before = {name: getattr(explorer, name) for name in private}
    from_browser(explorer, **private, seed=5)
    assert explorer.seed == 5  # what is public is taken
    assert all(getattr(explorer, name) == before[name] for name in private)


@pytest.mark.parametrize("value", [9.0, "x" * 10**6])
def test_a_refused_value_does_not_stay_in_the_picture(value):
    """The browser gets the sentence, and back the value that Python kept; no other page hears of it."""
    explorer = RegimeExplorer(delta=1.0)
    sent = from_browser(explorer, delta=value)
    assert explorer._problem.startswith("delta must be ") and explorer.delta == 1.0
    assert {"delta": 1.0} in [message["state"] for message in sent if message["method"] == "update"]
    assert len(str(sent)) < 2000


def test_a_failing_callback_is_shown_and_not_swallowed(caplog):
    """Jupyter would only log it; the next move that goes well takes the message away."""
    explorer = RegimeExplorer()

    def broken(change):
        if change["new"] > 1:
            raise ZeroDivisionError("the callback divides by zero")

    explorer.observe(broken, "delta")
    from_browser(explorer, delta=2.0)
    assert "Exception in widget method" in caplog.text
    problem = "A callback failed with ZeroDivisionError: the callback divides by zero (line "
    assert explorer._problem.startswith(problem) and "in broken" in explorer._problem
    from_browser(explorer, delta=0.0)
    assert explorer._problem == ""


def test_no_list_is_shared():
    """Changing the state, or a list of one explorer, changes no other."""
    explorer = FlowExplorer()
    explorer.state["w"][0] = 99.0
    assert explorer.w[0] != 99.0
    explorer.w[0] = 99.0
    assert FlowExplorer().w[0] != 99.0


def test_a_name_that_there_is_not_is_an_error_with_the_nearest():
    """A typing mistake must not become a silent attribute."""
    explorer = RegimeExplorer()
    sentence = r"RegimeExplorer has no trait 'dleta': did you mean 'delta'\?"
    with pytest.raises(TraitError, match=sentence):
        explorer.dleta = 1
    with pytest.raises(TraitError, match=sentence):
        RegimeExplorer(dleta=1)
    explorer._mine = 1
    assert explorer._mine == 1 and RegimeExplorer(layout={"width": "50%"}).layout.width == "50%"


def test_running_a_cell_again_closes_what_it_made(monkeypatch):
    """200 runs of a cell leave one explorer open; a second one of the same run, or one shown elsewhere, stays."""
    shell = SimpleNamespace(cell="a", execution_count=0)
    shell.get_parent = lambda: {"metadata": {"cellId": shell.cell}}
    monkeypatch.setattr(base, "get_ipython", lambda: shell)
    monkeypatch.setattr(base, "_BY_CELL", {})
    before = len(_instances)
    for run in range(200):
        shell.execution_count = run
        pair = RegimeExplorer(), RegimeExplorer()
    assert len(_instances) - before == 4  # two explorers and their layouts
    assert all(explorer.model_id for explorer in pair)
    shell.cell, shell.execution_count = "b", 200
    pair[0]._repr_mimebundle_()
    shell.cell, shell.execution_count = "a", 201
    boxed = RegimeExplorer()
    assert pair[0].comm is not None
    assert pair[1].comm is None
    box = ipywidgets.VBox([boxed])
    shell.execution_count = 202
    new = RegimeExplorer()
    assert boxed.comm is not None  # a box shows it, wherever that is
    for widget in (box, box.layout, boxed, pair[0], new):
        widget.close()
    assert pair[1].posterior.std == new.posterior.std  # a closed explorer can still be read
    assert len(_instances) == before


def test_a_closed_explorer_can_be_saved_and_shown_again(tmp_path):
    """Closing frees the view, not the state."""
    explorer = OnlineExplorer(round=10)
    explorer.close()
    assert explorer.save_html(tmp_path / "x.html").stat().st_size > 50_000
    bundle, _ = explorer._repr_mimebundle_()
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == explorer.model_id
    explorer.close()


def test_a_page_cannot_be_broken_by_its_state():
    """Text in the state does not end the script that holds it."""
    text = page("<b>", RegimeExplorer._view, {"a": "</script>"})
    assert text.count("</script>") == 2
    assert "<title>&lt;b&gt;</title>" in text


def test_a_page_that_cannot_be_written_is_one_sentence(tmp_path):
    for path in ("", ".", "/"):
        with pytest.raises(ValueError, match=r"path must name a file such as 'explorer.html', but it was '[./]?'\."):
            RegimeExplorer().save_html(path)
    with pytest.raises(OSError, match=r"could not be written"):
        RegimeExplorer().save_html(tmp_path / "no" / "x.html")


def test_modules_are_joined_each_once(tmp_path):
    """Imports come before what uses them, in one text that needs no other, and each keeps its names to itself."""
    (tmp_path / "a.js").write_text("const hidden = 1;\nexport const A = hidden;\n")
    (tmp_path / "b.js").write_text(
        'import { A } from "./a.js";\nconst hidden = 2;\nexport function b() { return A + hidden; }\n'
    )
    (tmp_path / "v.js").write_text(
        'import { A } from "./a.js";\nimport { b } from "./b.js";\n'
        "const hidden = 4;\nexport default { A, b, hidden };\n"
    )
    text = module(tmp_path / "v.js")
    assert "import" not in text
    assert text.count("const hidden = 1;") == 1
    with closing(MiniRacer()) as racer:
        racer.eval(text.replace("export default", "const view ="))
        assert racer.eval("[view.A, view.b(), view.hidden].join()") == "1,3,4"
    with closing(MiniRacer()) as racer:  # as a script, which starts what the page has
        racer.eval("var document = { querySelectorAll: () => [] };")
        racer.eval(script({"own": tmp_path / "v.js"}))


def test_the_browser_has_the_colours_of_the_figures():
    """In light and in dark."""
    css = style_sheet()
    for name in ("INK", "PAPER", "PRIOR", "POSTERIOR", "WEIGHT", "REMOVED", "FAINT"):
        color = getattr(palette, name)
        assert f"--{name.lower()}: {color};" in css
        assert f"--{name.lower()}: {palette.DARK[color]};" in css
