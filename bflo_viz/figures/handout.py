"""A page to hand out: the idea in three steps, three pictures, the words, and what holds up."""

from typing import Any

from matplotlib.figure import Figure
from matplotlib.text import Text

from bflo_viz.figures.flow_types import draw_flow_types
from bflo_viz.figures.pseudo_dataset import draw_pseudo_dataset
from bflo_viz.figures.regime_map import draw_regime_map
from bflo_viz.figures.style import draws, look, new_figure
from bflo_viz.scenes.page import STEPS, Handout, handout

_A4 = (8.27, 11.69)
_PAPER = "After Ortega, Crammer and Lee: Belief Flows for Robust Online Learning"
_LEFT, _RIGHT = 0.065, 0.55  # of the page: where its two columns begin
_UPDATE = (
    r"For one weight, with $\Delta = w - \mu$ and $\Delta' = w' - \mu$, and in standard deviations "
    r"$u = \Delta/\sigma$, $v = \Delta'/\sigma$:"
)
_FORMULA = (
    r"$a = \frac{u v + \sqrt{4 + u^2 (4 + v^2)}}{2\,(1 + u^2)} \qquad \sigma' = a\, \sigma"
    r"\qquad \mu' = \mu + \Delta' - a\, \Delta$"
)
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


@draws(handout)
def draw_handout(scene: Handout, *, style: str = "paper") -> Figure:
    """Draw the page; it is for print, in any style, and can be read in black and white."""
    with look("paper"):
        page = new_figure(*_A4, layout="none")
        page.suptitle("Belief flows on one page", x=_LEFT, y=0.975, ha="left", va="top", size=17, weight="bold")
        page.text(_LEFT, 0.951, _PAPER, size=8, va="top")
        _write_steps(page)
        _draw_flows(page, scene)
        _draw_regimes(page, scene)
        _draw_points(page, scene)
        _write_words(page)
    return page


def _write_steps(page: Figure) -> None:
    for place, (title, formula, words) in zip((0.065, 0.36, 0.655), STEPS, strict=True):
        page.text(place, 0.927, title, size=11, weight="bold", va="top")
        page.text(place, 0.907, formula, size=12, va="top")
        page.text(place, 0.886, words, size=8.5, va="top", linespacing=1.3)
    page.text(_LEFT, 0.837, _UPDATE, size=8.5, va="top")
    page.text(0.5, 0.817, _FORMULA, size=13, va="top", ha="center")


def _draw_flows(page: Figure, scene: Handout) -> None:
    _head(page, _LEFT, 0.763, "Three kinds of flow. Turning is free for a round belief; a diagonal flow cannot turn")
    axes = [page.add_axes((0.105 + 0.3 * i, 0.544, 0.275, 0.195)) for i in range(3)]
    draw_flow_types(scene.flows, axes=axes)
    _shrink(axes, 0.8)
    for note in axes[0].findobj(lambda artist: isinstance(artist, Text) and "length" in artist.get_text()):
        note.remove()  # there is no room for it; the arrows only show where weights go


def _draw_regimes(page: Figure, scene: Handout) -> None:
    _head(page, _LEFT, 0.485, "One weight. Towards the mean or past it\nthe belief narrows; away, it widens")
    unused, shown = (page.add_axes((0.115, 0.277, 0.275, 0.195)) for _ in range(2))
    draw_regime_map(scene.regimes, axes=[unused, shown])
    unused.remove()
    shown.set_title("")
    _shrink([shown], 0.8)


def _draw_points(page: Figure, scene: Handout) -> None:
    _head(page, _RIGHT, 0.485, "A run, read as data. Added points (+) pull\nthe mean, removed ones (−) push it away")
    shown, unused = (page.add_axes((0.6, 0.277, 0.33, 0.195)) for _ in range(2))
    draw_pseudo_dataset(scene.points, axes=[shown, unused])
    unused.remove()
    shown.set_title("")
    _shrink([shown], 0.8)


def _write_words(page: Figure) -> None:
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


def _shrink(axes: Any, factor: float) -> None:
    """Make the words of panels smaller, as the panels are."""
    for ax in axes:
        for text in ax.findobj(Text):
            text.set_fontsize(factor * text.get_fontsize())
