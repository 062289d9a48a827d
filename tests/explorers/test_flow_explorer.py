"""The flow explorer: its beliefs, its gradient step, its figure, and what its page computes and says."""

import json
import re

import numpy as np
import pytest
from looks import inside
from oracles import gaussian_kl
from racing import asked, engine
from scipy.linalg import eigvalsh
from scipy.optimize import minimize
from traitlets import TraitError, link

from bflo_viz import FlowExplorer
from bflo_viz.scenes.two_dimensions import HESSIANS, TITLES, QuadraticLoss

TILTED = {"mean": [0.5, -0.3], "axes": [2.0, 0.6], "angle": 35.0, "w": [1.4, 1.0], "w_new": [-0.5, 0.7]}
STEP = {"gradient_step": True, "w": [1.0, -2.0], "optimum": [-0.5, 0.5], "eta": 0.8}
NAMES = ["full", "diagonal", "spherical"]
CODE = """
const { flowsOf, gradientStep } = modules["flow/flows.js"];
const { heldBack, resultOf, titleOf } = modules["flow/words.js"];
const flowed = (state, points) => flowsOf(state).map((flow, i, flows) => ({
  name: flow.name, turn: flow.turn, kl: flow.kl, entropy: flow.entropyChange,
  title: titleOf(flow, flows, state, TITLES),
  mean: [...flow.posterior.mean], prior: [...flow.prior.factor], posterior: [...flow.posterior.factor],
  moved: points.map(flow.move),
}));
const said = (state) => resultOf(state, flowsOf(state)) + heldBack(state, flowsOf(state));
const steps = (cases) => cases.map((one) => gradientStep(...one));
"""


@pytest.fixture(scope="module")
def racer():
    with engine("flow/words.js", code=f"const TITLES = {json.dumps(TITLES)};{CODE}") as ready:
        yield ready


def covariance(axes, angle):
    """Covariance of an ellipse: the sum over its axes of variance times the projection on it."""
    along = [np.array([np.cos(t), np.sin(t)]) for t in (np.radians(angle), np.radians(angle + 90))]
    return sum(size**2 * np.outer(e, e) for size, e in zip(axes, along, strict=True))


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


def test_the_prior_is_the_ellipse_and_the_others_start_nearest_to_it():
    """No widths of a type are nearer to the ellipse by KL(ellipse ‖ belief), which a minimiser finds by itself."""
    belief = FlowExplorer(**TILTED).belief
    mean, sigma = np.array(TILTED["mean"]), covariance(TILTED["axes"], TILTED["angle"])
    np.testing.assert_allclose(belief["full"].mean, mean)
    np.testing.assert_allclose(belief["full"].covariance, sigma, atol=1e-14)

    def divergence(logs):
        return gaussian_kl(mean, sigma, mean, np.diag(np.exp(2 * logs * np.ones(2))))

    for name, size in (("diagonal", 2), ("spherical", 1)):
        best = minimize(divergence, np.zeros(size), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-14})
        np.testing.assert_allclose(np.atleast_1d(belief[name].std), np.exp(best.x), rtol=1e-6)


def test_the_page_flows_as_python_does(racer):
    """Priors, posteriors, where points go, turns and costs, over many states; and the options that are set."""
    points = np.random.default_rng(4).uniform(-6, 6, (3, 2))
    for state in states(150):
        explorer = FlowExplorer(**state)
        rules = {"full": {}, "diagonal": {}, "spherical": {"rule": explorer.rule}}
        told = asked(racer, "flowed", explorer.state, points.tolist())
        assert [flow["name"] for flow in told] == NAMES
        for theirs, ours in zip(told, explorer.scene.flows, strict=True):
            options = rules[ours.name] | {"non_expansive": explorer.non_expansive}
            wanted = ours.prior.transport(points, explorer.w, explorer.w_new, **options)
            np.testing.assert_allclose(theirs["moved"], wanted, atol=1e-11)
            np.testing.assert_allclose(theirs["mean"], explorer.posterior[ours.name].mean, atol=1e-12)
            for part, belief in (("prior", ours.prior), ("posterior", ours.posterior)):
                factor = np.reshape(theirs[part], (2, 2))
                np.testing.assert_allclose(factor @ factor.T, belief.covariance, atol=1e-11)
            turns = np.array([theirs["turn"], ours.angle])
            turns[np.abs(np.abs(turns) - 180) < 1e-9] = 180  # left or right: rounding
            assert turns[0] == pytest.approx(turns[1], abs=1e-9)
            assert [theirs["kl"], theirs["entropy"]] == pytest.approx([ours.kl, ours.entropy_change], abs=1e-11)


