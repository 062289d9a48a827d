"""Reference solutions, typical mistakes and hints for lesson 2, "One weight: the regime map"."""

import numpy as np

from bflo_viz.lessons.exercise import Bet, Exercise

past_the_mean = Bet(
    "2a",
    title="Which way does the width go?",
    right="narrower",
    replies={
        "wider": "A belief widens only if the weight moves away on its own side; here it comes out half as wide.",
        "the same": "The distance from the old mean is the same, but the mean has moved; the belief is half as wide.",
        "narrower": "It comes out half as wide. Open the answer below to see why.",
    },
)


def _cheapest():
    # 1 → ½ costs 0.059 + 0.026 nats (mean + width), and 1 → −1 costs 1.125 + 0.318 nats.
    return 0.843, 0.5


cheapest = Exercise(
    "2.1",
    right=_cheapest,
    cases=[()],
    praise="No other stretch with a > 0 is cheaper: 0.085 nats for the first step and 1.443 for the second.",
    mistakes={
        "You kept the width, so the slide pays for everything: 0.125 and 2 nats. Narrow the belief and watch the "
        "price of the mean fall.": lambda: (1.0, 1.0),
        "You let the stretch do all the work, a = v/u. Then the mean is free, but the first width costs 0.318 nats, "
        "and the second belief is turned over. Slide a little, and keep a > 0.": lambda: (0.5, -1.0),
        "The second is right. The first step is much gentler, so less narrowing pays for itself: look between 0.5 "
        "and 1.": lambda: (0.5, 0.5),
        "The second belief is turned over. That is free, but here a has to stay above 0.": lambda: (0.843, -1.0),
        "You have swapped the two steps.": lambda: (0.5, 0.843),
        "These are the lowest prices. Give the two stretches a at which you found them.": lambda: (0.085, 1.443),
    },
    hints=[
        "Start at a = 1 and narrow the belief. As long as the mean saves more than the width costs, carry on.",
        "For the step to −1, compare a = 0.4, 0.5 and 0.6. For the step to ½, compare a = 0.8, 0.85 and 0.9.",
    ],
    otherwise="At least one of the two can be made cheaper. Move it and watch whether the bar gets shorter.",
    rtol=0.0,
    atol=0.02,
)


def _slope(a, u, v):
    # v − a u has the derivative −u, and ½ log a² = log a has the derivative 1/a.
    return -u * (v - a * u) + a - 1 / a


slope = Exercise(
    "2.2",
    right=_slope,
    cases=[(0.5, 1.0, 2.0), (1.3, 0.7, -1.1), (2.0, -1.5, 0.4)],
    praise="It vanishes at the bottom of the valley: try slope(0.5, 1.0, -1.0).",
    mistakes={
        "The chain rule is missing: the square contributes (v − a u) times the derivative of v − a u, which is "
        "−u.": lambda a, u, v: (v - a * u) + a - 1 / a,
        "The logarithm enters the price with a minus sign, and so does its derivative.": lambda a, u, v: (
            -u * (v - a * u) + a + 1 / a
        ),
        "The paper's Appendix prints this sign for a, but it is a misprint: ½ a² has the derivative "
        "+a.": lambda a, u, v: -u * (v - a * u) - a - 1 / a,
        "The derivative of v − a u with respect to a is −u, so the sign of the first term changes.": lambda a, u, v: (
            u * (v - a * u) + a - 1 / a
        ),
        "½ log a² is log |a|, so its slope is 1/a and not 2/a.": lambda a, u, v: -u * (v - a * u) + a - 2 / a,
    },
    hints=[
        "Differentiate the two prices separately, and use the chain rule for the square.",
        "The square gives −u (v − a u). The width gives a from ½ a², and −1/a from −½ log a² = −log a.",
    ],
)


def _landing(u, a):
    # Solve (1 + u²) a² − u v a − 1 = 0 for v.
    return ((1 + u**2) * a**2 - 1) / (u * a)


landing = Exercise(
    "2.3",
    right=_landing,
    cases=[(1.0, 0.5), (2.0, 0.5), (-1.5, 1.2), (0.5, 2.0)],
    praise="Halving from u = 1 takes a crossing, to v = −1. It needs none if u is at least √3, where v is exactly 0.",
    mistakes={
        "That is where stretching alone would bring the weight. The belief slides as well, so v has to satisfy the "
        "whole quadratic.": lambda u, a: a * u,
        "The sign is reversed. Test it on bet 2a: for u = 1 and a = ½ the weight landed at −1.": lambda u, a: (
            (1 - (1 + u**2) * a**2) / (u * a)
        ),
        "The factor of a² is 1 + u². The 1 comes from the price of the width.": lambda u, a: (
            (u**2 * a**2 - 1) / (u * a)
        ),
    },
    hints=[
        "The quadratic is linear in v, so no root is needed: bring u v a to one side.",
        "u v a = (1 + u²) a² − 1. Now divide by u a.",
    ],
)


