"""The numbers that the paper prints, from ``paper.toml``: errors in percent, mean ranks, largest standard errors."""

import tomllib
from pathlib import Path

MEASURES = ("online", "final")
_PRINTED = tomllib.loads(Path(__file__).with_name("paper.toml").read_text(encoding="utf-8"))
DATA: dict[str, str] = _PRINTED["streams"]


def errors(experiment: str, measure: str, noise: float) -> dict[str, dict[str, float]]:
    """Printed errors in percent by learner and stream; empty where the paper has none.

    >>> errors("table1", "final", 0.2)["BFLO"]["MUSHROOM"]
    0.65
    """
    rows = _rows(experiment, measure, noise)
    return {
        learner: {stream: number for stream, number in row.items() if stream != "rank"}
        for learner, row in rows.items()
        if learner != "largest"
    }


def ranks(experiment: str, measure: str, noise: float) -> dict[str, float]:
    """Printed mean ranks by learner; empty where the paper has none.

    >>> ranks("table2", "online", 0.0)["DROPOUT"]
    1.6
    """
    rows = _rows(experiment, measure, noise)
    return {learner: row["rank"] for learner, row in rows.items() if "rank" in row}


def largest_errors(experiment: str, measure: str, noise: float) -> dict[str, float]:
    """Printed largest standard errors by stream; empty where the paper has none."""
    return _rows(experiment, measure, noise).get("largest", {})


def _rows(experiment: str, measure: str, noise: float) -> dict[str, dict[str, float]]:
    """The lines of a table at one share of flipped labels, by their first words."""
    columns, *lines = (line.split() for line in _PRINTED[experiment][measure].strip().splitlines())
    rows: dict[str, dict[str, float]] = {}
    for name, *cells in lines:
        for column, cell in zip(columns, cells, strict=False):  # the line of largest errors has no rank
            by_noise = dict(zip((0.0, 0.2), map(float, cell.split("/")), strict=False))
            if noise in by_noise:
                rows.setdefault(name, {})[column] = by_noise[noise]
    return rows
