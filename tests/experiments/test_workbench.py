"""Protocols with switches: their runs, their combinations, what is kept of them, and every way to get one wrong."""

import itertools
from collections import Counter

import pytest
from fake_results import results_of

from bflo_viz.experiments.protocol import load_protocol, names
from bflo_viz.experiments.results import COUNT_COLUMNS, Store, committed, read_counts
from bflo_viz.experiments.runner import run
from bflo_viz.experiments.tables import make_table
from bflo_viz.experiments.workbench import gather
from bflo_viz.scenes.runs import kept

SMALL = """
runs = 2
[streams.CLOUDS]
load = "two-gaussians"
options = { rows = 100 }
[streams.DRIFT]
load = "drifting"
options = { rows = 100 }
[learners.SGD]
kind = "SGD"
[learners.BLANG]
kind = "Langevin"
[switches.order]
label = "Order"
help = "What comes first."
[switches.order.options.kept]
text = "kept"
mark = "as printed"
every_stream = { shuffle = false }
[switches.order.options.mixed]
text = "mixed"
mark = "as fitted"
every_stream = { shuffle = true }
streams = { DRIFT = { shuffle = false } }
[switches.noise]
label = "Noise"
help = "How much."
[switches.noise.options.none]
text = "none"
mark = "as printed"
learners = { BLANG = { noise = 0.0 } }
[switches.noise.options.some]
text = "some"
mark = "neither"
learners = { BLANG = { noise = 0.1 }, SGD = { final_noise = 0.1 } }
[switches.noise.options.more]
text = "more"
mark = "as fitted"
learners = { BLANG = { noise = 0.2 }, SGD = { final_noise = 0.1 } }
"""


def written(tmp_path, text=SMALL):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return str(path)


def keys(protocol):
    return [trial.key for trial in protocol.trials()]


@pytest.mark.parametrize("experiment", ["table1", "table2"])
def test_the_ends_of_the_switches_are_the_protocols_printed_and_inferred(experiment):
    """Run for run: all first options the one, all last options the other; and every option has its words."""
    protocol = load_protocol(experiment, "workbench")
    assert len(protocol.switches) == {"table1": 6, "table2": 4}[experiment]
    for name, place in (("printed", 0), ("inferred", -1)):
        chosen = {switch: list(one.options)[place] for switch, one in protocol.switches.items()}
        assert keys(protocol.chosen(**chosen)) == keys(load_protocol(experiment, name))
    assert keys(protocol.chosen()) == keys(load_protocol(experiment, "printed"))
    for switch in protocol.switches.values():
        assert switch.help.endswith(".") and switch.label
        for option in switch.options.values():
            assert any(
                words in option.mark for words in ("as printed", "as fitted", "the text does not say", "neither")
            )


def test_what_combinations_share_is_run_once(tmp_path):
    """The runs are those of all combinations, put together; a switch multiplies only what it concerns."""
    for protocol in (load_protocol("table2", "workbench"), load_protocol("demo", written(tmp_path))):
        options = [[(name, option) for option in one.options] for name, one in protocol.switches.items()]
        every = [key for chosen in itertools.product(*options) for key in keys(protocol.chosen(**dict(chosen)))]
        assert len(keys(protocol)) == len(set(keys(protocol))) and set(keys(protocol)) == set(every)
        assert len(protocol.variants()) == len(list(itertools.product(*options)))
    counts = Counter((trial.stream, trial.learner) for trial in protocol.trials(1))
    # The order of DRIFT is always kept; SGD knows noise or none.
    assert counts == {("CLOUDS", "SGD"): 4, ("CLOUDS", "BLANG"): 6, ("DRIFT", "SGD"): 2, ("DRIFT", "BLANG"): 3}
    one = Counter((trial.stream, trial.learner) for trial in load_protocol("table1", "workbench").trials(1))
    wanted = {"AROW": 4, "SGD": 4, "BLANG": 4, "BFLO": 8}  # times two shares of flipped labels
    assert one == {
        (stream, learner): 2 * settings * (3 if stream == "EEG" else 2)
        for stream in ("MUSHROOM", "COVTYPE", "IJCNN", "EEG", "A9A")
        for learner, settings in wanted.items()
    }


def test_it_runs_is_kept_and_read_again(tmp_path):
    """Every table of it is the one that its combination alone would give; a part of the runs gives a part of it."""
    protocol = load_protocol("demo", written(tmp_path))
    with Store(tmp_path / "runs.sqlite") as store:
        outcome = run(protocol, store)
        assert (outcome.done, outcome.complete) == (30, True)
        results = list(store)
    bench = gather(protocol, results)
    assert [len(counts.runs) for counts in bench.counts.values()] == 15 * [2]
    for choice, variant in protocol.variants().items():
        ours = [row.cells for block in bench.table(choice).blocks for row in block.rows]
        assert ours == [row.cells for block in make_table(variant, results).blocks for row in block.rows]
    text = ",".join(COUNT_COLUMNS) + "\n"
    for counts in bench.counts.values():
        texts = counts.as_texts()
        text += ",".join(str(texts[name]) for name in COUNT_COLUMNS) + "\n"
        rows = counts.results(bench.trials[counts.key])
        kept = {row.key: row for row in results}
        for row in rows:
            same = ("online", "final", "final_by_mean", "stream", "learner", "noise", "run", "data", "code")
            assert all(getattr(row, name) == getattr(kept[row.key], name) for name in same)
    path = tmp_path / "kept.csv"
    path.write_text(text)
    again = read_counts(path)
    assert [one.as_texts() for one in again] == [one.as_texts() for one in bench.counts.values()]
    assert {one.settings for one in again if one.learner == "SGD" and one.stream == "DRIFT"} == {
        "noise=none",
        "noise=some|more",
    }
    some = gather(protocol, [row for row in results if row.run == 1])
    assert {counts.runs for counts in some.counts.values()} == {(1,)}
    assert "6 combinations of 2 switches" in str(gather(protocol, [])) and not gather(protocol, []).deviations


