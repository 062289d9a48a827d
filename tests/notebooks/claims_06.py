"""What notebook 06 says: of the paper's numbers, of the results that come with the course, and of its own runs."""

import numpy as np

from bflo_viz.scenes.runs import kept

LEARNERS = ("AROW", "SGD", "BLANG", "BFLO")
STREAMS = ("MUSHROOM", "COVTYPE", "IJCNN", "EEG", "A9A")


def block(n, name, measure, noise):
    """A part of one of the two tables, by learner and stream."""
    (found,) = [one for one in n["tables"][name].blocks if (one.measure, one.noise) == (measure, noise)]
    return {row.learner: dict(zip(found.streams, row.cells, strict=True)) for row in found.rows}


def ours(n, name, measure, noise, learner, stream):
    return block(n, name, measure, noise)[learner][stream].ours


def ranked(n, name, measure, noise):
    """Learners by their mean ranks, the best first."""
    (found,) = [one for one in n["tables"][name].blocks if (one.measure, one.noise) == (measure, noise)]
    return order({row.learner: row.rank for row in found.rows})


def small(n, measure, noise):
    """Errors of the small run by stream and learner."""
    (found,) = [one for one in n["small_table"].blocks if (one.measure, one.noise) == (measure, noise)]
    return {
        stream: {row.learner: row.cells[place].ours for row in found.rows}
        for place, stream in enumerate(found.streams)
    }


def order(errors):
    return tuple(sorted(errors, key=errors.__getitem__))


def curve(n, learner):
    return n["small"].scene.shown[learner].curve


