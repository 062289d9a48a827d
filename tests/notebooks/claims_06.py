"""What notebook 06 says: of the paper's numbers, of the results that come with the course, and of its own runs."""

import numpy as np

from bflo_viz import ResultsExplorer
from bflo_viz.experiments.workbench import committed_workbench

LEARNERS = ("AROW", "SGD", "BLANG", "BFLO")
STREAMS = ("MUSHROOM", "COVTYPE", "IJCNN", "EEG", "A9A")


def block(name, measure, noise):
    """A part of one of the two tables, by learner and stream."""
    (found,) = [one for one in tables[name].blocks if (one.measure, one.noise) == (measure, noise)]
    return {row.learner: dict(zip(found.streams, row.cells, strict=True)) for row in found.rows}


def ours(name, measure, noise, learner, stream):
    return block(name, measure, noise)[learner][stream].ours


def ranked(name, measure, noise):
    """Learners by their mean ranks, the best first."""
    (found,) = [one for one in tables[name].blocks if (one.measure, one.noise) == (measure, noise)]
    return order({row.learner: row.rank for row in found.rows})


def small_of(measure, noise):
    """Errors of the small run by stream and learner."""
    (found,) = [one for one in small_table.blocks if (one.measure, one.noise) == (measure, noise)]
    return {
        stream: {row.learner: row.cells[place].ours for row in found.rows}
        for place, stream in enumerate(found.streams)
    }


def order(errors):
    return tuple(sorted(errors, key=errors.__getitem__))


def rounds_of(stream):
    """Examples that a learner goes through."""
    return next(row.rounds for row in committed("table1") if row.stream == stream)


def printed_blang(noise):
    """Printed online and final errors of BLANG on the shuffled streams."""
    both = {m: printed_errors("table1", m, noise)["BLANG"] for m in ("online", "final")}
    return {(m, s): both[m][s] for m in both for s in STREAMS if s != "EEG"}


def filter_row(noise, learner):
    """Online errors by stream in the table that has the filter, too."""
    return {s: with_filter.cells["online", noise, learner, s].ours for s in STREAMS}


