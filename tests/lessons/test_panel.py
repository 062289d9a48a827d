"""The results panel: its artists stay, its numbers are those of the files, and whatever is wrong is said."""

import base64
import csv
import gc
import itertools
import shutil
import weakref

import numpy as np
import pytest
from ipywidgets.widgets.widget import _instances
from matplotlib._pylab_helpers import Gcf
from matplotlib.figure import Figure

from bflo_viz.experiments import files, paper
from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.runner import run
from bflo_viz.experiments.store import Store
from bflo_viz.lessons import ResultsPanel
from bflo_viz.lessons import panel as panel_module

STREAMS = ("MUSHROOM", "COVTYPE", "IJCNN", "EEG", "A9A")
LEARNERS = ("AROW", "SGD", "BLANG", "BFLO")


@pytest.fixture(scope="module")
def panel():
    """One panel for all tests of this file, as one for all choices is what it is about."""
    made = ResultsPanel()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _as_at_first(request):
    if "panel" in request.fixturenames:
        made = request.getfixturevalue("panel")
        made.stream, made.noise, made.learners, made.protocol = "MUSHROOM", 0.0, LEARNERS, "inferred"


def from_browser(widget, **state):
    """Deliver what a browser sends when its user chooses something."""
    widget._handle_msg({"content": {"data": {"method": "update", "state": state, "buffer_paths": []}}, "buffers": []})


def rows_of(protocol, stream, learner, noise, experiment="table1"):
    """The rows of the CSV file, by nothing but the csv module."""
    path = files.folder() / f"{experiment}-{protocol}.csv"
    with path.open(newline="") as file:
        return [
            row
            for row in csv.DictReader(file)
            if (row["stream"], row["learner"], float(row["noise"])) == (stream, learner, noise)
        ]


