"""Figures that move: frames, sizes, and files that come out the same each time."""

import shutil
import sys

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from bflo_viz.figures.animation import animate, animate_demonstration, animate_dynamics, animate_growing
from bflo_viz.figures.dynamics import draw_dynamics
from bflo_viz.figures.style import set_alt_text
from bflo_viz.scenes.online import demonstration
from bflo_viz.scenes.three_ways import dynamics


def dot(index, size=(2, 1)):
    figure = Figure(figsize=size)
    figure.add_axes((0, 0, 1, 1)).plot(index, 0, "ko", ms=20)
    figure.axes[0].set(xlim=(-1, 5), ylim=(-1, 1))
    set_alt_text(figure, f"A dot at {index}.")
    return figure


def frames(path):
    with Image.open(path) as image:
        found = []
        for k in range(image.n_frames):
            image.seek(k)
            found.append((np.asarray(image.convert("RGB")), image.info["duration"], image.info.get("comment", b"")))
        return found


def test_each_figure_is_a_frame(tmp_path):
    """Five figures, five frames of the right size, the dot where it is, the time shared out, the last held."""
    path = animate([dot(i) for i in range(5)], tmp_path / "dots.gif", seconds=1.0, dpi=60)
    shown = frames(path)
    assert [picture.shape for picture, _, _ in shown] == [(60, 120, 3)] * 5
    for i, (picture, _, _) in enumerate(shown):
        dark = np.argwhere(picture.sum(axis=2) < 200)[:, 1].mean()
        assert dark == pytest.approx(120 * (i + 1) / 6, abs=2)
    assert [duration for _, duration, _ in shown] == [200, 200, 200, 200, 1700]
    assert (shown[0][0][5, 60] == 255).all()  # the paper is white


def test_a_function_draws_on_one_figure_again_and_again(tmp_path):
    """The function gets 0, 1, 2, and may move what is there."""
    figure, seen = dot(0), []

    def draw(index):
        seen.append(index)
        figure.axes[0].get_lines()[0].set_xdata([index])
        return figure

    shown = frames(animate(draw, tmp_path / "one.gif", count=3, seconds=0.5))
    assert seen == [0, 1, 2] and len(shown) == 3
    assert (shown[0][0] != shown[2][0]).any()
    assert figure.dpi == Figure().dpi


def test_the_alt_text_is_inside(tmp_path):
    """As the comment of the file: that of the last frame."""
    path = animate([dot(0), dot(3)], tmp_path / "words.gif")
    assert b"A dot at 3." in path.read_bytes()


def test_the_same_frames_give_the_same_bytes(tmp_path):
    """Twice the dots, twice the dynamics."""
    one, two = (animate([dot(i) for i in range(3)], tmp_path / f"{name}.gif").read_bytes() for name in "ab")
    assert one == two
    scene = dynamics(np.random.default_rng(0), rounds=12)
    rounds = [0, 4, 12]
    one, two = (
        animate_growing(draw_dynamics, scene.at, rounds, tmp_path / f"{name}.gif").read_bytes() for name in "cd"
    )
    assert one == two


@pytest.mark.slow
def test_dynamics_move(tmp_path):
    """All of 41 frames, the first unlike the last, below 1.5 MB."""
    path = animate_dynamics(dynamics(np.random.default_rng(0)), tmp_path / "dynamics.gif")
    shown = frames(path)
    assert len(shown) == 41
    assert (shown[0][0] != shown[-1][0]).any(axis=2).mean() > 0.005
    assert path.stat().st_size < 1_500_000


def test_curves_grow(tmp_path):
    """From left to right: what is drawn in the first frame lies left of what the last has; below 1.5 MB."""
    scene = demonstration(np.random.default_rng(0), runs=2, rounds=400, points=10)
    path = animate_demonstration(scene, tmp_path / "demonstration.gif")
    shown = frames(path)
    assert len(shown) == 10
    ink = [(picture.max(axis=2) < 250).sum() for picture, _, _ in (shown[0], shown[5], shown[-1])]
    assert ink[0] < ink[1] < ink[2]
    changed = np.argwhere((shown[0][0] != shown[5][0]).any(axis=2))
    middle = shown[0][0].shape[1]
    assert changed[:, 1].max() < 0.93 * middle
    assert path.stat().st_size < 1_500_000


def test_axes_stay_where_they_are_while_something_grows(tmp_path):
    """A figure whose limits follow its data: in the animation they are those of the last frame from the start."""
    drawn = []

    def draw(rounds, style="paper"):
        figure = Figure(figsize=(3, 2), layout="constrained")
        figure.add_subplot().plot(range(rounds + 1), np.arange(rounds + 1) * 100)
        drawn.append(figure)
        return figure

    animate_growing(draw, lambda rounds: rounds, [2, 5, 9], tmp_path / "growing.gif", seconds=1.0)
    limits = {figure.axes[0].get_xlim() + figure.axes[0].get_ylim() for figure in drawn}
    places = {tuple(figure.axes[0].get_position().bounds) for figure in drawn}
    assert len(drawn) == 4 and len(limits) == 1 and len(places) == 1
    assert limits.pop()[3] > 900


def test_without_ffmpeg_an_mp4_gets_one_sentence(tmp_path, monkeypatch):
    """It says what is missing and what works; nothing is drawn first."""
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(ValueError, match=r"^film\.mp4 needs ffmpeg, which is not installed here; .*\.$"):
        animate((pytest.fail("drawn") for _ in range(1)), tmp_path / "film.mp4")


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for ffmpeg is a script")
def test_with_ffmpeg_every_frame_is_sent_to_it(tmp_path, monkeypatch):
    """A stand-in keeps what it gets: 30 frames a second of raw pixels for the time asked for, and the hold."""
    tool = tmp_path / "ffmpeg"
    tool.write_text('#!/bin/sh\nfor last; do :; done\n/bin/cat > "$last"\necho "$@" > "$last.args"\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    path = animate([dot(0), dot(3)], tmp_path / "film.mp4", seconds=1.0, dpi=60)
    raw = np.frombuffer(path.read_bytes(), np.uint8).reshape(-1, 60, 120, 3)
    assert len(raw) == 30 + 45
    assert (raw[0] == raw[14]).all() and (raw[14] != raw[15]).any() and (raw[15] == raw[-1]).all()
    assert "-s 120x60 -r 30" in (tmp_path / "film.mp4.args").read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for ffmpeg is a script")
def test_what_ffmpeg_complains_about_is_passed_on(tmp_path, monkeypatch):
    """As one sentence, with its own words."""
    tool = tmp_path / "ffmpeg"
    tool.write_text("#!/bin/sh\n/bin/cat > /dev/null\necho 'no such codec' >&2\nexit 1\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValueError, match=r"^ffmpeg could not write film\.mp4: no such codec"):
        animate([dot(0)], tmp_path / "film.mp4")


@pytest.mark.parametrize(
    ("figures", "name", "sentence"),
    [
        ([], "a.gif", r"at least one figure, but there is none\.$"),
        ([dot(0), dot(1, size=(3, 1))], "a.gif", r"of one size, but there are 180 × 90 and 270 × 90 pixels\.$"),
        ([dot(0)], "a.avi", r"^path must end in \.gif or \.mp4, but it was 'a\.avi'\.$"),
        (dot, "a.gif", r"^count must be a whole number"),
    ],
)
def test_wrong_arguments_get_one_sentence(tmp_path, figures, name, sentence):
    """No frames, frames of two sizes, an unknown ending, a function without a count."""
    with pytest.raises(ValueError, match=sentence):
        animate(figures, tmp_path / name)
