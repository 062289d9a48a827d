"""Belief flows in scikit-learn: a pipeline, a grid search, and probabilities that are calibrated afterwards."""

from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bflo_viz import BeliefFlowClassifier

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)

# A pipeline: in each fold the scaler learns from the training rows alone.
model = make_pipeline(StandardScaler(), BeliefFlowClassifier(random_state=0))
print(f"pipeline: {cross_val_score(model, X_train, y_train).mean():.1%} right in five folds")

# A grid search: the learning rate and the prior's width are chosen together, by how likely the labels were.
grid = {"beliefflowclassifier__eta": [0.01, 0.1, 1.0], "beliefflowclassifier__std": [0.03, 0.1, 0.3]}
search = GridSearchCV(model, grid, scoring="neg_log_loss").fit(X_train, y_train)
best = {name.partition("__")[2]: value for name, value in search.best_params_.items()}
print(f"grid search: {best}, log loss {-search.score(X_test, y_test):.3f}")

# Calibration: long steps make it too sure of itself, which folds that it has not learned from can correct. With short
# steps there is nothing to correct.
for eta in (0.1, 3.0):
    model.set_params(beliefflowclassifier__eta=eta).fit(X_train, y_train)
    calibrated = CalibratedClassifierCV(model).fit(X_train, y_train)
    before, after = (log_loss(y_test, one.predict_proba(X_test)) for one in (model, calibrated))
    print(f"calibration with steps of {eta}: log loss {before:.3f} before, {after:.3f} after")