def mistakes_by_hand(rows):
    """Ends of blocks, and the mean and standard error over runs of the mistakes in each, in percent."""
    counts = [[int(word) for word in row["mistakes"].split()] for row in rows]
    rounds, blocks = int(rows[0]["rounds"]), len(counts[0])
    size = -(-rounds // 50)
    ends = [min(size * (k + 1), rounds) for k in range(blocks)]
    lengths = [end - start for start, end in zip([0, *ends], ends, strict=False)]
    shares = [[100 * c / n for c, n in zip(run, lengths, strict=True)] for run in counts]
    means = [sum(column) / len(column) for column in zip(*shares, strict=True)]
    return ends, means, shares


def artists(panel):
    """Everything that is drawn of the learners, and where."""
    shown = panel._figure
    return [*shown.axes, *(part for one in shown.artists.values() for part in one.every()), shown.figure]


def test_artists_are_moved_and_never_rebuilt(panel):
    """The same objects after every kind of change, and no other ones beside them."""
    before, children = artists(panel), [len(ax.get_children()) for ax in panel.figure.axes]
    pixels = panel._picture.pixels
    for name, value in (("stream", "EEG"), ("noise", 0.2), ("learners", ("BFLO",)), ("protocol", "printed")):
        setattr(panel, name, value)
        assert panel._picture.pixels != pixels
        pixels = panel._picture.pixels
    assert all(a is b for a, b in zip(artists(panel), before, strict=True))
    assert [len(ax.get_children()) for ax in panel.figure.axes] == children


def test_the_curves_are_the_means_of_the_file(panel):
    """Recomputed from its text, for every stream, noise and learner."""
    for stream, noise, learner in itertools.product(STREAMS, (0.0, 0.2), LEARNERS):
        panel.stream, panel.noise = stream, noise
        rows = rows_of("inferred", stream, learner, noise)
        ends, means, shares = mistakes_by_hand(rows)
        drawn = panel._figure.artists[learner]
        line, band, name = drawn.curves[panel._figure.mistakes]
        assert line.get_xdata() == pytest.approx(ends)
        assert line.get_ydata() == pytest.approx(means)
        assert name.get_text() == learner and name.xy == pytest.approx((ends[-1], means[-1]))
        error = np.std(shares, axis=0, ddof=1) / len(rows) ** 0.5
        low, high = np.array(means) - error, np.array(means) + error
        around = [*zip(ends, low, strict=True), *zip(ends[::-1], high[::-1], strict=True)]
        assert band.get_xy()[: len(around)] == pytest.approx(np.array(around))


def test_final_errors_are_those_of_the_file_beside_the_papers(panel):
    """Marks, error bars and strokes."""
    for stream, noise in itertools.product(STREAMS, (0.0, 0.2)):
        panel.stream, panel.noise = stream, noise
        for row, learner in enumerate(LEARNERS):
            kept = rows_of("inferred", stream, learner, noise)
            errors = [100 * int(one["final_mistakes"]) / int(one["test_rows"]) for one in kept]
            drawn = panel._figure.artists[learner]
            assert drawn.ours.get_xydata()[0] == pytest.approx((np.mean(errors), row), abs=0.0051)  # two decimals
            reach = np.ptp(drawn.error.get_xdata())
            assert reach == pytest.approx(2 * np.std(errors, ddof=1) / len(errors) ** 0.5)
            printed = paper.errors("table1", "final", noise)[learner][stream]
            assert drawn.paper.get_xydata().tolist() == [[printed, row]]


def test_the_entropy_ends_where_a_width_is_zero(panel):
    """Means of what is finite; the mark below says when the first belief collapsed; SGD has none at all."""
    panel.stream = "MUSHROOM"
    for learner in ("AROW", "BFLO", "SGD"):
        kept = [
            [float(word) for word in one["entropy"].split()] for one in rows_of("inferred", "MUSHROOM", learner, 0.0)
        ]
        drawn = panel._figure.artists[learner]
        line, _, name = drawn.curves[panel._figure.entropy]
        means = np.array([sum(column) / len(column) for column in zip(*kept, strict=True)])
        assert line.get_ydata() == pytest.approx(means[np.isfinite(means)])
        assert name.get_visible() == (learner != "SGD")
        fallen = drawn.collapse.get_xdata()
        if learner == "BFLO":
            size = -(-6499 // 50)
            assert list(fallen) == [size * np.flatnonzero(np.isneginf(means))[0]]
        else:
            assert len(fallen) == 0


@pytest.mark.slow
def test_every_combination_of_the_controls_works():
    """Each stream, noise and protocol with all, one and no learners, for every experiment that has results."""
    for experiment in ("table1", "demo", "table2"):
        panel = ResultsPanel(experiment)
        everyone = panel._options["learners"]
        for stream, noise, protocol in itertools.product(
            *(panel._options[k] for k in ("stream", "noise", "protocol"))
        ):
            panel.stream, panel.noise, panel.protocol = stream, noise, protocol
            for learners in (everyone, everyone[:1], ()):
                panel.learners = learners
                assert panel._picture.pixels.startswith(b"\x89PNG")
                assert stream in panel._picture.words and f"protocol {protocol}" in panel._picture.words
                visible = [name for name, one in panel._figure.artists.items() if one.ours.get_visible()]
                assert visible == [] or tuple(visible) == learners
        panel.close()


def test_limits_stay_when_noise_or_protocol_changes(panel):
    """So that the eye compares results, not scales; and all that is drawn is within them."""
    for stream in STREAMS:
        panel.stream = stream
        seen = set()
        for noise, protocol in itertools.product((0.0, 0.2), panel._options["protocol"]):
            panel.noise, panel.protocol = noise, protocol
            seen.add(tuple((*ax.get_xlim(), *ax.get_ylim()) for ax in panel._figure.axes))
            for one in panel._figure.artists.values():
                for ax, (line, _, _) in one.curves.items():
                    if line.get_visible() and len(line.get_xdata()):
                        assert ax.get_ylim()[0] <= np.min(line.get_ydata())
                        assert np.max(line.get_ydata()) <= ax.get_ylim()[1]
        assert len(seen) == 1


def test_the_words_have_the_numbers(panel):
    """Of the picture on the page, and of the one that a notebook stores."""
    panel.stream, panel.noise, panel.learners = "EEG", 0.2, ("SGD", "BFLO")
    kept = rows_of("inferred", "EEG", "BFLO", 0.2)
    final = np.mean([100 * int(one["final_mistakes"]) / int(one["test_rows"]) for one in kept])
    words = panel._picture.words
    assert words.startswith("EEG, 20 % of the labels flipped · protocol inferred (fitted to the printed numbers)")
    assert f"{final:.2f} ±" in words and "(paper 62.35) final" in words
    assert "Without a belief: SGD." in words and "AROW" not in words
    bundle, metadata = panel._repr_mimebundle_()
    assert metadata["image/png"]["alt"] == words
    assert bundle["text/plain"] == repr(panel) == f"ResultsPanel. {words}"
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == panel.model_id
    assert len(base64.b64decode(bundle["image/png"])) < 150_000


def test_controls_set_the_traits_and_follow_them(panel):
    """As a browser moves them, and as Python does."""
    from_browser(panel._controls["stream"], index=3)
    from_browser(panel._controls["noise"], index=1)
    from_browser(panel._boxes["SGD"], value=False)
    assert panel.state == {
        **{"stream": "EEG", "noise": 0.2},
        **{"learners": ("AROW", "BLANG", "BFLO"), "protocol": "inferred"},
    }
    panel.stream, panel.noise, panel.learners = "A9A", 0.0, ["BFLO", "SGD"]
    assert panel.learners == ("SGD", "BFLO")  # in the order of the table
    assert panel._controls["stream"].value == "A9A" and panel._controls["noise"].value == 0.0
    assert [name for name, box in panel._boxes.items() if box.value] == ["SGD", "BFLO"]


def test_one_change_draws_one_picture(panel):
    """Neither none nor two."""
    for change in (lambda: from_browser(panel._controls["stream"], index=2), lambda: setattr(panel, "noise", 0.2)):
        before = panel._picture.drawn
        change()
        assert panel._picture.drawn == before + 1


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        (
            "stream",
            "COVTYP",
            "stream must be 'MUSHROOM' or 'COVTYPE' or 'IJCNN' or 'EEG' or 'A9A', but it was 'COVTYP'.",
        ),
        ("noise", 0.3, "noise must be 0 or 0.2, but it was 0.3."),
        ("noise", True, "noise must be 0 or 0.2, but it was True."),
        ("noise", "much", "noise must be 0 or 0.2, but it was 'much'."),
        ("learners", "SGD", "learners must be several names, such as ('SGD', 'BFLO'), but it was 'SGD'."),
        ("learners", 3, "learners must be several names, such as ('SGD', 'BFLO'), but it was 3."),
        ("learners", ["SGD", "me"], "each of learners must be 'AROW' or 'SGD'"),
        ("protocol", "quick", "protocol must be 'inferred' or 'printed', but it was 'quick'."),
    ],
)
def test_a_wrong_name_gets_one_sentence_and_changes_nothing(panel, name, value, sentence):
    """A ValueError, and the picture is as it was."""
    before, state = panel._picture.drawn, panel.state
    with pytest.raises(ValueError) as raised:  # noqa: PT011
        setattr(panel, name, value)
    assert str(raised.value).startswith(sentence)
    assert (panel._picture.drawn, panel.state) == (before, state)


