"""Bad input is refused in one sentence that names the argument, at the boundary where it enters.

Each boundary gets the inputs that differ in kind: not a number, not finite, the wrong shape, the wrong sign.
"""

import re

import numpy as np
import pytest
from scipy import sparse

from bflo_viz import (
    AROW,
    MLP,
    NHERD,
    SGD,
    BeliefFlow,
    BeliefFlowClassifier,
    DiagonalBelief,
    Dropout,
    FullBelief,
    Kalman,
    Langevin,
    Logistic,
    Momentum,
    SphericalBelief,
    condition,
    pseudo_observation,
    regime,
    stretch,
    stretch_kl,
)

NAN, INF = float("nan"), float("inf")
ORIGIN, W, W_NEW = [0.0, 0.0], [1.0, 0.5], [0.5, 1.0]
BELIEFS = SphericalBelief(ORIGIN, 1.0), DiagonalBelief(ORIGIN, 1.0), FullBelief(ORIGIN, np.eye(2))
NET, WEIGHTS = MLP((2, 3, 2)), np.zeros(17)
NOT_NUMBERS = NAN, INF, "one", None, 1j
NOT_VECTORS = 0.0, [[1.0], [1.0, 2.0]], [1.0, NAN], ["a", "b"], None, [1.0, 2.0, 3.0]


def rng():
    return np.random.default_rng(1)


def refuses(argument, call, *bads):
    """Every bad value raises a ValueError of one sentence that names the argument."""
    for bad in bads:
        with pytest.raises(ValueError, match=rf"\b{argument}\b.* must .*\.$") as refused:
            call(bad)
        message = str(refused.value)
        assert "\n" not in message and len(message) < 250 and not re.search(r"[.!?] [A-Z]", message)


@pytest.mark.parametrize("function", [stretch, lambda u, v, **more: stretch_kl(1.0, u, v, **more)])
def test_a_stretch_and_its_price_need_real_numbers(function):
    refuses("u", lambda x: function(x, 1.0), *NOT_NUMBERS, [[1.0], [1.0, 2.0]])
    refuses("v", lambda x: function(1.0, x), *NOT_NUMBERS)
    refuses("dim", lambda x: function(1.0, 1.0, dim=x), 0, 1.5, True, "2")


def test_the_branch_is_a_sign():
    for call in (stretch, regime):
        refuses("branch", lambda x, call=call: call(1.0, 1.0, branch=x), 0, 0.5, "+1", None, [1])
    refuses("delta", lambda x: regime(x, 1.0), NAN, "one")


def test_beliefs_are_made_of_finite_means_and_positive_widths():
    for kind in (SphericalBelief, DiagonalBelief):
        refuses("mean", lambda x, kind=kind: kind(x, 1.0), *NOT_VECTORS[:-1], [])
        refuses("std", lambda x, kind=kind: kind(ORIGIN, x), 0.0, -1.0, NAN, None, "1", 1j, [1.0] * 3)
    refuses("std", lambda x: DiagonalBelief(ORIGIN, [1.0, x]), NAN, 0.0)


def test_a_covariance_is_symmetric_and_positive_definite():
    asymmetric, indefinite, singular = [[1, 0.5], [0.4, 1]], [[1, 2], [2, 1]], [[1, 1], [1, 1 + 2**-52]]
    bads = 1.0, np.eye(3), [[1.0], [0.0, 1.0]], asymmetric, indefinite, singular, [[1, NAN], [NAN, 1]], "eye", None
    refuses("covariance", lambda x: FullBelief(ORIGIN, x), *bads)
    refuses("mean", lambda x: FullBelief(x, np.eye(2)), *NOT_VECTORS[:-1])


@pytest.mark.parametrize("belief", BELIEFS, ids=lambda belief: type(belief).__name__)
def test_a_flow_needs_finite_vectors_of_its_size(belief):
    refuses("w", lambda x: belief.flow(x, W_NEW), *NOT_VECTORS)
    refuses("w_new", lambda x: belief.flow(W, x), *NOT_VECTORS)
    refuses("points", lambda x: belief.transport(x, W, W_NEW), *NOT_VECTORS)
    refuses("branch", lambda x: belief.flow(W, W_NEW, branch=x), 0, "+1", None)
    refuses("branch", lambda x: belief.flow(W, W, branch=x), 0, "+1", None)  # nothing moves, and yet
    refuses("min_std", lambda x: belief.flow(W, W_NEW, min_std=x), -1.0, NAN, "0", None, [0.0, 0.0], 1j)
    refuses("size", lambda x: belief.sample(rng(), x), 0, 1.5, "2")
    refuses("rng", belief.sample, None, 0, np.random.PCG64(0))
    with pytest.raises(TypeError):  # a misspelt option is not silently dropped
        belief.flow(W, W_NEW, nonexpansive=True)


