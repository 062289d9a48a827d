"""The network explorer in a browser: it plays, is gone back in, takes points, and tells of every connection."""

import re

import pytest

from bflo_viz import NetworkExplorer
from browser.instruments import PARTS
from browser.pages import Explorer, Witness, until

SIZE = {"width": 1200, "height": 900}
STILL = "new Promise((done) => setTimeout(done, 400))"


@pytest.fixture(scope="module")
def page(browser):
    context = browser.new_context(offline=True, viewport=SIZE)
    window = context.new_page()
    window.add_init_script("""
        window.repeated = 0;
        for (const name of ["setInterval"]) window[name] = () => (window.repeated += 1);
    """)
    window.witness = Witness(window)
    yield window
    context.close()


@pytest.fixture
def shown(page, tmp_path):
    """What shows an explorer with some state; whatever goes wrong on its page fails the test."""

    def show(**state):
        page.goto(NetworkExplorer(**state).save_html(tmp_path / "page.html").as_uri())
        return Explorer(page, "network", PARTS["network"]).wait()

    yield show
    assert page.witness.take() == []


def numbers_of(**state):
    """The rows of the table, as Python has them."""
    scene = NetworkExplorer(**state).scene
    rows = []
    for track in scene.tracks:
        by_mean, by_vote = track.errors
        doubts = (track.held_out[2], track.doubt_map.mean())
        rows.append(
            [f"{track.error():.1f}", f"{by_mean:.1f}", f"{by_vote:.1f}", *(f"{doubt:.3f}" for doubt in doubts)]
        )
    return rows


@pytest.mark.slow  # test_engine holds whole runs of networks to Python
def test_what_was_played_is_what_python_computes(shown):
    """At whatever round it is paused, and at another that is gone back to; then nothing goes on."""
    state = {"data": "circles", "hidden": [5], "rival": "dropout", "updates": 1, "flip": 0.1, "seed": 9}
    explorer = shown(**state, round=0, speed=12_000)
    explorer.use("play", None)
    until(lambda: explorer.state["round"] > 400)
    explorer.use("play", None)
    explorer.page.evaluate(STILL)
    for now in (explorer.state["round"], 150):
        explorer.use("round", now)
        until(lambda: [row[1:] for row in explorer.says()["rows"]], numbers_of(**state, round=now))
    before = explorer.painted
    explorer.page.evaluate(STILL)
    assert explorer.painted == before
    assert explorer.page.evaluate("window.repeated") == 0


def test_a_long_way_is_gone_piece_by_piece(shown):
    """A change far into a run is shown at once, with how far it has come; in the end it is there."""
    explorer = shown(round=4000, hidden=[4], updates=1)
    notice = explorer.root.locator(".bflo-readout .bflo-help").first
    until(notice.inner_text, "")
    explorer.use("new-seed", None)
    explorer.shows(seed=1)
    until(notice.inner_text, "")
    assert any("a line at round 4000." in alt for alt in explorer.says()["alts"])


def test_connections_are_told_by_keys_and_by_pointing(shown):
    """Mean, width and the last step, as Python has them; and a screen reader hears the sentence."""
    state = {"hidden": [3], "round": 80, "updates": 1, "rival": "SGD"}
    explorer = shown(**state)
    flow, sgd = NetworkExplorer(**state).scene.tracks
    slider = explorer.control("connection")
    slider.focus()
    for index, name in ((0, "input x to unit 1 of layer 1"), (1, "input x to unit 2 of layer 1")):
        explorer.page.keyboard.press("ArrowRight")
        explorer.shows(connection=index + 1)
        (weights, moved), (before, after) = flow.step, sgd.step
        wanted = [
            f"Connection {index + 1} of 13, {name}: ",
            f"mean {flow.mean[index]:.2f}, width {flow.std[index]:.2f}; ",
            f"a sample of it, {weights[index]:.2f}, stepped by {moved[index] - weights[index]:.4f}.",
            f"SGD: weight {sgd.mean[index]:.2f}, without a width; the last round moved it by "
            f"{after[index] - before[index]:.4f}.",
        ]
        wanted = [re.sub(r"-(?=\d)", "−", re.sub(r"-(?=0\.0+\D)", "", words)) for words in wanted]
        until(lambda: [words for words in wanted if words not in explorer.voice], [])  # noqa: B023
    explorer.use("connection", 13)
    until(lambda: "Connection 13 of 13, the bias of the output" in explorer.voice)
    network = explorer.root.locator(".bflo-wiring").first
    network.scroll_into_view_if_needed()
    box, said = network.bounding_box(), explorer.root.locator(".bflo-readout p").nth(1)
    beside_x = box["x"] + 56, box["y"] + 124
    explorer.page.mouse.move(*beside_x)
    until(lambda: re.match(r"Connection \d of 13, input x to unit", said.inner_text()) is not None)
    explorer.page.mouse.click(*beside_x)
    until(lambda: explorer.state["connection"] <= 3)
    explorer.page.mouse.move(0, 0)


def test_points_are_set_by_a_press_and_by_keys(shown):
    """With the label that is chosen, at the place that was pressed or where the ring is; and all are taken away."""
    explorer = shown(data="points", round=200, hidden=[4], updates=1)
    notice = explorer.root.locator(".bflo-readout .bflo-help").first
    assert notice.inner_text().startswith("There are no points yet")
    until(lambda: explorer.says()["rows"][0][1], "–")
    panel = explorer.root.locator('.bflo-panels [style*="crosshair"]').first
    box = panel.bounding_box()
    explorer.page.mouse.click(box["x"] + 0.25 * box["width"], box["y"] + 0.25 * box["height"])
    until(lambda: len(explorer.state["points"]), 1)
    x, y, label = explorer.state["points"][0]
    assert (x, y, label) == (pytest.approx(-1.75, abs=0.05), pytest.approx(1.75, abs=0.05), 1)
    explorer.use("adding", "label 0")
    explorer.handle("spot").focus()
    explorer.page.keyboard.press("Shift+ArrowRight")
    explorer.page.keyboard.press("Enter")
    until(lambda: explorer.state["points"][1:], [[pytest.approx(x + 0.5), y, 0]])
    until(lambda: explorer.says()["rows"][0][1] != "–" and notice.inner_text() == "")
    explorer.use("clear-points", None)
    explorer.shows(points=[])
    until(lambda: notice.inner_text().startswith("There are no points yet"))


def test_the_whole_network_fits_and_follows_the_page(shown):
    """Its picture has as many pixels as its place on the page, at any width."""
    explorer = shown(hidden=[12, 12, 12], round=20, updates=1)
    for width in (1200, 400):
        explorer.page.set_viewport_size(SIZE | {"width": width})
        sizes = "(one) => [one.width, Math.round(one.clientWidth * devicePixelRatio)]"
        canvas = explorer.root.locator(".bflo-wiring").first
        until(lambda: len(set(canvas.evaluate(sizes))), 1)  # noqa: B023
    explorer.page.set_viewport_size(SIZE)
