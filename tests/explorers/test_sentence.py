"""Sentences with numbers to drag: the page and Python say the same, and both say what is true."""

import itertools
import math

import pytest
from racing import asked, engine

from bflo_viz import DiagonalBelief, SphericalBelief, condition, pseudo_observation
from bflo_viz.explorers.sentence import SENTENCES, Sentence

CODE = """
    const { said } = modules["sentence/words.js"];
"""


@pytest.fixture(scope="module")
def page():
    with engine("sentence/words.js", code=CODE) as ready:
        yield ready


@pytest.mark.parametrize("name", SENTENCES)
def test_the_page_says_the_same(page, name):
    """For numbers at the ends of their ranges, in the middle, and the first ones."""
    about = Sentence.about()
    numbers = {trait: known for trait, known in about["controls"].items() if f"{{{trait}}}" in SENTENCES[name]}
    assert numbers
    for part in itertools.product(*([known["low"], known["default"], known["high"]] for known in numbers.values())):
        sentence = Sentence(name, **dict(zip(numbers, part, strict=True)))
        assert asked(page, "said", about, sentence.state) == sentence.scene.words()
        assert "{" not in sentence.scene.words() and "nan" not in sentence.scene.words()
        sentence.close()


def test_the_width_is_that_of_a_belief():
    prior = DiagonalBelief([0.0], [1.0])
    post = prior.flow([1.0], [-2.0])
    words = Sentence("width", u=1.0, v=-2.0).scene.words()
    assert f"becomes {100 * post.std[0]:.0f} % as wide" in words
    assert f"moves by −{-post.mean[0]:.2f}, and this costs {post.kl(prior):.2f} nats" in words


def test_the_dimensions_are_those_of_a_ball():
    ball, far = SphericalBelief([0.0] * 9, 1.0), [2.0 / 3] * 9
    ends = [ball.flow(far, [0.5 * x for x in far], rule=rule).std for rule in ("printed", "exact")]
    words = Sentence("dimensions", dim=9, u=2.0, v=1.0).scene.words()
    assert [f"{100 * end:.0f} %" in words for end in ends] == [True, True]


def test_the_point_is_what_bayes_rule_needs():
    prior = DiagonalBelief([0.0], [1.0])
    for after in (0.5, 1.25):
        seen = pseudo_observation(prior, DiagonalBelief([0.0], [after]))
        assert condition(prior, seen).std[0] == pytest.approx(after)
        said = f"adds {'−' * (after > 1)}{abs(seen.precision[0]):.2f} to"
        assert said in Sentence("point", after=after).scene.words()


def test_the_laws_are_those_of_small_steps():
    """Narrowing by u²/(2 + u²) of the pull; half as wide at a quarter of the rate."""
    words = Sentence("share", u=2.0, pull=1.0).scene.words()
    assert abs(float(words.split("belief by ")[1].split(" %")[0]) - 4 / 6) < 0.01
    settled = [Sentence("jitter", eta=eta).scene.words() for eta in (0.16, 0.04)]
    wide, narrow = (float(words.split("about ")[1].split(". ")[0]) for words in settled)
    assert wide == pytest.approx(2 * narrow, abs=0.002) and wide < math.sqrt(0.16 / 2)
    assert "learning rate of 0.0400." in settled[0]