def test_a_file_of_counts_that_is_none_gets_one_sentence(tmp_path):
    """Which line, and what is wrong with it."""
    bench = gather(protocol := load_protocol("demo", written(tmp_path)), results_of(protocol, 2))
    texts = next(iter(bench.counts.values())).as_texts()
    for name, value, why in (
        ("online_mistakes", "1", "online_mistakes is impossible"),
        ("final_mistakes", "99999 1", "final_mistakes is impossible"),
        ("rounds", "many", "a number is missing, or is none"),
        ("runs", "", "impossible"),
    ):
        path = tmp_path / "kept.csv"
        row = ",".join(str((texts | {name: value})[column]) for column in COUNT_COLUMNS)
        path.write_text(",".join(COUNT_COLUMNS) + f"\n{row}\n")
        with pytest.raises(ValueError, match=f"kept.csv is not a file of results: line 2: .*{why}"):
            read_counts(path)


def option(place, what):
    """The small protocol with something added to one of its options."""
    return SMALL.replace(f"[switches.{place}]\n", f"[switches.{place}]\n{what}\n")


WRONG = {
    "a switch with one option": (
        SMALL[: SMALL.index("[switches.noise.options.some]")],
        "noise must have two options",
    ),
    "a switch that is no table": (SMALL[: SMALL.index("[switches.order]")] + '[switches]\norder = "kept"\n', "order"),
    "switches that are no table": ("switches = 3\n" + SMALL[: SMALL.index("[switches.order]")], "switches must be a"),
    "no label": (SMALL.replace('label = "Noise"\n', ""), r"switches\.noise\.label must be a text"),
    "an unknown key": (SMALL.replace("help", "hlep", 1), "order.hlep.*'help'"),
    "an unknown key of an option": (option("order.options.kept", "lerners = {}"), "kept.lerners.*'learners'"),
    "an option without words": (SMALL.replace('text = "kept"\n', ""), "kept.text must be a text"),
    "an unknown learner": (
        SMALL.replace("{ BLANG = { noise = 0.0 } }", "{ BLAN = { noise = 0.0 } }"),
        "BLAN.*'BLANG'",
    ),
    "an unknown stream": (SMALL.replace("{ DRIFT =", "{ DRFT ="), "DRFT.*'DRIFT'"),
    "an unknown setting": (SMALL.replace("{ noise = 0.2 }", "{ nois = 0.2 }"), "options.more.*'nois'.*noise"),
    "a setting that cannot be": (SMALL.replace("{ noise = 0.2 }", "{ noise = -1.0 }"), "options.more.*noise.*-1"),
    "an unknown setting of streams": (
        SMALL.replace("every_stream = { shuffle = true }", "every_stream = { mix = 1 }"),
        "mix",
    ),
    "a split that is none": (
        SMALL.replace("{ shuffle = false }\n[", '{ split = "odd" }\n['),
        "options.kept.*split.*'odd'",
    ),
    "another kind": (SMALL.replace("{ noise = 0.2 }", '{ kind = "SGD" }'), "must not change the kind"),
    "too many": (
        SMALL
        + "".join(
            f'[switches.s{i}]\nlabel = "x"\nhelp = "x."\n'
            + "".join(f'[switches.s{i}.options.{o}]\ntext = "x"\nmark = "x"\n' for o in "ab")
            for i in range(10)
        ),
        "switches must have fewer options",
    ),
}


@pytest.mark.parametrize(("text", "culprit"), WRONG.values(), ids=WRONG)
def test_a_wrong_switch_gets_one_sentence_that_names_it(tmp_path, text, culprit):
    with pytest.raises(ValueError, match=culprit) as caught:
        load_protocol("demo", written(tmp_path, text))
    said = str(caught.value)
    assert type(caught.value) is ValueError and "mine" in said and "\n" not in said and said[-1] in ".?"


def test_a_wrong_choice_gets_one_sentence(tmp_path):
    protocol = load_protocol("demo", written(tmp_path))
    with pytest.raises(ValueError, match=r"there is no switch 'nois'.*'noise'"):
        protocol.chosen(nois="some")
    with pytest.raises(ValueError, match=r"noise must be .*'none'.*'more'.*'much'"):
        protocol.chosen(noise="much")
    with pytest.raises(ValueError, match="protocol workbench has switches: ProtocolExplorer"):
        kept("table1", "workbench")


def test_small_versions_and_some_learners_have_the_switches_that_concern_them():
    """Streams and learners that are not there are passed over; other experiments have no workbench."""
    quick = load_protocol("table1", "workbench", quick=True)
    assert list(quick.streams) == list(load_protocol("table1", quick=True).streams) and len(quick.switches) == 6
    assert set(keys(load_protocol("table1", quick=True))) <= set(keys(quick))
    some = load_protocol("table1", "workbench").only(learners=["BLANG"], streams=["A9A"])
    assert len(some.trials(1)) == 2 * 2 * 2 * 2
    assert "workbench" not in names("demo") and committed("demo", "printed")
