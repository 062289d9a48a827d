"""Pictures of weight space: three flows, the plane of a full one, a run of points, three ways to learn, a line."""

import numpy as np
import pytest
from looks import inside, line, made, overlapping_words
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.patches import Ellipse
from matplotlib.quiver import Quiver
from oracles import gaussian_kl, printed_stretch, theorem_1

from bflo_viz.figures import (
    alt_text,
    draw_dynamics,
    draw_flow_types,
    draw_online,
    draw_pseudo_dataset,
    draw_subspace,
    palette,
)
from bflo_viz.scenes import SURFACES, dynamics, flow_types, learn_online, pseudo_dataset, subspace
from bflo_viz.scenes.pseudo_points import FLOWS

CASES = [
    {},
    {"mean": (0.3, -0.2), "std": 0.7, "w": (1.4, -0.6), "w_new": (0.7, 0.5)},
    {"w": (1.0, 0.5), "w_new": (-0.5, 1.9), "non_expansive": True},
    {"rule": "exact"},
]


def covariance(patch, sigmas):
    """The covariance that a drawn ellipse stands for."""
    half = np.diag([patch.width, patch.height]) / 2 / sigmas
    c, s = np.cos(np.radians(patch.angle)), np.sin(np.radians(patch.angle))
    turned = np.array([[c, -s], [s, c]]) @ half
    return turned @ turned.T


def ellipses(ax, label):
    return [patch for patch in ax.patches if isinstance(patch, Ellipse) and patch.get_label() == label]


# Three flows


def maps(mean=(0.0, 0.0), std=1.0, w=(1.8, -0.4), w_new=(0.8, 0.9), non_expansive=False, rule="printed"):
    """The matrix A of each flow by the paper's formulas, for an isotropic prior."""
    before, after = (np.subtract(w, mean) / std), (np.subtract(w_new, mean) / std)
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
    """Ellipses are the covariances, arrows the flow, KL and entropy those of independent formulas."""
    scene = flow_types(**case)
    figure = draw_flow_types(scene)
    prior_mean, std = np.asarray(case.get("mean", (0.0, 0.0))), case.get("std", 1.0)
    for ax, flow, (name, A) in zip(figure.axes, scene.flows, maps(**case).items(), strict=True):
        mean, cov = A @ (prior_mean - scene.w) + scene.w_new, std**2 * A @ A.T
        wanted = {"prior": (prior_mean, std**2 * np.eye(2)), "posterior": (mean, cov)}
        for label, (centre, matrix) in wanted.items():
            drawn = ellipses(ax, label)
            assert len(drawn) == 2 and ax.get_aspect() == 1
            for sigmas, patch in zip((1, 2), drawn, strict=True):
                np.testing.assert_allclose(patch.center, centre, atol=1e-12)
                np.testing.assert_allclose(covariance(patch, sigmas), matrix, atol=1e-12)
        (field,) = (artist for artist in ax.collections if isinstance(artist, Quiver))
        at = np.column_stack([field.X, field.Y])
        moved = (at - scene.w) @ A.T + scene.w_new
        np.testing.assert_allclose(np.column_stack([field.U, field.V]), moved - at, atol=1e-12)
        assert (field.scale_units, field.scale) == ("xy", 4)
        np.testing.assert_allclose(line(ax, "weight before").get_xydata(), [scene.w])
        np.testing.assert_allclose(line(ax, "weight after").get_xydata(), [scene.w_new])
        kl = gaussian_kl(mean, cov, *wanted["prior"])
        entropy = np.log(abs(np.linalg.det(A)))
        assert flow.name == name and flow.kl == pytest.approx(kl) and flow.entropy_change == pytest.approx(entropy)
        words = f"KL {kl:.3f} nats\nentropy changes by {round(entropy, 3) + 0.0:+.3f} nats".replace("-", "−")
        assert words in [text.get_text() for text in ax.texts] and f"{name} {kl:z.3f}" in alt_text(figure)
    assert scene.rank(scene.flows[0]) in ("no", "less", "least")