def test_every_sentence_is_true(racer):
    """Who changes the belief least, who turns, what narrows and widens, by the Python beliefs, for many states."""
    heard = ""
    for state in states(120):
        explorer = FlowExplorer(**state)
        flows, words = explorer.scene.flows, asked(racer, "said", explorer.state)
        titles = [flow["title"] for flow in asked(racer, "flowed", explorer.state, [])]
        heard += words
        least = [f.name for f in flows if f.kl <= min(f.kl for f in flows) * (1 + 1e-8) + 1e-13]
        for title, flow in zip(titles, flows, strict=True):
            written = [float(f"{f.kl:.3f}") for f in flows]
            own, is_round = float(f"{flow.kl:.3f}"), explorer.scene.is_isotropic
            alone = is_round and own > 0 and written.count(own) == 1
            assert ("no change" in title) == (is_round and own == 0), state
            assert ("least" in title) == (alone and own == min(written)), state
            assert ("most" in title) == (alone and own == max(written)), state
            assert not is_round or title.endswith(f": {explorer.scene.rank(flow)} change"), state
            assert ("change" in title) == explorer.scene.is_isotropic, state  # costs from different priors
            assert ("does not turn" in title) == (flow.angle == 0), state
            if degrees := re.search(r" turns ([\d.]+)°", title):
                assert float(degrees[1]) == pytest.approx(abs(flow.angle), abs=0.51), state
        if "did not move" in words:
            assert max(flow.kl for flow in flows) < 1e-12
            continue
        whom = "the belief" if explorer.scene.is_isotropic else "(?:its|their) own priors?"
        who = re.match(rf"The ([\w ,]+) flows? changes? {whom} least", words)
        assert (re.findall(r"full|diagonal|spherical", who[1]) if who else NAMES) == least, (state, words)
        for flow in flows:
            does = re.search(rf"the {flow.name} flow ([^;.]*)", words)[1]
            assert does.startswith("turns") == (flow.angle != 0), (state, words)
            ratios = np.sqrt(eigvalsh(flow.posterior.covariance, flow.prior.covariance))
            less, more = int(sum(ratios < 1 - 1e-8)), int(sum(ratios > 1 + 1e-8))
            wanted = {
                (0, 0): "keeps its width",
                (1, 0): "narrows the belief in one direction",
                (2, 0): "narrows the belief in both directions",
                (0, 1): "widens the belief in one direction",
                (0, 2): "widens the belief in both directions",
                (1, 1): "narrows the belief in one direction and widens it in the other",
            }[less, more]
            assert does.endswith(wanted), (state, words)
        if held := re.search("Non-expansive: where the (.*) flows? would", words):
            for flow in (flow for flow in flows if flow.name in held[1]):
                rule = {"rule": explorer.rule} if flow.name == "spherical" else {}
                free = flow.prior.flow(explorer.w, explorer.w_new, **rule)
                assert flow.posterior.entropy() < free.entropy() - 1e-9
    rare = ("did not move", "All three flows", "cannot turn", "A turn costs nothing", "its own prior", "further")
    assert [words for words in rare if words not in heard] == []


