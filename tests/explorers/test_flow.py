"""Flow: the page says the KL that Python has, splits it, and says how far beliefs turn."""

import re

import numpy as np
import pytest

from bflo_viz import FlowExplorer


def test_the_page_flows_as_python_does(sentences):
    rng = np.random.default_rng(4)
    states = [
        {
            **{name: [round(x, 2) for x in rng.uniform(-3, 3, 2).tolist()] for name in ("mean", "w", "w_new")},
            "axes": [round(x, 2) for x in rng.uniform(0.3, 2.5, 2).tolist()],
            "angle": int(rng.integers(-90, 90)),
            "rule": str(rng.choice(["printed", "exact"])),
            "non_expansive": bool(rng.integers(2)),
        }
        for _ in range(40)
    ]
    for values, words in zip(states, sentences(FlowExplorer(), states), strict=True):
        explorer = FlowExplorer(**values)
        wanted = [post.kl(explorer.belief[name]) for name, post in explorer.posterior.items()]
        assert [*map(float, re.findall(r"\d+\.\d+", words))] == pytest.approx(wanted, abs=0.00501), words


def test_the_page_splits_prices_and_says_how_far_a_belief_turns(opened):
    """Bars have the parts that Python has; round beliefs turn as the weight does, and diagonal ones never."""
    explorer = FlowExplorer(mean=[0.3, -0.2], w=[1.5, 0.4], w_new=[0.6, 0.05], axes=[0.8, 0.8])
    page = opened(explorer)
    read = "(name) => [...document.querySelectorAll(name)].map((one) => one.getBBox().width)"
    long = np.reshape(page.evaluate(read, "[data-picture=price] path[stroke-width='20']"), (3, 2))
    parts = []
    for name, post in explorer.posterior.items():
        prior = explorer.belief[name]
        shift = np.linalg.solve(prior.covariance, post.mean - prior.mean) @ (post.mean - prior.mean)
        parts.append([shift / 2, post.kl(prior) - shift / 2])
    assert long / long.sum() == pytest.approx(np.array(parts) / np.sum(parts), abs=0.005)
    (a, b), (c, d) = (np.array(w) - explorer.mean for w in (explorer.w, explorer.w_new))
    turn = round(abs(np.degrees(np.arctan2(a * d - b * c, a * c + b * d))))
    titles = page.locator("figcaption > span").all_inner_texts()[:3]
    assert titles == [f"Full flow: turns {turn}°", "Diagonal flow: no turn", f"Spherical flow: turns {turn}°"]