def test_wrong_names_on_making_one():
    """Of the experiment and of the protocol."""
    with pytest.raises(ValueError, match="there is no experiment 'table3'"):
        ResultsPanel("table3")
    with pytest.raises(ValueError, match="there is no protocol 'guessed' of table1"):
        ResultsPanel("table1", "guessed")
    with pytest.raises(ValueError, match="ResultsPanel has no 'rate': it has stream, noise, learners and protocol"):
        ResultsPanel(rate=0.2)
    before = len(_instances)
    with pytest.raises(ValueError, match="stream must be 'MUSHROOM'"):
        ResultsPanel(stream="mushrooms")
    assert len(_instances) == before  # what was made before is closed
    with pytest.raises(ValueError, match=r"there is no store nowhere\.db"):
        ResultsPanel(store="nowhere.db")


def test_what_a_callback_raises_is_said_in_the_panel(panel):
    """Jupyter only logs it; and the next change that works takes the sentence away."""

    def fails(_change):
        raise RuntimeError("not this one")

    panel.observe(fails, "stream")
    try:
        with pytest.raises(RuntimeError, match="not this one"):
            panel._take("stream", "EEG")
        assert panel._picture.problem == "A callback failed with RuntimeError: not this one"
    finally:
        panel.unobserve(fails, "stream")
    from_browser(panel._controls["stream"], index=1)
    assert panel._picture.problem == ""


def test_missing_results_are_told_in_a_sentence(panel, tmp_path, monkeypatch):
    """Of a protocol, and where there are none at all."""
    folder = tmp_path / "results"
    folder.mkdir()
    for name in ("manifest.json", "table1-inferred.csv"):
        shutil.copy(files.folder() / name, folder)
    monkeypatch.chdir(tmp_path)
    some = ResultsPanel()
    some.protocol = "printed"
    told = "There are no results by protocol printed:\nbflo run table1 --protocol printed makes them."
    assert some._figure._message.get_text() == told
    assert " ".join(told.split()) in some._picture.words
    assert not any(ax.get_visible() for ax in some._figure.axes)
    some.protocol = "inferred"
    assert some._figure._message.get_text() == ""
    assert all(ax.get_visible() for ax in some._figure.axes)
    some.learners = ()
    assert some._figure._message.get_text() == "No learner is chosen: tick one."
    monkeypatch.setattr(files, "folder", lambda: (_ for _ in ()).throw(ValueError("not here")))
    none = ResultsPanel()
    assert none._figure._message.get_text().startswith("There are no results by protocol inferred")
    for made in (some, none):
        made.close()


