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
import platform
import time
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
TURN = np.linspace(0, 1, 25)
SPIRAL = np.column_stack([0.5 + 0.45 * TURN * np.cos(13 * TURN), 0.5 + 0.45 * TURN * np.sin(13 * TURN)])
STAR = [(0.5 + 0.48 * np.sin(0.8 * np.pi * k), 0.5 - 0.48 * np.cos(0.8 * np.pi * k)) for k in range(6)]
# What is no digit, as strokes in a square of side 1, x to the right and y down.
OTHERS = {
    "house": [[(0.1, 1), (0.1, 0.45), (0.5, 0), (0.9, 0.45), (0.9, 1), (0.1, 1)]],
    "spiral": [SPIRAL],
    "star": [STAR],
    "square": [[(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)]],
    "triangle": [[(0.5, 0), (1, 0.9), (0, 0.9), (0.5, 0)]],
    "arrow": [[(0, 0.5), (1, 0.5)], [(0.65, 0.2), (1, 0.5), (0.65, 0.8)]],
    "plus": [[(0.5, 0), (0.5, 1)], [(0, 0.5), (1, 0.5)]],
    "grid": [[(0.3, 0), (0.3, 1)], [(0.7, 0), (0.7, 1)], [(0, 0.3), (1, 0.3)], [(0, 0.7), (1, 0.7)]],
    "wave": [np.column_stack([TURN, 0.5 + 0.25 * np.sin(12 * TURN)])],
    "A": [[(0, 1), (0.45, 0), (0.9, 1)], [(0.2, 0.62), (0.7, 0.62)]],
    "E": [[(0.8, 0), (0.1, 0), (0.1, 1), (0.8, 1)], [(0.1, 0.5), (0.7, 0.5)]],
    "H": [[(0.1, 0), (0.1, 1)], [(0.9, 0), (0.9, 1)], [(0.1, 0.5), (0.9, 0.5)]],
    "K": [[(0.1, 0), (0.1, 1)], [(0.8, 0), (0.1, 0.5), (0.8, 1)]],
    "M": [[(0, 1), (0.1, 0), (0.5, 0.6), (0.9, 0), (1, 1)]],
    "T": [[(0, 0), (1, 0)], [(0.5, 0), (0.5, 1)]],
    "W": [[(0, 0), (0.25, 1), (0.5, 0.4), (0.75, 1), (1, 0)]],
    "X": [[(0, 0), (0.9, 1)], [(0.9, 0), (0, 1)]],
}
KINDS = {"mean": np.int8, "std": np.uint8}  # one byte a number
SHOWN = ("house", "spiral", "A")  # those that are examples


def packed(model, belief):
    """Return a belief with a byte for each mean and each width; steps between numbers differ by layer."""
    return {name: _written(model, getattr(belief, name), kind) for name, kind in KINDS.items()}


def _written(model, values, kind):
    blocks = model.unflatten(np.broadcast_to(values, model.size()))
    most = np.iinfo(kind).max
    steps = [float(f"{np.abs(block).max() / most:.6g}") for block in blocks]  # six digits, as the file has them
    codes = [np.clip(np.rint(block / (step or 1.0)), -most, most) for block, step in zip(blocks, steps, strict=True)]
    return {"steps": steps, "codes": base64.b64encode(b"".join(c.astype(kind).tobytes() for c in codes)).decode()}


def unpacked(model, kept):
    """Return the belief that `packed` wrote, to half a step."""
    read = {name: np.frombuffer(base64.b64decode(kept[name]["codes"]), kind) for name, kind in KINDS.items()}
    return DiagonalBelief(*(_scaled(model, codes.astype(float), kept[name]["steps"]) for name, codes in read.items()))


def _scaled(model, codes, steps):
    return np.concatenate([block.ravel() * step for block, step in zip(model.unflatten(codes), steps, strict=True)])


