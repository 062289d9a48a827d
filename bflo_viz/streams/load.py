"""Every stream by its name."""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz import _own_code as own_code
from bflo_viz.streams import backgrounds, synthetic
from bflo_viz.streams.datasets import BUNDLED, FROM_FILES, Arrays, ContentError, Dataset, verify
from bflo_viz.streams.preprocessing import some
from bflo_viz.streams.sources import cache_path, find_files, obtain
from bflo_viz.streams.stream import Stream, StreamError, narrow

_LAROCHELLE = (
    "H. Larochelle, D. Erhan, A. Courville, J. Bergstra and Y. Bengio: An empirical evaluation of deep architectures "
    "on problems with many factors of variation (2007); made here from MNIST."
)


def load_stream(
    name: str, *, rng: np.random.Generator | None = None, download: bool = True, **options: Any
) -> Stream:
    """Give a stream by its name.

    The paper's are ``mushroom``, ``covtype``, ``ijcnn``, ``eeg``, ``a9a``, ``mnist``, ``mnist-random`` and
    ``mnist-images``, with the rows as they are in the files: steps such as a bias or a balanced subset are in
    :mod:`bflo_viz.streams.preprocessing`. ``breast-cancer`` and ``digits`` come with scikit-learn.
    ``two-gaussians``, ``demo-2d``, ``drifting`` and ``sparse-logistic`` are made, as are the backgrounds of MNIST.

    Parameters
    ----------
    name
        ``bflo data`` lists them all; ``"module:function"`` is one of your own, with ``rng`` as its first parameter,
        which is called with that and the options, and returns a `Stream`.
    rng
        For those that are made; without it they are those of ``numpy.random.default_rng(0)``.
    download
        Whether files that are neither in the folder of BFLO_DATA nor in the cache folder may be fetched.
    **options
        For those that are made: ``rows`` and what else :mod:`bflo_viz.streams.synthetic` has.

    >>> load_stream("two-gaussians", rows=100)
    <Stream two-gaussians: 100 rows x 2 features, dense float64>
    """
    make = maker(name)
    if make is None:
        if rng is not None or options:
            raise ValueError(
                f"{name} is read as it is: leave out {'rng' if rng is not None else ', '.join(options)}."
            )
        dataset = FROM_FILES.get(name) or BUNDLED[name]
        arrays = _bundled(dataset) if name in BUNDLED else obtain(dataset, may_download=download)
        shared = ("feature_names", "name", "source", "licence", "citation", "maximum", "about")
        described = {field: getattr(dataset, field) for field in shared}
        return Stream(arrays.X, arrays.y, class_names=tuple(dataset.classes), **described)
    check_options(name, options)
    if name in ON_BACKGROUNDS:
        options["download"] = download
    stream = make(np.random.default_rng(0) if rng is None else check.generator(rng), **options)
    if not isinstance(stream, Stream):
        raise ValueError(f"{name} must return a Stream of bflo_viz, but it returned a {type(stream).__name__}.")
    return stream


def checked_name(name: str) -> str:
    """Return ``name`` if it is one of `NAMES`; for a mistyped one, an error names the nearest."""
    if name not in NAMES:
        raise ValueError(f"there is no stream {name!r}: {check.did_you_mean(name, NAMES)}")
    return name


def maker(name: str) -> Callable[..., Stream] | None:
    """What makes a stream: one of ours, or a ``"module:function"``; None for one that is read from files."""
    if ":" not in str(name):
        return MADE.get(checked_name(name))
    function: Callable[..., Stream] = own_code.load_code("stream", name)
    # It is looked at before it is called, as a protocol may name anything.
    if not inspect.isfunction(function) or next(iter(inspect.signature(function).parameters), "") != "rng":
        raise ValueError(f"the stream {name!r} must be a Python function with rng as its first parameter.")
    return function


def check_options(name: str, options: Iterable[str]) -> None:
    """Refuse an option that a stream does not have; those that are read from files have none."""
    make = maker(name)
    parameters = inspect.signature(make).parameters if make else ()
    allowed = [option for option in parameters if option not in ("rng", "download")]
    for option in options:
        if option not in allowed:
            raise ValueError(f"{name} has no option {option!r}: it has {', '.join(allowed) or 'none'}.")


def dataset_of(name: str) -> Dataset | None:
    """The dataset whose files a stream needs, if it needs any."""
    return FROM_FILES.get("mnist" if name in ON_BACKGROUNDS else name)


def is_here(name: str) -> bool:
    """Whether a stream can be loaded with no download."""
    dataset = dataset_of(name)
    return dataset is None or cache_path(dataset).is_file() or find_files(dataset) is not None


def mnist_random(
    rng: np.random.Generator, *, rows: int = 62_000, join: str = "maximum", download: bool = True
) -> Stream:
    """RANDOM: so many of the 70,000 digits of MNIST, in their order, on uniform noise."""
    digits = some(load_stream("mnist", download=download), rows, rng)
    return _on_background("mnist-random", backgrounds.on_noise(digits, rng, join=join), "uniform noise")


def mnist_images(
    rng: np.random.Generator,
    *,
    rows: int = 62_000,
    join: str = "maximum",
    least_std: int = backgrounds.LEAST_STD,
    download: bool = True,
) -> Stream:
    """IMAGES: so many of the 70,000 digits of MNIST, in their order, on patches of grey photographs.

    The photographs are not those of the paper; ``source`` says which ones they are. Patches whose pixels deviate by
    less than ``least_std`` grey levels are drawn again.
    """
    pictures, what = backgrounds.photographs()
    digits = some(load_stream("mnist", download=download), rows, rng)
    made = backgrounds.on_photographs(digits, pictures, rng, join=join, least_std=least_std)
    return _on_background("mnist-images", made, f"patches of {what}")


def _on_background(name: str, digits: Stream, background: str) -> Stream:
    return replace(digits, name=name, source=f"{digits.source}, on {background}", citation=_LAROCHELLE)


def _bundled(dataset: Dataset) -> Arrays:
    try:
        from sklearn import datasets
    except ImportError:
        raise StreamError(f"{dataset.name} comes with scikit-learn: pip install it, and try again.") from None
    X, y = getattr(datasets, f"load_{dataset.name.replace('-', '_')}")(return_X_y=True)
    arrays = Arrays(narrow(X, dataset.dtype), narrow(y, np.uint8))
    try:
        verify(dataset, arrays)
    except ContentError as problem:
        raise StreamError(f"{dataset.name} of this scikit-learn is not as expected: {problem}.") from None
    return arrays


ON_BACKGROUNDS: dict[str, Callable[..., Stream]] = {"mnist-random": mnist_random, "mnist-images": mnist_images}
MADE: dict[str, Callable[..., Stream]] = {
    **ON_BACKGROUNDS,
    "two-gaussians": synthetic.two_gaussians,
    "demo-2d": synthetic.demo_2d,
    "drifting": synthetic.drifting,
    "sparse-logistic": synthetic.sparse_logistic,
}
NAMES = (*FROM_FILES, *ON_BACKGROUNDS, *BUNDLED, *(name for name in MADE if name not in ON_BACKGROUNDS))
