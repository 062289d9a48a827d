"""What all explorers share, tried on the plainest of them; browsers have tests of their own."""

import base64
import json
import re
from contextlib import closing
from types import SimpleNamespace

import ipywidgets
import numpy as np
import pytest
from ipywidgets.widgets.widget import _instances
from py_mini_racer import MiniRacer
from traitlets import TraitError

from bflo_viz import DynamicsExplorer, FlowExplorer, OnlineExplorer, RegimeExplorer
from bflo_viz.explorers import base
from bflo_viz.explorers.page import module, page, style_sheet
from bflo_viz.figures import palette


def from_browser(explorer, **state):
    """Deliver what a browser sends when its user moves something."""
    data = {"method": "update", "state": state, "buffer_paths": []}
    explorer._handle_msg({"content": {"data": data}, "buffers": []})


@pytest.mark.parametrize(
    ("trait", "value", "sentence"),
    [
        ("delta", 9, "delta must be from -4 to 4, but it was 9."),
        ("delta", float("nan"), "delta must be finite, but delta is nan."),
        ("delta", "one", "delta must be real numbers, but it was 'one'."),
        ("delta", [1.0], "delta must be a single number, but it has shape (1,)."),
        ("std", 0, "std must be from 0.25 to 3, but it was 0."),
        ("delta", 4.0000001, "delta must be from -4 to 4, but it was 4.0000001."),
        ("delta", True, "delta must be a number, but it was True."),
        ("branch", 0, "branch must be 1 or -1, but it was 0."),
        ("branch", True, "branch must be 1 or -1, but it was True."),
        ("non_expansive", "yes", "non_expansive must be True or False, but it was 'yes'."),
    ],
)
def test_a_wrong_value_gets_one_sentence_and_changes_nothing(trait, value, sentence):
    """On a living explorer and on making one."""
    explorer = RegimeExplorer()
    before = getattr(explorer, trait)
    with pytest.raises(TraitError) as raised:
        setattr(explorer, trait, value)
    assert str(raised.value) == sentence
    assert getattr(explorer, trait) == before
    with pytest.raises(TraitError, match=re.escape(sentence)):
        RegimeExplorer(**{trait: value})


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (-1, "seed must be a whole number from 0 to 4294967295, but it was -1."),
        (2**64, "seed must be a whole number from 0 to 4294967295, but it was 18446744073709551616."),
        (1.5, "seed must be a whole number, but it was 1.5."),
        (True, "seed must be a whole number from 0 to 4294967295, but it was True."),
    ],
)
def test_seeds_are_whole_numbers(value, sentence):
    """And whole floats, such as the browser sends, are taken as such."""
    explorer = DynamicsExplorer()
    with pytest.raises(TraitError, match=re.escape(sentence)):
        explorer.seed = value
    explorer.seed = 3.0
    assert explorer.seed == 3 and type(explorer.seed) is int


@pytest.mark.parametrize("value", ["full", [["full"]], ["full", "round"], 3, [None]])
def test_a_list_of_names_has_only_known_ones(value):
    """One sentence with what is known."""
    with pytest.raises(TraitError, match=r"flows must be a list of 'full', 'diagonal', 'spherical', but it was "):
        OnlineExplorer().flows = value


def test_numbers_of_numpy_are_numbers():
    """A branch that came out of an array."""
    assert RegimeExplorer(branch=np.int64(-1), delta=np.float32(0.5)).state["delta"] == 0.5


def test_what_any_widget_takes_an_explorer_takes():
    """Its layout, for one."""
    assert RegimeExplorer(layout={"width": "50%"}).layout.width == "50%"


def test_a_refused_value_does_not_stay_in_the_picture():
    """The browser gets the sentence, and back the value that Python kept."""
    explorer, sent = RegimeExplorer(delta=1.0), []
    explorer.comm.send = lambda data=None, **_: sent.append(data)
    from_browser(explorer, delta=9.0)
    assert explorer._problem == "delta must be from -4 to 4, but it was 9."
    assert {"delta": 1.0} in [message["state"] for message in sent if message["method"] == "update"]


def test_a_closed_explorer_can_be_saved_and_shown_again(tmp_path):
    """Closing frees the view, not the state."""
    explorer = OnlineExplorer(round=10)
    explorer.close()
    assert explorer.save_html(tmp_path / "x.html").stat().st_size > 50_000
    bundle, _ = explorer._repr_mimebundle_()
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == explorer.model_id
    explorer.close()


