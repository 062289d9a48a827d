"""Three ways to learn from one stream: a point that descends, a posterior that is filtered, a belief that flows.

Beside them is what the belief stands for: an ensemble of which every weight descends by itself (Figure 1).
"""

import functools
import math
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief
from bflo_viz.figures import palette
from bflo_viz.figures.marks import covariance_ellipse, halo, isotropic, number, write_beside
from bflo_viz.figures.style import COLUMN, figure, panels
from bflo_viz.learners import BeliefFlow, Recorder, Round

FLOWS = ("full", "diagonal", "spherical")
STD, ENSEMBLE = 1.2, 60  # width of the prior, and the number of weights of an ensemble
REACH = 50.0  # no step leads further than this from 0 along any weight: what diverges stays a number
DISTANCES = (0.25, *(0.5 * k for k in range(1, 13)))  # of the lines of equal loss
TOO_SURE = 3.0  # standard deviations between a belief and the optimum from which on it is called too sure
TINY = 1e-280  # no variance is taken for less than this, where it divides
_SIGMAS = 2.0  # of the ellipses


class Moments(NamedTuple):
    """Means and covariances of Gaussians, before the first example and after each."""

    mean: Floats  # (rounds + 1, 2)
    covariance: Floats  # (rounds + 1, 2, 2)


@dataclass(frozen=True, eq=False)
class Surface:
    """The loss of linear regression: an example is ``(x, y)`` with ``y = optimum @ x`` and noise."""

    optimum: Floats  # the lowest point
    factor: NDArray[np.floating]  # the lower triangle that turns normal numbers into inputs
    low: tuple[float, float]  # corners of the part that is shown
    high: tuple[float, float]
    noise: float = 0.7  # standard deviation of y
    eta: float = 0.1  # learning rate of gradient descent and of the belief flow

    def numbers(self) -> dict[str, Any]:
        """Return its numbers for a page."""
        return {name: np.asarray(value).tolist() for name, value in vars(self).items()}

    def stream(self, normals: Floats) -> Floats:
        """Return examples as rows (x₁, x₂, y)."""
        X = normals[:, :2] @ self.factor.T
        return np.column_stack([X, X @ self.optimum + self.noise * normals[:, 2]])

    def step(self, w: Floats, example: Floats) -> Floats:
        """Return where a gradient step on ½ (w @ x − y)² takes each of the weights, shape (..., 2)."""
        x, y = example[:2], example[2]
        return np.asarray(np.clip(w - self.eta * np.multiply.outer(w @ x - y, x), -REACH, REACH))

    def away(self, w: Floats) -> Floats:
        """Return the distance of weights, shape (..., 2), from the optimum."""
        return np.asarray(np.linalg.norm(w - self.optimum, axis=-1))

    def distance(self, w: Floats) -> Floats:
        """Return the distance in which the expected loss is ½ distance², up to the noise."""
        return np.asarray(np.linalg.norm((w - self.optimum) @ self.factor, axis=-1))

    def filter(self, examples: Floats, std: float) -> Moments:
        """Return the posteriors by Bayes' rule, to which every example adds its precision."""
        X, y = examples[:, :2], examples[:, 2]
        gains = np.cumsum(np.einsum("ni,nj->nij", X, X), axis=0) / self.noise**2
        natural = np.cumsum(X * y[:, None], axis=0) / self.noise**2
        covariance = np.linalg.inv(np.eye(2) / std**2 + np.concatenate([np.zeros((1, 2, 2)), gains]))
        mean = np.vstack([np.zeros(2), np.einsum("nij,nj->ni", covariance[1:], natural)])
        return Moments(mean, covariance)


_ALONG = np.array([math.cos(math.radians(25)), math.sin(math.radians(25))])  # the bottom of the ravine
SURFACES = {
    "convex": Surface(
        optimum=np.array([2.9, -2.0]),
        factor=np.linalg.cholesky([[1.0, 0.3], [0.3, 0.6]]),
        low=(-3.2, -4.0),
        high=(4.8, 3.2),
    ),
    "ravine": Surface(
        optimum=np.array([1.9, 2.6]),
        factor=np.linalg.cholesky(1.5 * np.eye(2) - 1.45 * np.outer(_ALONG, _ALONG)),  # 30 times as steep across
        low=(-3.6, -3.2),
        high=(4.4, 4.0),
    ),
}


