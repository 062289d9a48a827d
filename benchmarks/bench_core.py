"""Flows, learners and networks against NumPy, BLAS and scikit-learn, side by side in one run.

``python benchmarks/bench_core.py --against FOLDER [PATTERN]`` measures passes and steps against another checkout
instead, the two taking turns.
"""

import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from scipy import sparse
from side_by_side import best_times, report
from threadpoolctl import threadpool_limits

from bflo_viz import AROW, MLP, NHERD, SGD, BeliefFlow, DiagonalBelief, Dropout, FullBelief, Langevin, SphericalBelief

ROUNDS = 30_000
draws = np.random.default_rng(0)


def diagonal(d, **options):
    return BeliefFlow(DiagonalBelief(np.zeros(d), 0.1), eta=1e-3, **{"non_expansive": True} | options)


def full(d):
    return BeliefFlow(FullBelief(np.zeros(d), 0.01 * np.eye(d)), eta=1e-3)


def flow_of(model, **options):
    return BeliefFlow(DiagonalBelief.for_model(model, 0.2), model, eta=0.1, **options)


def thin(rows):
    """Rows of A9A's shape: 14 of 124 features are not zero."""
    columns = np.argsort(draws.random((rows, 124)), axis=1, kind="stable")[:, :14]
    X = np.zeros((rows, 124))
    np.put_along_axis(X, columns, 1.0, axis=1)
    return sparse.csr_array(X)


def images(rows, pixels):
    """Images of so many pixels that are not zero."""
    X = np.zeros((rows, 784), np.float32)
    for row in X:
        row[draws.permutation(784)[:pixels]] = draws.uniform(0.1, 1.0, pixels)
    return X


LOGISTIC = {
    "SGD": lambda d: SGD(d, eta=1e-3),
    "Langevin": lambda d: Langevin(d, eta=1e-3, noise=1e-3),
    "diagonal flow": diagonal,
    "spherical flow": lambda d: BeliefFlow(SphericalBelief(np.zeros(d), 0.1), eta=1e-3),
    "full flow": full,
    "AROW": lambda d: AROW(d, std=0.3, predicting="sample"),
    "NHERD": NHERD,
}
NETWORK = {
    "flow": flow_of,
    "SGD": lambda model: SGD(model.sizes[0], model, eta=0.1, std=0.1),
    "Langevin": lambda model: Langevin(model.sizes[0], model, eta=0.1, std=0.1, noise=1e-3),
    "dropout": lambda model: Dropout(model.sizes[0], model, eta=0.1, std=0.1),
}


def passes_and_steps():
    """Jobs by name: a run of every learner on rows of several shapes, and a thousand steps."""
    jobs = {}
    for d in (3, 20, 55, 124, "14 of 124"):
        X = thin(ROUNDS) if isinstance(d, str) else draws.normal(size=(ROUNDS, d))
        for name, make in LOGISTIC.items():
            n = 3000 if X.shape[1] == 124 and name in ("full flow", "AROW", "NHERD") else ROUNDS
            jobs[f"{name}, {d} features"] = (make, X.shape[1], X[:n], draws.integers(0, 2, n))
    shapes = ((MLP(784, 200, 10), images(100, 150)), (MLP(20, 30, 3), draws.normal(size=(5000, 20))))
    for model, X in (*shapes, (MLP(2, 8, 8, 1, precision="float64"), draws.normal(size=(ROUNDS, 2)))):
        for name, make in NETWORK.items():
            y = draws.integers(0, max(2, model.outputs), len(X))
            jobs[f"{name} of {'-'.join(map(str, model.sizes))}"] = (make, model, X, y)
    runs = {name: lambda job=job: job[0](job[1]).run(job[2], job[3], draws, blocks=10) for name, job in jobs.items()}
    for name in ("SGD, 20 features", "diagonal flow, 20 features", "full flow, 20 features", "flow of 2-8-8-1"):
        runs[f"1000 steps: {name}"] = lambda job=jobs[name]: stepped(*job)
    return runs


def stepped(make, size, X, y):
    learner = make(size)
    for x, label in zip(X[:1000], y[:1000], strict=True):
        learner.step(x, label, draws)


def play():
    """Do the jobs that are named on the standard input, and tell how long each took."""
    jobs = passes_and_steps()
    print("|".join(jobs), flush=True)
    with threadpool_limits(1):
        for line in sys.stdin:
            start = time.process_time()
            jobs[line.strip()]()
            print(time.process_time() - start, flush=True)


def against(folder, pattern=""):
    """Measure this checkout against another one, the two taking turns."""

    def start(root):
        path = {"PYTHONPATH": str(Path(root).resolve())}
        command = [sys.executable, __file__, "--play"]
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | path
        )

    def took(process, name):
        process.stdin.write(f"{name}\n")
        process.stdin.flush()
        return float(process.stdout.readline())

    both = [start(folder), start(Path(__file__).parents[1])]
    names = [process.stdout.readline().strip().split("|") for process in both]
    for name in names[1]:
        if re.search(pattern, name):
            times = [[took(process, name) for process in both] for _ in range(5)][1:]  # the first compiles
            then, now = (1e3 * min(column) for column in zip(*times, strict=True))
            print(f"{name:<36} {then:8.2f} ms then, {now:8.2f} ms now: {now / then:5.2f} x", flush=True)


