"""Regime: the page says the numbers that Python has, for the cheapest stretch and for one by hand."""

import re

import numpy as np
import pytest

from bflo_viz import RegimeExplorer, stretch, stretch_kl


def drawn(count, **more):
    """States that a slider could have."""
    rng = np.random.default_rng(3)
    for _ in range(count):
        delta, delta_new = (round(x, 2) for x in rng.uniform(-3.9, 3.9, 2).tolist())
        std = round(float(rng.uniform(0.3, 2.9)), 2)
        yield {"delta": delta, "delta_new": delta_new, "std": std, "branch": int(rng.choice([1, -1]))} | {
            name: value(rng) for name, value in more.items()
        }


def test_the_page_flows_as_python_does(sentences):
    states = [*drawn(40, non_expansive=lambda rng: bool(rng.integers(2)))]
    for values, words in zip(states, sentences(RegimeExplorer(), states), strict=True):
        explorer = RegimeExplorer(**values)
        *_, mean = map(float, re.findall(r"-?\d+\.?\d*", words))
        assert mean == pytest.approx(explorer.posterior.mean[0], abs=0.00501), words
        share = 100 * explorer.posterior.std[0] / explorer.std
        if "keeps its width" not in words:
            assert float(re.search(r"(\d+) %", words)[1]) == pytest.approx(share, abs=0.501), words
            assert ("narrows" in words) == (share < 100)


def test_the_page_prices_a_stretch_as_python_does(sentences):
    states = [*drawn(40, stretch=lambda rng: round(float(rng.uniform(0.1, 3)) * rng.choice([-1, 1]), 2))]
    for values, words in zip(states, sentences(RegimeExplorer(), states), strict=True):
        explorer = RegimeExplorer(**values)
        a, for_mean, for_width, total, above = map(float, re.findall(r"-?\d+\.\d+", words))
        assert (a, total) == pytest.approx((explorer.taken, explorer.price), abs=0.00501), words
        assert for_mean + for_width == pytest.approx(total, abs=0.0151)
        least = RegimeExplorer(**values | {"stretch": None}).price
        assert above == pytest.approx(explorer.price - least, abs=0.00501)


def test_a_stretch_by_hand():
    """It carries Δ to Δ′ whatever its size, and no other costs less than that of the formula."""
    explorer = RegimeExplorer(delta=1.0, delta_new=0.5)
    least = float(stretch(1.0, 0.5))
    assert explorer.stretch is None and explorer.taken == least
    for a in (0.5 * least, 1.4 * least, -0.7):
        explorer.stretch = a
        assert explorer.posterior.mean[0] + a * 1.0 == pytest.approx(0.5)
        assert explorer.posterior.std[0] == pytest.approx(abs(a))
        assert explorer.price == pytest.approx(explorer.posterior.kl(explorer.belief))
        assert explorer.price > stretch_kl(least, 1.0, 0.5)
    explorer.set_trait("non_expansive", True)
    explorer.stretch = 1.7
    assert explorer.taken == 1.0


def test_one_finds_the_least_by_hand(opened):
    """From a = 1 by keys until the page says found: what Python reads then is the least, to 0.004 nats."""
    page = opened(RegimeExplorer(delta=1.0, delta_new=2.6), reduced_motion="reduce")
    page.click("text=find the least yourself")
    page.wait_for_function("() => document.querySelector('.bflo').bflo.state.hunt")
    page.wait_for_function(
        "() => document.querySelector('[data-picture=map]').style.opacity === '0.2'"
    )  # it would tell
    ball = page.locator('[aria-label="Stretch: roll the ball"]')
    for _ in range(40):
        ball.press("ArrowRight")
        ball.press("Enter")
        page.evaluate("() => document.querySelector('.bflo').bflo.flush()")
        if "Found" in (words := page.inner_text(".bflo-say")):
            break
    found = page.evaluate("() => document.querySelector('.bflo').bflo.state.stretch")
    price = RegimeExplorer(delta=1.0, delta_new=2.6, stretch=found).price
    assert "Found" in words and price - RegimeExplorer(delta=1.0, delta_new=2.6).price < 0.004
    page.click("[data-picture=price] >> text=least >> nth=0")
    page.wait_for_timeout(200)
    assert page.evaluate("() => document.querySelector('.bflo').bflo.state.stretch") is None


def test_any_picture_can_be_the_large_one(opened):
    """A press on the small map, or its button, makes it large; then a press on it moves the step there."""
    page = opened(RegimeExplorer())
    width = "() => document.querySelector('[data-picture=map] svg').getBoundingClientRect().width"
    small = page.evaluate(width)
    page.click("[data-picture=map] svg", position={"x": 60, "y": 60})
    page.wait_for_timeout(200)
    assert page.evaluate(width) > 1.5 * small
    page.click("[data-picture=map] svg", position={"x": 60, "y": 60})
    page.wait_for_timeout(100)
    state = page.evaluate("() => document.querySelector('.bflo').bflo.state")
    assert state["delta"] < -3 and state["delta_new"] > 3
