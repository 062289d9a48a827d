"""Every stream by its name."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz.streams import backgrounds, synthetic
from bflo_viz.streams.datasets import BUNDLED, FROM_FILES, Dataset, find_files, load_arrays
from bflo_viz.streams.preprocessing import subsample
from bflo_viz.streams.stream import Stream

_LAROCHELLE = (
    "H. Larochelle, D. Erhan, A. Courville, J. Bergstra and Y. Bengio: An empirical evaluation of deep architectures "
    "on problems with many factors of variation (2007); made here from MNIST."
)


def load_stream(
    name: str, *, rng: np.random.Generator | None = None, download: bool = True, **options: Any
) -> Stream:
    """Return a stream by its name.

    The paper's are ``mushroom``, ``covtype``, ``ijcnn``, ``eeg``, ``a9a``, ``mnist``, ``mnist-random`` and
    ``mnist-images``; their rows are those of the files, and :mod:`bflo_viz.streams.preprocessing` prepares them.
    ``breast-cancer`` and ``digits`` come with scikit-learn; ``two-gaussians``, ``demo-2d``, ``drifting`` and
    ``sparse-logistic`` are synthetic. Synthetic streams and backgrounds have options such as ``rows``, and are drawn
    by ``rng``, or by ``numpy.random.default_rng(0)`` without one. ``download=False`` uses only files that are here.

    >>> load_stream("two-gaussians", rows=100)
    <Stream two-gaussians: 100 rows x 2 features, dense float64>
    """
    make = MADE.get(checked_name(name))
    allowed = [*inspect.signature(make).parameters][1:] if make else []
    for option in options if rng is None or make else ("rng",):
        if option not in allowed:
            raise ValueError(f"{name} has no option {option!r}: it has {', '.join(allowed) or 'none'}.")
    if make:
        options |= {"download": download} if "download" in allowed else {}  # of MNIST, for its backgrounds
        return make(np.random.default_rng(0) if rng is None else check.generator(rng), **options)
    dataset = FROM_FILES.get(name) or BUNDLED[name]
    X, y = load_arrays(dataset, download=download)
    shared = ("feature_names", "name", "source", "licence", "citation", "maximum", "about")
    return Stream(X, y, class_names=tuple(dataset.classes), **{field: getattr(dataset, field) for field in shared})


def checked_name(name: str) -> str:
    """Return ``name`` if it is one of `NAMES`; for a mistyped one, an error names the nearest."""
    if name not in NAMES:
        raise ValueError(f"there is no stream {name!r}: {check.did_you_mean(name, NAMES)}")
    return name


def dataset_of(name: str) -> Dataset | None:
    """Return the dataset whose files a stream needs, if any."""
    return FROM_FILES.get("mnist" if name.startswith("mnist") else name)


def is_here(name: str) -> bool:
    """Return True if a stream can be loaded without a download."""
    dataset = dataset_of(name)
    return dataset is None or find_files(dataset) is not None


def mnist_random(
    rng: np.random.Generator, *, rows: int = 62_000, join: str = "maximum", download: bool = True
) -> Stream:
    """Put a random subset of MNIST, in its order, on uniform noise: the paper's RANDOM."""
    digits = subsample(load_stream("mnist", download=download), rows, rng)
    made = backgrounds.on_noise(digits, rng, join=join)
    return replace(made, name="mnist-random", source=f"{digits.source}, on uniform noise", citation=_LAROCHELLE)


def mnist_images(
    rng: np.random.Generator, *, rows: int = 62_000, least_std: int = backgrounds.LEAST_STD, download: bool = True
) -> Stream:
    """Put a random subset of MNIST, in its order, on patches of photographs: IMAGES, with other photographs."""
    pictures, about = backgrounds.photographs()
    digits = subsample(load_stream("mnist", download=download), rows, rng)
    made = backgrounds.on_photographs(digits, pictures, rng, least_std=least_std)
    return replace(made, name="mnist-images", source=f"{digits.source}, on patches of {about}", citation=_LAROCHELLE)


MADE: dict[str, Callable[..., Stream]] = {
    "mnist-random": mnist_random,
    "mnist-images": mnist_images,
    "two-gaussians": synthetic.two_gaussians,
    "demo-2d": synthetic.demo_2d,
    "drifting": synthetic.drifting,
    "sparse-logistic": synthetic.sparse_logistic,
}
NAMES = (*FROM_FILES, *MADE, *BUNDLED)
