"""A network that learns in the plane: what it says, where it doubts, itself, and how sure and how right it is."""

from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from bflo_viz.figures import palette
from bflo_viz.figures.old_style import SCALE, draws, new_figure
from bflo_viz.scenes.playground import (
    BINS,
    BOUNDARIES,
    FLOWS,
    LEARNERS,
    MOST_DOUBT,
    SHOWN,
    SPAN,
    TITLES,
    PlaygroundScene,
    Track,
    learn_playground,
    places,
)
from bflo_viz.streams.synthetic import OWN

SIDES = ("#b35806", "#542788")  # of the labels 0 and 1, the colours of the map
SIGNS = ("#d9780f", "#8073ac")  # of weights below and above 0
THICKEST = 3.5  # points, of the connection with the largest mean
HALO = 4.0  # points around one that is as unsure as it was at first
STYLES = ("-", "--")  # of the learner, and of the one beside it


@draws(learn_playground)
def draw_playground(scene: PlaygroundScene, *, style: str = "paper") -> Figure:
    """Draw maps and network of each learner in a row, and below them mistakes, entropies and calibration."""
    rows = len(scene.tracks)
    size = SCALE[style]
    figure = new_figure(10.5 * size, (3.0 * rows + 2.7) * size)
    grid = figure.add_gridspec(rows + 1, 12, height_ratios=[*(1.15 for _ in scene.tracks), 1])
    for row, track in enumerate(scene.tracks):
        said, doubt = (figure.add_subplot(grid[row, start : start + 4]) for start in (0, 4))
        who = f"{LEARNERS[track.name].capitalize() if track.name != 'SGD' else 'SGD'}: " if rows > 1 else ""
        _draw_maps(said, doubt, scene, track, who)
        _draw_network(figure.add_subplot(grid[row, 8:]), track, scene.settings["std"])
    charts = [figure.add_subplot(grid[rows, start : start + 4]) for start in (0, 4, 8)]
    _draw_mistakes(charts[0], scene)
    _draw_entropy(charts[1], scene)
    _draw_calibration(charts[2], scene)
    return figure


def _draw_maps(said: Axes, doubt: Axes, scene: PlaygroundScene, track: Track, who: str) -> None:
    across = np.unique(places()[:, 0])
    image: dict[str, Any] = {"origin": "lower", "extent": (-SPAN, SPAN, -SPAN, SPAN), "interpolation": "bilinear"}
    said.imshow(track.mean_map, cmap=palette.AROUND, vmin=-0.5, vmax=1.5, **image)
    doubt.imshow(track.doubt_map, cmap=palette.GROWING, vmin=0, vmax=MOST_DOUBT, **image)
    lines = rcParams["lines.linewidth"]
    line: dict[str, Any] = {"levels": [0.0], "linewidths": 1.2 * lines}
    for ax, color in ((said, palette.INK), (doubt, palette.PAPER)):
        if track.mean_map.min() < 0.5 < track.mean_map.max():
            style = "-" if ax is said else "--"
            ax.contour(across, across, _logit(track.mean_map), colors=color, linestyles=style, **line)
    for chance in track.chance_maps[:BOUNDARIES] if len(track.networks) else ():
        if chance.min() < 0.5 < chance.max():
            thin: dict[str, Any] = {"colors": palette.INK, "linewidths": 0.5 * lines, "alpha": 0.5}
            said.contour(across, across, _logit(chance), levels=[0.0], **thin)
    X, seen, truth = _shown(scene, track)
    size = 0.7 * rcParams["lines.markersize"]
    for label, marker in ((0, "s"), (1, "o")):
        at = X[seen == label]
        said.plot(*at.T, marker, ms=size, mfc=SIDES[label], mec="white", mew=0.5)
        doubt.plot(*at.T, marker, ms=0.8 * size, mfc="white" if label else "none", mec="white", mew=0.6)
    said.plot(*X[seen != truth].T, "x", ms=1.7 * size, color=palette.INK, mew=0.9)
    title = TITLES["mean"]
    said.set_title(who + title[0].lower() + title[1:] if who else title)
    doubt.set_title(TITLES["doubt"])
    for ax in (said, doubt):
        ax.set(xlim=(-SPAN, SPAN), ylim=(-SPAN, SPAN), xticks=(-2, 0, 2), yticks=(-2, 0, 2))
        ax.set(aspect="equal", xlabel="first input", ylabel="second input")


def _logit(chance: Any) -> Any:
    """What probabilities are before they are squeezed between 0 and 1: between places nearly straight."""
    with np.errstate(divide="ignore"):
        return np.clip(np.log(chance) - np.log1p(-chance), -40, 40)


def _shown(scene: PlaygroundScene, track: Track) -> tuple[Any, Any, Any]:
    """The examples in the maps: one's own points, or some that no learner sees."""
    if scene.settings["data"] == OWN:
        table = np.reshape(np.array(scene.settings["points"], float), (-1, 3))
        return table[:, :2], table[:, 2], table[:, 2]
    test = track.test
    return test.X[:SHOWN], test.y[:SHOWN], test.truth[:SHOWN]


