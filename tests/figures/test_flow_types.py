"""The picture of the three flows shows what each of them does."""

import numpy as np
import pytest
from looks import inside, overlapping_words
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse
from matplotlib.quiver import Quiver

from bflo_viz.figures import palette
from bflo_viz.figures.flow_types import draw_flow_types
from bflo_viz.figures.style import STYLES, alt_text
from bflo_viz.scenes.two_dimensions import flow_types

MEAN, STD, W, W_NEW = np.array([0.3, -0.2]), 0.7, np.array([1.4, -0.6]), np.array([0.7, 0.5])
NAMES = ("full", "diagonal", "spherical")
CASES = [
    {},
    {"mean": MEAN, "std": STD, "w": W, "w_new": W_NEW},
    {"w": (1.0, 0.5), "w_new": (-0.5, 1.9), "non_expansive": True},
    {"rule": "exact"},
]


def root(u, v, n=1):
    """Stationary stretch by the quadratic formula, as the paper prints it (n = 1)."""
    return (u * v + np.sqrt((u * v) ** 2 + 4 * n * (n + u * u))) / (2 * (n + u * u))


def maps(mean=(0.0, 0.0), std=1.0, w=(1.8, -0.4), w_new=(0.8, 0.9), non_expansive=False, rule="printed"):
    """The matrix A of each flow by the paper's formulas, for an isotropic prior."""
    before, after = (np.subtract(w, mean) / std), (np.subtract(w_new, mean) / std)
    u, v = np.linalg.norm(before), np.linalg.norm(after)
    clip = (lambda a: np.minimum(a, 1)) if non_expansive else (lambda a: a)
    angle = np.arctan2(after[1], after[0]) - np.arctan2(before[1], before[0])
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    along = np.outer(after, after) / v**2
    return {
        "full": (np.eye(2) + (clip(root(u, v)) - 1) * along) @ turn,
        "diagonal": np.diag(clip(root(before, after))),
        "spherical": clip(root(u, v, 2 if rule == "exact" else 1)) * turn,
    }


def gaussian(A, mean=(0.0, 0.0), std=1.0, w=(1.8, -0.4), w_new=(0.8, 0.9), **_):
    """Mean and covariance of the prior after w -> A w + b."""
    return A @ np.subtract(mean, w) + w_new, std**2 * A @ A.T


def kl(mean, covariance, prior_mean=(0.0, 0.0), std=1.0):
    shift = np.subtract(mean, prior_mean)
    ratio = covariance / std**2
    return 0.5 * (shift @ shift / std**2 + np.trace(ratio) - 2 - np.log(np.linalg.det(ratio)))


def ellipses(ax, color):
    return [patch for patch in ax.patches if isinstance(patch, Ellipse) and to_hex(patch.get_edgecolor()) == color]


