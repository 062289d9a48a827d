"""The state of an explorer as text in an address: the same in both languages, there and back, and never an error."""

import re
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from racing import asked, engine
from traitlets import TraitError

import bflo_viz
from bflo_viz import DynamicsExplorer, FlowExplorer, OnlineExplorer, RegimeExplorer, ResultsExplorer
from bflo_viz.explorers import address

EXPLORERS = [getattr(bflo_viz, name) for name in bflo_viz.__all__ if name.endswith("Explorer")]
QUICK = [kind for kind in EXPLORERS if kind is not ResultsExplorer]  # its results take a while to read
NAMES = st.sampled_from(EXPLORERS)
SAFE = re.compile(r"#[\w.]+:[\w.=,()~+-]*", re.ASCII)  # what no program changes, and browsers do not encode


@pytest.fixture(scope="module")
def racer():
    code = """
        const { encoded, decoded, differences, partsOf } = modules["shared/address.js"];
        const { nearest } = modules["shared/kit.js"];
        const parts = (text) => partsOf(text).explorers.map(([name, traits]) => [name, [...traits]]);
        const taken = (controls, traits) => Object.fromEntries(Object.entries(controls).map(([name, known]) =>
            [name, traits.has(name) ? nearest(known, decoded(known, traits.get(name))) : known.default]));
        const opened = (controls, text) => taken(controls, partsOf(text).explorers[0][1]);
    """
    with engine("shared/kit.js", "shared/address.js", code=code) as ready:
        yield ready


def values(known):
    """The values that a trait can have; of a kind that is not known here, its first."""
    kind, first = known["kind"], known["default"]
    if kind in ("number", "point"):
        ends, steps = (known["low"], known["high"]), round((known["high"] - known["low"]) / known["step"])
        on_steps = st.integers(0, steps).map(lambda n: min(known["low"] + n * known["step"], known["high"]))
        one = st.floats(*ends) | on_steps | st.sampled_from([float(end) for end in ends])
        return st.lists(one, min_size=2, max_size=2) if kind == "point" else one | st.just(first)
    if kind == "whole":
        return st.integers(known["low"], known["high"])
    if kind == "flag":
        return st.booleans()
    options = [value for value, _ in known.get("options", ())]
    if kind == "subset":
        return st.sets(st.sampled_from(options)).map(lambda chosen: [one for one in options if one in chosen])
    return st.sampled_from(options) if kind == "choice" else st.just(first)


