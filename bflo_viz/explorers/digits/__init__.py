"""Draw a digit, and let networks drawn from a belief vote on it: how doubt shrinks, and where it should not."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from numpy.typing import ArrayLike
from traitlets import Dict

from bflo_viz.explorers.old_base import Explorer
from bflo_viz.explorers.traits import Text, Whole
from bflo_viz.figures.palette import MIDDLE
from bflo_viz.scenes.votes import (
    BOX,
    BRUSH,
    CURVES,
    FIRST,
    LEAST,
    NETWORKS,
    PATTERN,
    ROUNDS,
    SEEN,
    SENTENCES,
    SURE,
    TITLES,
    WORDS,
    DigitVotes,
    digit_beliefs,
    digit_votes,
    of_picture,
    to_text,
)
from bflo_viz.streams.backgrounds import SIDE

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class DigitExplorer(Explorer):
    """Draw a digit, or what is none; fifty networks sampled from one belief vote on it, at any moment of learning.

    The belief is about the 8,290 weights of a small network that learned MNIST by a diagonal flow; it comes with the
    course (``results/digit-beliefs.json``, made by ``tools/digit_beliefs.py``). In the test its votes are wrong in
    3.9 % of the digits, and in 1.2 % of those on which nine of ten networks agree. Agreement is no proof: they agree
    as much on half of 102 drawings of houses, stars, letters and the like.

    >>> explorer = DigitExplorer()
    >>> explorer.scene.tally
    '29 for 9, 21 for 4'
    """

    sketch = Text(
        FIRST, pattern=PATTERN, wanted=WORDS, label="sketch", help="The ink, row by row, as hexadecimal numbers."
    )
    moment = Whole(
        len(ROUNDS) - 1,
        high=len(ROUNDS) - 1,
        label="learned",
        help="How many digits the networks had learned: each step keeps the random numbers.",
    )
    seed = Whole(0, label="Networks", help="The seed of the random numbers that the networks are drawn with.")
    _networks = Dict(help="The beliefs, as their file has them.").tag(sync=True)
    _view = Path(__file__).with_name("view.js")
    _title = "Draw a digit, and let networks vote"
    _help = (
        "Draw with mouse, finger or pen; or by keys: arrows move the cursor, the space bar puts the pen down and "
        "lifts it. Then go back in learning, or draw something that is no digit."
    )
    _panels: ClassVar = {
        "sketch": (TITLES["sketch"], "", ""),
        "votes": (TITLES["votes"], "digit; bar: output of the mean network, 0 to 1", "networks (dots)"),
        "decides": (TITLES["decides"], "", ""),
        "doubt": (TITLES["doubt"], "digits learned", "percent"),
    }
    _facts: ClassVar = {
        **{
            "networks": NETWORKS,
            "sure": SURE,
            "least": LEAST,
            "side": SIDE,
            "seen": SEEN,
            "box": BOX,
            "brush": BRUSH,
        },
        "sentences": SENTENCES,
        "curves": CURVES,
        "middle": MIDDLE,
    }
    _for_page: ClassVar = ("_about", "_networks")

    def __init__(self, **state: Any) -> None:
        super().__init__(**state)
        self._networks = dict(digit_beliefs().file)

    @classmethod
    def of(cls, picture: ArrayLike, **state: Any) -> "DigitExplorer":
        """Show any picture, light on dark: rows of brightness, such as a digit of 8 x 8 or 28 x 28 pixels."""
        return cls(sketch=to_text(of_picture(picture)), **state)

    @property
    def scene(self) -> DigitVotes:
        """The votes on this sketch, as data."""
        return digit_votes(self.sketch, moment=self.moment, seed=self.seed)

    def figure(self, *, style: str = "paper") -> "Figure":
        """The same state as a figure for print, with alt text."""
        from bflo_viz.figures.votes import draw_digit_votes

        return draw_digit_votes(self.scene, style=style)
