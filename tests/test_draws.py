"""What a round draws: in index order, one normal for each weight that can move, in each of its updates.

The rule is written down here once more, one number at a time, and asked of every learner of the conformance suite.
"""

import threading

import numpy as np
import pytest
from conformance import DEEP, FEATURES, LEARNERS, NETWORK, SINGLE, state, stream

from bflo_viz import MLP, SGD, BeliefFlow, DiagonalBelief, Dropout, GradientStep, Langevin
from bflo_viz.learners.arow import GaussianLearner


class Recording(np.random.Generator):
    """A generator that writes down which numbers it was asked for."""

    def __init__(self, seed=1):
        super().__init__(np.random.PCG64(seed))
        self.asked = []

    def standard_normal(self, size=None):
        """Normals, one by one."""
        drawn = [super(Recording, self).standard_normal() for _ in range(1 if size is None else size)]
        self.asked += [("normal", number) for number in drawn]
        return drawn[0] if size is None else np.array(drawn)

    def random(self, size=None):
        """Uniforms, one by one."""
        drawn = [super(Recording, self).random() for _ in range(1 if size is None else size)]
        self.asked += [("uniform", number) for number in drawn]
        return drawn[0] if size is None else np.array(drawn)


def weights_from(model, x):
    """Whether each weight, in index order, has an input that is not zero: the first layer's, its biases, the rest."""
    if not isinstance(model, MLP):
        return [value != 0 for value in x]
    rows = [*(value != 0 for value in x), *[True] * model.bias]
    first = [row for row in rows for _ in range(model.sizes[1])]
    return first + [True] * (model.size() - len(first))


def movable(learner, x):
    """The kind of number that an update needs for each place, in order; None where it needs none."""
    if isinstance(learner, Dropout):
        inputs = ["uniform" if value != 0 and learner.input_rate > 0 else None for value in x]
        return inputs + ["uniform" if learner.hidden_rate > 0 else None] * sum(learner.model.sizes[1:-1])
    if isinstance(learner, GaussianLearner):
        return ["normal"] * learner.dim if learner.predicting == "sample" else []
    if isinstance(learner, Langevin):
        return ["normal"] * learner.dim if learner.noise else []
    if not isinstance(learner, BeliefFlow):
        return []
    plain = learner.branch > 0 and type(learner.local_flow) is GradientStep
    if isinstance(learner.belief, DiagonalBelief) and plain:
        return ["normal" if able else None for able in weights_from(learner.model, x)]
    return ["normal"] * learner.dim


@pytest.fixture(params=LEARNERS, ids=lambda name: name.replace(" ", "-"))
def make(request):
    """A function that makes a new learner with one option set."""
    return LEARNERS[request.param]


def stepped(learner, X, y, rng):
    return [learner.step(x, label, rng) for x, label in zip(X, y, strict=True)]


def test_a_round_draws_one_number_for_each_weight_that_can_move(make):
    """The kinds of number, how many, and in which order: first the initial weights, if they are drawn."""
    learner, rng = make(), Recording()
    X, y = stream(learner, 12)
    if getattr(learner, "std", 0) and isinstance(learner, (SGD, Langevin, Dropout)):
        expected = ["normal"] * learner.dim
    else:
        expected = []
    for x, label in zip(X, y, strict=True):
        expected += [kind for _ in range(learner.updates) for kind in movable(learner, x) if kind is not None]
        learner.step(x, label, rng)
        assert [kind for kind, _ in rng.asked] == expected


@pytest.mark.parametrize("model", [None, NETWORK, SINGLE, DEEP], ids=["logistic", "network", "float32", "deep"])
def test_normals_go_to_the_weights_in_index_order(model):
    """Around a mean of 0 and with a width of 1 the sample is the normals themselves, and 0 where none was drawn."""
    size = FEATURES if model is None else model.size()
    learner, rng = BeliefFlow(DiagonalBelief(np.zeros(size), 1.0), model, eta=0.1), Recording()
    (x, *_), (y, *_) = stream(learner, 1)
    w = learner.step(x, y, rng).weights
    able = np.array(weights_from(learner.model, x))
    assert 0 < able.sum() < size
    np.testing.assert_array_equal(w[able], [number for _, number in rng.asked])
    np.testing.assert_array_equal(w[~able], 0.0)


def test_initial_weights_are_scaled_normals():
    learner, rng = SGD(FEATURES, std=0.3), Recording()
    outcome = learner.step(np.ones(FEATURES), 1, rng)
    np.testing.assert_array_equal(outcome.weights, [0.3 * number for _, number in rng.asked])


def test_a_random_state_will_do(make):
    """Its stream is frozen; `run` goes step by step, and predictions and samples take it too."""
    by_step, by_run = np.random.RandomState(4), np.random.RandomState(4)
    one, other = make(), make()
    X, y = stream(one, 20)
    stepped(one, X, y, by_step)
    other.run(X, y, by_run)
    for a, b in zip(state(one), state(other), strict=True):
        np.testing.assert_array_equal(a, b)
    assert by_run.random_sample() == by_step.random_sample()
    np.testing.assert_array_equal(one.predict_proba(X, by_step), other.predict_proba(X, by_run))


def test_a_run_waits_for_whoever_holds_the_generator():
    """The kernels let other threads run, so they hold the generator's lock, as NumPy's own methods do."""
    rng = np.random.default_rng(5)
    X, y = np.ones((5, 3)), np.ones(5)

    def learn():
        BeliefFlow(DiagonalBelief(np.zeros(3), 1.0)).run(X, y, rng, blocks=1)

    learn()  # compiles
    before = rng.bit_generator.state
    thread = threading.Thread(target=learn)
    with rng.bit_generator.lock:
        thread.start()
        thread.join(0.5)
        assert thread.is_alive()
        np.testing.assert_equal(rng.bit_generator.state, before)
    thread.join(10)
    assert not thread.is_alive()
