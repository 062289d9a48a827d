"""Pictures of weight space: three flows of one step."""

import numpy as np
import pytest
from looks import covariance, line
from matplotlib.patches import Ellipse
from matplotlib.quiver import Quiver
from oracles import gaussian_kl, printed_stretch

from bflo_viz.figures import draw_flow_types, flow_types

CASES = [{}, {"w": (1.0, 0.5), "w_new": (-0.5, 1.9), "non_expansive": True}, {"rule": "exact"}]


def maps(w=(1.8, -0.4), w_new=(0.8, 0.9), non_expansive=False, rule="printed"):
    """The matrix A of each flow by the paper's formulas, for a standard normal prior."""
    before, after = np.array(w), np.array(w_new)
    u, v = np.linalg.norm(before), np.linalg.norm(after)
    clip = (lambda a: np.minimum(a, 1)) if non_expansive else (lambda a: a)
    angle = np.arctan2(after[1], after[0]) - np.arctan2(before[1], before[0])
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    along = np.outer(after, after) / v**2
    return {
        "full": (np.eye(2) + (clip(printed_stretch(u, v)) - 1) * along) @ turn,
        "diagonal": np.diag(clip(printed_stretch(before, after))),
        "spherical": clip(printed_stretch(u, v, n=2 if rule == "exact" else 1)) * turn,
    }


@pytest.mark.parametrize("case", CASES)
def test_three_flows_are_those_of_the_paper(case):
    """Ellipses are the covariances, arrows the flow, KL that of an independent formula."""
    found = flow_types(**case)
    figure = draw_flow_types(found)
    for ax, flow, (name, A) in zip(figure.axes, found.flows, maps(**case).items(), strict=True):
        mean, cov = found.w_new - A @ found.w, A @ A.T
        wanted = {"prior": (np.zeros(2), np.eye(2)), "posterior": (mean, cov)}
        for label, (centre, matrix) in wanted.items():
            drawn = [patch for patch in ax.patches if isinstance(patch, Ellipse) and patch.get_label() == label]
            assert len(drawn) == 2 and ax.get_aspect() == 1
            for sigmas, patch in zip((1, 2), drawn, strict=True):
                np.testing.assert_allclose(patch.center, centre, atol=1e-12)
                np.testing.assert_allclose(covariance(patch, sigmas), matrix, atol=1e-12)
        (field,) = (artist for artist in ax.collections if isinstance(artist, Quiver))
        at = np.column_stack([field.X, field.Y])
        moved = (at - found.w) @ A.T + found.w_new
        np.testing.assert_allclose(np.column_stack([field.U, field.V]), moved - at, atol=1e-12)
        assert (field.scale_units, field.scale) == ("xy", 4)
        np.testing.assert_allclose(line(ax, "weight before").get_xydata(), [found.w])
        np.testing.assert_allclose(line(ax, "weight after").get_xydata(), [found.w_new])
        kl = gaussian_kl(mean, cov, *wanted["prior"])
        assert flow.name == name and flow.kl == pytest.approx(kl)
        assert (
            f"KL: {kl:.3f} nats" in [text.get_text() for text in ax.texts]
            and f"KL of {kl:z.3f} nats" in figure.alt_text
        )
    assert found.rank(found.flows[0]) in ("no", "less", "least")


def test_titles_of_flows_rank_them_and_say_how_far_they_turn():
    """A weight that only turns about the mean costs two flows nothing; straight through the mean is half a turn."""
    titles = [ax.get_title(loc="left") for ax in draw_flow_types(flow_types(w=(1.0, 0.0), w_new=(0.0, 1.0))).axes]
    none = "turns 90°:\nno change"
    assert titles == [f"Full {none}", "Diagonal does not turn:\nmost change", f"Spherical {none}"]
    held = flow_types(w=(1.0, 0.0), w_new=(0.8, 1.2), non_expansive=True)  # a stretch of 1 is the same for two flows
    assert [held.rank(flow) for flow in held.flows] == ["less", "most", "less"]
    across = flow_types(w=(1.0, -1.0), w_new=(-0.5, 0.5))
    assert [abs(flow.angle) for flow in across.flows] == pytest.approx([180, 0, 180])
    assert [flow.angle for flow in flow_types(w=(1.0, -1.0), w_new=(0.5, -0.5)).flows] == [0, 0, 0]
    with pytest.raises(ValueError, match="w must have shape"):
        flow_types(w=(1.0, 2.0, 3.0))
    with pytest.raises(ValueError, match="rule must be"):
        flow_types(rule="best")
