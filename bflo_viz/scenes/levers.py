"""Levers with unknown odds: flows, SGD and you play the same machine, whose odds may change."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief, DiagonalBelief
from bflo_viz.learners import Recorder
from bflo_viz.learners.levers import EpsilonGreedy, Thompson, play
from bflo_viz.models import sigmoid
from bflo_viz.scenes.base import PlayedScene, number

YOU, FLOW, CLIPPED, GREEDY = "you", "belief flow", "non-expansive", "SGD with ε"
PLAYERS = (FLOW, CLIPPED, GREEDY)
SERIES = {YOU: YOU, FLOW: "diagonal", CLIPPED: "diagonal, non-expansive", GREEDY: "SGD"}  # whose looks
MOST = 6  # levers
DIGITS = "".join(map(str, range(1, MOST + 1)))  # of your pulls
LENGTHS = (100, 200, 500, 1000)  # rounds of a game
ODDS = {  # the lowest and the highest at first
    "close": (0.5, 0.6),
    "clear": (0.3, 0.7),
    "drawn": (0.1, 0.8),
}
DRIFTS = {  # what happens to the odds: in a list, and in a sentence
    "none": ("none", "no drift"),
    "walk": ("a slow walk", "odds that walk"),
    "rise": ("one rises at half-time", "a lever that rises at half-time"),
    "fall": ("the best falls at half-time", "a best lever that falls at half-time"),
}
RISEN, FALLEN = 0.9, 0.1  # above and below all odds that there are at first
PACE, FAR = 0.1, 3.0  # of a walk, in log odds: standard deviation of a round, and where it turns back
TITLES = {  # of the panels, in figures and in the page
    "believed": "What is believed of the levers",
    "regret": "Regret so far: expected wins missed",
    "missed": "wins missed",
    "wins": "Won so far",
    "share": "rounds won (%)",
    "pulled": "Who pulled which lever",
}
REACHES = (20, 50, 100, 200, 500)  # of a game that goes on: so many rounds, or all, are shown
LANE = 0.8  # share of the room of a lever that marks of the players take
GAMES = 200  # of seeds 0 to 199, with all other settings as they are at first
MEASURED = {  # their mean regret and its standard error, by drift and player; and what is to be said of it
    "none": (((20.9, 0.8), (21.6, 0.8), (23.3, 0.5)), "Both flows settle alike; SGD goes on paying for its tries."),
    "walk": (((23.3, 1.0), (22.1, 1.1), (26.8, 0.7)), "Both flows keep up alike; SGD goes on paying for its tries."),
    "rise": (
        ((35.5, 1.8), (46.6, 2.2), (26.7, 0.7)),
        "A lever that nobody pulls tells nobody that it rose: tries at random find it first, a belief that may widen "
        "comes back to it later, and one that may not widen often never does. With short steps (η = 0.2), or with a "
        "floor of 0.5, it misses no more than the other.",
    ),
    "fall": (
        ((15.9, 0.4), (14.9, 0.4), (17.3, 0.3)),
        "Everybody notices, since the lever that falls is the one that is pulled: no width is needed for that.",
    ),
}


@dataclass(frozen=True, eq=False)
class LeversScene(PlayedScene):
    """A game of levers, round by round. What is given by player begins with the first round."""

    odds: Floats  # to pay, of each lever in each round
    pays: NDArray[np.bool_]  # whether it would have paid
    pulls: dict[str, NDArray[np.int64]]  # lever of each round, from 0; yours are as many as you made
    means: dict[str, Floats]  # of beliefs, or weights: before the first round and after each
    beliefs: dict[str, tuple[Belief, ...]]
    settings: Mapping[str, Any]
    now: int
    open: bool = True  # whether the odds may be seen, and so regret

    @property
    def rounds(self) -> int:
        """How many rounds a game has."""
        return len(self.odds)

    @property
    def reach(self) -> int:
        """How many rounds there are to be seen: those to come would tell the odds."""
        return self.rounds if self.open else min([self.rounds, *(some for some in REACHES if some >= self.now)])

    @property
    def names(self) -> tuple[str, ...]:
        """Who plays: you, if you have pulled a lever, and the others."""
        return tuple(self.pulls)

    def at(self, now: int, open: bool | None = None) -> Self:  # noqa: A002
        """The same game after round ``now``, with the odds to be seen or not."""
        return replace(super().at(now), open=self.open if open is None else open)

    def replayed(self, pulls: str) -> Self:
        """The same game with your pulls, a digit for each round; one beyond the last lever pulls the last."""
        if not isinstance(pulls, str) or not set(pulls) <= set(DIGITS):
            raise ValueError(
                f"pulls must be digits from 1 to {MOST} such as '1132', but it was {check.short(pulls)}."
            )
        levers = self.odds.shape[1]
        yours = np.array([min(int(digit), levers) - 1 for digit in pulls[: self.rounds]], np.int64)
        others = {name: theirs for name, theirs in self.pulls.items() if name != YOU}
        return replace(self, pulls={YOU: yours, **others} if len(yours) else others)

    def played(self, name: str) -> int:
        """How many of the rounds so far a player has played."""
        return min(self.now, len(self.pulls[name]))

    def wins(self, name: str) -> NDArray[np.int64]:
        """How often a player has won, before the first round and after each."""
        return np.concatenate([[0], np.cumsum(self._pulled(self.pays, name))])

    def regret(self, name: str) -> Floats:
        """Expected wins that a player has missed, before the first round and after each.

        In each round it is the difference of the best odds in that round and those of the lever that was pulled.
        Where odds change this is dynamic regret; where they stay it is that against the best lever.
        """
        best = self.odds.max(axis=1)[: len(self.pulls[name])]
        return np.concatenate([[0.0], np.cumsum(best - self._pulled(self.odds, name))])

    def tally(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How often each lever was pulled so far, and how often it paid then."""
        so_far, count = slice(self.played(name)), self.odds.shape[1]
        levers, paid = self.pulls[name][so_far].astype(np.intp), self._pulled(self.pays, name)[so_far]
        return np.bincount(levers, minlength=count), np.bincount(levers[paid], minlength=count)

    def interval(self, name: str) -> Floats:
        """Odds that a player gives each lever now: a standard deviation below, the middle, and one above.

        Of you it is the share of your pulls that paid, NaN for a lever that you have not pulled.
        """
        if name == YOU:
            pulled, paid = self.tally(YOU)
            return np.tile(np.divide(paid, pulled, out=np.full(len(paid), np.nan), where=pulled > 0), (3, 1))
        belief: Any = self.beliefs[name][self.now] if name in self.beliefs else None
        width = 0.0 if belief is None else belief.std
        return np.array([sigmoid(self.means[name][self.now] + side * width) for side in (-1, 0, 1)])

    def _pulled(self, table: NDArray[Any], name: str) -> NDArray[Any]:
        """What a table has for the levers that a player pulled, round by round."""
        levers = self.pulls[name]
        return table[np.arange(len(levers)), levers]

    def _words(self) -> str:
        s = self.settings
        how = f"{s['levers']} levers ({s['odds']} odds, {DRIFTS[s['drift']][1]}), eta {s['eta']:g}"
        how += f", prior standard deviation {s['std']:g}, epsilon {s['epsilon']:g}"
        how += f", no width below {s['floor']:g}" if s["floor"] else ""
        if not self.now:
            return f"Round 0 of {self.rounds} with {how}: nobody has pulled a lever yet."
        told = []
        for name in self.names:
            last = self.played(name)
            early = f" after {last}" if last < self.now else ""
            missed = f", regret {number(self.regret(name)[last])}" if self.open else ""
            pulled = "/".join(map(str, self.tally(name)[0]))
            told.append(f"{name} {self.wins(name)[last]} wins{missed}{early} (pulls {pulled})")
        odds = f" The odds now are {', '.join(f'{x:.2f}' for x in self.odds[self.now - 1])}." if self.open else ""
        return f"After {self.now} of {self.rounds} rounds with {how}: {'; '.join(told)}.{odds}"


