"""Learn the digits of MNIST with a small network, and keep the belief at some moments: results/digit-beliefs.json.

    python tools/digit_beliefs.py          # with the data in place: bflo data fetch mnist; about a minute

The network sees digits as `DigitExplorer` sees sketches. The flow is diagonal and non-expansive; its widths have a
floor, since without one they collapse to 0, and networks without width have no doubt to show. Learning rate, floor
and hidden units were chosen by the error of votes and by their calibration, among some twenty settings.
"""

import argparse
import itertools
import json
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from publish_results import machine

from bflo_viz import MLP, BeliefFlow, DiagonalBelief, load_stream
from bflo_viz._places import write_whole
from bflo_viz.experiments.trial import code_version
from bflo_viz.scenes.votes import (
    DIGITS,
    NETWORKS,
    ROUNDS,
    SEEN,
    SURE,
    as_seen,
    drawn,
    of_picture,
    packed,
    seen,
    to_text,
    unpacked,
)
from bflo_viz.streams.stream import fingerprint

SEED = 0
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
SHOWN = ("house", "spiral", "A")  # those that are examples


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
    """How many networks are for each digit, for each row: the networks of `digit_votes`."""
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
        return write_whole(options.into / DIGITS, f"{json.dumps(file)}\n".encode())
    beliefs = [unpacked(model, one) for one in kept]
    by_mean = [100 * np.mean(model.predict_many(b.mean, test.X).argmax(axis=1) != test.y) for b in beliefs]
    by_vote = [100 * np.mean(votes(model, b, test.X).argmax(axis=1) != test.y) for b in beliefs]
    tally, measured = measure(model, beliefs[-1], test)
    pages = stream.X[LEARNED:].reshape(-1, 28, 28) >= 128
    errors = {"mean": np.round(by_mean, 2).tolist(), "vote": np.round(by_vote, 2).tolist()}
    measured = {name: round(float(value), 2) for name, value in measured.items()}
    file = {"sizes": model.sizes, "rounds": ROUNDS, "errors": errors, "measured": measured}
    file |= {"examples": list(examples(test, pages, tally)), "beliefs": kept}
    write_whole(options.into / DIGITS, f"{json.dumps(file)}\n".encode())
    manifest = options.into / "manifest.json"
    entries = json.loads(manifest.read_text(encoding="utf-8")) if manifest.is_file() else {}
    entries[DIGITS] = {
        "command": "python tools/digit_beliefs.py",
        "about": f"A network {model.sizes} learns MNIST in {ROUNDS[-1] // LEARNED} passes, as sketches are seen.",
        "settings": {"seed": SEED, "prior std": STD, **SETTINGS},
        "rounds": ROUNDS,
        "error in the test (%)": errors,
        "measured": measured,
        "seconds": round(time.perf_counter() - began),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "code": code_version(),
        "machine": machine(),
        "data": fingerprint(stream.X, stream.y),
    }
    text = json.dumps(dict(sorted(entries.items())), indent=2, ensure_ascii=False)
    write_whole(manifest, f"{text}\n".encode())
    return print(f"{options.into / DIGITS}: errors of votes in percent {errors['vote']}; {measured}")


if __name__ == "__main__":
    main()
