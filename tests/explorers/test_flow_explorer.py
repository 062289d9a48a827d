"""The flow explorer: its beliefs, its gradient step, its words, its figure for print, and its points on a page."""

import numpy as np
import pytest
from browser.pages import NO_BROWSER, Explorer, Witness, browser_here, launched, until
from looks import inside
from matplotlib.patches import Ellipse
from oracles import gaussian_kl
from scipy.optimize import minimize
from traitlets import TraitError, link

from bflo_viz import DiagonalBelief, FlowExplorer, FullBelief, SphericalBelief
from bflo_viz.figures.style import STYLES, alt_text
from bflo_viz.scenes.two_dimensions import HESSIANS

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
    explorer.gradient_step = other.gradient_step = False
    explorer.w_new = [5.0, 5.0]
    assert heard[-1] == explorer.w_new == other.w_new == [5.0, 5.0]
    with pytest.raises(TraitError, match=r"w_new\[0\] must be"):
        explorer.w_new = [7.0, 0.0]


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
        assert f"{name} {posterior.kl(prior):z.3f}" in alt_text(figure)
    assert ("gradient step" in alt_text(figure)) == explorer.gradient_step


def test_words_say_the_state():
    """The text beside the picture has the numbers, and is the same in every run."""
    text = repr(FlowExplorer())
    assert text == repr(FlowExplorer())
    assert "from (1.80, −0.40) to (0.80, 0.90)" in text
    assert "full 0.080, diagonal 0.994, spherical 0.127" in text
    assert "on a valley quadratic loss" in repr(FlowExplorer(gradient_step=True, loss="valley"))
    assert alt_text(FlowExplorer().figure()) == FlowExplorer().scene.words()


def test_no_zero_has_a_minus():
    """Neither in the words nor in the alt text of the figure, whatever rounding leaves."""
    explorer = FlowExplorer(w=[-1e-9, 0.3], w_new=[0.3, -0.0])
    assert "from (0.00, 0.30) to (0.30, 0.00)" in repr(explorer)
    assert "around (0.00, 1.00)" in alt_text(FlowExplorer(gradient_step=True, optimum=[-1e-9, 1.0]).figure())
    for w in np.random.default_rng(1).uniform(-2, 2, (20, 2)).tolist():
        explorer.w, explorer.w_new = w, [-w[1], w[0]]  # a turn costs nothing
        assert not {"-0.00", "−0.00"} & set(repr(explorer).split())


@pytest.fixture(scope="module")
def browser():
    """Chromium, if there is one."""
    if browser_here() is None:
        pytest.skip(NO_BROWSER)
    with launched() as found:
        yield found


@pytest.fixture
def saved(browser, tmp_path):
    """Opens a saved page of a state; whatever goes wrong on it fails the test."""
    context = browser.new_context(offline=True, viewport={"width": 1200, "height": 900})
    page = context.new_page()
    witness = Witness(page)

    def opened(**state):
        page.goto(FlowExplorer(**state).save_html(tmp_path / "flow.html").as_uri())
        return Explorer(page, "flow").wait()

    yield opened
    assert witness.take() == []
    context.close()


def settled(explorer):
    """What the page announces, half a second later: after all it had to say."""
    explorer.page.wait_for_timeout(500)
    return explorer.root.locator(".bflo-live").text_content()


def result(explorer):
    return explorer.root.locator(".bflo-readout p").first.text_content()


def test_of_points_on_each_other_the_one_seen_is_dragged(saved):
    """At w = (1, 0) the ring of the first axis lies under w."""
    explorer = saved(w=[1.0, 0.0])
    assert explorer.middle("w") == pytest.approx(explorer.middle("axis-0"), abs=0.01)
    with explorer.dragged("w", (0, -40)):
        until(lambda: explorer.state["w"][1] > 0.2, True)
    assert explorer.state["axes"] == [1.0, 1.0]
    explorer.follows("axis-0", (20, -20))  # now it lies free


@pytest.mark.parametrize("button", ["left", "right"])
def test_what_is_let_go_elsewhere_holds_nothing(saved, button):
    """Neither a press with the right button nor a capture that was lost keeps the panels at their scale."""
    explorer = saved()
    x, y = explorer.middle("w")
    explorer.page.mouse.move(x, y)
    explorer.page.mouse.down(button=button)
    explorer.page.mouse.move(x + 1, y)
    if button == "left":
        explorer.handle("w").evaluate("one => one.releasePointerCapture(1)")
    explorer.page.mouse.move(5, 5)
    explorer.page.mouse.up(button=button)
    ticks = explorer.root.locator(".bflo-axes").first
    before = ticks.text_content()
    explorer.use("axes.0", 3)
    until(lambda: ticks.text_content() != before, True)


def test_a_gradient_step_offers_the_optimum(saved):
    """In place of w′, and who was on the one that goes is then on w."""
    explorer = saved()
    assert explorer.handle("w_new").is_visible() and not explorer.handle("optimum").is_visible()
    explorer.handle("w_new").focus()
    # As another view or Python would do it: the focus stays where it was.
    explorer.root.evaluate("one => one.querySelector('input[name=gradient_step]').click()")
    until(explorer.handle("optimum").is_visible, True)
    assert not explorer.handle("w_new").is_visible()
    assert explorer.page.evaluate("document.activeElement.dataset.handle") == "w"
    explorer.handle("optimum").focus()
    explorer.root.evaluate("one => one.querySelector('input[name=gradient_step]').click()")
    until(explorer.handle("w_new").is_visible, True)
    assert explorer.page.evaluate("document.activeElement.dataset.handle") == "w"


def test_the_result_is_announced(saved):
    """After a slider, and after a point that was moved, then with its place; but not when the page opens."""
    explorer = saved(w=[1.0, 0.0], w_new=[0.5, 0.0])
    assert settled(explorer) == ""
    before = result(explorer)
    explorer.use("axes.1", 0.5)
    assert settled(explorer) == result(explorer) != before
    explorer.handle("w").focus()
    explorer.page.keyboard.press("ArrowUp")
    assert settled(explorer) == f"Sampled weight w: 1.00, 0.10. {result(explorer)}"
    explorer.use("angle", 10)
    assert settled(explorer) == result(explorer)
