"""The dynamics explorer: what it is told, says, draws and saves; and that its page computes what Python computes."""

import json
import math
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from py_mini_racer import JSEvalException, MiniRacer
from traitlets import TraitError

import bflo_viz
from bflo_viz import DynamicsExplorer
from bflo_viz.explorers.dynamics import ROUNDS
from bflo_viz.explorers.page import module
from bflo_viz.figures.style import alt_text
from bflo_viz.scenes.surfaces import SURFACES
from bflo_viz.scenes.three_ways import FLOWS, NOTICE, covariance_of, dynamics

NAMES = list(SURFACES)
SCENE = Path(bflo_viz.__file__).parent / "explorers" / "dynamics" / "scene.js"
TOLERANCE = 1e-9
LOOKS = (0, 1, 2, 37, 250, 251, 600, 30, 10)  # not in order: the last ones lie behind
FEW, MANY = 18, 150
CALMEST = 0.25  # the learning rate of the double well, beyond which its steps can be chaotic


@pytest.fixture(scope="module")
def text():
    return module(SCENE)


def page(text):
    """A JavaScript engine with the scene of the page in it, to be closed."""
    racer = MiniRacer()
    racer.eval(text.replace("export class Run", "class Run"))
    racer.eval(f"const common = {json.dumps(DynamicsExplorer.about()['facts'])}; let run;")
    racer.eval("const start = (text) => Boolean((run = new Run(common, JSON.parse(text))));")
    racer.eval("const seen = (n) => JSON.stringify(run.at(n));")
    return closing(racer)


@pytest.fixture(scope="module")
def racer(text):
    with page(text) as ready:
        yield ready


