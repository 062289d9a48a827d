"""What notebook 08 says, checked for its own seeds and for others."""

import numpy as np

DRIFTS = ("jumping", "rotating")
LOCAL = ("GradientStep", "Momentum", "Adam")


def errors(n, name, held):
    """Mistakes over the number of weights, in %."""
    return np.reshape(n["errors"][name, held], (6, 5)).mean(axis=0)


def followed(n, name, d):
    """Share of a step that the mean follows."""
    return np.mean(n["followed"][name, d])


def log_width(n, name):
    """Mean logarithm of the width after 300 rounds."""
    return np.mean(n["widths"][name][-1])


def least(n, name, point):
    """Mistakes at the best learning rate, in %."""
    return np.mean(n["lost"][name, point], axis=1).min()


def regret(n, drift, name, rounds=4000):
    """Mean regret after so many rounds."""
    return np.mean(n["regret"][drift, name], axis=0)[rounds // 50 - 1]


def jump_slopes(n, name):
    """Mistakes in the 100 rounds after the jumps, and in the 100 rounds before the next ones or the end."""
    total = np.mean(n["regret"]["jumping", name], axis=0)
    after = sum(total[at + 1] - total[at - 1] for at in (20, 40, 60))
    before = sum(total[at - 1] - total[at - 3] for at in (40, 60, 80))
    return after, before


def means_and_samples(n, name):
    return np.mean(n["by_mean"][name], axis=0)


def kernel(n, name):
    """Mistakes over the number of features, in %."""
    return n["ends"][name].mean(axis=0)


def doubts(n, name):
    """Width over the distance from the centre: 0, 0.5, … 6."""
    return np.mean(n["doubts"][name], axis=0)


def late(n, flip, way):
    """Mistakes in %, mean over 31 to 60 labels."""
    return np.mean(n["missed"][flip, way], axis=0)[30:].mean()


def loss(n, flip, eta, held, who):
    return n["scores"][flip, eta, held, who][0]


def gap(n, flip, eta, held, who):
    return n["scores"][flip, eta, held, who][1]


def share_of_ones(n, flip, who, place):
    """Share of ones in a bin of forecasts, by the flow with long steps that may widen."""
    tables = np.sum([n["bins"](*run) for run in n["forecasts"][flip, 0.1, False, who]], axis=0)
    return tables[2, place] / tables[0, place]


CLAIMS = [
    (
        "1: if beliefs may widen, the exact rule makes fewer mistakes than the printed one, most plainly with 10",
        lambda n: (
            np.all(errors(n, "spherical exact", False) < errors(n, "spherical", False) + 0.1)
            and np.argmax(errors(n, "spherical", False) - errors(n, "spherical exact", False)) == 2
            and errors(n, "spherical", False)[2] > errors(n, "spherical exact", False)[2] + 5
        ),
    ),
    (
        "1: if they may not, it makes more",
        lambda n: np.all(errors(n, "spherical exact", True)[1:] > errors(n, "spherical", True)[1:] + 0.5),
    ),
    (
        "1: with 50 weights, spherical flows that may widen are hardly better than a coin",
        lambda n: min(errors(n, name, False)[-1] for name in ("spherical", "spherical exact")) > 46,
    ),
    (
        "1: the diagonal flow stays near SGD everywhere",
        lambda n: all(np.all(errors(n, "diagonal", held) < errors(n, "SGD", held) + 6) for held in (False, True)),
    ),
    (
        "1: full and spherical means are left behind with many weights, the diagonal one never",
        lambda n: (
            all(followed(n, name, 50) < 0.05 for name in ("full", "spherical", "spherical exact"))
            and all(followed(n, name, 2) > 0.2 for name in ("full", "spherical", "spherical exact"))
            and all(0.7 < followed(n, "diagonal", d) < 0.82 for d in (2, 10, 50))
        ),
    ),
    (
        "1: a non-expansive flow by the printed rule gets narrower",
        lambda n: (
            np.mean(n["entropies"]["spherical", True, 20])
            < np.mean(n["entropies"]["spherical exact", True, 20]) - 0.2
        ),
    ),
    (
        "2: narrowing goes in proportion to the fresh part of the step: a half, a tenth",
        lambda n: (
            abs(log_width(n, "decay 0.5") / log_width(n, "decay 0.0") - 0.5) < 0.05
            and abs(log_width(n, "decay 0.9") / log_width(n, "decay 0.0") - 0.1) < 0.03
        ),
    ),
    (
        "2: a belief over pairs narrows several times as fast as the one that shares a velocity",
        lambda n: log_width(n, "decay 0.0") < log_width(n, "decay 0.9, pairs") < 3 * log_width(n, "decay 0.9"),
    ),
    (
        "2: Adam helps, a point and a flow alike; momentum hardly does",
        lambda n: all(
            least(n, "Adam", point) < least(n, "GradientStep", point) - 5
            and abs(least(n, "Momentum", point) - least(n, "GradientStep", point)) < 2.5
            for point in (True, False)
        ),
    ),
    (
        "2: if its rate is not too small: then Adam is no better in a flow than plain steps",
        lambda n: np.mean(n["lost"]["Adam", False][0]) > np.mean(n["lost"]["GradientStep", False][0]),
    ),
    (
        "2: each local flow, at its best rate, makes a few more mistakes in a flow",
        lambda n: all(0.5 < least(n, name, False) - least(n, name, True) < 7 for name in LOCAL),
    ),
    (
        "3: SGD and the diagonal flow that is held have the least regret, the one that may widen more",
        lambda n: all(
            max(regret(n, drift, name) for name in ("SGD", "diagonal, held"))
            < min(regret(n, drift, name) for name in n["settings"] if name not in ("SGD", "diagonal, held"))
            for drift in DRIFTS
        ),
    ),
    (
        "3: even with its best setting no flow beats SGD",
        lambda n: all(
            regret(n, drift, name) > regret(n, drift, "SGD") - 5 for drift in DRIFTS for name in n["settings"]
        ),
    ),
    (
        "3: the full flow that may widen is far behind",
        lambda n: all(regret(n, drift, "full") > 2 * regret(n, drift, "diagonal") for drift in DRIFTS),
    ),
    (
        "3: AROW has the least regret until the first jump, and never recovers",
        lambda n: (
            regret(n, "jumping", "AROW", 1000) == min(regret(n, "jumping", name, 1000) for name in n["settings"])
            and regret(n, "jumping", "AROW") > 2 * regret(n, "jumping", "diagonal")
        ),
    ),
    (
        "3: after a jump regret grows steeply, then gently",
        lambda n: all(
            jump_slopes(n, name)[0] > 1.7 * jump_slopes(n, name)[1] for name in ("SGD", "diagonal", "diagonal, held")
        ),
    ),
    (
        "3: when the truth turns, it grows like a straight line",
        lambda n: all(
            0.42 < regret(n, "rotating", name, 2000) / regret(n, "rotating", name) < 0.58
            for name in ("SGD", "diagonal", "diagonal, held", "full")
        ),
    ),
    (
        "3: by the mean, the diagonal flow that may widen is nearly as good, and does not win",
        lambda n: (
            -5
            < means_and_samples(n, "diagonal")[0] - means_and_samples(n, "SGD")[0]
            < 0.5 * (means_and_samples(n, "diagonal")[1] - means_and_samples(n, "SGD")[1])
        ),
    ),
    ("4: without features about half of the examples are wrong", lambda n: 0.3 < n["without"] < 0.7),
    (
        "4: with them, a per cent or so; the mean is as good as SGD, a sample worse",
        lambda n: (
            kernel(n, "diagonal")[-1] < 2
            and abs(kernel(n, "diagonal")[-1] - kernel(n, "SGD")[-1]) < 0.6
            and np.all(kernel(n, "diagonal, sample")[-2:] > kernel(n, "diagonal")[-2:] + 0.5)
        ),
    ),
    (
        "4: the filter's doubt is small on the rings and rises to nearly that of the prior outside",
        lambda n: doubts(n, "AROW")[2:5].max() < 0.15 and doubts(n, "AROW")[-1] > 0.8,
    ),
    (
        "4: flows doubt everywhere alike",
        lambda n: all(np.ptp(doubts(n, name)) < 0.1 * doubts(n, name).mean() for name in ("diagonal", "full")),
    ),
    ("4: the full flow hardly learns: it stays as wide as the prior", lambda n: doubts(n, "full").min() > 0.9),
    (
        "5: choosing pays, and with wrong labels a lot",
        lambda n: all(
            late(n, 0.0, way) < late(n, 0.0, "random") - 0.5 and late(n, 0.2, way) < late(n, 0.2, "random") / 2
            for way in ("margin", "samples")
        ),
    ),
    (
        "5: with short steps, random makes up most of the difference",
        lambda n: (
            late(n, 0.2, "margin") < late(n, 0.2, "random, short")
            and late(n, 0.2, "random") - late(n, 0.2, "random, short")
            > 0.5 * (late(n, 0.2, "random") - late(n, 0.2, "margin"))
        ),
    ),
    (
        "5: the margin of the mean does as well as fifty samples",
        lambda n: (
            late(n, 0.0, "margin") < late(n, 0.0, "samples") + 0.7
            and late(n, 0.2, "margin") < late(n, 0.2, "samples") + 2.5
        ),
    ),
    (
        "5: a belief that may not widen asks anywhere, in the end",
        lambda n: (
            late(n, 0.2, "samples, held") > 2 * late(n, 0.2, "samples")
            and late(n, 0.0, "samples, held") > late(n, 0.0, "samples")
        ),
    ),
    (
        "6: after long steps the ensemble is the best of the three, and a sample the worst",
        lambda n: all(
            loss(n, flip, 0.1, False, "ensemble")
            < loss(n, flip, 0.1, False, "mean")
            < loss(n, flip, 0.1, False, "sample")
            and gap(n, flip, 0.1, False, "ensemble")
            < gap(n, flip, 0.1, False, "mean")
            < gap(n, flip, 0.1, False, "sample")
            for flip in (0.0, 0.2)
        ),
    ),
    (
        "6: with wrong labels and long steps all three are worse than to say ½",
        lambda n: all(loss(n, 0.2, 0.1, False, who) > n["coin"] + 0.05 for who in n["three"]),
    ),
    (
        "6: short steps repair far more than fifty samples, and then the ensemble adds little",
        lambda n: (
            loss(n, 0.2, 0.01, False, "mean") < loss(n, 0.2, 0.1, False, "ensemble") - 0.1
            and all(
                abs(loss(n, flip, 0.01, False, "mean") - loss(n, flip, 0.01, False, "ensemble")) < 0.03
                for flip in (0.0, 0.2)
            )
        ),
    ),
    (
        "6: for beliefs that are held, the three forecasts are nearly the same",
        lambda n: all(
            np.ptp([loss(n, flip, eta, True, who) for who in n["three"]]) < 0.02 for flip, eta, _ in n["cases"]
        ),
    ),
    (
        "6: with right labels the curves are not far from the line, with wrong ones much too flat",
        lambda n: all(
            share_of_ones(n, 0.0, who, 9) > 0.88
            and share_of_ones(n, 0.0, who, 0) < 0.12
            and share_of_ones(n, 0.2, who, 9) < 0.82
            and share_of_ones(n, 0.2, who, 0) > 0.2
            for who in n["three"]
        ),
    ),
]

IN_KERNEL = [
    "assert set(settings) == {'SGD', 'AROW', 'diagonal', 'diagonal, held', 'full', 'full, held'}",
    "assert all(np.shape(runs) == (10, 80) for runs in regret.values()) and len(regret) == 12",
    "assert all(np.shape(runs) == (10, 60) for runs in missed.values()) and len(missed) == 10",
    "assert all(len(runs) == 10 for runs in forecasts.values()) and len(forecasts) == 24",
    "assert len(pool) - 60 == len(left) and pool.features == 31",
    "assert regret_panel('jumping', 'x').summary('SGD')[0].shape == (80,)",
    "assert draw_panels(mistakes_panel(False, 'x')).alt_text.startswith('x: mistakes (%) over number of weights')",
]
