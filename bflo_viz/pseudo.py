"""The Bayesian reading of a flow: the observation that would have moved the belief in the same way (section 3.3).

Conditioning a Gaussian on a point ``x`` seen with noise covariance ``R`` adds ``R⁻¹`` to its precision and ``R⁻¹ x``
to its natural parameter, precision times mean. Read backwards, any two beliefs differ by such an addition, and a
negative one is a point taken away. Only where the precision changed can it be written as a point.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import NARROWEST, Belief, FullBelief, SphericalBelief


@dataclass(frozen=True, eq=False)
class PseudoObservation:
    """Change of the precision and of the natural parameter of a belief, and the point that says the same.

    ``precision`` is one number (spherical), one per weight (diagonal) or a matrix (full). ``x`` and ``R`` are value
    and noise variance of the pseudo-point, NaN where there is none: a point in weight space and one variance
    (spherical), or one of each per weight (diagonal). One flow of a full belief is one *scalar* observation, that of
    ``direction @ w``, so both are numbers; a change of full rank has a point and a matrix, and no direction.
    """

    precision: Any
    natural: Floats
    x: Any
    R: Any
    direction: Floats | None = None

    @property
    def exists(self) -> Any:
        """True if there is a pseudo-point (for a diagonal belief: one answer per weight)."""
        R = np.asarray(self.R)
        return ~np.isnan(R) if R.ndim == 1 else not np.isnan(R).any()

    @property
    def added(self) -> Any:
        """True if the point was added, so that the belief narrowed (for a diagonal belief: one answer per weight)."""
        return self._sign() > 0

    @property
    def removed(self) -> Any:
        """True if the point was removed, so that the belief widened."""
        return self._sign() < 0

    def _sign(self) -> Any:
        if np.ndim(self.precision) < 2:
            return np.sign(self.precision)
        R = np.linalg.eigvalsh(np.atleast_2d(self.R)) if self.exists else np.zeros(1)
        return float((R > 0).all()) - float((R < 0).all())  # 0: added in one direction, removed in another


def pseudo_observation(prior: Belief, posterior: Belief) -> PseudoObservation:
    """Return the observation on which conditioning ``prior`` gives ``posterior``, a belief of the same type.

    >>> from bflo_viz import DiagonalBelief
    >>> prior = DiagonalBelief([0.0], [1.0])
    >>> seen = pseudo_observation(prior, prior.flow([1.0], [0.0]))     # the weight was pulled onto the mean
    >>> seen.added.item(), seen.R.round(6).item(), seen.x.round(4).item()
    (True, 1.0, -1.4142)
    """
    if not isinstance(prior, Belief) or type(prior) is not type(posterior) or prior.dim != posterior.dim:
        raise ValueError(f"posterior must be of the prior's type and size, but it was {check.short(posterior)}.")
    if min(np.min(prior.std), np.min(posterior.std)) < NARROWEST:
        raise ValueError(f"prior and posterior must be wider than {NARROWEST:g} for a finite precision.")
    if isinstance(prior, FullBelief):
        return _full(prior, posterior)
    s, t = np.asarray(prior.std), np.asarray(posterior.std)
    precision = (s - t) / s * (s + t) / s / t / t  # 1/t² − 1/s², without cancelling
    natural = precision * posterior.mean + (posterior.mean - prior.mean) / s / s
    R = np.divide(1.0, precision, out=np.full_like(precision, np.nan), where=precision != 0)
    if isinstance(prior, SphericalBelief):
        return PseudoObservation(float(precision), natural, R * natural, float(R))
    return PseudoObservation(precision, natural, R * natural, R)


def _full(prior: FullBelief, posterior: Any) -> PseudoObservation:
    # Whitened by the prior, the change of precision is symmetric, with one eigenvalue per direction on which it acts.
    S, T = prior.factor, prior.inverse_factor
    ratio = posterior.inverse_factor @ S
    values, axes = np.linalg.eigh(ratio.T @ ratio - np.eye(prior.dim))
    # Rounding leaves this much of a direction without any change, by the terms of `ratio` before they cancelled.
    terms = np.linalg.norm(np.abs(posterior.inverse_factor) @ np.abs(S))
    noise = 64 * prior.dim * np.finfo(np.float64).eps * terms * np.linalg.norm(ratio)
    values, axes = values[np.abs(values) > noise], axes[:, np.abs(values) > noise]
    # Along each axis k: prior N(m_k, 1), posterior precision 1 + values_k.
    shift, directions = T @ (posterior.mean - prior.mean), axes.T @ T
    mean = T @ prior.mean + shift
    natural = T.T @ (shift + axes @ (values * (axes.T @ mean)))
    precision = (directions.T * values) @ directions
    elsewhere = np.linalg.norm(shift - axes @ (axes.T @ shift))
    if len(values) == 1 and elsewhere <= 1e-6 * np.linalg.norm(shift) + noise:
        x = axes.T @ mean + axes.T @ shift / values
        return PseudoObservation(precision, natural, x.item(), 1 / values.item(), directions[0])
    if len(values) == prior.dim:
        R = (S @ axes / values) @ (S @ axes).T
        return PseudoObservation(precision, natural, R @ natural, R)
    return PseudoObservation(precision, natural, np.nan, np.nan)


def condition(prior: Any, observations: PseudoObservation | Iterable[PseudoObservation]) -> Any:
    """Condition ``prior`` on pseudo-observations by Bayes' rule: their precisions and natural parameters add up.

    A sequence of flows and conditioning on its pseudo dataset, in any order, give the same belief.
    """
    seen = [observations] if isinstance(observations, PseudoObservation) else list(observations)
    if not all(isinstance(one, PseudoObservation) for one in seen):
        raise ValueError(f"observations must all be PseudoObservations, but they were {check.short(seen)}.")
    if not seen:
        return prior
    precision, natural = (np.sum([getattr(o, name) for o in seen], axis=0) for name in ("precision", "natural"))
    # The posterior precision in coordinates whitened by the prior, where the prior's is the identity
    if isinstance(prior, FullBelief):
        S, T = prior.factor, prior.inverse_factor
        relative, axes = np.linalg.eigh(np.eye(prior.dim) + S.T @ precision @ S)
    else:
        relative = 1 + precision * np.square(prior.std)
    if not np.min(relative) > 0:
        raise ValueError("observations must leave a positive precision, but they remove more than there is.")
    root = np.sqrt(relative)
    if not isinstance(prior, FullBelief):
        return prior.moved(mean=(prior.mean + natural * prior.std**2) / relative, std=prior.std / root)
    factor, inverse = S @ (axes / root), (axes * root).T @ T
    mean = factor @ (factor.T @ (T.T @ (T @ prior.mean) + natural))
    return prior.moved(mean=mean, factor=factor, inverse_factor=inverse)