def test_a_gradient_step_is_that_of_the_page_to_the_bit(racer):
    """Or each side would correct the other; it ends at the edge, and keeps its direction."""
    rng = np.random.default_rng(8)
    cases, wanted = [], []
    for _ in range(500):
        w, optimum = rng.uniform(-6, 6, (2, 2))
        loss, eta = str(rng.choice([*HESSIANS])), float(rng.choice([0.0, 0.5, 2.0]))
        cases.append([w.tolist(), optimum.tolist(), HESSIANS[loss].tolist(), eta, 6.0])
        wanted.append(QuadraticLoss(loss, tuple(optimum), eta).step(w, 6.0).tolist())
    assert asked(racer, "steps", cases) == wanted
    explorer = FlowExplorer(gradient_step=True, w=[4.0, -1.0], optimum=[-5.0, 0.5], eta=2.0)
    assert np.abs(explorer.w_new).max() == 6.0
    step, free = np.subtract(explorer.w_new, explorer.w), -2 * np.subtract(explorer.w, explorer.optimum)
    assert step[0] * free[1] == pytest.approx(step[1] * free[0]) and 0 < step @ free < free @ free


@pytest.mark.parametrize("loss", [*HESSIANS])
def test_a_gradient_step_follows(loss):
    """w_new goes down the numerical gradient of the loss, whatever of the step is changed, and in either order."""
    explorer = FlowExplorer(**STEP, loss=loss)

    def wanted():
        def value(w):
            offset = w - explorer.optimum
            return 0.5 * offset @ HESSIANS[loss] @ offset

        w, small = np.array(explorer.w), 1e-5
        slope = [(value(w + small * e) - value(w - small * e)) / (2 * small) for e in np.eye(2)]
        return w - explorer.eta * np.array(slope)

    np.testing.assert_allclose(explorer.w_new, wanted(), atol=1e-8)
    for name, changed in {"w": [0.3, 2.0], "eta": 1.5, "optimum": [1.0, 1.0], "w_new": [5.0, 5.0]}.items():
        explorer.set_trait(name, changed)
        np.testing.assert_allclose(explorer.w_new, wanted(), atol=1e-8)
    explorer.gradient_step = False
    explorer.w_new = [5.0, 5.0]
    assert explorer.w_new == [5.0, 5.0]


def test_observers_hear_only_what_is_kept():
    """In a gradient step w_new cannot be set: nobody hears of a value that it never has, and links hold."""
    explorer, other = FlowExplorer(**STEP), FlowExplorer(**STEP)
    link((explorer, "w_new"), (other, "w_new"))
    step, heard = list(explorer.w_new), []
    explorer.observe(lambda change: heard.append(change.new), "w_new")
    explorer.w_new = [5.0, 5.0]
    with explorer.hold_trait_notifications():
        explorer.w_new = [4.0, 4.0]
    assert explorer.w_new == other.w_new == step
    assert all(value == step for value in heard)
    w = [1.1, 0.7]
    moved = FlowExplorer(**(STEP | {"w": w})).w_new
    heard.clear()
    explorer.set_state({"w": w, "w_new": moved})  # what a page sends is not corrected
    assert heard == [moved] or all(value == moved for value in heard)
    with pytest.raises(TraitError, match=r"w_new\[0\] must be"):
        explorer.w_new = [7.0, 0.0]


def test_the_figure_shows_the_ellipse_and_the_loss():
    """The weight twice, the optimum of a gradient step, and the ellipse where a belief can only come near to it."""
    for state in (TILTED, STEP | {"loss": "tilted"}):
        explorer = FlowExplorer(**state)
        figure = explorer.figure()
        assert inside(figure)
        for ax in figure.axes:
            marks = {
                line.get_label(): line.get_xydata()[0].tolist() for line in ax.lines if len(line.get_xydata()) == 1
            }
            assert marks["weight before"] == explorer.w and marks["weight after"] == explorer.w_new
            assert marks.get("optimum") == (explorer.optimum if explorer.gradient_step else None)
        dashed = [sum(patch.get_label() == "ellipse" for patch in ax.patches) for ax in figure.axes]
        assert dashed == ([0, 2, 2] if state is TILTED else [0, 0, 0])
