"""What notebook 01 says of its numbers and pictures."""

import itertools
import math

import numpy as np
from scipy.integrate import quad
from scipy.special import exp1
from scipy.stats import norm

from bflo_viz import DiagonalBelief, FullBelief
from bflo_viz.lessons.exercises import e01
from bflo_viz.scenes.surfaces import SURFACES
from bflo_viz.scenes.three_ways import TOO_SURE, dynamics

FLOOR = np.array([math.cos(math.radians(25)), math.sin(math.radians(25))])  # along the ravine


def away(names, w):
    return np.linalg.norm(w - names["w_best"])


def medians(names, surface, way, now):
    return np.median([run.facts[f"{way}_away"][now] for run in names["streams"][surface]])


def all_three_arrive(_):
    """Within half a unit, from 3.5 on average; and the last rounds move about there."""
    scene = dynamics(rng=np.random.default_rng(0))
    ends = [scene.points[-1], scene.bayes.mean[-1], scene.beliefs[-1].mean]
    return max(scene.surface.away(end) for end in ends) < 0.5


def recursion_is_the_batch(names):
    """Example by example, by the two equations of the text, with the solution of exercise 01.1."""
    precision, natural = np.eye(2), np.zeros(2)
    for x, y in zip(names["X"], names["y"], strict=True):
        precision, natural = precision + np.outer(x, x) / 0.49, natural + y * x / 0.49
    return np.allclose(np.linalg.inv(precision), names["covariance"]) and np.allclose(
        np.linalg.solve(precision, natural), names["mean"]
    )


def last_round_by_the_paper(names):
    prior, posterior, A = names["prior"], names["posterior"], names["A"]
    return np.allclose(A @ prior.covariance @ A.T, posterior.covariance) and np.allclose(
        A @ prior.mean + names["b"], posterior.mean
    )


def mean_share(names):
    """A small step carries the mean by 2/(2 + u²) of its radial part: on average, in a plane, ½ e E₁(1) of it."""
    exact = {
        FullBelief([0.0, 0.0], np.eye(2)): 0.5 * math.e * exp1(1),
        DiagonalBelief([0.0, 0.0], 1.0): quad(lambda z: 2 / (2 + z * z) * norm.pdf(z), -40, 40)[0],
    }
    found = []
    for belief, share in exact.items():
        for kept in (False, True):
            means = [belief.flow(w, w + names["step"], non_expansive=kept).mean[0] for w in names["draws"]]
            found.append(np.mean(means) / names["step"][0])
        if not (abs(found[-2] - share) < 0.05 and found[-2] + 0.05 < found[-1] < 1):
            return False
    return np.allclose(list(exact.values()), [0.3, 0.76], atol=0.005) and found[0] < found[2] and found[1] < found[3]


def surer_still(_):
    """In the ravine, in the middle of ten streams."""
    surface, far = SURFACES["ravine"], {False: [], True: []}
    for kept, seed in itertools.product(far, range(10)):
        rng, belief = np.random.default_rng(seed), FullBelief([0.0, 0.0], 1.44 * np.eye(2))
        for example in surface.stream(rng.standard_normal((150, 3))):
            w = belief.sample(rng)
            belief = belief.flow(w, w - surface.eta * surface.gradient(w, example), non_expansive=kept)
        offset = surface.optima[0] - belief.mean
        far[kept].append(np.sqrt(offset @ np.linalg.solve(belief.covariance, offset)))
    return np.median(far[True]) > 1.3 * np.median(far[False])


def cloud_is_the_belief(names):
    run = names["bowl"].scene
    clouds = zip(run.clouds, run.beliefs, strict=True)
    return all(
        np.allclose(cloud.mean(axis=0), belief.mean) and np.allclose(np.cov(cloud.T, bias=True), belief.covariance)
        for cloud, belief in clouds
    )


