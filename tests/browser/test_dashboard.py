"""A dashboard as a student sees it, on a phone in the dark; and what stays when the server is gone."""

import re
import subprocess
import sys
import urllib.error
import urllib.request

import psutil
import pytest

from browser.instruments import INSTRUMENTS
from browser.pages import Explorer, Witness, until, violations

pytestmark = pytest.mark.slow
BFLO = [sys.executable, "-c", "import sys; from bflo_viz.cli import main; sys.exit(main())"]
(ONLINE,) = [one for one in INSTRUMENTS if one.name == "online"]


@pytest.fixture(scope="module")
def served():
    """The dashboard of an explorer that needs Python; its address and its process."""
    command = [*BFLO, "dashboard", "online", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        said = ""
        while "Ctrl-C" not in said:
            said += (line := process.stdout.readline())
            assert line, said
        yield re.findall(r"http://\S+", said)[0], process
        process.kill()


@pytest.fixture
def visit(browser, served):
    """Open the page in a small dark window; the page, its explorer, and what goes wrong."""
    contexts = []

    def opened():
        contexts.append(browser.new_context(viewport={"width": 360, "height": 740}, color_scheme="dark"))
        page = contexts[-1].new_page()
        witness = Witness(page)
        page.goto(served[0])
        return page, Explorer(page, "online", ONLINE).wait(), witness

    yield opened
    for context in contexts:
        context.close()


def there(url, page):
    """Whether the kernel of a page runs."""
    kernel = page.evaluate("JSON.parse(document.getElementById('line').textContent).kernel")

    def ask():
        try:
            with urllib.request.urlopen(f"{url}api/kernels/{kernel}", timeout=30) as answer:
                return answer.status == 200
        except urllib.error.HTTPError as problem:
            problem.close()
            return False

    return ask


def test_a_student_works_with_it_and_leaves(served, visit):
    """The page fits and asks no other host; Python computes what is moved; closing the tab ends the kernel."""
    page, explorer, witness = visit()
    assert page.title() == "Learning online"
    assert page.locator("h1").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(17, 17, 17)"
    assert explorer.colours(".bflo-panels") > 30
    before = explorer.picture()
    explorer.use("flip", 0.0)  # other labels, so another run, which only Python can make
    explorer.shows(flip=0)
    until(lambda: explorer.root.get_attribute("aria-busy") in (None, "false"), True)
    until(lambda: explorer.picture() != before, True)
    for step in range(5):  # faster than Python answers: the last one counts
        explorer.use("eta", round(0.02 + 0.01 * step, 2))
    explorer.shows(eta=0.06)
    page.set_viewport_size({"width": 1200, "height": 800})
    assert violations(page) == []
    assert witness.take() == []
    runs = there(served[0], page)
    assert runs()
    page.close(run_before_unload=True)
    until(runs, False)


def test_when_the_server_is_killed_the_page_says_so_and_no_kernel_stays(served, visit):
    """Nobody was asked to stop: kernels notice by themselves."""
    page, _, _ = visit()
    started = psutil.Process(served[1].pid).children(recursive=True)
    assert len(started) >= 2
    served[1].kill()
    page.get_by_text("The connection is lost; trying again").wait_for()
    _, left = psutil.wait_procs(started, timeout=15)
    assert left == []
