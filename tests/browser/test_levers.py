"""A game of levers in a saved page: by clicks, by keys, back and otherwise, seen and heard, and as Python has it."""

import re

import pytest

from bflo_viz import BanditExplorer
from browser.instruments import PARTS
from browser.pages import Explorer, Witness, until


@pytest.fixture
def game(browser, tmp_path):
    """A page with a short game, offline; whatever goes wrong in it fails the test."""
    context = browser.new_context(offline=True, has_touch=True, viewport={"width": 1200, "height": 900})
    page = context.new_page()
    witness = Witness(page)
    page.goto(BanditExplorer(rounds=100, levers=4, seed=7).save_html(tmp_path / "levers.html").as_uri())
    yield Explorer(page, "bandit", PARTS["bandit"]).wait()
    assert witness.take() == []
    context.close()


def row(game, name):
    """The numbers of a player."""
    return next((cells[1:] for cells in game.says()["rows"] if cells[0] == name), None)


def seen_as(game, **state):
    """Insist that the table has what Python has for this state."""
    scene = BanditExplorer(rounds=100, levers=4, seed=7, **state).scene

    def wanted(name):
        last = scene.played(name)
        wins = scene.wins(name)[last]
        share, missed = (f"{100 * wins / last:.1f}" if last else "–"), f"{scene.regret(name)[last]:.1f}"
        return [
            str(last),
            str(wins),
            share,
            missed if scene.open else "?",
            " / ".join(map(str, scene.tally(name)[0])),
        ]

    until(
        lambda: {cells[0]: cells[1:] for cells in game.says()["rows"]}, {name: wanted(name) for name in scene.names}
    )


def test_levers_are_pulled_by_clicks_and_keys(game):
    """The others move along; what the lever paid is told on the page and to a screen reader."""
    assert row(game, "you") is None and game.control("lever-4").is_visible()
    assert not game.control("lever-5").is_visible()
    game.control("lever-2").click()
    game.shows(pulls="2", round=1)
    game.page.keyboard.press("4")  # on a button
    game.control("show").focus()
    game.page.keyboard.press("1")  # on a box
    game.page.keyboard.press("6")  # there is no such lever
    game.page.keyboard.press("Control+1")  # of the browser
    game.control("lever-3").tap()
    game.shows(pulls="2413", round=4)
    seen_as(game, pulls="2413", round=4)
    paid = BanditExplorer(rounds=100, levers=4, seed=7).scene.pays[3, 2]
    news = f"Round 4: lever 3 paid{'' if paid else ' nothing'}."
    until(lambda: game.root.locator(".bflo-news").inner_text(), news)
    until(lambda: game.voice.startswith(f"{news} After 4 rounds the wins are: "))
    assert game.root.locator("[aria-current=true]").evaluate_all("all => all.map((one) => one.name)") == ["lever-3"]
    game.control("seed").fill("12")  # digits that are typed pull nothing
    assert game.state["pulls"] == "2413"


def test_one_goes_back_and_plays_otherwise(game):
    """From an earlier round later pulls are forgotten; from a later one the game goes on where it ended."""
    game.use("pulls", "12 x 34,12")
    game.shows(pulls="123412", round=6)
    game.use("back", None)
    game.use("back", None)
    game.shows(pulls="123412", round=4)
    seen_as(game, pulls="123412", round=4)
    game.use("lever-4", None)
    game.shows(pulls="12344", round=5)
    game.use("round", 50)
    seen_as(game, pulls="12344", round=50)
    until(lambda: "You have pulled 5 times" in game.root.locator(".bflo-news").inner_text())
    game.use("lever-1", None)
    game.shows(pulls="123441", round=6)
    game.use("clear", None)
    game.shows(pulls="", round=0)


def test_nothing_tells_the_odds_before_the_end(game):
    """Neither words, nor a column, nor a curve; at the end all of them do, and the game stays as it is."""

    def tells():
        says = game.says()
        texts = " ".join([*says["titles"], *says["alts"], *says["below"][:1]]).lower()
        columns = {cells[4] for cells in says["rows"]}
        return "regret" in texts, columns != {"?"}, "is the best now" in texts

    game.use("pulls", "1234" * 24 + "123")
    game.shows(round=99)
    until(tells, (False, False, False))
    game.use("show", True)
    until(tells, (True, True, True))
    game.use("show", False)
    until(tells, (False, False, False))
    game.page.keyboard.press("2")
    game.shows(round=100)
    until(tells, (True, True, True))
    seen_as(game, pulls="1234" * 24 + "1232", round=100)
    assert game.control("lever-1").is_disabled()
    game.page.keyboard.press("2")
    game.use("round", 20)
    until(tells, (True, True, True))  # a game that is over is an open book
    assert len(game.state["pulls"]) == 100
    until(lambda: re.search(r"In 200 games .* non-expansive 46\.6 ± 2\.2", game.says()["below"][1]) is not None)


def test_another_machine_is_another_game(game):
    """Whoever changes it begins anew; whoever changes the others plays on against them."""
    game.use("pulls", "1234")
    game.use("eta", 2)
    game.use("epsilon", 0.3)
    game.shows(pulls="1234", round=4)
    seen_as(game, pulls="1234", round=4, eta=2, epsilon=0.3)
    for name, value in (("levers", "6"), ("drift", "none"), ("rounds", "200"), ("odds", "drawn: 10 % to 80 %")):
        game.use("pulls", "1234")
        game.shows(round=4)
        game.use(name, value)
        game.shows(pulls="", round=0)
    assert game.control("lever-6").is_visible()


def test_they_play_by_themselves_to_the_end(game):
    """It plays, stops at the last round, and is scrubbed on its curves; then a pull begins your game."""
    game.use("speed", 200)
    game.use("play", None)
    until(lambda: (game.state["round"], game.control("play").inner_text()), (100, "Play"))
    seen_as(game, round=100)
    for index in range(game.parts.curves):
        curve = game.root.locator('[style*="ew-resize"]').nth(index)
        curve.scroll_into_view_if_needed()
        box = curve.bounding_box()
        game.use("show", True)
        game.page.mouse.click(box["x"] + 0.25 * box["width"], box["y"] + 0.5 * box["height"])
        game.shows(round=25)
        game.use("round", 100)
    game.use("lever-3", None)
    game.shows(pulls="3", round=1)
