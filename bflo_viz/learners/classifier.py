"""Belief flows as a scikit-learn classifier."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
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
    """Logistic regression learned by belief flows, one pass an epoch; several classes one against the rest.

    Parameters
    ----------
    belief
        ``"diagonal"``, ``"spherical"`` or ``"full"``.
    eta
        Learning rate.
    std
        Standard deviation of the prior of each weight.
    non_expansive, min_std
        See `SphericalBelief.flow`.
    epochs
        Passes of `fit` over the data, each in another order.
    fit_intercept
        Add a constant feature.
    predict_by
        ``"mean"`` of the belief, or a ``"sample"`` of it drawn by each prediction.
    random_state
        Seed, or a `numpy.random.Generator`, of all random draws; predictions by sample have a stream of their own.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), BeliefFlowClassifier(random_state=0)).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
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
        predict_by: str = "mean",
        random_state: Any = None,
    ) -> None:
        self.belief = belief
        self.eta = eta
        self.std = std
        self.non_expansive = non_expansive
        self.min_std = min_std
        self.epochs = epochs
        self.fit_intercept = fit_intercept
        self.predict_by = predict_by
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from scratch, in ``epochs`` passes."""
        X, y = self._validated(X, y, reset=True)
        epochs = check.positive_int("epochs", self.epochs)
        self._start(np.unique(y), y)
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
        named = None if classes is None else np.unique(classes)
        if fresh:
            self._start(np.unique(y) if named is None else named, y)
        elif named is not None and not np.array_equal(named, self.classes_):
            raise ValueError(
                f"classes must be those of the first call, {self.classes_.tolist()}, but it was {named.tolist()}."
            )
        _no_strangers(y, self.classes_)
        self._learn(X, y)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Logit of the second class, or of each class against the rest."""
        check_is_fitted(self)
        X = self._validated(X)
        rng = self._predicting_rng if self.predict_by == "sample" else None
        weights = np.array([learner.weights_for_prediction(rng) for learner in self.learners_])
        logits = np.asarray(X @ weights.T)
        return logits[:, 0] if len(self.learners_) == 1 else logits

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class; for several classes those of one against the rest, normalised."""
        logits = self.decision_function(X)
        log = -np.logaddexp(0, -logits)
        if log.ndim == 1:
            return np.column_stack([1 - np.exp(log), np.exp(log)])
        likely = np.exp(log - log.max(axis=1, keepdims=True))  # at most 1: rows far from every class sum up, too
        return np.asarray(likely / likely.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row."""
        logits = self.decision_function(X)
        chosen = (logits > 0).astype(int) if logits.ndim == 1 else logits.argmax(axis=1)
        return np.asarray(self.classes_[chosen])

    def _validated(self, X: Any, *labels: Any, reset: bool = False) -> Any:
        # Before scikit-learn and SciPy take what they should not: masks, which they drop, and indices beyond the end.
        if np.ma.is_masked(X):
            check.array("X", X)
        if hasattr(X, "tocsr"):
            check.sparse("X", X)
        options = {"accept_sparse": "csr", "dtype": np.float64, "reset": reset}
        if not labels:
            return self._with_intercept(validate_data(self, X, **options))
        X, y = validate_data(self, X, *labels, **options)
        check_classification_targets(y)
        return self._with_intercept(X), y

    def _with_intercept(self, X: Any) -> Any:
        if not self.fit_intercept:
            return X
        ones = np.ones((X.shape[0], 1))
        if hasattr(X, "tocsr"):
            from scipy import sparse

            return sparse.hstack([X, sparse.csr_array(ones)], format="csr")
        return np.hstack([X, ones])

    def _start(self, classes: NDArray[Any], y: NDArray[Any]) -> None:
        """Check everything, then begin from the prior."""
        if len(classes) < 2:
            raise ValueError(f"y must hold at least two classes, but it holds one class, {classes.tolist()[0]!r}.")
        _no_strangers(y, classes)
        check.choice("predict_by", self.predict_by, ("mean", "sample"))
        seed = self.random_state
        if isinstance(seed, np.random.RandomState):  # what scikit-learn's own tools may pass on
            seed = seed.randint(2**31)
        rng = np.random.default_rng(seed)
        dim = self.n_features_in_ + bool(self.fit_intercept)
        options: dict[str, Any] = {"eta": self.eta, "non_expansive": self.non_expansive, "min_std": self.min_std}
        count = 1 if len(classes) == 2 else len(classes)
        kind = _BELIEFS[check.choice("belief", self.belief, tuple(_BELIEFS))]
        learners = [BeliefFlow(kind.for_model(Logistic(), self.std, dim), **options) for _ in range(count)]
        self.classes_, self.learners_, self._rng = classes, learners, rng
        # One generator a learner, so that chunks of a stream equal the whole; one more, which predictions draw from.
        self._predicting_rng, *self._rngs = rng.spawn(count + 1)

    def _learn(self, X: Any, y: NDArray[Any]) -> None:
        positive = self.classes_[1:] if len(self.learners_) == 1 else self.classes_
        for learner, this, rng in zip(self.learners_, positive, self._rngs, strict=True):
            learner.run(X, (y == this).astype(np.int64), rng, blocks=1)  # nobody reads the record

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _no_strangers(y: NDArray[Any], classes: NDArray[Any]) -> None:
    strangers = np.setdiff1d(y, classes)
    if strangers.size:
        raise ValueError(f"y must hold the classes {classes.tolist()}, but it holds {strangers.tolist()}.")