@dataclass(frozen=True, eq=False)
class Dynamics:
    """Three learners on the same examples; every trace begins with round 0, before any example."""

    surface: Surface
    examples: Floats
    points: Floats  # weights of stochastic gradient descent, which begins at one draw of the prior
    bayes: Moments  # of the posteriors by Bayes' rule
    beliefs: tuple[Belief, ...]  # of the belief flow
    sampled: Floats  # its sampled weight in each round
    moved: Floats  # where the step of the round took it
    clouds: Floats  # (rounds + 1, size, 2): an ensemble with the moments of the belief, carried along by the flow
    ensembles: Floats  # of the same shape: it begins like the other, and every weight takes its own gradient steps

    @property
    def moments(self) -> Moments:
        """Moments of the beliefs."""
        return Moments(*(np.array([getattr(b, part) for b in self.beliefs]) for part in Moments._fields))

    @functools.cached_property
    def facts(self) -> dict[str, Floats]:
        """Numbers after each round, by learner ("sgd", "ensemble", "bayes", "flow") and name, such as "flow_far".

        "away" is the distance from the optimum, of a point, of a mean, or of the weights of an ensemble on average;
        "far" is how many standard deviations of a belief lie between its mean and the optimum.
        """
        surface, moments = self.surface, self.moments
        return {
            "sgd_away": surface.away(self.points),
            "ensemble_away": surface.away(self.ensembles).mean(axis=1),
            "bayes_away": surface.away(self.bayes.mean),
            "flow_away": surface.away(moments.mean),
            "bayes_far": _far(surface.optimum, self.bayes),
            "flow_far": _far(surface.optimum, moments),
        }


def dynamics(
    rng: RNG,
    surface: str = "convex",
    *,
    rounds: int = 300,
    eta: float | None = None,
    std: float = STD,
    flow: str = "full",
    truth: str = "given",
    optimum: tuple[float, float] | None = None,
) -> Dynamics:
    """Let gradient descent, Bayes' rule and a belief flow learn from one stream of examples.

    ``surface`` is one of `SURFACES`, and ``eta`` replaces its learning rate. Descent begins at a draw of the prior
    N(0, std²), the others with all of it. ``flow`` is the type of the belief. The optimum is that of the surface, or
    with ``truth="drawn"`` it is drawn from the prior; ``optimum`` puts it elsewhere. Equal generators give all
    surfaces the same random numbers, and more rounds begin with the same ones. Drawn are, in this order:

    1. a uniform number ``u``: ``RandomState(int(2**32 * u))`` gives what the flow draws, two normal numbers a round;
    2. two normal numbers that are the optimum, times ``std``, if it is drawn;
    3. two normal numbers that are the start of descent, times ``std``;
    4. two normal numbers for each weight of the ensemble;
    5. three normal numbers for each example.
    """
    chosen = SURFACES[check.choice("surface", surface, tuple(SURFACES))]
    prior = isotropic(check.choice("flow", flow, FLOWS), np.zeros(2), check.positive_number("std", std))
    own = np.random.RandomState(int(2**32 * check.generator(rng).random()))
    drawn, start, cloud = (std * rng.standard_normal((size, 2)) for size in (1, 1, ENSEMBLE))
    if check.choice("truth", truth, ("given", "drawn")) == "drawn":
        chosen = replace(chosen, optimum=drawn[0])
    if optimum is not None:
        chosen = replace(chosen, optimum=np.array(optimum, dtype=np.float64))
    if eta is not None:
        chosen = replace(chosen, eta=check.scalar("eta", eta, least=0.0))
    examples = chosen.stream(rng.standard_normal((check.positive_int("rounds", rounds), 3)))
    standard, newest, recorder = _standard(cloud), iter(examples), Recorder()
    # The surface tells each sampled weight where to go by the newest example: the model is not asked.
    learner = BeliefFlow(prior, local_flow=lambda w, gradient: chosen.step(w, next(newest)))
    learner.run(np.ones((rounds, 2)), np.ones(rounds, dtype=np.int64), own, callback=recorder)
    return Dynamics(
        surface=chosen,
        examples=examples,
        points=np.array(list(accumulate(examples, chosen.step, initial=start[0]))),
        bayes=chosen.filter(examples, std),
        beliefs=recorder.beliefs,
        sampled=recorder.weights,
        moved=recorder.moved,
        clouds=_carried(recorder.beliefs, standard, np.cumsum([0.0, *map(_turn, recorder)])),
        ensembles=np.array(list(accumulate(examples, chosen.step, initial=std * standard))),
    )


def _turn(done: Round) -> float:
    """Return the angle by which a round turned the ensemble that the flow carries, in whitened coordinates."""
    before = done.belief_before
    if before is None or isinstance(before, DiagonalBelief):
        return 0.0
    whiten = before.inverse_factor if isinstance(before, FullBelief) else np.eye(2)
    u, v = (whiten @ (w - before.mean) for w in (done.weights, done.moved))
    return math.atan2(u[0] * v[1] - u[1] * v[0], u @ v)


def _carried(beliefs: tuple[Belief, ...], standard: Floats, turns: Floats) -> Floats:
    """Return an ensemble after each round: the flow turns it in whitened coordinates, and the belief moves it."""
    cosines, sines = np.cos(turns), np.sin(turns)
    turned = standard @ np.array([[cosines, sines], [-sines, cosines]]).transpose(2, 0, 1)
    return np.array([belief.weight(z) for belief, z in zip(beliefs, turned, strict=True)])


