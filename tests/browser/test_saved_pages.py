"""What ``save_html`` writes: one file that works from a disk, with no network and no Python."""

import importlib
import json
import re
import shutil
from pathlib import Path

import pytest

import bflo_viz
from bflo_viz import stretch
from bflo_viz.explorers.page import SHARED
from bflo_viz.figures.style import alt_text
from bflo_viz.scenes.base import number
from browser.instruments import INSTRUMENTS, PARTS
from browser.pages import Explorer, Witness, attacked, swiped, until, violations

SIZE = {"width": 1200, "height": 900}
SCRUBBED = '[style*="ew-resize"]'  # the curves over rounds
MEASURE = """(root) => {
    const all = [...root.querySelectorAll("*")].filter((one) => one.checkVisibility() && !one.closest(".bflo-live"));
    const box = (one) => one.getBoundingClientRect();
    const names = (some) => some.map((one) => one.outerHTML.slice(0, 120));
    const size = (text) => {
        const { a, b } = text.getScreenCTM();
        return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(a, b);
    };
    const texts = all.filter((one) => one.tagName === "text" && one.textContent);
    const touched = "select, button, [type=range], [data-handle] > circle:first-child";
    const pressed = all.filter((one) => one.matches(touched));
    return [
        names(all.filter((one) => !one.closest("svg, .bflo-table") && box(one).right > box(root).right + 1)),
        names(texts.filter((one) => size(one) < 9)),
        names(pressed.filter((one) => box(one).height > 0 && box(one).height < 24)),
    ];
}"""