def test_it_shows_the_runs_of_a_store(tmp_path):
    """Of the small version; what was made with other settings is left out."""
    path = tmp_path / "mine.db"
    protocol = load_protocol("table1", quick=True).only(streams=["CANCER"], learners=["SGD", "BFLO"])
    with Store(path) as store:
        run(protocol, store, runs=2)
        kept = list(store)
    panel = ResultsPanel(store=path, quick=True)
    assert "mean of 2 runs" in panel._picture.words and "AROW no runs" in panel._picture.words
    errors = [row.final for row in kept if row.learner == "BFLO" and not row.noise]
    assert panel._figure.artists["BFLO"].ours.get_xdata()[0] == pytest.approx(np.mean(errors), abs=0.0051)
    assert len(panel._figure.artists["BFLO"].paper.get_xdata()) == 0  # the paper has no such stream
    panel.stream = "DRIFT"
    assert "There are no runs of AROW, SGD, BLANG, BFLO on DRIFT" in panel._figure._message.get_text()
    panel.close()
    other = ResultsPanel(store=path)  # the runs of the small version are not those of the large one
    assert other._figure._message.get_text().startswith("There are no results")
    other.close()


def _figures_alive():
    """Asks only for types: among all objects are proxies of others that are gone, and they answer to nothing else."""
    return sum(issubclass(type(one), Figure) for one in gc.get_objects())


@pytest.mark.slow
def test_two_hundred_changes_leave_nothing_behind(panel):
    """Neither figures nor widgets nor backgrounds without end."""
    gc.collect()
    figures = _figures_alive()
    widgets, drawn = len(_instances), panel._picture.drawn
    for step, (stream, noise) in enumerate(14 * [*itertools.product(STREAMS, (0.0, 0.2))]):
        panel.stream, panel.noise = stream, noise
        if step % 20 == 0:
            panel.learners = LEARNERS[: 1 + step // 20 % 4]
    gc.collect()
    assert panel._picture.drawn - drawn > 200
    assert _figures_alive() == figures
    assert len(_instances) == widgets
    assert len(panel._figure._backgrounds) <= 12
    assert Gcf.get_all_fig_managers() == []  # those of pyplot


def test_a_file_that_was_replaced_is_read_again(tmp_path, monkeypatch):
    """Though the same file is not read twice."""
    folder = tmp_path / "results"
    shutil.copytree(files.folder(), folder)
    monkeypatch.chdir(tmp_path)
    first = ResultsPanel("demo")
    again = ResultsPanel("demo")
    assert again._results["inferred"] is first._results["inferred"]
    lines = (folder / "demo-inferred.csv").read_text().splitlines(keepends=True)
    kept = [line for line in lines if ",DEMO,SGD," not in line or ",0.0,0," in line]
    (folder / "demo-inferred.csv").write_text("".join(kept))
    changed = ResultsPanel("demo")
    assert changed._results["inferred"].curve("DEMO", "SGD", 0.0).runs == 1
    for made in (first, again, changed):
        made.close()


def test_a_closed_panel_is_gone():
    """With its controls, their layouts and its figure."""
    gc.collect()
    before = set(_instances)
    panel = ResultsPanel()
    figure = weakref.ref(panel.figure)
    panel.close()
    assert set(_instances) == before
    del panel
    gc.collect()
    assert figure() is None


def test_running_its_cell_again_closes_the_one_before(monkeypatch):
    """Jupyter would keep both for ever."""
    runs = iter(range(1, 9))
    cell = {"cell": ("one", 0)}
    monkeypatch.setattr("bflo_viz.explorers.base.this_cell", lambda: cell["cell"])
    monkeypatch.setattr(panel_module, "this_cell", lambda: cell["cell"])
    made = []
    for _ in range(2):
        cell["cell"] = ("one", next(runs))
        made.append(ResultsPanel())
        made[-1]._repr_mimebundle_()
    assert [one.comm is None for one in made] == [True, False]
    made[1].close()
