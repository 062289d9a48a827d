"""Figures that move: GIF everywhere, MP4 where ffmpeg is."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.animation import FFMpegWriter, PillowWriter
from matplotlib.figure import Figure
from PIL import Image

from bflo_viz.figures.dynamics import draw_dynamics
from bflo_viz.figures.learning_curves import draw_demonstration
from bflo_viz.figures.pseudo_dataset import draw_pseudo_dataset
from bflo_viz.scenes.online import DemonstrationScene
from bflo_viz.scenes.pseudo_points import PseudoScene
from bflo_viz.scenes.three_ways import DynamicsScene

_HOLD = 1.5  # seconds that the last frame stays


class _SmallGif(PillowWriter):
    """A GIF with the same 64 colours in all frames: enough for lines and tints, and a third of the bytes."""

    def finish(self) -> None:
        """Reduce the colours, then write."""
        pictures = [frame.convert("RGB") for frame in self._frames]  # type: ignore[has-type]
        colors = pictures[-1].quantize(64, method=Image.Quantize.FASTOCTREE)
        self._frames = [picture.quantize(palette=colors, dither=Image.Dither.NONE) for picture in pictures]
        super().finish()


def write_frames(figures: Iterable[Figure], path: Path, *, rate: int = 8, dpi: float = 90.0) -> Path:
    """Write figures of one size, ``rate`` in a second, into a ``.gif``, or an ``.mp4`` where ffmpeg is installed."""
    if path.suffix not in (".gif", ".mp4"):
        raise ValueError(f"path must end in .gif or .mp4, but it was {path.name!r}.")
    if path.suffix == ".mp4" and not FFMpegWriter.isAvailable():
        raise ValueError(f"{path.name} needs ffmpeg, which is not installed here; a .gif needs nothing.")
    writer: Any = _SmallGif(fps=rate) if path.suffix == ".gif" else FFMpegWriter(fps=rate)
    for i, figure in enumerate(figures):
        if i == 0:
            writer.setup(figure, path, dpi)
        writer.fig = figure
        writer.grab_frame()
    for _ in range(round(_HOLD * rate)):
        writer.grab_frame()
    writer.finish()
    return path


def growing(draw: Callable[..., Figure], scene: Any, rounds: Sequence[int], style: str = "paper") -> Iterator[Figure]:
    """Draw ``scene.at(round)`` for each of ``rounds``.

    Axes keep the place and the limits that they have in the last frame, so that only what is drawn on them moves.
    """
    last = draw(scene.at(rounds[-1]), style=style)
    last.draw_without_rendering()
    for now in rounds:
        figure = draw(scene.at(now), style=style)
        figure.set_layout_engine("none")
        for ax, model in zip(figure.get_axes(), last.get_axes(), strict=True):
            ax.set_position(model.get_position())
            ax.set(xlim=model.get_xlim(), ylim=model.get_ylim())
        yield figure


def animate_dynamics(scene: DynamicsScene, path: Path, style: str = "paper") -> Path:
    """Animate `draw_dynamics`: many frames for the first rounds, when most happens, and fewer later."""
    rounds = np.maximum(np.arange(41), np.rint(scene.rounds * np.linspace(0, 1, 41) ** 2)).astype(int)
    return write_frames(growing(draw_dynamics, scene, rounds[rounds <= scene.rounds].tolist(), style), path, rate=6)


def animate_pseudo_dataset(scene: PseudoScene, path: Path, style: str = "paper") -> Path:
    """Animate `draw_pseudo_dataset`, one frame for each round."""
    return write_frames(growing(draw_pseudo_dataset, scene, range(1, scene.rounds + 1), style), path)


def animate_demonstration(scene: DemonstrationScene, path: Path, style: str = "paper") -> Path:
    """Animate `draw_demonstration`: the curves grow from left to right, and take their names along."""
    steps = np.unique(np.linspace(1, len(scene.rounds) - 1, 40).astype(int))
    return write_frames(growing(draw_demonstration, scene, scene.rounds[steps].tolist(), style), path)
