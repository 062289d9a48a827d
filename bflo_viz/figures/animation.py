"""Figures that move: GIF everywhere, MP4 where ffmpeg is."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.animation import FFMpegWriter, PillowWriter
from matplotlib.figure import Figure
from PIL import Image

from bflo_viz import figures, scenes

ANIMATIONS = ("dynamics", "pseudo_dataset", "demonstration")  # drawn again and again as their runs go on
_HOLD = 1.5  # seconds that the last frame stays


class _SmallGif(PillowWriter):
    """A GIF with the same 64 colours in all frames: enough for lines and tints, and a third of the bytes."""

    def finish(self) -> None:
        """Reduce the colours, then write."""
        pictures = [frame.convert("RGB") for frame in self._frames]  # type: ignore[has-type]
        colors = pictures[-1].quantize(64, method=Image.Quantize.FASTOCTREE)
        self._frames = [picture.quantize(palette=colors, dither=Image.Dither.NONE) for picture in pictures]
        super().finish()


def write_frames(frames: Iterable[Figure], path: Path, *, rate: int = 8, dpi: float = 90.0) -> Path:
    """Write figures of one size, ``rate`` in a second, into a ``.gif``, or an ``.mp4`` where ffmpeg is installed."""
    if path.suffix not in (".gif", ".mp4"):
        raise ValueError(f"path must end in .gif or .mp4, but it was {path.name!r}.")
    if path.suffix == ".mp4" and not FFMpegWriter.isAvailable():
        raise ValueError(f"{path.name} needs ffmpeg, which is not installed here; a .gif needs nothing.")
    writer: Any = _SmallGif(fps=rate) if path.suffix == ".gif" else FFMpegWriter(fps=rate)
    for i, figure in enumerate(frames):
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


def animate(name: str, path: Path, style: str = "paper", *, seed: int = 0, **settings: Any) -> Path:
    """Write an animation of a figure of the gallery; the settings are those of its scene."""
    if name not in ANIMATIONS:
        raise ValueError(f"there is no animation of {name!r}: there are {', '.join(ANIMATIONS)}.")
    scene = getattr(scenes, name)(np.random.default_rng(seed), **settings)
    rounds, rate = np.arange(1, scene.rounds + 1) if name == "pseudo_dataset" else np.arange(41), 8
    if name == "dynamics":  # many frames for the first rounds, when most happens, and fewer later
        rounds, rate = np.maximum(rounds, np.rint(scene.rounds * np.linspace(0, 1, 41) ** 2).astype(int)), 6
        rounds = rounds[rounds <= scene.rounds]
    elif name == "demonstration":
        rounds = scene.rounds[np.unique(np.linspace(1, len(scene.rounds) - 1, 40).astype(int))]
    return write_frames(growing(getattr(figures, f"draw_{name}"), scene, rounds.tolist(), style), path, rate=rate)
