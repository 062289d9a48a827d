"""The flow explorer's Python side: its beliefs, its gradient step, its words and its figure for print."""

import numpy as np
import pytest
from looks import inside
from matplotlib.patches import Ellipse
from oracles import gaussian_kl
from scipy.optimize import minimize
from traitlets import TraitError

from bflo_viz import DiagonalBelief, FlowExplorer, FullBelief, SphericalBelief
from bflo_viz.explorers.flow.losses import HESSIANS
from bflo_viz.figures.style import STYLES, alt_text

TILTED = {"mean": [0.5, -0.3], "axes": [2.0, 0.6], "angle": 35.0, "w": [1.4, 1.0], "w_new": [-0.5, 0.7]}
STEP = {"gradient_step": True, "w": [1.0, -2.0], "optimum": [-0.5, 0.5], "eta": 0.8}


def covariance(axes, angle):
    """Covariance of an ellipse: the sum over its axes of variance times the projection on it."""
    along = [np.array([np.cos(t), np.sin(t)]) for t in (np.radians(angle), np.radians(angle + 90))]
    return sum(size**2 * np.outer(e, e) for size, e in zip(axes, along, strict=True))


def test_the_full_prior_is_the_ellipse():
    explorer = FlowExplorer(**TILTED)
    prior = explorer.belief["full"]
    assert [*explorer.belief] == [*explorer.posterior] == ["full", "diagonal", "spherical"]
    np.testing.assert_allclose(prior.mean, TILTED["mean"])
    np.testing.assert_allclose(prior.covariance, covariance(TILTED["axes"], TILTED["angle"]), atol=1e-14)


@pytest.mark.parametrize(("name", "size"), [("diagonal", 2), ("spherical", 1)])
def test_the_others_start_from_the_nearest_belief(name, size):
    """No widths of the type are nearer to the ellipse by KL(ellipse ‖ belief), which a minimiser finds by itself."""
    explorer = FlowExplorer(**TILTED)
    mean, sigma = np.array(TILTED["mean"]), covariance(TILTED["axes"], TILTED["angle"])

    def divergence(logs):
        return gaussian_kl(mean, sigma, mean, np.diag(np.exp(2 * logs * np.ones(2))))

    found = minimize(divergence, np.zeros(size), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-14})
    np.testing.assert_allclose(np.atleast_1d(explorer.belief[name].std), np.exp(found.x), rtol=1e-6)


@pytest.mark.parametrize("rule", ["printed", "exact"])
@pytest.mark.parametrize("non_expansive", [False, True])
def test_posteriors_are_those_of_the_package(rule, non_expansive):
    """Each posterior is the flow of its prior, with the options that are set."""
    explorer = FlowExplorer(**TILTED, rule=rule, non_expansive=non_expansive)
    w, w_new, options = TILTED["w"], [-3.0, 2.0], {"non_expansive": non_expansive}
    explorer.w_new = w_new
    sigma = covariance(TILTED["axes"], TILTED["angle"])
    wanted = {
        "full": FullBelief(TILTED["mean"], sigma).flow(w, w_new, **options),
        "diagonal": DiagonalBelief(TILTED["mean"], np.sqrt(np.diag(sigma))).flow(w, w_new, **options),
        "spherical": SphericalBelief(TILTED["mean"], np.sqrt(np.trace(sigma) / 2)).flow(
            w, w_new, rule=rule, **options
        ),
    }
    for name, posterior in explorer.posterior.items():
        assert type(posterior) is type(wanted[name])
        np.testing.assert_allclose(posterior.mean, wanted[name].mean, atol=1e-12)
        np.testing.assert_allclose(posterior.covariance, wanted[name].covariance, atol=1e-12)


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
    for change in ({"w": [0.3, 2.0]}, {"eta": 1.5}, {"optimum": [1.0, 1.0]}):
        explorer.set_trait(*next(iter(change.items())))
        np.testing.assert_allclose(explorer.w_new, wanted(), atol=1e-8)
    explorer.w_new = [5.0, 5.0]
    np.testing.assert_allclose(explorer.w_new, wanted(), atol=1e-8)
    explorer.gradient_step = False
    explorer.w_new = [5.0, 5.0]
    assert explorer.w_new == [5.0, 5.0]


