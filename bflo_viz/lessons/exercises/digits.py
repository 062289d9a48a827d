"""Judge of ten belief flows on digits, which students build in notebook 07."""

from functools import cache
from typing import Any

import numpy as np

from bflo_viz._checks import Floats
from bflo_viz.lessons.exercise import Hint, array, call, close, hint_if, number
from bflo_viz.lessons.exercises.algorithm import stepped
from bflo_viz.lessons.exercises.builds import by_hand
from bflo_viz.streams import Stream, bias, load_stream, split, to_unit


@cache
def _digits() -> tuple[Stream, Stream]:
    """Small digits to learn from and to test on: 64 pixels from 0 to 1, and a constant 1."""
    return split(bias(to_unit(load_stream("digits"))), 0.8, np.random.default_rng(7))


def ten_flows(answer: Any, online: float, final: float) -> None:
    """Judge ten flows on digits: by a single round first, and then by their mistakes in %."""
    by_hand(answer)
    train, test = _digits()
    for row in (0, 1):
        _one_digit(answer, train.X[row], int(train.y[row]))
    learner, rng, wrong = _ten(answer), np.random.default_rng(1), 0
    with np.errstate(all="ignore"):
        for x, digit in zip(train.X, train.y.tolist(), strict=True):
            wrong += int(learner.step(x.copy(), digit, rng)) != digit
    before = _table(learner, "mean")
    said = call(getattr(learner, "predict", None) or (lambda X: None), test.X)
    hint_if(
        (
            np.shape(said) == (len(test.y), 10),
            "predict should return one digit for each row: the place of the largest.",
        )
    )
    said = array(said, test.y.shape, "what predict returns")
    kept = np.array_equal(before, _table(learner, "mean"))
    on_the_way, at_last = 100 * wrong / len(train.y), 100 * float(np.mean(said != test.y))
    says = f"{on_the_way:.0f} % mistakes on the way, {at_last:.0f} % on new digits"
    hint_if(
        (not kept, "predict changes what the learner believes: it should only look."),
        (at_last > 85, f"{says}: predict should take the digit whose mean has the largest w · x."),
        (
            at_last >= final and on_the_way < online,
            f"{says}. On the way it is well; predict should ask the means, all ten, in their order.",
        ),
        (at_last >= final, f"{says}: it learns, but too slowly. Try longer steps."),
        (
            on_the_way >= online,
            f"{says}: the drawn weights lose too much on the way. Try longer steps, or a narrower prior.",
        ),
    )


def _ten(answer: Any) -> Any:
    if not isinstance(answer, type):
        raise Hint("The answer should be a class: give its name, without brackets.")
    try:
        learner = answer()
    except Exception as problem:
        raise Hint(f"__init__ stopped with {type(problem).__name__}: {problem}.") from None
    _table(learner, "mean"), _table(learner, "std")
    if not callable(getattr(learner, "step", None)):
        raise Hint("Your class has no function step(self, x, digit, rng).")
    return learner


def _table(learner: Any, name: str) -> Floats:
    if not hasattr(learner, name):
        raise Hint(f"Your learner should have self.{name}, an array with a row of 65 for each digit: there is none.")
    return np.array(array(getattr(learner, name), (10, 65), f"the array self.{name}"))


def _one_digit(answer: Any, x: Floats, digit: int) -> None:
    """Judge one round: what each of the ten drew, was told, and made of it; the learning rate may be any."""
    learner = _ten(answer)
    mean, std = _table(learner, "mean"), _table(learner, "std")
    said = stepped(learner, x, digit, 3)
    said = number(said, "what step returns") if np.size(said) == 1 else said
    hint_if((np.size(said) != 1 or said not in range(10), "step should return the digit that was predicted, 0 to 9."))
    new_mean, new_std, lit = _table(learner, "mean"), _table(learner, "std"), x != 0
    still = np.array([close(now, was, 1e-9) for now, was in zip(new_mean, mean, strict=True)])
    with np.errstate(all="ignore"):
        u = ((new_std**2 - std**2) / ((new_mean - mean) * new_std))[:, lit]
        step = (new_mean - mean)[:, lit] + u * (new_std - std)[:, lit]
        sums = (mean[:, lit] + u * std[:, lit]) @ x[lit]
        z = 1 / (1 + np.exp(-sums))
        rates = {told: -step / ((z - y)[:, None] * x[lit]) for told, y in _told(digit).items()}
    told = next((words for words, rate in rates.items() if _constant(rate)), None)
    hint_if(
        (still.all(), "After a round all means are what they were: keep what is new in self.mean and self.std."),
        (
            np.flatnonzero(~still).tolist() == [digit],
            "Only the flow of the true digit learned: the other nine must hear 'no'.",
        ),
        (close(new_std, std), "The means move, and no width does: that is SGD. Let the beliefs flow."),
        (still.any(), "Some of the ten did not learn: each hears 'yes' or 'no' in every round."),
        (
            told is None,
            "The ten beliefs did not flow as in exercise 05.7: each draws, steps by −η (z − y) x, and flows.",
        ),
    )
    if told is None:
        return
    hint_if(
        (told, told),
        (float(np.mean(rates[told])) < 0, "The steps go uphill: w′ = w − η (z − y) x."),
        (close(u, u[0], 1e-4), "All ten drew the same normals: draw 10 × 65 of them."),
        (not close(new_mean[:, ~lit], mean[:, ~lit]), "A pixel that is 0 should move no weight."),
    )
    spoken = int(said)
    hint_if(
        (spoken == int(np.argmin(sums)), "step returns the least likely digit: take the largest w · x."),
        (
            spoken != int(np.argmax(sums)) and spoken == digit,
            "step returns the digit that it was told: predict before you look, by the drawn weights.",
        ),
        (
            spoken != int(np.argmax(sums)),
            "step should return the digit whose drawn weights have the largest w · x, before they learn.",
        ),
    )


def _told(digit: int) -> dict[str, Any]:
    """What each flow may have been told, by the words of the hint."""
    ten = np.arange(10)
    return {
        "": (ten == digit).astype(float),
        "Every flow heard 'yes': y is 1 for the flow of the true digit, and 0 for the others.": np.ones(10),
        "yes and no are swapped: y is 1 for the flow of the true digit, and 0 for the others.": (ten != digit).astype(
            float
        ),
        "The flows heard the digit itself; each wants 1 (its digit) or 0 (another one).": np.full(10, float(digit)),
        "The flows heard −1 and 1; here y is 0 or 1.": 2.0 * (ten == digit) - 1,
    }


def _constant(rates: Floats) -> bool:
    return bool(np.isfinite(rates).all()) and close(rates, np.mean(rates), 1e-4)
