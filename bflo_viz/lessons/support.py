"""Small helpers of the notebooks: a check of the installation, a bar for what takes long, a student's own learner."""

from collections.abc import Callable, Iterable
from importlib.util import find_spec
from typing import Any

import numpy as np
from IPython.core.getipython import get_ipython
from IPython.display import display
from tqdm.notebook import tqdm

from bflo_viz._checks import Floats
from bflo_viz.lessons.exercise import Text, check

# Each part that a lesson needs, and what is lost without it.
PARTS = {
    "numpy": "the mathematics",
    "scipy": "sparse rows",
    "matplotlib": "the figures",
    "anywidget": "the explorers",
    "numba": "speed: without it, learning is about forty times slower",
    "sklearn": "the classifier and two real datasets",
}


def ready() -> Text:
    """Say whether everything is installed, and if not, what is lost and how to install it."""
    missing = [name for name in PARTS if find_spec(name) is None]
    if not missing:
        return Text("✓ Everything is installed.")
    lost = "\n".join(f"✗ {name} is missing ({PARTS[name]})." for name in missing)
    packages = " ".join(name.replace("sklearn", "scikit-learn") for name in missing)
    return Text(f"{lost}\nRun  %pip install {packages}  in a cell, then restart the kernel.")


class progress(tqdm):  # type: ignore[misc]  # noqa: N801  (used like range)
    """Show a bar while a loop goes on; it disappears at the end.

    >>> sum(k for k in progress([1, 2, 3], "adding"))
    6
    """

    monitor_interval = 0  # no thread of its own, which a Python inside a browser could not start

    def __init__(self, over: Iterable[Any], what: str = "") -> None:
        super().__init__(over, desc=what, leave=False, display=False, disable=get_ipython() is None)
        if not self.disable:  # only the view is shown, so that a stored notebook keeps no words of it
            view = {"version_major": 2, "version_minor": 0, "model_id": self.container.model_id}
            display({"application/vnd.jupyter.widget-view+json": view}, raw=True)  # type: ignore[no-untyped-call]


class OwnFlow:
    """Digits read by a student's ``read_digit`` of exercise 7.3; by the reference solution until it is right."""

    def __init__(
        self, read_digit: Callable[..., Any], *, shape: tuple[int, int], std: float, eta: float, min_std: float
    ) -> None:
        from bflo_viz.lessons.lesson_07 import read_digit as exercise

        yours = check.read_digit(read_digit).right
        print("Your learner runs here." if yours else "Ours runs here until exercise 7.3 is right.")
        self.read_digit = read_digit if yours else exercise.right
        self.mean, self.std, self.eta, self.min_std = np.zeros(shape), np.full(shape, std), eta, min_std

    def learn(self, X: Floats, y: Iterable[int], rng: np.random.Generator) -> float:
        """Go once through the examples; return the share that was predicted wrongly on the way."""
        wrong = []
        for x, digit in zip(X, y, strict=True):
            z = rng.normal(size=self.mean.shape)
            said, self.mean, std = self.read_digit(self.mean, self.std, x, int(digit), z, self.eta)
            self.std = np.maximum(std, self.min_std)
            wrong.append(said != digit)
        return float(np.mean(wrong))

    def predict(self, X: Floats) -> Floats:
        """Return for each row the digit whose mean has the largest product with it."""
        return np.argmax(X @ self.mean.T, axis=1)
