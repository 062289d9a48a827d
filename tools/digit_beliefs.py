"""Learn the digits of MNIST with a small network, and keep the belief at some moments: results/digit-beliefs.json.

    python tools/digit_beliefs.py          # with the data in place: bflo data fetch mnist; about a minute

The network sees digits as `DigitExplorer` sees sketches. The flow is diagonal and non-expansive; its widths have a
floor, since without one they collapse to 0, and networks without width have no doubt to show. Learning rate, floor
and hidden units were chosen by the error of votes and by their calibration, among some twenty settings.
"""

import argparse
import base64
import itertools
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from bflo_viz import MLP, BeliefFlow, DiagonalBelief, load_stream
from bflo_viz.experiments.trial import code_version
from bflo_viz.explorers.digits import BOX, BRUSH, FILE, NETWORKS, SEEN, SIDE
from bflo_viz.streams.stream import fingerprint

SEED = 0
ROUNDS = (0, 100, 300, 1_000, 2_000, 4_000, 10_000, 30_000, 100_000, 600_000)  # the moments that are kept
SURE = 0.9  # the share of networks from which on they are said to agree
LEARNED = 60_000  # the digits of MNIST to learn from; the other 10,000 are the test
HIDDEN, STD, SETTINGS = 40, 0.5, {"eta": 0.5, "non_expansive": True, "min_std": 0.4}
KINDS = {"mean": np.int8, "std": np.uint8}  # one byte a number
# What is no digit, as strokes in a square of side 1, x to the right and y down.
OTHERS = {
    "house": [[(0.1, 1), (0.1, 0.45), (0.5, 0), (0.9, 0.45), (0.9, 1), (0.1, 1)]],
    "star": [[(0.5 + 0.48 * np.sin(0.8 * np.pi * k), 0.5 - 0.48 * np.cos(0.8 * np.pi * k)) for k in range(6)]],
    "square": [[(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)]],
    "arrow": [[(0, 0.5), (1, 0.5)], [(0.65, 0.2), (1, 0.5), (0.65, 0.8)]],
    "A": [[(0, 1), (0.45, 0), (0.9, 1)], [(0.2, 0.62), (0.7, 0.62)]],
    "H": [[(0.1, 0), (0.1, 1)], [(0.9, 0), (0.9, 1)], [(0.1, 0.5), (0.9, 0.5)]],
    "M": [[(0, 1), (0.1, 0), (0.5, 0.6), (0.9, 0), (1, 1)]],
    "X": [[(0, 0), (0.9, 1)], [(0.9, 0), (0, 1)]],
}


def packed(model, belief):
    """Return a belief with a byte for each mean and each width; steps between numbers differ by layer."""
    kept = {}
    for name, kind in KINDS.items():
        blocks = model.unflatten(np.broadcast_to(getattr(belief, name), model.size()))
        steps = [float(f"{np.abs(one).max() / np.iinfo(kind).max:.6g}") for one in blocks]  # as the file has them
        pairs = zip(blocks, steps, strict=True)
        codes = [np.rint(block / (step or 1.0)).astype(kind).tobytes() for block, step in pairs]
        kept[name] = {"steps": steps, "codes": base64.b64encode(b"".join(codes)).decode()}
    return kept


def unpacked(model, kept):
    """Return the belief that `packed` wrote, to half a step."""
    numbers = []
    for name, kind in KINDS.items():
        codes = np.frombuffer(base64.b64decode(kept[name]["codes"]), kind).astype(float)
        blocks = zip(model.unflatten(codes), kept[name]["steps"], strict=True)
        numbers.append(np.concatenate([block.ravel() * step for block, step in blocks]))
    return DiagonalBelief(*numbers)


def to_text(ink):
    """Return a page of 28 × 28 cells as a text: a row is a hexadecimal number, and its first cell the top bit."""
    rows = [int("".join("01"[int(cell)] for cell in row), 2) for row in ink]
    return ".".join(f"{row:x}" if row else "" for row in rows).rstrip(".")


def drawn(strokes):
    """Draw with the round brush: each stroke is points (x, y) in cells from the left and from the top."""
    y, x = np.mgrid[:SIDE, :SIDE] + 0.5
    ink = np.zeros((SIDE, SIDE), bool)
    for stroke in strokes:
        points = np.reshape(stroke, (-1, 2))
        for (x0, y0), (x1, y1) in zip(points, [*points[1:], points[-1]], strict=True):
            along = (x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)
            part = np.clip(along / max((x1 - x0) ** 2 + (y1 - y0) ** 2, 1e-12), 0, 1)
            ink |= (x - x0 - part * (x1 - x0)) ** 2 + (y - y0 - part * (y1 - y0)) ** 2 <= BRUSH**2
    return ink


def slanted(strokes, slant, wide):
    """Return strokes of a square of side 1 on the page: leaning and narrower."""
    points = [np.transpose(stroke) for stroke in strokes]
    return [np.column_stack([14 + 20 * wide * (x - 0.5 - slant * (y - 0.5)), 4 + 20 * y]) for x, y in points]