def setting(number):
    """Settings drawn at random: every surface with every flow and every truth, and rates where nothing is chaotic."""
    rng, name = np.random.default_rng(number), NAMES[number % 3]
    return {
        "surface": name,
        "flow": FLOWS[number // 3 % 3],
        "truth": ("given", "drawn")[number // 9 % 2],
        "eta": None if number % 4 == 0 else round(float(rng.uniform(0.005, CALMEST)), 3),
        "std": round(float(rng.uniform(0.2, 1.5 if name == "double well" else 2.5)), 1),
        "seed": int(rng.integers(2**32)),
    }


def in_python(settings):
    others = {name: value for name, value in settings.items() if name != "seed"}
    return dynamics(np.random.RandomState(settings["seed"]), rounds=max(LOOKS), **others)


def numbers_of(frame):
    """All numbers of a frame of the page, by name; an outline folded, since roots near 0 lose digits."""
    bayes = frame["bayes"]
    pairs = {name: np.reshape(frame[name], (-1, 2)) for name in ("cloud", "members", "fitting", "point")}
    found = {**pairs, "mean": frame["belief"]["mean"], "covariance": frame["belief"]["covariance"]}
    found |= {"bayes_mean": bayes["mean"], "bayes_covariance": bayes["covariance"]}
    if frame["now"]:
        found |= {"sampled": frame["sampled"], "moved": frame["moved"]}
    if "hill" in bayes:
        outline = np.array([[np.nan if x is None else x for x in pair] for pair in bayes["outline"]])
        found |= {"hill_mean": bayes["hill"], "hill_std": bayes["hillStd"], "outline": folded(outline)}
    return found


def expected_of(scene):
    now, two = scene.now, scene.surface.two_wells
    fitting = scene.surface.fitting(scene.examples[now - 1]) if now else np.empty((0, 2))
    found = {"cloud": scene.clouds[now], "members": scene.ensembles[now], "fitting": fitting}
    found |= {"point": scene.points[now], "mean": scene.beliefs[now].mean}
    found |= {"covariance": covariance_of(scene.beliefs[now]), "bayes_mean": scene.bayes.mean[now]}
    found |= {"bayes_covariance": scene.bayes.covariance[now]}
    if now:
        found |= {"sampled": scene.sampled[now - 1], "moved": scene.moved[now - 1]}
    if two:
        found |= {"hill_mean": scene.bayes.hill_mean[now], "hill_std": scene.bayes.hill_std[now]}
        found |= {"outline": folded(scene.bayes.outline(now))}
    return found


def folded(outline):
    return np.column_stack([np.square(outline[:, 0]), outline[:, 1]])


def worst_of(racer, settings):
    """The largest deviation by what it is one of; words have none, or they are others."""
    scene, worst = in_python(settings), {}
    assert racer.call("start", json.dumps(settings))
    for now in LOOKS:
        frame, here = json.loads(racer.call("seen", now)), scene.at(now)
        theirs, ours = numbers_of(frame), expected_of(here)
        assert theirs.keys() == ours.keys()
        for name, value in ours.items():
            value, other = np.ravel(value), np.ravel(np.asarray(theirs[name], float))
            assert value.shape == other.shape and (np.isnan(value) == np.isnan(other)).all()
            gaps = np.abs(value - other) / np.maximum(1, np.abs(value))
            worst[name] = max(worst.get(name, 0.0), np.nanmax(gaps, initial=0.0))
        same = (tuple(frame["sentences"]), frame["notice"]) == (here.sentences(), here.notice)
        worst["words"] = max(worst.get("words", 0.0), 0.0 if same else 1.0)
    return worst


def all_worst(racer, numbers):
    worst = {}
    for number in numbers:
        for name, size in worst_of(racer, setting(number)).items():
            worst[name] = max(worst.get(name, 0.0), size)
    return worst


def test_the_page_computes_what_python_computes(racer, record_property):
    """Every number and every sentence of some rounds, for settings drawn at random."""
    worst = all_worst(racer, range(FEW))
    record_property(
        "says", f"Dynamics in JavaScript and Python: {FEW} runs, worst deviation {max(worst.values()):.1e}."
    )
    assert not {name: size for name, size in worst.items() if size > TOLERANCE}


@pytest.mark.slow
def test_the_page_computes_what_python_computes_for_many_settings(racer):
    """See above."""
    worst = all_worst(racer, range(FEW, MANY))
    assert not {name: size for name, size in worst.items() if size > TOLERANCE}


@pytest.mark.parametrize("flow", FLOWS)
def test_steps_that_run_away_are_the_same_until_they_are_chaotic(racer, flow):
    """Rounding doubles from round to round there, so only the first rounds can agree; all later ones are numbers."""
    settings = {"surface": "double well", "flow": flow, "truth": "given", "eta": 0.5, "std": 2.5, "seed": 0}
    scene = in_python(settings)
    assert racer.call("start", json.dumps(settings))
    for now in (1, 5):
        theirs, ours = numbers_of(json.loads(racer.call("seen", now))), expected_of(scene.at(now))
        for name, value in ours.items():
            np.testing.assert_allclose(np.ravel(theirs[name]), np.ravel(value), rtol=1e-7, atol=1e-7, err_msg=name)
    last = json.loads(racer.call("seen", 600))
    assert None not in [*last["point"], *last["members"], *last["cloud"], *last["belief"]["mean"]]
    assert last["notice"] == scene.notice == NOTICE["runaway"]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("2 ** 32 * rng.random()", "2 ** 32 * rng.random() + 1"),
        ("[draw(1), draw(1), draw(common.ensemble)]", "[draw(1), draw(1), draw(common.ensemble - 1)]"),
        ("state.turn += learner.belief.turn()", "state.turn -= learner.belief.turn()"),
        ("surface.step(state.members, state.example);", ""),
        ("settings.eta ?? surface.eta", "surface.eta"),
        ("surface.withOptimum(...optimum)", "surface.withOptimum(...start)"),
        ("(2 * this.noise ** 2) / (n * std ** 2)", "(this.noise ** 2) / (n * std ** 2)"),
        ("share[0] /= 2;", ""),
        ("1 / std ** 2 + yy / noise", "1 + yy / noise"),
        ("Math.sqrt((middle * middle - away[i]) / 2)", "Math.sqrt(middle * middle - away[i])"),
        ("copyOf(this.kept[place])", "this.kept[place]"),
        ("facts.flowFar > tooSure", "facts.flowFar < tooSure"),
        ("w1 * x1 + w2 * x2 - y", "w1 * x1 + w2 * x2 - 1.0000001 * y"),
    ],
)
def test_a_wrong_page_is_found(text, right, wrong):
    """The comparison can fail: each of these mistakes is seen."""
    assert text.count(right) >= 1
    with page(text.replace(right, wrong)) as broken:
        for number in range(FEW):
            try:
                if max(worst_of(broken, setting(number)).values()) > TOLERANCE:
                    return
            except (JSEvalException, AssertionError):
                return
    pytest.fail("no run has noticed")


def test_any_round_can_be_asked_for_in_any_order(racer):
    """Rounds are the same on the way there and back, over many kept states; twenty thousand are no end."""
    settings = {"surface": "ravine", "flow": "diagonal", "truth": "drawn", "eta": None, "std": 1.2, "seed": 11}
    assert racer.call("start", json.dumps(settings))
    rounds = [20_000, 19_999, 1, 5_000, 250, 249, 251, 0, 12_345]
    there = {n: racer.call("seen", n) for n in sorted(rounds)}
    back = {n: racer.call("seen", n) for n in rounds}
    assert there == back


def test_the_error_function_is_right(racer):
    """Against that of Python, far into its tails."""
    x = [*np.linspace(-7, 7, 281).tolist(), 1e-300, 0.0]
    found = [racer.eval(f'modules["dynamics/surfaces.js"].erf({value!r})') for value in x]
    np.testing.assert_allclose(found, [math.erf(value) for value in x], rtol=1e-13, atol=1e-15)