claim["1: on COVTYPE, IJCNN and EEG every learner is worse after learning, as printed"] = all(
    gap[key][place] > 0 for key in gap for place in (1, 2, 3)
)
claim["1: on the other two not"] = all(min(gap[key][place] for key in gap) < 0 for place in (0, 4))
claim["2: all shuffled: nothing is learned"] = all(abs(error - 0.5) < 0.03 for error in orders["all rows shuffled"])
claim["2: the last fifth, the rest shuffled: something is learned, and it is far worse than a coin later"] = (
    orders["last fifth is the test, the rest shuffled"][0] < 0.45
    and orders["last fifth is the test, the rest shuffled"][1] > 0.8
)
claim["2: in file order it follows, and is lost when it stops"] = (
    orders["nothing shuffled"][0] < 0.3 and orders["nothing shuffled"][1] > 0.5
)
claim["3: AROW learns by far the fastest with clean labels"] = (
    small_of("online", 0.0)["SPARSE"]["AROW"] < min(small_of("online", 0.0)["SPARSE"][k] for k in LEARNERS[1:]) - 5
)
claim["3: flipped labels hurt it"] = (
    small_of("online", 0.2)["SPARSE"]["AROW"] > small_of("online", 0.0)["SPARSE"]["AROW"] + 4
)
claim["3: on SPARSE, BFLO is a little behind SGD online"] = all(
    0 < small_of("online", noise)["SPARSE"]["BFLO"] - small_of("online", noise)["SPARSE"]["SGD"] < 5
    for noise in (0.0, 0.2)
)
claim["3: the order of the learners changes from stream to stream"] = all(
    len({order(errors) for errors in small_of("final", noise).values()}) >= 4 for noise in (0.0, 0.2)
)
claim["3: on DRIFT all learners are as bad as a coin, or worse"] = all(
    error > 49 for noise in (0.0, 0.2) for error in small_of("final", noise)["DRIFT"].values()
)
claim["4: the printed protocol does not reproduce the printed table, and not by a little"] = (
    tables["printed"].mean_deviation("online") > 4 and tables["printed"].mean_deviation("final") > 6
)
claim["4: all runs are here, ten of each"] = all(t.found == t.expected == 5 * 4 * 2 * 10 for t in tables.values())
claim["4: printed: shuffled streams have smaller final errors in most runs, EEG mostly larger ones"] = (
    all((larger["printed", s] > 0.5) == (s == "EEG") for s in STREAMS)
    and max(larger["printed", s] for s in STREAMS if s != "EEG") < 0.25
)
claim["4: as a mean, nearly every learner has a smaller final error on the shuffled streams"] = (
    sum(
        ours("printed", "final", noise, k, s) >= ours("printed", "online", noise, k, s)
        for noise in (0.0, 0.2)
        for k in LEARNERS
        for s in STREAMS
        if s != "EEG"
    )
    <= 3  # of 32
)
claim["4: BLANG's noise as published: 0.0004 on MUSHROOM and 0.00005 on COVTYPE, and 0.032 as we had misread it"] = (
    [f"{(0.001 / rounds_of(s)) ** 0.5:.1g}" for s in ("MUSHROOM", "COVTYPE")] == ["0.0004", "5e-05"]
    and round(0.001**0.5, 3) == 0.032
    and all("noise" not in load_protocol("table1", name).learners["BLANG"].options for name in tables)
)
claim["4, 5: as printed 5.48 points; 4.30 with the split, 5.13 if flows may not expand; fitted 0.41"] = (
    round(tables["printed"].mean_deviation(), 2) == round(ResultsExplorer().deviation, 2) == 5.48
    and round(ResultsExplorer(split="order").deviation, 2) == 4.30
    and round(ResultsExplorer(expansion="never").deviation, 2) == 5.13
    and round(ResultsExplorer(**fitted, eeg="shuffled").deviation, 2) == 0.41
)
claim["5: with the three switches that the text leaves open as in the fit, and the other two as printed, 2.79"] = (
    round(ResultsExplorer(**{k: fitted[k] for k in fitted if k != "prior"}).deviation, 2) == 2.79
)
claim["5: five switches, and 3,960 runs behind them"] = (
    len(load_protocol("table1", "workbench").switches) == 5 and len(committed_workbench("table1").results) == 3960
)
claim["6, clue 5: the printed online errors on EEG come out only if it is shuffled"] = (
    eeg_off["shuffled"] < 0.3 and eeg_off["kept"] > 2
)
claim["6: the fit says what it is"] = "fitted" in tables["inferred"].title and "fitted" not in tables["printed"].title
claim["6: marks on strokes, nearly everywhere"] = (
    np.median([abs(cell.deviation) for cell in tables["inferred"].deviations()]) < 0.25
)
claim["6, clue 1: the pattern is there again, on COVTYPE, IJCNN and EEG"] = all(
    larger["inferred", s] > 0.85 for s in ("COVTYPE", "IJCNN", "EEG")
) and all(larger["inferred", s] < 0.5 for s in ("MUSHROOM", "A9A"))
claim["6, clue 1: EEG is above 50 % throughout"] = min(on_eeg) > 55 and len(on_eeg) == 8
claim["6, clue 2: AROW on MUSHROOM is good online and bad in the final test; BLANG the other way round"] = all(
    ours("inferred", "online", noise, "AROW", "MUSHROOM") < ours("inferred", "final", noise, "AROW", "MUSHROOM")
    and ours("inferred", "final", noise, "BLANG", "MUSHROOM")
    < 0.3 * ours("inferred", "online", noise, "BLANG", "MUSHROOM")
    for noise in (0.0, 0.2)
)
claim["6, clue 2: by their means all four are within about a point of each other"] = all(
    np.ptp([mean[k, noise] for k in LEARNERS]) < 1.2 for noise in (0.0, 0.2)
)
claim["6, clue 2: AROW's and SGD's printed numbers come out only with samples, or noise"] = all(
    sample[k, noise] > mean[k, noise] + 2.5 for k in ("AROW", "SGD") for noise in (0.0, 0.2)
)
claim["6: BLANG is SGD at half the rate to less than two points"] = np.allclose(
    shown["BLANG"], shown["SGD, half the rate"], atol=2.0
)
claim["6: misread, BLANG is hardly better than a coin; printed on shuffled streams it is"] = (
    min(shown["BLANG, misread"]) > 40 and max(max(printed_blang(noise).values()) for noise in (0.0, 0.2)) < 40
)
claim["6, clue 3: a wider prior, and expansion, cost points online, most with wrong labels"] = all(
    0.3 < shown[k][0] - shown["BFLO"][0] < shown[k][1] - shown["BFLO"][1] for k in ("BFLO, σ 0.2", "BFLO, may expand")
)
claim["6, clue 3: printed, shuffled streams: BFLO's online errors are all above the paper's; inferred: close"] = all(
    block("printed", "online", noise)["BFLO"][s].deviation > 1
    and abs(block("inferred", "online", noise)["BFLO"][s].deviation) < 0.3
    for noise in (0.0, 0.2)
    for s in STREAMS
    if s != "EEG"
)
claim["6, clue 4: noise on SGD's weights costs nothing online, something in the test, more with wrong labels"] = (
    shown["SGD"][:2] == shown["SGD, plain test"][:2]
    and shown["SGD"][2] - shown["SGD, plain test"][2] > 0.5
    and shown["SGD"][3] - shown["SGD, plain test"][3] > shown["SGD"][2] - shown["SGD, plain test"][2] + 1
)
claim["7: inferred is near on average; a few of eighty numbers are beyond chance, by 0.67 to 3.07 points"] = (
    tables["inferred"].mean_deviation("online") < 0.25
    and tables["inferred"].mean_deviation("final") < 1
    and len(fitted_cells) == 80
    and 2 <= len(far) <= 10
    and min(abs(cell.deviation) for cell in far.values()) == 0.67
    and max(abs(cell.deviation) for cell in far.values()) == 3.07
)
claim["7: the ranks of the final errors are as printed"] = all(
    (
        abs(again["final", noise][k] - rank) < 0.01
        for noise in (0.0, 0.2)
        for k, rank in printed_ranks("table1", "final", noise).items()
    )
)
claim["8: inferred: BFLO has the best final rank; printed: AROW, before SGD"] = all(
    best["inferred", "final", noise] == "BFLO" and ranked("printed", "final", noise)[:2] == ("AROW", "SGD")
    for noise in (0.0, 0.2)
)
by_mean = {
    (noise, k): [
        np.mean([r.final_by_mean for r in of_the_paper if (r.learner, r.stream, r.noise) == (k, s, noise)])
        for s in STREAMS
    ]
    for noise in (0.0, 0.2)
    for k in LEARNERS
}
claim["8: if the means of inferred predict, AROW has the best final rank with clean labels, SGD with wrong ones"] = [
    order(experiments.mean_ranks({k: np.round(by_mean[noise, k], 2) for k in LEARNERS}))[0] for noise in (0.0, 0.2)
] == ["AROW", "SGD"]
claim["8: wrong labels hurt AROW and SGD where noisy weights predict; by their means nobody to speak of"] = (
    min(cost["AROW", "final"], cost["SGD", "final"]) > 1
    and max(abs(cost[k, "final_by_mean"]) for k in LEARNERS) < 0.7
    and cost["BLANG", "final"] == cost["BLANG", "final_by_mean"]
)
claim["8: printed, online, the filter errs less than SGD, BLANG and BFLO everywhere"] = all(
    filter_row(noise, "Kalman")[s] < filter_row(noise, k)[s]
    for noise in (0.0, 0.2)
    for s in STREAMS
    for k in ("SGD", "BLANG", "BFLO")
)
claim["8: AROW is a little better with clean labels; with wrong ones the filter is on IJCNN and A9A"] = all(
    0 < filter_row(0.0, "Kalman")[s] - filter_row(0.0, "AROW")[s] < 1.5
    and (filter_row(0.2, "Kalman")[s] < filter_row(0.2, "AROW")[s]) == (s in ("IJCNN", "A9A"))
    for s in STREAMS
)
claim["8: the filter has the prior of BFLO and predicts by its mean, and AROW by its mean, too"] = (
    with_filter.learners[-1] == "Kalman"
    and (asked := load_protocol("table1", "printed").with_extras(["Kalman"]).learners)["Kalman"].options["std"]
    == asked["BFLO"].options["std"]
    and asked["Kalman"].final == asked["AROW"].final == asked["AROW"].options["predicting"] == "mean"
)
claim["8: on COVTYPE final errors jump with the protocol"] = all(
    ours("inferred", "final", 0.0, k, "COVTYPE") - ours("printed", "final", 0.0, k, "COVTYPE") > 8
    for k in ("AROW", "SGD", "BFLO")
)
claim["8: of twenty pairs one is helped by wrong labels, BFLO on A9A, by 2.1 standard errors"] = (
    list(helped) == [("BFLO", "A9A")] and round(max(helped.values()), 1) == 2.1
)
if as_stored:
    assert small_table.found == small_table.expected == 200
    assert panel.stream == "COVTYPE" and panel.noise == 0.0
    assert not REAL and "COVTYPE" not in live.streams
