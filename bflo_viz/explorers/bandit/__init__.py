"""Levers whose odds are unknown and may change: play them against a belief flow, one that may not widen, and SGD."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from bflo_viz.explorers.player import Player, computed, playing_speed
from bflo_viz.explorers.traits import Choice, Digits, Flag, Number, Whole
from bflo_viz.figures import palette
from bflo_viz.scenes import levers as scenes
from bflo_viz.scenes.levers import (
    DIGITS,
    DRIFTS,
    LENGTHS,
    MOST,
    ODDS,
    PLAYERS,
    TITLES,
    LeversScene,
    measured_in_words,
    play_levers,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LONGEST = max(LENGTHS)

_REGRET = "Regret is what the best lever of each round would have won more, in expectation"
_DYNAMIC = (": here that of one and the same lever", ": dynamic regret, since that lever is not always the same")
_WORDS = {
    "machine": "Machine",
    "players": "The others",
    "game": "Your game",
    "lever": "Lever {lever}",
    "record": "{paid} of {pulled}",
    "again": "Start over",
    "cleared": "Forget your pulls, and go back to round 0",
    "truth": "true odds, and the best lever",
    "columns": ["player", "rounds", "won", "won (%)", "regret", "pulls of each lever"],
    "begin": "Pull a lever (keys 1, 2, …), or press Play to watch the others.",
    "back": "Round 0. Pull a lever to play from here.",
    "left": "You have pulled {rounds} times; the others went on. Pull a lever to go on from there.",
    "paid": "Round {round}: lever {lever} paid.",
    "nothing": "Round {round}: lever {lever} paid nothing.",
    "won": "After {round} rounds the wins are: {told}.",
    "missed": "After {round} rounds the regret is: {told}.",
    "early": " (after {rounds})",
    "best": "Lever {lever} is the best now: it pays in {odds} % of rounds.",
    "hidden": f"The odds are hidden until the game is over, and so is regret, which would tell them. {_REGRET}.",
    "measured": {drift: f"{_REGRET}{_DYNAMIC[drift != 'none']}. {measured_in_words(drift)}" for drift in DRIFTS},
}


class BanditExplorer(Player):
    """Pull levers against a belief flow, a flow that may not widen, and SGD that tries any lever now and then.

    What each lever would pay in each round is fixed by the seed and the settings of the machine: all play the same
    one. ``pulls`` is your game, a digit for each round, to be kept, sent and played again. Odds and regret are
    hidden until the game is over, unless ``show`` asks for them. The page computes for itself; Python computes the
    same when it is asked.

    >>> explorer = BanditExplorer(pulls="1123", round=4)
    >>> explorer.scene.tally("you")[0].tolist()
    [2, 1, 1]
    """

    levers = Choice(3, options=range(2, MOST + 1), label="Levers", help="How many levers there are.")
    odds = Choice(
        "close",
        options={
            "close": "close: 60 % and 50 %",
            "clear": "clear: 70 % and 30 %",
            "drawn": "drawn: 10 % to 80 %",
        },
        label="Odds",
        help="How often the levers pay at first: one is the best and the others are alike, or all are drawn.",
    )
    drift = Choice(
        "rise",
        options={name: text for name, (text, _) in DRIFTS.items()},
        label="Drift",
        help="How the odds change: not at all, all of them bit by bit, or those of one lever at half-time.",
    )
    rounds = Choice(500, options=LENGTHS, label="Length", help="How many rounds a game has.")
    eta = Number(1.0, low=0.1, high=3, step=0.1, label="Rate η", help="Learning rate of all players but you.")
    std = Number(1.0, low=0.1, high=3, step=0.1, label="Prior σ", help="Width of the beliefs before the first round.")
    floor = Number(
        0.0, low=0, high=0.5, step=0.05, label="Floor", help="No belief gets narrower than this; 0 is no floor."
    )
    epsilon = Number(
        0.1, low=0, high=0.5, step=0.01, label="SGD’s ε", help="Share of the rounds in which SGD pulls any lever."
    )
    pulls = Digits(
        symbols=DIGITS,
        most=_LONGEST,
        label="Your pulls",
        help="Your game as digits, a lever for each round: copy it to keep the game, or paste one to see it again.",
    )
    show = Flag(False, label="show the odds (a spoiler)", help="Show odds and regret before the game is over.")
    round = Whole(0, high=_LONGEST, label="Round", help="How many rounds are done.")
    speed = playing_speed(20, 200)
    _view = Path(__file__).with_name("view.js")
    _title = "Levers: who finds the best one, and who notices when it changes?"
    _help = (
        "Pull a lever, by a click or by its number on the keyboard; the others move with you. Or let them play. "
        "Go back to a round to pull otherwise from there."
    )
    _panels: ClassVar = {
        "believed": (TITLES["believed"], "lever", "chance to pay"),
        "score": (TITLES["wins"], "round", ""),
        "pulled": (TITLES["pulled"], "round", "lever"),
    }
    _rounds = 500
    _settings = ("levers", "odds", "drift", "eta", "std", "floor", "epsilon")
    _facts: ClassVar = {
        "rounds": _rounds,
        "you": scenes.YOU,
        "players": PLAYERS,
        "hollow": scenes.CLIPPED,
        "colors": {name: palette.variable(series) for name, series in scenes.SERIES.items()},
        "odds": ODDS,
        "risen": scenes.RISEN,
        "fallen": scenes.FALLEN,
        "pace": scenes.PACE,
        "far": scenes.FAR,
        "lane": scenes.LANE,
        "reaches": scenes.REACHES,
        "titles": TITLES,
        "words": _WORDS,
    }

    def _whole(self) -> Any:
        settings = {name: getattr(self, name) for name in self._settings}
        return computed(play_levers, self.seed, self.rounds, **settings).replayed(self.pulls)

    def _belief_after(self, now: int) -> Any:
        return super()._belief_after(min(now, self.rounds))

    @property
    def scene(self) -> LeversScene:
        """The game by this round; its odds are there to be seen when it is over, or when they are asked for."""
        game: LeversScene = self._whole()
        now = min(self.round, game.rounds)
        return game.at(now, open=self.show or max(now, len(self.pulls)) >= game.rounds)

    def figure(self, *, style: str = "paper") -> "Figure":
        """The same state as a figure for print, with alt text."""
        from bflo_viz.figures.levers import draw_levers

        return draw_levers(self.scene, style=style)
