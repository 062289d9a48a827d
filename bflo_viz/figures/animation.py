"""Figures that move: GIF everywhere, MP4 where ffmpeg is."""

import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray
from PIL import Image

from bflo_viz import _checks as check
from bflo_viz.figures.curves import keep_names_apart
from bflo_viz.figures.demonstration import draw_demonstration
from bflo_viz.figures.dynamics import draw_dynamics
from bflo_viz.figures.pseudo_dataset import draw_pseudo_dataset
from bflo_viz.figures.style import alt_text, look
from bflo_viz.scenes.online import DemonstrationScene
from bflo_viz.scenes.pseudo_points import PseudoScene
from bflo_viz.scenes.three_ways import DynamicsScene

Frame = NDArray[np.uint8]
_COLORS = 64  # of a GIF: enough for lines and tints, and half the bytes of 256
_HOLD = 1.5  # seconds that the last frame stays, before a GIF begins again
_STEADY = 30  # frames a second of an MP4


def animate(
    frames: Iterable[Figure] | Callable[[int], Figure],
    path: Path | str,
    *,
    count: int | None = None,
    seconds: float = 6.0,
    dpi: float = 90.0,
) -> Path:
    """Write figures one after the other into a ``.gif``, or into an ``.mp4`` where ffmpeg is installed.

    Parameters
    ----------
    frames
        Figures of one size; they may be one figure that changes between one and the next. Or a function that draws
        frame 0, 1, … ``count − 1``, best always on the same figure, and returns the figure.
    path
        Where to write; the ending says what.
    count
        How many frames a function draws; for figures it is not needed.
    seconds
        How long all frames take; the last then stays for a moment. A GIF counts in hundredths of a second.
    dpi
        Pixels per inch.
    """
    path = Path(path)
    write = _writer(path)
    if callable(frames):
        frames = map(frames, range(check.dimension("count", count)))
    pictures, words = [], ""
    for figure in frames:
        pictures.append(_pixels(figure, check.scalar("dpi", dpi, least=1.0)))
        words = alt_text(figure)
    if not pictures:
        raise ValueError("frames must have at least one figure, but there is none.")
    sizes = {f"{picture.shape[1]} × {picture.shape[0]}" for picture in pictures}
    if len(sizes) > 1:
        raise ValueError(f"frames must be figures of one size, but there are {' and '.join(sorted(sizes))} pixels.")
    write(pictures, path, check.scalar("seconds", seconds, least=0.01 * len(pictures)), words)
    return path


def animate_growing(
    draw: Callable[..., Figure],
    scene_up_to: Callable[[int], Any],
    rounds: Sequence[int],
    path: Path | str,
    *,
    seconds: float = 6.0,
    style: str = "paper",
) -> Path:
    """Animate any figure: ``draw(scene_up_to(round), style=style)`` for each of ``rounds``.

    Axes keep the place and the limits that they have in the last frame, so that only what is drawn on them moves.
    """
    last = draw(scene_up_to(rounds[-1]), style=style)
    last.draw_without_rendering()

    def frames() -> Iterator[Figure]:
        for round_ in rounds:
            figure = draw(scene_up_to(round_), style=style)
            _keep_still(figure)
            for ax, model in zip(figure.get_axes(), last.get_axes(), strict=True):
                ax.set_position(model.get_position())
                _same_limits(ax, model)
            yield figure

    return animate(frames(), path, seconds=seconds)


def animate_dynamics(scene: DynamicsScene, path: Path | str, *, seconds: float = 7.0, style: str = "paper") -> Path:
    """Animate `draw_dynamics`: many frames for the first rounds, when most happens, and fewer later."""
    share = np.linspace(0, 1, 41) ** 2
    rounds = np.unique(np.maximum(np.arange(len(share)), np.rint(share * scene.rounds))).astype(int)
    return animate_growing(
        draw_dynamics, scene.at, rounds[rounds <= scene.rounds].tolist(), path, seconds=seconds, style=style
    )


def animate_pseudo_dataset(scene: PseudoScene, path: Path | str, *, style: str = "paper") -> Path:
    """Animate `draw_pseudo_dataset`, a frame a round."""
    return animate_growing(draw_pseudo_dataset, scene.at, range(1, scene.rounds + 1), path, style=style)


