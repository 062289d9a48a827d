"""A page to hand out: the idea in three steps, three pictures, the words, and what holds up."""

from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

from bflo_viz.figures.flow_types import draw_flows
from bflo_viz.figures.pseudo_dataset import draw_points
from bflo_viz.figures.regime_map import draw_std_panel
from bflo_viz.figures.style import look, new_figure, set_alt_text
from bflo_viz.scenes.one_dimension import regime_map
from bflo_viz.scenes.pseudo_points import pseudo_dataset
from bflo_viz.scenes.two_dimensions import flow_types

_PAPER = "After Ortega, Crammer and Lee: Belief Flows for Robust Online Learning"
_LEFT, _RIGHT = 0.065, 0.55  # of the page: where its two columns begin
_SMALL: Any = {
    "font.size": 7.2,
    "axes.titlesize": 8,
    "axes.labelsize": 7.2,
    "xtick.labelsize": 6.4,
    "ytick.labelsize": 6.4,
}
_STEPS = (
    (
        "1  Draw a weight",
        r"$w \sim N(\mu, \Sigma)$",
        "The learner keeps a belief, and\npredicts with a weight that is\ndrawn from it.",
    ),
    (
        "2  It takes its step",
        r"$w' = w - \eta\, \partial \ell / \partial w$",
        "An ordinary gradient step, for\nthe loss of this example.",
    ),
    (
        "3  The belief follows",
        r"$w \mapsto A\,w + b$",
        "All weights move by one linear\nmap that takes $w$ to $w'$ and\nchanges the belief least (KL).",
    ),
)
_UPDATE = (
    r"For one weight, with $\Delta = w - \mu$ and $\Delta' = w' - \mu$, and in standard deviations "
    r"$u = \Delta/\sigma$, $v = \Delta'/\sigma$:"
)
_FORMULA = (
    r"$a = \frac{u v + \sqrt{4 + u^2 (4 + v^2)}}{2\,(1 + u^2)} \qquad \sigma' = a\, \sigma"
    r"\qquad \mu' = \mu + \Delta' - a\, \Delta$"
)
_THREE = "Three kinds of flow. Turning is free for a round belief; a diagonal flow cannot turn"
_ONE = "One weight. Towards the mean or past it\nthe belief narrows; away, it widens"
_RUN = "A run, read as data. Added points (+) pull\nthe mean, removed ones (−) push it away"
_WORDS = (
    ("belief", "a Gaussian over the best weights"),
    ("prior, posterior", "the belief before and after one update"),
    ("KL", "how much the belief changed, in nats"),
    ("full, diagonal, spherical", "which matrices $A$ may be"),
    ("non-expansive", "$a$ cut off at 1: it never widens"),
    ("pseudo-point", "what Bayes' rule would have to\nsee, or forget, for this update"),
)
_HOLDS = (
    "The closed form is the flow of least KL, and a full\nflow changes $\\Sigma$ along one direction only.",
    "An update is Bayes' rule on a point that is added or\nremoved, wherever there is such a point.",
)
_CARE = (
    "A step past the mean is, by KL, mainly a shift; but the\nbelief narrows there as well.",
    "The printed spherical $a$ has the least KL for one weight\nonly; past the mean diagonal and full flows differ.",
    "The experiments, run as printed, do not give the printed\n"
    "tables. Protocols fitted to them do, nearly or roughly,\n"
    "and who wins depends on the protocol.",
)
_ASK = (
    r"Which $\Delta'$ leaves the belief exactly as it was?",
    r"For $\Delta = \sigma$: which is narrower, $\Delta' = 0$ or $\Delta' = -2\sigma$?",
    "Why does a weight drawn at the mean say nothing\nabout the width?",
)


def draw_handout(rng: np.random.Generator, *, style: str = "paper") -> Figure:
    """Draw the page; it is for print, in any style, and can be read in black and white."""
    flows, regimes, points = flow_types(), regime_map(points=81), pseudo_dataset(rng)
    with look("paper"), rc_context(_SMALL):
        page = new_figure(8.27, 11.69, layout="none")  # A4
        page.suptitle("Belief flows on one page", x=_LEFT, y=0.975, ha="left", va="top", size=17, weight="bold")
        page.text(_LEFT, 0.951, _PAPER, size=8, va="top")
        for place, (title, formula, words) in zip((0.065, 0.36, 0.655), _STEPS, strict=True):
            page.text(place, 0.927, title, size=11, weight="bold", va="top")
            page.text(place, 0.907, formula, size=12, va="top")
            page.text(place, 0.886, words, size=8.5, va="top", linespacing=1.3)
        page.text(_LEFT, 0.837, _UPDATE, size=8.5, va="top")
        page.text(0.5, 0.817, _FORMULA, size=13, va="top", ha="center")
        _head(page, _LEFT, 0.763, _THREE)
        draw_flows([page.add_axes((0.105 + 0.3 * i, 0.544, 0.275, 0.195)) for i in range(3)], flows)
        _head(page, _LEFT, 0.485, _ONE)
        ax = page.add_axes((0.115, 0.277, 0.275, 0.195))
        draw_std_panel(ax, regimes)
        ax.set_title("")
        _head(page, _RIGHT, 0.485, _RUN)
        draw_points(page.add_axes((0.6, 0.277, 0.33, 0.195)), points)
        _write_columns(page)
    steps = " ".join(f"{title}: {words}" for title, _, words in _STEPS)
    maps = "Below, the posterior width over the step of a weight, and a run read as points added and removed."
    set_alt_text(page, f"A page that sums up belief flows. {steps} {flows.words()} {maps}")
    return page


def _write_columns(page: Figure) -> None:
    height = _head(page, _LEFT, 0.222, "Words")
    for word, meaning in _WORDS:
        page.text(_LEFT, height, word, size=8, weight="bold")
        height = _write(page, _LEFT + 0.195, height, meaning)
    _write_list(page, _LEFT, height - 0.006, "To think about", _ASK)
    height = _write_list(page, _RIGHT, 0.222, "What holds up", _HOLDS)
    _write_list(page, _RIGHT, height, "What to take with care", _CARE)


def _write_list(page: Figure, x: float, y: float, title: str, lines: tuple[str, ...]) -> float:
    height = _head(page, x, y, title)
    for line in lines:
        page.text(x, height, "•", size=8)
        height = _write(page, x + 0.015, height, line)
    return height - 0.006


def _write(page: Figure, x: float, y: float, words: str) -> float:
    """Write lines, the first one at this height; return where the next ones begin."""
    for n, line in enumerate(words.splitlines()):
        page.text(x, y - 0.0125 * n, line, size=8)
    return y - 0.0165 - 0.0125 * n


def _head(page: Figure, x: float, y: float, words: str) -> float:
    """Write a heading, its last line at this height; return where the text below it begins."""
    page.text(x, y, words, size=9.5, weight="bold", linespacing=1.2)
    return y - 0.019
