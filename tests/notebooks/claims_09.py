"""What `09_reading_critically` says of its pictures and numbers."""

import numpy as np

from bflo_viz import SGD, Logistic, load_stream, stretch, stretch_kl
from bflo_viz.experiments.paper import MEASURES


def close(a, b, atol=1e-9):
    return bool(np.allclose(a, b, rtol=0, atol=atol))


def turning_lowers_the_kl(n):
    """From δ₁ = −1, turn A Δ in a plane with Δ', half a turn in all."""
    other = np.cross(n["axis"], [1.0, 0.3, -0.2])
    spin = np.cross(np.eye(3), other / np.linalg.norm(other))  # K with K² = −I in the plane across `other`
    kls = []
    for angle in np.linspace(0, np.pi, 20):
        turn = np.eye(3) + np.sin(angle) * spin + (1 - np.cos(angle)) * spin @ spin
        kls.append(n["kl"](n["S"] @ turn @ n["T"] @ n["four"][-1, 1]))
    return bool(np.all(np.diff(kls) < 0))


def exact_stretch_is_least(dim):
    grid, u = np.linspace(0.5, 1.5, 4001), np.sqrt(dim)
    return bool(
        np.all(stretch_kl(stretch(u, 0.9 * u, dim=dim), u, 0.9 * u, dim=dim) <= stretch_kl(grid, u, 0.9 * u, dim=dim))
    )


def differing(n, *place):
    """Methods whose printed mean rank is not the one by the printed errors, to the digit that is printed."""
    printed, computed = n["ranks"][place]
    return {name for name, rank in printed.items() if abs(rank - computed[name]) > 0.05}


def settled(runs, parts=4):
    """Medians of the last two of so many parts lie within one nat."""
    size = runs.shape[1] // parts
    late, last = runs[:, -2 * size : -size], runs[:, -size:]
    return abs(np.median(late) - np.median(last)) < 1


def fifths(n, name):
    return np.median(np.reshape(n["entropies"][name], (5, -1)), axis=1)


def median_of_last_dips(n):
    """How far below its last median an entropy of ``u from z`` was at any time, over all runs."""
    record = np.array(n["entropies"]["u from z"])
    return float(np.median(record[-400:]) - record.min())


def away(n, experiment, protocol, measure):
    """Mean distance from the printed numbers."""
    return n["tables"][experiment, protocol].mean_deviation(measure)


def options(n, experiment, protocol, learner):
    """Settings of a learner."""
    return n["protocols"][experiment, protocol].learners[learner].options


def slow_sgd(n):
    """BLANG of the fit and SGD at half its rate, on a stream that is made."""
    rng = np.random.default_rng(0)
    stream = load_stream("two-gaussians", rng=rng, rows=10_000, features=20, distance=3.0)
    blang = n["protocols"]["table1", "inferred"].learners["BLANG"]
    sgd = SGD(stream.features, eta=blang.options["eta"] / 2)
    both = [one.run(stream.X, stream.y, rng).error for one in (blang.build(stream.features, Logistic()), sgd)]
    return abs(both[0] - both[1]) < 0.002


def blang_is_last(n):
    """By the text, BLANG has the last rank in every part of Table 1."""
    blocks = n["tables"]["table1", "printed"].blocks
    return all(max(block.rows, key=lambda row: row.rank).learner == "BLANG" for block in blocks)


