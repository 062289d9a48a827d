"""The mathematics of the explorers in JavaScript is that of the Python package, to twelve digits."""

import json
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from parity_cases import KINDS, regimes
from py_mini_racer import JSEvalException, MiniRacer

import bflo_viz
from bflo_viz import DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.explorers.page import module

EXPLORERS = Path(bflo_viz.__file__).with_name("explorers")
TOLERANCE = 1e-12

# One function a kind of question: what the module says to one case, as lists of numbers by name.
ASK = """
const told = (flow, spread, points) => ({
  mean: [flow.mean].flat(), spread, matrix: flow.matrix.flat(), moved: points.map(flow.move).flat(),
  covariance: flow.covariance.flat(), kl: [flow.kl], entropy: [flow.entropyChange],
});
// Half a turn to the left is half a turn to the right: rounding decides on the sign.
const fold = (degrees) => (Math.abs(Math.abs(degrees) - 180) < 1e-9 ? 180 : degrees);
const ASK = {
  stretch: ([u, v, branch, dim]) => ({ a: [stretch(u, v, branch, dim)] }),
  landscape: ([a, u, v, dim]) => ({ kl: [stretchKl(a, u, v, dim)] }),
  regime: ([delta, deltaNew]) => ({ name: [regime(delta, deltaNew)] }),
  line: ([mean, std, w, wNew, points, options]) => {
    const f = flow1d(mean[0], std[0], w[0], wNew[0], options);
    return told({ ...f, matrix: [f.stretch], covariance: [f.std * f.std] }, [f.std], points.flat());
  },
  diagonal: ([mean, std, w, wNew, points, options]) => {
    const f = diagonalFlow(mean, std, w, wNew, options);
    return told(f, f.std, points);
  },
  spherical: ([mean, std, w, wNew, points, options]) => {
    const f = sphericalFlow(mean, std, w, wNew, options);
    return told(f, [f.std], points);
  },
  full: ([mean, factor, w, wNew, points, options]) => {
    const f = fullFlow(mean, factor, w, wNew, options);
    return told(f, f.factor.flat(), points);
  },
  shape: ([axes, degrees]) => {
    const factor = factorOf(axes, degrees);
    const covariance = covarianceOf(factor).flat();
    const back = inverse(factor).flat();
    return { covariance, diagonal: diagonalOf(factor), spherical: [sphericalOf(factor)], back };
  },
  turn: ([mean, std, w, wNew, rule]) => ({ degrees: [
    fullFlow(mean, [[std, 0], [0, std]], w, wNew), diagonalFlow(mean, [std, std], w, wNew),
    sphericalFlow(mean, std, w, wNew, { rule })].map((f) => fold(turnOf(f.matrix))) }),
  step: ([w, optimum, loss, eta, reach]) => ({ w: gradientStep(w, optimum, HESSIANS[loss], eta, reach) }),
};
const written = (key, value) => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value);
const answer = (kind, cases) => JSON.stringify(JSON.parse(cases).map(ASK[kind]), written);
"""


def maths():
    """The flows that explorers draw, with all that they are made of, as a page gets them."""
    closed = 'const { stretch, stretchKl, regime } = modules["engine/flows.js"];\n'
    return re.sub(r"^export ", "", module(EXPLORERS / "shared" / "maths.js"), flags=re.MULTILINE) + closed


def engine(text):
    """A JavaScript engine that knows the mathematics of this text."""
    racer = MiniRacer()
    racer.eval(text + ASK)
    return racer


def answers(racer, kind, cases):
    return json.loads(racer.call("answer", kind, json.dumps(cases)))


def errors(told, expected):
    """Relative error of every number, by what it is the number of; equal infinities agree."""
    found = {}
    for name in expected[0]:
        theirs = np.array([case[name] for case in told], dtype=float)
        ours = np.array([case[name].value for case in expected], dtype=float)
        scale = np.array([np.broadcast_to(case[name].scale, len(case[name].value)) for case in expected], dtype=float)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            error = np.where(theirs == ours, 0.0, np.abs(theirs - ours) / scale)
        found[name] = np.where(np.isnan(error), np.inf, error).max(axis=1)
    return found


class Question(NamedTuple):
    """Cases of one kind, and what Python says of them."""

    cases: list
    expected: list


@pytest.fixture(scope="module")
def questions():
    return {
        kind: Question(*make(np.random.default_rng([5, i]), count))
        for i, (kind, (make, count)) in enumerate(KINDS.items())
    }


@pytest.fixture(scope="module")
def worst(questions):
    """Largest relative error of the module, by kind and by what it is an error of."""
    racer = engine(maths())
    found = {}
    for kind, (cases, expected) in questions.items():
        for name, error in errors(answers(racer, kind, cases), expected).items():
            found[kind, name] = error.max()
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_javascript_agrees_with_python(kind, worst):
    """Every number of every case is that of the public Python functions."""
    own = {name: error for (asked, name), error in worst.items() if asked == kind}
    assert own
    assert max(own.values()) <= TOLERANCE, own