def only(*names):
    """These explorers alone."""
    return pytest.mark.parametrize("saved", [PARTS[name] for name in names], indirect=True, ids=str)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A page of each explorer, saved as it is at first."""
    folder = tmp_path_factory.mktemp("saved")
    return {one.name: one.kind().save_html(folder / f"{one.name}.html") for one in INSTRUMENTS}


@pytest.fixture(scope="module")
def page(browser):
    """A browser window, offline."""
    context = browser.new_context(offline=True, has_touch=True, viewport=SIZE)
    window = context.new_page()
    window.witness = Witness(window)
    yield window
    context.close()


def opened(page, file, parts):
    page.witness.take()
    page.witness.requests.clear()
    page.goto(file.as_uri())
    return Explorer(page, parts.name, parts).wait()


@pytest.fixture(params=INSTRUMENTS, ids=str)
def saved(request, page, files):
    """Each saved page, opened; whatever goes wrong in it fails the test, and so does any request."""
    explorer = opened(page, files[request.param.name], request.param)
    yield explorer
    assert page.witness.take() == []
    schemes = [url.split(":")[0] for url in page.witness.requests]
    assert schemes.count("file") <= 1 and set(schemes) <= {"file", "data", "blob"}


def test_every_control_works_without_python(saved):
    """Whatever a notebook can set, a page can."""
    for name, (value, wanted) in saved.parts.controls.items():
        if wanted and name not in saved.parts.needs:
            saved.use(name, value)
            saved.shows(**wanted)
            if "." in name:  # its list is not what it was at first: begin anew
                saved.page.goto(saved.page.url.partition("#")[0])
                saved.page.witness.requests.clear()
                saved.wait()


@only("regime", "flow")
def test_points_can_be_dragged_and_moved_by_keys(saved):
    """By mouse, finger and arrow keys; the new place is announced."""

    def read(trait):
        name, _, index = trait.partition(".")
        return saved.state[name][int(index)] if index else saved.state[name]

    for name, moves in saved.parts.handles.items():
        for control, value in saved.parts.needs.get(name, {}).items():
            saved.use(control, value)
        if moves:
            saved.follows(name, (30, -20))
            saved.follows(name, (-24, 30), touch=True)
        else:
            before = saved.state
            with saved.dragged(name, (30, -20)):
                until(lambda: saved.state != before)  # noqa: B023
        wanted = {trait: read(trait) + by for trait, by in zip(moves or (), (0.1, 0.5), strict=False)}
        saved.handle(name).focus()
        for key in ("ArrowRight", "Shift+ArrowUp"):
            saved.page.keyboard.press(key)
        until(lambda: {trait: read(trait) for trait in wanted}, wanted)  # noqa: B023
        until(lambda: saved.handle(name).get_attribute("aria-valuetext") in saved.voice)  # noqa: B023


@only("regime")
def test_the_widths_of_one_update_are_those_of_python(saved):
    """Before, after, and the share that is left, in words; on both branches, and where it may not widen."""
    explorer = bflo_viz.RegimeExplorer(delta=1.0, std=2.0)
    texts = {1: "+1: connected to the identity", -1: "−1: reflected"}
    for name in ("delta", "std"):
        saved.use(name, getattr(explorer, name))
    for explorer.branch, explorer.delta_new, explorer.non_expansive in (
        (1, -2, False),
        (1, 3, True),
        (-1, 3, False),
        (-1, -4, True),
    ):
        saved.use("delta_new", explorer.delta_new)
        saved.use("non_expansive", explorer.non_expansive)
        saved.use("branch", texts[explorer.branch])
        (mean,), (width,) = explorer.posterior.mean, explorer.posterior.std
        kl = number(explorer.posterior.kl(explorer.belief), 3)
        share = f"2.00 → {width:.2f} ({50 * width:.0f} %)"
        words = (
            f"{explorer.regime.capitalize()}: mean 0 → {number(mean, 2)}, standard deviation {share}, KL {kl} nats."
        )
        until(lambda: saved.below()[0], words)


@only("pseudo", "online", "dynamics")
def test_words_and_numbers_of_a_round_are_those_of_python(saved):
    """Which panel says what, the counts of the titles, and the numbers of the table, of any seed."""
    state = {"seed": 4_294_967_295, "eta": 0.1, "round": 75}
    for name, value in state.items():
        saved.use(name, value)
    scene = saved.parts.kind(**state).scene
    if saved.name == "dynamics":
        away = [round(float(scene.facts[f"{who}_away"][75]), 2) for who in ("sgd", "bayes", "flow", "ensemble")]
        until(lambda: [float(re.search(r"([\d.]+) from the", alt)[1]) for alt in saved.says()["alts"]], away)
    elif saved.name == "pseudo":
        precisions = scene.precisions[:75]
        title = f"Round 75: {(precisions > 0).sum()} added, {(precisions < 0).sum()} removed"
        until(lambda: saved.says()["titles"][0] == title and saved.below()[0].startswith("Round 75:"))
    else:
        ways = [scene.at(75, predict=how) for how in ("sample", "mean")]
        wanted = [[name, *(f"{way.error(name, 75):.1f}" for way in ways)] for name in scene.names]
        until(lambda: [[row[0], *row[2:4]] for row in saved.says()["rows"]], wanted)


@only("pseudo")
def test_it_plays_and_pauses(saved):
    """By button and space bar, step by step, at its speed; where motion is unwelcome once a second, by as much."""

    def clocked():
        """The round that is shown and the time, read together by the page: the test itself may be kept waiting."""
        return saved.root.evaluate("(one) => [JSON.parse(one.dataset.state).round, performance.now() / 1000]")

    def press(name, label):
        saved.use(name, None)
        until(saved.control("play").inner_text, label)

    saved.use("speed", 20)
    press("play", "Pause")
    until(lambda: saved.state["round"] > 2)
    start, began = clocked()
    until(lambda: saved.state["round"] > start + 30)
    stop, ended = clocked()
    assert 14 < (stop - start) / (ended - began) < 26
    saved.control("speed").focus()
    saved.page.keyboard.press("Space")
    until(saved.control("play").inner_text, "Play")
    saved.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    at = saved.state["round"]  # the last round is drawn a frame after the button says that it is paused
    for name, wanted in (("step", at + 1), ("step", at + 2), ("back", at + 1), ("restart", 0), ("back", 0)):
        press(name, "Play")
        saved.shows(round=wanted)
    saved.page.emulate_media(reduced_motion="reduce")
    try:
        before = saved.painted
        press("play", "Pause")
        until(lambda: saved.state["round"] >= 20)
        assert saved.painted - before <= 3
    finally:
        saved.page.emulate_media(reduced_motion="no-preference")


@only("pseudo", "online")
def test_curves_are_scrubbed_by_hand(saved):
    """A press or a drag on a curve over rounds goes to that round, by mouse and by finger."""
    assert saved.root.locator(SCRUBBED).count() == saved.parts.curves
    for index in range(saved.parts.curves):
        curve = saved.root.locator(SCRUBBED).nth(index)
        curve.scroll_into_view_if_needed()
        box = curve.bounding_box()
        places = [(box["x"] + x * box["width"], box["y"] + 0.5 * box["height"]) for x in (0.25, 0.45, 0.6, 0.75)]
        saved.page.mouse.click(*places[0])
        until(lambda: abs(saved.state["round"] / saved.parts.rounds - 0.25) < 0.01)
        with swiped(saved.page, places):
            until(lambda: abs(saved.state["round"] / saved.parts.rounds - 0.75) < 0.01)


def test_it_can_be_seen_read_and_hit(saved):
    """On a phone, a tablet and a wall nothing sticks out, words can be read, and a finger can hit what is pressed."""
    for width in (360, 768, 2000, SIZE["width"]):
        saved.page.set_viewport_size(SIZE | {"width": width})
        until(lambda: saved.page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
        outside, small, tiny = saved.root.evaluate(MEASURE)
        assert (width, outside, small, tiny) == (width, [], [], [])


def test_it_is_accessible_in_light_and_dark(saved):
    """axe-core finds nothing serious in either theme, which the page takes from the system."""
    for theme in ("dark", "light"):
        saved.page.emulate_media(color_scheme=theme)
        paper = saved.root.evaluate("(root) => getComputedStyle(root).backgroundColor")
        assert (sum(map(int, paper.strip("rgb()").split(","))) > 384) == (theme == "light")
        assert (theme, violations(saved.page)) == (theme, [])


@only("online", "pseudo", "dynamics")
def test_rounds_go_on_as_long_as_one_plays(saved, files):
    """Past the end of the curves, and to the twenty thousandth; and back to any of them, as it was there."""
    parts, end = saved.parts, saved.parts.rounds
    saved.use("round", end)
    saved.shows(round=end)
    before = saved.below()
    saved.use("step", None)
    saved.shows(round=end + 1)
    saved.use("speed", saved.control("speed").get_attribute("max"))
    saved.use("play", None)
    until(lambda: saved.state["round"] > end + 30)
    saved.use("play", None)
    far = opened(saved.page, parts.kind(round=20_000).save_html(files[parts.name].with_name("far.html")), parts)
    far.shows(round=20_000)
    until(lambda: int(far.control("round").get_attribute("max")) >= 20_000)
    far.use("round", end)
    until(lambda: (far.state["round"], far.below()), (end, before))


@only("dynamics")
def test_a_seed_can_be_typed(saved):
    """What is no seed becomes the nearest, nothing keeps the old one; the next is one more, or the first."""
    most = 4_294_967_295
    for typed, seed in (("77", 77), ("", 77), ("-5", 0), ("2.6", 3), ("123456789012345678901234567890", most)):
        saved.use("seed", typed)
        saved.shows(seed=seed)
        until(saved.control("seed").input_value, str(seed))
    for seed in (0, 1):
        before = saved.drawing
        saved.use("new-seed", None)
        until(lambda: saved.state["seed"] == seed and saved.drawing != before)  # noqa: B023


@pytest.mark.parametrize("value", ["1e999", ""])
def test_a_broken_state_is_replaced_and_told(page, files, tmp_path, value):
    """Every value of a page is spoilt, or gone: it still draws, and one sentence says what it took them for."""
    for parts in INSTRUMENTS:
        before, state, after = re.split(
            r'(?<=<script type="application/json">)(.*)(?=</script>)', files[parts.name].read_text(), maxsplit=1
        )
        private = {name: part for name, part in json.loads(state).items() if name.startswith("_")}
        spoilt = [f'"{name}": {value}' for name in parts.traits if value]
        text = ", ".join([*spoilt, *(f'"{name}": {json.dumps(part)}' for name, part in private.items())])
        path = tmp_path / "page.html"
        path.write_text(f"{before}{{{text}}}{after}")
        explorer = opened(page, path, parts)
        note = explorer.root.locator(".bflo-replaced").inner_text()
        assert note.startswith("Not every value can be shown: ") and note.endswith("."), parts.name
        assert explorer.root.locator(".bflo-alert").inner_text() == ""
        assert page.witness.take() == []


def test_what_goes_wrong_is_shown_and_what_others_do_is_blocked(browser, files):
    """An error in the view stands in the explorer, in words; no script runs that is not its own."""
    page = browser.new_page()
    witness = Witness(page)
    page.add_init_script("CanvasRenderingContext2D.prototype.putImageData = () => { throw new Error('no ink left') }")
    page.goto(files["regime"].as_uri())
    until(lambda: "no ink left" in page.locator(".bflo-alert").inner_text())
    assert witness.take("no ink left") == []
    ran, blocked = attacked(page)
    assert ran == [] and {"script-src-elem", "script-src-attr"} <= blocked
    page.close()


@only("flow")
def test_of_points_on_each_other_the_one_seen_is_dragged(saved):
    """At w = (1, 0) the ring of the first axis lies under w; the panels keep their scale only while it is held."""
    saved.handle("w").focus()
    for key in 8 * ["ArrowLeft"] + 4 * ["ArrowUp"]:
        saved.page.keyboard.press(key)
    saved.shows(w=[1.0, 0.0])
    assert saved.middle("w") == pytest.approx(saved.middle("axis-0"), abs=0.01)
    with saved.dragged("w", (0, -40)):
        until(lambda: saved.state["w"][1] > 0.2)
    assert saved.state["axes"] == [1.0, 1.0]
    saved.follows("axis-0", (20, -20))  # now it lies free
    ticks = saved.root.locator(".bflo-axes").first
    before = ticks.text_content()
    saved.use("axes.0", 3)
    until(lambda: ticks.text_content() != before)


@only("flow")
def test_a_gradient_step_offers_the_optimum_and_the_result_is_announced(saved):
    """In place of w′, and who was on the one that goes is then on w; what is there at first is not announced."""
    assert saved.voice == ""
    assert saved.handle("w_new").is_visible() and not saved.handle("optimum").is_visible()
    saved.handle("w_new").focus()
    # As another view or Python would do it: the focus stays where it was.
    saved.root.evaluate("one => one.querySelector('input[name=gradient_step]').click()")
    until(lambda: saved.handle("optimum").is_visible() and not saved.handle("w_new").is_visible())
    assert saved.page.evaluate("document.activeElement.dataset.handle") == "w"
    until(lambda: saved.voice == saved.below()[0] and "gradient step" in saved.voice)
    saved.page.keyboard.press("ArrowUp")
    until(lambda: saved.voice == f"Sampled weight w: 1.80, −0.30. {saved.below()[0]}")


def test_the_explorer_of_the_documents_works(page, tmp_path, monkeypatch):
    """Its two files, as docs/EXTENDING.md has them, in a folder beside the shared ones."""
    text = (Path(__file__).parents[2] / "docs" / "EXTENDING.md").read_text(encoding="utf-8")
    (state,) = (code for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "(Explorer)" in code)
    (view,) = re.findall(r"```js\n(.*?)```", text, re.DOTALL)
    folder = tmp_path / "documented_explorer"
    folder.mkdir()
    (folder / "__init__.py").write_text(state, encoding="utf-8")
    (folder / "view.js").write_text(view, encoding="utf-8")
    for name in ("shared", "engine"):
        shutil.copytree(SHARED.parent / name, tmp_path / name)
    monkeypatch.syspath_prepend(tmp_path)
    explorer = importlib.import_module("documented_explorer").StretchExplorer(v=-2.0)
    page.goto(explorer.save_html(tmp_path / "page.html").as_uri())
    shown = Explorer(page, "stretch").wait()
    for v in (-2.0, 2.0):
        explorer.v = v
        shown.use("v", v)
        until(shown.below, [f"The belief becomes {100 * stretch(1.0, v):.0f} % as wide."])
    assert alt_text(explorer.figure()) == explorer.scene.words()
    assert page.witness.take() == []
