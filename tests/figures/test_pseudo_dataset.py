"""The picture of a pseudo dataset shows the points that a run adds and removes."""

import numpy as np
import pytest
from looks import inside, overlapping_words
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from bflo_viz.figures import palette
from bflo_viz.figures.pseudo_dataset import draw_pseudo_dataset
from bflo_viz.figures.scenes.pseudo_dataset import pseudo_dataset
from bflo_viz.figures.style import STYLES, alt_text

CASES = [{}, {"std": 0.5, "eta": 1.0, "rule": "exact"}, {"non_expansive": True, "rounds": 30}]


def made(seed=1, **case):
    return pseudo_dataset(np.random.default_rng(seed), **case)


def by_formula(scene):
    """Pseudo-points by the paper's equation with 2 x 2 matrices, for rounds that changed the width, and which did."""
    points, precisions, changed = [], [], scene.stds[1:] != scene.stds[:-1]
    for n in np.flatnonzero(changed):
        old, new = (np.linalg.inv(np.eye(2) * s**2) for s in scene.stds[n : n + 2])
        R = np.linalg.inv(new - old)
        points.append(R @ (new @ scene.means[n + 1] - old @ scene.means[n]))
        precisions.append(1 / np.linalg.eigvalsh(R)[0])
    return np.array(points), np.array(precisions), changed


def labelled(ax, label):
    (found,) = (artist for artist in (*ax.collections, *ax.lines) if artist.get_label() == label)
    return found


@pytest.mark.parametrize("case", CASES)
def test_points_are_the_papers_equation(case):
    """Added and removed points stand where x = R (Σ'⁻¹ μ' − Σ⁻¹ μ) says, and no others are drawn."""
    scene = made(**case)
    ax = draw_pseudo_dataset(scene).axes[0]
    points, precisions, changed = by_formula(scene)
    np.testing.assert_array_equal(scene.exists, changed)
    for name, chosen in (("added", precisions > 0), ("removed", precisions < 0)):
        drawn = np.asarray(labelled(ax, name).get_offsets()).reshape(-1, 2)
        np.testing.assert_allclose(drawn, points[chosen], rtol=1e-6, atol=1e-6)
    assert (precisions < 0).any() != case.get("non_expansive", False)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("case", CASES)
def test_areas_are_precisions(style, case):
    """One and the same factor turns every precision into the area of its disc, in the key too."""
    scene = made(**case)
    ax = draw_pseudo_dataset(scene, style=style).axes[0]
    _, precisions, _ = by_formula(scene)
    sizes = np.concatenate([labelled(ax, name).get_sizes() for name in ("added", "removed")])
    sorted_by_sign = np.concatenate([precisions[precisions > 0], -precisions[precisions < 0]])
    factor = sizes.sum() / sorted_by_sign.sum()
    np.testing.assert_allclose(sizes, factor * sorted_by_sign, rtol=1e-6)
    known = float(ax.get_legend().get_texts()[0].get_text().rsplit(maxsplit=1)[1])
    key = next(artist for artist in ax.collections if not len(artist.get_offsets()) and artist.get_sizes().size)
    np.testing.assert_allclose(key.get_sizes(), factor * known, rtol=1e-6)


def test_colours_and_marks_go_by_sign():
    """Added points are blue and filled with a plus, removed ones red, hollow and hatched with a minus."""
    ax = draw_pseudo_dataset(made()).axes[0]
    added, removed = labelled(ax, "added"), labelled(ax, "removed")
    assert to_hex(added.get_edgecolor()[0]) == to_hex(added.get_facecolor()[0]) == palette.ADDED
    assert to_hex(removed.get_edgecolor()[0]) == palette.REMOVED
    assert len(removed.get_facecolor()) == 0 and removed.get_hatch() and not added.get_hatch()
    for disc, strokes in ((added, 2), (removed, 1)):
        (mark,) = (
            artist
            for artist in ax.collections
            if artist is not disc and np.array_equal(artist.get_offsets(), disc.get_offsets())
        )
        assert len(mark.get_paths()[0].vertices) == 2 * strokes  # a plus has two strokes, a minus one


