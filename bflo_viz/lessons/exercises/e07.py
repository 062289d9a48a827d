"""Exercises of notebook 07: pixels that are never on, votes of drawn weights, longer steps, equal terms."""

from typing import Any

import numpy as np

from bflo_viz.lessons.exercise import Hint, array, call, close, exercise, hint_if, one_of

_VOTE = '''def vote(counts):
    """The winner for each digit, and its share of the votes; counts has a class a row, a digit a column."""
    winner = ...
    confidence = ...
    return winner, confidence


check.vote(vote)
'''


@exercise(
    "07.1",
    kind="predict",
    title="pixels that are never on",
    prompt=r"""
        In PLAIN, the pixels at the border are 0 in every picture. Their weights are in the belief like all others:
        mean 0, width $\sigma$. After the whole stream, will the width of such a weight be `"narrower"`, `"the same"`
        or `"wider"`?
    """,
    stub='answer = None  # "narrower", "the same" or "wider"\ncheck.never_on(answer)',
    right="Not nearly, but exactly: to the last bit. The next pictures show it.",
    hints=(
        "Write down the gradient by a weight that leads from pixel j to a hidden unit. Which factor has j in it?",
        "That factor is the pixel itself. What is a* if the weight does not move at all?",
    ),
)
def never_on(answer: Any) -> None:
    """Judge the bet on weights that no gradient ever reaches."""
    found = one_of(answer, "narrower", "the same", "wider")
    hint_if(
        (found == "narrower", "What could one get to know by seeing nothing? Look at the gradient of that weight."),
        (found == "wider", "For that the weight would have to move away from its mean. What pushes it outwards?"),
    )


@exercise(
    "07.2",
    kind="complete",
    title="a vote, and how sure it is",
    prompt="""
        Several drawn networks each say which digit they see in a picture. Let them vote: `counts[k, i]` is the number
        of votes for class `k` on picture `i`. For each picture, put in the class with the most votes, and the share
        of its votes that this class got. That is how sure the belief is.
    """,
    stub=_VOTE,
    right="Now the belief can be asked how sure it is, and the answer can be checked.",
    hints=(
        "A class is a row of counts, a picture is a column. Along which axis do you look for the largest?",
        "argmax gives the place of the largest, max the largest itself. And how many votes has a picture in all?",
        "All three, argmax, max and sum, go down the columns: axis=0. The confidence is one of them over another.",
    ),
)
def vote(answer: Any) -> None:
    """Judge winners and shares on two small elections without ties."""
    found: list[tuple[Any, Any]] = []
    ways: list[dict[str, Any]] = []
    for samples, pictures in ((9, 6), (15, 4)):
        labels = np.random.default_rng(samples).integers(0, 10, (samples, pictures))
        for i in range(pictures):  # a majority for each, so that no tie has to be broken
            labels[: samples // 2 + 1 + i % 3, i] = (3 * i + 1) % 10
        counts = (labels == np.arange(10)[:, None, None]).sum(axis=1)
        value = call(answer, counts)
        if not isinstance(value, tuple | list) or len(value) != 2:
            raise Hint("Your function should return two things, the winners and their shares, in this order.")
        if any(part is ... for part in value):
            raise Hint("There are still three dots in your function: put in what is missing.")
        found.append((_for_each(value[0], pictures, "winner"), _for_each(value[1], pictures, "confidence")))
        ways.append(_ways(counts))

    def is_like(place: int, name: str) -> bool:
        return all(close(one[place], way[name]) for one, way in zip(found, ways, strict=True))

    hint_if(
        (is_like(0, "most"), "This winner is the number of votes; it should be the class that got them."),
        (is_like(0, "fewest"), "This is a class with the fewest votes: look for the most."),
        (not is_like(0, "winner"), "These are not the winners: the class with the most votes, for each picture."),
        (is_like(1, "most"), "This is a count of votes: make it a share of the votes."),
        (is_like(1, "by classes"), "You divided by the number of classes: divide by the votes on the picture."),
        (
            is_like(1, "by all"),
            "You divided by the votes on all pictures together: each picture is a vote of its own.",
        ),
        (is_like(1, "against"), "This is the share of the votes against the winner."),
        (not is_like(1, "share"), "The confidence should be the winner's votes divided by all votes on the picture."),
    )


def _for_each(value: Any, pictures: int, what: str) -> Any:
    if np.shape(value) == (10,):
        raise Hint(f"There should be one {what} for each picture, but yours are one for each class: the other axis.")
    return array(value, (pictures,), what)


def _ways(counts: Any) -> dict[str, Any]:
    most, votes = counts.max(axis=0), counts.sum(axis=0)
    return {
        **{"winner": np.argmax(counts, axis=0), "most": most, "fewest": np.argmin(counts, axis=0)},
        **{"share": most / votes, "by classes": most / 10, "by all": most / votes.sum(), "against": 1 - most / votes},
    }


@exercise(
    "07.3",
    kind="predict",
    title="longer steps",
    prompt="""
        SGD learns RANDOM twice, from the same first weights: once with the learning rate of the text, once with one
        that is several times as large. After one pass, will the long steps have led to `"fewer"` mistakes on new
        digits, `"about as many"`, or `"more"`?
    """,
    stub='answer = None  # "fewer", "about as many" or "more"\ncheck.longer_steps(answer)',
    right="Many more. The network is stuck, and you are about to see how.",
    hints=(
        "A sigmoid is flat far out. What does a unit there say of different pictures, and how large is its gradient?",
        "Two noisy pictures have most of their light in common. So which way does a step move the unit for both?",
    ),
)
def longer_steps(answer: Any) -> None:
    """Judge the bet on steps that are too long for sigmoids."""
    found = one_of(answer, "fewer", "about as many", "more")
    hint_if(
        (found == "fewer", "Longer steps get there sooner, if nothing breaks. What does a sigmoid do far from 0?"),
        (found == "about as many", "It is far from a draw. What does a sigmoid do far from 0?"),
    )


@exercise(
    "07.4",
    kind="predict",
    title="equal terms",
    prompt="""
        In the fit with two settings BFLO is well ahead of both rivals on RANDOM. Now all three get the *same* prior
        and the *same* learning rate: those that BFLO has in the fit. In the final test on RANDOM, will BFLO be ahead
        of the better rival `"as far"` as before, `"half as far"`, or `"not clearly"`? Commit before you run the next
        cell.
    """,
    stub='answer = None  # "as far", "half as far" or "not clearly"\ncheck.equal_terms(answer)',
    right="The lead came with the rivals' long steps, and goes with them. The next cells show it.",
    hints=(
        "Who was stuck in the fit with two settings, and what made it so? Is anybody stuck now?",
        "BFLO's own setting does not change, so neither do its errors. What do its two rivals gain?",
    ),
)
def equal_terms(answer: Any) -> None:
    """Judge the bet on what is left of a lead when all take the same steps."""
    found = one_of(answer, "as far", "half as far", "not clearly")
    hint_if(
        (found == "as far", "Its rivals were saturated by their long steps. What if they take short ones?"),
        (found == "half as far", "The rivals do gain, but even more than that: one of them gets level."),
    )