def _far(optimum: Floats, of: Moments) -> Floats:
    """Return how many standard deviations of each Gaussian the optimum is from its mean."""
    variances, turns = np.linalg.eigh(of.covariance)
    offsets = np.einsum("ni,nij->nj", optimum - of.mean, turns)
    return np.asarray(np.linalg.norm(offsets / np.sqrt(np.maximum(TINY, variances)), axis=1))


def _standard(points: Floats) -> Floats:
    """Return points moved and stretched so that their mean is exactly 0 and their covariance (over n) exactly I."""
    points = points - points.mean(axis=0)
    factor = np.linalg.cholesky(points.T @ points / len(points))
    return np.asarray(np.linalg.solve(factor, points.T).T)


@figure("Three ways to learn: a point, a posterior, an ensemble (Fig. 1)")
def draw_dynamics(found: Dynamics | None = None) -> tuple[Figure, str]:
    """Draw what three learners have done in the end, and on the way a belief or two, dashed and named."""
    found = found or dynamics(np.random.default_rng(0), rounds=40)
    picture, (point, posterior, ensemble) = panels(1, 3, (COLUMN, 2.9), sharey=True)
    corners, last = (found.surface.low, found.surface.high), len(found.examples)
    grid = np.stack(np.meshgrid(*np.linspace(*corners, 81).T, indexing="ij"), axis=-1)
    for ax, title in ((point, "SGD:\na point moves"), (posterior, "Bayes' rule:\na posterior sharpens")):
        _draw_surface(ax, found.surface, grid, title)
    _draw_surface(ensemble, found.surface, grid, "Belief flow:\nan ensemble is carried")
    _draw_path(point, found.points)
    point.plot(*found.points[-1], "o", color=palette.INK, zorder=4, label="now")
    write_beside(point, "start", found.points[0], np.array([0.0, 1.0]), fontsize="small")
    write_beside(point, "optimum", found.surface.optimum, np.array([0.0, -1.0]), fontsize="small")
    _draw_path(posterior, found.bayes.mean)
    _draw_ellipse(posterior, found.beliefs[0].mean, found.beliefs[0].covariance, "prior")
    for n in (2, last):
        _draw_ellipse(posterior, found.bayes.mean[n], found.bayes.covariance[n], f"round {n}")
    means, covariances = found.moments
    _draw_path(ensemble, means)
    small = 0.4 * rcParams["lines.markersize"]
    ensemble.plot(*found.clouds[-1].T, "o", ms=small, color=palette.POSTERIOR, zorder=2, label="ensemble")
    _draw_ellipse(ensemble, means[0], covariances[0], "prior")
    _draw_ellipse(ensemble, means[-1], covariances[-1], f"round {last}")
    point.set_ylabel("second weight")
    sgd, bayes, flow = (number(found.facts[f"{who}_away"][-1], 2) for who in ("sgd", "bayes", "flow"))
    return picture, (
        f"After {last} examples SGD is a point {sgd} away from the optimum, Bayes' rule a sharp posterior {bayes} "
        f"away, and the belief flow carries a wide ensemble whose mean is {flow} away."
    )


def _draw_surface(ax: Axes, surface: Surface, grid: Floats, title: str) -> None:
    thin = 0.4 * rcParams["lines.linewidth"]
    ax.contour(*grid.T, surface.distance(grid).T, DISTANCES[1:], colors=palette.FAINT, linewidths=thin, zorder=0)
    rim = halo(2 * rcParams["lines.linewidth"])  # to be seen on a path of its colour
    size = 2 * rcParams["lines.markersize"]
    ax.plot(*surface.optimum, "+", color=palette.INK, ms=size, zorder=5, label="optimum", path_effects=rim)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MultipleLocator(2))
    ax.set(xlim=grid[[0, -1], 0, 0], ylim=grid[0, [0, -1], 1], aspect="equal", xlabel="first weight", title=title)


def _draw_path(ax: Axes, path: Floats) -> None:
    """Draw the path of a point or a mean, and where it began."""
    ax.plot(*path.T, color=palette.INK, lw=0.6 * rcParams["lines.linewidth"], zorder=3.5, label="path")
    ax.plot(*path[0], "o", color=palette.INK, mfc="white", zorder=4, label="start")


def _draw_ellipse(ax: Axes, mean: Floats, covariance: Floats, name: str) -> None:
    """Draw a named belief: the prior as an outline, a last one filled, one on the way dashed."""
    color, on_the_way = palette.PRIOR if name == "prior" else palette.POSTERIOR, name == "round 2"
    fill = (color, 0.0 if on_the_way or name == "prior" else 0.25)
    look: dict[str, Any] = {"ec": color, "fc": fill, "ls": "--" if on_the_way else "-", "zorder": 3, "label": name}
    covariance_ellipse(ax, mean, covariance, _SIGMAS, **look)
    towards = np.array([-0.6, 0.8] if name == "prior" else [-0.5, -1.0] if on_the_way else [0.0, 1.0])
    reach = covariance @ towards
    write_beside(ax, name, mean + _SIGMAS * reach / np.sqrt(towards @ reach), towards, color=color, fontsize="small")