def test_the_mean_leaves_a_path():
    """The path runs through the mean of every round, from a hollow square to a full one."""
    scene = made()
    ax = draw_pseudo_dataset(scene).axes[0]
    path = labelled(ax, "mean")
    np.testing.assert_array_equal(path.get_xydata(), scene.means)
    assert len(scene.means) == 61 and path.get_color() == palette.INK
    squares = [line for line in ax.lines if line.get_marker() == "s"]
    np.testing.assert_array_equal([line.get_xydata()[0] for line in squares], scene.means[[0, -1]])
    assert [line.get_markerfacecolor() == "white" for line in squares] == [True, False]
    assert {"start", "end"} <= {text.get_text() for text in ax.texts}


@pytest.mark.parametrize("case", CASES)
def test_precisions_add_up(case):
    """Line and circles agree with 1/std², and bars reach from each value to the next, filled up and hatched down."""
    scene = made(**case)
    ax = draw_pseudo_dataset(scene).axes[1]
    truth = scene.stds**-2.0
    np.testing.assert_allclose(labelled(ax, "prior + sum").get_ydata(), truth, rtol=1e-9)
    np.testing.assert_allclose(labelled(ax, "1/std² of the belief").get_ydata(), truth, rtol=1e-12)
    rises = np.diff(truth)
    for bar in ax.patches:
        n = round(bar.get_x() + bar.get_width() / 2)
        np.testing.assert_allclose(
            (bar.get_y(), bar.get_height()), (truth[n - 1], rises[n - 1]), rtol=1e-6, atol=1e-9
        )
        assert to_hex(bar.get_edgecolor()) == (palette.ADDED if rises[n - 1] > 0 else palette.REMOVED)
        assert bool(bar.get_hatch()) == (rises[n - 1] < 0)
    assert len(ax.patches) == np.count_nonzero(rises)
    assert ax.get_xlabel() == "round" and "precision" in ax.get_ylabel()
    assert f"from {truth[0]:.2f} to {truth[-1]:.2f}" in ax.get_title(loc="left")


@pytest.mark.parametrize("seed", range(4))
def test_far_points_are_counted_not_shown(seed):
    """The note says how many points lie outside of the view, which holds the path and most of the precision."""
    scene = made(seed)
    figure = draw_pseudo_dataset(scene)
    ax = figure.axes[0]
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    points, precisions, _ = by_formula(scene)
    out = (points < (left, bottom)).any(axis=1) | (points > (right, top)).any(axis=1)
    assert f"{out.sum()} of {len(points)} points lie outside" in ax.get_legend().get_title().get_text()
    assert f"{out.sum()} lie outside of the view" in alt_text(figure)
    assert np.abs(precisions[out]).sum() < 0.2 * np.abs(precisions).sum()
    assert ((scene.means > (left, bottom)) & (scene.means < (right, top))).all()


def test_alt_text_counts():
    """The alt text says how many points were added and removed, and where the mean went."""
    scene = made()
    _, precisions, _ = by_formula(scene)
    text = alt_text(draw_pseudo_dataset(scene))
    assert f"{(precisions > 0).sum()} pseudo-points" in text and f"{(precisions < 0).sum()} that it removed" in text
    assert "to ({:.2f}, {:.2f})".format(*scene.means[-1]) in text


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("case", CASES)
def test_everything_fits(style, case):
    """Nothing is cut off and no words overlap."""
    figure = draw_pseudo_dataset(made(**case), style=style)
    assert inside(figure)
    assert not overlapping_words(figure)


def test_titles_claim_only_what_is_there():
    """Where nothing was removed, no title speaks of it."""
    assert "removed" in draw_pseudo_dataset(made()).axes[0].get_title(loc="left")
    assert "removed" not in draw_pseudo_dataset(made(non_expansive=True)).axes[0].get_title(loc="left")


def test_draws_on_given_axes_and_repeats():
    """Two axes of another figure are used; the same generator gives the same scene."""
    mine = Figure(figsize=(6, 9))
    axes = mine.subplots(2, 1)
    assert draw_pseudo_dataset(made(rounds=10), axes=axes) is mine
    assert axes[0].collections and axes[1].patches
    np.testing.assert_array_equal(made(rounds=10).points, made(rounds=10).points)
    with pytest.raises(ValueError, match="Generator"):
        pseudo_dataset(3)