def to_text(ink):
    """Return a page of 28 × 28 cells as a text: a row is a hexadecimal number, and its first cell the top bit."""
    rows = [int("".join("01"[int(cell)] for cell in row), 2) for row in ink]
    return ".".join(f"{row:x}" if row else "" for row in rows).rstrip(".")


def of_picture(picture):
    """Return ink where a picture of the size of the page is at least half as bright as its brightest pixel."""
    return picture >= 0.5 * max(float(np.max(picture)), 1e-300)


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
    middles = [(side @ (np.arange(SIDE) + 0.5)) / side.sum() for side in sides]
    down, across = (_overlaps(scale, SEEN / 2 - scale * middle) for middle in middles)
    return down @ page @ across.T


def _overlaps(scale, start):
    """Return how much of each coarse cell lies under each cell of the page, of width ``scale``, from ``start`` on."""
    low = start + scale * np.arange(SIDE)
    place = np.arange(SEEN)[:, None]
    return np.maximum(0, np.minimum(low + scale, place + 1) - np.maximum(low, place))


def as_seen(stream):
    """Return digits of 28 × 28 pixels as a network sees them, were they drawn: dark pixels are no ink."""
    pages = stream.X.reshape(-1, SIDE, SIDE) >= 128
    return replace(
        stream, X=np.array([seen(page) for page in pages], np.float32).reshape(-1, SEEN * SEEN), feature_names=()
    )


