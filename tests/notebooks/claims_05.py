"""What notebook 05 says, checked for its own seeds and for others."""

import numpy as np

FLOWS = ("full", "diagonal", "spherical")
PAPER = {"SGD": 9.52, "full": 22.58, "diagonal": 18.38, "spherical": 15.48}


def online(n):
    """Mistakes in the demonstration, in %."""
    return {name: error[:, -1].mean() for name, error in n["demo"].error.items()}


def share(n, name, rounds, by_mean):
    """Mistakes of a frozen learner, in %."""
    return 100 * np.mean(n["final"][name, rounds], axis=0)[int(by_mean)]


def levels(n, eta, kind):
    """Median entropy in the third and in the last quarter."""
    return np.median(n["levels"][eta, kind], axis=(0, 2))


def after_jump(n, name):
    """Mistakes in the 2000 rounds after the jump, in %."""
    return np.mean([100 * record.mistakes[40:].sum() / record.rounds[40:].sum() for record in n["jump"][name]])


def before_jump(n, name):
    """Mistakes in the 2000 rounds before the jump, in %."""
    return np.mean([100 * record.mistakes[20:40].sum() / record.rounds[20:40].sum() for record in n["jump"][name]])


def settled_width(n, name):
    """The width of a round belief with the median entropy of the last 1000 rounds before the jump."""
    return np.exp((np.median([record.entropy[30:40] for record in n["jump"][name]]) - np.log(2 * np.pi * np.e)) / 2)


def rise(n, name):
    """By how much the mean entropy rises in the first 1000 rounds after the jump."""
    entropy = np.mean([record.entropy for record in n["jump"][name]], axis=0)
    return entropy[40:50].max() - entropy[39]


def pulls(n, kind, group, rounds):
    """Share of rounds in which players of a learning rate pull the worse lever, in %; one number a player."""
    return 100 * n["worse"][kind][rounds, 100 * group : 100 * (group + 1)].mean(axis=0)


def late(n, kind, group=2):
    return pulls(n, kind, group, slice(500, 1500)).mean()


def stuck(n, kind):
    """Share of the players with long steps who nearly always pull the worse lever at the end, in %."""
    return 100 * np.mean(pulls(n, kind, 2, slice(1250, 1500)) > 90)


def neglected(n, group):
    """Median width of non-expansive beliefs about the worse lever, just before the change."""
    return np.median(n["beliefs"]["non-expansive"][500].std.reshape(3, 100, 2)[group, :, 1])


def off(n, kind, may_not):
    return np.median(n["apart"][kind, may_not])