def steps_cross_the_line(names):
    """All steps of the bowl are along x, towards the line w · x = y."""
    run = names["bowl"].scene
    steps = np.vstack([np.diff(run.points, axis=0), run.moved - run.sampled])
    starts, x, y = np.vstack([run.points[:-1], run.sampled]), *np.split(np.tile(run.examples, (2, 1)), [2], axis=1)
    sideways = steps[:, 0] * x[:, 1] - steps[:, 1] * x[:, 0]
    towards = np.einsum("ni,ni->n", steps, x) * (y[:, 0] - np.einsum("ni,ni->n", starts, x))
    return np.allclose(sideways, 0) and np.all(towards >= 0)


def order_in_the_bowl(names):
    facts, now = names["bowl"].scene.facts, names["bowl"].round
    return facts["bayes_away"][now] < 0.5 < facts["sgd_away"][now] < facts["flow_away"][now]


def ravine_picture(names):
    run = names["ravine"].scene
    offset = run.points[150] - run.surface.optima[0]
    on_floor = abs(offset[0] * FLOOR[1] - offset[1] * FLOOR[0]) < 0.3 < 1 < abs(offset @ FLOOR)
    thin = run.facts["bayes_std"][150]
    longest = np.linalg.eigh(run.bayes.covariance[150])[1][:, 1]
    narrow = run.facts["flow_std"][150]
    return (
        on_floor
        and thin[1] > 4 * thin[0]
        and abs(longest @ FLOOR) > 0.95
        and run.facts["bayes_far"][150] < 2
        and narrow.max() < 0.65 * 1.2
        and narrow.max() < 3 * narrow.min()
        and run.facts["flow_away"][150] > 2
        and run.facts["flow_far"][150] > 3
    )


def full_flow_changes_one_direction(_):
    """Σ′ − Σ is a multiple of Δ′Δ′ᵀ."""
    rng = np.random.default_rng(3)
    prior = FullBelief([0.3, -0.2], [[1.0, 0.4], [0.4, 0.7]])
    for w, moved in rng.standard_normal((50, 2, 2)):
        change = prior.flow(w, moved).covariance - prior.covariance
        along = np.outer(moved - prior.mean, moved - prior.mean)
        if not np.allclose(change, along * np.trace(change) / np.trace(along)):
            return False
    return True


def narrowed_along_the_floor(names):
    """The last belief of the cell is diagonal; the full one is done again, with other numbers."""
    rng, widths = np.random.default_rng(9), []
    for _ in range(20):
        belief = FullBelief([0.0, 0.0], np.eye(2))
        for _ in range(40):
            w = belief.sample(rng)
            belief = belief.flow(w, w * [1.0, 0.85])
        widths.append(belief.std[0])
    return abs(np.median(widths) - 0.7) < 0.1 and names["along"] == 1 and names["across"] < 0.3


def of_this_seed(check):
    """A sentence that says “with this seed” is about the seed of the notebook only."""
    return lambda names: names["wells"].seed != 4 or check(names["wells"].scene)


def wells_of_bayes_and_sgd(names):
    run = names["wells"].scene
    saddle = run.surface.loss(run.bayes.mean[150]) - run.surface.loss(run.surface.optima[0])
    return (
        np.sign(run.points[0, 0]) == np.sign(run.points[150, 0])
        and run.facts["sgd_away"][150] < 1
        and run.bayes.apart(150)
        and run.facts["bayes_right"][150] == 0.5
        and run.bayes.mean[150, 0] == 0
        and abs(saddle - 0.5) < 0.02
        and run.surface.loss(run.bayes.hill_mean[150]) < 0.02
    )


def most_have_chosen(names):
    left, right = int(names["left"]), int(names["right"])
    return left + right >= 26 and min(left, right) >= 5 and left + right < 40


def mean_in_place_of_the_sample(_):
    """Question 2: gradient descent of the mean, and the width stays."""
    prior = FullBelief([0.3, -0.2], [[1.0, 0.4], [0.4, 0.7]])
    post = prior.flow(prior.mean, [1.0, 1.0])
    return np.allclose(post.mean, [1, 1]) and np.allclose(post.covariance, prior.covariance)


