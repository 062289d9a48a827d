"""What a page, a typing mistake or an extreme number may not do to an explorer."""

import pytest
from traitlets import TraitError

from bflo_viz import OnlineExplorer, PseudoDatasetExplorer, RegimeExplorer


def from_browser(explorer, **state):
    """Deliver what a browser sends; what was sent back."""
    sent = []
    explorer.comm.send = lambda data=None, **_: sent.append(data)
    explorer._handle_msg(
        {"content": {"data": {"method": "update", "state": state, "buffer_paths": []}}, "buffers": []}
    )
    return sent


@pytest.mark.parametrize("kind", [OnlineExplorer, PseudoDatasetExplorer])
def test_a_page_cannot_set_what_is_not_public(kind):
    explorer = kind()
    private = {
        "_code": "alert(1)",
        "_css": "*{}",
        "_esm": "alert(1)",
        "_about": {},
        "_problem": "!",
        "_model_name": "x",
    }
    before = {name: getattr(explorer, name) for name in private}
    from_browser(explorer, **private, seed=5)
    assert explorer.seed == 5  # what is public is taken
    assert all(getattr(explorer, name) == before[name] for name in private)
    assert len(repr(explorer)) > 20


def test_a_refused_value_is_sent_to_no_page():
    """Its sentence is short, and other pages do not hear of it."""
    explorer = RegimeExplorer(delta=1.0)
    sent = from_browser(explorer, delta="x" * 10**6)
    assert len(str(sent)) < 2000 and explorer.delta == 1.0
    assert {"delta": 1.0} in [message["state"] for message in sent]
    for kind, name in ((OnlineExplorer, "flows"), (RegimeExplorer, "branch"), (OnlineExplorer, "seed")):
        with pytest.raises(TraitError) as raised:
            setattr(kind(), name, "x" * 10**6)
        assert len(str(raised.value)) < 200


def test_a_name_that_there_is_not_is_an_error_with_the_nearest():
    explorer = RegimeExplorer()
    sentence = r"RegimeExplorer has no trait 'dleta' \(did you mean 'delta'\?\); it has delta, delta_new"
    with pytest.raises(TraitError, match=sentence):
        explorer.dleta = 1
    with pytest.raises(TraitError, match=sentence):
        RegimeExplorer(dleta=1)
    explorer._mine, explorer.layout.width, explorer.tooltip = 1, "50%", "words"
    assert explorer._mine == 1


@pytest.mark.parametrize("path", ["", ".", "/"])
def test_a_page_needs_the_name_of_a_file(path):
    with pytest.raises(ValueError, match=r"path must name a file such as 'explorer.html', but it was '[./]?'\."):
        RegimeExplorer().save_html(path)