def seen(ink):
    """Return what a network sees of a page: 14 × 14 shares of ink, with the centre of mass in the middle.

    MNIST has its digits in a box of 20 × 20 pixels with their centre of mass in the middle of 28 × 28. Here that is
    done at half of the size, by areas: a cell of what is seen is as bright as the share of it that ink covers.
    """
    page = np.asarray(ink, float)
    if not page.any():
        return np.zeros((SEEN, SEEN))
    sides = page.sum(axis=1), page.sum(axis=0)
    scale = BOX / max(np.ptp(np.flatnonzero(side)) + 1 for side in sides)
    at, place = np.arange(SIDE), np.arange(SEEN)[:, None]
    lows = [SEEN / 2 + scale * (at - (side @ (at + 0.5)) / side.sum()) for side in sides]
    down, across = (np.maximum(0, np.minimum(low + scale, place + 1) - np.maximum(low, place)) for low in lows)
    return down @ page @ across.T


def learn(model, train, until):
    """Return the belief at each moment; the digits come in a new order in each pass."""
    rng = np.random.default_rng(SEED)
    learner = BeliefFlow(DiagonalBelief.for_model(model, STD), model, **SETTINGS)
    order = np.concatenate([rng.permutation(train.rows) for _ in range(ROUNDS[-1] // train.rows)])
    beliefs = [learner.belief]
    for start, stop in itertools.pairwise(n for n in ROUNDS if n <= until):
        rows = order[start:stop]
        learner.run(train.X[rows], train.y[rows], rng)
        beliefs.append(learner.belief)
    return beliefs


def votes(model, belief, X):
    """Return how many networks are for each digit, for each row: those of the page."""
    normals = np.random.RandomState(SEED).standard_normal((NETWORKS, belief.dim))
    chosen = np.stack([model.predict_many(belief.weight(z), X).argmax(axis=1) for z in normals])
    return (chosen[:, :, None] == np.arange(model.outputs)).sum(axis=0)


def measure(model, kept, test, pages):
    """Return what agreement is worth, in the test and on other drawings, and some drawings to begin with."""
    tallies = [votes(model, unpacked(model, one), test.X) for one in kept]
    most, wrong = tallies[-1].max(axis=1), tallies[-1].argmax(axis=1) != test.y
    sure = most >= SURE * NETWORKS
    shapes = [(slant, wide) for slant in (-0.2, 0.0, 0.2) for wide in (0.7, 1.0)]
    others = np.array([seen(drawn(slanted(one, *s))).ravel() for one in OTHERS.values() for s in shapes])
    agreed = votes(model, unpacked(model, kept[-1]), others).max(axis=1) >= SURE * NETWORKS
    measured = {"test agreed": sure, "test agreed and wrong": wrong[sure], "others agreed": agreed}
    kinds = {"a clear {}": ~wrong, "a {} that all get wrong": wrong}
    first = {words: np.flatnonzero(rule & (most == NETWORKS))[0] for words, rule in kinds.items()}
    examples = {words.format(test.y[k]): to_text(pages[k]) for words, k in first.items()}
    return {
        "errors": [round(100 * np.mean(tally.argmax(axis=1) != test.y), 2) for tally in tallies],
        "measured": {f"{name} (%)": round(100 * np.mean(some), 2) for name, some in measured.items()},
        "examples": examples | {"a house": to_text(drawn(slanted(OTHERS["house"], 0, 0.9)))},
    }


def main():
    from publish_results import enter  # stands beside this script, whose functions are also read from elsewhere

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--into", type=Path, default=Path("results"))
    parser.add_argument("--until", type=int, default=ROUNDS[-1], help="learn no more digits, and measure nothing")
    options = parser.parse_args()
    stream = load_stream("mnist")
    pages = stream.X.reshape(-1, SIDE, SIDE) >= 128  # dark pixels are no ink
    ready = replace(stream, X=np.array([seen(page).ravel() for page in pages], np.float32))
    model = MLP(SEEN * SEEN, HIDDEN, 10)
    kept = [packed(model, one) for one in learn(model, ready.take(slice(LEARNED)), options.until)]
    file = {"sizes": model.sizes, "rounds": ROUNDS[: len(kept)], "beliefs": kept}
    if options.until == ROUNDS[-1]:
        file |= measure(model, kept, ready.take(slice(LEARNED, None)), pages[LEARNED:])
    (options.into / FILE).write_text(f"{json.dumps(file)}\n", encoding="utf-8")
    entry = {
        "command": "python tools/digit_beliefs.py",
        "about": f"A network {model.sizes} learns MNIST in {ROUNDS[-1] // LEARNED} passes, as sketches are seen.",
        "settings": {"seed": SEED, "prior std": STD, **SETTINGS},
        **{name: file.get(name) for name in ("rounds", "errors", "measured")},
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "code": code_version(),
        "data": fingerprint(stream.X, stream.y),
    }
    enter(options.into, FILE, entry)


if __name__ == "__main__":
    main()