@pytest.mark.parametrize("case", CASES)
def test_ellipses_are_the_covariances(case):
    """Half axes and directions of the drawn ellipses are those of the eigendecomposition, at 1 and 2 sigma."""
    figure = draw_flow_types(flow_types(**case))
    for ax, (name, A) in zip(figure.axes, maps(**case).items(), strict=True):
        std = case.get("std", 1.0)
        prior = np.asarray(case.get("mean", (0.0, 0.0))), std**2 * np.eye(2)
        for color, (mean, covariance) in ((palette.PRIOR, prior), (palette.POSTERIOR, gaussian(A, **case))):
            drawn = ellipses(ax, color)
            assert len(drawn) == 2, name
            for sigmas, patch in zip((1, 2), drawn, strict=True):
                np.testing.assert_allclose(patch.center, mean, atol=1e-12)
                half = np.diag([patch.width, patch.height]) / 2 / sigmas
                c, s = np.cos(np.radians(patch.angle)), np.sin(np.radians(patch.angle))
                turned = np.array([[c, -s], [s, c]]) @ half
                np.testing.assert_allclose(turned @ turned.T, covariance, atol=1e-12)
                lengths = sorted((half[0, 0] ** 2, half[1, 1] ** 2))
                np.testing.assert_allclose(lengths, np.linalg.eigvalsh(covariance), atol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_arrows_are_the_flow(case):
    """The arrows of a field are the displacements of their grid under A x + b, all at one scale."""
    scene = flow_types(**case)
    figure = draw_flow_types(scene)
    w, w_new = scene.w, scene.w_new
    for ax, A in zip(figure.axes, maps(**case).values(), strict=True):
        (field,) = (artist for artist in ax.collections if isinstance(artist, Quiver))
        assert (field.angles, field.scale_units, field.scale) == ("xy", "xy", 4)
        grid = np.column_stack([field.X, field.Y])
        np.testing.assert_allclose(np.column_stack([field.U, field.V]), (grid - w) @ A.T + w_new - grid, atol=1e-12)
        assert len(grid) == 81
        assert "1/4 of their length" in " ".join(text.get_text() for text in figure.axes[0].texts).replace("\n", " ")


def test_the_weight_lands_where_it_moved():
    """A hollow dot stands at w, a full one at w', an arrow leads from one to the other, and each flow agrees."""
    scene = flow_types(MEAN, STD, W, W_NEW)
    for ax, flow in zip(draw_flow_types(scene).axes, scene.flows, strict=True):
        before, after = (
            next(line for line in ax.lines if line.get_label() == f"weight {at}") for at in ("before", "after")
        )
        np.testing.assert_allclose(before.get_xydata(), [W])
        np.testing.assert_allclose(after.get_xydata(), [W_NEW])
        assert before.get_markerfacecolor() == "white"
        assert to_hex(after.get_markerfacecolor()) == palette.WEIGHT
        (arrow,) = (patch for patch in ax.patches if patch.get_label() == "step")
        np.testing.assert_allclose(arrow._posA_posB, [W, W_NEW])
        options = {"rule": scene.rule} if flow.name == "spherical" else {}
        np.testing.assert_allclose(flow.prior.transport(W, W, W_NEW, **options), W_NEW, atol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_words_and_numbers(case):
    """KL and entropy in the panels and the alt text are those of independent formulas, and titles rank by them."""
    figure = draw_flow_types(flow_types(**case))
    costs = {
        name: kl(*gaussian(A, **case), case.get("mean", (0, 0)), case.get("std", 1.0))
        for name, A in maps(**case).items()
    }
    low, high = min(costs.values()), max(costs.values())
    ranks = {
        name: "least" if np.isclose(cost, low) else "most" if np.isclose(cost, high) else "more"
        for name, cost in costs.items()
    }
    for ax, (name, A) in zip(figure.axes, maps(**case).items(), strict=True):
        title = ax.get_title(loc="left")
        assert title.startswith(name.capitalize()) and title.endswith(f"{ranks[name]} change")
        assert ("does not turn" in title) == (name == "diagonal")
        words = f"KL {costs[name]:.3f} nats\nentropy {round(np.log(abs(np.linalg.det(A))), 3) + 0.0:+.3f} nats"
        assert words.replace("-", "−") in [text.get_text() for text in ax.texts]
        assert f"{name} {costs[name]:z.3f}" in alt_text(figure)
        assert "first weight" in ax.get_xlabel()
    assert "second weight" in figure.axes[0].get_ylabel()
    least = " and ".join(f"the {name} flow" for name in NAMES if ranks[name] == "least")
    assert f"The belief changes least by {least}." in alt_text(figure)
    assert ranks["full"] == "least"


def test_flows_that_change_nothing_share_a_word():
    """A weight that only turns about the mean costs the full and the spherical flow nothing."""
    titles = [ax.get_title(loc="left") for ax in draw_flow_types(flow_types(w=(1.0, 0.0), w_new=(0.0, 1.0))).axes]
    assert [title.rsplit(maxsplit=2)[1] for title in titles] == ["least", "most", "least"]
    assert "turns 90°" in titles[0]


def test_a_weight_across_the_mean_turns_by_half():
    """Straight through the mean, the full and the spherical flow turn by 180°; towards it, none turns."""
    across = flow_types(w=(1.0, -1.0), w_new=(-0.5, 0.5))
    assert [abs(flow.angle) for flow in across.flows] == pytest.approx([180, 0, 180])
    assert "turns 180°" in draw_flow_types(across).axes[0].get_title(loc="left")
    assert [flow.angle for flow in flow_types(w=(1.0, -1.0), w_new=(0.5, -0.5)).flows] == [0, 0, 0]


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("case", CASES)
def test_everything_fits(style, case):
    """Nothing is cut off and no words overlap; all that is drawn lies within the axes, which have equal aspect."""
    figure = draw_flow_types(flow_types(**case), style=style)
    assert inside(figure)
    assert not overlapping_words(figure)
    for ax in figure.axes:
        assert ax.get_aspect() == 1
        for patch in ax.patches:
            if isinstance(patch, Ellipse):
                assert ax.get_window_extent().contains(*patch.get_window_extent().min)
                assert ax.get_window_extent().contains(*patch.get_window_extent().max)


def test_draws_on_given_axes():
    """Three axes of another figure are used, and that figure comes back."""
    mine = Figure(figsize=(10, 4))
    axes = mine.subplots(1, 3)
    assert draw_flow_types(flow_types(), axes=axes) is mine
    assert all(ax.patches for ax in axes)
    with pytest.raises(ValueError, match="axes must be 3"):
        draw_flow_types(flow_types(), axes=axes[:2])


def test_a_wrong_argument_gets_a_sentence():
    """The scene checks what it is given."""
    with pytest.raises(ValueError, match="w must have shape"):
        flow_types(w=(1.0, 2.0, 3.0))
    with pytest.raises(ValueError, match="rule must be"):
        flow_types(rule="best")
