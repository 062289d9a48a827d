"""Pages from a disk let no script run that is not theirs, whatever gets into them."""

import pytest

from bflo_viz import RegimeExplorer
from bflo_viz.classroom.pages import PageFolder

_ATTACK = """() => {
    window.ran = [];
    const place = document.createElement("div");
    place.innerHTML = `<img src="x:" onerror="ran.push('handler')">`;
    const inline = document.createElement("script");
    inline.textContent = "ran.push('inline')";
    const remote = document.createElement("script");
    remote.src = "https://example.org/x.js";
    document.body.append(place, inline, remote);
    return new Promise((resolve) => {
        const blocked = [];
        document.addEventListener("securitypolicyviolation", (event) => {
            blocked.push(event.effectiveDirective);
            if (blocked.length >= 3) resolve([ran, blocked.sort()]);
        });
    });
}"""


@pytest.mark.parametrize("kind", ["page", "saved"])
def test_scripts_of_others_are_blocked(browser, tmp_path, kind):
    """Those inside, those of handlers, those of other hosts."""
    if kind == "page":
        pages = PageFolder(tmp_path)
        pages.add("page.html", "slides.html", title="t", slides=[])
        pages.files["slides.js"] = b"window.ours = 1"
        pages.write()
    else:
        RegimeExplorer().save_html(tmp_path / "page.html")
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    if kind == "page":
        assert page.evaluate("window.ours") == 1
    else:
        page.wait_for_selector("main .bflo")
    ran, blocked = page.evaluate(_ATTACK)
    page.close()
    assert ran == []
    assert {"script-src-elem", "script-src-attr"} <= set(blocked)