def test_titles_of_flows_rank_them_and_say_how_far_they_turn():
    """A weight that only turns about the mean costs two flows nothing; straight through the mean is half a turn."""
    titles = [ax.get_title(loc="left") for ax in draw_flow_types(w=(1.0, 0.0), w_new=(0.0, 1.0)).axes]
    none = "turns 90°: no change"
    assert titles == [f"Full {none}", "Diagonal does not turn: most change", f"Spherical {none}"]
    held = flow_types(w=(1.0, 0.0), w_new=(0.8, 1.2), non_expansive=True)  # a stretch of 1 is the same for two flows
    assert [held.rank(flow) for flow in held.flows] == ["less", "most", "less"]
    across = flow_types(w=(1.0, -1.0), w_new=(-0.5, 0.5))
    assert [abs(flow.angle) for flow in across.flows] == pytest.approx([180, 0, 180])
    assert [flow.angle for flow in flow_types(w=(1.0, -1.0), w_new=(0.5, -0.5)).flows] == [0, 0, 0]
    with pytest.raises(ValueError, match="w must have shape"):
        flow_types(w=(1.0, 2.0, 3.0))
    with pytest.raises(ValueError, match="rule must be"):
        flow_types(rule="best")


# The plane of a full flow

ROUND = (np.zeros(3), np.eye(3), np.array([1.9, -0.6, -0.5]), np.array([0.8, 0.6, 0.0]))
TILTED = (
    np.array([0.4, -0.3, 0.2]),
    np.array([[1.3, 0.3, -0.2], [0.3, 0.8, 0.1], [-0.2, 0.1, 0.6]]),
    np.array([2.0, 0.4, 0.5]),
    np.array([0.9, 0.8, -0.4]),
)


def mahalanobis(points, mean, covariance):
    offsets = np.reshape(points, (-1, np.size(mean))) - mean
    return np.sqrt(np.einsum("ij,jk,ik->i", offsets, np.linalg.inv(covariance), offsets))


@pytest.mark.parametrize("case", [ROUND, TILTED])
def test_the_plane_of_a_full_flow_is_that_of_theorem_1(case):
    """S holds both weights; ellipsoids are the beliefs; along the normal nothing changes; inside it is A₂ₓ₂."""
    mean, prior, w, w_new = case
    scene = subspace(*case)
    flow = theorem_1(*case)
    post_mean, post = flow.mean, flow.covariance
    white = np.linalg.inv(np.linalg.cholesky(prior))
    before, after = white @ (w - mean), white @ (w_new - mean)
    u, v, par = np.linalg.norm(before), np.linalg.norm(after), before @ after / np.linalg.norm(before)
    perp, a = np.sqrt(v**2 - par**2), printed_stretch(u, v)
    A2 = np.array([[a * par, -perp], [a * perp, par]]) / v
    normal = np.cross(w - mean, w_new - mean)
    normal /= np.linalg.norm(normal)
    assert abs(scene.normal @ normal) == pytest.approx(1)
    np.testing.assert_allclose((scene.plane - mean) @ normal, 0, atol=1e-12)
    np.testing.assert_allclose(mahalanobis(scene.prior_surface, mean, prior), 1, atol=1e-9)
    np.testing.assert_allclose(mahalanobis(scene.posterior_surface, post_mean, post), 1, atol=1e-9)
    for surface in (scene.prior_surface, scene.posterior_surface):
        np.testing.assert_allclose((surface[12] - mean) @ normal, 0, atol=1e-12)  # the middle ring lies in S
    extent = np.sqrt(normal @ prior @ normal)
    np.testing.assert_allclose([scene.prior_extent, scene.posterior_extent], extent)
    for surface, centre in ((scene.prior_surface, mean), (scene.posterior_surface, post_mean)):
        assert (surface[-1, 0] - centre) @ scene.normal == pytest.approx(extent)
    np.testing.assert_allclose([scene.u, scene.v_parallel, scene.v_perp, scene.stretch], [u, par, perp, a])
    np.testing.assert_allclose(scene.A, A2, atol=1e-12)
    np.testing.assert_allclose(mahalanobis(scene.image, scene.shift, A2 @ A2.T), 1, atol=1e-9)
    assert f"from ({u:.2f}, 0.00) to ({par:.2f}, {perp:.2f})" in scene.words()
    figure = draw_subspace(scene)
    np.testing.assert_array_equal(line(figure.axes[1], "prior").get_xydata(), scene.circle)
    assert f"turn by {np.degrees(np.arctan2(perp, par)):.0f}°, stretch by {a:.2f}" in figure.axes[1].get_title("left")
    assert inside(figure) and not overlapping_words(figure)