def test_python_says_what_the_page_shows(racer):
    """What the explorer has in Python is the round of the page, by its traits alone."""
    explorer = DynamicsExplorer(surface="ravine", seed=5, round=42, eta=0.2, std=0.8, flow="diagonal", truth="drawn")
    assert racer.call("start", json.dumps(explorer.state))
    frame = json.loads(racer.call("seen", 42))
    np.testing.assert_allclose(frame["belief"]["mean"], explorer.posterior.mean, atol=TOLERANCE)
    assert all(sentence in repr(explorer) for sentence in frame["sentences"])
    np.testing.assert_array_equal(explorer.belief.std, [0.8, 0.8])


def test_python_goes_as_far_as_the_page():
    """Rounds beyond those shown at first; and the rounds before them stay what they were."""
    explorer = DynamicsExplorer(round=ROUNDS + 60)
    assert explorer.scene.now == ROUNDS + 60
    before = explorer.scene.points[:ROUNDS]
    explorer.round = 10
    np.testing.assert_array_equal(explorer.scene.points[:ROUNDS], before)


@pytest.mark.parametrize(
    ("trait", "value", "words"),
    [
        ("surface", "bowl", "surface must be 'convex' or 'ravine' or 'double well', but it was 'bowl'."),
        ("flow", "round", "flow must be 'full' or 'diagonal' or 'spherical', but it was 'round'."),
        ("truth", True, "truth must be 'given' or 'drawn', but it was True."),
        ("eta", 0, "eta must be from 0.005 to 0.5, but it was 0."),
        ("eta", float("nan"), "eta must be finite, but eta is nan."),
        ("std", 3, "std must be from 0.2 to 2.5, but it was 3."),
        ("std", None, "std must be real numbers, but it was None."),
        ("round", 100_001, "round must be a whole number from 0 to 100000, but it was 100001."),
        ("round", 1.5, "round must be a whole number, but it was 1.5."),
        ("seed", -1, "seed must be a whole number from 0 to 4294967295, but it was -1."),
        ("speed", 0, "speed must be from 1 to 500, but it was 0."),
    ],
)
def test_a_bad_value_gets_one_sentence(trait, value, words):
    """Which trait, what it must be, what it was; and the old value stays."""
    explorer = DynamicsExplorer()
    before = getattr(explorer, trait)
    with pytest.raises(TraitError) as caught:
        setattr(explorer, trait, value)
    assert str(caught.value) == words
    assert getattr(explorer, trait) == before


def test_the_rate_is_that_of_the_surface_until_it_is_set():
    explorer = DynamicsExplorer(surface="double well")
    assert explorer.eta is None and explorer.scene.surface.eta == 0.25
    explorer.surface = "convex"
    assert explorer.scene.surface.eta == 0.1
    explorer.eta = 0.02
    assert explorer.scene.surface.eta == 0.02
    explorer.eta = None
    assert explorer.scene.surface.eta == 0.1


def test_the_figure_is_that_of_the_scene():
    """The same drawing, of this round alone, with the words of the scene."""
    explorer = DynamicsExplorer(surface="ravine", round=60)
    figure = explorer.figure(style="slides")
    (path,) = (line for line in figure.axes[0].get_lines() if line.get_label() == "path")
    assert len(path.get_xdata()) == 61
    assert any(line.get_label() == "newest example" for line in figure.axes[0].get_lines())
    assert alt_text(figure) == explorer.scene.words()


def test_it_speaks_and_stores_a_picture():
    """Words for where only text can be shown; a picture beside the view."""
    explorer = DynamicsExplorer(surface="double well", round=ROUNDS)
    bundle, _ = explorer._repr_mimebundle_()
    assert bundle["text/plain"] == repr(explorer) == f"DynamicsExplorer. {explorer.scene.words()}"
    assert "image/png" in bundle and "application/vnd.jupyter.widget-view+json" in bundle
    assert "the halves still meet" in repr(DynamicsExplorer(surface="double well"))


def test_the_saved_page_is_small_and_has_what_it_needs(tmp_path):
    """In one file, without asking anyone: settings, numbers of the surfaces and sentences, and no run."""
    path = DynamicsExplorer(round=7).save_html(tmp_path / "page.html")
    text = path.read_text(encoding="utf-8")
    state = json.loads(text.split('<script type="application/json" id="state">')[1].split("</script>")[0])
    assert state["round"] == 7 and "_run" not in state
    facts = state["_about"]["facts"]
    assert facts["notice"] == NOTICE and [*facts["surfaces"]] == NAMES
    assert len(text) < 200_000
