"""The results explorer in a page without Python: every choice shows and says what Python has."""

import re

import pytest

from bflo_viz import ResultsExplorer
from bflo_viz.scenes.runs import STAYS
from browser.pages import Explorer, Witness

READ = """async (choice) => {
    const root = document.querySelector(".bflo");
    for (const [name, text] of Object.entries(choice)) {
        const list = root.querySelector(`select[name="${name}"]`);
        const option = [...list.options].find((one) => one.text === text && !one.disabled);
        if (!option) throw new Error(`${name} has no ${text}`);
        list.value = option.value;
        list.dispatchEvent(new Event("change"));
    }
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const alts = [...root.querySelectorAll("figure svg")].map((one) => one.getAttribute("aria-label"));
    const seen = (one) => getComputedStyle(one).visibility === "visible";
    return {
        alts,
        dots: [...root.querySelectorAll("figure circle")].filter(seen).map((one) => Number(one.getAttribute("cx"))),
        heading: root.querySelector(".bflo-heading").textContent,
        hidden: [...root.querySelectorAll("figure")].every((one) => one.hidden),
        learners: [...root.querySelectorAll("tbody tr:not([hidden]) th")].map((one) => one.textContent),
        fallen: root.querySelector(".bflo-fallen").innerText,
        marks: [...root.querySelectorAll('path[d^="M-7"]')].filter(seen).length,
    };
}"""
LEFT, WIDTH = 44, 306  # of a panel


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    """A saved page."""
    file = ResultsExplorer().save_html(tmp_path_factory.mktemp("results") / "results.html")
    context = browser.new_context(offline=True, viewport={"width": 1200, "height": 900})
    window = context.new_page()
    window.witness = Witness(window)
    window.goto(file.as_uri())
    Explorer(window, "results").wait()
    yield window
    assert window.witness.take() == []
    context.close()


def texts(explorer, name):
    """What a list has for each value."""
    return dict(map(tuple, explorer._about["controls"][name]["options"]))


def errors_of(scene):
    """The errors of all learners as the page writes them."""

    def written(cell):
        error = f" ± {cell.error:.2f}" if cell.error is not None else ""
        return f"{cell.ours:.2f}{error}" + (f" (paper {cell.paper:.2f})" if cell.paper is not None else "")

    return "; ".join(
        f"{name} no runs"
        if shown.curve is None
        else f"{name} {written(shown.online)} online and {written(shown.final)} final"
        for name, shown in scene.shown.items()
    )


def test_every_choice_shows_what_python_has(page):
    """The words, the learners, the dots of the final errors on axes that end where the figure's do, the collapse."""
    explorer = ResultsExplorer()
    options = {name: texts(explorer, name) for name in ("experiment", "stream", "noise", "protocol")}
    blank = 0  # panels without a curve of an entropy, in which words say why
    for experiment, kept in explorer._kept.items():
        explorer.experiment = experiment
        page.evaluate(READ, {"experiment": options["experiment"][experiment]})
        for protocol in kept.protocols:
            for stream in kept.options["stream"]:
                for noise in kept.options["noise"]:
                    explorer.stream, explorer.noise, explorer.protocol = stream, noise, protocol
                    choice = {
                        name: options[name][getattr(explorer, name)] for name in ("stream", "noise", "protocol")
                    }
                    shown, scene = page.evaluate(READ, choice), explorer.scene
                    assert shown["heading"] == scene.heading
                    assert set(shown["learners"]) == set(scene.shown)
                    assert shown["hidden"] == bool(scene.message)
                    if scene.message:
                        continue
                    assert shown["alts"][0] == f"{scene.heading}. Errors in percent: {errors_of(scene)}."
                    low, high = scene.limits["final"]
                    finals = [one.final for one in scene.shown.values() if one.curve is not None]
                    places = [LEFT + WIDTH * (cell.ours - low) / (high - low) for cell in finals]
                    assert sorted(shown["dots"]) == pytest.approx(sorted(places), abs=1e-2)
                    fallen = [one.curve.collapse for one in scene.shown.values() if one.curve is not None]
                    assert shown["marks"] == sum(round_ is not None for round_ in fallen)
                    assert shown["fallen"].count("exactly 0") == shown["marks"]
                    is_blank = shown["marks"] and not any(one.entropy_is_seen for one in scene.shown.values())
                    assert shown["fallen"].endswith(STAYS) == bool(is_blank)
                    blank += bool(is_blank)
                    told = dict(re.findall(r"([\w ]+) from (\S+ to [^\s,]*[\d∞])", shown["alts"][2]))
                    curves = {name: one.curve for name, one in scene.shown.items() if one.curve is not None}
                    beliefs = {name: curve.entropy for name, curve in curves.items() if curve.entropy.size}
                    assert {name.strip() for name in told} == set(beliefs)
                    for name, words in told.items():
                        nats = [float(text.replace("−", "-").replace("∞", "inf")) for text in words.split(" to ")]
                        assert nats == pytest.approx(beliefs[name.strip()][[0, -1]], abs=0.051)
    assert blank


def test_nobody_chosen_is_said(page):
    """Without a learner there is a sentence in place of panels."""
    page.goto(page.url.partition("#")[0])
    explorer = Explorer(page, "results").wait()
    for name in ("AROW", "SGD", "BLANG", "BFLO"):
        explorer.control(f"learners.{name}").focus()
        page.keyboard.press("Space")
    explorer.shows(learners=[])
    assert page.get_by_text("No learner is chosen: tick one.", exact=True).first.is_visible()
    assert not page.locator("figure").first.is_visible()
