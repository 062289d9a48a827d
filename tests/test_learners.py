"""The conformance suite: the same promises for every learner with every option set."""

import contextlib
import pickle
from copy import deepcopy

import numpy as np
import pytest
from conformance import LEARNERS, state, stream
from oracles import gaussian_kl
from scipy import sparse

import bflo_viz
from bflo_viz import SGD, BeliefFlow, DiagonalBelief, Momentum, Recorder, kernels


@pytest.fixture(params=LEARNERS, ids=lambda name: name.replace(" ", "-"))
def make(request):
    """A function that makes a new learner with one option set."""
    factory = LEARNERS[request.param]
    factory.tolerance = 2e-3 if "float32" in request.param else 1e-8
    return factory


few = pytest.mark.parametrize(
    "make", ["sgd", "dropout network", "arow full sample", "flow diagonal", "flow network"], indirect=True
)


def rng(seed=1):
    return np.random.default_rng(seed)


def assert_same(one, other, tolerance=0.0, name=""):
    for a, b in zip(state(one), state(other), strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance, err_msg=name)


def steps(learner, X, y, generator):
    return [learner.step(x, t, generator) for x, t in zip(X, y, strict=True)]


def by_steps(make, X, y, generator):
    learner = make()
    steps(learner, X, y, generator)
    return learner


def in_blocks(count, form=np.asarray, watched=False):
    """A run with so many points in its record, dense or sparse; perhaps a callback sees every round."""

    def way(make, X, y, generator):
        learner = make()
        watch = Recorder() if watched else None
        record = learner.run(form(X), y, generator, blocks=count, callback=watch)
        assert len(record.rounds) == len(record.loss) == -(-60 // -(-60 // count))
        return learner

    return way


def pickled_midway(make, X, y, generator):
    learner = make()
    learner.run(X[:25], y[:25], generator)
    learner, copied = pickle.loads(pickle.dumps((learner, generator)))
    learner.run(X[25:], y[25:], copied)
    generator.bit_generator.state = copied.bit_generator.state
    return learner


def after_a_reset(make, X, y, generator):
    learner = make()
    learner.run(X, y, rng(9))
    learner.reset()
    assert learner.rounds == 0
    learner.run(X, y, generator)
    return learner


def stopped_by_a_callback(make, X, y, generator):
    def stop(outcome):
        if outcome.index == 4:
            raise KeyboardInterrupt

    learner = make()
    with pytest.raises(KeyboardInterrupt):
        learner.run(X[:5], y[:5], generator, callback=stop)
    assert learner.rounds == 5
    learner.run(X[5:], y[5:], generator)
    return learner


def without_numba(make, X, y, generator):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "passes", dict)
        return in_blocks(3)(make, X, y, generator)


WAYS = {
    "by steps": by_steps,
    "in one block": in_blocks(1),
    "in blocks": in_blocks(13),
    "sparse": in_blocks(7, sparse.csr_array),
    "watched": in_blocks(7, watched=True),
    "pickled midway": pickled_midway,
    "after a reset": after_a_reset,
    "stopped by a callback": stopped_by_a_callback,
    "without numba": without_numba,
}


@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.MT19937])
def test_every_way_through_a_stream_is_the_same(make, bits):
    """Whatever goes on around the rounds: they end in the same state, and so does the generator."""
    learner, generator = make(), np.random.Generator(bits(3))
    X, y = stream(learner)
    learner.run(X, y, generator)
    for name, way in WAYS.items() if bits is np.random.PCG64 else [("by steps", by_steps)]:
        other_generator = np.random.Generator(bits(3))
        other = way(make, X, y, other_generator)
        assert_same(learner, other, make.tolerance, name)
        np.testing.assert_equal(other_generator.bit_generator.state, generator.bit_generator.state, name)


def test_run_is_a_loop_over_step(make):
    by_run, thin, by_step = make(), make(), make()
    X, y = stream(by_run)
    record, same = by_run.run(X, y, rng()), thin.run(sparse.csr_array(X), y, rng())
    rounds = steps(by_step, X, y, rng())
    np.testing.assert_array_equal(record.mistakes, same.mistakes)
    assert record.mistakes.sum() == sum(r.mistake for r in rounds)
    assert record.loss.sum() == pytest.approx(sum(r.loss for r in rounds), rel=10 * make.tolerance)
    assert record.rounds.sum() == len(X) == by_run.rounds
    rows, row = sparse.csr_array(X), sparse.csr_matrix(X[:1])
    np.testing.assert_allclose(by_run.predict_proba(X), thin.predict_proba(rows), atol=10 * make.tolerance)
    assert make().step(row, y[0], rng()).loss == pytest.approx(rounds[0].loss)


def test_predicting_changes_nothing(make):
    learner = make()
    X, y = stream(learner)
    learner.run(X[:20], y[:20], rng())
    before = deepcopy(learner)
    mean, one, two = learner.predict_proba(X), learner.predict_proba(X, rng(3)), learner.predict_proba(X, rng(3))
    assert_same(before, learner)
    np.testing.assert_array_equal(one, two)
    assert mean.shape == one.shape == ((60,) if learner.model.outputs == 1 else (60, 3))
    assert ((mean >= 0) & (mean <= 1)).all()