def learn(train, until):
    """The belief at each moment; the digits come in a new order in each pass."""
    rng = np.random.default_rng(SEED)
    model = MLP(SEEN * SEEN, HIDDEN, 10)
    learner = BeliefFlow(DiagonalBelief.for_model(model, STD), model, **SETTINGS)
    order = np.concatenate([rng.permutation(train.rows) for _ in range(ROUNDS[-1] // train.rows)])
    beliefs = [learner.belief]
    for start, stop in itertools.pairwise(n for n in ROUNDS if n <= until):
        rows = order[start:stop]
        learner.run(train.X[rows], train.y[rows], rng)
        beliefs.append(learner.belief)
    return model, beliefs


def votes(model, belief, X, seed=SEED):
    """How many networks are for each digit, for each row: those of the page."""
    normals = np.random.RandomState(seed).standard_normal((NETWORKS, belief.dim))
    chosen = np.stack([model.predict_many(belief.weight(z), X).argmax(axis=1) for z in normals])
    return (chosen[:, :, None] == np.arange(model.outputs)).sum(axis=0)


def slanted(strokes, slant, wide):
    """Strokes of a square of side 1 on the page: leaning and narrower."""
    for stroke in strokes:
        x, y = np.transpose(stroke)
        yield np.column_stack([14 + 20 * wide * (x - 0.5 - slant * (y - 0.5)), 4 + 20 * y])


def other_drawings():
    """Every drawing of something else, in six shapes."""
    shapes = [(slant, wide) for slant in (-0.2, 0.0, 0.2) for wide in (0.7, 1.0)]
    pages = [drawn(slanted(strokes, *shape)) for strokes in OTHERS.values() for shape in shapes]
    return np.array([seen(page).ravel() for page in pages])


def gap(share, right):
    """How far the share of votes is from the share of right digits, over ten bins (expected calibration error)."""
    bins = np.minimum((10 * share).astype(int), 9)
    return sum(abs(share[bins == k].sum() - right[bins == k].sum()) for k in range(10)) / len(share)


def measure(model, belief, test):
    """What agreement is worth: in the test, and on drawings of other things."""
    tally = votes(model, belief, test.X)
    share, right = tally.max(axis=1) / NETWORKS, tally.argmax(axis=1) == test.y
    others = other_drawings()
    agreed = votes(model, belief, others).max(axis=1) / NETWORKS >= SURE
    return tally, {
        "test agreed (%)": 100 * np.mean(share >= SURE),
        "test agreed and wrong (%)": 100 * np.mean(~right[share >= SURE]),
        "test not agreed and wrong (%)": 100 * np.mean(~right[share < SURE]),
        "calibration error (%)": 100 * gap(share, right),
        "others": len(others),
        "others agreed (%)": 100 * np.mean(agreed),
    }


def examples(test, pages, tally):
    """Sketches to begin with, chosen by a rule: the first digit of the test of its kind, and some other things."""
    winner, most = tally.argmax(axis=1), tally.max(axis=1)
    rules = {
        "clear": (most == NETWORKS) & (winner == test.y),
        "doubtful": most == most.min(),
        "wrong": (most == NETWORKS) & (winner != test.y),
    }
    texts = {"clear": "a clear {}", "doubtful": "a doubtful {}", "wrong": "a {} that all get wrong"}
    for name, rule in rules.items():
        at = int(np.flatnonzero(rule)[0])
        yield {"name": name, "label": texts[name].format(test.y[at]), "sketch": to_text(of_picture(pages[at]))}
    for name in SHOWN:
        label = f"an {name}" if name == "A" else f"a {name}"
        yield {"name": name.lower(), "label": label, "sketch": to_text(drawn(slanted(OTHERS[name], 0, 0.9)))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--into", type=Path, default=Path("results"))
    parser.add_argument("--until", type=int, default=ROUNDS[-1], help="learn no more digits, and measure nothing")
    options = parser.parse_args()
    began = time.perf_counter()
    stream = load_stream("mnist")
    ready = as_seen(stream)
    train, test = ready.take(slice(LEARNED)), ready.take(slice(LEARNED, None))
    model, exact = learn(train, options.until)
    kept = [packed(model, belief) for belief in exact]
    options.into.mkdir(parents=True, exist_ok=True)
    if len(kept) < len(ROUNDS):
        file = {"sizes": model.sizes, "rounds": ROUNDS[: len(kept)], "beliefs": kept}
        (options.into / FILE).write_text(f"{json.dumps(file)}\n", encoding="utf-8")
        return None
    beliefs = [unpacked(model, one) for one in kept]
    by_mean = [100 * np.mean(model.predict_many(b.mean, test.X).argmax(axis=1) != test.y) for b in beliefs]
    by_vote = [100 * np.mean(votes(model, b, test.X).argmax(axis=1) != test.y) for b in beliefs]
    tally, measured = measure(model, beliefs[-1], test)
    pages = stream.X[LEARNED:].reshape(-1, 28, 28) >= 128
    errors = {"mean": np.round(by_mean, 2).tolist(), "vote": np.round(by_vote, 2).tolist()}
    measured = {name: round(float(value), 2) for name, value in measured.items()}
    file = {"sizes": model.sizes, "rounds": ROUNDS, "errors": errors, "measured": measured}
    file |= {"examples": list(examples(test, pages, tally)), "beliefs": kept}
    (options.into / FILE).write_text(f"{json.dumps(file)}\n", encoding="utf-8")
    manifest = options.into / "manifest.json"
    entries = json.loads(manifest.read_text(encoding="utf-8")) if manifest.is_file() else {}
    entries[FILE] = {
        "command": "python tools/digit_beliefs.py",
        "about": f"A network {model.sizes} learns MNIST in {ROUNDS[-1] // LEARNED} passes, as sketches are seen.",
        "settings": {"seed": SEED, "prior std": STD, **SETTINGS},
        "rounds": ROUNDS,
        "error in the test (%)": errors,
        "measured": measured,
        "seconds": round(time.perf_counter() - began),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "code": code_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "data": fingerprint(stream.X, stream.y),
    }
    text = json.dumps(dict(sorted(entries.items())), indent=2, ensure_ascii=False)
    manifest.write_text(f"{text}\n", encoding="utf-8")
    return print(f"{options.into / FILE}: errors of votes in percent {errors['vote']}; {measured}")


if __name__ == "__main__":
    main()
