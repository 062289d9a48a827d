"""The scikit-learn estimator, held to scikit-learn's own checks."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import cross_val_score
from sklearn.multiclass import OneVsRestClassifier
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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks provoke warnings on purpose
        results = check_estimator(BeliefFlowClassifier(flow, random_state=0), on_fail=None)
    failed = {r["check_name"]: str(r["exception"]) for r in results if r["status"] not in ("passed", "skipped")}
    assert not failed
    assert {r["check_name"] for r in results if r["status"] == "skipped"} <= set(SKIPPED)
    assert len(results) > 40


def test_it_works_in_a_pipeline_under_cross_validation_and_one_against_the_rest():
    """Scaled, five folds; of three classes, scikit-learn's own wrapper takes one estimator each."""
    model = make_pipeline(StandardScaler(), BeliefFlowClassifier(random_state=0))
    assert cross_val_score(model, *load_breast_cancer(return_X_y=True)).mean() > 0.95
    assert cross_val_score(OneVsRestClassifier(model), *load_iris(return_X_y=True)).mean() > 0.8


def test_partial_fit_goes_on():
    """Two halves by partial_fit equal one whole, whatever is predicted between; classes may be named beforehand."""
    X, y = load_breast_cancer(return_X_y=True)
    X, half = StandardScaler().fit_transform(X), len(X) // 2
    whole = BeliefFlowClassifier(random_state=0).partial_fit(X, y)
    halves = BeliefFlowClassifier(random_state=0)
    halves.partial_fit(X[:half], y[:half], classes=np.unique(y)).predict(X)
    halves.partial_fit(X[half:], y[half:])
    np.testing.assert_allclose(whole.decision_function(X), halves.decision_function(X), rtol=1e-9)


def test_a_failed_call_leaves_the_estimator_as_it_was():
    """Wrong classes or settings: a sentence, and neither half-fitted nor forgotten."""
    X, y = load_breast_cancer(return_X_y=True)
    model = BeliefFlowClassifier(random_state=0).partial_fit(X, y, classes=[0, 1])
    before = model.decision_function(X)
    for labels, classes in (([0, 7], None), ([0, 1], [5, 6])):
        with pytest.raises(ValueError, match="must hold only the classes of the first call"):
            model.partial_fit(X[:2], labels, classes=classes)
    with pytest.raises(ValueError, match="epochs must be"):
        model.set_params(epochs=0).fit(X, y)
    np.testing.assert_array_equal(before, model.decision_function(X))


def test_names_of_classes_and_sparse_rows():
    """Any labels come back as they went in; sparse rows give what dense rows give."""
    X, y = load_breast_cancer(return_X_y=True)
    names = np.array(["benign", "malignant"])[y]
    dense = BeliefFlowClassifier(random_state=0).fit(X, names)
    thin = BeliefFlowClassifier(random_state=0).fit(sparse.csr_array(X), names)
    assert set(dense.predict(X)) <= set(names)
    np.testing.assert_allclose(dense.predict_proba(X), thin.predict_proba(sparse.csr_array(X)), atol=1e-8)
    np.testing.assert_allclose(dense.predict_proba(X).sum(axis=1), 1)
