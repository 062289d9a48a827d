"""What students build and mend: right answers in other forms pass; a learner that passed runs in place of ours."""

import copy

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from running import NOTEBOOKS

from bflo_viz import BeliefFlow, DiagonalBelief
from bflo_viz.lessons import check, yours_or_ours
from bflo_viz.lessons.exercises import BOOK
from bflo_viz.lessons.instructor import before, run_cell
from bflo_viz.lessons.own import OwnFlow

BUILDS = [exercise for exercise in BOOK.values() if exercise.kind == "build"]
BUGS = [exercise for exercise in BOOK.values() if exercise.kind == "bug"]


@pytest.fixture
def my_flow():
    """The class of the solution, as a cell of a notebook makes it."""
    namespace = before(BOOK["05.7"])
    run_cell(BOOK["05.7"].solution, namespace)
    return namespace["MyFlow"]


def test_usual_mistakes_have_hints():
    """Eight or more for each build, four for each bug; that hints differ is tested with all exercises."""
    assert {one.number for one in BUILDS} >= {"02.7", "03.7", "03.8", "05.7", "07.5"}
    assert {one.number for one in BUGS} >= {"02.6", "03.9", "05.6"}
    assert all(len(one.wrong) >= 8 for one in BUILDS) and all(len(one.wrong) >= 4 for one in BUGS)


def root_of(u, v):
    """The stretch by NumPy's own roots of polynomials."""
    return max(np.roots([1 + u * u, -u * v, -1.0]).real)


def by_roots(mean, std, w, w_new):
    u, v = (w - mean) / std, (w_new - mean) / std
    a = root_of(u, v) if abs(v) < 1e6 else 1 / abs(u * v)
    return np.array([w_new - a * (w - mean)]), np.float32(0) + a * std


def one_by_one(mean, std, w, w_new):
    weights = [by_roots(*each) for each in zip(mean, std, w, w_new, strict=True)]
    return tuple(np.array(part) for part in zip(*weights, strict=True))


def whitened_by(root):
    def flow(mean, covariance, w, w_new):
        S = root(covariance)
        before, after = np.linalg.solve(S, w - mean), np.linalg.solve(S, w_new - mean)
        u, v = np.linalg.norm(before), np.linalg.norm(after)
        e = after / v if v else before / (u or 1.0)
        a = root_of(u, v)
        S_new = S + (a - 1) * np.outer(S @ e, e)
        return list(w_new - a * u * (S @ e)), S_new @ S_new.T

    return flow


def symmetric(covariance):
    values, vectors = np.linalg.eigh(covariance)
    return (vectors * np.sqrt(values)) @ vectors.T


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("build_one_weight", by_roots),
        ("build_diagonal", lambda *arrays: [np.ravel(part) for part in one_by_one(*arrays)]),
        ("build_full", whitened_by(np.linalg.cholesky)),
        ("build_full", whitened_by(symmetric)),
        ("wrong_valley", lambda u, v: np.array([root_of(u, v)])),
        ("slope_of_the_kl", lambda a, u, v: np.array([[(1 + u * u) * a - u * v - 1 / a]])),
    ],
)
def test_a_right_answer_may_be_written_in_another_way(name, answer):
    """Other roots of the covariance, NumPy's scalars, lists, arrays of one number."""
    verdict = getattr(check, name)(answer)
    assert verdict.right, verdict


@pytest.mark.parametrize(
    "drawn",
    [
        lambda belief, rng: rng.multivariate_normal(belief.mean, belief.covariance),
        lambda belief, rng: belief.mean + symmetric(belief.covariance) @ rng.standard_normal(belief.dim),
        lambda belief, rng: belief.sample(rng, 3)[2],
    ],
)
def test_a_thompson_sample_may_be_drawn_in_any_way(drawn):
    def thompson_round(belief, x, rng):
        w = drawn(belief, rng)
        return w, w @ x > 0

    assert check.thompson_round(thompson_round).right


def test_a_learner_may_draw_its_normals_in_another_order(my_flow):
    """Judged by the belief that it leaves behind, not by the numbers that it drew."""

    class Backwards:
        def __init__(self, generator):
            self.generator = generator

        def standard_normal(self, size):
            return self.generator.standard_normal(size)[::-1]

    class Other(my_flow):
        def step(self, x, y, rng):
            return bool(super().step(x, y, Backwards(rng)))

    assert check.algorithm_one(Other).right


@pytest.mark.parametrize("limited", [False, True])
def test_a_students_learner_does_the_rounds_of_ours(my_flow, limited):
    """Mistakes and entropies in each block, the belief at the end, and a second time after a reset."""
    rng = np.random.default_rng(0)
    X, prior = rng.standard_normal((1500, 3)), DiagonalBelief([0.2, 0.0, -0.1], [1.0, 0.5, 2.0])
    y = (X.sum(axis=1) > 0) ^ (rng.random(1500) < 0.3)
    learners = [
        kind(prior, eta=0.1, non_expansive=limited)
        for kind in (BeliefFlow, lambda *a, **o: OwnFlow(my_flow, *a, **o))
    ]
    for seed in (1, 2):
        ours, own = (one.run(X, y.astype(int), np.random.default_rng(seed), blocks=5) for one in learners)
        assert ours.mistakes.tolist() == own.mistakes.tolist()
        np.testing.assert_allclose(own.entropy, ours.entropy, rtol=1e-6)
        np.testing.assert_allclose(learners[1].belief.mean, learners[0].belief.mean, rtol=1e-9)
        np.testing.assert_array_equal(learners[1].predict(X), learners[0].predict(X))
        for one in learners:
            one.reset()
    done = learners[1].step(X[0], 1, np.random.default_rng(3))
    assert done.kl == pytest.approx(learners[0].step(X[0], 1, np.random.default_rng(3)).kl)


def test_it_is_said_whose_learner_runs(my_flow, capsys):
    prior = DiagonalBelief([0.0, 0.0], 1.0)
    assert yours_or_ours("05.7", object) is BeliefFlow
    assert capsys.readouterr().out.startswith("Ours runs from here on.")
    assert isinstance(yours_or_ours("05.7", my_flow)(prior, eta=0.1), OwnFlow)
    assert capsys.readouterr().out == "Your learner runs from here on, in place of ours.\n"


@pytest.mark.slow
def test_notebook_05_says_the_same_with_a_students_learner():
    """Every number, every picture's words; but for the sentence that says whose learner runs."""
    path = next(path for path in NOTEBOOKS if path.stem.startswith("05"))
    stored = nbformat.read(path, as_version=4)
    solved = copy.deepcopy(stored)
    cells = {cell.id: cell for cell in solved.cells}
    cells["exercise-05-7"].source = BOOK["05.7"].solution
    NotebookClient(solved, timeout=600).execute(cwd=str(path.parent))
    other = {name: words(cell) for name, cell in cells.items()}
    differs = [cell.id for cell in stored.cells if words(cell) != other[cell.id]]
    assert differs == ["exercise-05-7", "code-yours"]
    assert other["code-yours"] == ["Your learner runs from here on, in place of ours.\n"]


def words(cell):
    """What a cell says below itself, as text."""
    parts = [part.get("text") or part.get("data", {}).get("text/plain") for part in cell.get("outputs", [])]
    return [part for part in parts if part]
