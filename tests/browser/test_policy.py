"""Pages from a disk let no script run that is not theirs, whatever gets into them."""

import pytest

from bflo_viz import RegimeExplorer
from bflo_viz.classroom.site import _page

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


@pytest.mark.parametrize("kind", ["site", "saved"])
def test_scripts_of_others_are_blocked(browser, tmp_path, kind):
    """Those inside, those of handlers, those of other hosts."""
    path = tmp_path / "page.html"
    if kind == "site":
        path.write_bytes(_page("t", "", ""))
        (tmp_path / "theme.js").write_text("window.ours = 1")
    else:
        RegimeExplorer().save_html(path)
    page = browser.new_page()
    page.goto(path.as_uri())
    if kind == "site":
        assert page.evaluate("window.ours") == 1
    else:
        page.wait_for_selector("main .bflo")
    ran, blocked = page.evaluate(_ATTACK)
    page.close()
    assert ran == []
    assert {"script-src-elem", "script-src-attr"} <= set(blocked)
