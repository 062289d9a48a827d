"""What every figure must keep: all of it inside, and no two words on top of each other."""

import functools
import itertools

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from bflo_viz.figures.gallery import FIGURES


@functools.cache
def made(name):
    """A figure of the gallery, made once for all tests that only look at it."""
    return FIGURES[name].draw()


def drawn(figure):
    """Draw a figure that has changed, so that everything in it has its place."""
    if figure.stale or not isinstance(figure.canvas, FigureCanvasAgg):
        FigureCanvasAgg(figure).draw()
    return figure


def inside(figure, slack=0.02):
    """Whether everything lies within the figure (in inches, give or take a hair)."""
    box = drawn(figure).get_tightbbox()
    width, height = figure.get_size_inches()
    return min(box.x0, box.y0, width - box.x1, height - box.y1) >= -slack


def words(figure):
    """Every visible piece of text with something in it, and its place in pixels."""
    beyond = set(_beyond(drawn(figure)))
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip() and text not in beyond:
            yield text.get_text(), Text.get_window_extent(text)  # of an annotation without its line


def overlapping_words(figure, slack=1.0):
    """Pairs of texts that lie on top of each other by more than a pixel."""
    found = []
    for (one, a), (other, b) in itertools.combinations(words(figure), 2):
        across = min(a.x1, b.x1) - max(a.x0, b.x0)
        down = min(a.y1, b.y1) - max(a.y0, b.y0)
        if across > slack and down > slack:
            found.append((one, other))
    return found


def _beyond(figure):
    """Labels of ticks beyond the limits of their axis: they exist, but are not drawn."""
    for ax in figure.get_axes():
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not (ax.get_visible() and axis.get_visible() and low <= tick.get_loc() <= high):
                    yield from (tick.label1, tick.label2)


def line(ax, label):
    """The one line of a panel with this label."""
    (only,) = [line for line in ax.get_lines() if line.get_label() == label]
    return only


def covariance(patch, sigmas=2):
    """The covariance that a drawn ellipse of so many standard deviations stands for."""
    c, s = np.cos(np.radians(patch.angle)), np.sin(np.radians(patch.angle))
    turned = np.array([[c, -s], [s, c]]) @ np.diag([patch.width, patch.height]) / (2 * sigmas)
    return turned @ turned.T
