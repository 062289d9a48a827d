"""Judges of the exercises of notebooks 05 to 08 and 10: learning round by round, tables of errors, votes, widths."""

import math
from typing import Any

import numpy as np

from bflo_viz import DiagonalBelief, FullBelief, OnlineExplorer, SphericalBelief, stretch
from bflo_viz.explorers.results import ResultsExplorer
from bflo_viz.figures.ensemble import width_law
from bflo_viz.lessons.exercise import Hint, array, call, close, hint_by_result, hint_if, number, pair, traits

# Notebook 05: a line online


def thompson_round(answer: Any) -> None:
    """Judge which weights were tried, drawn in whatever way, and which ones predicted, on two beliefs."""
    beliefs = (FullBelief([0.3, -0.2], [[1.0, 0.4], [0.4, 0.8]]), DiagonalBelief([-0.4, 0.2], [0.5, 1.5]))
    x, labels, white = np.array([1.0, 0.5]), [], np.empty((48, 2))
    by_weight, again, by_mean = np.zeros((3, 48), dtype=bool)
    for n in range(48):
        belief, rng = beliefs[n % 2], np.random.default_rng(n)
        weight, label = pair(call(_seeded(answer, n), belief, x), "the weight and the label")
        weight, mean = array(weight, (2,), "the weight"), belief.mean
        hint_if(
            (close(weight, mean), "At the mean itself u = 0 and a = 1: the width of the belief would never change.")
        )
        same = array(pair(call(_seeded(answer, n), belief, x), "the weight and the label")[0], (2,), "the weight")
        hint_if((not close(weight, same), "The same rng gave another weight: draw from the generator that is given."))
        root = np.linalg.cholesky(belief.covariance)
        white[n] = np.linalg.solve(root, weight - mean)
        labels.append(float(label) if isinstance(label, bool | np.bool_) else number(label, "the label"))
        belief.sample(rng)
        by_weight[n], again[n], by_mean[n] = (weights @ x > 0 for weights in (weight, belief.sample(rng), mean))
    spread = np.linalg.eigvalsh(np.cov(white.T))  # of drawn weights 1 and 1, but for chance
    hint_if(
        (
            close(white[::2], white[0], 1e-3),
            "Every rng gives the same weight: draw from the generator that is given.",
        ),
        (
            not (spread[0] > 0.4 and spread[1] < 2.2 and np.abs(white.mean(axis=0)).max() < 0.45),
            "The weight should be drawn from the belief, once: belief.sample(rng).",
        ),
        (not set(labels) <= {0, 1}, "The label should be 0 or 1, not a probability."),
    )
    ways = {
        "": by_weight,
        "The labels are swapped: it should be 1 where w · x > 0.": ~by_weight,
        "This predicts by the mean: let the weight that was drawn predict.": by_mean,
        "A second weight was drawn to predict: let the first one do that, too.": again,
    }
    hint_by_result([labels], [ways], "The label should be 1 exactly where w @ x > 0, with the w that was drawn.")


def keep_up(answer: Any, turn: float, flipped: float, below: float) -> None:
    """Judge a run under drift by its mistakes, in %."""
    state = traits(answer, OnlineExplorer)
    hint_if(
        (abs(state.drift - turn) > 0.01, f"Set the drift back to {turn:g}°: the world must stay as it is."),
        (
            abs(100 * state.flip - flipped) > 0.1,
            f"Set the wrong labels back to {flipped:g} %: the world must stay as it is.",
        ),
    )
    errors = {flow: state.scene.error(flow, state.scene.rounds) for flow in ("full", "diagonal", "spherical")}
    worst = max(errors, key=errors.__getitem__)
    at = f"The {worst} flow is at {errors[worst]:.0f} %"
    if errors[worst] >= below:
        free, short = not state.non_expansive, state.eta < 0.06
        hint_if(
            (free and short, f"{at}. The boundaries lag behind the truth: try longer steps first."),
            (free, f"{at}. The steps are long now, but a part of each goes into the width. What forbids that?"),
            (short, f"{at}. Nothing goes into the width now, but the steps are still too short."),
            (True, f"{at}. Nearly: what is lost is lost in the first rounds. Would a narrower prior help?"),
        )