def play_levers(
    rng: RNG,
    *,
    levers: int = 3,
    odds: str = "close",
    drift: str = "rise",
    rounds: int = 500,
    eta: float = 1.0,
    std: float = 1.0,
    floor: float = 0.0,
    epsilon: float = 0.1,
    pulls: str = "",
) -> LeversScene:
    """Let a belief flow, one that may not widen, SGD and you play the same levers.

    What each lever would pay in each round is drawn beforehand: all play the same machine. A lever is a weight, with
    sigmoid(w) for its chance to pay. Flows pull the lever with the largest sampled weight, and that sample flows;
    SGD begins at 0 and pulls any lever in a share ``epsilon`` of the rounds.

    Parameters
    ----------
    odds
        ``"close"``, ``"clear"`` or ``"drawn"``: see `ODDS`. Of the first two, one lever has the highest.
    drift
        ``"none"``; ``"walk"``: log odds walk at random; ``"rise"``: at half-time a lever that was not the best pays
        best, and no other changes; ``"fall"``: at half-time the best pays worst, and no other changes.
    eta, std, floor
        Learning rate of all, width of the priors around 0, and the least width.
    pulls
        Your pulls, such as ``"1132"``: a digit for each round. One beyond the last lever pulls the last.
    """
    levers, rounds = check.positive_int("levers", levers), check.positive_int("rounds", rounds)
    make = np.random.RandomState if isinstance(rng, np.random.RandomState) else np.random.default_rng
    seeds = [int(2**32 * draw) for draw in check.generator(rng).random(4)]
    chance = _odds(make(seeds[0]), make(seeds[1]), levers, check.choice("odds", odds, tuple(ODDS)), rounds, drift)
    pays = make(seeds[2]).random((rounds, levers)) < chance
    prior = DiagonalBelief(np.zeros(levers), std)
    learners: dict[str, Thompson | EpsilonGreedy] = {
        FLOW: Thompson(prior, eta=eta, min_std=floor),
        CLIPPED: Thompson(prior, eta=eta, min_std=floor, non_expansive=True),
        GREEDY: EpsilonGreedy(levers, eta=eta, epsilon=epsilon),
    }
    pulled, records = {}, {name: Recorder() for name in learners}
    for name, learner in learners.items():
        pulled[name] = play(learner, pays, make(seeds[3]), callback=records[name])
    settings = {"levers": levers, "odds": odds, "drift": drift, "eta": eta, "std": std, "floor": floor}
    means = {name: record.path for name, record in records.items()}
    beliefs = {name: records[name].beliefs for name in (FLOW, CLIPPED)}
    settings["epsilon"] = epsilon
    return LeversScene(chance, pays, pulled, means, beliefs, settings, now=rounds).replayed(pulls)


