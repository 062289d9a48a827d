"""Figures that move: frames, sizes, and axes that stay where they are."""

import numpy as np
import pytest
from matplotlib.animation import FFMpegWriter
from matplotlib.figure import Figure
from PIL import Image

from bflo_viz.figures.animation import ANIMATIONS, animate, growing, write_frames


def dot(index):
    figure = Figure(figsize=(2, 1))
    figure.add_axes((0, 0, 1, 1)).plot(index, 0, "ko", ms=20)
    figure.axes[0].set(xlim=(-1, 5), ylim=(-1, 1))
    return figure


def frames(path):
    with Image.open(path) as image:
        every = []
        for k in range(image.n_frames):
            image.seek(k)
            every.append((np.asarray(image.convert("RGB")), image.info["duration"]))
        return every


def test_each_figure_is_a_frame_and_the_same_bytes_come_out(tmp_path):
    """Five figures: the dot where it is, on white paper, the last one held."""
    one, two = (write_frames([dot(i) for i in range(5)], tmp_path / f"{name}.gif", rate=5, dpi=60) for name in "ab")
    assert one.read_bytes() == two.read_bytes()
    shown = frames(one)
    assert len(shown) == 5 and {picture.shape for picture, _ in shown} == {(60, 120, 3)}
    for i, (picture, _) in enumerate(shown):
        dark = np.argwhere(picture.sum(axis=2) < 200)[:, 1].mean()
        assert dark == pytest.approx(120 * (i + 1) / 6, abs=2)
        assert (picture[5, 60] > 250).all()
    assert [duration for _, duration in shown[:4]] == [200] * 4 and shown[4][1] > 1000


def test_axes_stay_where_they_are_while_something_grows():
    """A figure whose limits follow its data: in the animation they are those of the last frame from the start."""

    class Growing:
        def at(self, rounds):
            return rounds

    def draw(rounds, style):
        figure = Figure(figsize=(3, 2), layout="constrained")
        figure.add_subplot().plot(range(rounds + 1), np.arange(rounds + 1) * 100)
        return figure

    axes = [figure.axes[0] for figure in growing(draw, Growing(), [2, 5, 9])]
    assert len(axes) == 3 and len({ax.get_xlim() + ax.get_ylim() for ax in axes}) == 1
    assert len({tuple(ax.get_position().bounds) for ax in axes}) == 1 and axes[0].get_ylim()[1] > 900


@pytest.mark.slow
@pytest.mark.parametrize("name", ANIMATIONS)
def test_every_animation_of_the_gallery_moves(name, tmp_path):
    path = animate(name, tmp_path / f"{name}.gif")
    shown = frames(path)
    assert (shown[0][0] != shown[-1][0]).any(axis=2).mean() > 0.005
    assert len(shown) >= 35 and path.stat().st_size < 2_000_000


def test_what_cannot_be_written_gets_one_sentence(tmp_path, monkeypatch):
    """An unknown ending, no ffmpeg, no such animation; nothing is drawn first."""
    nothing = (pytest.fail("drawn") for _ in range(1))
    monkeypatch.setattr(FFMpegWriter, "isAvailable", lambda: False)
    with pytest.raises(ValueError, match=r"^film\.mp4 needs ffmpeg, which is not installed here; .*\.$"):
        write_frames(nothing, tmp_path / "film.mp4")
    with pytest.raises(ValueError, match=r"^path must end in \.gif or \.mp4, but it was 'a\.avi'\.$"):
        write_frames(nothing, tmp_path / "a.avi")
    with pytest.raises(ValueError, match="no animation of 'digits': there are dynamics"):
        animate("digits", tmp_path / "digits.gif")