def _root(u, v):
    large = abs(u * v) + np.sqrt((u * v) ** 2 + 4 * (1 + u**2))
    if u * v >= 0:
        return large / (2 * (1 + u**2))
    return 2 / large  # 1/(1 + u²) divided by the size of the negative root, large / (2 (1 + u²))


def _printed(u, v):
    """Return the positive root by the paper's formula, which cancels for u v < 0."""
    return (u * v + np.sqrt(4 + u**2 * (4 + v**2))) / (2 * (1 + u**2))


root = Exercise(
    "2.4",
    right=_root,
    cases=[(1.0, 0.5), (1.0, -1.0), (2.0, -0.5), (-0.5, 3.0), (1.0, -1e9)],
    praise="Exact to the last digits, even for a step of a billion standard deviations. `stretch` does the same.",
    mistakes={
        "That is the printed formula. It is right for ordinary steps, but for v = −10⁹ it still returns 0.": _printed,
        "That is the negative root itself. Divide the product of the roots by it.": lambda u, v: (
            _root(u, v) if u * v > 0 else -1 / (1 + u**2) / _root(u, v)
        ),
        "That is the size of the negative root. Divide 1/(1 + u²) by it.": lambda u, v: _root(abs(u), abs(v)),
    },
    hints=[
        "For u v < 0 the negative root is −large / (2 (1 + u²)), and that involves no subtraction.",
        "Divide the product −1/(1 + u²) by that negative root and simplify.",
    ],
)


def _flow(mean, std, w, w_new):
    u, v = (w - mean) / std, (w_new - mean) / std
    large = abs(u * v) + np.sqrt((u * v) ** 2 + 4 * (1 + u**2))
    a = large / (2 * (1 + u**2)) if u * v >= 0 else 2 / large
    return w_new - a * (w - mean), a * std


def _with_stretch(stretch_of):
    """Return a version of `_flow` that computes the stretch differently from Δ, Δ′ and std."""

    def flow(mean, std, w, w_new):
        a = stretch_of(w - mean, w_new - mean, std)
        return w_new - a * (w - mean), a * std

    return flow


flow = Exercise(
    "2.5",
    right=_flow,
    cases=[(1.0, 2.0, 4.0, 2.5), (0.3, 0.7, 1.0, -0.6), (1.0, 0.5, 1.0, 1.8), (0.0, 1.0, 1.0, -1e9)],
    praise="This is the belief flow of one weight, and you wrote all of it. Lesson 3 starts from here.",
    mistakes={
        "Both numbers are right, but in the wrong order: return the mean first.": lambda *case: _flow(*case)[::-1],
        "The std is right. The mean is not: the stretch has already covered a (w − mean) of the way to "
        "w_new.": lambda mean, std, w, w_new: (w_new, _flow(mean, std, w, w_new)[1]),
        "u and v need their signs. Lengths cannot tell a weight that crossed the mean from one that did "
        "not.": _with_stretch(lambda d, d_new, std: _root(abs(d) / std, abs(d_new) / std)),
        "The mean is right. Your second number is the stretch a, and the new std is a times the old "
        "one.": lambda mean, std, w, w_new: np.divide(_flow(mean, std, w, w_new), (1, std)),
        "You squared the stretch. The variance is multiplied by a², but the std by a.": lambda mean, std, w, w_new: (
            np.power(_flow(mean, std, w, w_new), (1, 2)) / (1, std)
        ),
        "Right for ordinary steps, but for w_new = −10⁹ the std comes out as 0. Use your root from exercise "
        "2.4.": _with_stretch(lambda d, d_new, std: _printed(d / std, d_new / std)),
    },
    hints=[
        "Four lines will do: u and v; the root from exercise 2.4; the new mean; the new std.",
        "With a = root(u, v), the new std is a · std and the new mean is w_new − a (w − mean).",
    ],
)

mirrored = Bet(
    "2b",
    title="What does turning over cost?",
    right="free",
    replies={
        "more expensive": "It sounds drastic, but a bell curve is its own mirror image, so turning it over is free.",
        "cheaper, but not free": "Even better: a bell curve is its own mirror image, so turning it over is free.",
        "free": "The map w ↦ −w carries 1 to −1 and leaves the belief exactly as it was.",
    },
)