@pytest.mark.parametrize("w_new", [(0.95, -0.3, -0.25), (0.0, 0.0, 0.0), (-1.9, 0.6, 0.5)])
def test_no_plane_no_picture(w_new):
    """Weights on one line with the mean span no plane, and a sentence says so."""
    with pytest.raises(ValueError, match="span a plane"):
        subspace(w_new=w_new)


# A run as points


def rings(ax, color):
    """Middle and area of every circle of a colour, those of discs left out."""
    outlines = (c for c in ax.collections if isinstance(c, LineCollection) and to_hex(c.get_color()[0]) == color)
    closed = [path.vertices for c in outlines for path in c.get_paths() if len(path.vertices) == 33]
    return np.array([(*ring[:-1].mean(axis=0), np.pi / 4 * np.ptp(ring[:, 0]) ** 2) for ring in closed])


@pytest.mark.parametrize("whole", [True, False])
def test_marks_stand_where_the_points_are_and_area_is_precision(whole):
    """Added ones blue, removed ones red, one factor from precision to area; only discs are filled."""
    scene = pseudo_dataset(np.random.default_rng(1))
    ax = draw_pseudo_dataset(scene, whole=whole).axes[0]
    near = np.abs(scene.places[:, 0]).max(axis=1) < 9
    areas = []
    for sign, color in ((1, palette.ADDED), (-1, palette.REMOVED)):
        chosen = near & (sign * scene.precisions[:, 0] > 0)
        drawn = rings(ax, color)
        np.testing.assert_allclose(drawn[:, :2], scene.places[chosen, 0], atol=1e-9)
        areas.append(drawn[:, 2] / np.abs(scene.precisions[chosen, 0]))
    np.testing.assert_allclose(np.concatenate(areas), areas[0][0])
    filled = [c for c in ax.collections if isinstance(c, PolyCollection) and len(c.get_paths())]
    assert {to_hex(c.get_facecolor()[0]) for c in filled} == {palette.ADDED}
    assert len(line(ax, "path of the mean").get_xydata()) == 61
    assert ("weight before" in [each.get_label() for each in ax.lines]) != whole


@pytest.mark.parametrize(("now", "style"), [(0, "paper"), (60, "slides")])
@pytest.mark.parametrize("flow", FLOWS)
def test_a_round_stands_out(flow, now, style):
    """The belief before and after it, the step of its weight, a cursor at the round; circles lie on the sum."""
    scene = pseudo_dataset(np.random.default_rng(0), flow, turn=180.0).at(now)
    figure = draw_pseudo_dataset(scene, whole=False, style=style)
    plane, total = figure.axes
    np.testing.assert_array_equal(line(plane, "prior mean").get_xydata(), scene.means[[max(0, now - 1)]])
    np.testing.assert_array_equal(line(plane, "posterior mean").get_xydata(), scene.means[[now]])
    if now:
        np.testing.assert_array_equal(line(plane, "weight before").get_xydata(), scene.weights[[now - 1]])
        np.testing.assert_array_equal(line(plane, "weight after").get_xydata(), scene.moved[[now - 1]])
    sums = [each.get_ydata() for each in total.lines if each.get_label().startswith("precision")]
    circles = [each.get_ydata() for each in total.lines if each.get_marker() == "o"]
    np.testing.assert_allclose(sums, circles, rtol=1e-6)
    assert inside(figure) and not overlapping_words(figure)


# Three ways to learn


@pytest.mark.parametrize("panel", [1, 2])
def test_beliefs_over_a_run_are_ellipses_of_two_standard_deviations(panel):
    """The prior grey and empty, the last belief filled, those between dashed: never colour alone."""
    figure = made("dynamics")
    scene, ax = figure.scene, figure.axes[panel]
    moments = [(belief.mean, belief.covariance) for belief in scene.beliefs]
    if panel == 1:
        moments = list(zip(scene.bayes.mean, scene.bayes.covariance, strict=True))
    rounds = {"prior": 0, **{f"round {r}": r for r in ((2, 8, 300), (100, 300))[panel - 1]}}
    for label, r in rounds.items():
        (patch,) = ellipses(ax, label)
        np.testing.assert_allclose(patch.center, moments[r][0])
        np.testing.assert_allclose(covariance(patch, 2), moments[r][1], atol=1e-12)
        assert to_hex(patch.get_edgecolor()) == (palette.POSTERIOR if r else palette.PRIOR)
        assert (patch.get_facecolor()[3] > 0.1) == (r == 300) and (patch.get_linestyle() == "--") == (0 < r < 300)
    names = {text.get_text() for text in ax.texts}
    assert {name for name, r in rounds.items() if 0 < r < 300} <= names <= set(rounds)  # no dashed one without a name
    (dotted,) = ellipses(figure.axes[3], "belief of the flow")
    np.testing.assert_allclose(covariance(dotted, 2), scene.beliefs[-1].covariance, atol=1e-12)


