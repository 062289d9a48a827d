"""The same digits three times: plain, on uniform noise and on photographs (the data of the paper's Table 2)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz.scenes.base import Scene
from bflo_viz.streams import enlarge, load_stream, on_noise, on_photographs
from bflo_viz.streams.backgrounds import SIDE, photographs
from bflo_viz.streams.load import is_here


@dataclass(frozen=True, eq=False)
class Digits(Scene):
    """Pictures of shape ``(class, example, row, column)`` from 0 to 255, the same digits in all three.

    ``about`` says which digits they are, and ``behind`` which photographs are behind those of ``images``.
    """

    plain: NDArray[np.uint8]
    random: NDArray[np.uint8]
    images: NDArray[np.uint8]
    about: str
    behind: str

    def _words(self) -> str:
        plain, random, images = (pictures.mean() for pictures in (self.plain, self.random, self.images))
        return f"""Three sheets with the same {self.plain.shape[1]} examples of each digit from 0 to 9, a digit a row.
            {self.about}. Left, PLAIN: white on black, mean grey {plain:.0f} of 255. Middle, RANDOM: each digit is on
            uniform noise, joined by the pixel-wise maximum, mean grey {random:.0f}; the strokes are hard to see.
            Right, IMAGES: on patches of {self.behind}, mean grey {images:.0f}; digits vanish where a patch is
            bright."""


def digits(rng: np.random.Generator, *, examples: int = 6) -> Digits:
    """Draw some digits of each class from MNIST; where it is not here, from scikit-learn's, enlarged."""
    check.generator(rng)
    check.dimension("examples", examples)
    mnist = is_here("mnist")
    stream = load_stream("mnist", download=False) if mnist else enlarge(load_stream("digits"))
    rows = [rng.choice(np.flatnonzero(stream.y == label), examples, replace=False) for label in range(10)]
    plain = stream.take(np.concatenate(rows))
    pictures, behind = photographs()
    shape = (10, examples, SIDE, SIDE)
    return Digits(
        plain=plain.X.reshape(shape),
        random=on_noise(plain, rng).X.reshape(shape),
        images=on_photographs(plain, pictures, rng).X.reshape(shape),
        about="Digits of MNIST" if mnist else "Digits of scikit-learn, enlarged, as MNIST is not here",
        behind=behind,
    )
