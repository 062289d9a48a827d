"""The page of the network explorer computes what Python computes: streams, runs, maps, doubt, calibration."""

import numpy as np
import pytest
from racing import asked, engine
from traitlets import TraitError

from bflo_viz import NetworkExplorer
from bflo_viz.scenes import playground as scenes
from bflo_viz.scenes.playground import BINS, DATA, EVERY, GRID, LEARNERS, NETWORKS, SPAN, TESTS, usual_rate
from bflo_viz.scenes.playground import learn_playground as learn
from bflo_viz.streams.synthetic import TURNS, plane

CASES, ROUNDS = 14, 180
POINTS = [[-1.0, 0.5, 1], [1.25, -2.0, 0], [0.5, 2.0, 0], [3.5, -3.5, 1]]
CODE = """
globalThis.performance ??= { now: () => Date.now() };
const { Run, Curve } = modules["network/scene.js"];
const { Opinions } = modules["network/opinions.js"];
const { connectionName } = modules["network/words.js"];
const runOf = ({ etas, ...settings }) => new Run({ ...settings, etaOf: (name) => etas[name] });
const told = (run) => {
  const { state, tests } = run;
  const learners = run.names.map((_, i) => {
    const opinions = new Opinions(run, i, facts);
    opinions.update(Infinity);
    const { round } = state.learners[i];
    const network = (which) => [...run.network(i, which, new Float64Array(run.dim)) ?? state.recent[i][which]];
    return {
      mistakes: state.mistakes[i],
      mean: [...run.mean(i, new Float64Array(run.dim))],
      std: [...(state.learners[i].belief?.std ?? [])],
      networks: Array.from({ length: run.votes(i) }, (_, which) => network(which)),
      step: [[...round.weights], [...round.moved]],
      said: [...opinions.mean],
      doubt: [...opinions.doubt],
      numbers: opinions.numbers(),
      isExact: opinions.isExact,
      bins: [opinions.testVote, opinions.testMean].map((chance) => opinions.calibration(chance, facts.bins)),
    };
  });
  const curve = run.points().map(([round, all]) => [round, all]);
  const examples = [tests.x, tests.y, tests.seen, tests.truth].map((part) => [...part]);
  return { round: run.round, learners, curve, tests: examples };
};
const learn = (settings, stops) => {
  const run = runOf(settings);
  for (const round of stops) run.towards(round);
  return told(run);
};
"""
FACTS = {"grid": GRID, "span": SPAN, "bins": BINS}


@pytest.fixture(scope="module")
def racer():
    names = ("network/scene.js", "network/opinions.js", "network/words.js")
    with engine(*names, code=f"const facts = {FACTS};".replace("'", '"') + CODE) as ready:
        yield ready


def setting(number):
    """Settings at random, all data and learners among them, and networks from none to three hidden layers."""
    rng = np.random.default_rng([47, number])
    names = list(LEARNERS)
    return {
        "data": DATA[number % len(DATA)],
        "noise": float(rng.choice([0.0, 0.1, 1.0])),
        "flip": float(rng.choice([0.0, 0.5, 0.2])),
        "points": POINTS,
        "hidden": [int(units) for units in rng.integers(1, 13, rng.integers(0, 4))],
        "learner": names[number % len(names)],
        "rival": str(rng.choice(["none", *names])),
        "eta": [None, float(rng.uniform(0.01, 3))][number % 2],
        "std": float(rng.choice([0.1, 2.0, 3.0])),
        "updates": int(rng.integers(1, 6)),
        "min_std": float(rng.choice([0.0, 0.4])),
        "drop": float(rng.choice([0.2, 0.8])),
        "jitter": float(rng.choice([0.0, 0.05])),
    }