@pytest.mark.parametrize("style", ["paper", "slides"])
@pytest.mark.parametrize("name", SURFACES)
def test_a_round_is_drawn_with_its_example_and_its_step(name, style):
    """The path up to now, the members, the outline, the step; everything inside, no words on others."""
    scene = dynamics(np.random.default_rng(0), name, rounds=150).at(60)
    figure = draw_dynamics(scene, whole=False, style=style)
    point, posterior, belief, ensemble = figure.axes
    expected = {
        (point, "path"): scene.points[:61],
        (point, "now"): scene.points[[60]],
        (point, "newest example"): scene.surface.fitting(scene.examples[59]),
        (point, "optimum"): scene.surface.optima,
        (posterior, "path"): scene.bayes.mean[:61],
        (belief, "ensemble"): scene.clouds[60],
        (belief, "weight before"): scene.sampled[[59]],
        (belief, "weight after"): scene.moved[[59]],
        (ensemble, "ensemble"): scene.ensembles[60],
    }
    for (ax, label), points in expected.items():
        np.testing.assert_array_equal(line(ax, label).get_xydata(), points)
    two = name == "double well"
    if two:
        (border,) = posterior.collections[
            -1
        ].get_paths()  # of each hill as much as an ellipse of two deviations holds
        assert np.ptp(border.vertices[:, 1]) == pytest.approx(4 * scene.bayes.hill_std[60, 1], rel=0.1)
    else:
        (patch,) = (patch for patch in posterior.patches if patch.get_label() == "round 60")
        border = patch.get_path().transformed(patch.get_patch_transform())
    assert border.contains_point(scene.bayes.hill_mean[60] if two else scene.bayes.mean[60])
    assert border.contains_point(scene.bayes.mean[60]) != two
    assert alt_text(figure) == scene.words()
    assert inside(figure) and not overlapping_words(figure)
    first = draw_dynamics(scene.at(0), whole=False)
    labels = {each.get_label() for ax in first.axes for each in ax.get_lines()}
    assert not labels & {"weight before", "newest example"}


# A line online


@pytest.mark.parametrize(
    ("now", "flows", "settings"),
    [(200, ("full", "diagonal", "spherical"), {}), (0, ("full",), {}), (30, (), {"drift": 45, "flip": 0.5})],
)
def test_an_online_run_shows_the_round(now, flows, settings):
    """Boundaries lie across the mean weights, cursors stand at the round, the last sixty examples are there."""
    scene = learn_online(np.random.default_rng(0), rounds=400, **settings).at(now, ("SGD", *flows))
    figure = draw_online(scene)
    plane, error, entropy = figure.axes
    for name in scene.names:
        points = line(plane, name).get_xydata()
        np.testing.assert_allclose(points[~np.isnan(points[:, 0])] @ scene.means[name][now], 0, atol=1e-9)
    for ax in (error, entropy):
        assert any(list(each.get_xdata()) == [now] * 2 for each in ax.lines)
    examples = [each for each in plane.lines if each.get_marker() in ("o", "s")]
    assert sum(len(each.get_xdata()) for each in examples) == min(60, now)
    assert inside(figure) and not overlapping_words(figure)


def test_a_collapsed_belief_leaves_the_panel_at_its_foot():
    """A diagonal flow that may not widen collapses: there are words for it, and it does not rule the scale."""
    figure = draw_online(np.random.default_rng(0), rounds=4000, non_expansive=True, eta=0.1, names=("diagonal",))
    assert figure.scene.entropy["diagonal"][-1] == -np.inf and "diagonal −∞" in alt_text(figure)
    assert np.isfinite(figure.axes[2].get_ylim()).all()