def test_inputs_are_neither_changed_nor_kept(make):
    learner = make()
    X, y = stream(learner)
    kept_X, kept_y = X.copy(), y.copy()
    learner.run(X, y, rng())
    np.testing.assert_array_equal(X, kept_X)
    np.testing.assert_array_equal(y, kept_y)
    outcome = learner.step(X[0], y[0], rng())
    before = deepcopy(learner)
    X[:], y[:] = 99.0, 0
    assert_same(before, learner)
    for shown in (outcome.weights, outcome.moved):
        assert not np.shares_memory(shown, X)
        with contextlib.suppress(ValueError):  # a sample may be written to; the learner's own state may not
            shown[:] = 7.0
    assert_same(before, learner, name="what a Round shows can be written to: `finite` makes weights read-only")


def test_a_recorder_sees_every_round(make):
    """The weights that predicted, the loss, the entropy, and the KL by the covariances before and after."""
    learner, recorder = make(), Recorder()
    X, y = stream(learner)
    record = learner.run(X, y, rng(), callback=recorder)
    assert [r.index for r in recorder] == list(range(60))
    assert recorder.loss.sum() == pytest.approx(record.loss.sum())
    for seen in recorder[::7]:
        shown = learner.model.forward(seen.weights, X[seen.index]).loss(y[seen.index])
        assert seen.loss == pytest.approx(shown, rel=100 * make.tolerance)  # these weights did predict
        assert np.isfinite(seen.entropy) == (learner.belief is not None)
        if learner.belief is not None:
            after, before = seen.belief_after, seen.belief_before
            expected = gaussian_kl(after.mean, after.covariance, before.mean, before.covariance)
            assert seen.kl == pytest.approx(expected, rel=1e-5, abs=1e-7)
    assert recorder.beliefs[1] is recorder[0].belief_after and recorder.beliefs[-1] is recorder[-1].belief_after
    assert pickle.loads(pickle.dumps(recorder))[-1].index == 59


@few
def test_mistakes_are_counted_against_the_truth(make):
    learner, same = make(), make()
    X, y = stream(learner)
    given = learner.run(X, y, rng())
    flipped = same.run(X, y, rng(), truth=(y + 1) % max(2, learner.model.outputs))
    assert_same(learner, same)
    if learner.model.outputs == 1:
        np.testing.assert_array_equal(given.mistakes + flipped.mistakes, given.rounds)


def test_every_learner_of_the_package_is_held_to_all_of_this():
    exported = (getattr(bflo_viz, name) for name in bflo_viz.__all__)
    learners = {one for one in exported if isinstance(one, type) and issubclass(one, bflo_viz.Learner)}
    assert learners - {bflo_viz.Learner} == {type(make()) for make in LEARNERS.values()}


# What a learner shows of itself

X, Y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 2


def belief_flow(**settings):
    return BeliefFlow(DiagonalBelief(np.zeros(2), 1.0), **{"eta": 0.1} | settings)


def test_a_subclass_that_overrides_step_alone_is_run_by_its_step():
    class Timid(SGD):
        def step(self, x, y, rng):
            x, y = self.example(x, y, rng)
            return self.outcome(self.weights, self.weights, self.model.forward(self.weights, x), y)

    learner = Timid(2, eta=1.0)
    learner.run(X, Y, np.random.default_rng(1))
    assert learner.rounds == 30 and not learner.weights.any()
    assert repr(learner) == "Timid(Logistic(), dim=2, rounds=30)"


def test_a_learner_without_a_step_is_told_what_it_lacks():
    lacking = type("Lacking", (bflo_viz.Learner,), {})(bflo_viz.Logistic(), 2, prior=DiagonalBelief([0.0, 0.0], 1.0))
    with pytest.raises(NotImplementedError, match="Lacking must define step, one round, or learn, many"):
        lacking.run(X, Y, np.random.default_rng(1))


def test_a_belief_flow_shows_its_rate():
    assert belief_flow().eta == 0.1
    assert belief_flow(local_flow=Momentum(eta=0.3)).eta == 0.3
    assert belief_flow(local_flow=lambda w, g: w - g).eta is None


def test_a_recorder_has_the_numbers_of_all_rounds_as_arrays():
    recorder = Recorder()
    record = belief_flow().run(X, Y, np.random.default_rng(1), callback=recorder)
    assert recorder.entropy[-1] == record.entropy[-1] and (recorder.kl > 0).all()
    assert recorder.mistakes.dtype == bool and recorder.mistakes.sum() == record.mistakes.sum()
    assert recorder.loss.sum() == pytest.approx(record.loss.sum())
    assert {"entropy", "mistakes", "path"} <= set(dir(recorder))
    with pytest.raises(AttributeError, match="a Recorder has no 'losses'; its arrays are mistakes, labels, loss"):
        _ = recorder.losses
