"""Judge of Algorithm 1 of the paper, which students build in notebook 05.

From the belief before and after a round one can tell which weight was drawn: with m for the step of the mean,
``u = (σ′² − σ²) / (m σ′)``. So a learner may draw its weights in any way, and is judged by what it makes of them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bflo_viz import DiagonalBelief, Logistic
from bflo_viz._checks import Floats
from bflo_viz.lessons.exercise import Hint, array, call, close, hint_by_result, hint_if, number
from bflo_viz.lessons.exercises.builds import by_hand

_MEAN, _STD, _ETA = np.array([0.4, -0.3]), np.array([0.9, 0.5]), 0.4
_AT_MEAN = (
    "This learns from the mean: there u = 0, and no width is ever learned. Learn from the weight that was drawn."
)
_SAMPLE = "The drawn weight is mean + std · z, with standard normal z from rng: "


class _Round(NamedTuple):
    """What a round is given, and what a learner made of it."""

    x: Floats
    y: int
    seed: int
    label: float
    mean: Floats
    std: Floats


def algorithm_one(answer: Any) -> None:
    """Judge a learner by single rounds: whom it asks, how it steps, how it flows; thin beliefs and limits last."""
    by_hand(answer)
    given = np.random.default_rng(0).standard_normal((24, 2))
    rounds = [_round(answer, x, n % 2, n) for n, x in enumerate(given)]
    again = _round(answer, given[0], 0, 0)
    means, labels = np.array([one.mean for one in rounds]), np.array([one.label for one in rounds])
    at_mean = [_flowed(one, np.zeros(2), at=_MEAN)[:2] for one in rounds]
    hint_if(
        (close(means, at_mean), _AT_MEAN),
        (close(means, _MEAN), "After a round the mean is what it was: keep what is new in self.mean and self.std."),
        (not close(again.mean, rounds[0].mean), "The same seed gave another round: draw from the rng that is given."),
        (not set(labels) <= {0.0, 1.0}, "step should return the label that was predicted, 0 or 1."),
        (
            _fixed(answer),
            "Every rng gives the same round: draw from the rng that is given, not from one of your own.",
        ),
    )
    results = [np.concatenate([one.mean, one.std]) for one in rounds]
    if not all(map(_consistent, rounds)):  # not right; perhaps a slip that is known
        ways = [{words: slip(one) for words, slip in _SLIPS.items()} for one in rounds]
        hint_by_result(results, ways, _otherwise(rounds))
    drawn = np.array([_drawn(one) for one in rounds])
    by = np.array([(_MEAN + _STD * u) @ one.x > 0 for u, one in zip(drawn, rounds, strict=True)])
    after = np.array([one.mean @ one.x > 0 for one in rounds])
    second = np.array([_second(one) for one in rounds])
    spread, normals = drawn.std(axis=0), [np.random.default_rng(one.seed).standard_normal(2) for one in rounds]
    other = np.abs(drawn.mean(axis=0)).max() > 0.7 or spread.min() < 0.6 or spread.max() > 1.6
    hint_if(
        (close(drawn, _STD * normals), f"{_SAMPLE}you multiplied by the variance."),
        (other, f"{_SAMPLE}yours is spread in another way."),
        (close(labels, ~by), "The labels are swapped: predict 1 where w · x > 0."),
        (close(labels, given @ _MEAN > 0), "This predicts by the mean: let the weight that was drawn predict."),
        (close(labels, after), "This predicts after the update, by the new mean: predict before you look at y."),
        (close(labels, second), "A second weight was drawn to predict: let the one that learns do that, too."),
        (close(labels, np.arange(24) % 2), "This returns y, the label that is seen: predict before you look."),
        (not close(labels, by), "The label should be 1 exactly where w · x > 0, with the w that was drawn."),
    )
    _several(answer)
    _limited(answer)
    _thin(answer)


def _learner(answer: Any, mean: Any = _MEAN, std: Any = _STD, **options: Any) -> Any:
    if not isinstance(answer, type):
        raise Hint("The answer should be a class: give its name, without brackets.")
    try:
        learner = answer(mean, std, _ETA, **options)
    except TypeError as problem:
        raise Hint(f"Your class should begin with (mean, std, eta, non_expansive=False): {problem}.") from None
    except Exception as problem:
        raise Hint(f"__init__ stopped with {type(problem).__name__}: {problem}.") from None
    for name, value in (("mean", mean), ("std", std)):
        if not hasattr(learner, name):
            raise Hint(f"After __init__ your learner should have self.{name}: there is none.")
        hint_if(
            (not close(_state(learner, name), value), f"At the beginning self.{name} should be the {name} given.")
        )
    if not callable(getattr(learner, "step", None)):
        raise Hint("Your class has no function step(self, x, y, rng).")
    return learner


def _state(learner: Any, name: str) -> Floats:
    value = getattr(learner, name)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f" and np.isnan(value).any():
        raise Hint(f"self.{name} is not a number after a while: some 0 divides, perhaps a width that has become 0.")
    return np.array(array(value, np.shape(_MEAN), f"the array self.{name}"))


def stepped(learner: Any, x: Floats, y: int, seed: int) -> Any:
    """What ``learner.step`` returns for an example and a new generator."""

    def step(x: Floats, y: int) -> Any:  # without the generator, no hint names it: its address differs
        return learner.step(x, y, np.random.default_rng(seed))

    with np.errstate(all="ignore"):
        return call(step, x, y)


def _round(answer: Any, x: Floats, y: int, seed: int) -> _Round:
    mean, std = _MEAN.copy(), _STD.copy()
    learner = _learner(answer, mean, std)
    label = stepped(learner, x, y, seed)
    kept = np.array_equal(mean, _MEAN) and np.array_equal(std, _STD)
    hint_if((not kept, "Your learner changes the arrays that it was given: begin with np.array(mean), a copy."))
    label = float(label) if isinstance(label, bool | np.bool_) else number(label, "what step returns")
    return _Round(x, y, seed, label, _state(learner, "mean"), _state(learner, "std"))


def _fixed(answer: Any) -> bool:
    return close(np.ptp([_round(answer, np.array([1.0, 1.0]), 1, seed).mean for seed in range(6)], axis=0), 0.0)


# What a round says of the weight that was drawn


def _drawn(one: _Round) -> Floats:
    """The normals of the weight that was drawn, from the belief that it left."""
    with np.errstate(all="ignore"):
        return np.asarray((one.std**2 - _STD**2) / ((one.mean - _MEAN) * one.std))


def _consistent(one: _Round) -> bool:
    """Whether the belief flowed after a weight that took its gradient step."""
    u = _drawn(one)
    step = one.mean - _MEAN + u * (one.std - _STD)
    w = _MEAN + u * _STD
    return bool(np.isfinite(u).all()) and close(step, -_ETA * Logistic().gradient(w, one.x, one.y))


def _second(one: _Round) -> bool:
    rng = np.random.default_rng(one.seed)
    rng.standard_normal(2)
    return bool((_MEAN + _STD * rng.standard_normal(2)) @ one.x > 0)


def _otherwise(rounds: list[_Round]) -> str:
    one = rounds[0]
    u = np.random.default_rng(one.seed).standard_normal(2)
    right = _flowed(one, u)
    return (
        f"For a drawn weight of {(_MEAN + _STD * u).round(2)}, x = {one.x.round(2)} and y = 0 the new mean is "
        f"{right[:2].round(3)} and the new std {right[2:].round(3)}, but yours are {one.mean.round(3)} and "
        f"{one.std.round(3)}."
    )


def _flowed(one: _Round, u: Floats, step: Any = None, at: Any = None) -> Floats:
    """The belief after a round in which the weight ``u`` standard deviations out took this step."""
    prior = DiagonalBelief(_MEAN, _STD)
    w = prior.weight(u)
    step = -_ETA * Logistic().gradient(w if at is None else at, one.x, one.y) if step is None else step
    post = prior.flow(w, w + step, z=u)
    return np.concatenate([post.mean, post.std])


def _slip(change: Callable[[_Round, Floats, Floats, float], Floats]) -> Callable[[_Round], Floats]:
    """A slip, of the round, the normals, the drawn weight and its probability of label 1."""

    def leads_to(one: _Round) -> Floats:
        u = np.random.default_rng(one.seed).standard_normal(2)
        w = _MEAN + _STD * u
        return change(one, u, w, float(Logistic().predict(w, one.x)))

    return leads_to


def _kept(mean: Any) -> Floats:
    return np.concatenate([mean, _STD])


_SLIPS: dict[str, Callable[[_Round], Floats]] = {
    "The step goes uphill: w′ = w − η (z − y) x.": _slip(lambda o, u, w, z: _flowed(o, u, _ETA * (z - o.y) * o.x)),
    "The learning rate is missing from the step.": _slip(lambda o, u, w, z: _flowed(o, u, -(z - o.y) * o.x)),
    "The gradient is taken at the mean: it belongs to the weight that was drawn.": _slip(
        lambda o, u, w, z: _flowed(o, u, at=_MEAN)
    ),
    "The step uses labels −1 and 1; here y is 0 or 1, and the step is −η (z − y) x.": _slip(
        lambda o, u, w, z: _flowed(o, u, -_ETA * (z - (2 * o.y - 1)) * o.x)
    ),
    "The step uses the predicted label, as a perceptron does; compare the probability z with y.": _slip(
        lambda o, u, w, z: _flowed(o, u, -_ETA * (float(z > 0.5) - o.y) * o.x)
    ),
    "The step uses w · x itself: first make it a probability, z = 1/(1 + exp(−w · x)).": _slip(
        lambda o, u, w, z: _flowed(o, u, -_ETA * (w @ o.x - o.y) * o.x)
    ),
    "The step is −η (z − y) x: the x is missing.": _slip(
        lambda o, u, w, z: _flowed(o, u, -_ETA * (z - o.y) * np.ones(2))
    ),
    "There is one z(1 − z) too many: it cancels in the gradient of this loss, (z − y) x.": _slip(
        lambda o, u, w, z: _flowed(o, u, -_ETA * (z - o.y) * z * (1 - z) * o.x)
    ),
    "The belief jumps onto the moved weight: let it flow, mean and width.": _slip(
        lambda o, u, w, z: _kept(w - _ETA * (z - o.y) * o.x)
    ),
    "The mean takes the whole step and the width none of it: that is SGD. Let the belief flow.": _slip(
        lambda o, u, w, z: _kept(_MEAN - _ETA * (z - o.y) * o.x)
    ),
    "The mean flows, and the width is forgotten: keep the new self.std, too.": _slip(
        lambda o, u, w, z: _kept(_flowed(o, u)[:2])
    ),
    "That is a spherical flow: each weight has a stretch of its own, with signed u and v.": _slip(
        lambda o, u, w, z: _spherical(o, u, z)
    ),
    "u and v must keep their signs: no abs.": _slip(lambda o, u, w, z: _unsigned(o, u, z)),
    "A second weight was drawn to learn: let the one that predicts do that, too.": lambda o: _flowed(o, _again(o)),
}


def _again(one: _Round) -> Floats:
    return np.array(np.random.default_rng(one.seed).standard_normal((2, 2))[1])


def _root(u: Any, v: Any) -> Any:
    return (u * v + np.sqrt(u * u * v * v + 4 * (1 + u * u))) / (2 * (1 + u * u))


def _spherical(one: _Round, u: Floats, z: float) -> Floats:
    step = -_ETA * (z - one.y) * one.x
    v = u + step / _STD
    a = _root(np.sqrt(u @ u), np.sqrt(v @ v))
    return np.concatenate([_MEAN + _STD * (v - a * u), a * _STD])


def _unsigned(one: _Round, u: Floats, z: float) -> Floats:
    v = u - _ETA * (z - one.y) * one.x / _STD
    a = _root(np.abs(u), np.abs(v))
    return np.concatenate([_MEAN + _STD * (v - a * u), a * _STD])


# Several learners, limits, and thin beliefs


def _several(answer: Any) -> None:
    """Ask that learners keep their beliefs apart, and go on from round to round."""
    x, first, other, short = np.array([1.0, -0.5]), _learner(answer), _learner(answer), _learner(answer)
    for learner, seeds in ((first, (0, 1, 2)), (short, (2,))):
        for seed in seeds:
            stepped(learner, x, 1, seed)
    alone = close(_state(other, "mean"), _MEAN) and close(_state(other, "std"), _STD)
    anew = close(_state(first, "mean"), _state(short, "mean"))
    hint_if(
        (not alone, "Two learners of your class share one belief: keep it in self, not in the class."),
        (anew, "Every round begins anew from the first belief: go on from self.mean and self.std."),
    )


def _limited(answer: Any) -> None:
    """Ask that a non-expansive learner limits each width, and that its mean goes further instead."""
    for n, x in enumerate(np.random.default_rng(1).standard_normal((12, 2))):
        free, held = _round(answer, x, n % 2, n), _learner(answer, non_expansive=True)
        stepped(held, x, n % 2, n)
        u, mean, std = _drawn(free), _state(held, "mean"), _state(held, "std")
        limit = np.minimum(free.std, _STD)
        ignored = close(std, free.std) and not close(limit, free.std)
        hint_if(
            (ignored, "With non_expansive=True no width may grow: limit each to what it was, by np.minimum."),
            (not close(std, limit), "With non_expansive=True a width that shrinks should shrink as before."),
            (
                not close(mean, free.mean + u * (free.std - limit)),
                "With non_expansive=True the width is right; the mean must be made of the limited width.",
            ),
        )


def _thin(answer: Any) -> None:
    """Ask that a width comes back from far below the rounding of the mean, and from 0."""
    x, far = np.array([1.0, -1.2]), np.array([1.0, -1.2])
    for width, words in (
        (
            1e-20,
            "A belief as thin as 1e-20 never widens again: u is lost in w − mean. Keep the normals of w.",
        ),
        (
            0.0,
            "A width of 0 should open again, as the normals tell: write σ′ without dividing by σ (see above).",
        ),
    ):
        std, opened = np.full(2, width), 0.0
        for seed in range(6):
            learner = _learner(answer, far, std)
            stepped(learner, x, seed % 2, seed)
            value = np.asarray(learner.std, float)
            hint_if((not np.isfinite(value).all() or not np.isfinite(np.asarray(learner.mean, float)).all(), words))
            opened = max(opened, float(value.max()))
        hint_if((not 1e-3 < opened < 1.0, words))
