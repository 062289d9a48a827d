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


BAR = """() => {
    const root = document.querySelector(".bflo");
    const words = [...root.querySelectorAll("[data-picture=price] figcaption b")].map((one) => one.textContent);
    const prices = words.map((one) => Number(one.replace(/^\\w+ /, "")));
    const strips = [...root.querySelectorAll("[data-picture=price] path[stroke-width='16']")];
    return [...prices, root.bflo.state.stretch, ...strips.map((one) => one.getBBox().width)];
}"""


def price_of(a):
    return RegimeExplorer(delta=1.0, delta_new=2.6, stretch=a).price


@pytest.mark.parametrize("way", ["mouse on the ball", "mouse on the width", "keys on the ball"])
def test_a_reader_finds_the_least_by_hand(opened, way):
    """From a = 1 to the least: the bar has the two prices of Python all along, and the least is found in the end."""
    page = opened(RegimeExplorer(delta=1.0, delta_new=2.6), reduced_motion="reduce")
    page.click("text=find the least yourself")
    page.wait_for_function("() => document.querySelector('.bflo').bflo.state.hunt")
    page.locator("[data-picture=price] svg", has_text="move the ball").wait_for()  # the landscape is still hidden
    assert page.locator("[data-picture=map]").evaluate("(one) => one.style.opacity") == "0.2"  # it would tell
    label = "Width of the posterior: be the optimiser" if "width" in way else "Stretch: roll the ball"
    grip = page.locator(f'[aria-label="{label}"]')
    told = [page.evaluate(BAR)]
    box = grip.locator("path").first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    if "mouse" in way:
        page.mouse.move(x, y)
        page.mouse.down()
    for step in range(1, 60):
        if "mouse" in way:
            page.mouse.move(x + step * (-3 if "width" in way else 2), y)
        else:
            grip.press("ArrowRight")
        page.wait_for_timeout(30)
        told.append(page.evaluate(BAR))
        if sum(told[-1][:2]) > sum(told[-2][:2]) + 0.005:  # one has gone too far
            break
    best = min(range(len(told)), key=lambda step: price_of(told[step][2]))  # back to where it was cheapest
    if "mouse" in way:
        page.mouse.move(x + best * (-3 if "width" in way else 2), y)
        page.mouse.up()
    else:
        for key in ["ArrowLeft"] * (len(told) - 1 - best) + ["Enter"]:
            grip.press(key)
    page.wait_for_timeout(50)
    assert told[0][2] == 1.0 and len(told) > 5
    for for_mean, for_width, a, *long in told:
        prices = 0.5 * (2.6 - a) ** 2, 0.5 * (a * a - 1) - np.log(a)
        assert (for_mean, for_width) == pytest.approx(prices, abs=0.00501)
        assert long[0] / sum(long) == pytest.approx(prices[0] / sum(prices), abs=0.005)
    found = page.evaluate(BAR)[2]
    assert "Found" in page.inner_text(".bflo-say") and found == pytest.approx(stretch(1.0, 2.6), abs=0.06)
    assert price_of(found) - price_of(None) < 0.004


def test_least_rolls_the_ball_home(opened):
    page = opened(RegimeExplorer(delta=1.0, delta_new=2.6, stretch=1.0), reduced_motion="reduce")
    page.click("[data-picture=price] >> text=least >> nth=0")
    page.wait_for_timeout(200)
    assert page.evaluate(BAR)[2] is None


@pytest.mark.parametrize("shown", ["width", "mean"])
def test_the_map_has_the_signs_of_python(opened, shown):
    """Violet where the belief widens or its mean goes up, orange where it narrows or its mean goes down."""
    page = opened(RegimeExplorer(map=shown))
    words = page.locator("[data-picture=map] figcaption span").first.inner_text()
    assert words == {"width": "narrower or wider", "mean": "mean down or mean up"}[shown]
    pixel = """([x, y]) => {
        const map = document.querySelector("[data-picture=map] canvas").getContext("2d");
        const [red, , blue] = map.getImageData(x, y, 1, 1).data;
        return blue - red;
    }"""
    for values in drawn(20):
        step = {name: values[name] for name in ("delta", "delta_new")}
        posterior = RegimeExplorer(**step).posterior
        value = float(np.log(posterior.std[0]) if shown == "width" else posterior.mean[0])
        x, y = ((4 + sign * at) * 81 / 8 for sign, at in zip((1, -1), step.values(), strict=True))
        assert abs(value) < 0.1 or (page.evaluate(pixel, [int(x), int(y)]) > 0) == (value > 0), step


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