@pytest.mark.parametrize("belief", BELIEFS, ids=lambda belief: type(belief).__name__)
def test_two_beliefs_must_be_of_one_kind_and_size(belief):
    other = BELIEFS[1] if belief is BELIEFS[0] else BELIEFS[0]
    larger = type(belief)([0.0] * 3, np.eye(3) if belief is BELIEFS[2] else 1.0)
    seen = pseudo_observation(belief, belief.flow(W, W_NEW))
    refuses("prior", belief.kl, None, ORIGIN, larger)
    refuses("posterior", lambda x: pseudo_observation(belief, x), None, ORIGIN, larger, other)
    refuses("observations", lambda x: condition(belief, x), [seen, 1.0], [None])


def test_rules_and_rotations_are_chosen_by_name():
    for rule in ("both", None, 1):
        refuses("rule", lambda x: BELIEFS[0].flow(W, W, rule=x), rule)
        refuses("rule", lambda x: BELIEFS[0].transport(W, W, W, rule=x), rule)
    with pytest.raises(TypeError, match="the flow of a DiagonalBelief has no option rule"):
        BELIEFS[1].flow(W, W, rule="exact")
    refuses("rotation", lambda x: BELIEFS[2].transport(W, W, W_NEW, rotation=x), 0, "+1", None)


def test_models_refuse_what_does_not_fit_them():
    refuses("sizes", MLP, (3,), "32", (2, 0), (2, 1.5))
    refuses("bias", lambda x: MLP((2, 1), bias=x), 2)
    refuses("precision", lambda x: MLP((2, 1), precision=x), "half")
    refuses("features", NET.size, 3)
    refuses("w", lambda x: NET.predict(x, [0, 0]), np.zeros(16), np.zeros((17, 1)), "w")
    refuses("x", lambda x: NET.predict(WEIGHTS, x), [0.0], [[0, 0]], [0.0, NAN], sparse.eye(2))
    refuses("X", lambda x: NET.predict_many(WEIGHTS, x), [0.0, 0.0], sparse.eye(3))
    refuses("y", lambda x: NET.gradient(WEIGHTS, [0, 0], x), 2, 0.5, "1")
    refuses("y", lambda x: Logistic().gradient([0.0], [1.0], x), 2, 0.5, "1")


def test_learners_refuse_settings_out_of_range():
    refuses("eta", lambda x: SGD(2, eta=x), -1, NAN)
    refuses("eta", lambda x: BeliefFlow(BELIEFS[1], eta=x), -1, NAN)
    refuses("features", lambda x: SGD(x), 0, "2")
    refuses("model", lambda x: SGD(2, x), "logistic")
    refuses("updates", lambda x: SGD(2, updates=x), 0)
    refuses("noise", lambda x: Langevin(2, noise=x), -1)
    refuses("Langevin", lambda x: Langevin(2, **x), {}, {"noise": 0.1, "data_size": 10})
    refuses("input_rate", lambda x: Dropout(2, input_rate=x), 1.0)
    refuses("r", lambda x: AROW(2, r=x), 0)
    refuses("C", lambda x: NHERD(2, C=x), 0)
    refuses("decay", lambda x: Momentum(decay=x), 5)
    refuses("belief", BeliefFlow, 3)
    refuses("belief", Kalman, 3, BELIEFS[0])
    refuses("local_flow", lambda x: BeliefFlow(BELIEFS[1], local_flow=x), 3)
    refuses("rule", lambda x: BeliefFlow(BELIEFS[1], rule=x), "exact")
    refuses("non_expansive", lambda x: BeliefFlow(BELIEFS[1], non_expansive=x), "no")
    refuses("min_std", lambda x: BeliefFlow(BELIEFS[1], min_std=x), -1)
    refuses("belief", lambda x: BeliefFlowClassifier(x).fit([[0.0], [1.0]], [0, 1]), "round")


def test_numbers_of_other_kinds_are_welcome():
    """Integers, tuples, booleans and half-precision floats are numbers, and become float64."""
    assert stretch(1, 2) == stretch(1.0, 2.0)
    assert stretch(True, False) == stretch(1.0, 0.0)
    belief = DiagonalBelief((0, 1), np.array([1, 2], dtype=np.float16))
    assert belief.mean.dtype == belief.std.dtype == np.float64
    assert stretch(1.0, 1.0, branch=np.int64(1), dim=np.int32(3)) == 1.0
