"""Random beliefs, the moves of one of their weights, and the options of a flow."""

from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from bflo_viz import DiagonalBelief, FullBelief, SphericalBelief

KINDS = (SphericalBelief, DiagonalBelief, FullBelief)
WAYS = ("anywhere", "a small step", "towards", "away", "across", "sparse", "still", "onto the mean", "from the mean")


class Move(NamedTuple):
    """A belief, a weight it could have sampled, where that weight went, and the size of an error that is rounding."""

    belief: Any
    w: NDArray[np.float64]
    w_new: NDArray[np.float64]
    unit: NDArray[np.float64]


def make_belief(kind: type, mean: NDArray[np.float64], std: NDArray[np.float64], correlation: Any) -> Any:
    """Belief of one of the three types out of the same numbers."""
    if kind is SphericalBelief:
        return SphericalBelief(mean, std[0])
    if kind is DiagonalBelief:
        return DiagonalBelief(mean, std)
    return FullBelief(mean, correlation * np.outer(std, std))


def factor_of(belief: Any) -> NDArray[np.float64]:
    """A matrix S with S Sᵀ the covariance, as the belief has it."""
    return belief.factor if isinstance(belief, FullBelief) else np.diag(np.broadcast_to(belief.std, belief.dim))


def random_correlation(dim: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Correlation matrix that is neither trivial nor close to singular."""
    root = rng.normal(size=(dim, dim))
    matrix = root @ root.T + 0.5 * np.eye(dim)
    scale = np.sqrt(np.diag(matrix))
    return matrix / np.outer(scale, scale)


def some_belief(kind: type, dim: int = 3, seed: int = 0) -> Any:
    """Belief of the given type with nothing special about it."""
    rng = np.random.default_rng(seed)
    return make_belief(kind, rng.normal(size=dim), rng.uniform(0.5, 2, dim), random_correlation(dim, rng))


def assert_same_belief(left: Any, right: Any) -> None:
    """Two beliefs have the same type and the same numbers, to the bit."""
    assert type(left) is type(right)
    assert vars(left).keys() == vars(right).keys()
    for name, value in vars(left).items():
        assert np.array_equal(value, vars(right)[name]), name


@st.composite
def moves(
    draw: Any, kinds: tuple[type, ...] = KINDS, dims: Any = (1, 6), decades: float = 6, ways: Any = WAYS
) -> Move:
    """Belief of any type whose standard deviations spread over ``decades`` up and down, and one weight's move."""
    kind, dim, way = draw(st.sampled_from(kinds)), draw(st.integers(*dims)), draw(st.sampled_from(ways))
    radius, factor = draw(st.sampled_from((0.01, 1.0, 4.0, 30.0))), draw(st.floats(0.01, 0.99))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    std = 10 ** rng.uniform(-decades, decades, dim)
    if kind is SphericalBelief:
        std[:] = std[0]
    mean = std * rng.normal(size=dim) * draw(st.sampled_from((0.0, 1.0, 100.0)))
    correlation = random_correlation(dim, rng)
    root = np.linalg.cholesky(correlation) if kind is FullBelief else np.eye(dim)
    z, other = radius * rng.normal(size=dim), radius * rng.normal(size=dim)
    z_new = {
        "anywhere": other,
        "a small step": z + 1e-3 * other,
        "towards": factor * z,
        "away": z / factor,
        "across": -z / factor,
    }.get(way, z)
    w, w_new = mean + std * (root @ z), mean + std * (root @ z_new)
    if way == "sparse":
        w_new = np.where(rng.random(dim) < 0.5, w, w + std * other)
    elif way == "onto the mean":
        w_new = mean.copy()
    elif way == "from the mean":
        w = mean.copy()
    reach = 1 + np.abs((w - mean) / std).max() + np.abs((w_new - mean) / std).max() + np.abs(mean / std).max()
    return Move(make_belief(kind, mean, std, correlation), w, w_new, std * reach)


@st.composite
def moves_with_options(draw: Any, **limits: Any) -> tuple[Move, dict[str, Any]]:
    """Draw a move, and the options that `flow`, `transport` and `affine_map` of its belief have in common."""
    move = draw(moves(**limits))
    chosen = {"branch": draw(st.sampled_from((1, -1))), "non_expansive": draw(st.booleans())}
    if isinstance(move.belief, SphericalBelief):
        chosen["rule"] = draw(st.sampled_from(("printed", "exact")))
    return move, chosen
