"""What notebook 08 says, checked for its own seeds and for others."""

import numpy as np

DRIFTS = ("jumping", "rotating")
LOCAL = ("GradientStep", "Momentum", "Adam")


def errors_of(name, held):
    """Mistakes over the number of weights, in %."""
    return np.reshape(errors[name, held], (6, 5)).mean(axis=0)


def followed_of(name, d):
    """Share of a step that the mean follows."""
    return np.mean(followed[name, d])


def log_width(name):
    """Mean logarithm of the width after 300 rounds."""
    return np.mean(widths[name][-1])


def least(name, point):
    """Mistakes at the best learning rate, in %."""
    return np.mean(lost[name, point], axis=1).min()


def regret_of(drift, name, rounds=4000):
    """Mean regret after so many rounds."""
    return np.mean(regret[drift, name], axis=0)[rounds // 50 - 1]


def jump_slopes(name):
    """Mistakes in the 100 rounds after the jumps, and in the 100 rounds before the next ones or the end."""
    total = np.mean(regret["jumping", name], axis=0)
    after = sum(total[at + 1] - total[at - 1] for at in (20, 40, 60))
    before = sum(total[at - 1] - total[at - 3] for at in (40, 60, 80))
    return after, before


def means_and_samples(name):
    return np.mean(by_mean[name], axis=0)


def kernel(name):
    """Mistakes over the number of features, in %."""
    return ends[name].mean(axis=0)


def doubts_of(name):
    """Width over the distance from the centre: 0, 0.5, … 6."""
    return np.mean(doubts[name], axis=0)


def late(flip, way):
    """Mistakes in %, mean over 31 to 60 labels."""
    return np.mean(missed[flip, way], axis=0)[30:].mean()


def loss(flip, eta, held, who):
    return scores[flip, eta, held, who][0]


def gap(flip, eta, held, who):
    return scores[flip, eta, held, who][1]


def share_of_ones(flip, who, place):
    """Share of ones in a bin of forecasts, by the flow with long steps that may widen."""
    tables = np.sum([bins(*run) for run in forecasts[flip, 0.1, False, who]], axis=0)
    return tables[2, place] / tables[0, place]


claim["1: if beliefs may widen, the exact rule makes fewer mistakes than the printed one, most plainly with 10"] = (
    np.all(errors_of("spherical exact", False) < errors_of("spherical", False) + 0.1)
    and np.argmax(errors_of("spherical", False) - errors_of("spherical exact", False)) == 2
    and errors_of("spherical", False)[2] > errors_of("spherical exact", False)[2] + 5
)
claim["1: if they may not, it makes more"] = np.all(
    errors_of("spherical exact", True)[1:] > errors_of("spherical", True)[1:] + 0.5
)
claim["1: with 50 weights, spherical flows that may widen are hardly better than a coin"] = (
    min(errors_of(name, False)[-1] for name in ("spherical", "spherical exact")) > 46
)
claim["1: the diagonal flow stays near SGD everywhere"] = all(
    np.all(errors_of("diagonal", held) < errors_of("SGD", held) + 6) for held in (False, True)
)
claim["1: full and spherical means are left behind with many weights, the diagonal one never"] = (
    all(followed_of(name, 50) < 0.05 for name in ("full", "spherical", "spherical exact"))
    and all(followed_of(name, 2) > 0.2 for name in ("full", "spherical", "spherical exact"))
    and all(0.7 < followed_of("diagonal", d) < 0.82 for d in (2, 10, 50))
)
claim["1: a non-expansive flow by the printed rule gets narrower"] = (
    np.mean(entropies["spherical", True, 20]) < np.mean(entropies["spherical exact", True, 20]) - 0.2
)
claim["2: narrowing goes in proportion to the fresh part of the step: a half, a tenth"] = (
    abs(log_width("decay 0.5") / log_width("decay 0.0") - 0.5) < 0.05
    and abs(log_width("decay 0.9") / log_width("decay 0.0") - 0.1) < 0.03
)
claim["2: a belief over pairs narrows several times as fast as the one that shares a velocity"] = (
    log_width("decay 0.0") < log_width("decay 0.9, pairs") < 3 * log_width("decay 0.9")
)
claim["2: Adam helps, a point and a flow alike; momentum hardly does"] = all(
    least("Adam", point) < least("GradientStep", point) - 5
    and abs(least("Momentum", point) - least("GradientStep", point)) < 2.5
    for point in (True, False)
)
claim["2: if its rate is not too small: then Adam is no better in a flow than plain steps"] = np.mean(
    lost["Adam", False][0]
) > np.mean(lost["GradientStep", False][0])
claim["2: each local flow, at its best rate, makes a few more mistakes in a flow"] = all(
    0.5 < least(name, False) - least(name, True) < 7 for name in LOCAL
)
claim["3: SGD and the diagonal flow that is held have the least regret, the one that may widen more"] = all(
    max(regret_of(drift, name) for name in ("SGD", "diagonal, held"))
    < min(regret_of(drift, name) for name in settings if name not in ("SGD", "diagonal, held"))
    for drift in DRIFTS
)
claim["3: even with its best setting no flow beats SGD"] = all(
    regret_of(drift, name) > regret_of(drift, "SGD") - 5 for drift in DRIFTS for name in settings
)
claim["3: the full flow that may widen is far behind"] = all(
    regret_of(drift, "full") > 2 * regret_of(drift, "diagonal") for drift in DRIFTS
)
claim["3: AROW has the least regret until the first jump, and never recovers"] = regret_of(
    "jumping", "AROW", 1000
) == min(regret_of("jumping", name, 1000) for name in settings) and regret_of("jumping", "AROW") > 2 * regret_of(
    "jumping", "diagonal"
)
claim["3: after a jump regret grows steeply, then gently"] = all(
    jump_slopes(name)[0] > 1.7 * jump_slopes(name)[1] for name in ("SGD", "diagonal", "diagonal, held")
)
claim["3: when the truth turns, it grows like a straight line"] = all(
    0.42 < regret_of("rotating", name, 2000) / regret_of("rotating", name) < 0.58
    for name in ("SGD", "diagonal", "diagonal, held", "full")
)
claim["3: by the mean, the diagonal flow that may widen is nearly as good, and does not win"] = (
    -5
    < means_and_samples("diagonal")[0] - means_and_samples("SGD")[0]
    < 0.5 * (means_and_samples("diagonal")[1] - means_and_samples("SGD")[1])
)
claim["4: without features about half of the examples are wrong"] = 0.3 < without < 0.7
claim["4: with them, a per cent or so; the mean is as good as SGD, a sample worse"] = (
    kernel("diagonal")[-1] < 2
    and abs(kernel("diagonal")[-1] - kernel("SGD")[-1]) < 0.6
    and np.all(kernel("diagonal, sample")[-2:] > kernel("diagonal")[-2:] + 0.5)
)
claim["4: the filter's doubt is small on the rings and rises to nearly that of the prior outside"] = (
    doubts_of("AROW")[2:5].max() < 0.15 and doubts_of("AROW")[-1] > 0.8
)
claim["4: flows doubt everywhere alike"] = all(
    np.ptp(doubts_of(name)) < 0.1 * doubts_of(name).mean() for name in ("diagonal", "full")
)
claim["4: the full flow hardly learns: it stays as wide as the prior"] = doubts_of("full").min() > 0.9
claim["5: choosing pays, and with wrong labels a lot"] = all(
    late(0.0, way) < late(0.0, "random") - 0.5 and late(0.2, way) < late(0.2, "random") / 2
    for way in ("margin", "samples")
)
claim["5: with short steps, random makes up most of the difference"] = late(0.2, "margin") < late(
    0.2, "random, short"
) and late(0.2, "random") - late(0.2, "random, short") > 0.5 * (late(0.2, "random") - late(0.2, "margin"))
claim["5: the margin of the mean does as well as fifty samples"] = (
    late(0.0, "margin") < late(0.0, "samples") + 0.7 and late(0.2, "margin") < late(0.2, "samples") + 2.5
)
claim["5: a belief that may not widen asks anywhere, in the end"] = late(0.2, "samples, held") > 2 * late(
    0.2, "samples"
) and late(0.0, "samples, held") > late(0.0, "samples")
claim["6: after long steps the ensemble is the best of the three, and a sample the worst"] = all(
    loss(flip, 0.1, False, "ensemble") < loss(flip, 0.1, False, "mean") < loss(flip, 0.1, False, "sample")
    and gap(flip, 0.1, False, "ensemble") < gap(flip, 0.1, False, "mean") < gap(flip, 0.1, False, "sample")
    for flip in (0.0, 0.2)
)
claim["6: with wrong labels and long steps all three are worse than to say ½"] = all(
    loss(0.2, 0.1, False, who) > coin + 0.05 for who in three
)
claim["6: short steps repair far more than fifty samples, and then the ensemble adds little"] = loss(
    0.2, 0.01, False, "mean"
) < loss(0.2, 0.1, False, "ensemble") - 0.1 and all(
    abs(loss(flip, 0.01, False, "mean") - loss(flip, 0.01, False, "ensemble")) < 0.03 for flip in (0.0, 0.2)
)
claim["6: for beliefs that are held, the three forecasts are nearly the same"] = all(
    np.ptp([loss(flip, eta, True, who) for who in three]) < 0.02 for flip, eta, _ in cases
)
claim["6: with right labels the curves are not far from the line, with wrong ones much too flat"] = all(
    share_of_ones(0.0, who, 9) > 0.88
    and share_of_ones(0.0, who, 0) < 0.12
    and share_of_ones(0.2, who, 9) < 0.82
    and share_of_ones(0.2, who, 0) > 0.2
    for who in three
)
if as_stored:
    assert set(settings) == {"SGD", "AROW", "diagonal", "diagonal, held", "full", "full, held"}
    assert len(pool) - 60 == len(left) and pool.features == 31