# Notebook 06: Table 1


def mean_ranks(answer: Any) -> None:
    """Judge ranks on three small tables, one of them with a tie."""
    tables = (
        np.array([[5.0, 9.0, 30.0, 2.0], [6.0, 8.0, 10.0, 2.5], [7.0, 4.0, 20.0, 1.0]]),
        np.array([[1.0, 2.0], [1.0, 3.0], [4.0, 1.0]]),
        np.array([[3.0, 8.0, 6.0], [9.0, 7.0, 5.0], [1.0, 9.5, 4.0], [2.0, 6.5, 7.0]]),
    )
    means = [array(call(answer, table), (len(table),), "what your function returns") for table in tables]
    wrong = "These are not the mean ranks: 1 for the smallest error of each column, and so on."
    hint_by_result(means, [_mean_ranks(table) for table in tables], wrong)


def _mean_ranks(table: Any) -> dict[str, Any]:
    at_once = _ranks(table.reshape(-1, 1)).reshape(table.shape)
    order = table.argsort(axis=0, kind="stable")
    ways = {
        "": _ranks(table),
        "These rank the streams of one learner. It is the learners that compete, on each stream.": _ranks(table.T).T,
        "These rank all numbers of the table at once: rank the learners on each stream by itself.": at_once,
        "Here the largest error gets rank 1: it should be the smallest.": _ranks(-table),
        "These ranks begin with 0: the smallest error should have rank 1.": _ranks(table) - 1,
        "Equal errors should share the average of their places, not the first of them.": _ranks(table, 0.0),
        "Equal errors should share the average of their places, not the last of them.": _ranks(table, 1.0),
        "argsort tells which learner comes first, second, …, not the place that each one has.": order + 1,
        "These are means of the errors, not ranks: only the order on each stream should count.": table,
    }
    return {words: ranks.mean(axis=1) for words, ranks in ways.items()}


def _ranks(table: Any, equal: float = 0.5) -> Any:
    """Ranks down the columns, by counting; ``equal`` is what each other learner with the same error adds."""
    smaller = (table[None] < table[:, None]).sum(axis=1)
    same = (table[None] == table[:, None]).sum(axis=1) - 1
    return 1 + smaller + equal * same


def wrong_labels_help(answer: Any, flipped: float, clearly: float) -> None:
    """Judge the cell of a table that is looked at by its final errors, in standard errors."""
    panel = traits(answer, ResultsExplorer)
    hint_if(
        (panel.experiment != "table1", "The answer should be a cell of Table 1, but this one is of Table 2."),
        (panel.chosen != panel.bench.ends[1], "Set the switches as they were fitted: press that chip."),
    )
    clean, noisy = (panel.number(measure="final", noise=noise) for noise in (0.0, flipped / 100))
    gain, margin = clean.ours - noisy.ours, math.hypot(clean.error or 0.0, noisy.error or 0.0)
    place = f"{clean.learner} on {clean.stream}"
    errors = f"{place}: {clean.ours:.2f} % without wrong labels, {noisy.ours:.2f} % with them"
    hint_if(
        (gain <= 0, f"{errors}. Here they cost more mistakes, as one would expect. Try another."),
        (gain <= clearly * margin, f"{errors}. That is fewer, but it may be chance: the margin is ± {margin:.2f}."),
    )


def drive_it_down(answer: Any, near: float) -> None:
    """Judge the switches of a table by how far its numbers are from the printed ones."""
    bench = traits(answer, ResultsExplorer)
    hint_if((bench.experiment != "table1", "The answer should be about Table 1: choose that table in it."))
    off = f"Your numbers are {bench.deviation:.2f} points from the printed ones"
    hint_if(
        (bench.split == "shuffled", f"{off}. The printed final errors are above the online ones on three streams."),
        (bench.deviation >= near, f"{off}: nearer than before, and not yet below {near:g}."),
    )


