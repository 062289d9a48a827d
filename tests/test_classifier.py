"""The scikit-learn estimator, held to scikit-learn's own checks."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from bflo_viz import BeliefFlowClassifier

# Checks that scikit-learn itself skips, and why: both need what this environment does not have.
SKIPPED = {
    "check_array_api_input": "runs only where SCIPY_ARRAY_API is set before scipy is imported",
    "check_classifier_data_not_an_array": "its pandas half runs only where pandas is installed",
}


@pytest.mark.parametrize(
    "flow", ["diagonal", *(pytest.param(name, marks=pytest.mark.slow) for name in ("spherical", "full"))]
)
def test_scikit_learns_own_checks_pass(flow):
    """`check_estimator`, complete: none fails, and the only ones skipped are named above."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks provoke warnings on purpose
        results = check_estimator(BeliefFlowClassifier(flow, random_state=0), on_fail=None)
    failed = {r["check_name"]: str(r["exception"]) for r in results if r["status"] not in ("passed", "skipped")}
    assert not failed
    assert {r["check_name"] for r in results if r["status"] == "skipped"} <= set(SKIPPED)
    assert len(results) > 40


@pytest.mark.parametrize(("load", "least"), [(load_breast_cancer, 0.95), (load_iris, 0.8)])
def test_it_works_in_a_pipeline_under_cross_validation(load, least):
    """Scaled, five folds, two classes and three."""
    X, y = load(return_X_y=True)
    model = make_pipeline(StandardScaler(), BeliefFlowClassifier(random_state=0))
    assert cross_val_score(model, X, y).mean() > least


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_partial_fit_goes_on(load):
    """Two halves by partial_fit equal one whole, whatever is predicted between; classes may be named beforehand."""
    X, y = load(return_X_y=True)
    X, half = StandardScaler().fit_transform(X), len(X) // 2
    whole = BeliefFlowClassifier(random_state=0).partial_fit(X, y)
    halves = BeliefFlowClassifier(random_state=0)
    halves.partial_fit(X[:half], y[:half], classes=np.unique(y)).predict(X)
    halves.partial_fit(X[half:], y[half:])
    np.testing.assert_allclose(whole.decision_function(X), halves.decision_function(X), rtol=1e-9)


def test_a_failed_call_leaves_the_estimator_as_it_was():
    """Wrong classes or settings: a sentence, and neither half-fitted nor forgotten."""
    X, y = load_iris(return_X_y=True)
    model = BeliefFlowClassifier(random_state=0)
    with pytest.raises(ValueError, match="y must hold the classes"):
        model.partial_fit(X, y, classes=[0, 1])
    model.partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="y must hold the classes"):
        model.partial_fit(X[:2], [0, 7])
    with pytest.raises(ValueError, match="classes must be those of the first call"):
        model.partial_fit(X, y, classes=[5, 6, 7])
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="epochs must be"):
        model.set_params(epochs=0).fit(X, y)
    np.testing.assert_array_equal(before, model.decision_function(X))


def test_probabilities_agree_with_the_prediction_far_from_every_class(monkeypatch):
    """Where each probability of one against the rest underflows, they still add up and order the classes."""
    X, y = load_wine(return_X_y=True)
    model = BeliefFlowClassifier(random_state=0).fit(X, y)
    likely = model.predict_proba(X)
    np.testing.assert_array_equal(likely[np.arange(len(X)), model.predict(X)], likely.max(axis=1))
    monkeypatch.setattr(model, "decision_function", lambda X: np.array([[-1000.0, -900.0, -901.0]]))
    np.testing.assert_allclose(
        model.predict_proba(X[:1]), [[0, 1 / (1 + np.exp(-1)), np.exp(-1) / (1 + np.exp(-1))]], atol=1e-12
    )
    assert model.predict(X[:1]) == [1]


def test_names_of_classes_and_sparse_rows():
    """Any labels come back as they went in; sparse rows give what dense rows give."""
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    dense = BeliefFlowClassifier(random_state=0).fit(X, names)
    thin = BeliefFlowClassifier(random_state=0).fit(sparse.csr_array(X), names)
    assert set(dense.predict(X)) <= set(names)
    np.testing.assert_allclose(dense.predict_proba(X), thin.predict_proba(sparse.csr_array(X)), atol=1e-8)
    np.testing.assert_allclose(dense.predict_proba(X).sum(axis=1), 1)