CLAIMS = [
    (
        "The closed form is the minimiser: the best of ten searches is as low, and none is lower",
        lambda n: abs(n["searched"].min() - n["post"].kl(n["prior"])) < 1e-6,
    ),
    (
        "The KL that was typed in is the KL of the posterior",
        lambda n: close(n["kl"](n["A_star"]), n["post"].kl(n["prior"])),
    ),
    (
        "Theorem 1, letter by letter: same covariance, same mean",
        lambda n: (
            close(n["A_star"] @ n["prior"].covariance @ n["A_star"].T, n["post"].covariance)
            and close(n["A_star"] @ (n["prior"].mean - n["w"]) + n["w_new"], n["post"].mean)
        ),
    ),
    (
        "The covariance changes along one direction only, that of Δ′, by the two formulas",
        lambda n: (
            close(
                n["post"].covariance - n["prior"].covariance,
                (n["a"] ** 2 - 1) / n["v"] ** 2 * np.outer(n["after"], n["after"]),
            )
            and close(n["post"].mean, n["prior"].mean + (1 - n["a"] * n["u"] / n["v"]) * n["after"])
            and abs(n["a"] - 1) > 1e-4
        ),
    ),
    (
        "The posterior mean is the average of prior mean and pseudo-points, weighted by precision",
        lambda n: close(n["belief"].mean, n["average"], 1e-8),
    ),
    (
        "Removed points count negatively: there are added and removed ones",
        lambda n: (n["precisions"] > 0).any() and (n["precisions"] < 0).any(),
    ),
    (
        "Non-expansive: whitened, no posterior is wider anywhere; for full flows it makes a difference",
        lambda n: sum(n["ways"]["whitened"]) == 0 and sum(n["ways"]["as they are"]) > 50,
    ),
    ("No singular value above one means |det A| ≤ 1", lambda n: abs(np.linalg.det(n["cut"])) <= 1 + 1e-12),
    (
        "1: with plus it fits, with minus it does not",
        lambda n: n["off"]["plus"] < 1e-4 < 0.1 < n["off"]["minus, as printed"],
    ),
    ("2: for d = 1 the exact stretch is the printed one", lambda n: stretch(1.0, 0.9) == stretch(1.0, 0.9, dim=1)),
    (
        "2: the exact one is the least-KL stretch",
        lambda n: all(exact_stretch_is_least(dim) for dim in (1, 2, 10, 1000)),
    ),
    (
        "2: in a thousand the printed rule takes a tenth off the width, the other a thirtieth, at three times the KL",
        lambda n: (
            abs(1 - stretch(31.6228, 28.4605) - 0.1) < 0.001
            and abs(1 - stretch(31.6228, 28.4605, dim=1000) - 1 / 30) < 0.001
            and 2.9 < n["costs"][0] / n["costs"][1] < 3.2
        ),
    ),
    (
        "3: δ₂ changes the matrix, but neither the variances nor the KL",
        lambda n: all(
            np.abs(n["four"][d, 1] - n["four"][d, -1]).max() > 0.01
            and close(*(B @ n["prior"].covariance @ B.T for B in (n["four"][d, 1], n["four"][d, -1])))
            and close(n["kl"](n["four"][d, 1]), n["kl"](n["four"][d, -1]))
            for d in (1, -1)
        ),
    ),
    ("3: δ₁ = +1 has the lower KL", lambda n: n["kl"](n["four"][1, 1]) < n["kl"](n["four"][-1, 1])),
    ("3: with δ₁ = −1, to turn AΔ towards Δ′ lowers the KL all the way", turning_lowers_the_kl),
    (
        "3: a continuum of minimisers: other matrices, the same KL and covariance",
        lambda n: all(
            close(n["kl"](B), n["post"].kl(n["prior"]))
            and close(B @ n["prior"].covariance @ B.T, n["post"].covariance)
            and np.abs(B - n["turned"][0]).max() > 0.1
            for B in n["turned"][1:]
        ),
    ),
    (
        "4: in one dimension diagonal and full part: A = .366 and −1.366, KL 3.371 and .322",
        lambda n: (
            close(n["diagonal"].flow([1.0], [-2.0]).kl(n["diagonal"]), 3.371, 1e-3)
            and close(n["full"].flow([1.0], [-2.0]).kl(n["full"]), 0.322, 1e-3)
            and close(n["full"].flow([1.0], [0.5]).std, n["diagonal"].flow([1.0], [0.5]).std)
        ),
    ),
    (
        "4: v∥ < 0 and the positive root: the first diagonal term is negative",
        lambda n: n["FullBelief"]([0, 0], np.eye(2)).affine_map([1, 0], [-2, 0.5]).A[0, 0] < 0,
    ),
    (
        "5: a < 1 exactly where uv < u²; the right panel is narrowing in both crossing quadrants",
        lambda n: (
            np.all(n["widths"].std[n["widths"].regime == "crossing"] < 1)
            and np.all(
                (n["widths"].std < 1 - 1e-9)
                == (n["widths"].delta[:, None] * n["widths"].delta < n["widths"].delta ** 2 - 1e-9)
            )
        ),
    ),
    (
        "5: it narrows the more, the further the weight goes",
        lambda n: np.all(np.diff(stretch(1.0, -np.arange(50.0))) < 0),
    ),
    (
        "5: whenever |u| < 1.95 the shift of the mean is more than half of the KL",
        lambda n: n["shares"][1][n["u_grid"] < 1.95].min() > 0.5,
    ),
    (
        "5: reflected from 1.5 to −1.5, nothing moves at all",
        lambda n: n["mirrored"].mean.item() == 0 and n["mirrored"].std.item() == 1,
    ),
    ("6: the change of precision has rank one", lambda n: np.linalg.matrix_rank(n["gained"], tol=1e-9) == 1),
    (
        "6: one number observed along one direction, by the formula, and Bayes on it gives the posterior",
        lambda n: (
            close(n["one"].x, n["x_formula"], 1e-6)
            and close(n["one"].R, n["R_formula"], 1e-6)
            and close(n["again"].mean, n["post"].mean)
            and close(n["again"].covariance, n["post"].covariance)
        ),
    ),
    (
        "6: where the stretch was cut to 1, the mean moves and no point exists; natural parameters do it",
        lambda n: (
            not close(n["clipped"].mean, n["prior"].mean, 1e-3)
            and close(n["clipped"].covariance, n["prior"].covariance)
            and not n["nothing"].exists
            and close(n["condition"](n["prior"], n["nothing"]).mean, n["clipped"].mean)
        ),
    ),
    (
        "6: several full flows together do have a point",
        lambda n: n["together"].exists and n["together"].R.shape == (3, 3),
    ),
    (
        "7: on the right all three settle, the diagonal one like the others",
        lambda n: (
            set(n["shown"].entropy) == {"full", "diagonal", "spherical"}
            and all(settled(runs) for runs in n["shown"].entropy.values())
        ),
    ),
    (
        "7: the sample rounds to the mean, and the belief is stuck; on paper it becomes half as wide as the step",
        lambda n: (
            n["narrow"].flow(n["narrow"].weight([1.0]), [1.1]).std.item() == 1e-20
            and close(n["narrow"].flow(n["narrow"].weight([1.0]), [1.1], z=[1.0]).std, 0.05)
        ),
    ),
    (
        "7: with u from w the entropy falls on and on",
        lambda n: np.all(np.diff(fifths(n, "u from w")) < -0.2) and fifths(n, "u from w")[-1] < -2.5,
    ),
    (
        "7: with u from z it has settled by the third fifth and stays",
        lambda n: np.ptp(fifths(n, "u from z")[2:]) < 0.4 and -2.5 < fifths(n, "u from z")[-1] < -0.5,
    ),
    (
        "7: a good part of the weights is stuck with u from w; with u from z they come back",
        lambda n: (
            np.mean(n["beliefs"]["u from w"].mean + 4 * n["beliefs"]["u from w"].std == n["beliefs"]["u from w"].mean)
            > 0.2
            and n["stuck"].mean() < 0.02
        ),
    ),
    ("7: single beliefs still dip, some of them deep", lambda n: median_of_last_dips(n) > 10),
    (
        "8: BLANG and BFLO are swapped online at 0 %, to the disadvantage of BFLO",
        lambda n: (
            differing(n, "table1", "online", 0.0) == {"BLANG", "BFLO"}
            and close(n["ranks"]["table1", "online", 0.0][0]["BFLO"], n["ranks"]["table1", "online", 0.0][1]["BLANG"])
            and close(n["ranks"]["table1", "online", 0.0][0]["BLANG"], n["ranks"]["table1", "online", 0.0][1]["BFLO"])
            and n["ranks"]["table1", "online", 0.0][0]["BFLO"] > n["ranks"]["table1", "online", 0.0][1]["BFLO"]
        ),
    ),
    (
        "8: online at 20 % AROW and SGD tie on MUSHROOM; the ranks are as printed if AROW goes first, and only then",
        lambda n: (
            differing(n, "table1", "online", 0.2) == {"AROW", "SGD"}
            and n["paper"].errors("table1", "online", 0.2)["AROW"]["MUSHROOM"]
            == n["paper"].errors("table1", "online", 0.2)["SGD"]["MUSHROOM"]
            and close([n["first"]["AROW"], n["second"]["SGD"]], [2.8, 1.6])
            and not close([n["second"]["AROW"], n["first"]["SGD"]], [2.8, 1.6])
        ),
    ),
    (
        "8: Table 2, online: DROPOUT was cut off, not rounded; the printed ranks do not add up to 1 + 2 + 3",
        lambda n: (
            differing(n, "table2", "online", 0.0) == {"DROPOUT"}
            and np.floor(10 * n["ranks"]["table2", "online", 0.0][1]["DROPOUT"]) / 10 == 1.6
            and close(sum(n["ranks"]["table2", "online", 0.0][0].values()), 5.9)
        ),
    ),
    (
        "8: the ranks of the final errors are right throughout, and BFLO's is the best in each of them",
        lambda n: all(
            not differing(n, *place) and min(computed, key=computed.get) == "BFLO"
            for place, (_, computed) in n["ranks"].items()
            if "final" in place
        ),
    ),
    (
        "8: BFLO is not the lowest online on PLAIN: dropout learns faster, and BFLO ends lower",
        lambda n: (
            n["lowest"] == {"PLAIN": "DROPOUT", "RANDOM": "BFLO", "IMAGES": "BFLO"}
            and min(n["digits"]["final"], key=lambda name: n["digits"]["final"][name]["PLAIN"]) == "BFLO"
        ),
    ),
    (
        "9: without its rotation the spherical map misses w′; with it, it arrives",
        lambda n: (
            close(n["ball"].transport(n["w_ball"], n["w_ball"], n["w_turned"]), n["w_turned"])
            and not close(n["after_flow"].std * n["w_ball"] + n["after_flow"].mean, n["w_turned"], 0.1)
        ),
    ),
    (
        "Last: no number and no run of a protocol is missing, and none was made with other settings",
        lambda n: all(
            table.found == table.expected and not (table.left_out or table.missing_streams or table.missing_learners)
            for table in n["tables"].values()
        ),
    ),
    (
        "Last: all protocols but the printed ones are fitted, and say so",
        lambda n: all(
            table.fitted == (place[1] != "printed") == ("fitted" in table.title)
            for place, table in n["tables"].items()
        ),
    ),
    (
        "Last: by the text the tables do not come out, not by a little; by the fit Table 1 nearly, Table 2 roughly",
        lambda n: (
            all(away(n, "table1", "printed", m) > 5 and away(n, "table2", "printed", m) > 5 for m in MEASURES)
            and away(n, "table1", "inferred", "online") < 0.25
            and away(n, "table1", "inferred", "final") < 1
            and all(1 < away(n, "table2", "inferred", m) < 6 for m in MEASURES)
        ),
    ),
    (
        "Last: on COVTYPE, IJCNN and EEG every printed final error is above the online one; shuffled, hardly any",
        lambda n: (
            n["above"]["printed", "paper"][:, 1:4].all()
            and n["above"]["printed", "ours"][:, [0, 1, 2, 4]].sum(axis=0).max() <= 1
        ),
    ),
    (
        "Last: by the last fifth of the file they are, on the same streams and as often",
        lambda n: np.array_equal(
            n["above"]["inferred", "ours"].sum(axis=0), n["above"]["printed", "paper"].sum(axis=0)
        ),
    ),
    (
        "Last: AROW's and SGD's final errors are near by noisy weights, far by the mean; BFLO's are nearer by it",
        lambda n: (
            all(n["asked"][name, "final_by_mean"] > 4 * n["asked"][name, "final"] for name in ("AROW", "SGD"))
            and max(n["asked"][name, "final"] for name in ("AROW", "SGD")) < 0.6
            and n["asked"]["BFLO", "final_by_mean"] < n["asked"]["BFLO", "final"]
        ),
    ),
    (
        "Last: BLANG is SGD at half the rate; with the noise of its own paper it learns little",
        lambda n: slow_sgd(n) and blang_is_last(n),
    ),
    (
        "Last: BFLO takes a narrower prior than printed, and may not expand",
        lambda n: (
            options(n, "table1", "inferred", "BFLO")["std"] < options(n, "table1", "printed", "BFLO")["std"]
            and options(n, "table1", "inferred", "BFLO")["non_expansive"]
        ),
    ),
    (
        "Last: the fit of the demonstration changes rate and prior, and nothing else",
        lambda n: (
            {
                key
                for name in n["protocols"]["demo", "inferred"].learners
                for key, value in options(n, "demo", "inferred", name).items()
                if value != options(n, "demo", "printed", name)[key]
            }
            == {"eta", "std"}
        ),
    ),
    (
        "Last: in inferred the rivals take longer steps than BFLO, SGD fails on RANDOM; in shared all take the same",
        lambda n: (
            all(
                options(n, "table2", "inferred", name)["eta"] > options(n, "table2", "inferred", "BFLO")["eta"]
                and options(n, "table2", "shared", name)["eta"] == options(n, "table2", "shared", "BFLO")["eta"]
                for name in ("SGD", "DROPOUT")
            )
            and n["numbers"](n["tables"]["table2", "inferred"], "final", "ours")[0, 1] > 75
            and n["numbers"](n["tables"]["table2", "shared"], "final", "ours")[0, 1] < 60
        ),
    ),
    (
        "Last: in inferred BFLO is far ahead on RANDOM; in shared its lead is gone, save on PLAIN",
        lambda n: (
            n["leads"]["inferred", "RANDOM"].difference > 5
            and n["leads"]["shared", "RANDOM"].difference < 0
            and n["leads"]["shared", "IMAGES"].difference < 0
            and n["leads"]["shared", "PLAIN"].difference > 3 * n["leads"]["shared", "PLAIN"].error
            and all(
                abs(n["leads"]["shared", k].difference) < 2 * n["leads"]["shared", k].error
                for k in ("RANDOM", "IMAGES")
            )
        ),
    ),
    (
        "Last: in both tables it depends on the protocol who has the best rank in the final test",
        lambda n: all(
            len({frozenset(who) for place, who in n["best"].items() if place[0] == table}) > 1
            for table in ("table1", "table2")
        ),
    ),
    (
        "Last: in the final tests the fit has standard errors of the order of theirs; printed has not",
        lambda n: (
            0.4 < n["spread"]["inferred", "final"].min() < n["spread"]["inferred", "final"].max() < 2.5
            and n["spread"]["printed", "final"].max() > 10
        ),
    ),
    (
        "Last: no standard error of the fit is below 0.01 points online; as a share, all are",
        lambda n: n["spread"]["inferred"].min() >= 0.01 and n["spread"]["inferred"].max() / 100 < 0.01,
    ),
]

IN_KERNEL = [
    "assert widths.kind == 'diagonal' and widths.branch == 1 and (widths.std[widths.regime == 'crossing'] < 1).all()",
    "assert shown.rounds[-1] == 12_000 and shown.runs == 12 and shown.flip == 0.4",
    "assert draw_demonstration(shown).alt_text and draw_regime_map(widths).alt_text",
    "assert len(draw_demonstration(shown).axes) == 2",
    "assert len(entropies['u from z']) == len(entropies['u from w']) == 2000",
    "assert [len(printed) for printed, _ in ranks.values()] == [4, 4, 4, 4, 3, 3]",
    "assert len(tables) == len(protocols) >= 8 and all(kept.values())",
    "counts = {place: len(table.deviations()) for place, table in tables.items()}",
    "assert [counts[name, 'inferred'] for name in ('demo', 'table1', 'table2')] == [8, 80, 18]",
]