# Notebook 07: votes of networks


def vote(answer: Any) -> None:
    """Judge winners and shares on two small elections without ties."""
    winners, shares, by_votes, by_share = [], [], [], []
    for samples, pictures in ((9, 6), (15, 4)):
        labels = np.random.default_rng(samples).integers(0, 10, (samples, pictures))
        for i in range(pictures):  # a majority for each, so that no tie has to be broken
            labels[: samples // 2 + 1 + i % 3, i] = (3 * i + 1) % 10
        counts = (labels == np.arange(10)[:, None, None]).sum(axis=1)
        winner, confidence = pair(call(answer, counts), "the winners and their shares")
        winners.append(_for_each(winner, pictures, "winner"))
        shares.append(_for_each(confidence, pictures, "confidence"))
        most, votes = np.max(counts, axis=0), np.sum(counts, axis=0)
        ways = {
            "": np.argmax(counts, axis=0),
            "This winner is the number of votes; it should be the class that got them.": most,
            "This is a class with the fewest votes: look for the most.": np.argmin(counts, axis=0),
        }
        by_votes.append(ways)
        divided = {
            "": most / votes,
            "This is a count of votes: make it a share of the votes.": most,
            "You divided by the number of classes: divide by the votes on the picture.": most / 10,
            "You divided by the votes on all pictures together: each has a vote of its own.": most / votes.sum(),
            "This is the share of the votes against the winner.": 1 - most / votes,
        }
        by_share.append(divided)
    wrong = "These are not the winners: the class with the most votes, for each picture."
    hint_by_result(winners, by_votes, wrong)
    wrong = "The confidence should be the winner's votes divided by all votes on the picture."
    hint_by_result(shares, by_share, wrong)


def _for_each(value: Any, pictures: int, what: str) -> Any:
    if np.shape(value) == (10,):
        raise Hint(f"There should be one {what} for each picture, but yours are one for each class: the other axis.")
    return array(value, (pictures,), what)


# Notebook 08: further questions


def narrow_enough(answer: Any, weights: int, length: float, least: float, most: float) -> None:
    """Judge a width by how much of a step the mean follows, in % on average over samples and directions."""
    std = number(answer, "the width")
    hint_if(
        (std <= 0, "A width must be above 0."),
        (std < 1e-9, "The mean follows 100 % of the step: that is narrower than it has to be."),
    )
    belief, rng, parts = SphericalBelief(np.zeros(weights), std), np.random.default_rng(0), []
    for z, way in rng.standard_normal((300, 2, weights)):
        w, step = belief.weight(z), length * way / np.linalg.norm(way)
        parts.append(belief.flow(w, w + step, z=z, non_expansive=True).mean @ step / length**2)
    followed, away = 100 * float(np.mean(parts)), std * np.sqrt(weights)
    says = f"The mean follows {followed:.0f} % of the step"
    far = f"{says}: a sample lies {away:.2g} from the mean"
    hint_if(
        (followed < least and away > 2 * length, f"{far}, so a step of {length:g} only turns it. Narrower!"),
        (followed < least, f"{far}, about as far as it steps. Nearly!"),
        (followed > most, f"{says}: that is narrower than it has to be."),
    )


def most_disputed(answer: Any) -> None:
    """Judge the choice out of two pools in which each typical mistake has a row of its own."""
    belief, tiny = FullBelief([1.0, 0.0], np.diag([0.01, 4.0])), (0.004, 0.0)
    rows = {
        (-5.0, 0.0): "This is where the weights agree most. You want the vote nearest to half and half.",
        (5.0, 0.1): "This is a row on which they all say 1. You want the vote nearest to half and half.",
        tiny: "This asks the mean: a tiny x is near its boundary, yet all weights agree on it.",
        (40.0, 6.0): "This goes by the spread of w · x, which is large for a huge x, whatever they vote.",
        (2.0, 1.0): "This goes by the spread of the probabilities. Count votes: w · x > 0, or not.",
        (0.01, 0.1): "",
    }
    for n, pool in enumerate(([*rows][:2] + [*rows][:1:-1], [*rows])):
        ask = _seeded(answer, n)
        place, last = number(call(ask, belief, np.array(pool))), len(pool) - 1
        wrong = f"{place:g} is not the place of a row: they are 0 to {last}. np.argmin gives places."
        hint_if((place not in range(len(pool)), wrong))
        words = rows[pool[int(place)]]
        # Of these two rows the mean is less sure of the first, the mean probability of the second.
        if pool[int(place)] == tiny and number(call(ask, belief, np.array([(0.8, 0.0), (1.0, 4.0)]))) == 1:
            words = (
                "This averages probabilities: for a tiny x all are near ½, yet all weights vote alike. Count votes."
            )
        hint_if((words, words))


def _seeded(function: Any, seed: int) -> Any:
    """The function without its generator, so that no hint names it: its address differs from run to run."""
    if not callable(function):
        return function
    return lambda belief, X: function(belief, X, np.random.default_rng(seed))


# Notebook 10: the ensemble


def share_of_pull(answer: Any) -> None:
    """Judge a measured share by weights on either side of the mean, for two small pulls; to two hundredths."""
    u = np.random.default_rng(0).standard_normal(2000)
    results = []
    for pull in (0.01, 0.02):
        share = number(call(answer, u, pull), "the share")
        a = stretch(u, u - pull * u)
        results.append((share, np.mean(np.log(a)) / np.log(1 - pull), np.median(1 - a) / pull, float(np.mean(a))))
    shares, wanted, middle, stretches = (np.array(part) for part in zip(*results, strict=True))
    says = f"For a pull of 1 % of these weights the share is {wanted[0]:.3f}, but yours is {shares[0]:.3f}"
    if close(shares, wanted, 0.02):
        return
    slips = {
        "The size is right, but not the sign: look at the order of u and v, or at the logarithms.": -wanted,
        "That is the other part, which the mean follows. How much is left for the width?": 1 - wanted,
        "That is the median. A belief goes through many steps, and their logarithms add up: take the mean.": middle,
    }
    hint_if(
        *((close(shares, slip, 0.02), words) for words, slip in slips.items()),
        (
            close(shares, stretches, 1e-4),
            "That is the stretch itself: take logarithms, and compare with the ensemble's.",
        ),
        (
            close(shares, np.log(stretches), 1e-4),
            "So much the belief narrows: divide it by log(1 − pull), the ensemble's.",
        ),
        (
            abs(shares).max() < 0.02,
            "All weights were pushed the same way: a pull takes each one nearer to the mean, 0.",
        ),
        (shares.min() > 2, f"{says}: a pull of 1 % leaves a weight at 99 % of its distance."),
        (True, f"{says}."),
    )


def settle_at(answer: Any, width: float, noise: float, within: float) -> None:
    """Judge a learning rate by the width at which a flow over one weight settles in the bowl w²/2."""
    eta = number(answer, "the learning rate")
    hint_if(
        (eta <= 0, "A learning rate must be above 0."),
        (eta >= 2, "Steps of 2 or more lead away from the optimum of this bowl: nothing settles."),
    )
    jitter = noise * math.sqrt(eta / (2 - eta))
    found = width_law().median() * jitter
    says = f"The belief settles at {found:.3f}"
    hint_if(
        (
            abs(jitter / width - 1) < 0.1,
            f"{says}: it is SGD that jitters by {width:g}, and the belief by half of it.",
        ),
        (abs(found / width / noise - 1) < 0.1, f"{says}. And the noise? Gradients err by {noise:g} here, not by 1."),
        (
            found > (1 + within) * width,
            f"{says}, which is too wide. It goes like √η: half of it takes a quarter of η.",
        ),
        (
            found < (1 - within) * width,
            f"{says}, which is too narrow. It goes like √η: twice as wide takes four times η.",
        ),
    )