CLAIMS = [
    (
        "1: on COVTYPE, IJCNN and EEG every learner is worse after learning, as printed",
        lambda n: all(n["gap"][key][place] > 0 for key in n["gap"] for place in (1, 2, 3)),
    ),
    (
        "1: on the other two not",
        lambda n: all(min(n["gap"][key][place] for key in n["gap"]) < 0 for place in (0, 4)),
    ),
    (
        "2: all shuffled: nothing is learned",
        lambda n: all(abs(error - 0.5) < 0.03 for error in n["orders"]["all rows shuffled"]),
    ),
    (
        "2: the last fifth, the rest shuffled: something is learned, and it is far worse than a coin later",
        lambda n: (
            n["orders"]["last fifth is the test, the rest shuffled"][0] < 0.45
            and n["orders"]["last fifth is the test, the rest shuffled"][1] > 0.8
        ),
    ),
    (
        "2: in file order it follows, and is lost when it stops",
        lambda n: n["orders"]["nothing shuffled"][0] < 0.3 and n["orders"]["nothing shuffled"][1] > 0.5,
    ),
    (
        "3: AROW learns by far the fastest with clean labels",
        lambda n: (
            small(n, "online", 0.0)["SPARSE"]["AROW"]
            < min(small(n, "online", 0.0)["SPARSE"][k] for k in LEARNERS[1:]) - 5
        ),
    ),
    (
        "3: flipped labels hurt it",
        lambda n: small(n, "online", 0.2)["SPARSE"]["AROW"] > small(n, "online", 0.0)["SPARSE"]["AROW"] + 4,
    ),
    (
        "3: BFLO begins more slowly than SGD, and they meet",
        lambda n: (
            np.all(curve(n, "BFLO").mistakes[:3] > curve(n, "SGD").mistakes[:3])
            and abs(np.mean((curve(n, "BFLO").mistakes - curve(n, "SGD").mistakes)[10:])) < 3
        ),
    ),
    ("3: BFLO's entropy ends: a width is exactly zero", lambda n: curve(n, "BFLO").collapse is not None),
    (
        "4: the order of the learners changes from stream to stream",
        lambda n: all(
            len({order(errors) for errors in small(n, "final", noise).values()}) >= 4 for noise in (0.0, 0.2)
        ),
    ),
    (
        "4: on DRIFT everybody is at a coin or worse",
        lambda n: all(error > 49 for noise in (0.0, 0.2) for error in small(n, "final", noise)["DRIFT"].values()),
    ),
    (
        "5: the printed protocol does not reproduce the printed table, and not by a little",
        lambda n: (
            n["tables"]["printed"].mean_deviation("online") > 5 and n["tables"]["printed"].mean_deviation("final") > 5
        ),
    ),
    (
        "5: all runs are here, ten of each",
        lambda n: all(t.found == t.expected and t.runs == 10 for t in n["tables"].values()),
    ),
    (
        "5: printed: shuffled streams have smaller final errors in most runs, EEG mostly larger ones",
        lambda n: (
            all((n["larger"]["printed", s] > 0.5) == (s == "EEG") for s in STREAMS)
            and max(n["larger"]["printed", s] for s in STREAMS if s != "EEG") < 0.25
        ),
    ),
    (
        "5: as a mean, nearly every learner has a smaller final error on the shuffled streams",
        lambda n: (
            sum(
                ours(n, "printed", "final", noise, k, s) >= ours(n, "printed", "online", noise, k, s)
                for noise in (0.0, 0.2)
                for k in LEARNERS
                for s in STREAMS
                if s != "EEG"
            )
            <= 3  # of 32
        ),
    ),
    (
        "6: the fit says what it is",
        lambda n: (
            n["tables"]["inferred"].fitted
            and not n["tables"]["printed"].fitted
            and "fitted" in n["tables"]["inferred"].title
        ),
    ),
    (
        "6: marks on strokes, nearly everywhere",
        lambda n: np.median([abs(one.value) for one in n["tables"]["inferred"].deviations()]) < 0.25,
    ),
    (
        "6, clue 1: the pattern is there again, on COVTYPE, IJCNN and EEG",
        lambda n: (
            all(n["larger"]["inferred", s] > 0.85 for s in ("COVTYPE", "IJCNN", "EEG"))
            and all(n["larger"]["inferred", s] < 0.5 for s in ("MUSHROOM", "A9A"))
        ),
    ),
    (
        "6, clue 1: EEG is above 50 % throughout",
        lambda n: min(cell.ours for cell in n["on_eeg"]) > 55 and len(n["on_eeg"]) == 8,
    ),
    (
        "6, clue 2: AROW on MUSHROOM is good online and bad in the final test; BLANG the other way round",
        lambda n: all(
            ours(n, "inferred", "online", noise, "AROW", "MUSHROOM")
            < ours(n, "inferred", "final", noise, "AROW", "MUSHROOM")
            and ours(n, "inferred", "final", noise, "BLANG", "MUSHROOM")
            < 0.3 * ours(n, "inferred", "online", noise, "BLANG", "MUSHROOM")
            for noise in (0.0, 0.2)
        ),
    ),
    (
        "6, clue 2: by their means all four are within about a point of each other",
        lambda n: all(np.ptp([n["mean"][k, noise] for k in LEARNERS]) < 1.2 for noise in (0.0, 0.2)),
    ),
    (
        "6, clue 2: AROW's and SGD's printed numbers come out only with samples, or noise",
        lambda n: all(
            n["sample"][k, noise] > n["mean"][k, noise] + 2.5 for k in ("AROW", "SGD") for noise in (0.0, 0.2)
        ),
    ),
    (
        "6, clue 3: BLANG cannot be told from SGD at half the rate",
        lambda n: np.allclose(n["shown"]["BLANG"], n["shown"]["SGD, half the rate"], atol=1.0),
    ),
    ("6, clue 3: with its own noise it learns little", lambda n: min(n["shown"]["BLANG, own noise"]) > 40),
    (
        "6, clue 4: a wider prior, and expansion, cost points online, most with wrong labels",
        lambda n: all(
            0.3 < n["shown"][k][0] - n["shown"]["BFLO"][0] < n["shown"][k][1] - n["shown"]["BFLO"][1]
            for k in ("BFLO, σ 0.2", "BFLO, may expand")
        ),
    ),
    (
        "6, clue 4: printed, shuffled streams: BFLO's online errors are all above the paper's; inferred: close",
        lambda n: all(
            block(n, "printed", "online", noise)["BFLO"][s].deviation > 1
            and abs(block(n, "inferred", "online", noise)["BFLO"][s].deviation) < 0.3
            for noise in (0.0, 0.2)
            for s in STREAMS
            if s != "EEG"
        ),
    ),
    (
        "6, clue 5: noise on SGD's weights costs nothing online, something in the test, more with wrong labels",
        lambda n: (
            n["shown"]["SGD"][:2] == n["shown"]["SGD, plain test"][:2]
            and n["shown"]["SGD"][2] - n["shown"]["SGD, plain test"][2] > 0.5
            and n["shown"]["SGD"][3] - n["shown"]["SGD, plain test"][3]
            > n["shown"]["SGD"][2] - n["shown"]["SGD, plain test"][2] + 1
        ),
    ),
    (
        "7: inferred is near on average; a few of eighty numbers are beyond chance, some of them tiny, some not",
        lambda n: (
            n["tables"]["inferred"].mean_deviation("online") < 0.25
            and n["tables"]["inferred"].mean_deviation("final") < 1
            and len(n["cells"]) == 80
            and 2 <= len(n["far"]) <= 10
            and min(abs(n["cells"][place].deviation) for place in n["far"]) < 0.5
            and max(abs(n["cells"][place].deviation) for place in n["far"]) > 2
        ),
    ),
    (
        "7: BLANG and BFLO are swapped online with clean labels; the printed ranks add up all the same",
        lambda n: (
            abs(n["again"]["online", 0.0]["BLANG"] - 3.8) < 1e-9
            and abs(n["again"]["online", 0.0]["BFLO"] - 3.2) < 1e-9
        ),
    ),
    (
        "7: the ranks of the final errors are as printed",
        lambda n: all(
            abs(n["again"]["final", noise][k] - rank) < 0.01
            for noise in (0.0, 0.2)
            for k, rank in n["paper"].ranks("table1", "final", noise).items()
        ),
    ),
    (
        "8: inferred: BFLO has the best final rank; printed: AROW, before SGD",
        lambda n: all(
            n["best"]["inferred", "final", noise] == "BFLO"
            and ranked(n, "printed", "final", noise)[:2] == ("AROW", "SGD")
            for noise in (0.0, 0.2)
        ),
    ),
    (
        "8: wrong labels hurt AROW and SGD where noisy weights predict; by their means nobody to speak of",
        lambda n: (
            min(n["cost"]["AROW", "final"], n["cost"]["SGD", "final"]) > 1
            and max(abs(n["cost"][k, "final_by_mean"]) for k in LEARNERS) < 0.5
        ),
    ),
    (
        "8: on COVTYPE final errors jump with the protocol",
        lambda n: all(
            ours(n, "inferred", "final", 0.0, k, "COVTYPE") - ours(n, "printed", "final", 0.0, k, "COVTYPE") > 8
            for k in ("AROW", "SGD", "BFLO")
        ),
    ),
    (
        "8: full learns the least of the flows in a single pass; NHERD beats all four somewhere",
        lambda n: (
            all(extra(n, "full", s) > max(extra(n, k, s) for k in ("BFLO", "spherical")) for s in STREAMS)
            and any(extra(n, "NHERD", s) < min(extra(n, k, s) for k in LEARNERS) for s in STREAMS)
        ),
    ),
    (
        "8: of twenty pairs a few are helped by wrong labels; BLANG on A9A is among them",
        lambda n: 1 <= len(n["helped"]) <= 5 and ("BLANG", "A9A") in n["helped"],
    ),
]


def extra(n, learner, stream):
    """Online error of any learner that results are kept of, with clean labels."""
    return kept(n["panel"].experiment).cell("online", "inferred", stream, learner, 0.0).ours


IN_KERNEL = [
    "assert outcome.done == 64 and outcome.kept == 16 and outcome.complete",
    "assert small.stream == 'SPARSE' and small.figure().alt_text.startswith('SPARSE, no labels flipped')",
    "assert panel.stream == 'COVTYPE' and panel.noise == 0.0 and tuple(panel.learners) == LEARNERS",
    "panel.protocol = 'printed'; assert 'protocol printed' in panel.figure().alt_text",
    "assert picture.scene.runs == (10, 10) and picture.alt_text",
    "assert '<table>' in show_table(tables['inferred'])._repr_mimebundle_()['text/html']",
    "assert not REAL and 'COVTYPE' not in live.streams",
]
