"""Belief flows as a scikit-learn classifier."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.learners.belief_flow import BeliefFlow
from bflo_viz.models import Logistic

_BELIEFS: dict[str, Any] = {"diagonal": DiagonalBelief, "spherical": SphericalBelief, "full": FullBelief}


class BeliefFlowClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Logistic regression learned by belief flows, one pass per epoch; several classes one against the rest.

    The mean of a ``"diagonal"``, ``"spherical"`` or ``"full"`` belief predicts, whose prior has the standard
    deviation ``std`` for each weight. `fit` makes so many ``epochs``, each in a different order. ``fit_intercept``
    adds a constant feature. ``random_state`` is a seed, or a `numpy.random.Generator`. For the rest see `BeliefFlow`.

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(BeliefFlowClassifier(random_state=0).fit(X, y == 0).score(X, y == 0) > 0.95)
    True
    """

    def __init__(
        self,
        belief: str = "diagonal",
        *,
        eta: float = 0.1,
        std: float = 0.1,
        non_expansive: bool = True,
        min_std: float = 1e-3,
        epochs: int = 5,
        fit_intercept: bool = True,
        random_state: Any = None,
    ) -> None:
        self.belief = belief
        self.eta = eta
        self.std = std
        self.non_expansive = non_expansive
        self.min_std = min_std
        self.epochs = epochs
        self.fit_intercept = fit_intercept
        self.random_state = random_state

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

        The first call needs ``classes`` if its rows do not show them all.
        """
        fresh = not hasattr(self, "learners_")
        X, y = self._validated(X, y, reset=fresh)
        known = np.unique(y if classes is None else classes) if fresh else self.classes_
        if classes is not None and not np.array_equal(np.unique(classes), known):
            raise ValueError(f"classes must be those of the first call, {known.tolist()}, but it was {classes}.")
        if strangers := np.setdiff1d(y, known).tolist():
            raise ValueError(f"y must hold the classes {known.tolist()}, but it holds {strangers}.")
        if fresh:
            self._start(known)
        self._learn(X, y)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return the logit of the second class, or of each class against the rest."""
        check_is_fitted(self)
        logits = np.asarray(self._validated(X) @ np.array([learner.belief.mean for learner in self.learners_]).T)
        return logits[:, 0] if len(self.learners_) == 1 else logits

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class; for several classes those of one against the rest, normalised."""
        logits = self.decision_function(X)
        log = -np.logaddexp(0, -logits)
        if log.ndim == 1:
            return np.column_stack([1 - np.exp(log), np.exp(log)])
        likely = np.exp(log - log.max(axis=1, keepdims=True))  # at most 1: rows far from every class sum up, too
        return np.asarray(likely / likely.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row."""
        logits = self.decision_function(X)
        return np.asarray(self.classes_[(logits > 0).astype(int) if logits.ndim == 1 else logits.argmax(axis=1)])

    def _validated(self, X: Any, *labels: Any, reset: bool = False) -> Any:
        if hasattr(X, "tocsr"):  # before SciPy itself reads beyond the end
            check.sparse("X", X)
        elif np.ma.is_masked(X):
            check.array("X", X)
        X = validate_data(self, X, *labels, accept_sparse="csr", dtype=np.float64, reset=reset)
        X, y = X if labels else (X, None)
        if self.fit_intercept:
            stack: Any = sparse.hstack if sparse.issparse(X) else np.hstack
            X = stack([X, np.ones((X.shape[0], 1))])
            X = X.tocsr() if sparse.issparse(X) else X
        if not labels:
            return X
        check_classification_targets(y)
        return X, y

    def _start(self, classes: NDArray[Any]) -> None:
        """Begin from the prior."""
        if len(classes) < 2:
            raise ValueError(f"y must hold at least two classes, but it holds one class, {classes.tolist()[0]!r}.")
        seed = self.random_state
        rng = np.random.default_rng(seed.randint(2**31) if isinstance(seed, np.random.RandomState) else seed)
        kind = _BELIEFS[check.choice("belief", self.belief, tuple(_BELIEFS))]
        prior = kind.for_model(Logistic(), self.std, self.n_features_in_ + bool(self.fit_intercept))
        count = 1 if len(classes) == 2 else len(classes)
        self.learners_ = [
            BeliefFlow(prior, eta=self.eta, non_expansive=self.non_expansive, min_std=self.min_std)
            for _ in range(count)
        ]
        # One generator per learner, so that chunks of a stream equal the whole.
        self.classes_, self._rng, self._rngs = classes, rng, rng.spawn(count)

    def _learn(self, X: Any, y: NDArray[Any]) -> None:
        positive = self.classes_[1:] if len(self.learners_) == 1 else self.classes_
        for learner, this, rng in zip(self.learners_, positive, self._rngs, strict=True):
            learner.run(X, (y == this).astype(np.int64), rng, blocks=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
