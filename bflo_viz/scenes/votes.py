"""A sketch before many networks drawn from one belief: how they vote, which ink decides, and how doubt shrank."""

import functools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bflo_viz._checks import Floats
from bflo_viz.experiments.kept_beliefs import KeptBeliefs, digit_beliefs
from bflo_viz.scenes.base import Scene
from bflo_viz.streams.sketches import SEEN, Ink, from_text, seen

NETWORKS = 50
ROUNDS = (0, 100, 300, 1_000, 2_000, 4_000, 10_000, 30_000, 100_000, 600_000)  # the moments that are kept
SURE = 0.9  # the share of networks from which on they are said to agree
LEAST = 1e-6  # what a cell does to the lead, from which on it is said to speak
# A 4 that is nearly closed to a 9.
FIRST = (
    "...1c600.fc600.fc600.c0600.1c0600.1c0600.1c0600.1c0600.1c0600.1c0600.1ffe00.ffe00.3ee00.e00.e00.e00.e00.e00.c00"
    ".c00.c00"
)
TITLES = {
    "sketch": "Draw here",
    "votes": "{most} of {networks} networks see a {winner}",
    "decides": "What they see: ■ for {winner}, ● for {second}",
    "doubt": "{share} % disagree after {rounds} digits",
}
CURVES = {"sketch": "networks against the winner", "test": "errors of votes in the test"}
# What is said of votes, in Python and in the page.
SENTENCES = {
    "votes": "{networks} networks drawn from the belief after {rounds} digits vote: {tally}.",
    "doubt": "{share} % agree; the votes have an entropy of {bits} bits, of at most {most}.",
    "empty": "The page is empty: these are votes on nothing.",
    "sure": "Agreement is no proof that it is a digit: of {others} drawings of other things {percent} % got as much.",
    "split": "They do not agree: no digit has half of the votes.",
    "leaning": "Most of them agree, and some do not.",
    "decides": "Between {winner} and {second}, {pro} cells with ink speak for {winner} and {con} for {second}.",
    "undecided": "No cell speaks for or against: the mean network is the same for all digits.",
}


@dataclass(frozen=True, eq=False)
class DigitVotes(Scene):
    """What networks see in a sketch.

    Attributes
    ----------
    ink, seen
        The sketch, 28 x 28 cells, and what a network sees of it, 14 x 14 shares of ink.
    votes
        How many networks are for each digit, after each of the ``rounds`` of learning: shape ``(moments, 10)``.
    outputs
        What the mean of the belief says of each digit at this moment, from 0 to 1.
    ranking
        All digits, by votes and then by the outputs of the mean; the first wins.
    effect
        By how much each cell moves the mean network from the second digit of the ranking to the first (difference of
        logits with the cell and without it).
    moment, rounds, errors
        Which moment it is, how many digits were learned by each, and the error of votes in the test then in percent.
    measured
        What else was measured of the last belief, by name.
    """

    ink: Ink
    seen: Floats
    votes: NDArray[np.int64]
    outputs: Floats
    ranking: tuple[int, ...]
    effect: Floats
    moment: int
    rounds: tuple[int, ...]
    errors: tuple[float, ...]
    measured: dict[str, float]

    @property
    def networks(self) -> int:
        """How many networks vote."""
        return int(self.votes[0].sum())

    @property
    def agreement(self) -> Floats:
        """The share of the networks that vote for the winner of a moment, at each moment."""
        return np.asarray(self.votes.max(axis=1) / self.networks)

    @property
    def doubt(self) -> Floats:
        """Entropy of the votes in bits, at each moment."""
        shares = self.votes / self.networks
        logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
        return np.asarray(np.abs((shares * logs).sum(axis=1)))

    @property
    def tally(self) -> str:
        """The votes that were cast, most first."""
        return ", ".join(f"{self.votes[self.moment, k]} for {k}" for k in self.ranking if self.votes[self.moment, k])

    def said(self) -> list[str]:
        """The sentences that a page says as well."""
        share, (winner, second) = self.agreement[self.moment], self.ranking[:2]
        verdict = "sure" if share >= SURE else "leaning" if share > 0.5 else "split"
        pro, con = (int((sign * self.effect > LEAST).sum()) for sign in (1, -1))
        values = {
            **{"networks": self.networks, "rounds": f"{self.rounds[self.moment]:,}", "tally": self.tally},
            **{
                "share": f"{100 * share:.0f}",
                "bits": f"{self.doubt[self.moment]:.2f}",
                "most": f"{math.log2(10):.2f}",
            },
            **{"others": f"{self.measured['others']:.0f}", "percent": f"{self.measured['others agreed (%)']:.0f}"},
            **{"winner": winner, "second": second, "pro": pro, "con": con},
        }
        names = ["votes", "doubt", verdict if self.ink.any() else "empty"]
        if self.ink.any():
            names.append("decides" if pro or con else "undecided")
        return [SENTENCES[name].format(**values) for name in names]

    def _words(self) -> str:
        outputs = ", ".join(f"{k} {self.outputs[k]:.2f}" for k in self.ranking[:3])
        doubts = ", ".join(f"{100 * (1 - share):.0f}" for share in self.agreement)
        errors = ", ".join(f"{error:.0f}" for error in self.errors)
        return f"""A sketch of {self.ink.sum()} cells of ink, votes on it, what decides, and doubt over learning.
            {" ".join(self.said())} Largest outputs of the mean network: {outputs}. Networks that disagree with the
            winner, in percent, after {", ".join(f"{n:,}" for n in self.rounds)} digits: {doubts}; errors in the test
            then: {errors}."""


def digit_votes(sketch: str = FIRST, *, moment: int = len(ROUNDS) - 1, seed: int = 0) -> DigitVotes:
    """Let networks vote on a sketch (a text, as `bflo_viz.streams.sketches.to_text` writes it).

    Each network has the mean of a belief and its widths times standard normals: those that RandomState(seed) draws
    network by network, the same at every moment, so that like is compared with like.
    """
    kept = digit_beliefs()
    if not 0 <= moment < len(kept.rounds):
        raise ValueError(f"moment must be from 0 to {len(kept.rounds) - 1}, but it was {moment}.")
    ink = from_text(sketch)
    picture = seen(ink)
    row = picture.reshape(1, -1)
    votes = np.zeros((len(kept.rounds), kept.model.outputs), np.int64)
    for k, belief in enumerate(kept.beliefs):
        chosen = [kept.model.predict_many(belief.weight(z), row)[0].argmax() for z in _normals(seed, belief.dim)]
        votes[k] = np.bincount(chosen, minlength=kept.model.outputs)
    mean = kept.beliefs[moment].mean
    passed = kept.model.forward(mean, row[0])
    ranking = tuple(int(k) for k in np.lexsort((-passed.logits, -votes[moment])))
    effect = _effect(kept, mean, picture, ranking)
    after = moment, kept.rounds, kept.errors["vote"]
    return DigitVotes(ink, picture, votes, passed.outputs, ranking, effect, *after, dict(kept.measured))


def _effect(kept: KeptBeliefs, mean: Floats, picture: Floats, ranking: tuple[int, ...]) -> Floats:
    """By how much leaving a cell out changes the lead of the winner over the second: what the cell did for it."""
    cells = picture.ravel()
    without = np.where(np.eye(cells.size, dtype=bool), 0.0, cells)
    last = kept.model.unflatten(mean)[-1]
    logits = kept.model.hidden(mean, np.vstack([cells, without])) @ last[:-1] + last[-1]
    lead = logits[:, ranking[0]] - logits[:, ranking[1]]
    return np.asarray(np.where(cells > 0, lead[0] - lead[1:], 0.0).reshape(SEEN, SEEN))


@functools.lru_cache(maxsize=4)
def _normals(seed: int, dim: int) -> Floats:
    return np.random.RandomState(seed).standard_normal((NETWORKS, dim))  # the page has these numbers
