"""Pseudo-dataset: the page's run is that of Python, round by round."""

import re

import numpy as np
import pytest

from bflo_viz import PseudoDatasetExplorer
from bflo_viz.explorers.pseudo import PROBLEMS


def test_the_page_adds_and_removes_what_python_does(sentences):
    """Every flow on every problem, also beyond the rounds that are in sight at first."""
    states = [
        {"flow": flow, "problem": problem, "seed": seed, "eta": eta, "round": round_}
        for flow in ("spherical", "diagonal", "full")
        for problem in PROBLEMS
        for seed, eta, round_ in ((0, 0.3, 44), (2**32 - 1, 0.05, 1), (7, 0.6, 150))
    ]
    for values, words in zip(states, sentences(PseudoDatasetExplorer(), states), strict=True):
        scene = PseudoDatasetExplorer(**values).scene
        gains = scene.precisions[: values["round"]]
        counts = [np.count_nonzero(gains > 0), np.count_nonzero(gains < 0)]
        *seen, precision = (float(x) for x in re.findall(r"\d+\.?\d*(?:e\d+)?", words)[1:])
        assert seen == counts, (values, words)
        assert precision == pytest.approx(scene.own_precisions[values["round"]].sum(), rel=0.06, abs=0.00501)


def test_beliefs_of_a_round():
    explorer = PseudoDatasetExplorer(flow="full", round=0)
    assert explorer.posterior is explorer.belief
    explorer.round = 50
    assert explorer.posterior is explorer.scene.beliefs[50] and explorer.belief is explorer.scene.beliefs[49]


def test_a_setting_changed_while_it_plays_keeps_the_round(opened):
    """It goes on from where it was, and the seed that is being typed stays."""
    page = opened(PseudoDatasetExplorer(round=60, speed=30))
    page.click("text=Play")
    page.wait_for_timeout(400)
    page.click("text=full")
    state = page.evaluate("() => document.querySelector('.bflo').bflo.state")
    assert state["flow"] == "full" and state["round"] > 62
    page.click(".bflo-more summary")
    page.click("text=Play")
    page.click(".bflo-more summary")
    seed = page.locator("[data-control=seed] input")
    seed.press("Control+a")
    seed.press_sequentially("123", delay=60)
    assert seed.input_value() == "123"
    seed.press("Enter")
    page.wait_for_timeout(100)
    later = page.evaluate("() => document.querySelector('.bflo').bflo.state")
    assert later["seed"] == 123 and later["round"] > state["round"] and later["playing"]