CLAIMS = [
    ("1: label 1 is said as often as it is believed", lambda n: abs(n["believed"] - n["said"]) < 0.01),
    ("1: at the mean the width never changes", lambda n: np.array_equal(n["at_mean"].std, [1.0, 1.0])),
    ("1: with sampled weights it does", lambda n: n["sampled"].std.max() < 0.6),
    (
        "2: an error rate e shows up as 0.4 + 0.2 e",
        lambda n: all(abs(shown - (0.4 + 0.2 * e)) < 0.02 for e, shown in n["one_run"].values()),
    ),
    (
        "3: SGD wins, clearly; the more freedom a flow has, the slower: spherical, diagonal, full",
        lambda n: 1.3 * online(n)["SGD"] < online(n)["spherical"] < online(n)["diagonal"] < online(n)["full"],
    ),
    ("3: we find the paper's numbers again", lambda n: all(abs(online(n)[k] - p) < 2.5 for k, p in PAPER.items())),
    (
        "3: after 500 rounds a sample is little better than a coin, while the means err less than SGD",
        lambda n: all(
            share(n, k, 500, False) > 38 and share(n, k, 500, True) < share(n, "SGD", 500, True) for k in FLOWS
        ),
    ),
    (
        "3: begun at 0, SGD does as well as the best of them",
        lambda n: share(n, "SGD from 0", 500, True) < min(share(n, k, 500, True) for k in FLOWS) + 3,
    ),
    (
        "3: at the end the means are as good as SGD",
        lambda n: all(share(n, k, 8000, True) < share(n, "SGD", 8000, True) + 2.5 for k in FLOWS),
    ),
    (
        "3: and samples a little worse",
        lambda n: all(share(n, k, 8000, False) > share(n, k, 8000, True) for k in FLOWS),
    ),
    (
        "5: all three settle",
        lambda n: all(abs(np.subtract(*levels(n, eta, k))) < 0.6 for eta in (0.02, 0.08) for k in FLOWS),
    ),
    (
        "5: four times the learning rate, about 1.5 nats more",
        lambda n: all(1.1 < levels(n, 0.08, k).mean() - levels(n, 0.02, k).mean() < 2 for k in FLOWS),
    ),
    (
        "5: a diagonal belief can dip deep for a short while, and come back",
        lambda n: (
            n["demo"].entropy["diagonal"].min() < np.median(n["demo"].entropy["diagonal"][:, -1]) - 3
            and n["demo"].entropy["diagonal"].min() < min(n["demo"].entropy[k].min() for k in ("full", "spherical"))
        ),
    ),
    (
        "5: non-expansive: fewer mistakes on this very stream; diagonal widths are 0 exactly",
        lambda n: (
            all(n["narrow_errors"][k] < n["one_run"][k][0] for k in FLOWS)
            and n["narrow"]["diagonal"].belief.std.tolist() == [0.0, 0.0]
            and max(np.max(n["narrow"][k].belief.std) for k in FLOWS) < 0.01
        ),
    ),
    (
        "5: it has become SGD; and a floor keeps a width",
        lambda n: (
            np.allclose(n["point"].weights_for_prediction(), n["narrow"]["diagonal"].belief.mean, atol=1e-3)
            and n["floored"].belief.std.tolist() == [0.05, 0.05]
        ),
    ),
    (
        "6: after the jump the non-expansive flows are like SGD, the expansive ones worse",
        lambda n: all(
            abs(after_jump(n, f"{k}, non-expansive") - after_jump(n, "SGD")) < 0.7
            and after_jump(n, k) > after_jump(n, "SGD") + 0.7
            for k in FLOWS
        ),
    ),
    (
        "6: the expansive full flow makes more than twice as many mistakes after the jump",
        lambda n: after_jump(n, "full") > 2 * after_jump(n, "full, non-expansive"),
    ),
    ("6: its width stirs by a fraction of a nat", lambda n: abs(rise(n, "full")) < 1),
    (
        "6: AROW is the best of all before the jump, and the worst by far after it",
        lambda n: (
            before_jump(n, "AROW") == min(before_jump(n, name) for name in n["jump"])
            and after_jump(n, "AROW") > 2 * max(after_jump(n, name) for name in n["jump"] if name != "AROW")
        ),
    ),
    (
        "6: in (nearly) all of the 54 settings the non-expansive flow is clearly better, the expansive one in none",
        lambda n: n["clear"].size == 54 and np.sum(n["clear"] > 3) >= 45 and not np.any(n["clear"] < -3),
    ),
    (
        "6: where expansive flows settle, the mean follows a third of a step, or three quarters (diagonal)",
        lambda n: (
            all(abs(n["followed"][k, 0.1][0] - 0.3) < 0.06 for k in ("FullBelief", "SphericalBelief"))
            and abs(n["followed"]["DiagonalBelief", 0.1][0] - 0.75) < 0.05
        ),
    ),
    (
        "6: that width is about 0.1: where the expansive flows settled",
        lambda n: all(0.04 < settled_width(n, k) < 0.25 for k in FLOWS),
    ),
    (
        "6: the other is as small as non-expansive ones reached; there the mean follows nearly all the way",
        lambda n: (
            all(settled_width(n, f"{k}, non-expansive") < 0.002 for k in FLOWS)
            and all(0.94 < both[1] <= 1 for (_, width), both in n["followed"].items() if width < 0.1)
        ),
    ),
    (
        "7: expansive beliefs are off by a width or so, diagonal ones by more; others by hundreds",
        lambda n: (
            all(0.5 < off(n, k, False) < 1.8 for k in ("full", "spherical"))
            and 1.3 < off(n, "diagonal", False) < 5
            and all(off(n, k, True) > 100 for k in FLOWS)
        ),
    ),
    (
        "7: before the change all players with long steps are much alike",
        lambda n: np.ptp([pulls(n, kind, 2, slice(100, 500)).mean() for kind in n["kinds"]]) < 9,
    ),
    (
        "7: nearly all who may widen find the better lever, most with a floor; of the others about a third do not",
        lambda n: (
            stuck(n, "expansive") < 10 and stuck(n, "with a floor") < 20 and 22 < stuck(n, "non-expansive") < 55
        ),
    ),
    (
        "7: by the change, non-expansive players have collapsed (long steps); with short ones not where it matters",
        lambda n: neglected(n, 2) == 0.001 and neglected(n, 0) > 0.2,
    ),
    ("7: with long steps widening wins", lambda n: late(n, "expansive") < late(n, "non-expansive") - 20),
    (
        "7: with short steps it is the other way round",
        lambda n: late(n, "expansive", 0) > late(n, "non-expansive", 0) + 10,
    ),
]

IN_KERNEL = [
    "assert explorer.round == 500 and explorer.drift == 0 and explorer.eta == 0.03 and explorer.flip == 0.4",
    "assert len(explorer.scene.entropy['full']) == 2001 and not explorer.non_expansive",
    "assert turning.drift == 20 and turning.flip == 0.2 and turning.round == 1000 and not turning.non_expansive",
    "assert demo.runs == 10 and demo.rounds[-1] == 8000 and draw_demonstration(demo).alt_text",
    "assert set(jump) >= {'SGD', 'full', 'full, non-expansive'} and all(len(runs) == 12 for runs in jump.values())",
    "assert all(record.rounds.sum() == 6000 for runs in jump.values() for record in runs)",
    "assert len(beliefs['expansive']) == 1501 and beliefs['with a floor'][-1].std.min() >= 0.3",
]
