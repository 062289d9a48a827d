"""One weight: what an update makes of a normal belief, what it costs, and how that depends on the step."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import DiagonalBelief
from bflo_viz.flows import Regime, regime, stretch, stretch_kl
from bflo_viz.scenes.base import Scene, minus


class Minimum(NamedTuple):
    """Lowest point of the KL landscape: its stretch and its KL in nats."""

    stretch: float
    kl: float


def _lowest(u: float, v: float, branch: int = 1) -> Minimum:
    a = stretch(u, v, branch=branch)
    return Minimum(a, stretch_kl(a, u, v))


KINDS = ("diagonal", "spherical")
# Titles of panels, in figures and in the page.
BELIEFS = "{regime}: the belief {verb}"
LANDSCAPE = "Stretch a = {a} costs {kl} nats"
_MOVES = {Regime.CONTRACTING: "nears", Regime.CROSSING: "crosses", Regime.EXPANDING: "moves away"}


@dataclass(frozen=True, eq=False)
class LandscapePanel:
    """KL (nats) by stretch for one pair (u, v), the two terms it is the sum of, and the lowest point of each side."""

    u: float
    v: float
    stretch: Floats
    mean_term: Floats
    width_term: Floats
    kl: Floats
    picked: Minimum
    reflected: Minimum
    regime: Regime


@dataclass(frozen=True, eq=False)
class LandscapeScene(Scene):
    """A landscape for each pair, over the same stretches."""

    panels: tuple[LandscapePanel, ...]

    def _words(self) -> str:
        each = (
            f"""With u = {short(panel.u)} and v = {short(panel.v)} ({panel.regime}) the update picks
            a = {short(panel.picked.stretch)} at {short(panel.picked.kl)} nats; the reflected minimum is
            a = {short(panel.reflected.stretch)} at {short(panel.reflected.kl)} nats."""
            for panel in self.panels
        )
        return f"""KL divergence of the posterior from the prior against the stretch a, for a weight that moves from u
            to v prior standard deviations from the mean: a valley on either side of a = 0. {" ".join(each)}"""


def short(x: float) -> str:
    """A number with three decimals at most.

    >>> short(-0.5), short(2.0)
    ('−0.5', '2')
    """
    return minus(f"{x:.3f}".rstrip("0").rstrip("."))


def kl_landscape(
    pairs: Iterable[tuple[float, float]] = ((1.0, 0.5), (1.0, -2.0), (1.0, 2.0)), *, span: float = 2.5
) -> LandscapeScene:
    """KL of every stretch from −span to span, for each pair: u before and v after the step, in prior std.

    The default has one pair of each regime; in the second, reflecting would be cheaper than what the update does.
    """
    span = check.scalar("span", span, least=0.1)
    return LandscapeScene(tuple(_landscape(float(u), float(v), span) for u, v in pairs))


def _landscape(u: float, v: float, span: float) -> LandscapePanel:
    # Dense around 0, where the KL goes to infinity, but so slowly that an even grid would cut it off.
    side = np.concatenate([np.geomspace(1e-9, 0.01, 40)[:-1], np.linspace(0.01, span, 250)])
    a = np.concatenate([-side[::-1], [0.0], side])
    for_mean, for_width = 0.5 * (v - a * u) ** 2, stretch_kl(a, 0.0, 0.0)
    lowest = _lowest(u, v), _lowest(u, v, -1)
    return LandscapePanel(u, v, a, for_mean, for_width, for_mean + for_width, *lowest, regime(u, v))


@dataclass(frozen=True, eq=False)
class RegimeMap(Scene):
    """Posterior mean and standard deviation of N(0, 1) over Δ (columns) and Δ' (rows), both along ``delta``."""

    delta: Floats
    mean: Floats
    std: Floats
    regime: NDArray[np.str_]
    kind: str
    branch: int
    non_expansive: bool

    @property
    def name(self) -> str:
        """Which update this is, in a few words."""
        limited = ", non-expansive" if self.non_expansive else ""
        return f"{self.kind}, δ = {'+' if self.branch > 0 else '−'}1{limited}"

    @property
    def crossing(self) -> Floats:
        """The standard deviations where the weight goes past the mean."""
        return np.asarray(self.std[self.regime == Regime.CROSSING.value])

    @property
    def about_mean(self) -> str:
        """Whether the mean goes the way of the weight, and how far, in words."""
        step = self.delta[:, None] - self.delta
        if np.any(self.mean * step < 0):
            return "may go against the step"
        further = np.any(np.abs(self.mean) > np.abs(step) + 1e-9)
        return "goes with the step, or further" if further else "goes with the step, never further"

    @property
    def about_std(self) -> str:
        """In which regimes the belief becomes wider (by more than rounding), in words."""
        names = [name for name in _MOVES if np.any(self.std[self.regime == name] > 1 + 1e-9)]
        if len(names) == 1:
            return f"grows only if the weight {_MOVES[names[0]]}"
        if len(names) == len(_MOVES):
            return "may grow wherever the weight goes"
        return f"grows only when {' or '.join(names)}" if names else "never grows"

    def _words(self) -> str:
        return f"""Two maps of what one update ({self.name}) makes of a standard normal belief, over the distance of
            the sampled weight from the mean before its step (Δ, across) and after it (Δ′, up). The mean
            {self.about_mean}: {self.mean.min():.2f} to {self.mean.max():.2f}. The standard deviation
            {self.about_std}: {self.std.min():.2f} to {self.std.max():.2f}; where the weight crosses the mean,
            {self.crossing.min():.3f} to {self.crossing.max():.3f}."""


