"""What a newcomer types in a first hour works, or is answered in a sentence."""

from dataclasses import replace

import numpy as np
import pytest

from bflo_viz import (
    AROW,
    MLP,
    NHERD,
    SGD,
    Adam,
    BeliefFlow,
    BeliefFlowClassifier,
    DiagonalBelief,
    FullBelief,
    Langevin,
    Logistic,
    Recorder,
    SphericalBelief,
)
from bflo_viz.learners import recorder as recording

X, Y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 2


def belief_flow(**settings):
    return BeliefFlow(DiagonalBelief(np.zeros(2), 1.0), **{"eta": 0.1} | settings)


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (
            belief_flow(),
            "BeliefFlow(belief=DiagonalBelief, model=Logistic(), eta=0.1, non_expansive=False, branch=1, "
            "min_std=0.0, rule='printed', updates=1, local_flow=GradientStep(eta=0.1), dim=2, rounds=0)",
        ),
        (SGD(2, eta=0.2), "SGD(features=2, model=Logistic(), eta=0.2, std=0.0, updates=1, dim=2, rounds=0)"),
        (
            AROW(2),
            "AROW(features=2, model=Logistic(), r=10.0, std=1.0, covariance='full', predicting='mean', "
            "dim=2, rounds=0)",
        ),
    ],
)
def test_a_learner_prints_its_settings(learner, words):
    assert repr(learner) == words


def test_a_learner_prints_its_network_and_rounds_and_what_it_has_of_its_own():
    class Mine(Langevin):
        def __init__(self, *options, **more):
            super().__init__(*options, **more)

    mine = Mine(2, MLP(2, 3, 1))
    mine.step(X[0], 1, np.random.default_rng(0))
    assert repr(mine).startswith("Mine(model=MLP(sizes=(2, 3, 1)") and repr(mine).endswith("dim=13, rounds=1)")


def test_a_belief_flow_shows_its_rate():
    assert belief_flow().eta == 0.1
    assert belief_flow(local_flow=Adam(eta=0.3)).eta == 0.3
    assert belief_flow(local_flow=lambda w, g: w - g).eta is None


def test_layers_may_come_one_by_one():
    model = MLP(64, 32, 10, precision="float64")
    assert model == MLP((64, 32, 10), precision="float64") == MLP(sizes=[64, 32, 10], precision="float64")
    assert replace(model, bias=False).sizes == (64, 32, 10)
    assert hash(model) == hash(MLP([64, 32, 10], precision="float64"))
    assert model.size() == model.size(64) == 65 * 32 + 33 * 10
    for wrong in (lambda: MLP(), lambda: MLP(64), lambda: MLP(64, "32", 10)):
        with pytest.raises(ValueError, match=r"^sizes"):
            wrong()


@pytest.mark.parametrize("kind", [SphericalBelief, DiagonalBelief, FullBelief])
def test_a_prior_takes_its_size_from_the_model(kind):
    network = MLP(2, 3, 1)
    prior = kind.for_model(network, 0.2)
    assert type(prior) is kind and prior.dim == network.size()
    np.testing.assert_allclose(prior.covariance, 0.04 * np.eye(network.size()))
    assert not prior.mean.any() and BeliefFlow(prior, network).dim == prior.dim
    assert kind.for_model(Logistic(), 0.2, 5).dim == 5
    with pytest.raises(ValueError, match="features must be a whole number"):
        kind.for_model(Logistic(), 0.2)
    with pytest.raises(ValueError, match="std must be positive"):
        kind.for_model(network, 0.0)


@pytest.mark.parametrize("kind", [AROW, NHERD])
def test_linear_learners_say_that_they_learn_no_network(kind):
    with pytest.raises(ValueError, match=f"{kind.__name__} cannot learn a network: .*BeliefFlow, SGD"):
        kind(2, model=MLP(2, 3, 1))
    assert kind(2, Logistic()).dim == 2


def test_one_word_names_the_belief_of_a_learner_and_of_a_classifier():
    assert BeliefFlowClassifier(belief="full").fit(X, Y).learners_[0].belief.factor.shape == (3, 3)


def test_a_recorder_has_the_numbers_of_all_rounds_as_arrays():
    whole, some, thinned = Recorder(), Recorder("kl", "entropy"), Recorder("mistakes", every=7, keep=2)
    records = [belief_flow().run(X, Y, np.random.default_rng(1), callback=one) for one in (whole, some, thinned)]
    assert len(whole) == len(some) == len(whole.rounds) == 30 and not some.rounds
    np.testing.assert_array_equal(some.kl, whole.kl)
    np.testing.assert_array_equal(some.entropy, whole.entropy)
    assert whole.entropy[-1] == records[0].entropy[-1] and (whole.kl > 0).all()
    assert whole.mistakes.dtype == bool and whole.mistakes.sum() == records[0].mistakes.sum()
    assert whole.loss.sum() == pytest.approx(records[0].loss.sum())
    assert thinned.index.tolist() == [21, 28] and thinned.mistakes.shape == (2,)
    with pytest.raises(ValueError, match=r"kl must be asked for before a run, as by Recorder\('kl'\)"):
        _ = thinned.kl
    with pytest.raises(ValueError, match="what a recorder keeps must be 'index' or 'mistakes'"):
        Recorder("entropie")


@pytest.mark.parametrize("make", [belief_flow, lambda: AROW(2)], ids=["BeliefFlow", "AROW"])
def test_a_recorder_forgets_no_round_in_silence(make, monkeypatch):
    monkeypatch.setattr(recording, "_MEMORY", 10_000)
    recorder = Recorder()
    with pytest.warns(UserWarning, match="forgets the oldest: name what to keep"):
        make().run(X, Y, np.random.default_rng(1), callback=recorder)
    assert 0 < len(recorder) < 30 and recorder.index[-1] == 29