def _draw_network(ax: Axes, track: Track, prior: float) -> None:
    """Draw units as squares with their own maps, and connections as thick as their means; grey is their width."""
    sizes = track.model.sizes
    spots = [[(layer, (n - 1) / 2 - k) for k in range(n)] for layer, n in enumerate(sizes)]
    ends: list[Any] = []
    for layer, (inputs, units) in enumerate(pairwise(sizes)):
        ends += [(spots[layer][j], spots[layer + 1][k]) for j in range(inputs) for k in range(units)]
        ends += [None] * units  # biases are not drawn
    drawn = np.array([end is not None for end in ends])
    segments = [end for end in ends if end is not None]
    mean, std = track.mean[drawn], 0 * track.mean[drawn] if track.std is None else track.std[drawn]
    scale = THICKEST / max(1.0, float(np.max(np.abs(mean))))
    if track.std is not None:
        halo = scale * np.abs(mean) + HALO * std / prior
        ax.add_collection(LineCollection(segments, linewidths=halo, colors=palette.PRIOR, alpha=0.22, zorder=1))
    for sign, color, style in ((0, SIGNS[0], (0, (4, 1.5))), (1, SIGNS[1], "-")):
        some = [segment for segment, weight in zip(segments, mean, strict=True) if (weight > 0) == bool(sign)]
        widths = np.maximum(0.2, scale * np.abs(mean[(mean > 0) == bool(sign)]))
        ax.add_collection(LineCollection(some, linewidths=widths, colors=color, linestyles=style, zorder=2))
    height = max(sizes)
    for unit, (x, y) in enumerate(spot for layer in spots for spot in layer):
        color = palette.PAPER if unit < 2 else palette.FAINT
        ax.plot(x, y, "s", ms=min(11.0, 110 / height), mfc=color, mec=palette.INK, mew=0.8, zorder=3)
    for (x, y), name in zip(spots[0], "xy", strict=True):
        ax.text(x - 0.12, y, name, ha="right", va="center")
    ax.set(xlim=(-0.35, len(sizes) - 0.75), ylim=(-height / 2 - 0.1, height / 2 + 0.1))
    names = ["inputs", *(f"layer {layer}" for layer in range(1, len(sizes) - 1)), "output"]
    ax.set(xticks=range(len(sizes)), xticklabels=names, yticks=())
    ax.set_title(TITLES["network"])
    for side in ax.spines.values():
        side.set_visible(False)


def _look(track: Track, place: int) -> dict[str, Any]:
    name = {"dropout": "Dropout", **dict.fromkeys(FLOWS, "diagonal")}.get(track.name, track.name)
    return {"color": palette.SERIES[name].color, "ls": STYLES[place]}


def _draw_mistakes(ax: Axes, scene: PlaygroundScene) -> None:
    rounds = np.arange(1, scene.now + 1)
    for place, track in enumerate(scene.tracks):
        ax.plot(rounds, 100 * np.cumsum(track.wrong) / rounds, **_look(track, place), label=LEARNERS[track.name])
    ax.set(xlabel="round", ylabel="mistakes so far (%)", xlim=(0, max(1, scene.now)), ylim=(0, 65))
    ax.set_title(TITLES["mistakes"])
    ax.legend()


def _draw_entropy(ax: Axes, scene: PlaygroundScene) -> None:
    """Draw the entropy of each layer: the later, the thicker."""
    lines = rcParams["lines.linewidth"]
    for place, track in enumerate(scene.tracks):
        for layer in range(track.entropy.shape[1] if track.entropy.size else 0):
            values = track.entropy[:, layer]
            ax.plot(values, **_look(track, place), lw=(0.6 + 0.5 * layer) * lines, label=f"layer {layer + 1}")
    if not ax.lines:
        ax.text(0.5, 0.5, "no belief, no entropy", transform=ax.transAxes, ha="center")
    else:
        ax.legend(ncols=len(scene.tracks))
    ax.set(xlabel="round", ylabel="entropy (nats a weight)", xlim=(0, max(1, scene.now)))
    ax.set_title(TITLES["entropy"])


def _draw_calibration(ax: Axes, scene: PlaygroundScene) -> None:
    """Draw confidence against accuracy, full marks for the vote and hollow ones for the mean, with the counts."""
    ax.plot([0.5, 1], [0.5, 1], color=palette.FAINT, lw=3 * rcParams["lines.linewidth"], zorder=0)
    for place, track in enumerate(scene.tracks):
        look_of = _look(track, place)
        for who, bins in track.calibration.items():
            fill = {"mfc": look_of["color"]} if who == "vote" else {"mfc": palette.PAPER, "ls": ":"}
            some = bins.count > 0
            label = who if not place else "_"
            ax.plot(bins.confidence[some], bins.accuracy[some], "o", **(look_of | fill), label=label)
        for place_of, count in enumerate(track.calibration["vote"].count):
            middle = 0.5 + (place_of + 0.5) / (2 * BINS)
            ax.text(middle, -0.2 + 0.1 * place, str(count), ha="center", color=look_of["color"])
    ax.set(xlim=(0.49, 1.01), ylim=(-0.23, 1.03), yticks=np.linspace(0, 1, 6))
    ax.set(xlabel="confidence", ylabel="share that is right")
    ax.set_title(TITLES["calibration"])
    ax.legend(loc="upper left")