CLAIMS = [
    ("All three arrive here", all_three_arrive),
    ("SGD: it gets there", lambda n: away(n, n["point"]) < 0.5),
    ("the 150 examples lead to", recursion_is_the_batch),
    ("Bayes ends there", lambda n: away(n, n["mean"]) < 0.3),
    ("the flow ends nearer to the best weights than it began", lambda n: away(n, n["prior"].mean) < 1.5),
    ("The paper spells it out as a matrix and two updates", last_round_by_the_paper),
    (
        "with the same draws we come to the same belief",
        lambda n: (
            np.allclose(n["by_hand"].mean, n["learner"].belief.mean)
            and np.allclose(n["by_hand"].covariance, n["learner"].belief.covariance)
            and len(n["rounds"]) == 150
        ),
    ),
    (
        "To predict with samples costs mistakes while the belief is wide",
        lambda n: n["mistakes"][0] > n["mistakes"][1],
    ),
    ("SGD's point and the sampled weight step towards it at right angles", steps_cross_the_line),
    ("in every round their mean and covariance are those of the belief", cloud_is_the_belief),
    ("Bayes' rule is far ahead, and the belief flow is last", order_in_the_bowl),
    ("three tenths of the step, three quarters with a diagonal one, and more if it may not widen", mean_share),
    ("Non-expansive flows can only narrow, and are surer still", surer_still),
    ("SGD on the floor, Bayes long and thin, the flow narrow in both directions: sure, and wrong", ravine_picture),
    (
        "the explorer calls a belief too sure beyond three standard deviations",
        lambda n: TOO_SURE == e01._TOO_SURE == 3,
    ),
    (
        "On both surfaces Bayes' mean is nearest in the end, then SGD, then the flow",
        lambda n: all(
            medians(n, surface, "bayes", 150) < medians(n, surface, "sgd", 150) < medians(n, surface, "flow", 150)
            for surface in ("convex", "ravine")
        ),
    ),
    (
        "In the bowl the flow is then mostly not too sure; in the ravine it nearly always is",
        lambda n: (
            sum(run.facts["flow_far"][150] > 3 for run in n["streams"]["convex"]) <= 4
            and sum(run.facts["flow_far"][150] > 3 for run in n["streams"]["ravine"]) >= 8
        ),
    ),
    ("A full flow narrows it (or widens it) along Δ′", full_flow_changes_one_direction),
    ("the full belief became surer of the first weight, the diagonal one did not", narrowed_along_the_floor),
    (
        "thirty times steeper across than along",
        lambda n: np.isclose(np.divide(*np.linalg.eigvalsh(SURFACES["ravine"].moments)[::-1]), 30),
    ),
    ("SGD rolled down on its side; Bayes keeps both; its mean is half a unit of loss above", wells_of_bayes_and_sgd),
    (
        "it lies across both for a long time",
        lambda n: np.all(np.abs(n["wells"].scene.facts["flow_right"][:60] - 0.5) < 0.45),
    ),
    (
        "with this seed it has 62 % of itself on the right at round 23, and ends on the left",
        of_this_seed(
            lambda run: round(run.facts["flow_right"][23], 2) == 0.62 and run.facts["flow_right"][150] < 0.05
        ),
    ),
    ("Most have chosen by now, some this well and some that one; the others are undecided", most_have_chosen),
    ("w = belief.mean: gradient descent, and the width stays", mean_in_place_of_the_sample),
]

IN_KERNEL = [
    "assert (bowl.surface, bowl.seed, bowl.round) == ('convex', 0, 20)",
    "assert (ravine.surface, ravine.seed, ravine.round) == ('ravine', 3, 150)",
    "assert (wells.surface, wells.seed, wells.round) == ('double well', 4, 150)",
    "assert len(make('dynamics', seed=0).axes) == len(bowl.figure().axes) == 4",
    "assert np.allclose(wells.posterior.mean, [-2.31, 0.74], atol=0.01)",
    "ravine.round = 15; assert check.too_sure_since(ravine).right and 'too sure' in repr(ravine)",
    "ravine.round = 14; assert not check.too_sure_since(ravine).right and 'too sure' not in repr(ravine)",
    "bowl.round = 0; assert np.array_equal(bowl.posterior.mean, bowl.belief.mean)",
]
