"""What lesson 7 says of the printed table, of networks that learn small digits, and of stored results."""

from bflo_viz import DiagonalBelief, ResultsExplorer
from bflo_viz.experiments import printed_errors
from bflo_viz.lessons.lesson_07 import read_digit as exercise

text = {m: printed_errors("table2", m, 0.0) for m in ("online", "final")}
ours = {(n, m, k, s): cell.ours for n, table in tables.items() for (m, _, k, s), cell in table.cells.items()}

# 1: the table in the text is the printed one, and BFLO is lowest in five of six columns
rows = {"SGD": (11.25, 7.01, 89.14, 89.17, 72.41, 65.17), "DROPOUT": (9.84, 5.52, 52.87, 53.42, 50.68, 46.67)}
rows["BFLO"] = (11.01, 5.0, 37.94, 29.11, 47.71, 41.55)
assert all([text[m][k][s] for s in STREAMS for m in ("online", "final")] == list(row) for k, row in rows.items())
assert np.argmin([*rows.values()], axis=0).tolist() == [1, 2, 2, 2, 2, 2]

# 2: pixels that were never on, and only they, keep every weight as in the prior; widths to outputs collapse
dark = ~train.X.any(axis=0)
first, last = model.unflatten(film["three passes"].belief.std)
kept = (first[:784] == np.float32(prior)).all(axis=1)
assert np.array_equal(kept, dark) and dark.any() and noisy.X.any(axis=0).all()
assert not model.unflatten(film["three passes"].belief.mean)[0][:784][dark].any()
early, late = (np.abs(film[moment].belief.mean).max() for moment in ("100 digits", "three passes"))
assert early < late and np.median(first[:784][~dark]) > prior / 2 and np.mean(last == 0) > 0.5

# 3: mistakes are where networks disagree, and drawn networks are worse than the vote early on
assert all(doubtful > 5 * sure and by_mean < drawn + 0.02 for doubtful, sure, drawn, _, by_mean in price.values())
assert price["one pass"][2] > price["one pass"][3] > price["one pass"][4] - 0.03

# 4: by the text no learner fails, BFLO is nowhere first, and on PLAIN all errors are smaller
assert abs(tables["printed"].mean_deviation() - 17.25) < 0.006
assert all(min(LEARNERS, key=lambda k: ours["printed", m, k, s]) != "BFLO" for m in text for s in STREAMS)
assert all(ours["printed", m, k, "PLAIN"] < text[m][k]["PLAIN"] for m in text for k in LEARNERS)
said = {"SGD": (4.58, 22.53, 36.51), "DROPOUT": (5.28, 20.05, 29.31), "BFLO": (4.85, 24.68, 37.19)}
assert all(ours["printed", "final", k, s] == said[k][i] for k in LEARNERS for i, s in enumerate(STREAMS))

# 5: long steps freeze units, in all three learners, and centring cures it
share, wrong = ({k: np.median(runs[:, -1]) for k, runs in found.items()} for found in (constant, mistakes))
assert share["long steps"] > 40 > 10 > share["short steps"] and share["long, centred"] < 1
assert wrong["long steps"] > 70 > 62 > wrong["short steps"] > wrong["long, centred"] + 15
assert np.median(constant["long steps"][:, 0]) > 25
assert common["RANDOM", 0.0][0] > max(0.75 * common["RANDOM", 0.0][1], 3 * common["PLAIN", 0.0][0])
assert common["RANDOM", -0.5][0] < 0.2 * common["RANDOM", -0.5][1]
assert common["PLAIN", -0.5][0] > common["PLAIN", 0.0][0]
assert all(frozen[k, 1.0] > 0.45 > frozen[k, 0.2] + 0.1 for k in ("DROPOUT", "BFLO"))

# 6: the fit has the printed pattern; on equal terms the lead is gone
assert round(tables["inferred"].mean_deviation(), 1) == 2.7 and len(tables["inferred"].beyond_chance()) == 6
ranks = next(block for block in tables["inferred"].blocks if block.measure == "final").rows
assert all(round(row.rank, 1) == row.printed_rank for row in ranks) and "fitted" in tables["inferred"].title
assert all(ours["shared", m, "BFLO", s] == ours["inferred", m, "BFLO", s] for m in text for s in STREAMS)
assert lead["inferred", "RANDOM"][0] > 5 * lead["inferred", "RANDOM"][1]
assert all(lead["shared", s][0] < lead["shared", s][1] for s in STREAMS)
assert max(LEARNERS, key=lambda k: ours["shared", "final", k, "PLAIN"]) == "DROPOUT"
for steps, weights, error in (("printed", "printed", 29), ("large", "printed", 78), ("printed", "wide", 59)):
    cells = ResultsExplorer(experiment="table2", rival_steps=steps, rival_weights=weights).table.cells
    assert round(cells["online", 0.0, "SGD", "RANDOM"].ours) == error

# 7: the reference round is a diagonal flow for each digit, and reads digits
before, width, x, digit, z, eta = exercise.cases[0]
_, after, narrower = exercise.right(*exercise.cases[0])
for k in range(10):
    w = before[k] + width[k] * z[k]
    posterior = DiagonalBelief(before[k], width[k]).flow(w, w - eta * (1 / (1 + np.exp(-w @ x)) - (k == digit)) * x)
    assert np.allclose(posterior.mean, after[k]) and np.allclose(posterior.std, narrower[k])
assert online < 0.4 and final < 0.25