def test_there_are_enough_cases(questions, worst, record_property):
    """At least 20,000 cases; the worst error is told in the output of every run."""
    count = sum(len(question.cases) for question in questions.values())
    (kind, name), error = max(worst.items(), key=lambda item: item[1])
    said = f"Parity of JavaScript and Python: {count:,} cases, worst relative error {error:.1e} ({kind}: {name})."
    record_property("says", said)
    assert count >= 20_000


def test_regimes_have_the_same_names():
    """Regimes agree by name, where a product of the two distances would underflow too."""
    cases, names = regimes(np.random.default_rng(6), 2_000)
    told = answers(engine(maths()), "regime", cases)
    assert [case["name"][0] for case in told] == names
    assert set(names) == {"contracting", "crossing", "expanding", "unchanged"}


def test_a_factor_or_a_covariance_makes_no_difference():
    """JavaScript starts from axes and angle, Python here from the covariance: one belief, one posterior."""
    rng = np.random.default_rng(7)
    racer = engine(maths())
    racer.eval("const flowOf = (axes, angle, ...move) => fullFlow([0.5, -1], factorOf(axes, angle), ...move);")
    racer.eval("const posterior = (...numbers) => JSON.stringify(flowOf(...numbers));")
    for _ in range(200):
        axes, degrees = rng.uniform(0.2, 3, 2), rng.uniform(-90, 90)
        w, w_new = rng.uniform(-6, 6, (2, 2))
        angle = np.radians(degrees)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        prior = FullBelief([0.5, -1.0], turn @ np.diag(axes**2) @ turn.T)
        posterior = prior.flow(w, w_new)
        told = json.loads(racer.call("posterior", axes.tolist(), degrees, w.tolist(), w_new.tolist()))
        np.testing.assert_allclose(told["mean"], posterior.mean, rtol=0, atol=TOLERANCE * 6)
        size = np.abs(posterior.covariance).max()
        np.testing.assert_allclose(told["covariance"], posterior.covariance, rtol=0, atol=TOLERANCE * size)


@pytest.mark.parametrize(
    ("belief", "flow", "spread"),
    [
        (DiagonalBelief, "diagonalFlow", [1e-10, 1.0]),
        (SphericalBelief, "sphericalFlow", 1e-10),
        (FullBelief.from_factor, "fullFlow", [[1e-10, 0.0], [0.0, 1e-10]]),
    ],
)
def test_both_refuse_what_lies_too_far(belief, flow, spread):
    """A weight that no number of standard deviations can reach is refused on both sides."""
    for w, w_new in (([1e300, 0.0], [0.0, 1.0]), ([-1.7e308, 0.0], [1.7e308, 1.0])):
        with pytest.raises(ValueError, match="must"):
            belief([0.0, 0.0], spread).flow(w, w_new)
        call = f"{flow}([0, 0], {json.dumps(spread)}, {json.dumps(w)}, {json.dumps(w_new)})"
        said = engine(maths()).eval(
            f"(() => {{ try {{ {call}; return 'taken'; }} catch (error) {{ return error.name; }} }})()"
        )
        assert said == "RangeError"


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        ("stretch", "(branch * (p >= 0 ? larger : dim / larger))", "(branch * (p + Math.hypot(p, Math.sqrt(dim))))"),
        ("stretch", "branch < 0 ? -v : v", "v"),
        ("stretch", "/ size;\n}", "/ size * (1 + 2e-12);\n}"),
        ("landscape", "dim * widthKl(a)", "widthKl(a)"),
        ("line", "if (nonExpansive && newWidth > width) newWidth = width;", ""),
        ("line", "return p < 0 ? variance / root : root / q;", "return (p + Math.sqrt(square)) / q;"),
        ("line", "return (std * (std / larger)) / size;", "return std / size;"),
        ("line", "-2 * offset - step", "-step"),
        ("diagonal", "this.mean[i] - prior.mean[i], 1);", "0, 1);"),
        ("diagonal", "if (move === 0) return;", "if (move === 0) { mean[i] += z * width; return; }"),
        ("spherical", 'rule === "exact" ? dim : 1', "1"),
        ("spherical", "turns ? turned(offset, unit(before), unit(after)) : offset", "offset"),
        ("full", "rotation * (point[1]", "(point[1]"),
        ("full", "const target = v > 0 ? this._after : this._before;", "const target = this._after;"),
        ("full", "((a - 1) * e[j])", "((a - 1) * row[j])"),
        ("step", "Math.min(1, ...room)", "1"),
    ],
)
def test_a_wrong_module_is_found(questions, kind, right, wrong):
    """The comparison can fail: each of these mistakes is seen."""
    text = maths()
    assert right in text
    cases, expected = (part[:400] for part in questions[kind])
    try:
        found = errors(answers(engine(text.replace(right, wrong)), kind, cases), expected)
    except JSEvalException:  # it refuses what is right
        return
    assert max(error.max() for error in found.values()) > TOLERANCE