def test_the_state_is_a_copy():
    """Changing it changes no explorer."""
    explorer = FlowExplorer()
    explorer.state["w"][0] = 99.0
    assert explorer.w[0] != 99.0


def test_an_unknown_name_is_answered_with_the_known_ones():
    """A typing mistake must not become a silent attribute."""
    with pytest.raises(
        TraitError, match=r"has no trait 'sigma'; it has delta, delta_new, std, branch, non_expansive"
    ):
        RegimeExplorer(sigma=1)


def test_observe_and_link_work_as_with_any_widget():
    """Explorers follow a slider, and each other."""
    explorer, other, slider = RegimeExplorer(delta=1), RegimeExplorer(), ipywidgets.FloatSlider(2.0, min=-4, max=4)
    seen = []
    explorer.observe(lambda change: seen.append(change["new"]), "delta")
    ipywidgets.link((explorer, "delta"), (slider, "value"))
    ipywidgets.link((explorer, "delta"), (other, "delta"))
    slider.value = -3.0
    from_browser(other, delta=0.5)
    assert seen == [-3.0, 0.5]
    assert slider.value == 0.5


def test_a_notebook_stores_picture_and_words_beside_the_view():
    """The words are the same in every run: no address in them."""
    bundle, _ = RegimeExplorer(delta=1.0, delta_new=-2.0)._repr_mimebundle_()
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    assert bundle["text/plain"] == repr(RegimeExplorer(delta=1.0, delta_new=-2.0))
    assert "crossing" in bundle["text/plain"]
    assert "0x" not in bundle["text/plain"]
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_a_failing_callback_is_shown_and_not_swallowed(caplog):
    """Jupyter would only log it; the next move that goes well takes the message away."""
    explorer = RegimeExplorer()

    def broken(change):
        if change["new"] > 1:
            raise ZeroDivisionError("the callback divides by zero")

    explorer.observe(broken, "delta")
    from_browser(explorer, delta=2.0)
    assert "Exception in widget method" in caplog.text
    assert explorer._problem.startswith(
        "A callback failed with ZeroDivisionError: the callback divides by zero (line "
    )
    assert "in broken" in explorer._problem
    from_browser(explorer, delta=0.0)
    assert explorer._problem == ""


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
    box.close()
    box.layout.close()
    boxed.close()
    assert pair[1].posterior.std == new.posterior.std  # a closed explorer can still be read
    for explorer in (pair[0], new):
        explorer.close()
    assert len(_instances) == before


def test_a_saved_page_is_whole_and_names_no_other_place(tmp_path):
    """No address but those of XML names, and all of the state."""
    explorer = RegimeExplorer(delta=-1.25)
    text = explorer.save_html(tmp_path / "x.html").read_text(encoding="utf-8")
    code = base64.b64decode(re.search(r"data:text/javascript;base64,([^\"]+)", text)[1]).decode()
    assert code == explorer._code
    assert set(re.findall(r"https?://[^\s\"'`]+", text + code)) == {"http://www.w3.org/2000/svg"}
    assert "{{" not in text
    state = json.loads(re.search(r'id="state">(.*?)</script>', text)[1])
    assert state == explorer.state | {"_about": json.loads(json.dumps(explorer.about()))}


def test_a_page_cannot_be_broken_by_its_state():
    """Text in the state does not end the script that holds it; bytes arrive marked."""
    text = page("<b>", "", "", {"a": "</script>", "b": b"\x01\x02"})
    assert text.count("</script>") == 2
    assert "<title>&lt;b&gt;</title>" in text
    assert '"base64": "AQI="' in text


def test_a_page_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    """One sentence, and no half of a page."""
    with pytest.raises(OSError, match=r"could not be written \(No such file or directory\); name a file in a folder"):
        RegimeExplorer().save_html(tmp_path / "no" / "x.html")
    good = RegimeExplorer().save_html(tmp_path / "x.html")
    kept = good.read_bytes()

    def full(self, *args, **options):
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", full)
    with pytest.raises(OSError, match="No space left"):
        RegimeExplorer().save_html(good)
    assert [path.name for path in tmp_path.iterdir()] == ["x.html"]
    assert good.read_bytes() == kept


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


def test_the_browser_has_the_colours_of_the_figures():
    """In light and in dark."""
    css = style_sheet()
    for name in ("INK", "PAPER", "PRIOR", "POSTERIOR", "WEIGHT", "REMOVED", "FAINT"):
        color = getattr(palette, name)
        assert f"--{name.lower()}: {color};" in css
        assert f"--{name.lower()}: {palette.DARK[color]};" in css