@dataclass(frozen=True, eq=False)
class RegimeVariants(Scene):
    """Several maps side by side."""

    maps: tuple[RegimeMap, ...]

    def _words(self) -> str:
        widths = (f"{each.name}: {each.std.min():.2f} to {each.std.max():.2f}" for each in self.maps)
        means = " (above) and of the posterior mean (below)" if len(self.maps) > 4 else ""
        return f"""Maps of the posterior standard deviation{means} of a standard normal belief over Δ and Δ′,
            for {len(self.maps)} updates; bold contours are where nothing changes.
            Standard deviations: {"; ".join(widths)}."""


def regime_map(
    *,
    kind: str = "diagonal",
    branch: int = 1,
    non_expansive: bool = False,
    points: int = 161,
    span: float = 4.0,
) -> RegimeMap:
    """Update a standard normal for each pair (Δ, Δ') on a square grid of ``points`` a side, from −span to span.

    ``kind="spherical"`` is the spherical flow of one weight. It knows only the sizes |Δ| and |Δ'|, and turns one
    direction onto the other: past the mean the turn is a reflection, so that what was the branch +1 of the diagonal
    flow becomes −1 there, and −1 becomes +1.
    """
    kind, branch = check.choice("kind", kind, KINDS), check.sign("branch", branch)
    delta = np.linspace(-1.0, 1.0, check.positive_int("points", points)) * check.scalar("span", span)
    before, after = np.meshgrid(delta, delta)
    names = regime(before, after)
    mean, std = _posterior(before, after, branch, non_expansive)
    if kind == "spherical":
        reflected = _posterior(before, after, -branch, non_expansive)
        mean, std = np.where(np.sign(before) * np.sign(after) < 0, reflected, (mean, std))
    return RegimeMap(delta, mean, std, names, kind, branch, bool(non_expansive))


def regime_variants(points: int = 81, *, few: bool = False) -> RegimeVariants:
    """Return every variant of the map: branch +1 and −1, spherical beside diagonal; first free to widen, then not.

    ``few`` leaves the four that are free to widen.
    """
    return RegimeVariants(
        tuple(
            regime_map(kind=kind, branch=branch, non_expansive=non_expansive, points=points)
            for non_expansive in ((False,) if few else (False, True))
            for branch in (1, -1)
            for kind in KINDS
        )
    )


def _posterior(before: Floats, after: Floats, branch: int, non_expansive: bool) -> tuple[Floats, Floats]:
    """Mean and width of a standard normal for each pair: the weights of a diagonal belief do not know each other."""
    prior = DiagonalBelief(np.zeros(before.size), 1.0)
    post = prior.flow(before.ravel(), after.ravel(), branch=branch, non_expansive=non_expansive)
    return post.mean.reshape(before.shape), post.std.reshape(before.shape)


