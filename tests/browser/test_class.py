"""A class that bets, in Chromium: what a student reads, and what the instructor sees on a page and on a slide."""

import json
import threading

import pytest

from bflo_viz.classroom import cells, class_pages, server
from bflo_viz.classroom.pages import asset
from bflo_viz.classroom.votes import Class
from bflo_viz.explorers.old_page import HERE, policy
from browser.pages import Witness, until, violations

BET = json.dumps({"_about": {"facts": {"number": "02.2"}}})
PAGE = f"""<!doctype html><html lang="en" class="bflo-themed"><head><title>A page</title>{policy(*HERE)}
<link rel="icon" href="data:,"><link rel="stylesheet" href="course.css"></head><body><main><h1>A page</h1>
{"<p>Words.</p>" * 10}
<div class="bflo-alive" data-explorer="bet"><script type="application/json">{BET}</script></div></main></body>
</html>"""
SLIDE = f"""<!doctype html><html lang="en" class="bflo-themed"><head><title>A deck</title>{policy(*HERE)}
<link rel="icon" href="data:,"><link rel="stylesheet" href="slides.css"><script src="slides.js" defer></script></head>
<body class="deck"><main><section class="slide" id="one"><h2>Exercise 02.2 · Predict</h2><p>Narrower or wider?</p>
<aside class="notes" hidden>It is narrower.</aside></section></main>
<nav class="turn" aria-label="Slides" hidden><a href="index.html" class="count" aria-label="All"></a></nav></body>
</html>"""
FORGIVEN = ("status of 40", "ERR_CONNECTION", "ERR_INTERNET")  # what Chromium says of each vote that is refused


class Room:
    """A class, its server, and the windows of those who are in it."""

    def __init__(self, browser, path):
        bets, own = class_pages.own_pages()
        self.course, self.browser, self.windows = Class(bets, path, print), browser, []
        styles, script = cells.styles(), asset("slides.js")
        texts = {"index.html": PAGE, "deck.html": SLIDE, "course.css": styles, "slides.js": script}
        texts["slides.css"] = styles + asset("slides.css")
        self.server = server.Server("127.0.0.1", 0)
        pages = {f"/{name}": server.as_file(name, text.encode()) for name, text in texts.items()}
        self.server.join(self.course, {name: server.as_file(name, text) for name, text in own.items()}, pages)
        self.home = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.course.addresses = [f"{self.home}/"]
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    def window(self, address="/", **settings):
        """A browser of its own, at this address."""
        context = self.browser.new_context(**{"viewport": {"width": 360, "height": 740}} | settings)
        page = context.new_page()
        self.windows.append((context, Witness(page)))
        page.goto(self.home + address)
        return page

    def teacher(self, **settings):
        """The instructor, at the page of the class."""
        return self.window(f"/class#{self.course.key}", viewport={"width": 1280, "height": 720}, **settings)

    def counts(self):
        """How many have said what of bet 02.2."""
        return self.course.shown()["bets"]["02.2"]["counts"]

    def close(self):
        """End all; nothing went wrong on any page."""
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
        self.course.journal.close()
        for context, witness in self.windows:
            context.close()
            assert witness.take(*FORGIVEN) == []


@pytest.fixture
def room(browser, tmp_path):
    room = Room(browser, tmp_path / "votes.csv")
    yield room
    room.close()


def bets(page, answer, number="02.2"):
    """What the bet of a page does once somebody has committed to an answer."""
    page.evaluate(
        """([number, answer]) => {
            const kept = JSON.parse(localStorage.getItem("bflo-bets") ?? "{}");
            localStorage.setItem("bflo-bets", JSON.stringify({ [number]: { answer, reason: "", at: "" }, ...kept }));
            document.dispatchEvent(new CustomEvent("bflo-bet", { detail: { number, answer } }));
        }""",
        [number, answer],
    )


def said(page):
    return page.locator(".class-line").text_content()


