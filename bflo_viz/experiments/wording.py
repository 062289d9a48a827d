"""What a table has to say in words, the same in every format."""

from bflo_viz.experiments import paper
from bflo_viz.experiments.protocol import EXPERIMENTS
from bflo_viz.experiments.tables import Block, Deviation, Table

_MEASURES = {"online": "Online error", "final": "Final error"}
_TIES = {
    "average": "equal numbers share the average of their places",
    "min": "equal numbers all get the better place",
    "max": "equal numbers all get the worse place",
}
_MANY = 6  # places that a sentence names before it counts the rest


def labels(table: Table) -> str:
    """What the experiment is."""
    about = EXPERIMENTS.get(table.experiment, "")
    return f"In the paper: {about}." if about else ""


def heading(table: Table, block: Block) -> str:
    """What a block shows."""
    return f"{_MEASURES[block.measure]} (%){_noise(table, block.noise, ',')}"


def _noise(table: Table, noise: float, link: str) -> str:
    """Says nothing where there is nothing to tell apart."""
    return "" if table.noise == (0.0,) else f"{link} {_flipped(noise)}"


def _flipped(noise: float) -> str:
    return f"{100 * noise:g} % of labels flipped" if noise else "no labels flipped"


def sentences(table: Table, mark: str) -> list[str]:
    """What to know to read the table: how far it is from the paper, what is missing, what the signs mean."""
    return [*_deviations(table), *_missing(table), *_mixture(table), *_legend(table, mark)]


def _deviations(table: Table) -> list[str]:
    said = []
    for measure in paper.MEASURES:
        found = table.deviations(measure)
        farthest = table.largest_deviation(measure)
        if farthest is None:
            continue
        parts = ""
        if len(table.noise) > 1:
            means = [(noise, table.mean_deviation(measure, noise)) for noise in table.noise]
            told = [f"{mean:.2f} with {_flipped(noise)}" for noise, mean in means if mean is not None]
            parts = f" ({', '.join(told)})"
        said.append(
            f"{_MEASURES[measure]}: our {_count(len(found), 'number')} differ from the paper's by "
            f"{table.mean_deviation(measure):.2f} points on average{parts}, and most for {_place(table, farthest)}: "
            f"{farthest.value:+.2f}."
        )
    if not said and not any(block.has_paper for block in table.blocks):
        said.append("The paper has no numbers for these streams and learners.")
    return said


def _place(table: Table, deviation: Deviation) -> str:
    where = f" on {deviation.stream}" if len(table.streams) > 1 else ""
    return f"{deviation.learner}{where}{_noise(table, deviation.noise, ' with')}"


def _missing(table: Table) -> list[str]:
    gaps, streams, learners = table.gaps, table.missing_streams, table.missing_learners
    if not table.found:
        return [f"None of the {_count(table.expected, 'run')} is here yet."]
    if not gaps and not streams and not learners:
        more = f", and {table.found - table.expected} more" if table.found > table.expected else ""
        return [f"All {_count(table.expected, 'run')} are here, {table.runs} for each number{more}."]
    said = [f"{table.found} of {_count(table.expected, 'run')} are here."]
    if streams:
        said.append(f"There are none on {_listed(list(streams))}: bflo data tells what to do for a missing stream.")
    if learners:
        said.append(f"There are none of {_listed(list(learners))}.")
    if len({gap.runs for gap in gaps}) == 1 and len(gaps) == len(_there(table)):
        others = " other" if streams or learners else ""
        said.append(f"So far each{others} number has {gaps[0].runs} of {table.runs}.")
    elif gaps:
        places = [f"{gap.learner} on {gap.stream}{_noise(table, gap.noise, ' with')} ({gap.runs})" for gap in gaps]
        said.append(f"Fewer than {table.runs}: {_listed(places)}.")
    return [" ".join(said)]


def _there(table: Table) -> list[tuple[str, str, float]]:
    """Places where runs could be, as stream and learner have some."""
    return [
        (stream, learner, noise)
        for stream in table.streams
        for learner in table.learners
        for noise in table.noise
        if stream not in table.missing_streams and learner not in table.missing_learners
    ]


def _mixture(table: Table) -> list[str]:
    said = []
    if len(table.codes) > 1:
        said.append(f"These runs were made by {len(table.codes)} versions of the code: {_listed(list(table.codes))}.")
    if table.mixed_data:
        said.append(f"Not all runs had the same rows of {_listed(list(table.mixed_data))}: make these runs anew.")
    if table.left_out:
        verb = "was" if table.left_out == 1 else "were"
        said.append(
            f"{_count(table.left_out, 'run')} under the name of this protocol {verb} made with other settings, and "
            "left out."
        )
    return said


def _legend(table: Table, mark: str) -> list[str]:
    both = ", in the paper's numbers and in ours" if any(block.has_paper for block in table.blocks) else ""
    signs = [f"{mark}: smallest error of its column{both}."]
    if any(cell.error is not None for block in table.blocks for row in block.rows for cell in row.cells):
        signs.append("±: standard error of our mean over runs.")
    if any(cell.runs == 0 for block in table.blocks for row in block.rows for cell in row.cells):
        signs.append("–: no runs.")
    said = [" ".join(signs)]
    ranked = [block for block in table.blocks if block.has_ranks]
    if ranked:
        ranks = f"Rank: mean place over the streams, 1 is best, by the numbers shown; {_TIES[table.ties]}."
        if any(row.rank_differs for block in ranked for row in block.rows):
            ranks += (
                " In brackets: the rank that follows from the paper's numbers for the same streams and learners, "
                "where it is not the printed one."
            )
        said.append(ranks + _unranked(table, ranked))
    return said


def _unranked(table: Table, ranked: list[Block]) -> str:
    streams = [name for name in table.streams if any(name not in block.ranked_streams for block in ranked)]
    learners = [name for name in table.learners if any(name not in block.ranked_learners for block in ranked)]
    if not any(block.ranked_learners for block in ranked):
        return " There are too few runs for ranks of ours."
    said = ""
    if streams:
        said += f" Ours, and those in brackets, are without {_listed(streams)}, as not all learners have runs there."
    if learners:
        said += f" Not ranked, as the paper does not have them or they have no runs: {_listed(learners)}."
    return said


def _count(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MANY} more" if len(names) > _MANY else ""
    return ", ".join(names[:_MANY]) + more