def flows():
    prior = DiagonalBelief(draws.normal(size=10**6), draws.lognormal(size=10**6))
    w = prior.sample(draws)
    w_new = w - 0.1 * draws.normal(size=10**6)
    times = best_times({"sqrt": lambda: np.sqrt(prior.std), "flow": lambda: prior.flow(w, w_new)})
    report("diagonal flow, 10^6 weights, against np.sqrt", times["flow"] / times["sqrt"], 40, at_most=True)
    problems = {}
    for d in (128, 512, 2048):
        root = draws.normal(size=(d, d)) / np.sqrt(d)
        belief = FullBelief(np.zeros(d), (root + np.eye(d)) @ (root + np.eye(d)).T)
        w = belief.sample(draws)
        problems[d] = belief, w, w - 0.1 * draws.normal(size=d)
    jobs = {str(d): lambda p=p: p[0].flow(*p[1:]) for d, p in problems.items()}
    covariance = problems[512][0].covariance
    times = best_times(jobs | {"book": lambda: np.linalg.eigh(covariance)})
    report(
        "full flow, d = 512, times faster than an eigendecomposition", times["book"] / times["512"], 20, at_most=False
    )
    power = np.log(times["2048"] / times["128"]) / np.log(16)
    report("full flow: cost grows as d to the power, d = 128 to 2048", power, 2.5, at_most=True, unit=" ")


def learners():
    """Passes and steps against drawing as many normals, a NumPy loop, scikit-learn and BLAS."""
    from scipy.linalg.blas import dgemv, dger
    from sklearn.linear_model import SGDClassifier

    X, y = draws.random((ROUNDS, 55)), draws.integers(0, 2, ROUNDS)
    settings = {"alpha": 0, "learning_rate": "constant", "eta0": 1e-3, "shuffle": False, "fit_intercept": False}

    def blas(d, products, updates):
        matrix, vector = np.asfortranarray(np.eye(d)), np.ones(d)
        for _ in range(1000):
            for _ in range(products):
                dgemv(1.0, matrix, vector)
            for _ in range(updates):
                dger(1e-12, vector, vector, a=matrix, overwrite_a=1)  # BLAS skips a factor of zero

    wide = draws.normal(size=(1000, 124))
    times = best_times(
        {
            "flow": lambda: diagonal(55).run(X, y, draws, blocks=10),
            "normals": lambda: draws.standard_normal(X.size),
            "sgd": lambda: SGD(55, eta=1e-3).run(X, y, draws, blocks=10),
            "sklearn": lambda: SGDClassifier(loss="log_loss", **settings).partial_fit(X, y, classes=[0, 1]),
            "steps": lambda: stepped(diagonal, 20, X[:, :20], y),
            "arow": lambda: AROW(124).run(wide, y[:1000], draws, blocks=1),
            "full": lambda: full(124).run(wide, y[:1000], draws, blocks=1),
            "arow blas": lambda: blas(124, 2, 1),
            "full blas": lambda: blas(124, 4, 2),
        },
        rounds=7,
    )
    print(f"diagonal flow, 55 dense features: {1e6 * times['flow'] / ROUNDS:.2f} microseconds a round")
    report("55 dense features, against drawing as many normals", times["flow"] / times["normals"], 0.8, at_most=True)
    report("SGD pass against scikit-learn's SGDClassifier", times["sgd"] / times["sklearn"], 3, at_most=True)
    report("a step of a diagonal flow over 20 features", 1e3 * times["steps"], 35, at_most=True, unit=" us")
    for name, calls in (("arow", "AROW (2 dgemv, 1 dger)"), ("full", "full flow (4 dgemv, 2 dger)")):
        report(f"{calls}, d = 124, against its BLAS calls", times[name] / times[f"{name} blas"], 2, at_most=True)


def networks():
    y, model = draws.integers(0, 10, 20), MLP(784, 200, 10)
    dense, some = images(20, 784), images(20, 150)
    times = best_times(
        {
            "normals": lambda: [draws.standard_normal(model.size(), dtype=np.float32) for _ in range(20)],
            "dense": lambda: flow_of(model).run(dense, y, draws, blocks=1),
            "some": lambda: flow_of(model).run(some, y, draws, blocks=1),
            "five": lambda: flow_of(model, updates=5).run(dense, y, draws, blocks=1),
        }
    )
    report(
        "an update of 784-200-10, against drawing its normals", times["dense"] / times["normals"], 0.6, at_most=True
    )
    report("150 pixels against all of them, times faster", times["dense"] / times["some"], 3, at_most=False)
    report("five updates a round against one", times["five"] / times["dense"], 5.5, at_most=True)


def memory():
    X = draws.random((1_000_000, 20), dtype=np.float32)
    y, learner = (X @ np.linspace(-1, 1, 20) > 0).astype(np.int8), diagonal(20)
    learner.run(X[:10_000], y[:10_000], draws)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    learner.run(X, y, draws)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    report("peak memory that 10^6 rounds in one run add, in MB", grown, 40, at_most=True, unit=" ")


def imports():

    def run(code):
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    names = "from bflo_viz import DiagonalBelief, FullBelief, SphericalBelief, stretch, pseudo_observation"
    jobs = {"python": run("pass"), "numpy": run("import numpy"), "names": run(names)}
    times = best_times(jobs, rounds=9, clock=time.perf_counter)
    ratio = (times["names"] - times["python"]) / (times["numpy"] - times["python"])
    report("importing beliefs and flows, against import numpy", ratio, 1.5, at_most=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--play"]:
        play()
    elif sys.argv[1:2] == ["--against"]:
        against(*sys.argv[2:])
    else:
        for part in (memory, imports, flows, learners, networks):
            part()
