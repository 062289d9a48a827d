"""Belief flows as a scikit-learn classifier."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.learners.belief_flow import BeliefFlow
from bflo_viz.models import Logistic

_BELIEFS: dict[str, Any] = {"diagonal": DiagonalBelief, "spherical": SphericalBelief, "full": FullBelief}


@dataclass(eq=False, repr=False)
class BeliefFlowClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Logistic regression of two classes, learned by a belief flow; for more, wrap it in `OneVsRestClassifier`.

    The mean of a ``"diagonal"``, ``"spherical"`` or ``"full"`` belief predicts, whose prior has the standard
    deviation ``std`` for each weight. `fit` makes so many ``epochs``, each in a different order. ``fit_intercept``
    adds a constant feature. For the rest see `BeliefFlow`.

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(BeliefFlowClassifier(random_state=0).fit(X, y == 0).score(X, y == 0) > 0.95)
    True
    """

    belief: str = "diagonal"
    _: KW_ONLY
    eta: float = 0.1
    std: float = 0.1
    non_expansive: bool = True
    min_std: float = 1e-3
    epochs: int = 5
    fit_intercept: bool = True
    random_state: Any = None

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from scratch, in ``epochs`` passes."""
        X, y = self._validated(X, y, reset=True)
        epochs = check.positive_int("epochs", self.epochs)
        self._start(np.unique(y))
        for _ in range(epochs):
            order = self._rng.permutation(X.shape[0])
            self._learn(X[order], y[order])
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn from these rows, in their order, and keep what was learned before.

        The first call needs ``classes`` if its rows do not show them both.
        """
        fresh = not hasattr(self, "learner_")
        X, y = self._validated(X, y, reset=fresh)
        known = np.unique(y if classes is None else classes) if fresh else self.classes_
        if not np.isin(y if classes is None else np.append(y, classes), known).all():
            raise ValueError(f"y and classes must hold only the classes of the first call, {known.tolist()}.")
        if fresh:
            self._start(known)
        self._learn(X, y)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return the logit of the second class."""
        check_is_fitted(self)
        return np.asarray(self._validated(X) @ self.learner_.belief.mean)

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class."""
        logits = self.decision_function(X)
        return expit(np.column_stack([-logits, logits]))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row."""
        second = self.decision_function(X) > 0
        return np.asarray(self.classes_[second.astype(int)])

    def _validated(self, X: Any, *labels: Any, reset: bool = False) -> Any:
        if hasattr(X, "tocsr"):
            check.sparse("X", X)  # before SciPy itself reads beyond the end
        X = validate_data(self, X, *labels, accept_sparse="csr", dtype=np.float64, reset=reset)
        X, y = X if labels else (X, None)
        if self.fit_intercept:
            one = np.ones((X.shape[0], 1))
            X = sparse.hstack([X, one], format="csr") if sparse.issparse(X) else np.hstack([X, one])
        if not labels:
            return X
        check_classification_targets(y)
        return X, y

    def _start(self, classes: NDArray[Any]) -> None:
        """Begin from the prior."""
        if len(classes) != 2:  # in words that scikit-learn's own checks look for
            held = "one class" if len(classes) == 1 else f"{len(classes)} classes"
            raise ValueError(f"Only binary classification is supported, but y holds {held}.")
        self._rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        kind = _BELIEFS[check.choice("belief", self.belief, tuple(_BELIEFS))]
        prior = kind.for_model(Logistic(), self.std, self.n_features_in_ + bool(self.fit_intercept))
        self.learner_ = BeliefFlow(prior, eta=self.eta, non_expansive=self.non_expansive, min_std=self.min_std)
        self.classes_ = classes

    def _learn(self, X: Any, y: NDArray[Any]) -> None:
        self.learner_.run(X, (y == self.classes_[1]).astype(np.int64), self._rng, blocks=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags
