"""The Bayesian reading of a flow: the observation that would have moved the belief in the same way.

Conditioning ``N(mean, covariance)`` on a point ``x`` seen with noise covariance ``R`` adds ``R⁻¹`` to the precision
and ``R⁻¹ x`` to the natural parameter (precision times mean). Read backwards, any two beliefs differ by such an
addition: a negative one is a point taken away. Only where the precision changed can it be written as a point.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from bflo_viz._checks import Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.beliefs.full import full_fields
from bflo_viz.flows import norm

B = TypeVar("B", bound=Belief)
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class PseudoObservation:
    """What a flow adds to the precision and to the natural parameter of a belief, and the point that says the same.

    Attributes
    ----------
    precision
        Change of the precision: one number (spherical), one a weight (diagonal) or a matrix (full).
    natural
        Change of the natural parameter, one number a weight.
    x, R
        Value and noise variance of the pseudo-point. Spherical: a point in weight space and one variance. Diagonal:
        one value and one variance a weight. Full: one flow is one *scalar* observation of ``direction @ w``, so both
        are numbers (a change of full rank, such as many flows make together, has a point and a matrix). NaN where no
        point exists: the precision did not change there, or not in enough directions.
    direction
        Full beliefs, change of rank one: what is observed is ``direction @ w``. Otherwise None.
    """

    precision: Any
    natural: Floats
    x: Any
    R: Any
    direction: Floats | None = None

    @property
    def exists(self) -> Any:
        """Whether there is a pseudo-point (for a diagonal belief: one answer a weight)."""
        R = np.asarray(self.R)
        return ~np.isnan(R) if R.ndim == 1 else not np.isnan(R).any()

    @property
    def added(self) -> Any:
        """Whether the point was added: the belief narrowed (for a diagonal belief: one answer a weight)."""
        return self._sign() > 0

    @property
    def removed(self) -> Any:
        """Whether the point was removed, or forgotten: the belief widened."""
        return self._sign() < 0

    def _sign(self) -> Any:
        if np.ndim(self.precision) < 2:
            return np.sign(self.precision)
        if not self.exists:
            return 0.0
        noise = np.linalg.eigvalsh(np.atleast_2d(self.R))
        return 1.0 if noise[0] > 0 else -1.0 if noise[-1] < 0 else 0.0  # 0: added here, removed there


def pseudo_observation(prior: Belief, posterior: Belief) -> PseudoObservation:
    """Observation on which conditioning ``prior`` gives ``posterior``; both of one type, as a flow gives them.

    >>> prior = DiagonalBelief([0.0], [1.0])
    >>> seen = pseudo_observation(prior, prior.flow([1.0], [0.0]))     # the weight was pulled onto the mean
    >>> seen.added.item(), seen.R.round(6).item(), seen.x.round(4).item()
    (True, 1.0, -1.4142)
    """
    if not isinstance(prior, Belief) or type(prior) is not type(posterior) or prior.dim != posterior.dim:
        raise ValueError(
            "prior and posterior must be beliefs of one type and dimension, but they were "
            f"{_describe(prior)} and {_describe(posterior)}."
        )
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        seen = (_full if isinstance(prior, FullBelief) else _by_width)(prior, posterior)
    if not np.isfinite(seen.natural).all() or not np.isfinite(seen.precision).all():
        raise ValueError(
            "prior and posterior must be wide enough for a finite precision, but one has a width below about 1e-154."
        )
    return seen


def _by_width(prior: Any, posterior: Any) -> PseudoObservation:
    s, t = np.asarray(prior.std), np.asarray(posterior.std)
    precision = (s - t) / s * (s + t) / s / t / t  # 1/t² − 1/s², without cancelling
    natural = precision * posterior.mean + (posterior.mean - prior.mean) / s / s
    R = np.where(precision != 0, 1 / np.asarray(precision), np.nan)
    x = R * natural
    if isinstance(prior, SphericalBelief):
        return PseudoObservation(float(precision), natural, x, float(R))
    return PseudoObservation(precision, natural, x, R)


def _full(prior: Any, posterior: Any) -> PseudoObservation:
    # Whitened by the prior, the change of precision is symmetric with one eigenvalue for each direction it acts on.
    ratio = posterior.inverse_factor @ prior.factor
    change = ratio.T @ ratio - np.eye(prior.dim)
    # Rounding of `ratio`, by its terms before they cancel, times its size: what `change` cannot resolve.
    terms = np.abs(posterior.inverse_factor) @ np.abs(prior.factor)
    noise = 64 * prior.dim * _EPS * norm(terms.ravel()) * norm(ratio.ravel())
    values, axes = np.linalg.eigh(change)
    acts = np.abs(values) > noise
    values, axes = values[acts], axes[:, acts]
    # Along each axis k: prior N(m_k, 1), posterior precision 1 + values_k.
    white = prior.inverse_factor @ prior.mean
    shift = prior.inverse_factor @ (posterior.mean - prior.mean)
    natural = prior.inverse_factor.T @ (shift + axes @ (values * (axes.T @ (white + shift))))
    directions = axes.T @ prior.inverse_factor
    precision = (directions.T * values) @ directions
    if len(values) == 1 and norm(shift - axes[:, 0] * (axes[:, 0] @ shift)) <= 1e-6 * norm(shift) + noise:
        x = axes[:, 0] @ (white + shift) + (axes[:, 0] @ shift) / values[0]
        return PseudoObservation(precision, natural, float(x), float(1 / values[0]), directions[0])
    if len(values) == prior.dim:
        R = (prior.factor @ axes / values) @ (prior.factor @ axes).T
        return PseudoObservation(precision, natural, R @ natural, R)
    return PseudoObservation(precision, natural, float("nan"), float("nan"))


def condition(prior: B, observations: PseudoObservation | Iterable[PseudoObservation]) -> B:
    """Condition ``prior`` on pseudo-observations by Bayes' rule: their precisions and natural parameters add up.

    A sequence of flows and conditioning on its pseudo dataset, in any order, give the same belief.
    """
    if not isinstance(prior, Belief):
        raise ValueError(f"prior must be a belief, but it was {_describe(prior)}.")
    seen = list(observations) if isinstance(observations, Iterable) else [observations]
    ndim = {SphericalBelief: 0, DiagonalBelief: 1, FullBelief: 2}[type(prior)]
    for o in seen:
        if not isinstance(o, PseudoObservation):
            raise ValueError(f"observations must be PseudoObservations, but one was {_describe(o)}.")
        if np.ndim(o.precision) != ndim or o.natural.shape != prior.mean.shape:
            raise ValueError(
                f"observations must come from a {_describe(prior)}, but one has {o.natural.size} weights "
                f"and a precision of shape {np.shape(o.precision)}."
            )
    if not seen:
        return prior
    precision = np.sum([o.precision for o in seen], axis=0)
    natural = np.sum([o.natural for o in seen], axis=0)
    fields = (_condition_full if isinstance(prior, FullBelief) else _condition_by_width)(prior, precision, natural)
    if fields is None:
        raise ValueError(
            f"observations must leave a positive precision, but they remove more than the {_describe(prior)} has."
        )
    return prior._moved(**fields)


def _condition_by_width(prior: Any, precision: Any, natural: Floats) -> dict[str, Any] | None:
    variance = np.square(prior.std)
    relative = 1 + precision * variance  # posterior precision over prior precision
    if np.min(relative) <= 0:
        return None
    mean = (prior.mean + natural * variance) / relative
    return {"mean": mean, "std": prior.std / np.sqrt(relative)}


def _condition_full(prior: Any, precision: Floats, natural: Floats) -> dict[str, Any] | None:
    # In coordinates whitened by the prior, where the prior precision is the identity.
    relative = np.eye(prior.dim) + prior.factor.T @ precision @ prior.factor
    try:
        lower = np.linalg.cholesky((relative + relative.T) / 2)
    except np.linalg.LinAlgError:
        return None
    factor = np.linalg.solve(lower, prior.factor.T).T
    white = prior.inverse_factor @ prior.mean + prior.factor.T @ natural
    log_det = prior._log_det - float(np.log(np.diag(lower)).sum())
    mean = factor @ np.linalg.solve(lower, white)
    return full_fields(mean, factor, lower.T @ prior.inverse_factor, log_det)


def _describe(value: Any) -> str:
    name = type(value).__name__
    return f"{name} of {value.dim} weights" if isinstance(value, Belief) else name