def animate_demonstration(
    scene: DemonstrationScene, path: Path | str, *, seconds: float = 6.0, style: str = "paper"
) -> Path:
    """Animate `draw_demonstration`: the curves grow from left to right, and take their names along."""
    figure = draw_demonstration(scene, style=style)
    figure.draw_without_rendering()
    _keep_still(figure)
    lines = [(line, *line.get_data()) for ax in figure.get_axes() for line in ax.get_lines()]
    bands = [(ax, band) for ax in figure.get_axes() for band in ax.collections]

    def frame(index: int) -> Figure:
        now = scene.rounds[1:][steps[index]]
        for line, x, y in lines:
            shown = np.asarray(x) <= now
            line.set_data(np.asarray(x)[shown], np.asarray(y)[shown])
        for ax, band in bands:
            low, high = ax.get_ylim()
            band.set_clip_path(Rectangle((0, low), float(now), high - low, transform=ax.transData))
        with look(style):
            keep_names_apart(figure.get_axes())
        return figure

    steps = np.unique(np.linspace(0, len(scene.rounds) - 2, 50).astype(int))
    return animate(frame, path, count=len(steps), seconds=seconds)


def _keep_still(figure: Figure) -> None:
    """Stop the layout from moving things from frame to frame."""
    figure.set_layout_engine("none")


def _same_limits(ax: Any, model: Any) -> None:
    ax.set(xlim=model.get_xlim(), ylim=model.get_ylim())
    if hasattr(model, "get_zlim"):
        ax.set_zlim(model.get_zlim())


def _pixels(figure: Figure, dpi: float) -> Frame:
    before = figure.dpi
    figure.set_dpi(dpi)
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    picture = np.asarray(canvas.buffer_rgba())[..., :3].copy()
    figure.set_dpi(before)
    return picture


def _writer(path: Path) -> Callable[[list[Frame], Path, float, str], None]:
    if path.suffix == ".gif":
        return _write_gif
    if path.suffix != ".mp4":
        raise ValueError(f"path must end in .gif or .mp4, but it was {path.name!r}.")
    if shutil.which("ffmpeg") is None:
        raise ValueError(
            f"{path.name} needs ffmpeg, which is not installed here; a path that ends in .gif needs nothing."
        )
    return _write_mp4


def _write_gif(pictures: list[Frame], path: Path, seconds: float, words: str) -> None:
    # One palette for all frames, taken from three of them: colours that do not flicker.
    sample = np.vstack([pictures[0], pictures[len(pictures) // 2], pictures[-1]])
    palette = Image.fromarray(sample).quantize(_COLORS, method=Image.Quantize.MEDIANCUT)
    colors = np.array(palette.getpalette()).reshape(-1, 3)
    colors[colors.min(axis=1) > 247] = 255  # the paper is white
    palette.putpalette(colors.ravel().tolist())
    images = [Image.fromarray(p).quantize(palette=palette, dither=Image.Dither.NONE) for p in pictures]
    ends = np.rint(100 * seconds * np.arange(1, len(images) + 1) / len(images))
    durations = [10 * int(step) for step in np.diff(ends, prepend=0)]
    durations[-1] += int(1000 * _HOLD)
    images[0].save(
        path,
        save_all=True,
        append_images=images[1:],
        duration=durations,
        loop=0,
        comment=words.encode(),
        optimize=False,
    )


def _write_mp4(pictures: list[Frame], path: Path, seconds: float, words: str) -> None:
    height, width, _ = pictures[0].shape
    when = np.arange(round(_STEADY * seconds)) / (_STEADY * seconds) * len(pictures)
    hold = repeat(pictures[-1], round(_STEADY * _HOLD))
    raw = f"-f rawvideo -pix_fmt rgb24 -s {width}x{height} -r {_STEADY} -i -"
    video = "-an -c:v libx264 -threads 1 -fflags +bitexact -flags:v +bitexact -pix_fmt yuv420p"
    even = ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white"]  # the format has no odd sizes
    command = ["ffmpeg", "-y", "-loglevel", "error", *raw.split(), *video.split(), *even]
    command += ["-metadata", f"comment={words}", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as encoder:
        stream = b"".join(p.tobytes() for p in chain((pictures[int(i)] for i in when), hold))
        _, complaint = encoder.communicate(stream)
    if encoder.returncode:
        raise ValueError(f"ffmpeg could not write {path.name}: {complaint.decode(errors='replace').strip()[:200]}")