def measured_in_words(drift: str) -> str:
    """What many games with this drift came to.

    >>> measured_in_words("fall")[:58]
    'In 200 games with the other settings as they are at first,'
    """
    numbers, lesson = MEASURED[check.choice("drift", drift, tuple(DRIFTS))]
    told = [f"{name} {mean:.1f} ± {error:.1f}" for name, (mean, error) in zip(PLAYERS, numbers, strict=True)]
    return (
        f"In {GAMES} games with the other settings as they are at first, the mean regret and its standard error "
        f"were: {', '.join(told)}. {lesson}"
    )


def _odds(start: Any, steps: Any, levers: int, kind: str, rounds: int, drift: str) -> Floats:
    """Odds of each lever in each round."""
    low, high = ODDS[kind]
    draws = start.random(2 + levers)
    first = low + (high - low) * draws[2:]
    if kind != "drawn":
        first = np.where(np.arange(levers) == int(draws[0] * levers), high, low)
    best, half = int(first.argmax()), rounds // 2
    chance = np.tile(first, (rounds, 1))
    if check.choice("drift", drift, tuple(DRIFTS)) == "walk":
        moves = np.vstack([np.log(first / (1 - first)), PACE * steps.standard_normal((rounds - 1, levers))])
        around = np.mod(np.cumsum(moves, axis=0) + FAR, 4 * FAR)  # folded: it turns back at both ends
        chance = sigmoid(np.where(around < 2 * FAR, around, 4 * FAR - around) - FAR)
    elif drift == "rise":
        chance[half:, (best + 1 + int(draws[1] * (levers - 1))) % levers] = RISEN
    elif drift == "fall":
        chance[half:, best] = FALLEN
    return chance
