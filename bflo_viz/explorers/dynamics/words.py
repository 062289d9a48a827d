"""What each learner knows after a round, in one sentence; the view says the same in the same words."""

from bflo_viz._checks import Floats
from bflo_viz.explorers.dynamics.run import Run

NOTICE = {
    "convex": "One bowl. Bayes’ rule is near the lowest point after a few examples, since it knows how they are "
    "made; SGD and the belief flow follow one slope a round.",
    "ravine": "Steep across, flat along. SGD drops to the floor and creeps. Bayes’ posterior stays long along the "
    "floor, where little is known yet, and moves on; the belief flow narrows before it has arrived.",
    "double well": "No example can tell the two wells apart. Bayes’ rule keeps both, half and half; SGD falls into "
    "one; the belief flow, a single Gaussian, lies across both until it drifts into one.",
}
TOO_SURE = 3.0  # so many standard deviations between a belief and the optimum are too many
CHOSEN = 0.95  # of a belief on one side: it has chosen a well


def sentences(run: Run, now: int) -> list[str]:
    """Where SGD, the posterior and the belief are, how far from the nearest optimum, and how sure they are of it."""
    facts = {name: values[now] for name, values in run.facts.items()}
    return [_point(run, now, facts), _posterior(run, now, facts), _belief(run, now, facts)]


def _point(run: Run, now: int, facts: dict[str, Floats]) -> str:
    w = run.points[now]
    return (
        f"SGD is at {_place(w)}, {facts['sgd_away']:.2f} from the {_optimum(run, w)}; "
        "a point cannot say how sure it is."
    )


def _posterior(run: Run, now: int, facts: dict[str, Floats]) -> str:
    mean, std = _place(run.bayes.mean[now]), _from_to(facts["bayes_std"])
    if not run.surface.two_wells:
        return (
            f"Bayes’ posterior has its mean at {mean}, {facts['bayes_away']:.2f} from the optimum, and standard "
            f"deviations {std}; the optimum is {facts['bayes_far']:.1f} of them away."
        )
    apart = f"its mean {mean} is on the ridge between them" if run.bayes.apart[now] else "the halves still meet"
    return (
        f"Bayes’ posterior has half of itself on each side, around {_place(run.bayes.hill_mean[now], '±')}, "
        f"{facts['bayes_away']:.2f} from the optima, with standard deviations {std}; {apart}."
    )


def _belief(run: Run, now: int, facts: dict[str, Floats]) -> str:
    mean = run.beliefs[now].mean
    words = (
        f"The belief flow has its mean at {_place(mean)}, {facts['flow_away']:.2f} from the {_optimum(run, mean)}, "
        f"and standard deviations {_from_to(facts['flow_std'])}; "
    )
    if not run.surface.two_wells:
        sure = ": it is too sure" if facts["flow_far"] > TOO_SURE else ""
        return f"{words}the optimum is {facts['flow_far']:.1f} of them away{sure}."
    right = facts["flow_right"]
    chosen = (
        f"has chosen the {_side(right - 0.5)} well" if abs(right - 0.5) > CHOSEN - 0.5 else "lies across both wells"
    )
    return f"{words}{100 * right:.0f} % of it is on the right: it {chosen}."


def _optimum(run: Run, w: Floats) -> str:
    return f"{_side(w[0])} optimum" if run.surface.two_wells else "optimum"


def _side(x: float | Floats) -> str:
    return "right" if x >= 0 else "left"


def _place(w: Floats, sign: str = "") -> str:
    return f"({sign}{w[0]:z.2f}, {w[1]:z.2f})".replace("-", "−")


def _from_to(std: Floats) -> str:
    return f"from {std[0]:.2f} to {std[1]:.2f}"
