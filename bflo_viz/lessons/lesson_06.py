"""Reference solutions, typical mistakes and hints for lesson 6, "The logistic experiment"."""

import numpy as np

from bflo_viz.lessons.exercise import Bet, Exercise, NotYet

worse_after_learning = Bet(
    "6a",
    title="On how many streams are all final errors larger?",
    right="three",
    replies={
        "none": "That is what one would expect of a test that is like the rest. The paper prints it for three.",
        "one": "EEG is one of them, but not the only one. There are three.",
        "three": "On COVTYPE, IJCNN and EEG all four learners are worse after learning than during it.",
    },
)

worse_than_a_coin = Bet(
    "6b",
    title="How good are the learners on the last fifth?",
    right="worse",
    replies={
        "better": "They would be, if the last fifth were like the rest. Here the truth has turned away from it.",
        "like a coin": "The four fifths do not cancel: their average still points somewhere, away from the last one.",
        "worse": "They err on nearly nine of ten examples. Open the answer below to see why.",
    },
)


def _nearest():
    from bflo_viz import ResultsExplorer

    return ResultsExplorer(split="order", prior="narrow", prediction="sample", eeg="shuffled", expansion="never")


AS_PRINTED = {"split": "shuffled", "prior": "printed", "prediction": "own", "eeg": "kept", "expansion": "free"}


def _with(**switches):
    """Return what hands over an explorer with these switches, all others as printed."""

    def explorer():
        from bflo_viz import ResultsExplorer

        return ResultsExplorer(**{**AS_PRINTED, **switches})

    return explorer


def _first_to_turn(answer):
    """Return 0 for an explorer below 1 point, otherwise the place of the first switch that keeps it away."""
    bench = answer() if callable(answer) else answer
    if bench is ...:
        return None
    if not hasattr(bench, "deviation"):
        raise NotYet("Hand in the instrument itself: check.nearest(bench).")
    if bench.experiment != "table1":
        raise NotYet("That is Table 2. Choose Table 1 at the top of the instrument.")
    needed = {"split": "order", "prior": "narrow", "prediction": "sample", "eeg": "shuffled"}
    off = [place for place, (name, option) in enumerate(needed.items(), 1) if getattr(bench, name) != option]
    return 0 if bench.deviation < 1 else off[0]


nearest = Exercise(
    "6.1",
    right=_nearest,
    cases=[()],
    ask=_first_to_turn,
    praise="The number is below 1 point. The printed table can be obtained in this way, which is not to say it was.",
    mistakes={
        "Not below 1 yet. Which switch would make the test unlike the rest, as the final errors suggest?": _with(),
        "Not below 1 yet. Look at the online errors of BFLO: a wide belief tries out many bad weights.": _with(
            split="order"
        ),
        "Not below 1 yet. On MUSHROOM, AROW is too good in the test: what if its mean does not predict?": _with(
            split="order", prior="narrow"
        ),
        "Not below 1 yet. One stream has online errors that are off for every learner: EEG.": _with(
            split="order", prior="narrow", prediction="sample"
        ),
    },
    hints=[
        "Begin with the switch that the first clue points to. Then look for the learner with the strongest colours.",
        "Press “Turn the best switch” in the instrument and watch which cells change; repeat it.",
    ],
)


def _langevin_noise(eta, n):
    # The step (ε/2) n g is (η/2) g, so ε = η/n; the noise √ε z has the standard deviation √ε.
    return np.sqrt(eta / n)


langevin_noise = Exercise(
    "6.2",
    right=_langevin_noise,
    cases=[(0.001, 6499), (0.2, 50), (0.01, 1000)],
    praise="The missing factor is √n: η = εn is the rate of a single example.",
    mistakes={
        "That was our mistake: it takes η for ε. Compare the two steps, (ε/2) n g and (η/2) g.": lambda eta, n: (
            np.sqrt(eta)
        ),
        "From (ε/2) n g = (η/2) g it follows that ε = η/n, and not ηn.": lambda eta, n: np.sqrt(eta * n),
        "That is ε, the variance of the noise. The question is about its standard deviation.": lambda eta, n: eta / n,
        "The square root covers n as well: √ε with ε = η/n.": lambda eta, n: np.sqrt(eta) / n,
    },
    hints=[
        "Both updates take the same gradient step. Set (ε/2) n g equal to (η/2) g and solve for ε.",
        "ε = η/n, and the noise √ε z has the standard deviation √ε.",
    ],
)


def _paired(first, second):
    difference = np.asarray(first) - np.asarray(second)
    return difference.mean(), difference.std(ddof=1) / np.sqrt(len(difference))


def _unpaired(first, second):
    """Return the same with the errors of the two means added as if the runs were independent."""
    errors = [np.std(runs, ddof=1) / np.sqrt(len(runs)) for runs in (first, second)]
    return np.mean(first) - np.mean(second), np.hypot(*errors)


paired = Exercise(
    "6.3",
    right=_paired,
    cases=[
        (np.array([10.2, 11.5, 9.8, 10.9]), np.array([9.9, 11.1, 9.6, 10.2])),
        (np.array([1.0, 2.0, 4.0]), np.array([2.0, 2.5, 4.0])),
    ],
    praise="What two runs have in common is gone before anything is squared.",
    mistakes={
        "You combined the errors of two separate means, as if the runs had nothing in common. Subtract first, run by "
        "run.": _unpaired,
        "That is the spread of the differences. The error of their mean is smaller by the root of the number of "
        "runs.": lambda first, second: (np.mean(first - second), np.std(first - second, ddof=1)),
        "Divide the squares by one less than the number of runs: np.std(…, ddof=1).": lambda first, second: (
            np.mean(first - second),
            np.std(first - second) / np.sqrt(len(first)),
        ),
        "The sign is reversed: the difference is first − second.": lambda first, second: (
            -_paired(first, second)[0],
            _paired(first, second)[1],
        ),
    },
    hints=[
        "Compute one array of differences, and treat it as a single sample.",
        "The standard error is difference.std(ddof=1) / np.sqrt(len(difference)).",
    ],
)