def for_page(case, seed):
    """The settings as the view gives them to a run."""
    names = [name for name in (case["learner"], case["rival"]) if name != "none"]
    etas = {name: usual_rate(case["data"], name) if case["eta"] is None else case["eta"] for name in names}
    same = {name: case[name] for name in case if name not in ("learner", "rival", "eta", "min_std")}
    facts = {"networks": NETWORKS, "every": EVERY, "tests": TESTS, "turns": TURNS}
    return same | facts | {"names": names, "etas": etas, "minStd": case["min_std"], "seed": seed}


def near(ours, theirs, tolerance=1e-8):  # 2e-9 was seen where a flow that may expand amplifies rounding
    """Within so much of each other, by the larger of 1 and their size."""
    np.testing.assert_allclose(np.array(theirs, float), ours, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("number", range(CASES))
def test_the_page_computes_what_python_computes(racer, number):
    """Whole runs over random settings, in pieces and with a way back, as when it is scrubbed."""
    case, seed = setting(number), [0, 2**32 - 1, 5][number % 3]
    scene = learn(np.random.RandomState(seed), rounds=ROUNDS, **case)
    page = asked(racer, "learn", for_page(case, seed), [1, 130, 61, ROUNDS])
    assert page["round"] == scene.now == ROUNDS and len(page["learners"]) == len(scene.tracks)
    test = scene.tracks[0].test
    x, y, seen, truth = page["tests"]
    near(test.X, np.column_stack([x, y]))
    np.testing.assert_array_equal(seen, test.y)
    np.testing.assert_array_equal(truth, test.truth)
    for place, (track, told) in enumerate(zip(scene.tracks, page["learners"], strict=True)):
        assert told["mistakes"] == track.wrong.sum() and told["isExact"]
        near(track.mean, told["mean"])
        near([] if track.std is None else track.std, told["std"])
        near(track.step, told["step"])
        near(track.networks, np.reshape(told["networks"], track.networks.shape))
        near(track.mean_map.ravel(), told["said"])
        near(track.doubt_map.ravel(), told["doubt"])
        _, _, doubt = track.held_out
        near([*track.errors, doubt, track.doubt_map.mean()], told["numbers"])
        for bins, (who, ours) in zip(told["bins"], track.calibration.items(), strict=True):
            assert [one["count"] for one in bins] == ours.count.tolist(), who
            for part in ("confidence", "accuracy"):
                near(getattr(ours, part), [one[part] for one in bins])
        rounds = [round_ for round_, _ in page["curve"]]
        assert rounds[0] == 0 and rounds[-1] == ROUNDS and len(rounds) == ROUNDS + 1
        np.testing.assert_array_equal(
            [all_[place]["mistakes"] for _, all_ in page["curve"]], np.append(0, np.cumsum(track.wrong))
        )
        if track.std is not None:
            near(track.entropy, [all_[place]["entropy"] for _, all_ in page["curve"]])


def test_any_round_can_be_gone_back_to_and_memory_is_bounded(racer):
    """After 40,000 rounds there are at most 64 states and 256 points; and a round is what it was at first."""
    racer.eval("""
        const far = runOf({
          ...{ names: ["SGD"], etas: { SGD: 0.2 }, seed: 3, data: "moons", noise: 0.1, flip: 0, turns: 1 },
          ...{ hidden: [3], std: 1, updates: 1, minStd: 0, points: [], networks: 2, every: 9, tests: 5 },
        });
        const look = (round) => {
          far.towards(round);
          return JSON.stringify([far.state.mistakes, far.state.learners[0].weights, far.state.plane.x]);
        };
        const stops = [0, 1, 777, 12345, 39999];
        const then = stops.map(look);
        far.towards(40000);
        const same = () => stops.toReversed().map((round) => look(round) === then[stops.indexOf(round)]);
        const held = () => [far.kept.length, far.apart, far.curve.values.length];
    """)
    assert asked(racer, "same") == [True] * 5
    kept, apart, points = asked(racer, "held")
    assert 32 <= kept <= 65 and 128 <= points <= 256 and apart * (kept - 1) <= 40_000


def test_a_place_of_the_map_is_what_the_model_says_there():
    """Of the mean and of each network that votes, by a single pass through the model; doubt is their spread."""
    track = learn(np.random.RandomState(2), rounds=60, updates=1, hidden=(5, 4)).tracks[0]
    middles = [SPAN * ((2 * i + 1) / GRID - 1) for i in range(GRID)]
    for row, column in ((0, 0), (3, 30), (GRID - 1, 7)):
        x = [middles[column], middles[row]]
        assert track.mean_map[row, column] == pytest.approx(track.model.predict(track.mean, x)[0], rel=1e-12)
        said = [track.model.predict(w, x)[0] for w in track.networks]
        assert track.doubt_map[row, column] == pytest.approx(np.sqrt(np.mean((said - np.mean(said)) ** 2)), rel=1e-9)


def test_calibration_counts_every_new_example_once():
    """And a vote that is sure of what is right lies in the last bin."""
    track = learn(np.random.RandomState(0), rounds=150, data="clouds", flip=0.2, updates=2).tracks[0]
    for bins in track.calibration.values():
        assert bins.count.sum() == TESTS
        for b in np.flatnonzero(bins.count):
            assert 0.5 + b / (2 * BINS) - 1e-12 <= bins.confidence[b] <= 0.5 + (b + 1) / (2 * BINS) + 1e-12
    mean, _, _ = track.held_out
    sure = np.maximum(mean, 1 - mean) >= 1 - 0.5 / BINS
    right = ((mean > 0.5) == (track.test.y == 1))[sure]
    assert track.calibration["mean"].accuracy[-1] == pytest.approx(right.mean())


def test_entropies_are_those_of_the_belief():
    """Those of the layers, times their weights, are that of the whole."""
    track = learn(np.random.RandomState(1), rounds=50, hidden=(3, 2), learner="flow", updates=1).tracks[0]
    assert track.entropy[-1] @ [9, 8, 3] == pytest.approx(track.belief.entropy(), rel=1e-12)


@pytest.mark.parametrize("shape", DATA)
def test_a_stream_begins_the_same_however_long_it_is(shape):
    """Its labels are balanced, its flips as many as asked for, and all of it lies in the panel."""
    short, long = (
        plane(np.random.RandomState(4), rows=rows, shape=shape, noise=0.05, flip=0.3, points=POINTS[:2])
        for rows in (100, 4000)
    )
    np.testing.assert_array_equal(long.X[:100], short.X)
    np.testing.assert_array_equal(long.y[:100], short.y)
    assert long.truth.mean() == pytest.approx(0.5, abs=0.04)
    assert np.mean(long.y != long.truth) == pytest.approx(0.3, abs=0.04)
    assert np.abs(long.X).max() < SPAN


def test_shapes_are_told_apart_as_they_should_be():
    """By rules that know the shapes: a line, the signs, the radius, the angle of an arm."""

    def of(shape):
        stream = plane(np.random.RandomState(0), rows=2000, shape=shape, noise=0.0)
        return *stream.X.T, stream.truth == 1

    x, y, label = of("clouds")
    assert ((x + y > 0) == label).all()
    x, y, label = of("xor")
    assert ((x * y > 0) == label).all()
    x, y, label = of("circles")
    assert ((np.hypot(x, y) < 1.5) == label).all()
    x, y, label = of("moons")
    assert (np.hypot(x[label] + 0.75, y[label] + 0.45).round(9) == 1.5).all() and (y[label] >= -0.45).all()
    x, y, label = of("spirals")
    along = (np.hypot(x, y) - 0.25) / 2.4
    turned = np.angle(np.exp(1j * (np.arctan2(y, x) - 2 * np.pi * TURNS * along)))
    np.testing.assert_allclose(np.abs(turned), np.where(label, 0, np.pi), atol=1e-9)


def test_points_of_ones_own_are_learned_and_without_any_nothing_is():
    explorer = NetworkExplorer(data="points", points=POINTS, noise=0.0, round=50, updates=1)
    assert {tuple(x) for x in explorer.scene.stream.X} <= {tuple(point[:2]) for point in POINTS}
    explorer.points = []
    assert explorer.scene.now == 0 and "no points yet" in repr(explorer)
    assert explorer.figure().axes
    for wrong, sentence in (
        ([[0, 0, 2]], r"points\[0\] must be a point and its label such as \[0.5, -1.0, 1\], but it was \[0, 0, 2\]."),
        ([[0, 9, 1]], r"points\[0\]\[1\] must be from -3.5 to 3.5, but it was 9."),
        ([[0, 0, 1]] * 101, "points must be a list of at most 100, but it was"),
    ):
        with pytest.raises(TraitError, match=sentence):
            explorer.points = wrong


def test_layers_are_a_short_list_of_units():
    explorer = NetworkExplorer(hidden=(4, 0, 12), round=0)
    assert explorer.hidden == [4, 12] and explorer.belief["learner"].dim == 12 + 60 + 13
    sentence = r"hidden must be a list of whole numbers from 0 to 12, such as \[8, 8\], but it was \[13\]."
    for wrong in ([13], [1.5], [True], [None], [float("nan")]):
        with pytest.raises(TraitError, match=sentence if wrong == [13] else "hidden must be"):
            explorer.hidden = wrong


def test_python_does_few_rounds_of_its_own_accord(monkeypatch):
    """What a notebook stores stops at round 3,000; asked for more, Python says first how long that takes."""
    asked_for = []
    run = lambda rng, rounds, **settings: asked_for.append(rounds) or learn(rng, rounds=5, **settings)  # noqa: E731
    monkeypatch.setattr(NetworkExplorer, "_run", staticmethod(run))
    explorer = NetworkExplorer(round=5_000_000, updates=1)
    assert "after 5 examples" in repr(explorer) and explorer._picture() and asked_for == [3000]
    with pytest.warns(UserWarning, match="5,000,000 rounds step by step, in about 17 min"):
        explorer.figure()
    assert asked_for == [3000, 5_000_000]


def test_the_network_that_votes_for_dropout_leaves_units_out():
    """Each is the network with some hidden units silent, and the mean is scaled by what is kept."""
    track = learn(np.random.RandomState(0), rounds=40, learner="dropout", hidden=(6, 5), drop=0.5).tracks[0]
    for w in track.networks:
        _, second, last = track.model.unflatten(w)
        silent = [(block[:-1] == 0).all(axis=1) for block in (second, last)]
        assert (second[:-1][~silent[0]] != 0).all() and (last[:-1][~silent[1]] != 0).all()
    assert 0 < np.mean([(track.model.unflatten(w)[2][:-1] == 0).mean() for w in track.networks]) < 1


@pytest.mark.parametrize("data", DATA[:-1])
def test_every_shape_is_learned_at_the_defaults(data):
    """By the non-expansive flow, and networks of its belief disagree more over the map than at examples."""
    rounds = 20_000 if data == "spirals" else 3000
    scene = learn(np.random.default_rng(1), data=data, rounds=1, noise=0.05)  # the settings below are its own
    assert scene.settings["hidden"] == (8, 8)
    learner = scenes._learner(
        "non-expansive",
        scene.tracks[0].model,
        eta=usual_rate(data, "non-expansive"),
        std=2.0,
        updates=5,
        min_std=0.4,
        drop=0.2,
        jitter=0.01,
    )
    rng = np.random.default_rng(1)
    stream, test = (plane(rng, rows=rows, shape=data, noise=0.05) for rows in (rounds, 1000))
    learner.run(stream.X, stream.y, rng)
    assert np.mean(learner.predict(test.X) != test.truth) < 0.05
