"""What "as little as possible" can mean: each measure of how much a belief changes, in words."""

from typing import NamedTuple


class Measure(NamedTuple):
    """A measure of change: its name, what its numbers are called, and what it would mean for a learner.

    The last was measured: one weight, logistic loss, a fifth of the labels wrong, η = 0.04, 400 runs of 10⁴ rounds.
    """

    name: str
    axis: str  # of a landscape
    landscape: str  # its title
    cost: str  # in a sentence
    learner: str


WORDS = {
    "kl": Measure(
        "KL(new ‖ old)",
        "KL divergence (nats)",
        "Stretch a = {a} costs {kl} nats",
        "KL {kl} nats",
        "By this measure a single point is infinitely far from every belief. A learner that used it settled at a "
        "width of about half of gradient descent's own jitter (one weight, 400 runs).",
    ),
    "reverse-kl": Measure(
        "KL(old ‖ new)",
        "KL(old ‖ new) (nats)",
        "Stretch a = {a} costs {kl} nats",
        "KL(old ‖ new) {kl} nats",
        "By this measure the new belief must cover the old one. A learner that used it settled about three times as "
        "wide as with the paper's measure (one weight, 400 runs).",
    ),
    "wasserstein": Measure(
        "Wasserstein distance W₂",
        "squared distance W₂² (prior variances)",
        "Stretch a = {a} costs {kl} prior variances",
        "W₂² {kl} prior variances",
        "By this measure a single point is not far, and no linear map widens a point again. A learner that used it "
        "became a point in each of 400 runs. From then on it was gradient descent.",
    ),
}
