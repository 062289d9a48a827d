"""Every stream by its name."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz.streams import backgrounds, synthetic
from bflo_viz.streams.datasets import BUNDLED, FROM_FILES, Dataset, find_files, load_arrays
from bflo_viz.streams.preprocessing import subsample
from bflo_viz.streams.stream import Stream


def load_stream(name: str, *, rng: np.random.Generator | None = None, **options: Any) -> Stream:
    """Return a stream by its name.

    The paper's are ``mushroom``, ``covtype``, ``ijcnn``, ``eeg``, ``a9a``, ``mnist``, ``mnist-random`` and
    ``mnist-images``; their rows are those of the files, and :mod:`bflo_viz.streams.preprocessing` prepares them.
    ``breast-cancer`` and ``digits`` come with scikit-learn; ``two-gaussians``, ``demo-2d``, ``drifting`` and
    ``sparse-logistic`` are synthetic. Streams that are drawn have options such as ``rows``, and
    ``numpy.random.default_rng(0)`` draws them if there is no ``rng``.

    >>> load_stream("two-gaussians", rows=100)
    <Stream two-gaussians: 100 rows x 2 features, dense float64>
    """
    if checked_name(name) in MADE:
        return MADE[name](np.random.default_rng(0) if rng is None else check.generator(rng), **options)
    if options or rng is not None:
        raise ValueError(f"{name} is read as it is, so it has no option {next(iter(options), 'rng')!r}.")
    dataset = FROM_FILES.get(name) or BUNDLED[name]
    X, y = load_arrays(dataset)
    return Stream(X, y, tuple(dataset.classes), name, maximum=dataset.maximum)


def checked_name(name: str) -> str:
    """Return ``name`` if it is one of `NAMES`; for a mistyped one, an error names the nearest."""
    if name not in NAMES:
        raise ValueError(f"there is no stream {name!r}: {check.did_you_mean(name, NAMES)}")
    return name


def dataset_of(name: str) -> Dataset | None:
    """Return the dataset whose files a stream needs, if any."""
    return FROM_FILES.get("mnist" if name in ("mnist-random", "mnist-images") else name)


def is_here(name: str) -> bool:
    """Return True if a stream can be loaded without a download."""
    dataset = dataset_of(name)
    return dataset is None or find_files(dataset) is not None


def mnist_random(rng: np.random.Generator, *, rows: int = 62_000) -> Stream:
    """Put a random subset of MNIST, in its order, on uniform noise: the paper's RANDOM."""
    digits = subsample(load_stream("mnist"), rows, rng)
    return replace(backgrounds.on_noise(digits, rng), name="mnist-random")


def mnist_images(rng: np.random.Generator, *, rows: int = 62_000, least_std: int = 10) -> Stream:
    """Put a random subset of MNIST, in its order, on patches of photographs: IMAGES, with other photographs."""
    pictures = backgrounds.photographs()[0]
    digits = subsample(load_stream("mnist"), rows, rng)
    return replace(backgrounds.on_photographs(digits, pictures, rng, least_std=least_std), name="mnist-images")


MADE: dict[str, Callable[..., Stream]] = {
    "mnist-random": mnist_random,
    "mnist-images": mnist_images,
    "two-gaussians": synthetic.two_gaussians,
    "demo-2d": synthetic.demo_2d,
    "drifting": synthetic.drifting,
    "sparse-logistic": synthetic.sparse_logistic,
}
NAMES = (*FROM_FILES, *MADE, *BUNDLED)
