"""Judges of the exercises of notebook 07: votes of drawn weights."""

from typing import Any

import numpy as np

from bflo_viz.lessons.exercise import Hint, array, call, close, hint_if, pair


def vote(answer: Any) -> None:
    """Judge winners and shares on two small elections without ties."""
    results: list[tuple[Any, Any]] = []
    elections = []
    for samples, pictures in ((9, 6), (15, 4)):
        labels = np.random.default_rng(samples).integers(0, 10, (samples, pictures))
        for i in range(pictures):  # a majority for each, so that no tie has to be broken
            labels[: samples // 2 + 1 + i % 3, i] = (3 * i + 1) % 10
        counts = (labels == np.arange(10)[:, None, None]).sum(axis=1)
        elections.append(counts)
        winner, confidence = pair(call(answer, counts), "the winners and their shares")
        results.append((_for_each(winner, pictures, "winner"), _for_each(confidence, pictures, "confidence")))

    def winners_are(way: Any) -> bool:
        return all(close(winner, way(counts)) for (winner, _), counts in zip(results, elections, strict=True))

    def shares_are(way: Any) -> bool:
        return all(
            close(share, way(counts.max(axis=0), counts.sum(axis=0)))
            for (_, share), counts in zip(results, elections, strict=True)
        )

    by_all = "You divided by the votes on all pictures together: each picture is a vote of its own."
    hint_if(
        (
            winners_are(lambda counts: counts.max(axis=0)),
            "This winner is the number of votes; it should be the class that got them.",
        ),
        (
            winners_are(lambda counts: np.argmin(counts, axis=0)),
            "This is a class with the fewest votes: look for the most.",
        ),
        (
            not winners_are(lambda counts: np.argmax(counts, axis=0)),
            "These are not the winners: the class with the most votes, for each picture.",
        ),
        (shares_are(lambda most, votes: most), "This is a count of votes: make it a share of the votes."),
        (
            shares_are(lambda most, votes: most / 10),
            "You divided by the number of classes: divide by the votes on the picture.",
        ),
        (shares_are(lambda most, votes: most / votes.sum()), by_all),
        (shares_are(lambda most, votes: 1 - most / votes), "This is the share of the votes against the winner."),
        (
            not shares_are(lambda most, votes: most / votes),
            "The confidence should be the winner's votes divided by all votes on the picture.",
        ),
    )


def _for_each(value: Any, pictures: int, what: str) -> Any:
    if np.shape(value) == (10,):
        raise Hint(f"There should be one {what} for each picture, but yours are one for each class: the other axis.")
    return array(value, (pictures,), what)
