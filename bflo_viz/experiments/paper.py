"""The numbers that the paper prints, as they are printed: errors in percent, mean ranks, largest standard errors.

The demonstration is in the paper's source, commented out. Cells of Table 1 are "0 % / 20 %" of labels flipped.
"""

from collections.abc import Mapping

MEASURES = ("online", "final")
Block = Mapping[str, Mapping[str, float]]  # by learner, by stream

# The stream that each column is about: numbers of another stream do not belong beside the printed ones.
DATA = {
    **{"DEMO": "demo-2d", "MUSHROOM": "mushroom", "COVTYPE": "covtype", "IJCNN": "ijcnn", "EEG": "eeg", "A9A": "a9a"},
    **{"PLAIN": "mnist", "RANDOM": "mnist-random", "IMAGES": "mnist-images"},
}

_TEXTS = {
    ("demo", "online"): """
               DEMO
    SGD        9.52
    full       22.58
    diagonal   18.38
    spherical  15.48
    largest    0.01
    """,
    ("demo", "final"): """
               DEMO
    SGD        5.94
    full       7.78
    diagonal   6.40
    spherical  8.19
    largest    0.66
    """,
    ("table1", "online"): """
            MUSHROOM     COVTYPE      IJCNN        EEG          A9A          rank
    AROW    5.32/11.05   22.58/23.10  8.44/17.38   43.59/45.11  17.79/20.95  1.2/2.8
    SGD     11.86/11.05  28.03/28.18  9.01/9.87    43.39/44.22  18.62/18.48  1.8/1.6
    BLANG   14.44/14.35  29.30/29.44  12.86/12.06  43.71/44.20  20.51/20.20  3.2/2.8
    BFLO    14.30/15.34  28.14/28.39  10.34/11.52  44.07/44.37  19.03/19.04  3.8/2.8
    """,
    ("table1", "final"): """
            MUSHROOM     COVTYPE      IJCNN        EEG          A9A          rank
    AROW    9.59/13.77   37.18/38.11  20.10/20.28  65.38/63.09  15.85/17.56  3.0/2.8
    SGD     5.35/10.78   37.45/38.36  19.10/26.52  60.57/61.24  17.45/19.32  2.6/2.8
    BLANG   1.16/0.34    38.39/39.09  15.97/14.60  64.85/66.68  17.68/19.58  2.6/2.8
    BFLO    1.79/0.65    37.03/37.69  16.92/16.67  62.76/62.35  17.00/16.69  1.8/1.6
    largest 0.23/0.32    0.12/0.40    0.26/1.23    0.69/1.26    0.08/0.12
    """,
    ("table2", "online"): """
            PLAIN  RANDOM  IMAGES  rank
    SGD     11.25  89.14   72.41   3.0
    DROPOUT 9.84   52.87   50.68   1.6
    BFLO    11.01  37.94   47.71   1.3
    largest 0.07   0.96    1.16
    """,
    ("table2", "final"): """
            PLAIN  RANDOM  IMAGES  rank
    SGD     7.01   89.17   65.17   3.0
    DROPOUT 5.52   53.42   46.67   2.0
    BFLO    5.00   29.11   41.55   1.0
    largest 0.44   3.33    6.05
    """,
}
_NOISE = (0.0, 0.2)


def _parsed() -> dict[tuple[str, str, float], Block]:
    """Every row of every table, by experiment, measure and share of flipped labels."""
    out: dict[tuple[str, str, float], dict[str, dict[str, float]]] = {}
    for (experiment, measure), text in _TEXTS.items():
        columns, *rows = (line.split() for line in text.strip().splitlines())
        for name, *cells in rows:
            for column, cell in zip(columns, cells, strict=False):  # the row of largest errors has no rank
                for noise, number in zip(_NOISE, cell.split("/"), strict=False):
                    block = out.setdefault((experiment, measure, noise), {})
                    block.setdefault(name, {})[column] = float(number)
    return dict(out)


_ALL = _parsed()


def errors(experiment: str, measure: str, noise: float) -> Block:
    """Printed errors in percent by learner and stream; empty where the paper has none.

    >>> errors("table1", "final", 0.2)["BFLO"]["MUSHROOM"]
    0.65
    """
    return {
        learner: {stream: number for stream, number in row.items() if stream != "rank"}
        for learner, row in _ALL.get((experiment, measure, noise), {}).items()
        if learner != "largest"
    }


def ranks(experiment: str, measure: str, noise: float) -> dict[str, float]:
    """Printed mean ranks by learner; empty where the paper has none.

    >>> ranks("table2", "online", 0.0)["DROPOUT"]
    1.6
    """
    rows = _ALL.get((experiment, measure, noise), {})
    return {learner: row["rank"] for learner, row in rows.items() if "rank" in row}


def largest_errors(experiment: str, measure: str, noise: float) -> dict[str, float]:
    """Printed largest standard errors by stream; empty where the paper has none.

    For the online errors of Table 1 the text only says that all are below 0.01; so these are not here.
    """
    return dict(_ALL.get((experiment, measure, noise), {}).get("largest", {}))
