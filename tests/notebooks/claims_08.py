"""What notebook 08 says, checked for its own seeds and for others."""

import numpy as np

DRIFTS = ("jumping", "rotating")
LOCAL = ("GradientStep", "Momentum", "Adam")
ALIKE = ("SGD", "diagonal", "diagonal, non-expansive")  # in section 1


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


def mistakes_of(drift, name, rounds=4000):
    """Mean number of mistakes after so many rounds."""
    return np.mean(so_far[drift, name], axis=0)[rounds // 50 - 1]


def jump_slopes(name):
    """Mistakes in the 100 rounds after the jumps, and in the 100 rounds before the next ones or the end."""
    total = np.mean(so_far["jumping", name], axis=0)
    after = sum(total[at + 1] - total[at - 1] for at in (20, 40, 60))
    before = sum(total[at - 1] - total[at - 3] for at in (40, 60, 80))
    return after, before


def kernel(name):
    """Mistakes over the number of features, in %."""
    return ends[name].mean(axis=0)


def doubts_of(name):
    """Width over the distance from the centre: 0, 0.5, … 6."""
    return np.mean(doubts[name], axis=0)


def late(flip, way):
    """Mistakes in %, mean over 31 to 60 labels."""
    return np.mean(missed[flip, way], axis=0)[30:].mean()


def after(name, column, place=-1):
    """Of section 1, on digits with wrong labels: log loss shown, new, of 30 samples; mistakes (%)."""
    return np.mean(over[name], axis=0)[place, column]


def best(data, flip, name, column=1):
    """The same at the best of three rates."""
    return np.mean(best_rate((data, flip, name))[1], axis=0)[column]


def part(kind, width, column):
    return np.mean(reasons[kind, width], axis=0)[column]


def net(name, column, place=-1):
    """Of the networks: loss and mistakes shown, loss and mistakes on new digits."""
    return np.mean(networked[name], axis=0)[place, column]


def final_regret(turns, name):
    return np.mean(regret[turns, name], axis=0)[-1]


def slope(turns, name):
    """Slope of the logarithm of regret, from round 1,500 to 5,000."""
    total = np.mean(regret[turns, name], axis=0)
    return np.log(total[-1] / total[299]) / np.log(5000 / 1500)


def loss(flip, eta, held, who):
    return scores[flip, eta, held, who][0]


def gap(flip, eta, held, who):
    return scores[flip, eta, held, who][1]


def share_of_ones(flip, who, place):
    """Share of ones in a bin of forecasts, by the flow with long steps that may widen."""
    tables = np.sum([beyond.bins(*run) for run in forecasts[flip, 0.1, False, who]], axis=0)
    return tables[2, place] / tables[0, place]


claim["1: SGD and the means of both flows rise past a coin, and are nearly the same"] = all(
    after(name, 1) > 0.69 and abs(after(name, 1) - after("SGD", 1)) < 0.1 for name in ALIKE
)
claim["1: on the shown examples SGD and both flows come below half of Langevin's log loss, Dropout in between"] = (
    max(after(name, 0) for name in ALIKE) < min(0.5 * after("Langevin", 0), after("Dropout", 0) - 0.05)
    and after("Dropout", 0) < after("Langevin", 0) - 0.1
)
claim["1: on new examples Dropout overfits less, and Langevin ends about where it began"] = (
    after("Langevin", 1) + 0.05 < after("Dropout", 1) < after("SGD", 1) - 0.05
    and abs(after("Langevin", 1) - after("Langevin", 1, 0)) < 0.06
)


@claim("1: SGD and both flows learn nearly all of the 60 labels, most of the wrong ones, too")
def by_heart():
    found = {}
    for seed in np.random.default_rng(17).integers(1 << 32, size=8):
        right, (learn, test) = beyond.few_and_many(odd, 0.0, seed)[0].y, beyond.few_and_many(odd, 0.2, seed)
        for name, learner in beyond.five_learners(65, 0.03).items():
            beyond.overfitted(learner, learn, test, seed + 1)
            fits = learner.predict(learn.X) == learn.y
            found.setdefault(name, []).append((fits.mean(), fits[learn.y != right].mean()))
    return all(np.all(np.mean(found[name], axis=0) > (0.9, 0.7)) for name in ALIKE)


claim["1: thirty samples of the expansive flow are a little better than its mean"] = (
    0.02 < after("diagonal", 1) - after("diagonal", 2) < 0.15
)
claim["1: short steps help everyone, on digits with wrong labels"] = all(
    np.mean(best_of["digits", 0.2, name][0.01], axis=0)[1] < np.mean(best_of["digits", 0.2, name][0.1], axis=0)[1]
    for name in over
)
claim["1: with right labels the five are close; on tissue Langevin's prior is too strong"] = (
    np.ptp([best("digits", 0.0, name) for name in over]) < 0.06
    and np.ptp([best("tissue", 0.0, name) for name in over if name != "Langevin"]) < 0.03
    and best("tissue", 0.0, "Langevin") > best("tissue", 0.0, "SGD") + 0.04
)
claim["1: with wrong labels on the digits Langevin and Dropout come before SGD and the means of flows"] = max(
    best("digits", 0.2, name) for name in ("Langevin", "Dropout")
) < min(best("digits", 0.2, name) for name in ALIKE)
claim["1: with wrong labels on tissue the expansive flow is a little better than SGD, and no worse than Dropout"] = (
    0.01 < best("tissue", 0.2, "SGD") - best("tissue", 0.2, "diagonal") < 0.06
    and best("tissue", 0.2, "diagonal") < best("tissue", 0.2, "Dropout") + 0.01
)
claim["1: the non-expansive flow is SGD"] = all(
    abs(best(data, flip, "diagonal, non-expansive") - best(data, flip, "SGD")) < 0.03
    for data in ("digits", "tissue")
    for flip in (0.0, 0.2)
)
claim["1: a wider prior makes the mean worse, and the samples of a belief that stays wide better"] = (
    all(
        part(kind, 1.0, 1) > part(kind, 0.1, 1) + 0.1 and part(kind, 1.0, 2) < part(kind, 0.1, 2) - 0.03
        for kind in ("expansive", "fixed")
    )
    and abs(part("fixed", 1.0, 3) - part("fixed", 0.1, 3)) < 5
)
claim["1: the width of a non-expansive flow goes to 0"] = all(
    part("non-expansive", width, 4) < 0.05 for width in (0.1, 0.3, 1.0)
)
claim["1: in a network the expansive flow fits wrong labels less than SGD, and has a lower loss on new digits"] = (
    net("diagonal", 0) > 1.5 * net("SGD", 0) and net("diagonal", 2) < net("SGD", 2) - 0.005
)
claim["1: there the non-expansive flow is nearer to SGD"] = abs(
    net("diagonal, non-expansive", 2) - net("SGD", 2)
) < min(0.03, net("SGD", 2) - net("diagonal", 2))
claim["1: SGD after 10 passes comes near to the expansive flow after 30, or stays behind it"] = (
    net("diagonal", 2) < net("SGD", 2, 1) + 0.01
)
claim["1: Dropout and Langevin show no gap, but have not learned enough"] = all(
    abs(net(name, 2) - net(name, 0)) < 0.025 and net(name, 2) > net("diagonal", 2) for name in ("Dropout", "Langevin")
)
claim["4: static regret is less steep than √T in the end, and SGD has the least"] = all(
    slope(0, name) < 0.5 and final_regret(0, name) > final_regret(0, "SGD")
    for name in ("diagonal", "diagonal, non-expansive", "diagonal, by the mean")
)
claim["4: by its samples the expansive flow has more static regret, by its mean it comes near to SGD"] = final_regret(
    0, "diagonal"
) > 1.3 * final_regret(0, "SGD") and final_regret(0, "diagonal, by the mean") < 1.2 * final_regret(0, "SGD")
claim["4: dynamic regret grows like T in the end"] = all(
    0.85 < slope(2, name) < 1.15 for name in ("SGD", "diagonal", "diagonal, non-expansive", "diagonal, by the mean")
)
claim["4: SGD and the non-expansive flow have the least dynamic regret; the mean helps the expansive one little"] = (
    max(final_regret(2, "SGD"), final_regret(2, "diagonal, non-expansive")) + 30
    < final_regret(2, "diagonal, by the mean")
    < final_regret(2, "diagonal")
)


@claim("4: the comparator is the best fixed weight, as another minimiser finds it")
def comparator():
    from scipy.optimize import minimize

    X, y, _ = beyond.drawn_labels(np.random.default_rng(0), 0)
    found = minimize(lambda w: np.sum(np.logaddexp(0, X @ w) - y * (X @ w)), np.zeros(5))
    return np.allclose(found.x, beyond.best_weight(X, y, np.zeros(5)), atol=1e-3)


claim["2: if beliefs may widen, the exact rule makes fewer mistakes than the printed one, most plainly with 10"] = (
    np.all(errors_of("spherical exact", False) < errors_of("spherical", False) + 0.1)
    and np.argmax(errors_of("spherical", False) - errors_of("spherical exact", False)) == 2
    and errors_of("spherical", False)[2] > errors_of("spherical exact", False)[2] + 5
)
claim["2: if they may not, it makes more"] = np.all(
    errors_of("spherical exact", True)[1:] > errors_of("spherical", True)[1:] + 0.5
)
claim["2: with 50 weights, spherical flows that may widen are hardly better than a coin"] = (
    min(errors_of(name, False)[-1] for name in ("spherical", "spherical exact")) > 46
)
claim["2: the diagonal flow stays near SGD everywhere"] = all(
    np.all(errors_of("diagonal", held) < errors_of("SGD", held) + 6) for held in (False, True)
)
claim["2: full and spherical means are left behind with many weights, the diagonal one never"] = (
    all(followed_of(name, 50) < 0.05 for name in ("full", "spherical", "spherical exact"))
    and all(followed_of(name, 2) > 0.2 for name in ("full", "spherical", "spherical exact"))
    and all(0.7 < followed_of("diagonal", d) < 0.82 for d in (2, 10, 50))
)
claim["3: narrowing goes in proportion to the fresh part of the step: a half, a tenth"] = (
    abs(log_width("decay 0.5") / log_width("decay 0.0") - 0.5) < 0.05
    and abs(log_width("decay 0.9") / log_width("decay 0.0") - 0.1) < 0.03
)
claim["3: a belief over pairs narrows several times as fast as the one that shares a velocity"] = (
    log_width("decay 0.0") < log_width("decay 0.9, pairs") < 3 * log_width("decay 0.9")
)
claim["3: Adam helps, a point and a flow alike; momentum hardly does"] = all(
    least("Adam", point) < least("GradientStep", point) - 5
    and abs(least("Momentum", point) - least("GradientStep", point)) < 2.5
    for point in (True, False)
)
claim["3: if its rate is not too small: then Adam is no better in a flow than plain steps"] = np.mean(
    lost["Adam", False][0]
) > np.mean(lost["GradientStep", False][0])
claim["3: each local flow, at its best rate, makes a few more mistakes in a flow"] = all(
    0.5 < least(name, False) - least(name, True) < 7 for name in LOCAL
)
claim["4: SGD and the non-expansive diagonal flow make the fewest mistakes, the one that may widen more"] = all(
    max(mistakes_of(drift, name) for name in ("SGD", "diagonal, non-expansive"))
    < min(mistakes_of(drift, name) for name in settings if name not in ("SGD", "diagonal, non-expansive"))
    for drift in DRIFTS
)
claim["4: even with its best setting no flow beats SGD"] = all(
    mistakes_of(drift, name) > mistakes_of(drift, "SGD") - 5 for drift in DRIFTS for name in settings
)
claim["4: the full flow that may widen is far behind"] = all(
    mistakes_of(drift, "full") > 2 * mistakes_of(drift, "diagonal") for drift in DRIFTS
)
claim["4: AROW makes the fewest mistakes until the first jump, and never recovers"] = mistakes_of(
    "jumping", "AROW", 1000
) == min(mistakes_of("jumping", name, 1000) for name in settings) and mistakes_of(
    "jumping", "AROW"
) > 2 * mistakes_of("jumping", "diagonal")
claim["4: after a jump mistakes come fast, then slowly"] = all(
    jump_slopes(name)[0] > 1.7 * jump_slopes(name)[1] for name in ("SGD", "diagonal", "diagonal, non-expansive")
)
claim["4: when the truth turns, it grows like a straight line"] = all(
    0.42 < mistakes_of("rotating", name, 2000) / mistakes_of("rotating", name) < 0.58
    for name in ("SGD", "diagonal", "diagonal, non-expansive", "full")
)
claim["5: with them, a per cent or so; the mean is as good as SGD, a sample worse"] = (
    kernel("diagonal")[-1] < 2
    and abs(kernel("diagonal")[-1] - kernel("SGD")[-1]) < 0.6
    and np.all(kernel("diagonal, by a sample")[-2:] > kernel("diagonal")[-2:] + 0.5)
)
claim["5: the filter's doubt is small on the rings and rises to nearly that of the prior outside"] = (
    doubts_of("AROW")[2:5].max() < 0.15 and doubts_of("AROW")[-1] > 0.8
)
claim["5: flows doubt everywhere alike"] = all(
    np.ptp(doubts_of(name)) < 0.1 * doubts_of(name).mean() for name in ("diagonal", "full")
)
claim["5: the full flow hardly learns: it stays as wide as the prior"] = doubts_of("full").min() > 0.9
claim["6: choosing pays, and with wrong labels a lot"] = all(
    late(0.0, way) < late(0.0, "random") - 0.5 and late(0.2, way) < late(0.2, "random") / 2
    for way in ("margin", "samples")
)
claim["6: with short steps, random makes up most of the difference"] = late(0.2, "margin") < late(
    0.2, "random, short"
) and late(0.2, "random") - late(0.2, "random, short") > 0.5 * (late(0.2, "random") - late(0.2, "margin"))
claim["6: the margin of the mean does as well as fifty samples"] = (
    late(0.0, "margin") < late(0.0, "samples") + 0.7 and late(0.2, "margin") < late(0.2, "samples") + 2.5
)
claim["6: a belief that may not widen asks anywhere, in the end"] = late(0.2, "samples, non-expansive") > 2 * late(
    0.2, "samples"
) and late(0.0, "samples, non-expansive") > late(0.0, "samples")
claim["7: after long steps the ensemble is the best of the three, and a sample the worst"] = all(
    loss(flip, 0.1, False, "ensemble") < loss(flip, 0.1, False, "mean") < loss(flip, 0.1, False, "sample")
    and gap(flip, 0.1, False, "ensemble") < gap(flip, 0.1, False, "mean") < gap(flip, 0.1, False, "sample")
    for flip in (0.0, 0.2)
)
claim["7: with wrong labels and long steps all three are worse than to say ½"] = all(
    loss(0.2, 0.1, False, who) > coin + 0.05 for who in three
)
claim["7: short steps repair far more than fifty samples, and then the ensemble adds little"] = loss(
    0.2, 0.01, False, "mean"
) < loss(0.2, 0.1, False, "ensemble") - 0.1 and all(
    abs(loss(flip, 0.01, False, "mean") - loss(flip, 0.01, False, "ensemble")) < 0.03 for flip in (0.0, 0.2)
)
claim["7: after short steps the mean is better than a coin, with wrong labels, too"] = all(
    loss(flip, 0.01, False, "mean") < coin - 0.03 for flip in (0.0, 0.2)
)
claim["7: for non-expansive beliefs the three forecasts are nearly the same"] = all(
    np.ptp([loss(flip, eta, True, who) for who in three]) < 0.02 for flip, eta, _ in cases
)
claim["7: with right labels the curves are not far from the line, with wrong ones much too flat"] = all(
    share_of_ones(0.0, who, 9) > 0.88
    and share_of_ones(0.0, who, 0) < 0.12
    and share_of_ones(0.2, who, 9) < 0.82
    and share_of_ones(0.2, who, 0) > 0.2
    for who in three
)
if as_stored:
    assert set(settings) == {"SGD", "AROW", "diagonal", "diagonal, non-expansive", "full", "full, non-expansive"}
    assert len(pool) - 60 == len(left) and pool.features == 31