def test_a_student_types_the_code_and_bets(room):
    """By keyboard, with a wrong code first; the first answer counts; the code is kept from page to page."""
    page = room.window()
    assert said(page) == "Does your class bet? Type its code."
    assert violations(page, "body") == []
    bets(page, "wider")  # before there is a code
    code = page.get_by_label("Code of the class")
    for typed, words in (
        ("XXXX", "This is not the code of this class: type the one on the projector."),
        (room.course.code.lower(), "02.2: Your bet was counted."),
    ):
        code.fill(typed)
        code.press("Enter")
        until(lambda: said(page), words)
    assert room.counts() == [0, 0, 1]
    page.goto(f"{room.home}/deck.html")
    until(lambda: said(page), f"Class {room.course.code}: your bets count.")
    assert page.locator(".class-bars").count() == 0 and "narrower" not in page.content()
    bets(page, "full", "03.1")
    until(lambda: said(page), "03.1: Your bet was counted.")


def test_the_address_may_have_the_code_and_a_vote_waits_for_its_server(room):
    """Nothing is lost while there is no connection; what was closed meanwhile is said."""
    page = room.window(f"/?class={room.course.code}#here")
    until(lambda: said(page), f"Class {room.course.code}: your bets count.")
    assert page.url == f"{room.home}/#here"
    page.context.set_offline(True)
    bets(page, "narrower")
    until(lambda: said(page), "02.2: No connection: your bet is kept here, and sent again.")
    assert room.counts() == [0, 0, 0]
    page.context.set_offline(False)
    until(lambda: said(page), "02.2: Your bet was counted.")
    assert room.counts() == [1, 0, 0]
    room.course._states["03.1"] = "closed"
    bets(page, "full", "03.1")
    until(lambda: said(page), "03.1: This bet is closed: your answer is not counted.")


def test_the_instructor_sees_bets_as_they_come_and_reveals(room):
    """On the page of the class and on a slide, by keyboard; which is right is marked after the reveal, not before."""
    page = room.teacher()
    bet = page.locator('[data-bet="02.2"]')
    until(lambda: bet.locator(".class-count").text_content(), "0 bets")
    assert page.url == f"{room.home}/class" and room.course.code in page.locator(".class-how").inner_text()
    student = room.window(f"/?class={room.course.code}")
    bets(student, "wider")
    until(lambda: bet.locator(".class-count").text_content(), "1 bet")
    assert bet.locator("tr").all_inner_texts()[2].split() == ["wider", "1", "·", "100", "%"]
    assert "✓" not in bet.inner_text() and bet.locator(".class-right").count() == 0
    bet.get_by_role("button", name="Reveal").press("Enter")
    until(lambda: bet.locator(".class-right").all_text_contents(), ["✓narrower0 · 0 %"])
    page.evaluate("() => document.querySelectorAll('section:not([data-bet^=\"02\"])').forEach((one) => one.remove())")
    for scheme in ("light", "dark"):  # of one bet, since all are alike
        page.emulate_media(color_scheme=scheme)
        assert violations(page, "body") == []
    page.goto(f"{room.home}/deck.html")
    until(lambda: page.locator(".slide .class-count").all_inner_texts(), ["1 bet, revealed"])
    assert said(page) == f"Bet at {room.home.removeprefix('http://')} with the code {room.course.code}."
    until(lambda: page.locator(".slide > .notes").text_content(), "It is narrower.")
    until(lambda: page.locator(".slide [aria-live]").text_content().endswith("right is narrower."))
    page.get_by_role("button", name="Open it again").press("Enter")
    until(lambda: page.locator(".slide .class-count").all_inner_texts(), ["1 bet"])


def test_a_key_of_another_day_is_forgotten(room):
    page = room.window("/class#another")
    until(lambda: "This key is not known here" in page.locator(".class-how").inner_text())
    page.goto(f"{room.home}/")
    until(lambda: said(page), "Does your class bet? Type its code.")