def test_losses_are_what_their_names_say():
    """None is steeper than 1; one is round, one is a valley along an axis, one a valley aslant."""
    for name, hessian in HESSIANS.items():
        curvatures, directions = np.linalg.eigh(hessian)
        np.testing.assert_allclose(curvatures, [1.0, 1.0] if name == "round" else [0.2, 1.0], atol=1e-12)
        if name != "round":
            aslant = np.abs(directions[:, 0]).tolist()
            np.testing.assert_allclose(aslant, [1, 0] if name == "valley" else [0.5**0.5] * 2, atol=1e-12)


def test_a_step_that_would_leave_ends_at_the_edge():
    """It keeps its direction: half of the way is shown, not another way."""
    explorer = FlowExplorer(gradient_step=True, w=[4.0, -1.0], optimum=[-5.0, 0.5], eta=2.0)
    assert np.abs(explorer.w_new).max() == 6.0
    step, free = np.subtract(explorer.w_new, explorer.w), -2 * np.subtract(explorer.w, explorer.optimum)
    assert step[0] * free[1] == pytest.approx(step[1] * free[0])
    assert 0 < step @ free < free @ free


def test_what_the_browser_sends_is_not_corrected():
    """The browser's w_new, which the parity test holds to the bit, comes back unchanged: no echo without end."""
    explorer = FlowExplorer(gradient_step=True)
    sent = []
    explorer.observe(lambda change: sent.append(change.new), "w_new")
    w = [1.1, 0.7]
    step = FlowExplorer(gradient_step=True, w=w).w_new
    explorer.set_state({"w": w, "w_new": step})
    assert sent == [step]


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"mean": [5, 0]}, r"mean\[0\] must be from -4 to 4, but it was 5"),
        ({"axes": [1.0, 0.1]}, r"axes\[1\] must be from 0.2 to 3, but it was 0.1"),
        ({"axes": [1.0]}, "axes must be two numbers"),
        ({"angle": 91}, "angle must be from -90 to 90"),
        ({"w": [0, float("nan")]}, "w must be finite"),
        ({"rule": "best"}, "rule must be 'printed' or 'exact'"),
        ({"loss": "steep"}, "loss must be 'round' or 'valley' or 'tilted'"),
        ({"eta": 2.5}, "eta must be from 0 to 2"),
        ({"non_expansive": 1}, "non_expansive must be True or False"),
    ],
)
def test_a_wrong_value_gets_a_sentence(state, words):
    with pytest.raises(TraitError, match=words):
        FlowExplorer(**state)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    "state", [{}, TILTED, STEP | {"loss": "tilted"}, {"mean": [-4, 4], "axes": [3, 0.2], "angle": -60}]
)
def test_the_figure_shows_the_state(state, style):
    """Each panel has the prior and the posterior of its type, the weight twice, and the loss if there is one."""
    explorer = FlowExplorer(**state)
    figure = explorer.figure(style=style)
    assert inside(figure)
    for ax, (name, prior) in zip(figure.axes, explorer.belief.items(), strict=True):
        assert ax.get_title(loc="left").startswith(name.capitalize())
        posterior = explorer.posterior[name]
        for label, belief in (("prior", prior), ("posterior", posterior)):
            outlines = [patch for patch in ax.patches if isinstance(patch, Ellipse) and patch.get_label() == label]
            areas = [np.pi / 4 * patch.width * patch.height for patch in outlines]
            size = np.pi * np.sqrt(np.linalg.det(belief.covariance))
            np.testing.assert_allclose([patch.center for patch in outlines], [belief.mean] * 2, atol=1e-12)
            np.testing.assert_allclose(areas, [size, 4 * size], rtol=1e-9)
        for at, place in (("before", explorer.w), ("after", explorer.w_new)):
            (dot,) = (line for line in ax.lines if line.get_label() == f"weight {at}")
            np.testing.assert_allclose(dot.get_xydata(), [place])
        goals = [line.get_xydata()[0] for line in ax.lines if line.get_label() == "optimum"]
        assert np.array_equal(goals, [explorer.optimum] if explorer.gradient_step else [])
        assert f"KL {posterior.kl(prior):.3f} nats" in alt_text(figure)
    assert ("gradient step" in alt_text(figure)) == explorer.gradient_step


def test_words_say_the_state():
    """The text beside the picture has the numbers, and is the same in every run."""
    text = repr(FlowExplorer())
    assert text == repr(FlowExplorer())
    assert "from (1.80, -0.40) to (0.80, 0.90)" in text
    assert "full 0.080, diagonal 0.994, spherical 0.127" in text
    assert "a gradient step on a valley loss" in repr(FlowExplorer(gradient_step=True, loss="valley"))