@dataclass(frozen=True)
class UpdateScene(Scene):
    """One update of N(0, std²): a sampled weight moves from ``delta`` to ``delta_new``."""

    delta: float
    delta_new: float
    std: float = 1.0
    branch: int = 1
    non_expansive: bool = False

    @property
    def prior(self) -> DiagonalBelief:
        """The belief before the update."""
        return DiagonalBelief([0.0], [self.std])

    @property
    def posterior(self) -> DiagonalBelief:
        """The belief after it."""
        options: Any = {"branch": self.branch, "non_expansive": self.non_expansive}
        return self.prior.flow([self.delta], [self.delta_new], **options)

    @property
    def regime(self) -> Regime:
        """The regime of the step."""
        here = self.whitened
        return Regime(regime(here.delta, here.delta_new, branch=self.branch))

    @property
    def whitened(self) -> "UpdateScene":
        """The same update in prior standard deviations."""
        return replace(self, delta=self.delta / self.std, delta_new=self.delta_new / self.std, std=1.0)

    @property
    def taken(self) -> Minimum:
        """The stretch that was taken, negative where the belief was reflected, and what it cost."""
        a = self.branch * float(self.posterior.std[0] / self.std)
        return Minimum(a, stretch_kl(a, self.whitened.delta, self.whitened.delta_new))

    @cached_property
    def map(self) -> RegimeMap:
        """The map of all updates with these options, in prior standard deviations, wide enough for this one."""
        here = self.whitened
        span = max(4.0, 1.05 * abs(here.delta), 1.05 * abs(here.delta_new))
        return regime_map(points=81, span=span, branch=self.branch, non_expansive=self.non_expansive)

    @cached_property
    def landscape(self) -> LandscapePanel:
        """What each stretch would have cost."""
        u, v = self.whitened.delta, self.whitened.delta_new
        reach = max(abs(stretch(u, v, branch=branch)) for branch in (1, -1))
        return _landscape(u, v, 2.5 if reach < 2.3 else 1.1 * reach)

    def _words(self) -> str:
        post, limited = self.posterior, ", non-expansive" if self.non_expansive else ""
        return f"""Prior and posterior density of one weight. A weight moved from {self.delta:z.2f} to
            {self.delta_new:z.2f} ({self.regime}); the mean moved from 0 to {post.mean[0]:z.2f} and the standard
            deviation from {self.std:.2f} to {post.std[0]:.2f} (branch {self.branch:+d}{limited})."""


@dataclass(frozen=True, eq=False)
class UpdatesScene(Scene):
    """Several updates of a standard normal, side by side."""

    updates: tuple[UpdateScene, ...]

    def _words(self) -> str:
        return " ".join(update.words() for update in self.updates)


def one_update(pairs: Sequence[tuple[float, float]] = ((1.5, 0.5), (1.0, -0.6), (1.0, 2.2))) -> UpdatesScene:
    """Update N(0, 1) for each pair (Δ, Δ'); the default goes towards the mean, past it, and away from it."""
    return UpdatesScene(tuple(UpdateScene(float(before), float(after)) for before, after in pairs))


@dataclass(frozen=True, eq=False)
class MovedWeight:
    """One sampled weight, where each displacement takes it, and the posterior of each; densities in rows."""

    weight: float
    moved: Floats
    means: Floats
    stds: Floats
    densities: Floats
    mean_share: Floats  # part of the KL that pays for the mean; the rest pays for the width


@dataclass(frozen=True, eq=False)
class OneDUpdates(Scene):
    """The density of a standard normal prior over the weights ``x``, and a panel for each sampled weight."""

    x: Floats
    prior_density: Floats
    displacements: Floats
    panels: tuple[MovedWeight, ...]

    def _words(self) -> str:
        each = []
        for panel in self.panels:
            ends = (
                minus(f"{d:+.4g} to mean {mean:.2f} and standard deviation {std:.2f}")
                for d, mean, std in zip(self.displacements, panel.means, panel.stds, strict=True)
            )
            each.append(
                f"""A weight {panel.weight:g} standard deviations from the mean takes the belief with it:
                {"; ".join(ends)}. At least {panel.mean_share.min():.0%} of each KL pays for the mean."""
            )
        return f"""Densities of a standard normal prior and of its posteriors as one sampled weight moves.
            {" ".join(each)}"""


def one_d_updates(
    weights: Sequence[float] = (1.0, 0.2), displacements: Sequence[float] = (-4.0, -2.0, 2.0, 4.0)
) -> OneDUpdates:
    """Update N(0, 1) as each weight moves by each displacement, all in prior standard deviations."""
    steps, starts = check.vector("displacements", displacements), check.vector("weights", weights)
    before, after = np.broadcast_arrays(starts[:, None], starts[:, None] + steps)
    means, stds = _posterior(before, after, 1, False)
    low, high = min(-2.5, (means - 2.5 * stds).min()), max(2.5, (means + 2.5 * stds).max())
    x = np.linspace(np.floor(low), np.ceil(high), 701)
    densities, kl = density(x, means[..., None], stds[..., None]), stretch_kl(stds, before, after)
    share = np.divide(0.5 * means**2, kl, out=np.ones_like(kl), where=kl > 0)
    rows = zip(starts.tolist(), after, means, stds, densities, share, strict=True)
    return OneDUpdates(x, density(x), steps, tuple(MovedWeight(*row) for row in rows))


def density(x: Floats, mean: Any = 0.0, std: Any = 1.0) -> Floats:
    """Density of a normal distribution at the places ``x``."""
    z = (x - mean) / std
    return np.asarray(np.exp(-0.5 * z * z) / (std * np.sqrt(2 * np.pi)))
