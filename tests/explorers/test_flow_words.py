"""What the flow explorer says of a state is true of that state, by the Python beliefs."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from py_mini_racer import MiniRacer
from scipy.linalg import eigvalsh
from scipy.optimize import brentq

import bflo_viz
from bflo_viz import FlowExplorer
from bflo_viz.explorers.page import SHARED, module
from bflo_viz.scenes.two_dimensions import compare_flows

WORDS = Path(bflo_viz.__file__).with_name("explorers") / "flow" / "words.js"
NAMES = ["full", "diagonal", "spherical"]
SAY = """
const said = (state) => {
  const now = JSON.parse(state);
  const flows = flowsOf(now);
  return JSON.stringify([flows.map((flow) => titleOf(flow, flows)), whyLeast(now, flows), heldBack(now, flows)]);
};
"""
LONG = {"axes": [2.0, 0.5]}
STILL = {"non_expansive": True}


@pytest.fixture(scope="module")
def speak():
    """Titles, reason and what was held back, of a state."""
    racer = MiniRacer()
    racer.eval(re.sub(r"^export ", "", module(WORDS), flags=re.MULTILINE) + SAY)
    yield lambda explorer: json.loads(racer.call("said", json.dumps(explorer.state)))
    racer.close()


def test_a_number_has_a_real_minus_and_a_zero_has_none():
    racer = MiniRacer()
    racer.eval(re.sub(r"^export ", "", module(SHARED / "kit.js"), flags=re.MULTILINE))
    cases = [(-0.004, 2), (-0.0, 1), (-0.4, 0), (-0.006, 2), (-12.5, 1), (3, 2)]
    assert [racer.call("format", *case) for case in cases] == ["0.00", "0.0", "0", "−0.01", "−12.5", "3.00"]
    racer.close()


@pytest.mark.parametrize(
    ("state", "says", "says_not"),
    [
        (LONG | {"w": [0.0, 0.0], "w_new": [1.0, 0.0]}, "the same shift. The full and diagonal flows", "widen"),
        (LONG | {"w": [0.0, 0.0], "w_new": [1.0, 0.0]}, "full 0.50 σ, diagonal 0.50 σ, spherical 0.69 σ.", "turn"),
        (STILL | {"w": [1.0, 0.0], "w_new": [2.0, 0.0]}, "All three flows are the same here: a shift", "widens"),
        (STILL | LONG | {"w": [1.0, 0.0], "w_new": [2.0, 0.0]}, "spherical flow starts from another", "widens"),
        ({"w": [1.5, 1.5], "w_new": [0.5, 0.5]}, "straight towards the mean (2.12 → 0.71 σ), and it narrows", "turn"),
        ({"w": [1.5, 1.5], "w_new": [0.5, 0.5]}, "each of the others narrows in both directions.", "cannot"),
        ({"w": [1.5, 0.0], "w_new": [0.0, 0.0]}, "straight to the mean (1.50 → 0.00 σ), and they narrow in", "turn"),
        ({"w": [1.0, 0.0], "w_new": [0.0, 1.0]}, "turning is free, and the weight stays as far", "narrow"),
        ({"w": [1.0, 0.0], "w_new": [1.0, 0.0]}, "The weight did not move, so no flow changes anything.", "least"),
        (STILL | {"w": [1.0, 0.0], "w_new": [0.0, 3.0]}, "where the full and spherical flows would", "its mean"),
        (STILL | {"w": [1.0, 0.5], "w_new": [0.5, 1.0]}, "where the diagonal flow would have", "their"),
        ({"w": [1.0, 0.0], "w_new": [1.0, 0.001]}, "Full turns 0.1°", "turns 0°"),
        ({"w": [1.0, 0.0], "w_new": [1.0, 0.0001]}, "Full hardly turns", "turns 0°"),
    ],
)
def test_a_state_in_words(speak, state, says, says_not):
    titles, why, held = speak(FlowExplorer(**state))
    text = " ".join([*titles, why + held] if "Full" in says else [why + held])
    assert says in text
    assert says_not not in text


def states(count):
    """Random states, many of them special: on the mean, on a ray from it, mirrored, turned, on an axis, round."""
    rng = np.random.default_rng(3)

    def one_of(*things):
        return things[rng.integers(len(things))]

    for _ in range(count):
        mean = np.array(one_of([0.0, 0.0], [0.5, -0.25]))
        offset = np.array(one_of([0.0, 0.0], [1.0, 0.0], [0.0, -0.75], [1.25, 0.5], rng.uniform(-2, 2, 2)))
        turned, mirrored = np.array([-offset[1], offset[0]]), offset * [1, -1]
        after = one_of(offset, 0 * offset, 0.5 * offset, 2 * offset, -offset, turned, mirrored, rng.uniform(-2, 2, 2))
        yield {
            "mean": mean.tolist(),
            "axes": one_of([1.0, 1.0], [2.0, 0.5], [0.4, 0.4], rng.uniform(0.2, 3, 2).tolist()),
            "angle": one_of(0.0, 0.0, 90.0, -45.0, float(rng.uniform(-90, 90))),
            "w": (mean + offset).tolist(),
            "w_new": (mean + after).tolist(),
            "rule": one_of("printed", "exact"),
            "non_expansive": one_of(True, False),
        }


def listed(text):
    return re.findall("full|diagonal|spherical", text)


class Truth:
    """What Python knows of a state, to hold the words to."""

    def __init__(self, explorer):
        self.prior, self.posterior = explorer.belief, explorer.posterior
        rules = {"full": {}, "diagonal": {}, "spherical": {"rule": explorer.rule}}
        self.free = {name: self.prior[name].flow(explorer.w, explorer.w_new, **rules[name]) for name in NAMES}
        self.kl = {name: self.posterior[name].kl(self.prior[name]) for name in NAMES}
        self.offsets = [np.subtract(place, explorer.mean) for place in (explorer.w, explorer.w_new)]
        options = {"rule": explorer.rule, "non_expansive": explorer.non_expansive}
        flows = compare_flows(self.prior, explorer.w, explorer.w_new, **options).flows
        self.angles = [flow.angle for flow in flows]

    def least(self):
        """The flows whose KL is least."""
        return [name for name in NAMES if self.kl[name] <= min(self.kl.values()) * (1 + 1e-8) + 1e-13]

    def widths(self, name):
        """How many directions of the belief are narrower than before, and how many are wider."""
        ratios = np.sqrt(eigvalsh(self.posterior[name].covariance, self.prior[name].covariance))
        return sum(ratios < 1 - 1e-8), sum(ratios > 1 + 1e-8)

    def turns(self):
        """Whether the weight lies elsewhere around the mean than before."""
        (x, y), (x_new, y_new) = self.offsets
        across, along = x * y_new - y * x_new, x * x_new + y * y_new
        return bool(abs(across) > 1e-9 or along < -1e-9)

    def far(self, name):
        """How far the weight was and is from the mean, in standard deviations of a prior."""
        inverse = np.linalg.inv(self.prior[name].covariance)
        return [float(np.sqrt(offset @ inverse @ offset)) for offset in self.offsets]

    def shift(self, posterior, name):
        """How far the mean of a flow goes."""
        return np.linalg.norm(posterior[name].mean - self.prior[name].mean)


def check_widths(truth, why):
    """Whatever is said to narrow, widen or keep its width does so, in as many directions."""
    least = listed(why.split(" change")[0])
    others = [name for name in NAMES if name not in least]
    least = ["full"] if "the full flow pays" in why else least
    done = re.compile(r"(narrow|widen)s? in (one|both) direction|(keep)s? (?:its|their) width")
    spoken = re.compile(r"and (it|they) |and (narrow|widen|keep)|(each of the others) |the (\w+) flow (?!chang)")
    for clause in re.split("[;,] ", why):
        found, subject = done.search(clause), spoken.search(clause)
        if found:
            assert subject, clause
            who = [subject[4]] if subject[4] else others if subject[3] else least
            count = {"one": 1, "both": 2, None: 0}[found[2]]
            wanted = (count, 0) if found[1] == "narrow" else (0, count)
            for name in who:
                assert truth.widths(name) == wanted, (name, clause)


def check(truth, titles, why, held):
    for title, name, angle in zip(titles, NAMES, truth.angles, strict=True):
        assert title.startswith(name.capitalize())
        assert ("does not turn" in title) == (angle == 0)
        if "turns" in title and "hardly" not in title:
            assert float(re.search(r"turns ([\d.]+)°", title)[1]) == pytest.approx(abs(angle), abs=0.51)
        assert ("least" in title) == (name in truth.least())
    if "did not move" in why:
        assert max(truth.kl.values()) < 1e-12
        return
    if "All three" in why:
        assert truth.least() == NAMES
    else:
        assert listed(re.search(r"The ([\w ,]+) flows? changes? the belief least", why)[1]) == truth.least()
    if "shift" in why:
        assert not any(truth.angles)
        assert {truth.widths(name) for name in NAMES} == {(0, 0)}
    assert not re.search("turning|cannot turn", why) or truth.turns()
    assert not re.search("straight|hardly moves|shift", why) or not truth.turns()
    if "straight" in why:
        before, after = truth.far("full")
        assert ("straight away" in why) == (after > before)
    if "stays as far" in why:
        assert truth.kl["full"] < 1e-12
    for name in re.findall(r"the (\w+) flow starts from another|The (?:\w+) flow .* it starts from another", why):
        spreads = [truth.prior[one].covariance for one in ("full", name or truth.least()[0])]
        assert not np.allclose(*spreads)
    for before, after in re.findall(r"(?:mean|prior) \(([\d.]+) → ([\d.]+) σ\)", why):
        pairs = np.array([truth.far(name) for name in NAMES])
        assert np.abs(pairs - [float(before), float(after)]).max(axis=1).min() < 0.006
    check_widths(truth, why)
    if "of the full one" in why:
        assert "full" not in truth.least()
    if held:
        names = listed(held)
        for name in names:
            wide, free = (np.linalg.slogdet(post[name].covariance)[1] for post in (truth.posterior, truth.free))
            assert wide < free - 1e-9
            assert truth.shift(truth.posterior, name) > truth.shift(truth.free, name)
        assert ("they" in held) == (len(names) > 1)


def test_every_sentence_is_true(speak):
    """For some hundred states; between them they bring up every sentence that there is."""
    heard = ""
    explorer = FlowExplorer()
    for state in states(400):
        for name, value in state.items():
            explorer.set_trait(name, value)
        titles, why, held = speak(explorer)
        try:
            check(Truth(explorer), titles, why, held)
        except AssertionError as wrong:
            raise AssertionError(f"{state}: {titles} {why}{held}") from wrong
        heard += why + held
    for words in (
        "did not move",
        "All three flows are the same here",
        "in σ of their priors the shift",
        "in σ of its prior the shift",
        "because it starts from another prior",
        "the weight stays as far",
        "it pays only",
        "they pay only",
        "straight towards",
        "straight to ",
        "straight away",
        "narrows in one direction only",
        "widens in one direction only",
        "they keep their widths",
        "each of the others narrows",
        "each of the others widens",
        "spherical flow starts from another prior",
        "cannot turn",
        "it keeps its width",
    ):
        assert words in heard, words


def test_a_tie_by_chance_is_no_kinship(speak):
    """Where two flows cost the same but do not do the same, only what the full one does is said."""
    explorer = FlowExplorer(axes=[2.0, 0.5], w=[1.0, 0.5])

    def lead(x):
        explorer.w_new = [x, -0.2]
        cost = {name: post.kl(explorer.belief[name]) for name, post in explorer.posterior.items()}
        return cost["full"] - cost["spherical"]

    lead(brentq(lead, -3.5, -1.0, xtol=1e-15))
    titles, why, held = speak(explorer)
    check(Truth(explorer), titles, why, held)
    assert "The full and spherical flows change the belief least" in why
    assert "so the full flow pays only" in why