@pytest.mark.parametrize("kind", QUICK, ids=lambda kind: kind.__name__)
@settings(max_examples=max(30, settings.default.max_examples // 4))  # each example tries all traits at once
@given(data=st.data())
def test_a_link_goes_there_and_back_in_both_languages(racer, kind, data):
    """Python writes what the page writes; either reads the other's, on its way through a program that encodes it."""
    explorer = kind()
    try:
        for name, known in kind.about()["controls"].items():
            setattr(explorer, name, data.draw(values(known), label=name))
        controls, state, link = explorer._about["controls"], explorer.state, explorer.link("page.html#old")
    finally:
        explorer.close()
    page, _, fragment = link.partition("#")
    assert page == "page.html" and SAFE.fullmatch(f"#{fragment}")
    assert fragment == f"{kind._view.parent.name}:{asked(racer, 'differences', controls, state)}"
    for text in (link, f"page.html#{quote(fragment)}", f"{link}. "):
        again = kind.from_link(text)
        again.close()
        assert alike(again.state, state) and again.link() == f"#{fragment}"
        if not state.get("gradient_step"):  # what follows from others, the view computes
            assert alike(asked(racer, "opened", controls, text.partition("#")[2]), state)


@pytest.mark.parametrize(
    ("explorer", "link"),
    [
        (lambda: RegimeExplorer(delta=0.1 + 0.2, std=1 / 3), "#regime:delta=0.3,std=0.3333333333333333"),
        (lambda: FlowExplorer(w=[1, -0.5], gradient_step=True), "#flow:w=(1,-0.5),gradient_step=true"),
        (lambda: OnlineExplorer(flows=[], seed=2**32 - 1), "#online:seed=4294967295,flows=()"),
        (lambda: DynamicsExplorer(surface="double well", eta=0.1), "#dynamics:surface=double+well,eta=0.1"),
    ],
)
def test_a_link_is_short_and_can_be_read(explorer, link):
    """It says what differs from the first state of its kind, in the names of Python."""
    assert explorer().link() == link


def alike(a, b):
    """Whether two values are of the same kinds and about the same numbers."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(alike(a[name], b[name]) for name in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(alike, a, b))
    if {type(a), type(b)} <= {int, float}:
        return a == b or abs(a - b) < 1e-9
    return type(a) is type(b) and a == b


@given(st.text("()~+,;:=.%#-e1209naf t\ud800é", max_size=40) | st.text(), NAMES)
def test_no_address_is_an_error_in_a_page(racer, text, kind):
    """Whatever stands there: both languages read the same, and the page takes what Python allows."""
    parts = dict(asked(racer, "parts", text))
    if "%" not in text:  # what is no percent sign of anything stays as it is there, and here it does not
        found = {name: traits for name, traits in address.explorers_in("#" + text.replace("#", "")) if traits}
        theirs = {
            name.partition(".")[0]: dict(traits) for name, traits in asked(racer, "parts", text.replace("#", ""))
        }
        assert found == {name: traits for name, traits in theirs.items() if traits}
    controls = kind.about()["controls"]
    given_ = {name: value for pairs in parts.values() for name, value in pairs} or {"": text}
    for value in given_.values():
        for name, known in controls.items():
            ours, theirs = address.decoded(known, value), asked(racer, "decoded", known, value)
            assert ours == theirs or "inf" in str(ours)
            used = asked(racer, "nearest", known, theirs)
            assert kind.class_traits()[name].validate(None, used) == used


@pytest.mark.parametrize(
    ("kind", "link", "sentence"),
    [
        (RegimeExplorer, "#regime:delta=99", "delta must be from -4 to 4, but it was 99."),
        (RegimeExplorer, "#regime:dleta=1", "RegimeExplorer has no trait 'dleta': did you mean 'delta'?"),
        (FlowExplorer, "#regime:delta=1", "link must name the explorer 'flow', such as '#flow:mean=…', but "),
        (ResultsExplorer, "#results:experiment=demo,stream=EEG", "stream must be 'DEMO', but it was 'EEG'."),
    ],
)
def test_a_wrong_link_is_one_sentence_in_python(kind, link, sentence):
    with pytest.raises((TraitError, ValueError), match=re.escape(sentence)):
        kind.from_link(link)


def test_a_link_of_several_explorers_gives_the_first_of_its_kind():
    """Whatever else it leads to; and one whose colon was lost is the first state."""
    link = "https://example.org/a.html#limits;online:round=3;regime.2:delta=2;regime:delta=3"
    assert RegimeExplorer.from_link(link).delta == 2 and OnlineExplorer.from_link(link).round == 3
    assert RegimeExplorer.from_link("#regime").state == RegimeExplorer().state


def test_every_experiment_has_its_links(racer):
    """Options depend on the experiment: what another does not have becomes what it shows first, as by hand."""
    for experiment, kept in ResultsExplorer()._kept.items():
        explorer = ResultsExplorer()
        explorer.experiment, controls = experiment, explorer._about["controls"]
        assert ResultsExplorer.from_link(f"#results:experiment={experiment}").state == explorer.state
        explorer.noise, explorer.learners = kept.options["noise"][-1], kept.options["learners"][::-2]
        explorer.stream, explorer.protocol = kept.options["stream"][-1], kept.options["protocol"][-1]
        state = explorer.state
        assert explorer.link() == f"#results:{asked(racer, 'differences', controls, state)}"
        again = ResultsExplorer.from_link(explorer.link())
        assert again.state == state
        shown = asked(racer, "opened", controls, explorer.link()[1:])
        assert set(shown.pop("learners")) == set(state.pop("learners")) and alike(shown, state)
